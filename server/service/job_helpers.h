// SPDX-License-Identifier: Apache-2.0
//
// What jobs of a call have use for.

#ifndef CLEARANCE_SERVER_SERVICE_JOB_HELPERS_H_
#define CLEARANCE_SERVER_SERVICE_JOB_HELPERS_H_

#include <cstdint>

#include "server/service/batch_job.h"
#include "server/service/call.h"

namespace clearance::server {

// Work that is more than a polling thread takes on has workers, where there are some.
inline JobHelpers HelpersFor(const CallScope& call, std::uint64_t cost) {
  return {.checker = call.parts.checker,
          .workers = cost > kMaxCheapCost ? call.parts.workers.thread_count() : 0,
          .cost = cost,
          .caller = &call.caller};
}

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_SERVICE_JOB_HELPERS_H_
