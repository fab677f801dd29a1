// SPDX-License-Identifier: Apache-2.0
//
// The memory of addresses that are banned for a while, of those seen lately, and of connections
// whose calls were refused. A connection that is cut has cost some hundredths of a second, the time
// to recognize it. One that comes back at once would cost that again each time, and the others
// would wait.

#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "server/observe/steady_clock.h"

namespace clearance::server {

// The first ban of an address lasts as long as is given here. Each that follows within the length
// of the longest is twice as long as the one before, up to kMostTimes the first. A warning is
// remembered as long as the longest ban.
// Thread-compatible.
class AddressBans {
 public:
  static constexpr int kMostTimes = 64;

  // Zero: no address is banned.
  explicit AddressBans(absl::Duration first) : first_(first) {}

  // Bans the address. No effect if it is banned now, or on the empty key, which all peers without
  // an address share.
  void Ban(const std::string& address_key, SteadyTime now) {
    if (IsBanned(address_key, now)) return;
    Entry* const ban = Remember(address_key, now);
    if (ban == nullptr) return;
    ban->length = std::clamp(2 * ban->length, first_, kMostTimes * first_);
    ban->end = now + ban->length;
  }

  // The same for an event that an honest client may cause once. An address that was neither banned
  // nor warned lately is only warned. No effect if the connection that was cut was `opened` before
  // the warning: one cause may have made all open connections look alike.
  void WarnOrBan(const std::string& address_key, SteadyTime opened, SteadyTime now) {
    const auto found = bans_.find(address_key);
    if (found == bans_.end() || IsForgotten(found->second, now)) {
      Remember(address_key, now);
    } else if (opened > found->second.end) {
      Ban(address_key, now);
    }
  }

  bool IsBanned(const std::string& address_key, SteadyTime now) const {
    const auto found = bans_.find(address_key);
    return found != bans_.end() && now < found->second.end;
  }

  std::size_t size() const { return bans_.size(); }

 private:
  struct Entry {
    SteadyTime end;         // or when it was warned
    absl::Duration length;  // zero: it was only warned
  };

  // Bans do not hold off an attacker that has more addresses than this.
  static constexpr std::size_t kMostBans = 65'536;

  // Returns the address's entry. An address that was not remembered is added as warned now. Null if
  // bans are off, the address is empty, or there is no room.
  Entry* Remember(const std::string& address_key, SteadyTime now) {
    if (first_ <= absl::ZeroDuration() || address_key.empty()) return nullptr;
    if (bans_.size() >= kMostBans && now >= next_sweep_) {
      next_sweep_ = now + first_;
      absl::erase_if(bans_, [&](const auto& ban) { return IsForgotten(ban.second, now); });
    }
    if (bans_.size() >= kMostBans && !bans_.contains(address_key)) return nullptr;
    const Entry warned = {.end = now, .length = absl::ZeroDuration()};
    Entry& entry = bans_.try_emplace(address_key, warned).first->second;
    if (IsForgotten(entry, now)) entry = warned;
    return &entry;
  }

  bool IsForgotten(const Entry& entry, SteadyTime now) const {
    return entry.end + kMostTimes * first_ <= now;
  }

  const absl::Duration first_;
  SteadyTime next_sweep_ = SteadyTime();          // a sweep visits all entries
  absl::flat_hash_map<std::string, Entry> bans_;  // by AddressKey
};

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

// Finds connections that call again and again without valid credentials. Each of their calls is
// refused cheaply, but gRPC spends more on it than the refusal does. Thread-safe.
class RefusedCalls {
 public:
  // The calls of one connection that may be refused: this many a second on average, and this many
  // at once. A client whose token has expired stays below it, unless it had more calls in progress.
  static constexpr double kRate = 100;
  static constexpr double kMostAtOnce = 256;
  // The number of connections that are remembered.
  static constexpr std::size_t kMostPeers = 16'384;

  // Counts a refused call. `peer` is as gRPC writes it ("ipv4:192.0.2.1:5000").
  void Count(std::string_view peer, SteadyTime now) {
    const std::lock_guard lock(mutex_);
    const auto found = by_peer_.try_emplace(std::string(peer), Bucket{.filled = now}).first;
    Bucket& bucket = found->second;
    bucket.Fill(now);
    if (--bucket.tokens < 0) {
      if (offenders_.size() < kMostPeers) offenders_.insert(found->first);
      by_peer_.erase(found);
    } else if (by_peer_.size() > kMostPeers) {
      ForgetIdle(now);
    }
  }

  // Takes the peers that had more.
  absl::flat_hash_set<std::string> TakeOffenders() {
    const std::lock_guard lock(mutex_);
    return std::exchange(offenders_, {});
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return by_peer_.size();
  }

 private:
  struct Bucket {
    void Fill(SteadyTime now) {
      tokens = std::min(kMostAtOnce, tokens + kRate * absl::ToDoubleSeconds(now - filled));
      filled = now;
    }

    double tokens = kMostAtOnce;
    SteadyTime filled = SteadyTime();
  };

  // Forgets those that are as if they had never called; if there are none, all. Requires: mutex_ is
  // held.
  void ForgetIdle(SteadyTime now) {
    absl::erase_if(by_peer_, [now](auto& entry) {
      entry.second.Fill(now);
      return entry.second.tokens >= kMostAtOnce;
    });
    if (by_peer_.size() > kMostPeers) by_peer_.clear();
  }

  mutable std::mutex mutex_;  // guards the members below
  absl::flat_hash_map<std::string, Bucket> by_peer_;
  absl::flat_hash_set<std::string> offenders_;  // at most kMostPeers
};

}  // namespace clearance::server
