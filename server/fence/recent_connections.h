// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "server/observe/steady_clock.h"

namespace clearance::server {

// Counts the connections that each address has opened recently. Thread-compatible.
class RecentConnections {
 public:
  // Counts one more of this address. Returns how many it has opened since its second began. A
  // second begins with the first connection after the one before was over.
  int Add(const std::string& address_key, SteadyTime now) {
    Second& second = by_address_.try_emplace(address_key, Second{now}).first->second;
    if (now - second.began >= kSecond) second = {now};
    return ++second.opened;
  }

  // Forgets the seconds that are over.
  void Forget(SteadyTime now) {
    absl::erase_if(by_address_,
                   [now](const auto& entry) { return now - entry.second.began >= kSecond; });
  }

  std::size_t size() const { return by_address_.size(); }

 private:
  static constexpr absl::Duration kSecond = absl::Seconds(1);

  struct Second {
    SteadyTime began;
    int opened = 0;
  };

  absl::flat_hash_map<std::string, Second> by_address_;
};

}  // namespace clearance::server
