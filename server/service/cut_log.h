// SPDX-License-Identifier: Apache-2.0
//
// Lines about connections that were cut, so many an hour: whoever comes back to be cut again must
// not fill a disk. The metrics count them all. A thread of its own writes them: whoever accepts and
// cuts connections does not wait for a log that nobody reads on.

#ifndef CLEARANCE_SERVER_SERVICE_CUT_LOG_H_
#define CLEARANCE_SERVER_SERVICE_CUT_LOG_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/observe/log.h"
#include "server/observe/log_allowance.h"
#include "server/observe/steady_clock.h"
#include "server/service/stream_counts.h"

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

  // Lines that wait until those before them are written; one more is held back.
  static constexpr std::size_t kMostWaiting = kLinesAnHour;

  // `log` may be null, then nothing is written; else it outlives this.
  explicit CutLog(Log* log, SteadyClock clock = SteadyNow);
  // Writes what waits.
  ~CutLog();
  CutLog(const CutLog&) = delete;
  CutLog& operator=(const CutLog&) = delete;

  // Never waits for the log.
  void Write(CutConnection cut);

 private:
  struct Line {
    CutConnection cut;
    std::uint64_t held_back = 0;  // before it
  };

  void Loop();
  void WriteLine(const Line& line);

  Log* const log_;
  LogAllowance allowance_;
  std::mutex mutex_;  // guards the next three
  std::deque<Line> waiting_;
  std::uint64_t found_no_room_ = 0;  // since the last that did
  bool is_ending_ = false;
  std::condition_variable has_work_;
  std::thread thread_;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_SERVICE_CUT_LOG_H_
