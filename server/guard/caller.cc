// SPDX-License-Identifier: Apache-2.0

#include "server/guard/caller.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/random/random.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
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

constexpr std::size_t kMaxRequestIdBytes = 128;

bool IsOfRequestId(char c) {
  constexpr std::string_view kMarks = "._:/+=-";
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || kMarks.find(c) != kMarks.npos;
}

bool IsTraceDigit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

bool AreHexDigits(std::string_view text) { return std::ranges::all_of(text, IsTraceDigit); }

bool IsNonZero(std::string_view digits) {
  return digits.find_first_not_of('0') != std::string_view::npos;
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
  if (traceparent.size() < kSize || traceparent[2] != '-' || traceparent[35] != '-' ||
      traceparent[52] != '-') {
    return "";
  }
  const std::string_view version = traceparent.substr(0, 2);
  const std::string_view trace_id = traceparent.substr(3, 32);
  const std::string_view parent_id = traceparent.substr(36, 16);
  const std::string_view flags = traceparent.substr(53, 2);
  const bool has_form = AreHexDigits(version) && AreHexDigits(trace_id) &&
                        AreHexDigits(parent_id) && AreHexDigits(flags) && version != "ff" &&
                        IsNonZero(trace_id) && IsNonZero(parent_id);
  const bool has_end =
      traceparent.size() == kSize || (version != "00" && traceparent[kSize] == '-');
  if (!has_form || !has_end) return "";
  return "00" + std::string(traceparent.substr(2, kSize - 2));
}

std::string TraceIdOf(std::string_view traceparent) {
  const std::string parent = TraceParentOf(traceparent);
  return parent.empty() ? "" : parent.substr(3, 32);
}

}  // namespace clearance::server
