// SPDX-License-Identifier: Apache-2.0
//
// Tracks through the client library, against the real server: the hits of a lag-compensated shot
// and swing.
#include "clearance/track.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/client/real_server.h"

namespace clearance::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<double> PosesAt(const std::vector<double>& xs) {
  std::vector<double> poses;
  for (const double x : xs) poses.insert(poses.end(), {x, 0, 0, 0, 0, 0, 1});
  return poses;
}

// The boxes 7 and 8, one metre wide.
SceneBodies Players() {
  return {.count = 2, .ids = {7, 8}, .shapes = {ByName{"box"}}, .poses = PosesAt({0, 50})};
}

// The player's box has its side at x = 1.5. One ball is 2 m from it, the other deep in it.
void ExpectMinimumDistancesOfTheSwing(TrackReader& reader) {
  const auto minimums = reader.MinimumDistance(2, PosesAt({4, 1.5}));
  ASSERT_TRUE(minimums.ok()) << minimums.status();
  EXPECT_THAT(minimums->states, ElementsAre(State::kSeparated, State::kPenetrating));
  EXPECT_THAT(minimums->bodies, ElementsAre(7, 7));
  EXPECT_THAT(minimums->query_bodies, ElementsAre(99, 99));
  EXPECT_NEAR(minimums->distances[0], 2, 1e-9);
  EXPECT_LE(minimums->lower_bounds[0], minimums->distances[0]);
  EXPECT_LE(minimums->distances[0], minimums->upper_bounds[0]);
  EXPECT_NEAR(minimums->own_points[0], 3.5, 1e-9);
  EXPECT_NEAR(minimums->points[0], 1.5, 1e-9);
  EXPECT_NEAR(minimums->normals[0], -1, 1e-9);
}

// A swing that is short of the player, and one that reaches.
void ExpectSwings(TrackReader& reader) {
  using Verdict = RewoundChecks::Verdict;
  const auto checks = reader.Check(2, PosesAt({2.5, 1.5}));
  ASSERT_TRUE(checks.ok()) << checks.status();
  EXPECT_THAT(checks->verdicts, ElementsAre(Verdict::kFree, Verdict::kTouching));
  EXPECT_EQ(checks->bodies[1], 7u);
  EXPECT_EQ(checks->query_bodies[1], 99u);
  const std::vector<Pose> swings = {{.x = 2.5}, {.x = 1.5}};
  EXPECT_EQ(reader.Check(2, swings)->verdicts, checks->verdicts);
  EXPECT_EQ(reader.MinimumDistance(2, absl::MakeConstSpan(swings))->distances,
            reader.MinimumDistance(2, PosesAt({2.5, 1.5}))->distances);
  ExpectMinimumDistancesOfTheSwing(reader);
  const auto swing = reader.Sweep({.count = 1, .poses = PosesAt({6}), .displacements = {-8, 0, 0}});
  ASSERT_TRUE(swing.ok()) << swing.status();
  EXPECT_THAT(swing->states, ElementsAre(MotionState::kHit));
  EXPECT_NEAR(swing->t_hit[0], 0.5, 1e-6);
}

