// SPDX-License-Identifier: Apache-2.0
//
// Holdings of each principal in the registry, by its id, and their limits. An object without an
// owner (""), made while no policy identified callers, counts for no principal.

#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "server/config/limits.h"
#include "server/guard/caller.h"
#include "server/observe/metrics.h"

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

// Counts the holdings of one kind of object, or what they would be after changes that are not made
// yet. Thread-compatible.
class Holdings {
 public:
  using Before = std::function<Holding(std::string_view owner)>;

  // `before` returns what an owner held before the changes; null: nothing. It outlives this.
  explicit Holdings(Before before = nullptr) : before_(std::move(before)) {}

  Holding Of(std::string_view owner) const {
    const auto found = by_owner_.find(owner);
    if (found != by_owner_.end()) return found->second;
    return before_ == nullptr ? Holding{} : before_(owner);
  }

  void Add(const std::string& owner, std::uint64_t bytes) {
    if (!owner.empty()) Find(owner)->second.Add(bytes);
  }

  // Requires: the owner has it.
  void Remove(const std::string& owner, std::uint64_t bytes) {
    if (owner.empty()) return;
    const auto found = Find(owner);
    found->second.Remove(bytes);
    if (before_ == nullptr && found->second.count == 0) by_owner_.erase(found);
  }

 private:
  using ByOwner = absl::btree_map<std::string, Holding, std::less<>>;

  ByOwner::iterator Find(const std::string& owner) {
    return by_owner_.try_emplace(owner, Of(owner)).first;
  }

  const Before before_;
  ByOwner by_owner_;
};

enum class HoldingKind : std::uint8_t { kShapes, kScenes };

// Checks holdings against the limits of the current policy. A principal that no policy names (any
// more) may hold as much as the flags allow all principals. Thread-safe.
class HoldingQuotas {
 public:
  // `metrics` may be null.
  explicit HoldingQuotas(const HoldingLimits& defaults = {}, Metrics* metrics = nullptr)
      : defaults_(defaults), metrics_(metrics) {}

  void Replace(const std::vector<Principal>& principals);

  // Returns RESOURCE_EXHAUSTED, counted, if the count or the bytes of the owner would grow and
  // exceed their limit. No limit applies without an owner (""). An owner that has too much, because
  // the policy has changed, may still go down.
  absl::Status Check(HoldingKind kind, std::string_view owner, const Holding& before,
                     const Holding& after) const;

 private:
  const HoldingLimits defaults_;
  Metrics* const metrics_;
  mutable std::mutex mutex_;
  absl::flat_hash_map<std::string, HoldingLimits> by_principal_;  // guarded by mutex_
};

}  // namespace clearance::server
