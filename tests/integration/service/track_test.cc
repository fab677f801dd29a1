// SPDX-License-Identifier: Apache-2.0
//
// Tracks, one thing at a time: clamped times, the bodies, the cost of a rewind, and refusals.
// track_replay_test.cc has the answers to many sessions at once.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "tests/integration/service/track_messages.h"

namespace clearance::testing {
namespace {

using ::testing::HasSubstr;

// A writer with one ball, id 5, and an asker; no track yet.
class TrackTest : public ::testing::Test {
 protected:
  TrackTest() {
    writer_.Open(0, "ball");
    ExpectOk(writer_.Ask(AttachAt({{5, 0}})));
    asker_.Open(0, "ball");
  }

  static server::Limits FewOfAll() {
    server::Limits limits;
    limits.max_tracks = 3;
    limits.max_caller_tracks = 2;
    limits.max_track_ticks = 3;
    limits.max_track_bodies = 4;
    limits.max_session_scenes = 4;
    return limits;
  }

  // The x of the first thing that a point meets on its way along the x axis, less a ball's radius.
  double FirstX() {
    v1::SessionRequest request;
    v1::RayBatch& ray = *request.mutable_ray();
    ray.set_count(1);
    ray.set_scene_slot(1);
    for (const double number : {-100., 0., 0.}) ray.add_origins(number);
    for (const double number : {200., 0., 0.}) ray.add_displacements(number);
    const v1::SessionResponse response = asker_.Ask(request);
    EXPECT_EQ(response.ray().states_size(), 1) << response.ShortDebugString();
    if (response.ray().states_size() != 1 || response.ray().states(0) != v1::MOTION_STATE_HIT)
      return NAN;
    return -100 + 200 * response.ray().t_hit(0) + 0.4;
  }

  void PublishAt(std::uint64_t tick, double x) {
    v1::SessionRequest request = TickOf(tick);
    AddPoseAt(x, request.mutable_publish_tick()->mutable_poses());
    ExpectOk(writer_.Ask(request));
  }

