// SPDX-License-Identifier: Apache-2.0
#include "client/cli/scene_file.h"

#include <google/protobuf/util/json_util.h>

#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "clearance/v1/scene.pb.h"
#include "client/cli/read_file.h"
#include "internal/scene_convert.h"

namespace clearance::client {
namespace {

using PosesJson = nlohmann::json;

constexpr std::size_t kNumbersAPose = 7;

absl::Status BadRow(std::size_t row, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("row ", row, " of the poses: ", what));
}

bool IsListOfNumbers(const PosesJson& pose) {
  if (!pose.is_array() || pose.size() != kNumbersAPose) return false;
  for (const PosesJson& number : pose) {
    if (!number.is_number()) return false;
  }
  return true;
}

bool IsId(const PosesJson& id) {
  return id.is_number_unsigned() &&
         id.get<std::uint64_t>() <= std::numeric_limits<std::uint32_t>::max();
}

absl::Status CheckRow(const PosesJson& row, std::size_t i) {
  if (!row.is_object()) return BadRow(i, "is no object");
  if (!row.contains("mesh") || !row["mesh"].is_string()) return BadRow(i, "has no mesh");
  if (row.contains("pose") && !IsListOfNumbers(row["pose"]))
    return BadRow(i, "has a pose that is not 7 numbers: x y z qx qy qz qw");
  if (row.contains("id") && !IsId(row["id"])) return BadRow(i, "has an id that is not 32 bits");
  if (row.contains("margin") && !row["margin"].is_number())
    return BadRow(i, "has a margin that is no number");
  for (const auto& [key, value] : row.items()) {
    if (key != "mesh" && key != "pose" && key != "id" && key != "margin")
      return BadRow(i, absl::StrCat("has the unknown member ", key));
  }
  return absl::OkStatus();
}

// The ids of the rows: what they say, else their number in the list, or where another row says that
// the lowest behind the list that none says. INVALID_ARGUMENT where two rows say the same, as one
// body would be lost.
absl::StatusOr<std::vector<std::uint32_t>> IdsOfRows(const PosesJson& rows) {
  std::map<std::uint32_t, std::size_t> said;  // and by which row
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].contains("id")) continue;
    const auto [first, is_new] = said.try_emplace(rows[i]["id"].get<std::uint32_t>(), i);
    if (!is_new)
      return BadRow(i, absl::StrCat("has the id ", first->first, " of row ", first->second));
  }
  std::vector<std::uint32_t> ids;
  auto next = static_cast<std::uint32_t>(rows.size());
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    const bool is_said = rows[i].contains("id");
    ids.push_back(is_said ? rows[i]["id"].get<std::uint32_t>() : i);
    if (is_said || !said.contains(i)) continue;
    while (said.contains(next)) ++next;
    ids.back() = next++;
  }
  return ids;
}

}  // namespace

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
  std::string json;
  // Fails only where Any, Timestamp and their like are malformed; a change has none of them.
  const auto status = google::protobuf::util::MessageToJsonString(proto, &json);
  return status.ok() ? json : "{}";
}

absl::StatusOr<SceneChange> ParsePoses(const std::string& json) {
  const PosesJson rows = PosesJson::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!rows.is_array()) return absl::InvalidArgumentError("the poses are no JSON array");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (absl::Status status = CheckRow(rows[i], i); !status.ok()) return status;
  }
  absl::StatusOr<std::vector<std::uint32_t>> ids = IdsOfRows(rows);
  if (!ids.ok()) return ids.status();
  SceneChange change;
  SceneBodies& bodies = change.bodies;
  bodies.ids = *std::move(ids);
  std::map<std::string, std::uint32_t> slots;
  for (const PosesJson& row : rows) {
    const auto file = row["mesh"].get<std::string>();
    const auto slot = static_cast<std::uint32_t>(bodies.shapes.size());
    const auto [known, is_new] = slots.try_emplace(file, slot);
    if (is_new) bodies.shapes.emplace_back(ByName{file});
    bodies.shape_slots.push_back(known->second);
    const auto pose = row.value("pose", std::vector<double>{0, 0, 0, 0, 0, 0, 1});
    bodies.poses.insert(bodies.poses.end(), pose.begin(), pose.end());
    bodies.margins.push_back(row.value("margin", 0.));
  }
  bodies.count = static_cast<std::uint32_t>(rows.size());
  return change;
}

absl::StatusOr<SceneChange> ReadPoses(const std::string& file) {
  const absl::StatusOr<std::string> text = ReadFile(file);
  if (!text.ok()) return text.status();
  absl::StatusOr<SceneChange> change = ParsePoses(*text);
  return change.ok() ? std::move(change) : InFile(file, change.status());
}

std::string ShapeNameOfFile(const std::string& file) {
  std::string name = absl::AsciiStrToLower(file);
  for (char& c : name) {
    const bool is_of_names = absl::ascii_isdigit(static_cast<unsigned char>(c)) ||
                             absl::ascii_islower(static_cast<unsigned char>(c)) || c == '.' ||
                             c == '_' || c == '/' || c == '-';
    if (!is_of_names) c = '-';
  }
  return name;
}

}  // namespace clearance::client
