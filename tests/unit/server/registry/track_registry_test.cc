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

class TrackRegistryTest : public ::testing::Test {
 protected:
  TrackRegistry tracks_;
};

TEST_F(TrackRegistryTest, ATrackThatEndedIsToldFromOneThatNeverWas) {
  EXPECT_EQ(tracks_.Find("a").status().code(), absl::StatusCode::kFailedPrecondition);
  const TrackPtr a = *tracks_.Open("a");
  EXPECT_EQ(*tracks_.Find("a"), a);
  EXPECT_EQ(tracks_.Open("a").status().code(), absl::StatusCode::kAlreadyExists);
  tracks_.End(*a);
  EXPECT_EQ(tracks_.Find("a").status().code(), absl::StatusCode::kNotFound);
  const TrackPtr again = *tracks_.Open("a");
  EXPECT_EQ(*tracks_.Find("a"), again);
}

TEST_F(TrackRegistryTest, RemembersTheNamesOfSoManyThatEnded) {
  for (std::size_t i = 0; i <= TrackRegistry::kRememberedEnds; ++i)
    tracks_.End(**tracks_.Open("t" + std::to_string(i)));
  EXPECT_EQ(tracks_.Find("t0").status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(tracks_.Find("t1").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(TrackRegistryTest, WhoHasTheTicksKeepsThemWhateverIsPublished) {
  const TrackPtr track = *tracks_.Open("a");
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
