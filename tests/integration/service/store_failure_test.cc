// SPDX-License-Identifier: Apache-2.0
//
// A server whose store fails: what callers see of it.

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <utility>

#include "grpc/health/v1/health.grpc.pb.h"
#include "server/storage/shape_ledger.h"
#include "tests/integration/service/harness.h"
#include "tests/support/local_config.h"

namespace clearance::testing {
namespace {

using grpc::health::v1::HealthCheckResponse;

// Fails as long as it is told to.
class FailingStore final : public server::ShapeStore {
 public:
  explicit FailingStore(const std::atomic<bool>& fails) : fails_(fails) {}

  absl::Status Commit(const server::RegistryChanges&) override { return Probe(); }
  absl::Status Probe() override {
    return fails_ ? absl::UnavailableError("no disk") : absl::OkStatus();
  }
  absl::StatusOr<server::StoredNames> ReadNames() override { return server::StoredNames{}; }
  absl::Status ReadContents(const Part&, const Visit&) const override { return absl::OkStatus(); }
  absl::Status ReadScenes(const VisitRecord&) override { return absl::OkStatus(); }
  std::uint64_t byte_size() const override { return 0; }

 private:
  const std::atomic<bool>& fails_;
};

class StoreFailure : public ::testing::Test {
 protected:
  StoreFailure() {
    grpc_ = *server::GrpcServer::Start({.config = server::LocalConfig(), .ledger = &ledger_},
                                       registry_, metrics_);
    channel_ = grpc::CreateChannel("127.0.0.1:" + std::to_string(grpc_->port()),
                                   grpc::InsecureChannelCredentials());
    shapes_ = v1::ShapeService::NewStub(channel_);
  }

  grpc::Status RegisterBox(double size) {
    v1::RegisterShapeRequest request;
    v1::RegisterShapeResponse response;
    request.set_name("box");
    *request.mutable_shape() = Box(size);
    return Call(*shapes_, &v1::ShapeService::Stub::RegisterShape, request, &response);
  }

  // Reads the health of a service until it is `wanted`.
  bool Becomes(const std::string& service, HealthCheckResponse::ServingStatus wanted) {
    const auto stub = grpc::health::v1::Health::NewStub(channel_);
    grpc::ClientContext context;
    context.set_deadline(HangGuard());
    grpc::health::v1::HealthCheckRequest request;
    request.set_service(service);
    const auto watch = stub->Watch(&context, request);
    HealthCheckResponse response;
    while (watch->Read(&response) && response.status() != wanted) {
    }
    context.TryCancel();
    return response.status() == wanted;
  }

  std::atomic<bool> fails_ = false;
  server::Metrics metrics_{"test"};
  server::Registry registry_{{}, nullptr};
  server::SceneRegistry scenes_{{}, nullptr};
  server::ShapeLedger ledger_{
      {.registry = registry_, .store = std::make_unique<FailingStore>(fails_), .scenes = scenes_}};
  std::unique_ptr<server::GrpcServer> grpc_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::ShapeService::Stub> shapes_;
};

constexpr char kShapes[] = "clearance.v1.ShapeService";
constexpr char kScenes[] = "clearance.v1.SceneService";
constexpr char kQueries[] = "clearance.v1.QueryService";

TEST_F(StoreFailure, RefusesAndIsNotServingUntilAWriteSucceeds) {
  fails_ = true;
  const grpc::Status refused = RegisterBox(1);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(ErrorOf(refused).field(), "data_dir");
  EXPECT_EQ(registry_.size(), 0u);
  EXPECT_TRUE(Becomes(kShapes, HealthCheckResponse::NOT_SERVING));
  EXPECT_TRUE(Becomes(kScenes, HealthCheckResponse::NOT_SERVING));
  EXPECT_TRUE(Becomes(kQueries, HealthCheckResponse::SERVING));
  EXPECT_TRUE(Becomes("", HealthCheckResponse::SERVING));

  fails_ = false;
  EXPECT_TRUE(Becomes(kShapes, HealthCheckResponse::SERVING));
  EXPECT_TRUE(Becomes(kScenes, HealthCheckResponse::SERVING));
  EXPECT_TRUE(RegisterBox(1).ok());
}

TEST_F(StoreFailure, ThatEndsDoesNotMakeADrainingServerHealthy) {
  fails_ = true;
  EXPECT_FALSE(RegisterBox(1).ok());
  grpc_->TurnUnhealthy();
  fails_ = false;
  EXPECT_TRUE(RegisterBox(1).ok());  // so that the ledger is healthy again
  EXPECT_TRUE(Becomes(kShapes, HealthCheckResponse::NOT_SERVING));
  EXPECT_TRUE(Becomes(kScenes, HealthCheckResponse::NOT_SERVING));
}

}  // namespace
}  // namespace clearance::testing
