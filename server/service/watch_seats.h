// SPDX-License-Identifier: Apache-2.0
//
// How many watches of scenes there are, in all and of each caller.

#ifndef CLEARANCE_SERVER_SERVICE_WATCH_SEATS_H_
#define CLEARANCE_SERVER_SERVICE_WATCH_SEATS_H_

#include <cstdint>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "server/config/limits.h"
#include "server/observe/metrics.h"

namespace clearance::server {

// Thread-safe.
class WatchSeats {
 public:
  WatchSeats(const Limits& limits, Metrics& metrics) : limits_(limits), metrics_(metrics) {}

  // RESOURCE_EXHAUSTED where there is none, for the server or for this holder (Caller::holder).
  absl::Status Take(const std::string& holder);
  // Requires: a seat that was taken.
  void Leave(const std::string& holder);

 private:
  const Limits& limits_;
  Metrics& metrics_;
  std::mutex mutex_;  // guards what follows
  std::uint64_t taken_ = 0;
  absl::flat_hash_map<std::string, std::uint64_t> of_holder_;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_SERVICE_WATCH_SEATS_H_
