// SPDX-License-Identifier: Apache-2.0

#include "server/guard/caller.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstddef>

#include "absl/random/random.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

constexpr std::size_t kMaxIdBytes = 64;
constexpr const char* kRoleNames[] = {"query", "register", "admin"};  // by the number of Role

constexpr std::string_view kV4 = "ipv4:";
constexpr std::string_view kV6 = "ipv6:";
constexpr std::size_t kBytesOfNetwork = 8;

// "[2001:db8::1%eth0]" without brackets and scope.
std::string BareV6(std::string_view host) {
  std::string text = absl::StrReplaceAll(absl::string_view(host.data(), host.size()),
                                         {{"%5B", ""}, {"%5D", ""}, {"[", ""}, {"]", ""}});
  return text.substr(0, text.find('%'));
}

constexpr std::size_t kMaxRequestIdBytes = 128;

bool IsOfRequestId(char c) {
  constexpr std::string_view kMarks = "._:/+=-";
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || kMarks.find(c) != kMarks.npos;
}

bool IsNonZero(absl::string_view digits) { return digits.find_first_not_of('0') != digits.npos; }

}  // namespace

const char* NameOf(Role role) { return kRoleNames[static_cast<std::size_t>(role)]; }

std::optional<Role> RoleOf(std::string_view name) {
  for (const Role role : {Role::kQuery, Role::kRegister, Role::kAdmin}) {
    if (name == NameOf(role)) return role;
  }
  return std::nullopt;
}

bool IsPrincipalId(std::string_view text) {
  constexpr char kAllowed[] = "abcdefghijklmnopqrstuvwxyz0123456789._-";
  return !text.empty() && text.size() <= kMaxIdBytes &&
         text.find_first_not_of(kAllowed) == text.npos && text.find_first_of("._-") != 0;
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

std::string AddressGroupOf(std::string_view peer) {
  const std::size_t port = peer.rfind(':');
  if (peer.starts_with(kV4) && port >= kV4.size()) return std::string(peer.substr(0, port));
  if (!peer.starts_with(kV6) || port < kV6.size()) return std::string(peer);
  in6_addr address{};
  const std::string host = BareV6(peer.substr(kV6.size(), port - kV6.size()));
  if (inet_pton(AF_INET6, host.c_str(), &address) != 1) return std::string(peer);
  // An address of IPv4 that came in by a socket of both families is one machine's.
  const std::size_t bytes = IN6_IS_ADDR_V4MAPPED(&address) ? sizeof address : kBytesOfNetwork;
  return std::string(kV6) + std::string(reinterpret_cast<const char*>(&address), bytes);
}

bool IsRequestId(std::string_view text) {
  return !text.empty() && text.size() <= kMaxRequestIdBytes &&
         std::ranges::all_of(text, IsOfRequestId);
}

std::string MakeRequestId() {
  thread_local absl::InsecureBitGen random;
  return absl::StrFormat("%016x%016x", absl::Uniform<std::uint64_t>(random),
                         absl::Uniform<std::uint64_t>(random));
}

std::string TraceParentOf(std::string_view traceparent) {
  constexpr std::size_t kSize = 55;
  const absl::string_view text(traceparent.data(), std::min(traceparent.size(), kSize));
  if (text.find_first_not_of("0123456789abcdef-") != text.npos) return "";
  // The version, the trace, the parent and the flags.
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '-');
  const bool has_form = parts.size() == 4 && parts[0].size() == 2 && parts[1].size() == 32 &&
                        parts[2].size() == 16 && parts[3].size() == 2 && parts[0] != "ff" &&
                        IsNonZero(parts[1]) && IsNonZero(parts[2]);
  if (!has_form) return "";
  const bool has_end =
      traceparent.size() == kSize || (parts[0] != "00" && traceparent[kSize] == '-');
  return has_end ? absl::StrCat("00", text.substr(2)) : "";
}

std::string TraceIdOf(std::string_view traceparent) {
  const std::string parent = TraceParentOf(traceparent);
  return parent.empty() ? "" : parent.substr(3, 32);
}

}  // namespace clearance::server
