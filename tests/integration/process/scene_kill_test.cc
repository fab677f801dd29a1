// SPDX-License-Identifier: Apache-2.0
//
// After kill -9 every acknowledged change of kept scenes is there, and no change is there by half.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "clearance/v1/scene_service.grpc.pb.h"
#include "clearance/v1/shape_service.grpc.pb.h"
#include "tests/integration/process/server_process.h"

namespace clearance::test {
namespace {

constexpr int kWriters = 4;
constexpr int kAcknowledgedAtKill = 200;
constexpr std::uint32_t kBodies = 3;

struct SceneCaller {
  explicit SceneCaller(const ServerProcess& server)
      : channel(grpc::CreateChannel(server.grpc_address(), grpc::InsecureChannelCredentials())),
        shapes(v1::ShapeService::NewStub(channel)),
        scenes(v1::SceneService::NewStub(channel)) {}

  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<v1::ShapeService::Stub> shapes;
  std::unique_ptr<v1::SceneService::Stub> scenes;
};

std::string NameOf(int writer) { return "scene/" + std::to_string(writer); }

// All bodies at x.
void AddBodiesAt(double x, v1::BodyPoseColumns* poses) {
  poses->set_count(kBodies);
  for (std::uint32_t id = 0; id < kBodies; ++id) {
    poses->add_ids(id);
    for (const double number : {x, 0., 0., 0., 0., 0., 1.}) poses->add_poses(number);
  }
}

void RegisterBall(const SceneCaller& caller) {
  v1::RegisterShapeRequest request;
  v1::RegisterShapeResponse response;
  request.set_name("ball");
  request.mutable_shape()->mutable_sphere()->set_radius(1);
  grpc::ClientContext context;
  ASSERT_TRUE(caller.shapes->RegisterShape(&context, request, &response).ok());
}

grpc::Status Create(const SceneCaller& caller, const std::string& name) {
  v1::CreateSceneRequest request;
  v1::CreateSceneResponse response;
  request.set_name(name);
  v1::BodyColumns& bodies = *request.mutable_content()->mutable_bodies();
  bodies.set_count(kBodies);
  bodies.add_shapes()->set_name("ball");
  for (std::uint32_t id = 0; id < kBodies; ++id) bodies.add_ids(id);
  AddBodiesAt(1, request.mutable_content()->mutable_poses());
  grpc::ClientContext context;
  return caller.scenes->CreateScene(&context, request, &response);
}

// Moves the bodies to the x of the new revision's number, until the server is gone. Returns the
// last acknowledged revision.
std::uint64_t KeepWriting(const SceneCaller& caller, int writer, std::atomic<int>* acknowledged) {
  if (!Create(caller, NameOf(writer)).ok()) return 0;
  for (std::uint64_t revision = 2;; ++revision) {
    v1::UpdateSceneRequest request;
    v1::UpdateSceneResponse response;
    request.set_name(NameOf(writer));
    AddBodiesAt(static_cast<double>(revision), request.mutable_change()->mutable_poses());
    grpc::ClientContext context;
    if (!caller.scenes->UpdateScene(&context, request, &response).ok()) return revision - 1;
    EXPECT_EQ(response.scene().revision(), revision);
    acknowledged->fetch_add(1);
    acknowledged->notify_one();
  }
}

v1::GetSceneResponse Get(const SceneCaller& caller, const std::string& name) {
  v1::GetSceneRequest request;
  v1::GetSceneResponse response;
  request.set_name(name);
  request.set_include_bodies(true);
  grpc::ClientContext context;
  const grpc::Status status = caller.scenes->GetScene(&context, request, &response);
  EXPECT_TRUE(status.ok()) << name << ": " << status.error_message();
  return response;
}

TEST(KeptScenes, AreThereAfterAKillAsTheyWereAcknowledged) {
  const TemporaryDirectory directory;
  const std::string flag = "--data_dir=" + directory.File("data");
  std::array<std::uint64_t, kWriters> last{};
  {
    ServerProcess server({flag});
    const SceneCaller caller(server);
    RegisterBall(caller);
    std::atomic<int> acknowledged = 0;
    std::vector<std::thread> writers;
    for (int w = 0; w < kWriters; ++w) {
      writers.emplace_back(
          [&, w] { last[static_cast<std::size_t>(w)] = KeepWriting(caller, w, &acknowledged); });
    }
    for (int seen = 0; seen < kAcknowledgedAtKill; seen = acknowledged.load())
      acknowledged.wait(seen);
    server.process().Signal(SIGKILL);
    server.process().WaitForExit();
    for (std::thread& writer : writers) writer.join();
  }
  ServerProcess server({flag});
  const SceneCaller caller(server);
  for (int w = 0; w < kWriters; ++w) {
    const v1::GetSceneResponse got = Get(caller, NameOf(w));
    const std::uint64_t revision = got.scene().revision();
    // The one that was under way may have been stored.
    EXPECT_GE(revision, last[static_cast<std::size_t>(w)]);
    EXPECT_LE(revision, last[static_cast<std::size_t>(w)] + 1);
    const v1::BodyColumns& bodies = got.content().bodies();
    ASSERT_EQ(bodies.count(), kBodies);
    for (int i = 0; i < static_cast<int>(kBodies); ++i)
      EXPECT_EQ(bodies.poses(7 * i), static_cast<double>(revision));
  }
}

}  // namespace
}  // namespace clearance::test
