// SPDX-License-Identifier: Apache-2.0
//
// grpc.health.v1: checks, and watches from their first word to the drain.

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "tests/integration/service/harness.h"

namespace clearance::testing {
namespace {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;
using HealthStub = grpc::health::v1::Health::Stub;

constexpr char kQueryService[] = "clearance.v1.QueryService";

HealthCheckRequest About(const std::string& service) {
  HealthCheckRequest request;
  request.set_service(service);
  return request;
}

// A watch of one service.
class HealthWatcher {
 public:
  HealthWatcher(HealthStub& stub, const std::string& service) {
    context_.set_deadline(HangGuard());
    reader_ = stub.Watch(&context_, About(service));
  }

  // The next that it is told; UNKNOWN, which no server says, at the end.
  HealthCheckResponse::ServingStatus Next() {
    HealthCheckResponse response;
    return reader_->Read(&response) ? response.status() : HealthCheckResponse::UNKNOWN;
  }

  // Reads to the end.
  grpc::StatusCode End() {
    while (Next() != HealthCheckResponse::UNKNOWN) {
    }
    return reader_->Finish().error_code();
  }

  void Cancel() { context_.TryCancel(); }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<HealthCheckResponse>> reader_;
};

class HealthTest : public ::testing::Test {
 protected:
  grpc::StatusCode Check(const std::string& service) {
    HealthCheckResponse response;
    return Call(*stub_, &HealthStub::Check, About(service), &response).error_code();
  }

  TestServer server_;
  std::unique_ptr<HealthStub> stub_ = grpc::health::v1::Health::NewStub(server_.channel);
};

TEST_F(HealthTest, OfNoServiceIsNotFound) {
  EXPECT_EQ(Check(kQueryService), grpc::StatusCode::OK);
  EXPECT_EQ(Check("clearance.v1.Nothing"), grpc::StatusCode::NOT_FOUND);
}

TEST_F(HealthTest, OfANameLongerThanAnyIsRefused) {
  EXPECT_EQ(Check(std::string(250, 'x')), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(Check(std::string(260, 'x')), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(HealthWatcher(*stub_, std::string(260, 'x')).End(), grpc::StatusCode::INVALID_ARGUMENT);
  HealthCheckRequest padded = About(kQueryService);
  padded.GetReflection()->MutableUnknownFields(&padded)->AddLengthDelimited(9, std::string(300, 0));
  HealthCheckResponse response;
  EXPECT_EQ(Call(*stub_, &HealthStub::Check, padded, &response).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(HealthTest, WatchersAreToldWhatIsAndWhatChanges) {
  std::vector<std::unique_ptr<HealthWatcher>> watchers;
  for (int i = 0; i < 20; ++i) {
    watchers.push_back(std::make_unique<HealthWatcher>(*stub_, i % 2 == 0 ? "" : kQueryService));
    EXPECT_EQ(watchers.back()->Next(), HealthCheckResponse::SERVING);
  }
  HealthWatcher stranger(*stub_, "clearance.v1.Nothing");
  EXPECT_EQ(stranger.Next(), HealthCheckResponse::SERVICE_UNKNOWN);
  server_.grpc->TurnUnhealthy();
  for (const auto& watcher : watchers) {
    EXPECT_EQ(watcher->Next(), HealthCheckResponse::NOT_SERVING);
  }
  server_.grpc->BeginDrain();
  for (const auto& watcher : watchers) {
    EXPECT_EQ(watcher->End(), grpc::StatusCode::UNAVAILABLE);
  }
  EXPECT_EQ(stranger.End(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(HealthTest, ADrainIsToldToWatchersThatWereNotToldBefore) {
  HealthWatcher watcher(*stub_, "");
  EXPECT_EQ(watcher.Next(), HealthCheckResponse::SERVING);
  server_.grpc->BeginDrain();
  EXPECT_EQ(watcher.Next(), HealthCheckResponse::NOT_SERVING);
  EXPECT_EQ(watcher.End(), grpc::StatusCode::UNAVAILABLE);
  HealthWatcher late(*stub_, "");
  EXPECT_EQ(late.Next(), HealthCheckResponse::NOT_SERVING);
  EXPECT_EQ(late.End(), grpc::StatusCode::UNAVAILABLE);
}

// Else the server would wait for it for ever.
TEST_F(HealthTest, AWatchEndsWithItsClient) {
  {
    HealthWatcher watcher(*stub_, "");
    EXPECT_EQ(watcher.Next(), HealthCheckResponse::SERVING);
    watcher.Cancel();
    EXPECT_EQ(watcher.End(), grpc::StatusCode::CANCELLED);
  }
  server_.grpc->Shutdown(absl::InfiniteDuration());
}

}  // namespace
}  // namespace clearance::testing
