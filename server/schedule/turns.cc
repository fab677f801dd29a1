// SPDX-License-Identifier: Apache-2.0

#include "server/schedule/turns.h"

#include <algorithm>
#include <utility>

#include "absl/strings/string_view.h"

namespace clearance::server {

void Turns::Join(Account* account, std::string_view group) {
  ForgetPaidDebts();
  std::unique_ptr<Group>& entry = groups_[absl::string_view(group.data(), group.size())];
  if (entry == nullptr) {
    entry = std::make_unique<Group>();
    entry->name = group;
    entry->place.given = floor_ + kTurn;
  } else if (entry->members == 0) {
    debtors_.erase({entry->place.given, entry->name});
  }
  ++entry->members;
  ++account_count_;
  account->group_ = entry.get();
  account->place_.given = entry->floor + kTurn;
}

void Turns::Leave(Account* account) {
  Group* const group = std::exchange(account->group_, nullptr);
  --account_count_;
  if (--group->members > 0) return;
  debtors_.emplace(group->place.given, group->name);
  ForgetPaidDebts();
  if (debtors_.size() > kMostDebtors) ForgetLeastDebt();
}

// Forgets groups that owe no more than a new group is given at once.
void Turns::ForgetPaidDebts() {
  while (!debtors_.empty() && debtors_.begin()->first <= floor_ + kTurn) ForgetLeastDebt();
}

void Turns::ForgetLeastDebt() {
  const std::string name(debtors_.begin()->second);
  debtors_.erase(debtors_.begin());
  groups_.erase(name);
}

std::size_t Turns::GroupSizeOf(const Account& account) const { return account.group_->members; }

void Turns::Add(Account* account, std::uint64_t cost, Work work) {
  account->items_.push_back({cost, std::move(work)});
  if (account->items_.size() > 1) return;
  Group* const group = account->group_;
  const bool has_to_enter = group->waiting.empty();
  Queue(account);
  if (has_to_enter) Queue(group);
}

void Turns::Charge(Account* account, std::uint64_t cost) {
  Exit(account);
  account->place_.given += cost;
  account->group_->place.given += cost;
  Enter(account);
}

Turns::Work Turns::Take() {
  Group* const group = waiting_.begin()->second;
  Account* const account = group->waiting.begin()->second;
  floor_ = group->place.given;
  group->floor = account->place_.given;
  Exit(account);
  Item item = std::move(account->items_.front());
  account->items_.erase(account->items_.begin());
  account->place_.given += item.cost;
  group->place.given += item.cost;
  Enter(account);
  return std::move(item.work);
}

// Takes the account and its group out of the queues that they wait in.
void Turns::Exit(Account* account) {
  Group* const group = account->group_;
  if (!group->waiting.empty()) group->node = waiting_.extract(group->place);
  if (!account->items_.empty()) account->node_ = group->waiting.extract(account->place_);
}

// Puts them back at their current places, behind their equals.
void Turns::Enter(Account* account) {
  Group* const group = account->group_;
  if (!account->items_.empty()) Queue(account);
  if (!group->waiting.empty()) Queue(group);
}

template <class Member>
void Turns::Insert(const Place& place, Member* member, Node<Member>* node,
                   Waiting<Member>* waiting) {
  if (node->empty()) {
    waiting->emplace(place, member);
  } else {
    node->key() = place;
    waiting->insert(std::move(*node));
  }
}

void Turns::Queue(Account* account) {
  Group* const group = account->group_;
  account->place_ = {std::max(account->place_.given, group->floor), ++entries_};
  Insert(account->place_, account, &account->node_, &group->waiting);
}

void Turns::Queue(Group* group) {
  group->place = {std::max(group->place.given, floor_), ++entries_};
  Insert(group->place, group, &group->node, &waiting_);
}

}  // namespace clearance::server
