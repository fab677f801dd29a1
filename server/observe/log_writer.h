// SPDX-License-Identifier: Apache-2.0
//
// Where the lines of the log go: at once where its reader takes them, so that what was written is
// out before its caller goes on (or ends the process); else into a queue, which a thread of its own
// writes once the reader goes on. So nobody ever waits for a reader who is stuck.
//
// Of what waits there is so much and no more. Audit lines have room of their own, far more of it,
// into which no other line comes: one is lost only after all of that is full, or where the log
// cannot be written at all, and never silently: it is counted by itself (there is an alert), and
// the log tells how many lines were lost as soon as it is read on.

#ifndef CLEARANCE_SERVER_OBSERVE_LOG_WRITER_H_
#define CLEARANCE_SERVER_OBSERVE_LOG_WRITER_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "absl/strings/string_view.h"
#include "prometheus/counter.h"
#include "server/observe/log.h"
#include "server/observe/steady_clock.h"

namespace clearance::server {

struct LostLines {
  prometheus::Counter& audit;
  prometheus::Counter& other;
};

// Bytes of lines that wait.
struct LogRoom {
  std::size_t other = std::size_t{1} << 20;
  std::size_t audit = std::size_t{16} << 20;  // of all lines
};

// Thread-safe.
class LogWriter {
 public:
  // How long the end waits for what was not read yet.
  static constexpr absl::Duration kPatienceAtEnd = absl::Seconds(2);

  // `descriptor` stays open, and `lost` is there, for as long as this lives. What is lost is told
  // in lines of `format`.
  LogWriter(int descriptor, LogFormat format, LostLines lost, LogRoom room = {});
  // Gives what waits to a reader who takes it.
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  // A whole line. Does not wait, but for a disk.
  void Write(LogLevel level, std::string line);

 private:
  struct Line {
    LogLevel level;
    std::string text;
    std::size_t written = 0;  // of the text
  };
  enum class Outcome : std::uint8_t { kWritten, kWaits, kFailed };

  void Loop();
  // These need mutex_.
  Outcome TryToWrite(Line* line) const;
  void WriteWaiting();
  void Settle(const Line& line, Outcome outcome);
  void Lose(LogLevel level);
  void TellOfLost();

  const int descriptor_;
  const LogFormat format_;
  const LostLines lost_;
  const LogRoom room_;
  std::mutex mutex_;  // guards what follows, and the order of lines
  std::condition_variable has_work_;
  std::deque<Line> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::uint64_t untold_audit_ = 0;  // lost and not told of yet
  std::uint64_t untold_other_ = 0;
  bool is_ending_ = false;
  SteadyTime end_by_;
  std::thread thread_;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_OBSERVE_LOG_WRITER_H_
