// SPDX-License-Identifier: Apache-2.0

#include "server/schedule/byte_budget.h"

#include <utility>

#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

// The server cannot know when replies will be taken.
constexpr absl::Duration kRetryAfter = absl::Milliseconds(200);

absl::string_view AsAbsl(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

void ByteBudget::GiveBack(Group& group, std::uint64_t bytes) {
  group.held.fetch_sub(bytes);
  held_.fetch_sub(bytes);
  if (waiters_.load() == 0) return;
  const std::lock_guard lock(mutex_);
  WakeThoseWithRoom();
}

void ByteBudget::WakeThoseWithRoom() {
  absl::erase_if(waiting_, [this](Account* account) {
    if (!HasRoom(*account->group_)) return false;
    account->Wake();
    return true;
  });
  waiters_.store(waiting_.size());
}

ByteBudget::Account::Account(ByteBudget& budget, std::string_view group) : budget_(budget) {
  const std::lock_guard lock(budget_.mutex_);
  std::unique_ptr<Group>& entry = budget_.groups_[AsAbsl(group)];
  if (entry == nullptr) {
    entry = std::make_unique<Group>();
    entry->name = group;
  }
  group_ = entry.get();
  ++group_->accounts;
}

ByteBudget::Account::~Account() {
  Release();
  const std::lock_guard lock(budget_.mutex_);
  if (--group_->accounts > 0) return;
  const std::string name = std::move(group_->name);
  budget_.groups_.erase(name);
}

absl::Status ByteBudget::Account::Take(std::uint64_t bytes) {
  const std::uint64_t held_by_all = budget_.held_.fetch_add(bytes);
  const std::uint64_t held_by_group = group_->held.fetch_add(bytes);
  const std::uint64_t left = budget_.LeftBeside(held_by_all);
  const bool is_all_of_group = held_by_group == held_;
  const bool is_all = held_by_all == held_;
  if ((is_all_of_group && (left > 0 || is_all)) || held_by_group + bytes <= left) {
    held_ += bytes;
    if (budget_.gauge_ != nullptr) budget_.gauge_->Increment(static_cast<double>(bytes));
    return absl::OkStatus();
  }
  budget_.GiveBack(*group_, bytes);
  return Refuse(absl::StatusCode::kResourceExhausted,
                {.field = "",
                 .value = FormatNumber(bytes) + " bytes beside " + FormatNumber(held_by_all),
                 .limit = "max_total_bytes_in_flight <= " + FormatNumber(budget_.most_) +
                          ", and of one caller what the others leave free",
                 .message = "The server holds as many bytes of messages and replies as it will; "
                            "take replies, and repeat after `retry_after`.",
                 .retry_after = kRetryAfter});
}

void ByteBudget::Account::Release() {
  if (held_ == 0) return;
  if (budget_.gauge_ != nullptr) budget_.gauge_->Decrement(static_cast<double>(held_));
  budget_.GiveBack(*group_, std::exchange(held_, 0));
}

void ByteBudget::Account::WaitForRoom() {
  const std::lock_guard lock(budget_.mutex_);
  budget_.waiting_.insert(this);
  budget_.waiters_.store(budget_.waiting_.size());
  budget_.WakeThoseWithRoom();
}

void ByteBudget::Account::StopWaiting() {
  const std::lock_guard lock(budget_.mutex_);
  if (budget_.waiting_.erase(this) == 0) return;
  budget_.waiters_.store(budget_.waiting_.size());
  Wake();
}

}  // namespace clearance::server
