// SPDX-License-Identifier: Apache-2.0

#include "server/guard/principal.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_join.h"
#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

constexpr std::size_t kMaxIdBytes = 64;

bool IsLetterOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool IsOfId(char c) { return IsLetterOrDigit(c) || c == '.' || c == '_' || c == '-'; }

}  // namespace

const char* NameOf(Role role) {
  switch (role) {
    case Role::kQuery:
      return "query";
    case Role::kRegister:
      return "register";
    case Role::kAdmin:
      break;
  }
  return "admin";
}

std::optional<Role> RoleOf(std::string_view name) {
  for (const Role role : {Role::kQuery, Role::kRegister, Role::kAdmin}) {
    if (name == NameOf(role)) return role;
  }
  return std::nullopt;
}

bool Principal::MayReach(std::string_view name) const {
  return prefixes.empty() || std::any_of(prefixes.begin(), prefixes.end(), [&](const auto& prefix) {
           return name.starts_with(prefix);
         });
}

bool IsPrincipalId(std::string_view text) {
  return !text.empty() && text.size() <= kMaxIdBytes && IsLetterOrDigit(text.front()) &&
         std::all_of(text.begin(), text.end(), IsOfId);
}

absl::Status RequireRole(const Principal& principal, Role role, std::string_view field) {
  if (principal.role >= role) return absl::OkStatus();
  return Refuse(absl::StatusCode::kPermissionDenied,
                {.reason = Reason::kRoleTooLow,
                 .field = std::string(field),
                 .value = "principal " + principal.id + " with role " + NameOf(principal.role),
                 .limit = std::string("role ") + NameOf(role) + " or higher",
                 .message = "The principal's role does not allow this; ask the operator for the "
                            "role that it takes."});
}

absl::Status RequireName(const Principal& principal, std::string_view name,
                         std::string_view field) {
  if (principal.MayReach(name)) return absl::OkStatus();
  return Refuse(absl::StatusCode::kPermissionDenied,
                {.reason = Reason::kNameNotAllowed,
                 .field = std::string(field),
                 .value = std::string(name),
                 .limit = "of principal " + principal.id + ": names that begin with " +
                          absl::StrJoin(principal.prefixes, ", "),
                 .message = "The name is not among those that the principal may reach."});
}

}  // namespace clearance::server
