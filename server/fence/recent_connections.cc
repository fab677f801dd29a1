// SPDX-License-Identifier: Apache-2.0

#include "server/fence/recent_connections.h"

namespace clearance::server {
namespace {

constexpr absl::Duration kSecond = absl::Seconds(1);

}  // namespace

int RecentConnections::Add(const std::string& address_key, SteadyTime now) {
  Second& second = by_address_.try_emplace(address_key, Second{now}).first->second;
  if (now - second.began >= kSecond) second = {now};
  return ++second.opened;
}

void RecentConnections::Forget(SteadyTime now) {
  absl::erase_if(by_address_,
                 [now](const auto& entry) { return now - entry.second.began >= kSecond; });
}

}  // namespace clearance::server
