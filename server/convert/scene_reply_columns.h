// SPDX-License-Identifier: Apache-2.0
//
// The columns of replies about scenes, as reply_columns.h has them for pairs.

#ifndef CLEARANCE_SERVER_CONVERT_SCENE_REPLY_COLUMNS_H_
#define CLEARANCE_SERVER_CONVERT_SCENE_REPLY_COLUMNS_H_

#include <cstdint>

#include "clearance/v1/scene_query.pb.h"
#include "server/engine/scene_answer.h"

namespace clearance::server {

// The pairs of rows that are listed.
struct SceneLists {
  PairList pairs;
};

// No row takes more bytes of a reply than this, its Error apart.
std::uint64_t MaxRowBytes(const v1::CheckBatch& batch);
std::uint64_t MaxRowBytes(const v1::ClearanceBatch& batch);
std::uint64_t MaxRowBytes(const v1::NearestBatch& batch);
std::uint64_t MaxRowBytes(const v1::OverlapBatch& batch);
std::uint64_t MaxRowBytes(const v1::MotionBatch& batch);
std::uint64_t MaxRowBytes(const v1::RayBatch& batch);

// The columns that the batch asks for, of so many rows.
CheckColumns MakeColumns(const v1::CheckBatch& batch, std::uint32_t rows, SceneLists* lists,
                         v1::CheckBatchResult* result);
ClearanceColumns MakeColumns(const v1::ClearanceBatch& batch, std::uint32_t rows, SceneLists* lists,
                             v1::ClearanceBatchResult* result);
NearestColumns MakeColumns(const v1::NearestBatch& batch, std::uint32_t rows, SceneLists* lists,
                           v1::NearestBatchResult* result);
OverlapColumns MakeColumns(const v1::OverlapBatch& batch, std::uint32_t rows, SceneLists* lists,
                           v1::OverlapBatchResult* result);
SweepColumns MakeColumns(const v1::MotionBatch& batch, std::uint32_t rows, SceneLists* lists,
                         v1::SweepBatchResult* result);
SweepColumns MakeColumns(const v1::RayBatch& batch, std::uint32_t rows, SceneLists* lists,
                         v1::SweepBatchResult* result);

void FinishColumns(const CheckColumns& columns, v1::CheckBatchResult* result);
inline void FinishColumns(const ClearanceColumns& /*columns*/,
                          v1::ClearanceBatchResult* /*result*/) {}
void FinishColumns(const NearestColumns& columns, v1::NearestBatchResult* result);
void FinishColumns(const OverlapColumns& columns, v1::OverlapBatchResult* result);
void FinishColumns(const SweepColumns& columns, v1::SweepBatchResult* result);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_CONVERT_SCENE_REPLY_COLUMNS_H_
