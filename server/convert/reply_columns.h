// SPDX-License-Identifier: Apache-2.0
//
// The columns of a reply as the engine fills them: made in the message itself, so that nothing is
// copied but lists, whose length is known only afterwards.

#ifndef CLEARANCE_SERVER_CONVERT_REPLY_COLUMNS_H_
#define CLEARANCE_SERVER_CONVERT_REPLY_COLUMNS_H_

#include <cstdint>

#include "clearance/v1/query.pb.h"
#include "server/engine/answer.h"

namespace clearance::server {

// No row takes more bytes of a reply than this, its Error apart.
std::uint64_t MaxRowBytes(const v1::DistanceBatch& batch);
std::uint64_t MaxRowBytes(const v1::IntersectionBatch& batch);
std::uint64_t MaxRowBytes(const v1::TimeOfCollisionBatch& batch);

// No reply has more bytes than this beside its rows and errors.
inline constexpr std::uint64_t kMaxReplyOverhead = 512;

// The columns of `rows` rows that the batch wants, all +0.0. `lists` are filled by the engine and
// put into the message by FinishColumns.
DistanceColumns MakeColumns(const v1::DistanceBatch& batch, std::uint32_t rows,
                            DistanceLists* lists, v1::DistanceBatchResult* result);
IntersectionColumns MakeColumns(const v1::IntersectionBatch& batch, std::uint32_t rows,
                                IntersectionLists* lists, v1::IntersectionBatchResult* result);
TimeOfCollisionColumns MakeColumns(const v1::TimeOfCollisionBatch& batch, std::uint32_t rows,
                                   TimeOfCollisionLists* lists,
                                   v1::TimeOfCollisionBatchResult* result);

void FinishColumns(const DistanceColumns& columns, v1::DistanceBatchResult* result);
void FinishColumns(const IntersectionColumns& columns, v1::IntersectionBatchResult* result);
void FinishColumns(const TimeOfCollisionColumns& columns, v1::TimeOfCollisionBatchResult* result);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_CONVERT_REPLY_COLUMNS_H_
