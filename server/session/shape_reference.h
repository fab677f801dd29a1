// SPDX-License-Identifier: Apache-2.0
//
// Finds or builds the shape that a ShapeReference refers to.

#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "clearance/v1/query_service.pb.h"
#include "server/registry/registry.h"
#include "server/schedule/work.h"
#include "server/session/call_scope.h"

namespace clearance::server {

// Fails with INVALID_ARGUMENT, NOT_FOUND or RESOURCE_EXHAUSTED, naming fields from the reference
// on. Builds the hull of an inline shape as BuildFor does.
absl::StatusOr<Registry::Found> ResolveShape(const v1::ShapeReference& reference,
                                             const CallScope& call, const StopRule& stop);
// The same for a shape that is not inline.
absl::StatusOr<Registry::Found> FindShape(const v1::ShapeReference& reference,
                                          const CallScope& call);
// Returns the bytes of an inline shape; 0 for one that the registry holds.
inline std::uint64_t OwnedBytesOf(const v1::ShapeReference& reference,
                                  const ShapeContent& content) {
  return reference.has_inline_shape() ? content.byte_size() : 0;
}

// Builds the content of a shape as BuildContent does. DEADLINE_EXCEEDED if the call must
// stop before it is built, RESOURCE_EXHAUSTED if the principal's processor time runs out.
absl::StatusOr<ShapeContentPtr> BuildFor(const CallScope& call, const v1::Shape& shape,
                                         const StopRule& stop);

// The cost of a hull in units of kMaxCheapCost. It takes some 3 to 15 microseconds a point, and
// longer if the points are far from round.
inline constexpr std::uint64_t kUnitsAPoint = 16;

// Return the cost of building the hull of a shape, or of an inline one, in units of kMaxCheapCost.
std::uint64_t CostOf(const v1::Shape& shape);
inline std::uint64_t CostOf(const v1::ShapeReference& reference) {
  return CostOf(reference.inline_shape());
}

}  // namespace clearance::server
