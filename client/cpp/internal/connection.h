// SPDX-License-Identifier: Apache-2.0
//
// The state that all copies of a Client and its sessions share: one channel, its stubs and the
// limits that the server told.

#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "clearance/client.h"
#include "clearance/v1/query_service.grpc.pb.h"
#include "clearance/v1/scene_query_service.grpc.pb.h"
#include "clearance/v1/scene_service.grpc.pb.h"
#include "clearance/v1/server_service.grpc.pb.h"
#include "clearance/v1/shape_service.grpc.pb.h"
#include "internal/split.h"
#include "internal/target.h"

namespace clearance::client {

struct Connection {
  Connection(const Target& target, const ClientOptions& client_options);

  // Sets the deadline (none for an infinite timeout), the caller's token and the ids of the call.
  void Prepare(absl::Duration timeout, const CallIds& ids, grpc::ClientContext* context) const;

  // One of any of the server's five services.
  template <class Stub>
  Stub& stub() const;

  // Returns the limits of one message of a session. Requires: limits are the server's.
  MessageLimits message_limits() const;

  const ClientOptions options;
  // True if another server may have what one lacks.
  const bool has_several_servers;
  const std::shared_ptr<grpc::Channel> channel;
  const std::unique_ptr<v1::ShapeService::Stub> shapes;
  const std::unique_ptr<v1::QueryService::Stub> queries;
  const std::unique_ptr<v1::SceneService::Stub> scenes;
  const std::unique_ptr<v1::SceneQueryService::Stub> scene_queries;
  const std::unique_ptr<v1::ServerService::Stub> server;
  Limits limits;
};

template <>
inline v1::ShapeService::Stub& Connection::stub<v1::ShapeService::Stub>() const {
  return *shapes;
}
template <>
inline v1::QueryService::Stub& Connection::stub<v1::QueryService::Stub>() const {
  return *queries;
}
template <>
inline v1::SceneService::Stub& Connection::stub<v1::SceneService::Stub>() const {
  return *scenes;
}
template <>
inline v1::SceneQueryService::Stub& Connection::stub<v1::SceneQueryService::Stub>() const {
  return *scene_queries;
}
template <>
inline v1::ServerService::Stub& Connection::stub<v1::ServerService::Stub>() const {
  return *server;
}

// Sets the reply size of a batch that leaves it open to the size that this client is set to
// receive.
template <class BatchProto>
void SetReplyLimit(const ClientOptions& options, BatchProto* batch) {
  if (batch->options().max_reply_bytes() != 0) return;
  batch->mutable_options()->set_max_reply_bytes(
      static_cast<std::uint32_t>(options.max_receive_bytes));
}

}  // namespace clearance::client
