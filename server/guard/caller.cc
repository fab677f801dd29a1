// SPDX-License-Identifier: Apache-2.0

#include "server/guard/caller.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstddef>

#include "absl/strings/str_replace.h"

namespace clearance::server {
namespace {

constexpr std::string_view kV4 = "ipv4:";
constexpr std::string_view kV6 = "ipv6:";
constexpr std::size_t kBytesOfNetwork = 8;

// "[2001:db8::1%eth0]" without brackets and scope.
std::string BareV6(std::string_view host) {
  std::string text = absl::StrReplaceAll(absl::string_view(host.data(), host.size()),
                                         {{"%5B", ""}, {"%5D", ""}, {"[", ""}, {"]", ""}});
  return text.substr(0, text.find('%'));
}

}  // namespace

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

}  // namespace clearance::server