TEST(TrackClient, AsksWhatAShotAndASwingMetAtTheTimeThatWasSeen) {
  const RealServer server;
  const Client client = server.Connect();
  ASSERT_TRUE(client.Register("box", kUnitBox).ok());
  ASSERT_TRUE(client.Register("ball", {Sphere{0.5}, 0}).ok());
  ASSERT_TRUE(SceneClient(client)
                  .Create("map", {.bodies = {.count = 1,
                                             .ids = {1},
                                             .shapes = {ByName{"box"}},
                                             .poses = PosesAt({-30})}})
                  .ok());
  auto writer = TrackWriter::Open(client, "match", Players());
  ASSERT_TRUE(writer.ok()) << writer.status();
  // Numbers and structs mean the same.
  ASSERT_TRUE((*writer)->Publish(100, std::vector<Pose>{{.x = 0}, {.x = 50}}).ok());
  const auto published = (*writer)->Publish(101, PosesAt({4, 50}));
  ASSERT_TRUE(published.ok()) << published.status();
  EXPECT_EQ(published->oldest_tick, 100u);
  EXPECT_EQ(published->body_count, 2u);

  auto reader = TrackReader::Open(
      client, {.scene = "map", .bodies = {.count = 1, .ids = {99}, .shapes = {ByName{"ball"}}}});
  ASSERT_TRUE(reader.ok()) << reader.status();
  const auto rewound = (*reader)->Rewind({.track = "match", .at = {100, 0.25}});
  ASSERT_TRUE(rewound.ok()) << rewound.status();
  EXPECT_EQ(rewound->clamp, TrackClamp::kNone);
  EXPECT_EQ(rewound->weight, 0.25);
  EXPECT_EQ(rewound->body_count, 2u);
  EXPECT_EQ(rewound->scene_revision, 1u);
  // The player was at x = 1 then: one ray meets the face at 1.5, the other the map's box.
  const auto hits = (*reader)->CastRays(
      {.count = 2, .origins = {11, 0, 0, -10, 0, 0}, .displacements = {-20, 0, 0, -40, 0, 0}});
  ASSERT_TRUE(hits.ok()) << hits.status();
  EXPECT_THAT(hits->states, ElementsAre(MotionState::kHit, MotionState::kHit));
  EXPECT_THAT(hits->bodies, ElementsAre(7, 1));
  EXPECT_NEAR(hits->points[0], 1.5, 1e-9);
  EXPECT_NEAR(hits->points[3], -29.5, 1e-9);
  EXPECT_NEAR(hits->normals[0], -1, 1e-9);
  ExpectSwings(**reader);
  // No player shoots themselves, and there is nothing beyond the newest tick.
  const auto late = (*reader)->Rewind({.track = "match", .at = {105, 0}, .left_out_bodies = {7}});
  ASSERT_TRUE(late.ok()) << late.status();
  EXPECT_EQ(late->clamp, TrackClamp::kToNewest);
  EXPECT_EQ(late->at.tick, 101u);
  EXPECT_EQ(late->body_count, 1u);
}

TEST(TrackClient, SceneDidNotOpen_RefusesToRewind) {
  const RealServer server;
  const Client client = server.Connect();
  ASSERT_TRUE(client.Register("box", kUnitBox).ok());
  auto writer = TrackWriter::Open(client, "match", Players());
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_TRUE((*writer)->Publish(1, {}).ok());
  auto reader = TrackReader::Open(client);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_TRUE((*reader)->Rewind({.track = "match", .at = {1, 0}}).ok());
  EXPECT_EQ((*reader)->OpenScene("map").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ((*reader)->Rewind({.track = "match", .at = {1, 0}}).status().code(),
            absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(SceneClient(client).Create("map", {}).ok());
  ASSERT_TRUE((*reader)->OpenScene("map").ok());
  EXPECT_TRUE((*reader)->Rewind({.track = "match", .at = {1, 0}}).ok());
}

TEST(TrackClient, TellsWhoAsksThatATrackHasEnded) {
  const RealServer server;
  const Client client = server.Connect();
  ASSERT_TRUE(client.Register("box", kUnitBox).ok());
  auto reader = TrackReader::Open(client);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->Rewind({.track = "match"}).status().code(),
            absl::StatusCode::kFailedPrecondition);
  auto writer = TrackWriter::Open(client, "match", Players());
  ASSERT_TRUE(writer.ok()) << writer.status();
  EXPECT_EQ(TrackWriter::Open(client, "match", Players()).status().code(),
            absl::StatusCode::kAlreadyExists);
  ASSERT_TRUE((*writer)->Publish(1, {}).ok());
  ASSERT_TRUE((*writer)->Change({.removed_bodies = {8}}).ok());
  EXPECT_EQ((*writer)->Publish(2, {})->body_count, 1u);
  EXPECT_TRUE((*writer)->Finish().ok());
  EXPECT_EQ((*writer)->Publish(3, {}).status().code(), absl::StatusCode::kOutOfRange);
  const absl::Status ended = (*reader)->Rewind({.track = "match"}).status();
  EXPECT_EQ(ended.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ErrorDetail(ended)->value, "match");
  EXPECT_THAT(std::string(ended.message()), HasSubstr("ended"));
}

}  // namespace
}  // namespace clearance::client
