// SPDX-License-Identifier: Apache-2.0
//
// Converts shapes of messages into validated contents, and describes these to clients.

#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "clearance/v1/shape.pb.h"
#include "core/shape/pacer.h"
#include "server/config/limits.h"
#include "server/registry/registry.h"

namespace clearance::server {

// Builds the hulls of a shape, unless the registry holds the same content already. Fails with
// INVALID_ARGUMENT or, for too many points or too little memory, RESOURCE_EXHAUSTED; fields are
// named from the shape on (`hull.vertices[17].x`). May take long: null once the pacer has stopped.
absl::StatusOr<ShapeContentPtr> BuildContent(const v1::Shape& shape, const Limits& limits,
                                             const Registry& registry, Pacer* pacer = nullptr);

// Returns the digest of the shape, by the rules of registry/shape_name.h. Requires: pieces of
// compounds are no compounds.
std::string DigestOf(const v1::Shape& shape);

// Returns how many points hulls must be built from: the cost of the shape.
std::uint64_t HullPointCount(const v1::Shape& shape);

// Fills in the info of a shape. `shape.name` is empty and its revision 0 for an inline shape.
void FillShapeInfo(const NamedShape& shape, v1::ShapeInfo* info);

}  // namespace clearance::server
