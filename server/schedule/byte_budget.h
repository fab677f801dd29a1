// SPDX-License-Identifier: Apache-2.0
//
// Limits the bytes of all calls together: of messages that were received and are not answered yet,
// and of replies that are made or are to be made and are not taken yet. When the server holds as
// many as it may, sessions are not read, and each message that arrives anyway is refused. A call
// that holds some needs no more of them to be answered, so no calls wait in a circle.

#ifndef CLEARANCE_SERVER_SCHEDULE_BYTE_BUDGET_H_
#define CLEARANCE_SERVER_SCHEDULE_BYTE_BUDGET_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "prometheus/gauge.h"

namespace clearance::server {

// Counts the bytes that all calls hold. Thread-safe. Counting takes no lock; only waiting for room
// does, and giving bytes back while an account waits.
class ByteBudget {
 public:
  class Account;

  static constexpr std::uint64_t kUnbounded = std::numeric_limits<std::uint64_t>::max();

  // `gauge` shows the bytes that are held; null: no gauge does.
  explicit ByteBudget(std::uint64_t most = kUnbounded, prometheus::Gauge* gauge = nullptr)
      : most_(most), gauge_(gauge) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  std::uint64_t most() const { return most_; }
  std::uint64_t held() const { return held_.load(); }

 private:
  struct Group {
    std::string name;
    std::uint64_t accounts = 0;  // with the budget's mutex
    std::atomic<std::uint64_t> held = 0;
  };

  std::uint64_t LeftBeside(std::uint64_t held) const { return most_ - std::min(most_, held); }
  bool HasRoom(const Group& group) const {
    const std::uint64_t left = LeftBeside(held_.load());
    const std::uint64_t of_group = group.held.load();
    return of_group == 0 ? left > 0 : of_group < left;
  }
  void GiveBack(Group& group, std::uint64_t bytes);
  void WakeThoseWithRoom();  // requires: mutex_ is held

  const std::uint64_t most_;
  prometheus::Gauge* const gauge_;
  std::atomic<std::uint64_t> held_ = 0;
  // The size of waiting_. A waiter counts itself before it looks for room. A thread that gives
  // bytes back does so before it looks for waiters. So one of the two sees the other.
  std::atomic<std::size_t> waiters_ = 0;
  std::mutex mutex_;  // guards the members below
  absl::flat_hash_map<std::string, std::unique_ptr<Group>> groups_;
  absl::flat_hash_set<Account*> waiting_;
};

// Holds the bytes of one call. A group may hold as many as are left free beside it, so a group that
// never takes its replies leaves some to all others. An account that holds all of its group's bytes
// may always take more while any are free. Used by one thread.
class ByteBudget::Account {
 public:
  Account(ByteBudget& budget, std::string_view group);
  // Gives all bytes back. Requires: room is not awaited.
  virtual ~Account();
  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;

  // Takes `bytes`. RESOURCE_EXHAUSTED, with the time to wait, if the group or the server holds too
  // much to hold so many more.
  absl::Status Take(std::uint64_t bytes);
  // Gives all bytes back.
  void Release();
  // Takes those of `bytes` that are not held already.
  absl::Status TakeUpTo(std::uint64_t bytes) {
    return bytes <= held_ ? absl::OkStatus() : Take(bytes - held_);
  }

  // Returns whether there is room for any bytes at all.
  bool HasRoom() const { return budget_.HasRoom(*group_); }
  // Calls Wake() once there is room, or once waiting is stopped.
  void WaitForRoom();
  void StopWaiting();

 private:
  friend class ByteBudget;
  // Called with the budget's mutex held, on any thread.
  virtual void Wake() = 0;

  ByteBudget& budget_;
  Group* group_ = nullptr;
  std::uint64_t held_ = 0;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_SCHEDULE_BYTE_BUDGET_H_
