// SPDX-License-Identifier: Apache-2.0
//
// Converts batches of messages into the engine's questions. Columns are checked against `count`
// once and then borrowed from the message, which must outlive the questions.

#ifndef CLEARANCE_SERVER_CONVERT_QUESTIONS_H_
#define CLEARANCE_SERVER_CONVERT_QUESTIONS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "clearance/v1/query.pb.h"
#include "server/config/limits.h"
#include "server/engine/batch.h"

namespace clearance::server {

// Parses a batch, or refuses the message as a whole: INVALID_ARGUMENT for columns and options that
// do not fit, RESOURCE_EXHAUSTED for too many rows. Fields are named from the batch on
// (`pairs.poses_a`).
absl::StatusOr<DistanceQuestions> ParseQuestions(const v1::DistanceBatch& batch,
                                                 const Limits& limits);
absl::StatusOr<IntersectionQuestions> ParseQuestions(const v1::IntersectionBatch& batch,
                                                     const Limits& limits);
absl::StatusOr<TimeOfCollisionQuestions> ParseQuestions(const v1::TimeOfCollisionBatch& batch,
                                                        const Limits& limits);

// Returns the time budget, infinite if the message sets none. Requires: ParseQuestions accepted the
// options.
absl::Duration TimeBudgetOf(const v1::BatchOptions& options);

// Returns the largest reply that client and server both accept, in bytes.
std::uint64_t MaxReplyBytesOf(const v1::BatchOptions& options, const Limits& limits);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_CONVERT_QUESTIONS_H_
