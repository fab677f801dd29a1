// SPDX-License-Identifier: Apache-2.0
//
// Holdings of each principal of one kind of object, by the principal's id. An object without an
// owner (""), made while no policy identified callers, counts for no principal.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/btree_map.h"

namespace clearance::server {

struct Holding {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;

  void Add(std::uint64_t more_bytes) {
    ++count;
    bytes += more_bytes;
  }
  void Remove(std::uint64_t less_bytes) {
    --count;
    bytes -= less_bytes;
  }
  friend bool operator==(const Holding&, const Holding&) = default;
};

// Counts the holdings. Thread-compatible.
class Holdings {
 public:
  Holding Of(std::string_view owner) const {
    const auto found = by_owner_.find(owner);
    return found == by_owner_.end() ? Holding{} : found->second;
  }

  void Add(const std::string& owner, std::uint64_t bytes) {
    if (!owner.empty()) by_owner_[owner].Add(bytes);
  }

  // Requires: the owner has it.
  void Remove(const std::string& owner, std::uint64_t bytes) {
    if (owner.empty()) return;
    const auto found = by_owner_.find(owner);
    found->second.Remove(bytes);
    if (found->second.count == 0) by_owner_.erase(found);
  }

 private:
  absl::btree_map<std::string, Holding, std::less<>> by_owner_;
};

// Counts the holdings after changes that are not made yet. Thread-compatible.
class HoldingsDraft {
 public:
  // Asked once for each owner, when it is first needed; outlives this.
  using Before = std::function<Holding(const std::string& owner)>;

  explicit HoldingsDraft(Before before) : before_(std::move(before)) {}

  Holding Of(const std::string& owner) { return Find(owner); }

  void Add(const std::string& owner, std::uint64_t bytes) {
    if (!owner.empty()) Find(owner).Add(bytes);
  }
  // Requires: the owner has it.
  void Remove(const std::string& owner, std::uint64_t bytes) {
    if (!owner.empty()) Find(owner).Remove(bytes);
  }

 private:
  Holding& Find(const std::string& owner) {
    const auto [holding, is_new] = by_owner_.try_emplace(owner);
    if (is_new) holding->second = before_(owner);
    return holding->second;
  }

  const Before before_;
  absl::btree_map<std::string, Holding> by_owner_;
};

}  // namespace clearance::server
