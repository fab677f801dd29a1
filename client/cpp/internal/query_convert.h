// SPDX-License-Identifier: Apache-2.0
//
// Batches and results between the plain structs of the library and the generated messages.

#pragma once

#include <cstdint>

#include "clearance/query.h"
#include "clearance/v1/query.pb.h"
#include "clearance/v1/query_service.pb.h"
#include "internal/split.h"

namespace clearance::client {

// Converts the rows of a batch to a separate message. Columns that stand for all rows are repeated
// whole.
void ToProto(const DistanceBatch& batch, RowRange rows, v1::DistanceBatch* proto);
void ToProto(const IntersectionBatch& batch, RowRange rows, v1::IntersectionBatch* proto);
void ToProto(const TimeOfCollisionBatch& batch, RowRange rows, v1::TimeOfCollisionBatch* proto);

PairDistance FromProto(const v1::PairDistanceResponse& proto);

// Appends the rows of a part. Indices of refused and undecided rows move up by `offset`, the row at
// which the part's message begins in the caller's batch.
void AppendFromProto(const v1::DistanceBatchResult& part, std::uint32_t offset,
                     DistanceResult* result);
void AppendFromProto(const v1::IntersectionBatchResult& part, std::uint32_t offset,
                     IntersectionResult* result);
void AppendFromProto(const v1::TimeOfCollisionBatchResult& part, std::uint32_t offset,
                     TimeOfCollisionResult* result);

}  // namespace clearance::client
