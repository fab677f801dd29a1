// SPDX-License-Identifier: Apache-2.0
//
// Questions in a file: the JSON form of the requests of clearance.v1.QueryService, shapes and
// batch.

#pragma once

#include <string>

#include "absl/status/status.h"
#include "clearance/client.h"

namespace clearance::client {

// DistanceRequest, IntersectionRequest or TimeOfCollisionRequest, by the type of the batch.
absl::Status LoadBatch(const std::string& path, ShapeTable* shapes, DistanceBatch* batch);
absl::Status LoadBatch(const std::string& path, ShapeTable* shapes, IntersectionBatch* batch);
absl::Status LoadBatch(const std::string& path, ShapeTable* shapes, TimeOfCollisionBatch* batch);

}  // namespace clearance::client
