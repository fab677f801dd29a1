// SPDX-License-Identifier: Apache-2.0

#include "server/services/opened_shapes.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "server/convert/shape_content.h"
#include "server/guard/refusal.h"
#include "server/session/shape_reference.h"

namespace clearance::server {

absl::Status OpenAll(const CallScope& call, const ShapesToOpen& to_open, const StopRule& stop,
                     OpenedShapes* opened) {
  const Registry& registry = call.registry.nameless();
  if (absl::Status status = registry.RequireRevision(to_open.min_revision); !status.ok())
    return status;
  opened->revision = registry.revision();
  const ShapeSpan shapes = to_open.shapes;
  if (shapes.size() > call.parts.limits.max_slots_per_session) {
    return Refuse(absl::StatusCode::kResourceExhausted,
                  {.reason = Reason::kTooManyShapes,
                   .field = "shapes",
                   .value = FormatNumber(std::uint64_t{shapes.size()}),
                   .limit = "max_slots_per_session <= " +
                            FormatNumber(call.parts.limits.max_slots_per_session),
                   .message = "The call has too many shapes; split it."});
  }
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (stop.ShouldStop()) return absl::DeadlineExceededError("no time left to open the shapes");
    auto resolved = ResolveShape(*shapes[i], call, stop);
    if (!resolved.ok()) return Under("shapes[" + std::to_string(i) + "]", resolved.status());
    const ShapeContent& content = *resolved->shape.content;
    opened->table.Open(static_cast<std::uint32_t>(i), content.body, resolved->owned_bytes,
                       content.digest);
    opened->revision = std::min(opened->revision, resolved->revision);
  }
  return absl::OkStatus();
}

std::uint64_t CostOfOpening(const ShapeReferences& shapes) {
  std::uint64_t cost = 0;
  for (const v1::ShapeReference& shape : shapes) cost += CostOf(shape);
  return cost;
}

}  // namespace clearance::server
