// SPDX-License-Identifier: Apache-2.0
//
// Addresses that are not let in for a while. A connection that is cut has cost what it took to see
// what it does, some hundredths of a second; one that comes back at once would cost as much again
// and again, and the others would wait.

#ifndef CLEARANCE_SERVER_FENCE_ADDRESS_BANS_H_
#define CLEARANCE_SERVER_FENCE_ADDRESS_BANS_H_

#include <cstddef>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "server/observe/steady_clock.h"

namespace clearance::server {

// The first ban of an address has the length that is given here; each that follows within the
// longest is twice as long as the one before, up to kMostTimes the first. A warning is remembered
// as long as the longest.
// Thread-compatible.
class AddressBans {
 public:
  static constexpr int kMostTimes = 64;

  // Zero: nobody is banned.
  explicit AddressBans(absl::Duration first) : first_(first) {}

  // Has no effect on an address that is banned now, nor on the empty one, which all share who have
  // none.
  void Ban(const std::string& address_key, SteadyTime now);
  // The same for what an honest client may do once. Only warns an address that was neither banned
  // nor warned lately; has no effect where the connection that was cut was `opened` before the
  // warning: one cause may have made all that were open look alike.
  void WarnOrBan(const std::string& address_key, SteadyTime opened, SteadyTime now);
  bool IsBanned(const std::string& address_key, SteadyTime now) const;

  std::size_t size() const { return bans_.size(); }

 private:
  struct Entry {
    SteadyTime end;         // or when it was warned
    absl::Duration length;  // zero: it was only warned
  };

  Entry* Remember(const std::string& address_key, SteadyTime now);
  bool IsForgotten(const Entry& entry, SteadyTime now) const;

  const absl::Duration first_;
  SteadyTime next_sweep_ = SteadyTime();          // which goes through all of them
  absl::flat_hash_map<std::string, Entry> bans_;  // by AddressKey
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_FENCE_ADDRESS_BANS_H_
