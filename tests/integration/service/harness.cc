// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/service/harness.h"

#include <chrono>
#include <cmath>
#include <thread>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "server/config/build_options.h"
#include "tests/integration/service/open_fence.h"
#include "tests/support/local_config.h"

namespace clearance::testing {
namespace {

// Returns arguments for a separate connection, not one that gRPC shares between equal channels.
grpc::ChannelArguments OwnConnection() {
  grpc::ChannelArguments arguments;
  // Otherwise a client lets in more and more unasked, and the bytes that a server still holds are
  // unknown.
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  return arguments;
}

}  // namespace

TestServer::TestServer(const server::Limits& wanted, const Checking& checking,
                       server::Authenticator* authenticator, const Budgets& budgets)
    : limits(wanted),
      metrics("test"),
      registry(limits, &metrics, &quotas),
      log(server::LogFormat::kHuman, server::LogLevel::kInfo,
          [this](absl::string_view line) { log_lines.emplace_back(line); }),
      checker(checking.one_in, metrics, log, checking.judges) {
  if constexpr (server::kHasFence) accept_loop = OpenFence(metrics, &log);
  server::ServerConfig config = server::LocalConfig(limits);
  if (authenticator != nullptr) config.reflection = server::Reflection::kOff;
  config.max_pending_work = budgets.max_pending_work;
  config.max_total_bytes_in_flight = budgets.max_total_bytes_in_flight;
  config.max_total_session_bytes = budgets.max_total_session_bytes;
  auto started = server::GrpcServer::Start({.config = config,
                                            .accept_loop = accept_loop.get(),
                                            .checker = &checker,
                                            .authenticator = authenticator,
                                            .log = &log,
                                            .liveness = &liveness},
                                           registry, metrics);
  EXPECT_TRUE(started.ok()) << started.status();
  if (!started.ok()) return;
  grpc = *std::move(started);
  channel = NewChannel();
  shapes = v1::ShapeService::NewStub(channel);
  queries = v1::QueryService::NewStub(channel);
  scenes = v1::SceneService::NewStub(channel);
  scene_queries = v1::SceneQueryService::NewStub(channel);
  info = v1::ServerService::NewStub(channel);
}

// Returns a connected channel: gRPC 1.51 may take what another system call left in errno for the
// outcome of its connect() (grpc/grpc#35064), and then fails the calls that wait for that
// connection.
std::shared_ptr<grpc::Channel> TestServer::NewChannel() const {
  auto new_channel = grpc::CreateCustomChannel("127.0.0.1:" + std::to_string(grpc->port()),
                                               grpc::InsecureChannelCredentials(), OwnConnection());
  EXPECT_TRUE(new_channel->WaitForConnected(HangGuard()));
  return new_channel;
}

std::chrono::system_clock::time_point HangGuard() {
  return std::chrono::system_clock::now() + std::chrono::seconds(300);
}

TestSession::TestSession(v1::QueryService::Stub& stub, const Metadata& metadata) {
  context_.set_deadline(HangGuard());
  for (const auto& [name, value] : metadata) context_.AddMetadata(name, value);
  stream_ = stub.Session(&context_);
}

TestSession::~TestSession() {
  if (is_finished_) return;
  context_.TryCancel();
  AwaitEnd();
}

v1::SessionResponse TestSession::Ask(const v1::SessionRequest& request) {
  v1::SessionResponse response;
  EXPECT_TRUE(Send(request));
  EXPECT_TRUE(Receive(&response));
  return response;
}

void TestSession::Open(std::uint32_t slot, const v1::Shape& shape) {
  v1::SessionRequest request;
  request.mutable_open()->set_slot(slot);
  *request.mutable_open()->mutable_shape()->mutable_inline_shape() = shape;
  const v1::SessionResponse response = Ask(request);
  EXPECT_TRUE(response.has_open()) << response.ShortDebugString();
}

void TestSession::Open(std::uint32_t slot, const std::string& name) {
  v1::SessionRequest request;
  request.mutable_open()->set_slot(slot);
  request.mutable_open()->mutable_shape()->set_name(name);
  const v1::SessionResponse response = Ask(request);
  EXPECT_TRUE(response.has_open()) << response.ShortDebugString();
}

grpc::Status TestSession::Finish() {
  HalfClose();
  return AwaitEnd();
}

grpc::Status TestSession::AwaitEnd() {
  v1::SessionResponse response;
  while (Receive(&response)) {
  }
  is_finished_ = true;
  return stream_->Finish();
}

v1::Error ErrorOf(const google::rpc::Status& status) {
  v1::Error error;
  EXPECT_TRUE(status.details_size() > 0 && status.details(0).UnpackTo(&error));
  google::rpc::ErrorInfo info;
  EXPECT_TRUE(status.details_size() > 1 && status.details(1).UnpackTo(&info));
  EXPECT_NE(error.reason(), "") << status.ShortDebugString();
  EXPECT_EQ(info.reason(), error.reason());
  EXPECT_EQ(info.domain(), "clearance");
  const bool has_retry = status.details_size() == 3;
  EXPECT_EQ(has_retry, error.has_retry_after()) << status.ShortDebugString();
  google::rpc::RetryInfo retry;
  EXPECT_TRUE(!has_retry || status.details(2).UnpackTo(&retry));
  EXPECT_EQ(retry.retry_delay().seconds(), error.retry_after().seconds());
  EXPECT_EQ(retry.retry_delay().nanos(), error.retry_after().nanos());
  EXPECT_EQ(static_cast<int>(error.code()), status.code());
  return error;
}

v1::Error ErrorOf(const grpc::Status& status) {
  google::rpc::Status details;
  EXPECT_TRUE(details.ParseFromString(status.error_details()));
  EXPECT_EQ(details.code(), static_cast<int>(status.error_code()));
  EXPECT_EQ(details.message(), status.error_message());
  return ErrorOf(details);
}

v1::Shape Sphere(double radius) {
  v1::Shape shape;
  shape.mutable_sphere()->set_radius(radius);
  return shape;
}

v1::Shape Box(double half_extent) {
  v1::Shape shape;
  auto* const half_extents = shape.mutable_box()->mutable_half_extents();
  half_extents->set_x(half_extent);
  half_extents->set_y(half_extent);
  half_extents->set_z(half_extent);
  return shape;
}

v1::Shape Hull(const std::vector<double>& vertices) {
  v1::Shape shape;
  shape.mutable_hull()->mutable_vertices()->Add(vertices.begin(), vertices.end());
  return shape;
}

v1::Shape RingHull(int points) {
  std::vector<double> vertices;
  for (int i = 0; i < points; ++i) {
    const double angle = 2 * std::acos(-1.0) * i / points;
    vertices.insert(vertices.end(), {std::cos(angle), std::sin(angle), i % 2 == 0 ? 0.5 : -0.5});
  }
  return Hull(vertices);
}

std::string Register(TestServer& server, const std::string& name, const v1::Shape& shape) {
  v1::RegisterShapeRequest request;
  v1::RegisterShapeResponse response;
  request.set_name(name);
  *request.mutable_shape() = shape;
  const grpc::Status status =
      Call(*server.shapes, &v1::ShapeService::Stub::RegisterShape, request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response.info().digest();
}

v1::PairColumns PairAt(double x) {
  v1::PairColumns pairs;
  pairs.set_count(1);
  for (const double number : {x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}) pairs.add_poses_b(number);
  return pairs;
}

v1::SessionRequest DistanceAt(double x, std::uint64_t tag) {
  v1::SessionRequest request;
  request.set_tag(tag);
  *request.mutable_distance()->mutable_pairs() = PairAt(x);
  return request;
}

v1::SessionRequest LongWork(int rows) {
  v1::SessionRequest request;
  auto* const batch = request.mutable_time_of_collision();
  batch->mutable_pairs()->set_count(static_cast<std::uint32_t>(rows));
  for (const double number : {1000.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0})
    batch->mutable_pairs()->add_poses_b(number);
  for (const double number : {1999.0, 0.3, 0.2}) batch->add_displacements_a(number);
  for (const double number : {100.0, 200.0, 300.0}) batch->add_rotations_a(number);
  return request;
}

void ExpectServes(TestServer& server) {
  TestSession session(server);
  session.Open(0, Sphere(1));
  session.Open(1, Sphere(1));
  EXPECT_EQ(session.Ask(DistanceAt(5, 1)).distance().states(0), v1::STATE_SEPARATED);
  EXPECT_TRUE(session.Finish().ok());
}

void AwaitWorkOn(TestServer& server, const v1::SessionRequest& request) {
  const auto bytes = static_cast<double>(request.ByteSizeLong());
  while (server.metrics.bytes_in_flight().Value() != bytes) std::this_thread::yield();
}

}  // namespace clearance::testing
