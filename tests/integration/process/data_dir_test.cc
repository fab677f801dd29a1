// SPDX-License-Identifier: Apache-2.0
//
// The contents and the refusals of a data directory, seen from outside the process that uses it.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "clearance/v1/query_service.grpc.pb.h"
#include "clearance/v1/shape_service.grpc.pb.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "tests/integration/process/server_process.h"

namespace clearance::test {
namespace {

using testing::HasSubstr;
using HealthResponse = grpc::health::v1::HealthCheckResponse;

constexpr int kUnusableData = 3;

// Stubs on one channel.
struct Caller {
  explicit Caller(const ServerProcess& server)
      : channel(grpc::CreateChannel(server.grpc_address(), grpc::InsecureChannelCredentials())),
        shapes(v1::ShapeService::NewStub(channel)),
        queries(v1::QueryService::NewStub(channel)),
        health(grpc::health::v1::Health::NewStub(channel)) {}

  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<v1::ShapeService::Stub> shapes;
  std::unique_ptr<v1::QueryService::Stub> queries;
  std::unique_ptr<grpc::health::v1::Health::Stub> health;
};

// Returns points on a slender spiral: a hull with rows of all lengths.
v1::Shape Spiral(int points, double size) {
  v1::Shape shape;
  for (int i = 0; i < points; ++i) {
    const double t = static_cast<double>(i) / points;
    for (const double number : {size * std::cos(40 * t) * t, size * std::sin(40 * t) * t, t}) {
      shape.mutable_hull()->add_vertices(number);
    }
  }
  return shape;
}

grpc::Status Register(const Caller& caller, const std::string& name, const v1::Shape& shape) {
  v1::RegisterShapeRequest request;
  v1::RegisterShapeResponse response;
  request.set_name(name);
  request.set_replace(true);
  *request.mutable_shape() = shape;
  grpc::ClientContext context;
  return caller.shapes->RegisterShape(&context, request, &response);
}

std::uint64_t Delete(const Caller& caller, const std::string& name) {
  v1::DeleteShapeRequest request;
  v1::DeleteShapeResponse response;
  request.set_name(name);
  grpc::ClientContext context;
  EXPECT_TRUE(caller.shapes->DeleteShape(&context, request, &response).ok());
  return response.revision();
}

// Returns everything that a server lists, byte for byte.
std::string ListingOf(const Caller& caller) {
  v1::ListShapesResponse response;
  grpc::ClientContext context;
  EXPECT_TRUE(caller.shapes->ListShapes(&context, {}, &response).ok());
  return response.SerializeAsString();
}

// Returns distances of two shapes in many places with all columns of an answer, byte for byte.
std::string AnswersOf(const Caller& caller, const std::string& a, const std::string& b) {
  v1::DistanceRequest request;
  request.add_shapes()->set_name(a);
  request.add_shapes()->set_name(b);
  auto* const batch = request.mutable_batch();
  constexpr int kRows = 200;
  batch->mutable_pairs()->set_count(kRows);
  batch->mutable_pairs()->add_slots_a(0);
  batch->mutable_pairs()->add_slots_b(1);
  for (int i = 0; i < kRows; ++i) {
    const double x = 3.0 * i / kRows;
    for (const double number : {x, 0.1 * x, 0.5 - x, 0.6, 0.0, 0.0, 0.8}) {
      batch->mutable_pairs()->add_poses_b(number);
    }
  }
  auto* const detail = batch->mutable_detail();
  detail->set_points(true);
  detail->set_normals(true);
  detail->set_witnesses(true);
  detail->set_contacts(true);
  grpc::ClientContext context;
  v1::DistanceResponse response;
  const grpc::Status status = caller.queries->Distance(&context, request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response.result().SerializeAsString();
}

HealthResponse::ServingStatus HealthOf(const Caller& caller, const std::string& service) {
  grpc::health::v1::HealthCheckRequest request;
  request.set_service(service);
  HealthResponse response;
  grpc::ClientContext context;
  EXPECT_TRUE(caller.health->Check(&context, request, &response).ok());
  return response.status();
}

// Waits until the service's health is `wanted`: the server reports each change.
bool AwaitHealth(const Caller& caller, const std::string& service,
                 HealthResponse::ServingStatus wanted) {
  grpc::health::v1::HealthCheckRequest request;
  request.set_service(service);
  grpc::ClientContext context;
  const auto watch = caller.health->Watch(&context, request);
  HealthResponse response;
  while (watch->Read(&response)) {
    if (response.status() == wanted) break;
  }
  context.TryCancel();
  return response.status() == wanted;
}

class DataDir : public testing::Test {
 protected:
  std::string path() const { return directory_.File("data"); }
  std::string database() const { return path() + "/shapes.sqlite"; }
  std::string flag() const { return "--data_dir=" + path(); }
  Completed RunOnIt() const {
    return RunServerProgram({"--listen=127.0.0.1:0", "--http_listen=127.0.0.1:0", flag()});
  }
  void ExpectRefused(const std::string& part) const {
    const Completed run = RunOnIt();
    EXPECT_EQ(run.exit_code, kUnusableData) << run.output;
    EXPECT_THAT(run.output, HasSubstr(database()));
    EXPECT_THAT(run.output, HasSubstr(part));
  }

  TemporaryDirectory directory_;
};

TEST_F(DataDir, GivesTheSameAnswersAndRevisionAfterAKill) {
  std::string listing, answers;
  std::uint64_t revision = 0;
  {
    ServerProcess server({flag()});
    const Caller caller(server);
    ASSERT_TRUE(Register(caller, "a", Spiral(1000, 1)).ok());
    ASSERT_TRUE(Register(caller, "b", Spiral(64, 1)).ok());
    ASSERT_TRUE(Register(caller, "b", Spiral(64, 2)).ok());  // replaces
    ASSERT_TRUE(Register(caller, "gone", Spiral(8, 1)).ok());
    revision = Delete(caller, "gone");  // the last change
    listing = ListingOf(caller);
    answers = AnswersOf(caller, "a", "b");
    server.process().Signal(SIGKILL);
    server.process().WaitForExit();
  }
  EXPECT_EQ(revision, 5u);
  ServerProcess server({flag()});
  const Caller caller(server);
  EXPECT_THAT(server.process().output(), HasSubstr("shapes=2 revision=5"));
  EXPECT_EQ(ListingOf(caller), listing);
  EXPECT_EQ(AnswersOf(caller, "a", "b"), answers);
  EXPECT_EQ(Delete(caller, "a"), revision + 1);
}

TEST_F(DataDir, IsOneServersAtATime) {
  ServerProcess server({flag()});
  const Completed second = RunOnIt();
  EXPECT_EQ(second.exit_code, kUnusableData);
  EXPECT_THAT(second.output, HasSubstr(path() + " is in use by another server"));
}

TEST_F(DataDir, IsRefusedWhereItsFileIsDamaged) {
  {
    ServerProcess server({flag()});
    ASSERT_TRUE(Register(Caller(server), "a", Spiral(1000, 1)).ok());
    server.process().Signal(SIGTERM);
    ASSERT_EQ(server.process().WaitForExit(), 0);
  }
  // In the middle, where the contents are.
  std::fstream file(database(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(database()) / 2));
  file << std::string(8192, 'x') << std::flush;
  ExpectRefused("restore a backup");
}

TEST_F(DataDir, IsRefusedWhereItsFileIsNoDatabase) {
  std::filesystem::create_directory(path());
  std::ofstream(database()) << std::string(10'000, 'x');
  ExpectRefused("restore a backup");
}

TEST_F(DataDir, IsRefusedWhereItCannotBeWritten) {
  // Not even by root.
  const Completed run = RunServerProgram({"--http_listen=127.0.0.1:0", "--data_dir=/proc/shapes"});
  EXPECT_EQ(run.exit_code, kUnusableData) << run.output;
  EXPECT_THAT(run.output, HasSubstr("/proc/shapes"));
}

TEST_F(DataDir, IsBackedUpWhileAServerRuns) {
  ServerProcess server({flag()});
  const Caller caller(server);
  ASSERT_TRUE(Register(caller, "a", Spiral(100, 1)).ok());
  const std::string listing = ListingOf(caller);
  std::filesystem::create_directory(directory_.File("other"));
  const std::string copy = directory_.File("other/shapes.sqlite");
  const Completed backup = RunServerProgram({flag(), "--backup_to=" + copy});
  EXPECT_EQ(backup.exit_code, 0) << backup.output;
  ASSERT_TRUE(Register(caller, "later", Spiral(100, 2)).ok());

  ServerProcess restored({"--data_dir=" + directory_.File("other")});
  EXPECT_EQ(ListingOf(Caller(restored)), listing);
  EXPECT_EQ(RunServerProgram({flag(), "--backup_to=" + copy}).exit_code, kUnusableData);
}

// A few megabytes of memory as a disk; only root may make one.
class SmallDisk : public DataDir {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(path());
    is_mounted_ = mount("tmpfs", path().c_str(), "tmpfs", 0, "size=4m,mode=0700") == 0;
    if (!is_mounted_) GTEST_SKIP() << "SKIPPED: needs the right to mount";
  }
  void TearDown() override {
    if (is_mounted_) umount2(path().c_str(), MNT_DETACH);
  }

 private:
  bool is_mounted_ = false;
};

TEST_F(SmallDisk, RefusesRegistrationsWhileItIsFullAndAnswersQueries) {
  const std::string filler = path() + "/filler";
  ServerProcess server({flag()});
  const Caller caller(server);
  ASSERT_TRUE(Register(caller, "kept", Spiral(64, 1)).ok());
  std::ofstream(filler) << std::string(3 << 20, 'x');

  grpc::Status status;
  int stored = 0;
  for (; status.ok() && stored < 1000; ++stored) {
    status = Register(caller, "n" + std::to_string(stored), Spiral(1000, 1 + stored));
  }
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << status.error_message();
  EXPECT_TRUE(AwaitHealth(caller, "clearance.v1.ShapeService", HealthResponse::NOT_SERVING));
  EXPECT_TRUE(AwaitHealth(caller, "clearance.v1.SceneService", HealthResponse::NOT_SERVING));
  EXPECT_EQ(HealthOf(caller, "clearance.v1.QueryService"), HealthResponse::SERVING);
  EXPECT_EQ(HealthOf(caller, ""), HealthResponse::SERVING);
  const std::string listing = ListingOf(caller);
  EXPECT_FALSE(AnswersOf(caller, "kept", "kept").empty());

  std::filesystem::remove(filler);
  EXPECT_TRUE(AwaitHealth(caller, "clearance.v1.ShapeService", HealthResponse::SERVING));
  EXPECT_TRUE(AwaitHealth(caller, "clearance.v1.SceneService", HealthResponse::SERVING));
  EXPECT_EQ(ListingOf(caller), listing);
  EXPECT_TRUE(Register(caller, "after", Spiral(64, 3)).ok());
}

TEST_F(SmallDisk, LeavesNoBackupThatDoesNotFit) {
  const std::string big = directory_.File("big");
  {
    ServerProcess server({"--data_dir=" + big});
    const Caller caller(server);
    for (int i = 0; std::filesystem::file_size(big + "/shapes.sqlite-wal") < (5 << 20); ++i)
      ASSERT_TRUE(Register(caller, "n" + std::to_string(i), Spiral(1000, 1 + i)).ok());
  }
  const std::string copy = path() + "/copy";
  const Completed backup = RunServerProgram({"--data_dir=" + big, "--backup_to=" + copy});
  EXPECT_EQ(backup.exit_code, kUnusableData) << backup.output;
  EXPECT_THAT(backup.output, HasSubstr(copy + ".partial: database or disk is full"));
  EXPECT_TRUE(std::filesystem::is_empty(path()));
}

// Not even root may write there.
TEST_F(SmallDisk, IsRefusedWhereItIsMountedReadOnly) {
  {
    ServerProcess server({flag()});
    ASSERT_TRUE(Register(Caller(server), "a", Spiral(64, 1)).ok());
    server.process().Signal(SIGTERM);
    ASSERT_EQ(server.process().WaitForExit(), 0);
  }
  ASSERT_EQ(mount("", path().c_str(), "", MS_REMOUNT | MS_RDONLY, "mode=0700"), 0);
  const Completed run = RunOnIt();
  EXPECT_EQ(run.exit_code, kUnusableData) << run.output;
  EXPECT_THAT(run.output, HasSubstr(path() + ": Read-only file system"));
}

}  // namespace
}  // namespace clearance::test
