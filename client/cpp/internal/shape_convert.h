// SPDX-License-Identifier: Apache-2.0
//
// Shapes between the plain structs of the library and the generated messages.

#pragma once

#include "absl/status/statusor.h"
#include "clearance/shape.h"
#include "clearance/v1/pose.pb.h"
#include "clearance/v1/query_service.pb.h"
#include "clearance/v1/shape.pb.h"

namespace clearance::client {

void ToProto(const Pose& pose, v1::Pose* proto);
void ToProto(const Shape& shape, v1::Shape* proto);
void ToProto(const ShapeReference& reference, v1::ShapeReference* proto);
void ToProto(const ShapeInfo& info, v1::ShapeInfo* proto);

// INVALID_ARGUMENT if no kind, or one that this build does not know, is set.
absl::StatusOr<Shape> FromProto(const v1::Shape& proto);
absl::StatusOr<ShapeReference> FromProto(const v1::ShapeReference& proto);
ShapeInfo FromProto(const v1::ShapeInfo& proto);

}  // namespace clearance::client
