// SPDX-License-Identifier: Apache-2.0

#include "server/guard/holding_quotas.h"

#include <utility>

#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

// A limit as a refusal names it.
struct NamedLimit {
  const char* name;
  PrincipalLimit series;
  std::uint64_t most;
};

struct KindOfHolding {
  const char* field;
  NamedLimit count, bytes;
  const char* advice;
};

KindOfHolding Describe(HoldingKind kind, const HoldingLimits& limits) {
  if (kind == HoldingKind::kShapes) {
    return {"shape",
            {"shapes", PrincipalLimit::kShapes, limits.shapes},
            {"registry_bytes", PrincipalLimit::kRegistryBytes, limits.registry_bytes},
            "The principal holds as much of the registry as its policy allows; delete shapes that "
            "are no longer needed."};
  }
  return {"scene",
          {"scenes", PrincipalLimit::kScenes, limits.scenes},
          {"scene_bytes", PrincipalLimit::kSceneBytes, limits.scene_bytes},
          "The owner of the scene holds as much as its policy allows; delete scenes, or bodies of "
          "them, that are no longer needed."};
}

}  // namespace

void HoldingQuotas::Replace(const Policy& policy) {
  absl::flat_hash_map<std::string, HoldingLimits> fresh;
  for (const Principal& principal : policy.principals()) {
    fresh.emplace(principal.id, principal.limits.holding);
  }
  const std::lock_guard lock(mutex_);
  by_principal_ = std::move(fresh);
}

absl::Status HoldingQuotas::Check(HoldingKind kind, std::string_view owner, const Holding& before,
                                  const Holding& after) const {
  if (owner.empty()) return absl::OkStatus();
  const KindOfHolding described = Describe(kind, Of(owner));
  const auto check = [&](const NamedLimit& limit, std::uint64_t old, std::uint64_t next) {
    if (next <= old || next <= limit.most) return absl::OkStatus();
    if (metrics_ != nullptr) metrics_->principal_refusals(limit.series).Increment();
    return Refuse(absl::StatusCode::kResourceExhausted,
                  {.field = described.field,
                   .value = FormatNumber(next),
                   .limit = std::string(limit.name) + " <= " + FormatNumber(limit.most) +
                            " of principal " + std::string(owner),
                   .message = described.advice});
  };
  absl::Status status = check(described.count, before.count, after.count);
  return status.ok() ? check(described.bytes, before.bytes, after.bytes) : status;
}

HoldingLimits HoldingQuotas::Of(std::string_view owner) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_principal_.find(absl::string_view(owner.data(), owner.size()));
  return found == by_principal_.end() ? defaults_ : found->second;
}

}  // namespace clearance::server
