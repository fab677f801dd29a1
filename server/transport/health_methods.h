// SPDX-License-Identifier: Apache-2.0
//
// grpc.health.v1 on the server's own queues. gRPC's ready-made service would bring its own threads,
// which poll every connection too. A message that one of them reads must be handed to the thread
// that answers it, which doubles the cost of a message of one row.

#pragma once

#include "grpc/health/v1/health.grpc.pb.h"
#include "server/transport/health_board.h"
#include "server/transport/poller.h"

namespace clearance::server {

// Raw, so that a message's size is known before it is parsed: any stranger may call.
using HealthService = grpc::health::v1::Health::WithRawMethod_Check<
    grpc::health::v1::Health::WithRawMethod_Watch<grpc::health::v1::Health::Service>>;

// Answer any client, and let a call wait on the poller, until the server shuts down. A watch that
// is open when the server drains is told so and ends with UNAVAILABLE. All references outlive them.
Detached ServeHealthChecks(HealthBoard& board, HealthService& service, Poller& poller);
Detached ServeHealthWatches(HealthBoard& board, HealthService& service, Poller& poller);

}  // namespace clearance::server
