// SPDX-License-Identifier: Apache-2.0

#include "server/guard/holding_quotas.h"

#include <cstddef>

#include "server/guard/share_ledger.h"

namespace clearance::server {
namespace {

struct HoldingLimit {
  const char* name;
  PrincipalLimit series;
  std::uint64_t HoldingLimits::*most;
};

// By the number of HoldingKind.
constexpr struct {
  const char* field;
  HoldingLimit count, bytes;
  const char* advice;
} kKinds[] = {{"shape",
               {"shapes", PrincipalLimit::kShapes, &HoldingLimits::shapes},
               {"registry_bytes", PrincipalLimit::kRegistryBytes, &HoldingLimits::registry_bytes},
               "delete shapes that are no longer needed"},
              {"scene",
               {"scenes", PrincipalLimit::kScenes, &HoldingLimits::scenes},
               {"scene_bytes", PrincipalLimit::kSceneBytes, &HoldingLimits::scene_bytes},
               "delete scenes, or bodies of them, that are no longer needed"}};

}  // namespace

void HoldingQuotas::Replace(const std::vector<Principal>& principals) {
  absl::flat_hash_map<std::string, HoldingLimits> fresh;
  for (const Principal& principal : principals) {
    fresh.emplace(principal.id, principal.limits.holding);
  }
  const std::lock_guard lock(mutex_);
  by_principal_ = std::move(fresh);
}

absl::Status HoldingQuotas::Check(HoldingKind kind, std::string_view owner, const Holding& before,
                                  const Holding& after) const {
  if (owner.empty()) return absl::OkStatus();
  const auto& held = kKinds[static_cast<std::size_t>(kind)];
  HoldingLimits limits = defaults_;
  {
    const std::lock_guard lock(mutex_);
    const auto found = by_principal_.find(absl::string_view(owner.data(), owner.size()));
    if (found != by_principal_.end()) limits = found->second;
  }
  const auto check = [&](const HoldingLimit& limit, std::uint64_t old, std::uint64_t next) {
    const std::uint64_t most = limits.*limit.most;
    if (next <= old || next <= most) return absl::OkStatus();
    if (metrics_ != nullptr) metrics_->principal_refusals(limit.series).Increment();
    return RefuseMore({.advice = held.advice, .caller_limit = limit.name},
                      {.verdict = Verdict::kCallerLimit,
                       .given = FormatNumber(next),
                       .most = most,
                       .field = held.field,
                       .principal = std::string(owner)});
  };
  absl::Status status = check(held.count, before.count, after.count);
  return status.ok() ? check(held.bytes, before.bytes, after.bytes) : status;
}

}  // namespace clearance::server
