// SPDX-License-Identifier: Apache-2.0

#include "server/registry/shape_name.h"

#include <cstddef>
#include <string>

#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

constexpr std::size_t kMaxLength = 128;
constexpr char kForm[] = "1 to 128 characters of [a-z0-9][a-z0-9._/-]*";
constexpr char kAllowed[] = "abcdefghijklmnopqrstuvwxyz0123456789._/-";
constexpr std::string_view kNotAtFront = "._/-";

bool HasForm(std::string_view name) {
  return !name.empty() && name.size() <= kMaxLength &&
         name.find_first_not_of(kAllowed) == std::string_view::npos &&
         kNotAtFront.find(name.front()) == std::string_view::npos;
}

}  // namespace

absl::Status CheckShapeName(std::string_view name, std::string_view field) {
  if (HasForm(name)) return absl::OkStatus();
  return Refuse(absl::StatusCode::kInvalidArgument,
                {.reason = Reason::kNameInvalid,
                 .field = std::string(field),
                 .value = std::string(name),
                 .limit = kForm,
                 .message = "invalid name: choose one of the allowed form"});
}

}  // namespace clearance::server
