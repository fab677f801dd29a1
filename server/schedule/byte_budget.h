// SPDX-License-Identifier: Apache-2.0
//
// The bytes of all calls together: of messages that were received and are not answered yet, and of
// replies that are made or are to be made and are not taken yet. Where they are as many as the
// server holds a session is not read, and what has come nevertheless is refused by itself. Whoever
// holds some needs no more of them to be answered, so that nobody waits in a circle.

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

// Thread-safe. Counted without a lock; only who waits for room takes one, and who gives some back
// while somebody waits.
class ByteBudget {
 public:
  class Account;

  static constexpr std::uint64_t kUnbounded = std::numeric_limits<std::uint64_t>::max();

  // `gauge` shows what is held; null: nothing does.
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
  void WakeThoseWithRoom();  // with mutex_

  const std::uint64_t most_;
  prometheus::Gauge* const gauge_;
  std::atomic<std::uint64_t> held_ = 0;
  // As many as wait. Whoever waits counts itself before it looks for room, and whoever gives back
  // does so before it looks whether anybody waits: one of the two sees the other.
  std::atomic<std::size_t> waiters_ = 0;
  std::mutex mutex_;  // guards what follows
  absl::flat_hash_map<std::string, std::unique_ptr<Group>> groups_;
  absl::flat_hash_set<Account*> waiting_;
};

// What one call holds. A group may hold as much as is left free beside it, so that one that never
// takes its replies leaves something to all others; what is its only holding it may always take
// while anything is free. Used by one thread.
class ByteBudget::Account {
 public:
  Account(ByteBudget& budget, std::string_view group);
  // Gives back what is held. Requires: room is not awaited.
  virtual ~Account();
  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;

  // RESOURCE_EXHAUSTED, with the time to wait, where the group or the server holds too much to hold
  // so many more.
  absl::Status Take(std::uint64_t bytes);
  // Gives all back.
  void Release();
  // Of `bytes`, those that are not held already.
  absl::Status TakeUpTo(std::uint64_t bytes) {
    return bytes <= held_ ? absl::OkStatus() : Take(bytes - held_);
  }

  // Whether there is room for anything at all.
  bool HasRoom() const { return budget_.HasRoom(*group_); }
  // Has Wake() called once there is, or once waiting is stopped.
  void WaitForRoom();
  void StopWaiting();

 private:
  friend class ByteBudget;
  // With the budget's mutex, on any thread.
  virtual void Wake() = 0;

  ByteBudget& budget_;
  Group* group_ = nullptr;
  std::uint64_t held_ = 0;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_SCHEDULE_BYTE_BUDGET_H_
