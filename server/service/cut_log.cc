// SPDX-License-Identifier: Apache-2.0

#include "server/service/cut_log.h"

#include <optional>
#include <utility>

namespace clearance::server {

CutLog::CutLog(Log* log, SteadyClock clock)
    : log_(log), allowance_(kLinesAnHour, std::move(clock)) {
  if (log != nullptr) thread_ = std::thread([this] { Loop(); });
}

CutLog::~CutLog() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  has_work_.notify_one();
  thread_.join();
}

void CutLog::Write(CutConnection cut) {
  if (log_ == nullptr) return;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() == kMostWaiting) {
      ++found_no_room_;
      return;
    }
    const std::optional<std::uint64_t> held_back = allowance_.Take();
    if (!held_back.has_value()) return;
    waiting_.push_back({std::move(cut), *held_back + std::exchange(found_no_room_, 0)});
  }
  has_work_.notify_one();
}

void CutLog::Loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    has_work_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const Line line = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    WriteLine(line);
    lock.lock();
  }
}

void CutLog::WriteLine(const Line& line) {
  const CutConnection& cut = line.cut;
  log_->Warning("cut a connection", {{"peer", cut.peer},
                                     {"reason", cut.reason},
                                     {"evidence", cut.evidence},
                                     {"age_seconds", absl::ToDoubleSeconds(cut.age)},
                                     {"received_bytes", cut.received_bytes},
                                     {"calls_open", cut.calls.open()},
                                     {"calls_started", cut.calls.started},
                                     {"calls_answered", cut.calls.answered},
                                     {"calls_given_up", cut.calls.given_up},
                                     {"messages", cut.calls.messages},
                                     {"banned", cut.is_banned},
                                     {"held_back", line.held_back}});
}

}  // namespace clearance::server
