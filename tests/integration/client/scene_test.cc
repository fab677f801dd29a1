// SPDX-License-Identifier: Apache-2.0
//
// Scenes through the client library and the command line, against the real server.
#include "clearance/scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/client/real_server.h"

namespace clearance::client {
namespace {

using ::testing::ElementsAre;

SceneBodies BodiesAlongX(std::uint32_t count, const std::string& shape) {
  SceneBodies bodies{.count = count, .shapes = {ByName{shape}}};
  for (std::uint32_t id = 0; id < count; ++id) {
    bodies.ids.push_back(id);
    bodies.poses.insert(bodies.poses.end(), {1. * id, 0, 0, 0, 0, 0, 1});
  }
  return bodies;
}

TEST(SceneClient, CreatesGetsUpdatesForksListsAndDeletes) {
  const RealServer server;
  const Client client = server.Connect();
  const SceneClient scenes(client);
  const std::string digest = client.Register("box", kUnitBox)->info.digest;
  SceneChange content{.bodies = BodiesAlongX(3, "box")};
  content.rules = {.count = 1,
                   .bodies_a = {1},
                   .bodies_b = {0},
                   .kinds = {PairRuleKind::kMargin},
                   .margins = {0.25}};
  const auto made = scenes.Create("cell/a", content, absl::Hours(1));
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->ttl, absl::Hours(1));
  EXPECT_EQ(made->body_count, 3u);

  const auto updated = scenes.Update("cell/a", {.removed_bodies = {1}}, made->etag);
  ASSERT_TRUE(updated.ok()) << updated.status();
  EXPECT_EQ(scenes.Update("cell/a", {.removed_bodies = {2}}, made->etag).status().code(),
            absl::StatusCode::kAborted);
  const auto found = scenes.Get("cell/a", {.include_content = true});
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->info.etag, updated->etag);
  const SceneBodies& bodies = found->content.bodies;
  EXPECT_EQ(bodies.count, 2u);
  EXPECT_THAT(bodies.ids, ElementsAre(0, 2));
  EXPECT_EQ(bodies.poses[7], 2);
  EXPECT_EQ(std::get<ByDigest>(bodies.shapes.front()).digest, digest);
  EXPECT_THAT(found->content.rules.bodies_a, ElementsAre(0));
  EXPECT_THAT(found->content.rules.kinds, ElementsAre(PairRuleKind::kMargin));
  EXPECT_THAT(found->content.rules.margins, ElementsAre(0.25));

  const auto forked = scenes.Fork("cell/b", {.name = "cell/a", .revision = 1});
  ASSERT_TRUE(forked.ok()) << forked.status();
  EXPECT_EQ(forked->body_count, 3u);
  EXPECT_FALSE(forked->ttl.has_value());
  EXPECT_EQ(scenes.List("cell/")->size(), 2u);
  EXPECT_TRUE(scenes.Delete("cell/b", forked->etag).ok());
  EXPECT_EQ(scenes.Get("cell/b").status().code(), absl::StatusCode::kNotFound);
}

TEST(SceneClient, JoinsThePagesOfManyBodies) {
  constexpr std::uint32_t kBodies = 25'000;  // three pages
  const RealServer server;
  const Client client = server.Connect();
  const SceneClient scenes(client);
  ASSERT_TRUE(client.Register("box", kUnitBox).ok());
  ASSERT_TRUE(client.Register("ball", {Sphere{1}, 0}).ok());
  SceneBodies bodies = BodiesAlongX(kBodies, "box");
  bodies.shapes.emplace_back(ByName{"ball"});
  for (std::uint32_t id = 0; id < kBodies; ++id) bodies.shape_slots.push_back(id / 12'000 % 2);
  ASSERT_TRUE(scenes.Create("many", {.bodies = bodies}, absl::Hours(1)).ok());
  const auto found = scenes.Get("many", {.include_content = true});
  ASSERT_TRUE(found.ok()) << found.status();
  const SceneBodies& all = found->content.bodies;
  ASSERT_EQ(all.ids.size(), kBodies);
  EXPECT_EQ(all.ids, bodies.ids);
  EXPECT_EQ(all.poses, bodies.poses);
  const auto digest_of = [&](std::uint32_t row) {
    return std::get<ByDigest>(all.shapes[all.shape_slots[row]]).digest;
  };
  const std::string box = client.Get(ByName{"box"})->info.digest;
  const std::string ball = client.Get(ByName{"ball"})->info.digest;
  EXPECT_EQ(digest_of(11'999), box);
  EXPECT_EQ(digest_of(12'000), ball);
  EXPECT_EQ(digest_of(kBodies - 1), box);
}

}  // namespace
}  // namespace clearance::client
