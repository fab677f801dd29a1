// SPDX-License-Identifier: Apache-2.0
//
// Logs connections that were cut, so many lines an hour: a client that comes back to be cut again
// must not fill a disk. The metrics count all of them.

#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/fence/stream_counts.h"
#include "server/observe/log.h"
#include "server/observe/log_allowance.h"
#include "server/observe/steady_clock.h"

namespace clearance::server {

// A connection that was cut, as of the cut.
struct CutConnection {
  std::string peer;            // the address, as gRPC writes it
  absl::string_view reason;    // the metric's label; lives for ever, as the next
  absl::string_view evidence;  // the observation
  absl::Duration age = absl::ZeroDuration();
  std::uint64_t received_bytes = 0;
  StreamCounts calls = {};  // as gRPC had them last; zeros if it never had the connection
  bool is_banned = false;   // the address, from now on
};

// Thread-safe.
class CutLog {
 public:
  static constexpr std::uint64_t kLinesAnHour = 100;

  // `log` outlives this. Null: nothing is written.
  explicit CutLog(Log* log, SteadyClock clock = SteadyNow)
      : log_(log), allowance_(kLinesAnHour, std::move(clock)) {}

  void Write(const CutConnection& cut);

 private:
  Log* const log_;
  LogAllowance allowance_;
};

}  // namespace clearance::server