  TrackServer server_{FewOfAll()};
  TestSession writer_{server_};
  TestSession asker_{server_};
};

TEST_F(TrackTest, TimeOutsideHeldTicks_IsClampedAndReported) {
  ExpectOk(writer_.Ask(OpenTrackOf("game")));
  for (const std::uint64_t tick : {10, 11, 12, 16}) PublishAt(tick, static_cast<double>(tick));
  // Three of four ticks are held.
  v1::RewindTrackResult rewound = asker_.Ask(RewindTo("game", 10, 0.5)).rewind_track();
  EXPECT_EQ(rewound.clamp(), v1::TRACK_CLAMP_TO_OLDEST);
  EXPECT_EQ(rewound.tick(), 11u);
  EXPECT_EQ(rewound.fraction(), 0);
  EXPECT_EQ(rewound.oldest_tick(), 11u);
  EXPECT_NEAR(FirstX(), 11, 1e-9);
  rewound = asker_.Ask(RewindTo("game", 16, 0.25)).rewind_track();
  EXPECT_EQ(rewound.clamp(), v1::TRACK_CLAMP_TO_NEWEST);
  EXPECT_EQ(rewound.newest_tick(), 16u);
  EXPECT_NEAR(FirstX(), 16, 1e-9);
  rewound = asker_.Ask(RewindTo("game", 16)).rewind_track();
  EXPECT_EQ(rewound.clamp(), v1::TRACK_CLAMP_NONE);
  // Across the ticks that are missing.
  rewound = asker_.Ask(RewindTo("game", 14, 0.5)).rewind_track();
  EXPECT_EQ(rewound.clamp(), v1::TRACK_CLAMP_NONE);
  EXPECT_EQ(rewound.earlier_tick(), 12u);
  EXPECT_EQ(rewound.later_tick(), 16u);
  EXPECT_EQ(rewound.weight(), 2.5 / 4);
  EXPECT_NEAR(FirstX(), 14.5, 1e-9);
}

TEST_F(TrackTest, BodiesComeAndGoWithTheTicksThatHaveThem) {
  ExpectOk(writer_.Ask(OpenTrackOf("game")));
  ExpectOk(writer_.Ask(AttachAt({{6, -20}})));
  ExpectOk(writer_.Ask(TickOf(1)));  // 5 at 0 and 6 at -20
  v1::SessionRequest change = AttachAt({{4, -40}, {7, 100}});
  change.mutable_change_bodies()->mutable_change()->add_removed_bodies(6);
  ExpectOk(writer_.Ask(change));
  ExpectOk(writer_.Ask(TickOf(2)));  // 4 at -40, 5 at 0 and 7 at 100
  EXPECT_EQ(asker_.Ask(RewindTo("game", 1, 0.9)).rewind_track().body_count(), 2u);
  EXPECT_NEAR(FirstX(), -20, 1e-9) << "4 is not there yet, and 6 is still there";
  EXPECT_EQ(asker_.Ask(RewindTo("game", 2)).rewind_track().body_count(), 3u);
  EXPECT_NEAR(FirstX(), -40, 1e-9) << "4 has come, and 6 has gone";
}

TEST_F(TrackTest, BodiesAreLeftOutAndTakeThePlaceOfTheScenes) {
  CreateRow(server_, "row", 6, Forever());  // 0 to 5, body i at x = i
  ExpectOk(asker_.Ask(OpenIn(0, "row")));
  ExpectOk(writer_.Ask(OpenTrackOf("game")));
  PublishAt(1, -7);
  v1::SessionRequest request = RewindTo("game", 1);
  v1::RewindTrack& rewind = *request.mutable_rewind_track();
  rewind.set_base_scene_slot(0);
  EXPECT_EQ(asker_.Ask(request).rewind_track().scene_revision(), 1u);
  EXPECT_NEAR(FirstX(), -7, 1e-9);
  // The track's, the scene's, one twice and one that neither has.
  for (const std::uint32_t id : {5, 0, 0, 99}) rewind.add_left_out_bodies(id);
  EXPECT_EQ(asker_.Ask(request).rewind_track().body_count(), 0u);
  EXPECT_NEAR(FirstX(), 1, 1e-9);
  for (const std::uint32_t id : {1, 2, 3, 4}) rewind.add_left_out_bodies(id);
  ExpectRefusal(asker_.Ask(request), grpc::StatusCode::RESOURCE_EXHAUSTED,
                "rewind_track.left_out_bodies", "8");
}

// A scene takes the same memory in whatever slot, so that the first tells how many there can be.
TEST_F(TrackTest, RewoundScenes_TakeAtMostWhatOthersLeaveFree) {
  server::Limits limits = FewOfAll();
  const auto rewind_all = [&](int* held) {
    TrackServer server(limits);
    CreateRow(server, "row", 100, Forever());
    TestSession writer(server);
    writer.Open(0, "ball");
    ExpectOk(writer.Ask(AttachAt({{5, 0}})));
    ExpectOk(writer.Ask(OpenTrackOf("game")));
    ExpectOk(writer.Ask(TickOf(1)));
    TestSession asker(server);
    ExpectOk(asker.Ask(OpenIn(0, "row")));
    v1::SessionRequest request = RewindTo("game", 1);
    request.mutable_rewind_track()->set_base_scene_slot(0);
    for (*held = 0; *held < 3; ++*held) {
      request.mutable_rewind_track()->set_scene_slot(*held + 1);
      const v1::SessionResponse response = asker.Ask(request);
      if (response.status().code() == 0) continue;
      EXPECT_EQ(response.status().code(), static_cast<int>(grpc::StatusCode::RESOURCE_EXHAUSTED));
      EXPECT_EQ(ErrorOf(response.status()).field(), "rewind_track.scene_slot");
      break;
    }
    if (*held == 0) return std::uint64_t{0};
    const double bytes = server.metrics.scene_bytes_rewound().Value();
    // Into a slot that is used already there is room.
    request.mutable_rewind_track()->set_scene_slot(1);
    ExpectOk(asker.Ask(request));
    v1::SessionRequest close;
    close.mutable_close_scene()->set_scene_slot(1);
    ExpectOk(asker.Ask(close));
    EXPECT_EQ(server.metrics.scene_bytes_rewound().Value(), bytes - bytes / *held);
    return static_cast<std::uint64_t>(bytes);
  };
  int held = 0;
  const std::uint64_t bytes = rewind_all(&held);
  EXPECT_EQ(held, 3);
  EXPECT_GT(bytes, 3u * 100 * sizeof(Pose)) << "the base counts too";
  limits.max_scene_bytes = 2 * bytes / 3 * 2;
  EXPECT_EQ(rewind_all(&held), bytes / 3 * 2);
  EXPECT_EQ(held, 2);
}

// Only what is too dear for a polling thread is waited for.
TEST(Rewind, IsWorkForAWorkerWhereItsBaseIsLarge) {
  TrackServer server;
  CreateRow(server, "small", 10, Forever());
  CreateRow(server, "large", 5'000, Forever());
  TestSession writer(server);
  writer.Open(0, "ball");
  ExpectOk(writer.Ask(AttachAt({{5, 0}})));
  ExpectOk(writer.Ask(OpenTrackOf("game")));
  ExpectOk(writer.Ask(TickOf(1)));
  const auto waits = [&](const std::string& base) {
    const auto before = server.metrics.queue_seconds().Collect().histogram.sample_count;
    TestSession asker(server);
    ExpectOk(asker.Ask(OpenIn(0, base)));
    v1::SessionRequest request = RewindTo("game", 1);
    request.mutable_rewind_track()->set_base_scene_slot(0);
    ExpectOk(asker.Ask(request));
    // A message is done with before the one after the next is answered.
    for (int i = 0; i < 2; ++i) ExpectOk(asker.Ask(OpenIn(0, base)));
    return server.metrics.queue_seconds().Collect().histogram.sample_count - before;
  };
  EXPECT_EQ(waits("small"), 0u);
  EXPECT_EQ(waits("large"), 1u);
}

TEST_F(TrackTest, HasOneWriterAndEndsWithItsSession) {
  ExpectRefusal(asker_.Ask(RewindTo("game", 1)), grpc::StatusCode::FAILED_PRECONDITION,
                "rewind_track.track", "game");
  ExpectOk(writer_.Ask(OpenTrackOf("game")));
  EXPECT_EQ(server_.metrics.tracks().Value(), 1);
  ExpectRefusal(asker_.Ask(RewindTo("game", 1)), grpc::StatusCode::FAILED_PRECONDITION,
                "rewind_track.track", "game");
  ExpectRefusal(asker_.Ask(OpenTrackOf("game")), grpc::StatusCode::ALREADY_EXISTS,
                "open_track.name", "game");
  ExpectRefusal(writer_.Ask(OpenTrackOf("other")), grpc::StatusCode::FAILED_PRECONDITION,
                "open_track.name", "other");
  PublishAt(1, 3);
  ExpectOk(asker_.Ask(RewindTo("game", 1)));
  EXPECT_TRUE(writer_.Finish().ok());
  EXPECT_EQ(server_.metrics.tracks().Value(), 0);
  EXPECT_NEAR(FirstX(), 3, 1e-9) << "what was rewound stays";
  ExpectRefusal(asker_.Ask(RewindTo("game", 1)), grpc::StatusCode::NOT_FOUND, "rewind_track.track",
                "game");
  // The slot is poisoned.
  v1::SessionRequest ray;
  ray.mutable_ray()->set_count(1);
  ray.mutable_ray()->set_scene_slot(1);
  const v1::SessionResponse refused = asker_.Ask(ray);
  ExpectRefusal(refused, grpc::StatusCode::FAILED_PRECONDITION, "ray.scene_slot", "1");
  EXPECT_THAT(refused.status().message(), HasSubstr("game"));
  // The name is free again.
  ExpectOk(asker_.Ask(OpenTrackOf("game")));
  v1::SessionRequest close;
  close.mutable_close_track();
  EXPECT_EQ(asker_.Ask(close).close_track().name(), "game");
  ExpectRefusal(asker_.Ask(close), grpc::StatusCode::FAILED_PRECONDITION, "close_track.track",
                "none");
}

TEST_F(TrackTest, RefusesTicksThatAreNone) {
  ExpectRefusal(writer_.Ask(TickOf(1)), grpc::StatusCode::FAILED_PRECONDITION, "publish_tick.track",
                "none");
  ExpectOk(writer_.Ask(OpenTrackOf("game")));
  PublishAt(7, 0);
  ExpectRefusal(writer_.Ask(TickOf(7)), grpc::StatusCode::FAILED_PRECONDITION, "publish_tick.tick",
                "7");
  ExpectRefusal(writer_.Ask(TickOf((std::uint64_t{1} << 53) + 1)),
                grpc::StatusCode::INVALID_ARGUMENT, "publish_tick.tick", "9007199254740993");
  v1::SessionRequest request = TickOf(8);
  auto* const poses = request.mutable_publish_tick()->mutable_poses();
  poses->Add(0);
  ExpectRefusal(writer_.Ask(request), grpc::StatusCode::INVALID_ARGUMENT, "publish_tick.poses",
                "1 numbers");
  poses->Clear();
  AddPoseAt(NAN, poses);
  ExpectRefusal(writer_.Ask(request), grpc::StatusCode::INVALID_ARGUMENT, "publish_tick.poses[0]",
                "nan");
  poses->Clear();
  AddPoseAt(1e308, poses);
  ExpectRefusal(writer_.Ask(request), grpc::StatusCode::INVALID_ARGUMENT, "publish_tick.poses[0]",
                "1e+308");
  ExpectOk(writer_.Ask(AttachAt({{1, 0}, {2, 0}, {3, 0}, {4, 0}})));
  ExpectRefusal(writer_.Ask(TickOf(8)), grpc::StatusCode::RESOURCE_EXHAUSTED, "publish_tick.poses",
                "5 bodies");
  v1::SessionRequest reset;
  reset.mutable_change_bodies()->set_reset(true);
  ExpectOk(writer_.Ask(reset));
  writer_.Open(0, Sphere(1));
  ExpectOk(writer_.Ask(AttachAt({{1, 0}})));
  ExpectRefusal(writer_.Ask(TickOf(8)), grpc::StatusCode::FAILED_PRECONDITION, "publish_tick.poses",
                "query bodies with inline shapes");
  v1::SessionRequest bad;
  bad.mutable_change_bodies()->mutable_change()->add_removed_bodies(99);
  writer_.Ask(bad);
  ExpectRefusal(writer_.Ask(TickOf(8)), grpc::StatusCode::FAILED_PRECONDITION, "publish_tick.poses",
                "query bodies in doubt");
  EXPECT_EQ(asker_.Ask(RewindTo("game", 9)).rewind_track().newest_tick(), 7u)
      << "what was refused is not there";
}

TEST_F(TrackTest, RefusesTimesAndSlotsThatAreNone) {
  ExpectOk(writer_.Ask(OpenTrackOf("game")));
  PublishAt(7, 0);
  for (const auto& [fraction, text] : {std::pair{1., "1"}, {-0.5, "-0.5"}, {NAN, "nan"}}) {
    ExpectRefusal(asker_.Ask(RewindTo("game", 7, fraction)), grpc::StatusCode::INVALID_ARGUMENT,
                  "rewind_track.fraction", text);
  }
  ExpectRefusal(asker_.Ask(RewindTo("Game", 7)), grpc::StatusCode::INVALID_ARGUMENT,
                "rewind_track.track", "Game");
  v1::SessionRequest request = RewindTo("game", 7);
  v1::RewindTrack& rewind = *request.mutable_rewind_track();
  rewind.set_base_scene_slot(1);
  ExpectRefusal(asker_.Ask(request), grpc::StatusCode::INVALID_ARGUMENT,
                "rewind_track.base_scene_slot", "1");
  rewind.set_base_scene_slot(3);
  ExpectRefusal(asker_.Ask(request), grpc::StatusCode::NOT_FOUND, "rewind_track.base_scene_slot",
                "3");
  rewind.clear_base_scene_slot();
  rewind.set_scene_slot(4);
  ExpectRefusal(asker_.Ask(request), grpc::StatusCode::RESOURCE_EXHAUSTED,
                "rewind_track.scene_slot", "4");
}

TEST_F(TrackTest, HoldsACallerAndTheServerToTheirNumberOfTracks) {
  ExpectOk(writer_.Ask(OpenTrackOf("a")));
  ExpectOk(asker_.Ask(OpenTrackOf("b")));
  TestSession third(server_);
  const v1::SessionResponse refused = third.Ask(OpenTrackOf("c"));
  ExpectRefusal(refused, grpc::StatusCode::RESOURCE_EXHAUSTED, "open_track", "3");
  EXPECT_EQ(ErrorOf(refused.status()).limit(), "max_caller_tracks <= 2");
  EXPECT_EQ(server_.metrics.tracks_refused().Value(), 1);
  EXPECT_TRUE(writer_.Finish().ok());
  ExpectOk(third.Ask(OpenTrackOf("c")));
}

}  // namespace
}  // namespace clearance::testing
