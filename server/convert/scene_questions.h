// SPDX-License-Identifier: Apache-2.0
//
// Converts batches about scenes into the engine's questions, as questions.h does for pairs. The
// caller keeps scenes and bodies, and finds those that a batch names.

#ifndef CLEARANCE_SERVER_CONVERT_SCENE_QUESTIONS_H_
#define CLEARANCE_SERVER_CONVERT_SCENE_QUESTIONS_H_

#include "absl/status/statusor.h"
#include "clearance/v1/scene_query.pb.h"
#include "server/config/limits.h"
#include "server/engine/scene_batch.h"

namespace clearance::server {

// Parses a batch, or refuses the message as a whole, as ParseQuestions does for pairs. `asked` has
// the scene and the bodies that the batch names; its `among` is not looked at.
absl::StatusOr<CheckQuestions> ParseSceneQuestions(const v1::CheckBatch& batch,
                                                   const AskedScene& asked, const Limits& limits);
absl::StatusOr<ClearanceQuestions> ParseSceneQuestions(const v1::ClearanceBatch& batch,
                                                       const AskedScene& asked,
                                                       const Limits& limits);
absl::StatusOr<NearestQuestions> ParseSceneQuestions(const v1::NearestBatch& batch,
                                                     const AskedScene& asked, const Limits& limits);
absl::StatusOr<OverlapQuestions> ParseSceneQuestions(const v1::OverlapBatch& batch,
                                                     const AskedScene& asked, const Limits& limits);
absl::StatusOr<MotionQuestions> ParseSceneQuestions(const v1::MotionBatch& batch,
                                                    const AskedScene& asked, const Limits& limits);
absl::StatusOr<RayQuestions> ParseSceneQuestions(const v1::RayBatch& batch, const AskedScene& asked,
                                                 const Limits& limits);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_CONVERT_SCENE_QUESTIONS_H_
