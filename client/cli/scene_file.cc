// SPDX-License-Identifier: Apache-2.0
#include "client/cli/scene_file.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "clearance/v1/scene.pb.h"
#include "internal/scene_convert.h"

namespace clearance::client {

absl::StatusOr<SceneChange> ParseSceneChange(const std::string& json) {
  v1::SceneChange proto;
  const auto parsed = google::protobuf::util::JsonStringToMessage(json, &proto);
  if (!parsed.ok())
    return absl::InvalidArgumentError(
        absl::StrCat("no clearance.v1.SceneChange: ", std::string(parsed.message())));
  return FromProto(proto);
}

std::string FormatSceneChange(const SceneChange& change) {
  v1::SceneChange proto;
  ToProto(change, &proto);
  // By default a body meets all groups.
  auto* const masks = proto.mutable_bodies()->mutable_masks();
  const auto is_all = [](std::uint32_t mask) { return mask == ~std::uint32_t{0}; };
  if (std::all_of(masks->begin(), masks->end(), is_all)) masks->Clear();
  std::string json;
  // Fails only where Any, Timestamp and their like are malformed; a change has none of them.
  const auto status = google::protobuf::util::MessageToJsonString(proto, &json);
  return status.ok() ? json : "{}";
}

}  // namespace clearance::client
