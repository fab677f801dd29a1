// SPDX-License-Identifier: Apache-2.0
//
// The C++ snippets of the pages do what the pages say. extract.py takes them out of the pages; the
// names that they leave to the reader are declared here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "clearance/client.h"
#include "clearance/scene.h"
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

TEST(CppPage, ExamplePrintsWhatThePageShows) {
  const ServerProcess server;
  const Completed run =
      RunProgram({"env", "CLEARANCE_ADDR=" + server.grpc_address(), CLEARANCE_PAGE_EXAMPLE});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(TextOf(CLEARANCE_CPP_PAGE), HasSubstr("\n```\n" + run.output + "```\n"));
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
