// SPDX-License-Identifier: Apache-2.0
//
// The helpers of a call's jobs.

#ifndef CLEARANCE_SERVER_SESSION_JOB_HELPERS_H_
#define CLEARANCE_SERVER_SESSION_JOB_HELPERS_H_

#include <cstdint>

#include "server/schedule/work.h"
#include "server/session/batch_job.h"
#include "server/session/call_scope.h"

namespace clearance::server {

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

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_SESSION_JOB_HELPERS_H_
