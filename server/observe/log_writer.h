// SPDX-License-Identifier: Apache-2.0
//
// Writes the lines of the log. If the reader takes a line, it is written at once, so that it is out
// before its caller goes on (or ends the process). Otherwise it goes into a queue, which a separate
// thread writes once the reader goes on. So no caller ever waits for a reader that is stuck.
//
// The queue is limited. Audit lines have separate room, far more of it, into which no other line
// comes. An audit line is lost only after all of that is full, or if the log cannot be written at
// all, and never silently. Lost audit lines have a separate counter (with an alert), and the log
// reports how many lines were lost as soon as it is read again.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "prometheus/counter.h"
#include "server/observe/log.h"
#include "server/observe/steady_clock.h"

namespace clearance::server {

struct LostLines {
  prometheus::Counter& audit;
  prometheus::Counter& other;
};

// Limits the bytes of lines that wait for a line before them.
struct LogRoom {
  std::size_t other = std::size_t{1} << 20;
  std::size_t audit = std::size_t{16} << 20;  // of all lines
};

// Writes the log to a descriptor. Thread-safe.
class LogWriter {
 public:
  // Time for which the end waits for lines that were not read yet.
  static constexpr absl::Duration kPatienceAtEnd = absl::Seconds(2);

  // `descriptor` stays open, and `lost` exists, for as long as this lives. Losses are reported in
  // lines of `format`.
  LogWriter(int descriptor, LogFormat format, LostLines lost, LogRoom room = {});
  // Gives the waiting lines to a reader that takes them.
  ~LogWriter();

  // Writes a whole line. Does not wait, except for a disk.
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
  void Lose(LogLevel level);
  void TellOfLost();

  const int descriptor_;
  const LogFormat format_;
  const LostLines lost_;
  const LogRoom room_;
  std::mutex mutex_;  // guards the members below, and the order of lines
  std::condition_variable has_work_;
  std::deque<Line> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::uint64_t untold_audit_ = 0;  // lost and not yet reported
  std::uint64_t untold_other_ = 0;
  bool is_ending_ = false;
  SteadyTime end_by_;
  std::thread thread_;
};

}  // namespace clearance::server
