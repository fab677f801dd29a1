// SPDX-License-Identifier: Apache-2.0
#include "internal/connection.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <algorithm>

#include "absl/base/internal/sysinfo.h"
#include "internal/status_convert.h"
#include "internal/wall_clock.h"

namespace clearance::client {
namespace {

// The library itself decides which calls are repeated, and when (client.cc, session_impl.cc):
// gRPC's own retries are over long before a server has started again.
constexpr char kServiceConfig[] = R"({"loadBalancingConfig": [{"round_robin": {}}]})";

// A server that restarts is found again about as soon as the next call is tried.
constexpr int kFirstReconnectMs = 100;
constexpr int kLongestReconnectMs = 1000;

// Any other text would make gRPC fail the whole call; the server would ignore it.
bool IsMetadata(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

std::shared_ptr<grpc::ChannelCredentials> MakeCredentials(const ClientOptions& options) {
  if (!options.tls) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions ssl;
  ssl.pem_root_certs = options.tls->root_certificates;
  ssl.pem_cert_chain = options.tls->certificate_chain;
  ssl.pem_private_key = options.tls->private_key;
  return grpc::SslCredentials(ssl);
}

grpc::ChannelArguments MakeArguments(const Target& target, const ClientOptions& options) {
  grpc::ChannelArguments arguments;
  if (!target.authority.empty()) {
    arguments.SetString(GRPC_ARG_DEFAULT_AUTHORITY, target.authority);
  }
  arguments.SetMaxSendMessageSize(options.max_send_bytes);
  arguments.SetMaxReceiveMessageSize(options.max_receive_bytes);
  if (options.keepalive != absl::InfiniteDuration()) {
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS,
                     static_cast<int>(absl::ToInt64Milliseconds(options.keepalive)));
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
                     static_cast<int>(absl::ToInt64Milliseconds(options.keepalive_timeout)));
    // Newer gRPC closes by this one, a minute if it is not given.
    arguments.SetInt("grpc.http2.ping_timeout_ms",
                     static_cast<int>(absl::ToInt64Milliseconds(options.keepalive_timeout)));
    // A session that waits for its next question sends no data and still must notice a dead peer.
    arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  }
  if (options.tls && !options.tls->server_name.empty()) {
    arguments.SetString(GRPC_SSL_TARGET_NAME_OVERRIDE_ARG, options.tls->server_name);
  }
  // Clients of one process would otherwise share a TCP connection, and so one flow-control window.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, options.retry ? 1 : 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kFirstReconnectMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kLongestReconnectMs);
  arguments.SetServiceConfigJSON(kServiceConfig);
  return arguments;
}

// gRPC before 1.61 reads errno some calls after connect(). A call between them that fails would
// fail the connection (grpc/grpc#35064). The first wait of a process for an absl::Mutex is such a
// call: it opens files of the kernel, and not every container has them. So they are opened before.
void LookForProcessorsNow() {
  absl::base_internal::NumCPUs();
  absl::base_internal::NominalCPUFrequency();
}

std::shared_ptr<grpc::Channel> MakeChannel(const Target& target, const ClientOptions& options) {
  LookForProcessorsNow();
  return grpc::CreateCustomChannel(target.address, MakeCredentials(options),
                                   MakeArguments(target, options));
}

}  // namespace

Connection::Connection(const Target& target, const ClientOptions& client_options)
    : options(client_options),
      has_several_servers(target.may_be_several),
      channel(MakeChannel(target, options)),
      shapes(v1::ShapeService::NewStub(channel)),
      queries(v1::QueryService::NewStub(channel)),
      scenes(v1::SceneService::NewStub(channel)),
      scene_queries(v1::SceneQueryService::NewStub(channel)),
      server(v1::ServerService::NewStub(channel)) {}

MessageLimits Connection::message_limits() const {
  const auto own = static_cast<std::uint64_t>(options.max_send_bytes);
  return {.max_rows = limits.max_batch_rows, .max_bytes = std::min(own, limits.max_request_bytes)};
}

void Connection::Prepare(absl::Duration timeout, const CallIds& ids,
                         grpc::ClientContext* context) const {
  if (timeout != absl::InfiniteDuration()) {
    context->set_deadline(absl::ToChronoTime(WallNow() + timeout));
  }
  if (IsMetadata(ids.request_id)) context->AddMetadata(kRequestIdKey, ids.request_id);
  if (IsMetadata(ids.traceparent)) context->AddMetadata(kTraceParentKey, ids.traceparent);
  if (!options.token.empty()) context->AddMetadata("authorization", "Bearer " + options.token);
}

}  // namespace clearance::client
