// SPDX-License-Identifier: Apache-2.0
//
// What a fleet does while nobody harms it: it is restarted one server after another, and costs what
// one server costs.

#pragma once

#include <cstddef>

#include "tests/fleet/processes.h"

namespace clearance::fleet {

// What the next two ask about.
void RegisterForCalm(Processes* processes);

// Restarts every server so many times by SIGTERM, one at a time, while users of the client library
// who know all of them register and ask by calls and in sessions. The answers that they had; every
// call that failed and every wrong answer is a failure of GoogleTest's.
std::size_t RestartInTurn(int rounds, Processes* processes);

// Processor time of a query, nanoseconds, over all servers that are asked: the first `servers` of
// the fleet, each by a session of its own, so many messages of 256 rows together.
double CostOfQuery(std::size_t servers, std::size_t messages, Processes* processes);

}  // namespace clearance::fleet
