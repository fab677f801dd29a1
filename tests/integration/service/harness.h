// SPDX-License-Identifier: Apache-2.0
//
// A server in the test's own process and plain clients of it. Nothing here waits for time: every
// call has a deadline that is far off and only ends a test that hangs.

#pragma once

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "clearance/v1/error.pb.h"
#include "clearance/v1/query_service.grpc.pb.h"
#include "clearance/v1/scene_query_service.grpc.pb.h"
#include "clearance/v1/scene_service.grpc.pb.h"
#include "clearance/v1/server_service.grpc.pb.h"
#include "clearance/v1/shape_service.grpc.pb.h"
#include "server/access/authenticator.h"
#include "server/config/limits.h"
#include "server/engine/answer_check.h"
#include "server/guard/holding_quotas.h"
#include "server/observe/liveness.h"
#include "server/observe/log.h"
#include "server/observe/metrics.h"
#include "server/registry/registry.h"
#include "server/schedule/accept_loop.h"
#include "server/transport/grpc_server.h"

namespace clearance::testing {

// How many answers are checked, and by which judges.
struct Checking {
  std::uint64_t one_in = 0;
  server::Judges judges = {};
};

// Limits of all calls together, or of all sessions.
struct Budgets {
  absl::Duration max_pending_work = absl::Minutes(2);
  std::uint64_t max_total_bytes_in_flight = server::kGibibyte;
  std::uint64_t max_total_session_bytes = 2 * server::kGibibyte;
};

// A running server with its registry, and stubs on one channel.
class TestServer {
 public:
  explicit TestServer(const server::Limits& limits = {}, const Checking& checking = {},
                      server::Authenticator* authenticator = nullptr, const Budgets& budgets = {});

  server::Limits limits;
  server::Metrics metrics;
  server::HoldingQuotas quotas{{}, &metrics};  // no caller has one unless the test sets it
  server::Registry registry;
  std::vector<std::string> log_lines;  // to be read once the server is down
  server::Log log;
  server::AnswerChecker checker;
  server::SteadyTime liveness_now{absl::Hours(1)};  // moved by the test alone
  server::Liveness liveness{absl::Seconds(30), metrics, [this] { return liveness_now; }};
  std::unique_ptr<server::AcceptLoop> accept_loop;  // null: without the fence
  std::unique_ptr<server::GrpcServer> grpc;
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<v1::ShapeService::Stub> shapes;
  std::unique_ptr<v1::QueryService::Stub> queries;
  std::unique_ptr<v1::SceneService::Stub> scenes;
  std::unique_ptr<v1::SceneQueryService::Stub> scene_queries;
  std::unique_ptr<v1::ServerService::Stub> info;

  // Returns a channel with its own connection that takes and sends messages of any size.
  std::shared_ptr<grpc::Channel> NewChannel() const;
};

// Returns a time far off.
std::chrono::system_clock::time_point HangGuard();

// Calls a unary method of a stub.
template <class Stub, class Request, class Response>
grpc::Status Call(Stub& stub,
                  grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                  const Request& request, Response* response) {
  grpc::ClientContext context;
  context.set_deadline(HangGuard());
  return (stub.*method)(&context, request, response);
}

// Data of a call beside its message.
using Metadata = std::vector<std::pair<std::string, std::string>>;

// One session of a client that writes and reads in turn.
class TestSession {
 public:
  explicit TestSession(TestServer& server) : TestSession(*server.queries) {}
  explicit TestSession(v1::QueryService::Stub& stub, const Metadata& metadata = {});
  ~TestSession();

  bool Send(const v1::SessionRequest& request) { return stream_->Write(request); }
  bool Receive(v1::SessionResponse* response) { return stream_->Read(response); }
  // Sends and receives; a stream that ended fails the test.
  v1::SessionResponse Ask(const v1::SessionRequest& request);
  // Opens a slot with an inline shape or a name; a refusal fails the test.
  void Open(std::uint32_t slot, const v1::Shape& shape);
  void Open(std::uint32_t slot, const std::string& name);
  // Half-closes and reads to the end.
  grpc::Status Finish();

  grpc::ClientContext& context() { return context_; }
  void HalfClose() { stream_->WritesDone(); }
  // Reads to the end without half-closing.
  grpc::Status AwaitEnd();

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::SessionRequest, v1::SessionResponse>> stream_;
  bool is_finished_ = false;
};

// Returns the one Error in the details. Fails the test if there is none, or if a RetryInfo beside
// it gives another time to repeat.
v1::Error ErrorOf(const grpc::Status& status);
v1::Error ErrorOf(const google::rpc::Status& status);

v1::Shape Sphere(double radius);
v1::Shape Box(double half_extent);
v1::Shape Hull(const std::vector<double>& vertices);
// Regular points on a circle: every one a vertex.
v1::Shape RingHull(int points);

// Registers; a refusal fails the test. Returns the digest.
std::string Register(TestServer& server, const std::string& name, const v1::Shape& shape);

// One row: slots 0 and 1, A at the origin, B at (x, 0, 0).
v1::PairColumns PairAt(double x);
v1::SessionRequest DistanceAt(double x, std::uint64_t tag);

// Returns rows of slots 0 and 1 that take the server many seconds if these hold a RingHull(30).
v1::SessionRequest LongWork(int rows = 100'000);

// Waits until the server works on this message and on no other.
void AwaitWorkOn(TestServer& server, const v1::SessionRequest& request);

// Expects that a new session is answered.
void ExpectServes(TestServer& server);

}  // namespace clearance::testing
