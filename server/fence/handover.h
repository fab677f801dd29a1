// SPDX-License-Identifier: Apache-2.0
//
// Hands accepted connections over on a separate thread, one after another. gRPC's acceptor reads
// the bytes of a new connection before it returns, and continues for as long as there are more. A
// flood would hold the thread that accepts, which is also the one that could have cut it.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "absl/time/time.h"
#include "server/observe/descriptor.h"
#include "server/schedule/scheduling.h"

namespace clearance::server {

// Thread-safe.
class Handover {
 public:
  using Handler = std::function<void(Descriptor connection)>;

  explicit Handover(Handler handler) : handler_(std::move(handler)), thread_([this] { Run(); }) {}
  // Closes connections not handed over yet, and waits for the one that is being handed over.
  ~Handover() {
    Stop();
    thread_.join();
  }

  void Add(Descriptor connection) {
    {
      const std::lock_guard lock(mutex_);
      if (!is_ending_) waiting_.push_back(std::move(connection));
    }
    changed_.notify_one();
  }

  // Returns the descriptor that is with the handler and has cost it at least so much processor
  // time, if any. It may be closed by now. Time that the thread waited, for others or for a
  // processor, does not count: a new connection is not to blame for that.
  std::optional<int> HeldFor(absl::Duration processor_time) {
    const std::lock_guard lock(mutex_);
    if (!held_.has_value()) return std::nullopt;
    return ProcessorTimeOf(thread_) - held_since_ >= processor_time ? held_ : std::nullopt;
  }

  // Grows between two calls, unless a connection waited all the time or was with the handler.
  std::uint64_t turns() {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty() && !held_.has_value()) ++turns_;
    return turns_;
  }

  // Stops handing connections over.
  void Stop() {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
      waiting_.clear();
    }
    changed_.notify_one();
  }
  // Returns true once no connection is with the handler.
  bool is_idle() {
    const std::lock_guard lock(mutex_);
    return !held_.has_value();
  }

 private:
  void Run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return !waiting_.empty() || is_ending_; });
      if (waiting_.empty()) return;
      Descriptor connection = std::move(waiting_.front());
      waiting_.pop_front();
      held_ = connection.number();
      held_since_ = ProcessorTimeOf(thread_);
      lock.unlock();
      handler_(std::move(connection));
      lock.lock();
      held_.reset();
      ++turns_;
    }
  }

  const Handler handler_;
  std::mutex mutex_;  // guards the next six
  std::condition_variable changed_;
  std::deque<Descriptor> waiting_;
  std::optional<int> held_;
  absl::Duration held_since_;  // by the thread's processor time
  std::uint64_t turns_ = 0;
  bool is_ending_ = false;
  std::thread thread_;  // the last: it uses the rest
};

}  // namespace clearance::server
