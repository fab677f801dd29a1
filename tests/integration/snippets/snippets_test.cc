// SPDX-License-Identifier: Apache-2.0
//
// The C++ snippets of the pages and the headers do what is said there. extract.py takes them out;
// the names that they leave to the reader are declared here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "clearance/client.h"
#include "clearance/proof.h"
#include "clearance/scene.h"
#include "clearance/scene_query.h"
#include "clearance/scene_watch.h"
#include "clearance/track.h"
#include "tests/integration/process/server_process.h"

namespace clearance::test {
namespace {

using namespace clearance::client;  // NOLINT: as a reader has it
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void ExpectThatThePageShowsTheOutputOf(const char* program) {
  const ServerProcess server;
  const Completed run = RunProgram({"env", "CLEARANCE_ADDR=" + server.grpc_address(), program});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(TextOf(CLEARANCE_CPP_PAGE), HasSubstr("\n```\n" + run.output + "```\n"));
}

TEST(CppPage, ExamplePrintsWhatThePageShows) {
  ExpectThatThePageShowsTheOutputOf(CLEARANCE_PAGE_EXAMPLE);
}

TEST(CppPage, SceneExamplePrintsWhatThePageShows) {
  ExpectThatThePageShowsTheOutputOf(CLEARANCE_PAGE_SCENE_EXAMPLE);
}

// NOLINTBEGIN: as a reader has them
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-result"

void RegisterAsClientHeaderSays() {
#include "client.h.inc"
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE(is_free);
}

SceneInfo CreateAsSceneHeaderSays(const Client& client) {
#include "scene.h.inc"
  EXPECT_TRUE(cell.ok()) << cell.status();
  return *cell;
}

void AskAsSceneQueryHeaderSays(const Client& client) {
#include "scene_query.h.inc"
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_THAT(answer->verdicts, ElementsAre(Verdict::kTouching));
}

// Until the scene has gone.
void WatchAsSceneWatchHeaderSays(const SceneClient& scenes, const SceneInfo& info) {
#include "scene_watch.h.inc"
}

void RewindAsTrackHeaderSays(const Client& client) {
  const SceneBodies players = {.count = 2, .ids = {1, 2}, .shapes = {ByName{"crate"}}};
  const std::vector<double> poses = {0, 0, 1, 0, 0, 0, 1, 5, 0, 1, 0, 0, 0, 1};
  const std::uint64_t tick = 7;
  const std::uint32_t shooter = 1;
#include "track.h.inc"
  const absl::StatusOr<RewoundHits> hits =
      (*reader)->CastRays({.count = 1, .origins = {0, 0, 1}, .displacements = {9, 0, 0}});
  ASSERT_TRUE(hits.ok()) << hits.status();
  EXPECT_THAT(hits->bodies, ElementsAre(2));
}

#pragma GCC diagnostic pop
// NOLINTEND

TEST(HeaderExamples, DoWhatTheySay) {
  const ServerProcess server;
  setenv("CLEARANCE_ADDR", server.grpc_address().c_str(), 1);  // NOLINT: no other thread reads it
  RegisterAsClientHeaderSays();
  const absl::StatusOr<Client> client = Client::Connect(server.grpc_address());
  ASSERT_TRUE(client.ok()) << client.status();
  ASSERT_TRUE(client->Register("gripper", {.kind = Sphere{0.05}}).ok());
  const SceneInfo cell = CreateAsSceneHeaderSays(*client);
  AskAsSceneQueryHeaderSays(*client);
  SceneClient scenes(*client);
  ASSERT_TRUE(scenes.Create("map/dust", {}).ok());
  RewindAsTrackHeaderSays(*client);
  ASSERT_TRUE(scenes.Delete("cell").ok());
  WatchAsSceneWatchHeaderSays(scenes, cell);
}

TEST(ProtoPage, RewindMeetsWhoStoodThere) {
  const ServerProcess server;
  const absl::StatusOr<Client> connected = Client::Connect(server.grpc_address());
  ASSERT_TRUE(connected.ok()) << connected.status();
  const Client& client = *connected;
  ASSERT_TRUE(client.Register("player", {.kind = Box{{0.5, 0.5, 1}}}).ok());
  ASSERT_TRUE(SceneClient(client).Create("map/dust", {}).ok());
  // The shooter stands where the shot begins, in front of it player 2.
  const SceneBodies players = {.count = 2, .ids = {1, 2}, .shapes = {ByName{"player"}}};
  const std::vector<double> poses = {0, 0, 1, 0, 0, 0, 1, 50, 0, 1, 0, 0, 0, 1};
  const std::uint64_t tick = 7;
  const std::uint32_t shooter = 1;
#include "proto_README_1.cpp"
  ASSERT_TRUE(published.ok()) << published.status();
  ASSERT_TRUE(rewound.ok()) << rewound.status();
  EXPECT_EQ(rewound->earlier_tick, 7u);
  ASSERT_TRUE(hits.ok()) << hits.status();
  EXPECT_THAT(hits->states, ElementsAre(MotionState::kHit));
  EXPECT_THAT(hits->bodies, ElementsAre(2));
}

}  // namespace
}  // namespace clearance::test
