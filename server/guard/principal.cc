// SPDX-License-Identifier: Apache-2.0

#include "server/guard/principal.h"

#include <cstddef>

#include "absl/strings/str_join.h"
#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

constexpr std::size_t kMaxIdBytes = 64;
constexpr const char* kRoleNames[] = {"query", "register", "admin"};  // by the number of Role

bool IsLetterOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool IsOfId(char c) { return IsLetterOrDigit(c) || c == '.' || c == '_' || c == '-'; }

}  // namespace

const char* NameOf(Role role) { return kRoleNames[static_cast<std::size_t>(role)]; }

std::optional<Role> RoleOf(std::string_view name) {
  for (const Role role : {Role::kQuery, Role::kRegister, Role::kAdmin}) {
    if (name == NameOf(role)) return role;
  }
  return std::nullopt;
}

void PrincipalUsage::Fill(double cores) {
  const SteadyTime now = clock_();
  const absl::Duration most = absl::Seconds(cores);
  // The first time finds an account that has filled for ever.
  const absl::Duration since = std::min(now - filled_, absl::Hours(24));
  filled_ = now;
  account_ = std::min(most, account_ + since * cores);
}

bool IsPrincipalId(std::string_view text) {
  return !text.empty() && text.size() <= kMaxIdBytes && IsLetterOrDigit(text.front()) &&
         std::ranges::all_of(text, IsOfId);
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
