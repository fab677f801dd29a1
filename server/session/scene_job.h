// SPDX-License-Identifier: Apache-2.0
//
// Makes a job of a batch about a scene, the same for a session's message and a unary call.

#ifndef CLEARANCE_SERVER_SESSION_SCENE_JOB_H_
#define CLEARANCE_SERVER_SESSION_SCENE_JOB_H_

#include <utility>

#include "absl/status/statusor.h"
#include "server/convert/scene_questions.h"
#include "server/schedule/work.h"
#include "server/session/batch_job.h"
#include "server/session/call_scope.h"
#include "server/session/job_helpers.h"
#include "server/session/session_scenes.h"

namespace clearance::server {

// Returns the part of a batch that names its scene.
template <class Batch>
const auto& AboutOf(const Batch& batch) {
  if constexpr (requires { batch.configurations(); }) {
    return batch.configurations();
  } else {
    return batch;
  }
}

// The shapes and scenes that a batch may name. Borrowed by the job.
struct SceneSetting {
  const SessionScenes& scenes;
  const ShapeTable& table;
};

template <class Job, class Batch>
absl::StatusOr<Job> StartSceneJob(const CallScope& call, const Batch& batch,
                                  const SceneSetting& setting) {
  const auto asked = setting.scenes.Asked(AboutOf(batch));
  if (!asked.ok()) return asked.status();
  auto questions = ParseSceneQuestions(batch, *asked, call.parts.limits);
  if (!questions.ok()) return questions.status();
  return Job::Start(batch, *std::move(questions), setting.table, call.parts.limits,
                    HelpersFor(call, CostOf(batch, SizeOf(*asked))));
}

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_SESSION_SCENE_JOB_H_
