// SPDX-License-Identifier: Apache-2.0
//
// What all copies of a Client and its sessions share: one channel, its stubs and what the server
// said of itself.

#ifndef CLEARANCE_INTERNAL_CONNECTION_H_
#define CLEARANCE_INTERNAL_CONNECTION_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "clearance/client.h"
#include "clearance/v1/query_service.grpc.pb.h"
#include "clearance/v1/server_service.grpc.pb.h"
#include "clearance/v1/shape_service.grpc.pb.h"
#include "internal/split.h"

namespace clearance::client {

struct Connection {
  Connection(const std::string& address, const ClientOptions& client_options);

  // What one message of a session may hold. Requires: limits are the server's.
  MessageLimits message_limits() const;

  const ClientOptions options;
  const std::shared_ptr<grpc::Channel> channel;
  const std::unique_ptr<v1::ShapeService::Stub> shapes;
  const std::unique_ptr<v1::QueryService::Stub> queries;
  const std::unique_ptr<v1::ServerService::Stub> server;
  Limits limits;
};

// No deadline for an infinite timeout.
void SetDeadline(absl::Duration timeout, grpc::ClientContext* context);

// Gives a batch that leaves it open the reply size that this client is set to receive.
template <class BatchProto>
void SetReplyLimit(const ClientOptions& options, BatchProto* batch) {
  if (batch->options().max_reply_bytes() != 0) return;
  batch->mutable_options()->set_max_reply_bytes(
      static_cast<std::uint32_t>(options.max_receive_bytes));
}

}  // namespace clearance::client

#endif  // CLEARANCE_INTERNAL_CONNECTION_H_
