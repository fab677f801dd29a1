// SPDX-License-Identifier: Apache-2.0
//
// Waiting for the next attempt at a server.

#pragma once

#include <grpcpp/channel.h>

#include <algorithm>

#include "absl/time/time.h"
#include "internal/steady_clock.h"
#include "internal/wall_clock.h"

namespace clearance::client {

// The interval at which a wait checks whether it is over.
constexpr absl::Duration kGlance = absl::Milliseconds(20);

// Waits until then, or until is_over(), and polls the channel meanwhile: a channel that is not
// polled goes on with connecting only when gRPC looks after it, every five seconds.
template <class IsOver>
void PollChannelUntil(SteadyTime time, grpc::Channel& channel, const IsOver& is_over) {
  for (SteadyTime now = SteadyNow(); now < time && !is_over(); now = SteadyNow()) {
    const grpc_connectivity_state state = channel.GetState(/*try_to_connect=*/true);
    channel.WaitForStateChange(state,
                               absl::ToChronoTime(WallNow() + std::min(kGlance, time - now)));
  }
}

}  // namespace clearance::client
