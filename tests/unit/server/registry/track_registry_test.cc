// SPDX-License-Identifier: Apache-2.0

#include "server/registry/track_registry.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace clearance::server {
namespace {

TrackTickPtr Tick(std::uint64_t number) {
  return std::make_shared<const TrackTick>(TrackTick{
      .number = number, .bodies = std::make_shared<const std::vector<SceneBody>>(), .poses = {}});
}

Limits SomeTracks() {
  Limits limits;
  limits.max_tracks = 3;
  limits.max_caller_tracks = 2;
  return limits;
}

class TrackRegistryTest : public ::testing::Test {
 protected:
  Metrics metrics_{"test"};
  TrackRegistry tracks_{SomeTracks(), &metrics_};
};

TEST_F(TrackRegistryTest, ATrackThatEndedIsToldFromOneThatNeverWas) {
  EXPECT_EQ(tracks_.Find("a").status().code(), absl::StatusCode::kFailedPrecondition);
  const TrackPtr a = *tracks_.Open("a", "x");
  EXPECT_EQ(*tracks_.Find("a"), a);
  EXPECT_EQ(tracks_.Open("a", "y").status().code(), absl::StatusCode::kAlreadyExists);
  tracks_.End(*a);
  EXPECT_EQ(tracks_.Find("a").status().code(), absl::StatusCode::kNotFound);
  const TrackPtr again = *tracks_.Open("a", "y");
  EXPECT_EQ(*tracks_.Find("a"), again);
}

TEST_F(TrackRegistryTest, RemembersTheNamesOfSoManyThatEnded) {
  for (std::size_t i = 0; i <= TrackRegistry::kRememberedEnds; ++i)
    tracks_.End(**tracks_.Open("t" + std::to_string(i), "x"));
  EXPECT_EQ(tracks_.Find("t0").status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(tracks_.Find("t1").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(TrackRegistryTest, CountsTracksOfEachHolderAndInAll) {
  const TrackPtr a = *tracks_.Open("a", "x");
  const TrackPtr b = *tracks_.Open("b", "x");
  EXPECT_EQ(tracks_.Open("c", "x").status().code(), absl::StatusCode::kResourceExhausted);
  const TrackPtr c = *tracks_.Open("c", "y");
  EXPECT_EQ(tracks_.Open("d", "z").status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(metrics_.tracks_refused().Value(), 2);
  EXPECT_EQ(metrics_.tracks().Value(), 3);
  tracks_.End(*a);
  EXPECT_TRUE(tracks_.Open("d", "x").ok());
}

TEST_F(TrackRegistryTest, WhoHasTheTicksKeepsThemWhateverIsPublished) {
  const TrackPtr track = *tracks_.Open("a", "x");
  EXPECT_TRUE(track->ticks()->empty());
  for (std::uint64_t number = 0; number < 5; ++number) track->Publish(Tick(number), 3);
  const TrackTicksPtr held = track->ticks();
  ASSERT_EQ(held->size(), 3u);
  EXPECT_EQ(held->front()->number, 2u);
  track->Publish(Tick(9), 3);
  tracks_.End(*track);
  EXPECT_EQ(held->back()->number, 4u);
  EXPECT_EQ(track->ticks()->front()->number, 3u);
}

}  // namespace
}  // namespace clearance::server
