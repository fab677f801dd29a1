// SPDX-License-Identifier: Apache-2.0

#include "server/registry/shape_name.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

constexpr std::size_t kMaxLength = 128;
constexpr char kForm[] = "1 to 128 characters of [a-z0-9][a-z0-9._/-]*";

bool IsLetterOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool IsNameCharacter(char c) {
  return IsLetterOrDigit(c) || c == '.' || c == '_' || c == '/' || c == '-';
}

bool HasForm(std::string_view name) {
  return !name.empty() && name.size() <= kMaxLength && IsLetterOrDigit(name.front()) &&
         std::all_of(name.begin(), name.end(), IsNameCharacter);
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
