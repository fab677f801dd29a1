// SPDX-License-Identifier: Apache-2.0
//
// Decides which work begins next, so that a caller with much work delays itself and not the others.
// Every stream has an account, and accounts that belong together form a group. The next work is
// that of the group, and in it of the account, that was given least so far, by cost; among equals,
// of the one that waits longest. One that comes back begins level with the others, as idleness
// saves nothing up. A new one begins as if it had had a turn, so that leaving and joining again
// gains nothing. When its last account has left, a group still owes all that it was given beyond
// that, until the others have had as much. (Start-time fair queueing, in two levels.)

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace clearance::server {

// Thread-compatible.
class Turns {
 public:
  using Work = std::function<void()>;
  struct Account;

  // The cost that a turn should have: about a millisecond.
  static constexpr std::uint64_t kTurn = 1024;
  // The number of groups without an account whose debts are remembered: those that owe most.
  static constexpr std::size_t kMostDebtors = 1024;

  // Requires: not joined. Until it leaves, the account must not move in memory.
  void Join(Account* account, std::string_view group);
  // Requires: joined, and no work of it waits.
  void Leave(Account* account);

  // Requires: joined.
  void Add(Account* account, std::uint64_t cost, Work work);
  // Charges for work that turned out to cost more than it was added with. Requires: joined.
  void Charge(Account* account, std::uint64_t cost);

  bool empty() const { return waiting_.empty(); }
  std::size_t group_count() const { return groups_.size(); }
  // Return the number of accounts that have joined, and of those in the group of one of them.
  std::size_t account_count() const { return account_count_; }
  std::size_t GroupSizeOf(const Account& account) const;
  // Takes the next work. Requires: not empty.
  Work Take();

 private:
  // The place of a member among the others that wait: the lowest is next.
  struct Place {
    std::uint64_t given = 0;
    std::uint64_t entry = 0;  // numbers those that begin to wait

    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees one in a comparison by default
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  template <class Member>
  using Waiting = std::map<Place, Member*>;
  template <class Member>
  using Node = typename Waiting<Member>::node_type;  // kept, so waiting again takes no memory
  struct Item {
    std::uint64_t cost = 0;
    Work work;
  };
  struct Group {
    std::string name;
    std::size_t members = 0;
    Place place;
    Node<Group> node;  // while it does not wait
    Waiting<Account> waiting;
    std::uint64_t floor = 0;  // place of the account that was taken last
  };

  void ForgetPaidDebts();
  void ForgetLeastDebt();
  void Enter(Account* account);
  void Exit(Account* account);
  template <class Member>
  void Queue(Member* member, std::uint64_t floor, Waiting<Member>* waiting);

  absl::flat_hash_map<std::string, std::unique_ptr<Group>> groups_;
  std::set<std::pair<std::uint64_t, std::string_view>> debtors_;  // by the cost given to them
  Waiting<Group> waiting_;
  std::uint64_t floor_ = 0;  // place of the group that was taken last
  std::uint64_t entries_ = 0;
  std::size_t account_count_ = 0;
};

// One stream's work, in the order in which it was added. Only Turns uses the members.
struct Turns::Account {
  Group* group = nullptr;
  Place place;
  Node<Account> node;       // while it does not wait
  std::vector<Item> items;  // few: a stream has one message at a time
};

}  // namespace clearance::server
