// SPDX-License-Identifier: Apache-2.0
#include "internal/connection.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <algorithm>

namespace clearance::client {
namespace {

// Calls that may be repeated without changing what they mean. Not DeleteShape: the repetition of
// one that succeeded is NOT_FOUND. Not Session: the caller alone knows which answers it has used.
constexpr char kServiceConfig[] = R"({
  "loadBalancingConfig": [{"round_robin": {}}],
  "methodConfig": [{
    "name": [
      {"service": "clearance.v1.ShapeService", "method": "RegisterShape"},
      {"service": "clearance.v1.ShapeService", "method": "BatchRegisterShapes"},
      {"service": "clearance.v1.ShapeService", "method": "GetShape"},
      {"service": "clearance.v1.ShapeService", "method": "ListShapes"},
      {"service": "clearance.v1.QueryService", "method": "Distance"},
      {"service": "clearance.v1.QueryService", "method": "Intersection"},
      {"service": "clearance.v1.QueryService", "method": "TimeOfCollision"},
      {"service": "clearance.v1.ServerService", "method": "GetServerInfo"}
    ],
    "retryPolicy": {
      "maxAttempts": 4,
      "initialBackoff": "0.02s",
      "maxBackoff": "1s",
      "backoffMultiplier": 2,
      "retryableStatusCodes": ["UNAVAILABLE"]
    }
  }]
})";

std::shared_ptr<grpc::ChannelCredentials> MakeCredentials(const ClientOptions& options) {
  if (!options.tls) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions ssl;
  ssl.pem_root_certs = options.tls->root_certificates;
  ssl.pem_cert_chain = options.tls->certificate_chain;
  ssl.pem_private_key = options.tls->private_key;
  return grpc::SslCredentials(ssl);
}

grpc::ChannelArguments MakeArguments(const ClientOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxSendMessageSize(options.max_send_bytes);
  arguments.SetMaxReceiveMessageSize(options.max_receive_bytes);
  if (options.keepalive != absl::InfiniteDuration()) {
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS,
                     static_cast<int>(absl::ToInt64Milliseconds(options.keepalive)));
    // A session that waits for its next question sends no data and still has to notice a dead peer.
    arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  }
  // Clients of one process would otherwise share a TCP connection, and so one flow-control window.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, options.retry ? 1 : 0);
  arguments.SetServiceConfigJSON(kServiceConfig);
  return arguments;
}

}  // namespace

Connection::Connection(const std::string& address, const ClientOptions& client_options)
    : options(client_options),
      channel(grpc::CreateCustomChannel(address, MakeCredentials(options), MakeArguments(options))),
      shapes(v1::ShapeService::NewStub(channel)),
      queries(v1::QueryService::NewStub(channel)),
      server(v1::ServerService::NewStub(channel)) {}

MessageLimits Connection::message_limits() const {
  const auto own = static_cast<std::uint64_t>(options.max_send_bytes);
  return {.max_rows = limits.max_batch_rows, .max_bytes = std::min(own, limits.max_request_bytes)};
}

void SetDeadline(absl::Duration timeout, grpc::ClientContext* context) {
  if (timeout == absl::InfiniteDuration()) return;
  context->set_deadline(absl::ToChronoTime(absl::Now() + timeout));
}

}  // namespace clearance::client
