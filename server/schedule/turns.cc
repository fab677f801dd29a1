// SPDX-License-Identifier: Apache-2.0

#include "server/schedule/turns.h"

#include <algorithm>

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
  account->group = entry.get();
  account->place.given = entry->floor + kTurn;
}

void Turns::Leave(Account* account) {
  Group* const group = std::exchange(account->group, nullptr);
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

std::size_t Turns::GroupSizeOf(const Account& account) const { return account.group->members; }

void Turns::Add(Account* account, std::uint64_t cost, Work work) {
  account->items.push_back({cost, std::move(work)});
  if (account->items.size() > 1) return;
  Group* const group = account->group;
  const bool has_to_enter = group->waiting.empty();
  Queue(account, group->floor, &group->waiting);
  if (has_to_enter) Queue(group, floor_, &waiting_);
}

void Turns::Charge(Account* account, std::uint64_t cost) {
  Exit(account);
  account->place.given += cost;
  account->group->place.given += cost;
  Enter(account);
}

Turns::Work Turns::Take() {
  Group* const group = waiting_.begin()->second;
  Account* const account = group->waiting.begin()->second;
  floor_ = group->place.given;
  group->floor = account->place.given;
  Exit(account);
  Item item = std::move(account->items.front());
  account->items.erase(account->items.begin());
  account->place.given += item.cost;
  group->place.given += item.cost;
  Enter(account);
  return std::move(item.work);
}

// Takes the account and its group out of the queues that they wait in.
void Turns::Exit(Account* account) {
  Group* const group = account->group;
  if (!group->waiting.empty()) group->node = waiting_.extract(group->place);
  if (!account->items.empty()) account->node = group->waiting.extract(account->place);
}

// Puts them back at their current places, behind their equals.
void Turns::Enter(Account* account) {
  Group* const group = account->group;
  if (!account->items.empty()) Queue(account, group->floor, &group->waiting);
  if (!group->waiting.empty()) Queue(group, floor_, &waiting_);
}

template <class Member>
void Turns::Queue(Member* member, std::uint64_t floor, Waiting<Member>* waiting) {
  member->place = {std::max(member->place.given, floor), ++entries_};
  if (member->node.empty()) {
    waiting->emplace(member->place, member);
  } else {
    member->node.key() = member->place;
    waiting->insert(std::move(member->node));
  }
}

}  // namespace clearance::server
