// SPDX-License-Identifier: Apache-2.0

#include "server/session/shape_reference.h"

#include <utility>

#include "server/convert/shape_content.h"
#include "server/guard/quota.h"
#include "server/guard/refusal.h"

namespace clearance::server {

absl::StatusOr<ShapeContentPtr> BuildFor(const CallScope& call, const v1::Shape& shape,
                                         const StopRule& stop) {
  const auto should_stop = [&] { return stop.ShouldStop() || ProcessorMeter::IsOverdrawn(); };
  Pacer pacer(should_stop);
  auto content = BuildContent(shape, call.parts.limits, call.registry.nameless(), &pacer);
  if (!content.ok() || *content != nullptr) return content;
  if (stop.ShouldStop()) return absl::DeadlineExceededError("no time left to build the hull");
  call.parts.metrics.principal_refusals(PrincipalLimit::kCores).Increment();
  const Principal& principal = *call.caller.principal;
  return Refuse(absl::StatusCode::kResourceExhausted,
                {.reason = Reason::kProcessorTimeExhausted,
                 .field = "",
                 .value = FormatNumber(HullPointCount(shape)) + " points",
                 .limit = "cores <= " + FormatNumber(principal.limits.cores) + " of principal " +
                          principal.id,
                 .message = "Building the hull takes more processor time than `cores` gives in two "
                            "seconds; send fewer points, or raise `cores` in the policy."});
}

absl::StatusOr<Registry::Found> ResolveShape(const v1::ShapeReference& reference,
                                             const CallScope& call, const StopRule& stop) {
  if (!reference.has_inline_shape()) return FindShape(reference, call);
  auto content = BuildFor(call, reference.inline_shape(), stop);
  if (!content.ok()) return Under("inline_shape", content.status());
  return Registry::Found{{"", *std::move(content), 0}, call.registry.nameless().revision()};
}

absl::StatusOr<Registry::Found> FindShape(const v1::ShapeReference& reference,
                                          const CallScope& call) {
  if (reference.has_name()) return call.registry.FindByName(reference.name());
  if (reference.has_digest()) return call.registry.FindByDigest(reference.digest());
  return RefuseArgument({.reason = Reason::kFieldMissing,
                         .field = "reference",
                         .value = "unset",
                         .limit = "name, digest or inline_shape",
                         .message = "The reference names no shape."});
}

std::uint64_t CostOf(const v1::Shape& shape) {
  // The smallest pieces are boxes and the like.
  constexpr std::uint64_t kPointsOfPiece = 8;
  const auto pieces = static_cast<std::uint64_t>(shape.compound().pieces_size());
  return kUnitsAPoint * (HullPointCount(shape) + kPointsOfPiece * pieces);
}

}  // namespace clearance::server
