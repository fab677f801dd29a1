// SPDX-License-Identifier: Apache-2.0
//
// Connections on their way from accept(2) to gRPC.

#pragma once

#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "server/observe/descriptor.h"
#include "server/observe/steady_clock.h"
#include "server/schedule/scheduling.h"

namespace clearance::server {

// Hands accepted connections over on a separate thread, one after another. gRPC's acceptor reads
// the bytes of a new connection before it returns, and continues for as long as there are more. A
// flood would hold the thread that accepts, which is also the one that could have cut it.
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

// Holds connections that gRPC is not given before their clients send something. gRPC spends a
// hundred times as much on one as waiting here costs. A client that only connects must not cause
// that. Thread-compatible.
class SilentConnections {
 public:
  SilentConnections() : waiting_(epoll_create1(EPOLL_CLOEXEC)) {}

  // Returns false if no descriptor was left to wait with. Nothing else may be called then.
  bool is_open() const { return waiting_.is_open(); }
  // Returns a descriptor for poll(2): readable when TakeSpoken() has something to do.
  int number() const { return waiting_.number(); }
  std::size_t size() const { return silent_.size(); }

  // Closes the connection if the kernel has no memory to wait for it.
  void Add(Descriptor connection, SteadyTime now) {
    const int number = connection.number();
    epoll_event event = {.events = EPOLLIN, .data = {.fd = number}};
    if (epoll_ctl(waiting_.number(), EPOLL_CTL_ADD, number, &event) != 0) return;
    silent_[number] = {.connection = std::move(connection), .added = now};
  }

  // Takes some of those whose clients have spoken since they were added. Closes those whose clients
  // went without a word.
  std::vector<Descriptor> TakeSpoken() {
    std::array<epoll_event, kTakenAtOnce> events;
    const int count =
        epoll_wait(waiting_.number(), events.data(), static_cast<int>(events.size()), 0);
    std::vector<Descriptor> spoken;
    for (int i = 0; i < count; ++i) {
      const int number = events[static_cast<std::size_t>(i)].data.fd;
      Descriptor connection = std::move(silent_.extract(number).mapped().connection);
      // Its next owner may also wait for it, under the same number.
      epoll_ctl(waiting_.number(), EPOLL_CTL_DEL, number, nullptr);
      if (HasSpoken(connection)) spoken.push_back(std::move(connection));
    }
    return spoken;
  }

  // Closes those that were added before `added` and have not spoken yet.
  void EndOlderThan(SteadyTime added) {
    absl::erase_if(silent_, [added](const auto& entry) {
      const Silent& silent = entry.second;
      return silent.added < added && !HasSpoken(silent.connection);
    });
  }

  void EndAll() { silent_.clear(); }

 private:
  struct Silent {
    Descriptor connection;
    SteadyTime added;
  };

  // Connections taken at once, before others have their turn.
  static constexpr std::size_t kTakenAtOnce = 64;

  // Returns whether there are bytes to read. A connection that has an event but no bytes is over.
  static bool HasSpoken(const Descriptor& connection) {
    char first = 0;
    return recv(connection.number(), &first, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
  }

  Descriptor waiting_;                       // of epoll(7), which forgets closed ones
  absl::flat_hash_map<int, Silent> silent_;  // by the number of the descriptor
};

}  // namespace clearance::server
