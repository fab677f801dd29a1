// SPDX-License-Identifier: Apache-2.0
//
// Questions about scenes and their answers between the plain structs of the library and the
// generated messages, as query_convert.h has it for pairs.

#pragma once

#include <cstdint>

#include "clearance/scene_query.h"
#include "clearance/v1/scene_query.pb.h"
#include "internal/split.h"

namespace clearance::client {

void ToProto(const OpenScene& open, v1::OpenScene* proto);
void ToProto(const ChangeBodies& change, v1::ChangeBodies* proto);

void ToProto(const CheckBatch& batch, RowRange rows, v1::CheckBatch* proto);
void ToProto(const MinimumDistanceBatch& batch, RowRange rows, v1::MinimumDistanceBatch* proto);
void ToProto(const NearestBatch& batch, RowRange rows, v1::NearestBatch* proto);
void ToProto(const OverlapBatch& batch, RowRange rows, v1::OverlapBatch* proto);
void ToProto(const SweepBatch& batch, RowRange rows, v1::SweepBatch* proto);
void ToProto(const RayBatch& batch, RowRange rows, v1::RayBatch* proto);

void AppendFromProto(const v1::CheckBatchResult& part, std::uint32_t offset, CheckResult* result);
void AppendFromProto(const v1::MinimumDistanceBatchResult& part, std::uint32_t offset,
                     MinimumDistanceResult* result);
void AppendFromProto(const v1::NearestBatchResult& part, std::uint32_t offset,
                     NearestResult* result);
void AppendFromProto(const v1::OverlapBatchResult& part, std::uint32_t offset,
                     OverlapResult* result);
void AppendFromProto(const v1::SweepBatchResult& part, std::uint32_t offset, SweepResult* result);

}  // namespace clearance::client
