// SPDX-License-Identifier: Apache-2.0
//
// The shapes that a unary call brings.

#pragma once

#include <google/protobuf/repeated_ptr_field.h>

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "clearance/v1/shape.pb.h"
#include "server/engine/shape_table.h"
#include "server/schedule/stop_rule.h"
#include "server/session/call_scope.h"

namespace clearance::server {

using ShapeReferences = google::protobuf::RepeatedPtrField<v1::ShapeReference>;
using ShapeSpan = absl::Span<const v1::ShapeReference* const>;

inline ShapeSpan SpanOf(const ShapeReferences& shapes) {
  return {shapes.data(), static_cast<std::size_t>(shapes.size())};
}

// Slot i is shapes[i]; `revision` is the lowest at which a shape was found.
struct OpenedShapes {
  ShapeTable table;
  std::uint64_t revision = 0;
};

// OpenAll opens all shapes with the registry at this revision or a later one. Fails as
// ResolveShape, with FAILED_PRECONDITION if the registry is not there yet, DEADLINE_EXCEEDED if no
// time is left, RESOURCE_EXHAUSTED for more than max_slots_per_session.
struct ShapesToOpen {
  ShapeSpan shapes;
  std::uint64_t min_revision = 0;
};
absl::Status OpenAll(const CallScope& call, const ShapesToOpen& to_open, const StopRule& stop,
                     OpenedShapes* opened);

// Returns the cost in units of kMaxCheapCost.
std::uint64_t CostOfOpening(const ShapeReferences& shapes);

}  // namespace clearance::server
