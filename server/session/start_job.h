// SPDX-License-Identifier: Apache-2.0
//
// Makes a job of a batch, the same for a session's message and a unary call.

#pragma once

#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "server/kinds/kinds.h"
#include "server/schedule/work.h"
#include "server/session/batch_cost.h"
#include "server/session/batch_job.h"
#include "server/session/call_scope.h"
#include "server/session/session_scenes.h"

namespace clearance::server {

// The shapes and scenes that a batch may name. Borrowed by the job.
struct JobSubject {
  const ShapeTable& table;
  const SessionScenes* scenes;    // not null for a batch about a scene
  WarmRows* warm_rows = nullptr;  // null: every row begins cold
};

// Returns the helpers for work of this cost. It has workers, if there are some, if it is more than
// a polling thread takes on.
inline JobHelpers HelpersFor(const CallScope& call, std::uint64_t cost) {
  return {.checker = call.parts.checker,
          .workers = cost > kMaxCheapCost ? call.parts.workers.thread_count() : 0,
          .is_in_place = cost <= kMaxCheapCost,
          .cost = cost,
          .most_steps = kVerticesADistance * call.parts.limits.max_row_steps,
          .caller = &call.caller};
}

template <class Kind>
absl::StatusOr<BatchJob<Kind>> StartJob(const CallScope& call, const typename Kind::Batch& batch,
                                        const JobSubject& subject) {
  const Limits& limits = call.parts.limits;
  const auto start = [&](auto questions, std::uint64_t cost) -> absl::StatusOr<BatchJob<Kind>> {
    if (!questions.ok()) return questions.status();
    JobHelpers helpers = HelpersFor(call, cost);
    helpers.warm_rows = subject.warm_rows;
    return BatchJob<Kind>::Start(batch, *std::move(questions), subject.table, limits, helpers);
  };
  if constexpr (kIsAboutScene<Kind>) {
    const auto asked = subject.scenes->Asked(AboutOf(batch));
    if (!asked.ok()) return asked.status();
    return start(ParseQuestions<Kind>(batch, limits, *asked), CostOf(batch, SizeOf(*asked)));
  } else {
    return start(ParseQuestions<Kind>(batch, limits), CostOf(batch, subject.table));
  }
}

}  // namespace clearance::server
