// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/etcd/peer_ways.h"

#include "absl/strings/str_cat.h"

namespace clearance::test {
namespace {

// Go's programs ask no proxy for what is on the loopback; this address is there and not named so.
constexpr char kHere[] = "0.0.0.0";

std::string SectionsOf(const PeerWays::Ports& member, const std::vector<PeerWays::Ports>& all) {
  std::string sections = absl::StrCat(
      "listen inward\n  bind 127.0.0.1:", member.told, "\n  server it 127.0.0.1:", member.listening,
      "\nfrontend outward\n  mode http\n  option http-no-delay\n  bind 127.0.0.1:", member.outward,
      "\n");
  for (const PeerWays::Ports& other : all) {
    absl::StrAppend(&sections, "  use_backend to", other.told, " if { hdr(host) ", kHere, ":",
                    other.told, " }\n");
  }
  for (const PeerWays::Ports& other : all) {
    absl::StrAppend(&sections, "backend to", other.told,
                    "\n  mode http\n  option http-no-delay\n  server it 127.0.0.1:", other.told,
                    "\n");
  }
  return sections;
}

}  // namespace

PeerWays::PeerWays(const std::vector<Ports>& members) {
  for (const Ports& member : members) {
    proxies_.push_back(
        std::make_unique<StoppableProxy>(SectionsOf(member, members), member.outward));
  }
}

std::string PeerWays::Told(const Ports& member) {
  return absl::StrCat("http://", kHere, ":", member.told);
}

std::string PeerWays::Outward(const Ports& member) {
  return absl::StrCat("http_proxy=http://127.0.0.1:", member.outward);
}

}  // namespace clearance::test
