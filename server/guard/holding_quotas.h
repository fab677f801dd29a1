// SPDX-License-Identifier: Apache-2.0
//
// Limits of each principal's holdings in the registry, by the current policy. A principal that no
// policy names (any more) may hold as much as the flags allow all principals.

#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "server/config/holding_limits.h"
#include "server/guard/holdings.h"
#include "server/guard/policy.h"
#include "server/observe/metrics.h"

namespace clearance::server {

enum class HoldingKind : std::uint8_t { kShapes, kScenes };

// Checks holdings against their limits. Thread-safe.
class HoldingQuotas {
 public:
  // `metrics` may be null.
  explicit HoldingQuotas(const HoldingLimits& defaults = {}, Metrics* metrics = nullptr)
      : defaults_(defaults), metrics_(metrics) {}

  // Replaces the principals.
  void Replace(const Policy& policy);

  // Returns RESOURCE_EXHAUSTED, counted, if the count or the bytes of the owner would grow and
  // exceed their limit. No limit applies without an owner (""). An owner that has too much, because
  // the policy has changed, may still go down.
  absl::Status Check(HoldingKind kind, std::string_view owner, const Holding& before,
                     const Holding& after) const;

 private:
  HoldingLimits Of(std::string_view owner) const;

  const HoldingLimits defaults_;
  Metrics* const metrics_;
  mutable std::mutex mutex_;
  absl::flat_hash_map<std::string, HoldingLimits> by_principal_;  // guarded by mutex_
};

}  // namespace clearance::server
