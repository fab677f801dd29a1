// SPDX-License-Identifier: Apache-2.0
//
// grpc.reflection.v1alpha: describes the services to tools like grpcurl. Runs on the server's own
// queues, for the reason in health.h, and so that a stream costs no thread.

#pragma once

#include "grpc/reflection/v1alpha/reflection.grpc.pb.h"
#include "server/transport/poller.h"

namespace clearance::server {

// Returns the answer to one question. Any number of threads may call it.
grpc::reflection::v1alpha::ServerReflectionResponse AnswerReflection(
    const grpc::reflection::v1alpha::ServerReflectionRequest& request);

// Raw, as HealthService is.
using ReflectionService =
    grpc::reflection::v1alpha::ServerReflection::WithRawMethod_ServerReflectionInfo<
        grpc::reflection::v1alpha::ServerReflection::Service>;

// Answers any client, and lets a stream wait on the poller, until the server shuts down. Streams
// end with UNAVAILABLE when the server drains. All references outlive it.
Detached ServeReflection(ReflectionService& service, Poller& poller);

}  // namespace clearance::server
