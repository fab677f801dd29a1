// SPDX-License-Identifier: Apache-2.0
#include "server/observe/log_writer.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

#include "absl/time/clock.h"

namespace clearance::server {
namespace {

// Interval between two looks whether the end has come, while the reader is stuck.
constexpr int kLookMilliseconds = 100;

// Lines that are written before others may add theirs.
constexpr int kMostAtATime = 256;

// A pipe that has room takes so much at once without blocking.
constexpr std::size_t kMostAtOnce = PIPE_BUF;

bool TakesMore(int descriptor, int milliseconds) {
  pollfd look = {.fd = descriptor, .events = POLLOUT, .revents = 0};
  return poll(&look, 1, milliseconds) > 0;
}

}  // namespace

LogWriter::LogWriter(int descriptor, LogFormat format, LostLines lost, LogRoom room)
    : descriptor_(descriptor), format_(format), lost_(lost), room_(room) {
  thread_ = std::thread([this] { Loop(); });
}

LogWriter::~LogWriter() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    end_by_ = SteadyNow() + kPatienceAtEnd;
  }
  has_work_.notify_one();
  thread_.join();
}

void LogWriter::Write(LogLevel level, std::string text) {
  const std::lock_guard lock(mutex_);
  const bool is_first = waiting_.empty();
  const std::size_t room = level == LogLevel::kAudit ? room_.audit : room_.other;
  if (!is_first && waiting_bytes_ + text.size() > room) return Lose(level);
  waiting_bytes_ += text.size();
  waiting_.push_back({.level = level, .text = std::move(text)});
  if (is_first) WriteWaiting();
  if (!waiting_.empty()) has_work_.notify_one();
}

void LogWriter::Loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    has_work_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
    if (waiting_.empty() || (is_ending_ && SteadyNow() >= end_by_)) return;
    lock.unlock();
    TakesMore(descriptor_, kLookMilliseconds);
    lock.lock();
    WriteWaiting();
  }
}

void LogWriter::WriteWaiting() {
  for (int count = 0; count < kMostAtATime && !waiting_.empty(); ++count) {
    const Outcome outcome = TryToWrite(&waiting_.front());
    if (outcome == Outcome::kWaits) return;
    const LogLevel level = waiting_.front().level;
    waiting_bytes_ -= waiting_.front().text.size();
    waiting_.pop_front();
    if (outcome == Outcome::kFailed) {
      Lose(level);
    } else if (untold_audit_ + untold_other_ != 0 && waiting_bytes_ <= room_.other / 2) {
      TellOfLost();
    }
  }
}

LogWriter::Outcome LogWriter::TryToWrite(Line* line) const {
  while (line->written < line->text.size()) {
    if (!TakesMore(descriptor_, 0)) return Outcome::kWaits;
    const std::size_t length = std::min(line->text.size() - line->written, kMostAtOnce);
    const ssize_t count = write(descriptor_, line->text.data() + line->written, length);
    if (count < 0 && errno != EINTR) {
      return errno == EAGAIN ? Outcome::kWaits : Outcome::kFailed;
    }
    if (count > 0) line->written += static_cast<std::size_t>(count);
  }
  return Outcome::kWritten;
}

void LogWriter::Lose(LogLevel level) {
  const bool is_audit = level == LogLevel::kAudit;
  (is_audit ? lost_.audit : lost_.other).Increment();
  ++(is_audit ? untold_audit_ : untold_other_);
}

void LogWriter::TellOfLost() {
  const LogField fields[] = {{"audit", std::exchange(untold_audit_, 0)},
                             {"other", std::exchange(untold_other_, 0)}};
  Line line = {.level = LogLevel::kError,
               .text = FormatLogRecord(format_, {absl::Now(), LogLevel::kError,
                                                 "lines of the log could not be written and are "
                                                 "lost",
                                                 fields}) +
                       '\n'};
  waiting_bytes_ += line.text.size();
  waiting_.push_front(std::move(line));
}

}  // namespace clearance::server
