// SPDX-License-Identifier: Apache-2.0
//
// Lines about connections that were cut, so many an hour: whoever comes back to be cut again must
// not fill a disk. The metrics count them all.

#ifndef CLEARANCE_SERVER_FENCE_CUT_LOG_H_
#define CLEARANCE_SERVER_FENCE_CUT_LOG_H_

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

// A connection that was cut, as of then.
struct CutConnection {
  std::string peer;            // the address, as gRPC writes it
  absl::string_view reason;    // as the metric has it; for ever, as the next
  absl::string_view evidence;  // what of it was seen
  absl::Duration age = absl::ZeroDuration();
  std::uint64_t received_bytes = 0;
  StreamCounts calls = {};  // as gRPC had them last; nothing of one that it never had
  bool is_banned = false;   // the address, from now on
};

// Thread-safe.
class CutLog {
 public:
  static constexpr std::uint64_t kLinesAnHour = 100;

  // `log` may be null, then nothing is written; else it outlives this.
  explicit CutLog(Log* log, SteadyClock clock = SteadyNow)
      : log_(log), allowance_(kLinesAnHour, std::move(clock)) {}

  void Write(const CutConnection& cut);

 private:
  Log* const log_;
  LogAllowance allowance_;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_FENCE_CUT_LOG_H_
