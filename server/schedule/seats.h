// SPDX-License-Identifier: Apache-2.0
//
// Seats of one kind, of which every caller may have a share: sessions, or watches of scenes.

#ifndef CLEARANCE_SERVER_SCHEDULE_SEATS_H_
#define CLEARANCE_SERVER_SCHEDULE_SEATS_H_

#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "prometheus/gauge.h"

namespace clearance::server {

// The name of a limit and its value.
struct SeatLimit {
  const char* name = "";
  std::uint64_t value = std::numeric_limits<std::uint64_t>::max();
};

// A holder (Caller::holder) may have as many seats as all others leave free, and its first one
// while any is free. So no holder takes the last seat from all others. Thread-safe.
class Seats {
 public:
  class Seat;
  // `taken` shows how many are taken. `of_holder` is one holder's own limit; by default it has
  // none. All that is given outlives this.
  Seats(SeatLimit most, prometheus::Gauge& taken, SeatLimit of_holder = {})
      : most_(most), of_holder_limit_(of_holder), gauge_(taken) {}
  Seats(const Seats&) = delete;
  Seats& operator=(const Seats&) = delete;

 private:
  absl::Status Take(const std::string& holder);
  void Leave(const std::string& holder);
  absl::Status CheckRoom(std::uint64_t of_holder) const;  // requires: mutex_ is held

  const SeatLimit most_;
  const SeatLimit of_holder_limit_;
  prometheus::Gauge& gauge_;
  std::mutex mutex_;  // guards the members below
  std::uint64_t taken_ = 0;
  absl::flat_hash_map<std::string, std::uint64_t> of_holder_;
};

// One seat, from a successful Take to the end. Thread-compatible.
class Seats::Seat {
 public:
  explicit Seat(Seats& seats) : seats_(seats) {}
  ~Seat() {
    if (is_taken_) seats_.Leave(holder_);
  }
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;

  // Takes a seat. RESOURCE_EXHAUSTED, with the time to wait, if there is none. At most once.
  absl::Status Take(std::string holder) {
    holder_ = std::move(holder);
    absl::Status status = seats_.Take(holder_);
    is_taken_ = status.ok();
    return status;
  }

 private:
  Seats& seats_;
  std::string holder_;
  bool is_taken_ = false;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_SCHEDULE_SEATS_H_
