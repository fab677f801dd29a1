// SPDX-License-Identifier: Apache-2.0
//
// Memory of the real program while clients send as much as they can and take nothing. Every session
// asks for a reply that does not fit into the space that its client offers, and goes on sending.
// server/guide/memory.md states the bound.

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "clearance/v1/query_service.grpc.pb.h"
#include "tests/integration/process/server_process.h"
#include "tests/integration/process/server_view.h"

namespace clearance::test {
namespace {

constexpr int kConnections = 8;
constexpr int kSessionsOfEach = 5;
constexpr int kMessagesOfEach = 4;
constexpr std::uint32_t kLargeRows = 60'000;
constexpr double kMebibyte = 1 << 20;
constexpr double kMostTotal = 64 * kMebibyte;
constexpr double kTransportBytes = 8 * kMebibyte;
constexpr double kReplyBytes = 8 * kMebibyte;
constexpr int kPollingThreads = 1;
constexpr int kWorkerThreads = 2;
// Looks at the server's memory, once it has refused something.
constexpr int kLooks = 200;
constexpr char kTotal[] = "clearance_total_in_flight_bytes";
constexpr char kShed[] = R"(clearance_shed_messages_total{reason="bytes"})";

std::string Flag(const char* name, double value) {
  return std::string("--") + name + "=" + std::to_string(static_cast<std::int64_t>(value));
}

v1::SessionRequest OpenSphere(std::uint32_t slot) {
  v1::SessionRequest request;
  request.mutable_open()->set_slot(slot);
  request.mutable_open()->mutable_shape()->mutable_inline_shape()->mutable_sphere()->set_radius(1);
  return request;
}

// About 7 MB, and a reply of about 5 MB.
v1::SessionRequest LargeBatch() {
  v1::SessionRequest request;
  v1::DistanceBatch& batch = *request.mutable_distance();
  batch.mutable_pairs()->set_count(kLargeRows);
  for (std::uint32_t row = 0; row < kLargeRows; ++row) {
    for (const double number : {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}) {
      batch.mutable_pairs()->add_poses_a(number);
    }
    for (const double number : {3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}) {
      batch.mutable_pairs()->add_poses_b(number);
    }
  }
  batch.mutable_detail()->set_points(true);
  batch.mutable_detail()->set_normals(true);
  return request;
}

// A client that writes and never reads, each session on its own thread.
class Glutton {
 public:
  Glutton(const ServerProcess& server, const v1::SessionRequest& request) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetMaxReceiveMessageSize(-1);
    stub_ = v1::QueryService::NewStub(grpc::CreateCustomChannel(
        server.grpc_address(), grpc::InsecureChannelCredentials(), arguments));
    for (int i = 0; i < kSessionsOfEach; ++i) {
      contexts_.push_back(std::make_unique<grpc::ClientContext>());
      threads_.emplace_back([this, &context = *contexts_.back(), &request] {
        const auto stream = stub_->Session(&context);
        stream->Write(OpenSphere(0));
        stream->Write(OpenSphere(1));
        for (int m = 0; m < kMessagesOfEach && stream->Write(request); ++m) {
        }
        stream->Finish();
      });
    }
  }
  ~Glutton() {
    for (const auto& context : contexts_) context->TryCancel();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::unique_ptr<v1::QueryService::Stub> stub_;
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts_;
  std::vector<std::thread> threads_;
};

// By server/guide/memory.md: four times the flag, and for each thread one message and two copies of
// a reply that are being made.
double MostGrowth() {
  constexpr double kThreads = kPollingThreads + kWorkerThreads;
  return 4 * kMostTotal + kThreads * (kTransportBytes + 2 * kReplyBytes);
}

TEST(Memory, StaysBoundedWhileClientsSendAndTakeNothing) {
  const ServerProcess server(
      {Flag("max_total_bytes_in_flight", kMostTotal), Flag("max_request_bytes", kTransportBytes),
       Flag("max_transport_bytes", kTransportBytes), Flag("max_reply_bytes", kReplyBytes),
       Flag("polling_threads", kPollingThreads), Flag("worker_threads", kWorkerThreads)});
  const double before = ResidentBytes(server);
  const v1::SessionRequest request = LargeBatch();
  ASSERT_LT(static_cast<double>(request.ByteSizeLong()), kTransportBytes);
  std::vector<std::unique_ptr<Glutton>> gluttons;
  for (int i = 0; i < kConnections; ++i) {
    gluttons.push_back(std::make_unique<Glutton>(server, request));
  }
  while (MetricOf(server, kShed) == 0) {
    ASSERT_LT(ResidentBytes(server), before + MostGrowth());
  }
  double most = 0;
  for (int i = 0; i < kLooks; ++i) {
    most = std::max(most, ResidentBytes(server) - before);
    ASSERT_LT(MetricOf(server, kTotal), kMostTotal + kTransportBytes + kReplyBytes);
  }
  RecordProperty("most_growth_bytes", std::to_string(most));
  std::cout << "grew by " << most / kMebibyte << " MiB of " << MostGrowth() / kMebibyte << '\n';
  EXPECT_LT(most, MostGrowth());
  gluttons.clear();
  EXPECT_TRUE(AwaitMetric(server, kTotal, 0));
  EXPECT_TRUE(Serves(server));
}

}  // namespace
}  // namespace clearance::test
