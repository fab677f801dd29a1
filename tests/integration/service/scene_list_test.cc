// SPDX-License-Identifier: Apache-2.0
//
// Questions about scenes whose rows list pairs: nearest ones, all that touch, all along a path. The
// oracle is the core, asked directly about the same bodies.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "tests/integration/service/scene_world.h"

namespace clearance::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint32_t kMostPairs = 3;

// The entries of a row.
template <class Pairs>
std::uint32_t CountOf(const Pairs& pairs, std::uint32_t row) {
  return pairs.offsets(static_cast<int>(row) + 1) - pairs.offsets(static_cast<int>(row));
}

v1::SessionRequest NearestOf(const v1::ConfigurationColumns& columns) {
  v1::SessionRequest request;
  v1::NearestBatch& batch = *request.mutable_nearest();
  *batch.mutable_configurations() = columns;
  batch.set_max_pairs(kMostPairs);
  v1::NearestDetail& detail = *batch.mutable_detail();
  detail.set_distances(true);
  detail.set_bounds(true);
  detail.set_points(true);
  detail.set_normals(true);
  return request;
}

TEST(SceneLists, NearestPairsAreThoseOfTheCore) {
  World world;
  WorldSession session(world);
  const std::vector<Pose> poses = world.AnyPoses();
  v1::SessionRequest request = NearestOf(ConfigurationsAt(poses));
  request.mutable_nearest()->add_max_distances(0.5);
  const v1::SessionResponse response = session.Ask(request);
  ASSERT_EQ(response.status().code(), 0) << response.status().message();
  const v1::NearestBatchResult& result = response.nearest();
  const v1::NearestPairColumns& pairs = result.pairs();
  ASSERT_EQ(result.states_size(), static_cast<int>(kWorldRows));
  EXPECT_EQ(result.scene_revision(), 1u);
  std::vector<PairDistance> nearest(kMostPairs);
  std::uint32_t full = 0;
  for (std::uint32_t row = 0; row < kWorldRows; ++row) {
    SCOPED_TRACE(row);
    const NearestAnswer answer = Nearest(world.QueryAt(poses, row), {.max_distance = 0.5},
                                         absl::MakeSpan(nearest), &world.scratch);
    ASSERT_EQ(CountOf(pairs, row), answer.size);
    EXPECT_EQ(result.states(static_cast<int>(row)),
              answer.size == 0 ? static_cast<int>(v1::STATE_BEYOND)
                               : static_cast<int>(nearest[0].distance.state));
    full += answer.size == kMostPairs ? 1 : 0;
    for (std::uint32_t k = 0; k < answer.size; ++k) {
      const int i = static_cast<int>(pairs.offsets(static_cast<int>(row)) + k);
      ExpectPair(pairs, i, nearest[k].pair);
      EXPECT_EQ(pairs.states(i), static_cast<int>(nearest[k].distance.state));
      EXPECT_EQ(pairs.distances(i), nearest[k].distance.distance);
      EXPECT_EQ(pairs.lower_bounds(i), nearest[k].distance.bracket.lower);
      EXPECT_EQ(pairs.upper_bounds(i), nearest[k].distance.bracket.upper);
      ExpectVector(pairs.points_a(), i, nearest[k].distance.p_WA);
      ExpectVector(pairs.points_b(), i, nearest[k].distance.p_WB);
      ExpectVector(pairs.normals(), i, nearest[k].distance.n_AB);
    }
  }
  EXPECT_GT(full, kWorldRows / 10);
  EXPECT_LT(full, kWorldRows * 9 / 10);
}

// The first of the nearest is the minimum distance's own pair, if the state is that of one pair.
TEST(SceneLists, TheNearestPairIsThatOfTheMinimumDistance) {
  World world;
  WorldSession session(world);
  const v1::ConfigurationColumns columns = ConfigurationsAt(world.AnyPoses());
  const v1::NearestBatchResult nearest = session.Ask(NearestOf(columns)).nearest();
  v1::SessionRequest request;
  *request.mutable_minimum_distance()->mutable_configurations() = columns;
  request.mutable_minimum_distance()->mutable_detail()->set_pairs(true);
  request.mutable_minimum_distance()->mutable_detail()->set_distances(true);
  const v1::MinimumDistanceBatchResult minimum = session.Ask(request).minimum_distance();
  for (std::uint32_t row = 0; row < kWorldRows; ++row) {
    SCOPED_TRACE(row);
    const int i = static_cast<int>(row);
    const auto first = static_cast<int>(nearest.pairs().offsets(i));
    EXPECT_EQ(nearest.pairs().bodies_a(first), minimum.bodies_a(i));
    EXPECT_EQ(nearest.pairs().bodies_b(first), minimum.bodies_b(i));
    EXPECT_EQ(nearest.pairs().distances(first), minimum.distances(i));
  }
}

template <class Pairs>
void ExpectVerdict(const Pairs& pairs, int i, const PairVerdict& found) {
  ExpectPair(pairs, i, found.pair);
  EXPECT_EQ(pairs.verdicts(i), static_cast<int>(found.verdict));
  EXPECT_EQ(pairs.lower_bounds(i), found.bracket.lower);
  EXPECT_EQ(pairs.upper_bounds(i), found.bracket.upper);
}

// Expects that a row lists the pairs that the core finds, as far as there is room.
void ExpectVerdicts(const v1::VerdictPairColumns& pairs, std::uint32_t row, const SceneQuery& query,
                    std::size_t most) {
  SceneScratch scratch;
  std::vector<PairVerdict> all;
  CheckAll(
      query,
      [&](const PairVerdict& found) {
        all.push_back(found);
        return true;
      },
      &scratch);
  EXPECT_EQ(pairs.truncated(static_cast<int>(row)), all.size() > most);
  ASSERT_EQ(CountOf(pairs, row), std::min<std::size_t>(all.size(), most));
  for (std::uint32_t k = 0; k < CountOf(pairs, row); ++k)
    ExpectVerdict(pairs, static_cast<int>(pairs.offsets(static_cast<int>(row)) + k), all[k]);
}

TEST(SceneLists, AllThatTouchesIsWhatTheCoreShows) {
  constexpr std::uint32_t kMost = 1;
  World world;
  WorldSession session(world);
  const std::vector<Pose> poses = world.AnyPoses();
  v1::SessionRequest request;
  v1::CheckBatch& batch = *request.mutable_check();
  *batch.mutable_configurations() = ConfigurationsAt(poses);
  batch.mutable_detail()->set_bounds(true);
  const v1::CheckBatchResult without = session.Ask(request).check();
  batch.set_max_pairs(kMost);
  const v1::CheckBatchResult result = session.Ask(request).check();
  EXPECT_FALSE(without.has_pairs());
  EXPECT_THAT(result.verdicts(), ElementsAreArray(without.verdicts()));
  EXPECT_THAT(result.lower_bounds(), ElementsAreArray(without.lower_bounds()));
  ASSERT_EQ(result.pairs().offsets_size(), static_cast<int>(kWorldRows) + 1);
  for (std::uint32_t row = 0; row < kWorldRows; ++row) {
    SCOPED_TRACE(row);
    ExpectVerdicts(result.pairs(), row, world.QueryAt(poses, row), kMost);
  }
  EXPECT_THAT(result.pairs().truncated(), ::testing::Contains(true));
  EXPECT_THAT(result.pairs().truncated(), ::testing::Contains(false));
}

// Shapes 0 and 1 (a ball, a box) in turn, with margins and groups.
v1::SessionRequest OverlapOf(const std::vector<Pose>& poses) {
  v1::SessionRequest request;
  v1::OverlapBatch& batch = *request.mutable_overlap();
  batch.set_scene_slot(2);
  batch.set_count(static_cast<std::uint32_t>(poses.size()));
  batch.set_max_pairs(kMostPairs);
  batch.set_bounds(true);
  for (std::uint32_t row = 0; row < poses.size(); ++row) {
    batch.add_shape_slots(row % 2);
    AddPose(poses[row], batch.mutable_poses());
    batch.add_margins(0.1 * (row % 4));
    batch.add_masks(row % 8 == 0 ? 2 : 1);
  }
  return request;
}

TEST(SceneLists, OverlapsAreThoseOfTheCore) {
  World world;
  WorldSession session(world);
  std::vector<Pose> poses;
  for (std::uint32_t row = 0; row < kWorldRows; ++row) poses.push_back(world.AnyPose());
  const v1::SessionResponse response = session.Ask(OverlapOf(poses));
  ASSERT_EQ(response.status().code(), 0) << response.status().message();
  const v1::OverlapBatchResult& result = response.overlap();
  EXPECT_EQ(result.scene_revision(), 1u);
  std::uint32_t touching = 0;
  for (std::uint32_t row = 0; row < kWorldRows; ++row) {
    SCOPED_TRACE(row);
    // No body of the world has this id, so that the name makes no difference.
    const SceneBody shape = {.id = 0,
                             .body = world.BodyOf(row % 2 == 0 ? "ball" : "box"),
                             .X_WB = poses[row],
                             .bits = {1, row % 8 == 0 ? 2U : 1U},
                             .margin = 0.1 * (row % 4)};
    const SceneQuery query = {.scene = *world.scene, .bodies = absl::MakeConstSpan(&shape, 1)};
    ExpectVerdicts(result.pairs(), row, query, kMostPairs);
    const Verdict verdict = CheckScene(query, {}, &world.scratch).verdict;
    EXPECT_EQ(result.verdicts(static_cast<int>(row)), static_cast<int>(verdict));
    touching += verdict == Verdict::kTouching ? 1 : 0;
  }
  EXPECT_THAT(result.pairs().bodies_a(), Each(0U));
  EXPECT_GT(touching, kWorldRows / 10);
  EXPECT_LT(touching, kWorldRows * 9 / 10);
}

// An id that a body of the scene has, and rules about it, mean nothing to a shape without a name.
TEST(SceneLists, AShapeThatOverlapsHasNoName) {
  TestServer server;
  Register(server, "ball", Sphere(0.4));
  v1::CreateSceneRequest request;
  request.set_name("row");
  *request.mutable_content()->mutable_bodies() = RowOf(2, "ball");
  request.mutable_content()->mutable_bodies()->add_margins(0.05);
  v1::PairRuleColumns& rules = *request.mutable_content()->mutable_rules();
  rules.set_count(1);
  rules.add_bodies_a(0);
  rules.add_bodies_b(1);
  v1::CreateSceneResponse created;
  ASSERT_TRUE(Call(*server.scenes, &v1::SceneService::Stub::CreateScene, request, &created).ok());
  TestSession session(server);
  session.Open(0, "ball");
  EXPECT_EQ(session.Ask(World::OpenIn(0, "row")).status().code(), 0);
  v1::SessionRequest question;
  v1::OverlapBatch& batch = *question.mutable_overlap();
  batch.set_count(3);
  batch.set_max_pairs(2);
  AddPoseAt(0.5, batch.mutable_poses());
  AddPoseAt(-0.83, batch.mutable_poses());  // 0.03 away: within the body's margin
  AddPoseAt(-0.86, batch.mutable_poses());
  const v1::OverlapBatchResult result = session.Ask(question).overlap();
  EXPECT_THAT(result.verdicts(),
              ElementsAre(v1::VERDICT_TOUCHING, v1::VERDICT_TOUCHING, v1::VERDICT_FREE));
  EXPECT_THAT(result.pairs().offsets(), ElementsAre(0, 2, 3, 3));
  EXPECT_THAT(result.pairs().bodies_b(), ElementsAre(0, 1, 0));
}

void ExpectContact(const v1::SweepPairColumns& pairs, int i, const PairSweep& found) {
  const TimeOfCollisionAnswer& contact = found.contact;
  ExpectPair(pairs, i, found.pair);
  EXPECT_EQ(pairs.states(i), static_cast<int>(contact.state));
  if (contact.state != MotionState::kHit) return;
  EXPECT_EQ(pairs.t_free(i), contact.t_free);
  EXPECT_EQ(pairs.t_hit(i), contact.t_hit);
  EXPECT_EQ(pairs.distances(i), contact.distance);
  ExpectVector(pairs.points_a(), i, contact.p_WA);
  ExpectVector(pairs.points_b(), i, contact.p_WB);
  ExpectVector(pairs.normals(), i, contact.n_AB);
}

void ExpectSweeps(const v1::SweepPairColumns& pairs, std::uint32_t row,
                  const std::vector<PairSweep>& all) {
  EXPECT_EQ(pairs.truncated(static_cast<int>(row)), all.size() > kMostPairs);
  ASSERT_EQ(CountOf(pairs, row), std::min<std::size_t>(all.size(), kMostPairs));
  for (std::uint32_t k = 0; k < CountOf(pairs, row); ++k)
    ExpectContact(pairs, static_cast<int>(pairs.offsets(static_cast<int>(row)) + k), all[k]);
}

// A list changes nothing in the other columns.
void ExpectSameRows(const v1::SweepBatchResult& with, const v1::SweepBatchResult& without) {
  v1::SweepBatchResult rows = with;
  rows.clear_pairs();
  EXPECT_EQ(rows.SerializeAsString(), without.SerializeAsString());
}

TEST(SceneLists, EveryPairOnTheWayIsWhatTheCoreShows) {
  World world;
  WorldSession session(world);
  const std::vector<Pose> poses = world.AnyPoses();
  const std::vector<Pose> ways = world.AnyPoses();
  v1::SessionRequest request;
  v1::SweepBatch& batch = *request.mutable_sweep();
  *batch.mutable_configurations() = ConfigurationsAt(poses);
  *batch.mutable_detail() = EveryColumn();
  for (const Pose& way : ways) AddNumbers(way.p_WS, batch.mutable_displacements());
  const v1::SweepBatchResult without = session.Ask(request).sweep();
  batch.set_max_pairs(kMostPairs);
  const v1::SweepBatchResult result = session.Ask(request).sweep();
  ExpectSameRows(result, without);
  std::size_t listed = 0;
  for (std::uint32_t row = 0; row < kWorldRows; ++row) {
    SCOPED_TRACE(row);
    std::vector<Motion> motions(kOwnCount);
    for (std::uint32_t k = 0; k < kOwnCount; ++k) {
      const std::uint32_t i = row * kOwnCount + k;
      motions[k] = {ways[i].p_WS, {}, poses[i].p_WS};
    }
    std::vector<PairSweep> all;
    SweepAll(
        {world.QueryAt(poses, row), motions}, {},
        [&](const PairSweep& found) {
          all.push_back(found);
          return true;
        },
        &world.scratch);
    ExpectSweeps(result.pairs(), row, all);
    listed += all.size();
  }
  EXPECT_GT(listed, kWorldRows);
  EXPECT_THAT(result.pairs().truncated(), ::testing::Contains(true));
}

TEST(SceneLists, EveryBodyInTheWayOfARayIsWhatTheCoreShows) {
  World world;
  WorldSession session(world);
  v1::SessionRequest request;
  v1::RayBatch& batch = *request.mutable_ray();
  batch.set_count(kWorldRows);
  batch.set_scene_slot(2);
  *batch.mutable_detail() = EveryColumn();
  std::vector<Ray> rays;
  for (std::uint32_t row = 0; row < kWorldRows; ++row) {
    Ray& ray = rays.emplace_back();
    ray.origin = 2.0 * world.AnyPose().p_WS;
    ray.displacement = -2.0 * ray.origin;
    ray.radius = 0.2;
    AddNumbers(ray.origin, batch.mutable_origins());
    AddNumbers(ray.displacement, batch.mutable_displacements());
  }
  batch.add_radii(0.2);
  const v1::SweepBatchResult without = session.Ask(request).ray();
  batch.set_max_pairs(kMostPairs);
  const v1::SweepBatchResult result = session.Ask(request).ray();
  ExpectSameRows(result, without);
  std::size_t listed = 0;
  for (std::uint32_t row = 0; row < kWorldRows; ++row) {
    SCOPED_TRACE(row);
    std::vector<PairSweep> all;
    CastRayAll(
        *world.scene, rays[row],
        [&](const PairSweep& found) {
          all.push_back(found);
          return true;
        },
        &world.scratch);
    ExpectSweeps(result.pairs(), row, all);
    listed += all.size();
  }
  EXPECT_GT(listed, kWorldRows);
}

TEST(SceneLists, BadRowsHaveAnErrorAndNoPairs) {
  World world;
  WorldSession session(world);
  v1::SessionRequest request;
  v1::OverlapBatch& batch = *request.mutable_overlap();
  batch.set_count(5);
  batch.set_scene_slot(2);
  batch.set_max_pairs(4);
  for (const std::uint32_t slot : {0, 0, 0, 9, 0}) batch.add_shape_slots(slot);
  for (int i = 0; i < 5; ++i) AddPoseAt(0, batch.mutable_poses());
  batch.set_poses(7 * 1 + 6, 2);
  batch.set_poses(7 * 4 + 1, std::numeric_limits<double>::quiet_NaN());
  for (const double margin : {10., 0., -1., 0., 0.}) batch.add_margins(margin);
  const v1::OverlapBatchResult result = session.Ask(request).overlap();
  EXPECT_THAT(result.verdicts(),
              ElementsAre(v1::VERDICT_TOUCHING, v1::VERDICT_REFUSED, v1::VERDICT_REFUSED,
                          v1::VERDICT_REFUSED, v1::VERDICT_REFUSED));
  EXPECT_THAT(result.pairs().offsets(), ElementsAre(0, 4, 4, 4, 4, 4));
  ASSERT_EQ(result.errors_size(), 4);
  const struct {
    std::uint32_t index;
    std::uint32_t code;
    const char* field;
    const char* value;
  } rows[] = {{1, 3, "poses[1]", "2"},
              {2, 3, "margins[2]", "-1"},
              {3, 5, "shape_slots[3]", "9"},
              {4, 3, "poses[4]", "nan"}};
  for (int i = 0; i < 4; ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(result.errors(i).index(), rows[i].index);
    EXPECT_EQ(result.errors(i).code(), rows[i].code);
    EXPECT_EQ(result.errors(i).field(), rows[i].field);
    EXPECT_EQ(result.errors(i).value(), rows[i].value);
  }
}

TEST(SceneLists, RowsThatAreNotReachedAreUndecidedAndListNothing) {
  World world;
  WorldSession session(world);
  v1::SessionRequest request = NearestOf(OneRow());
  request.mutable_nearest()->mutable_configurations()->set_count(3);
  request.mutable_nearest()->mutable_options()->mutable_time_budget();
  const v1::NearestBatchResult result = session.Ask(request).nearest();
  EXPECT_THAT(result.states(), Each(v1::STATE_UNDECIDED));
  EXPECT_THAT(result.pairs().offsets(), ElementsAre(0, 0, 0, 0));
  ASSERT_EQ(result.undecided_size(), 3);
  EXPECT_EQ(result.undecided(1).reason(), v1::UNDECIDED_REASON_BUDGET);
}

TEST(SceneLists, PartsAreTheWhole) {
  World world;
  WorldSession session(world);
  v1::SessionRequest request = NearestOf(ConfigurationsAt(world.AnyPoses()));
  const v1::NearestBatchResult whole = session.Ask(request).nearest();
  request.mutable_nearest()->mutable_options()->set_max_reply_bytes(5000);
  ASSERT_TRUE(session.Send(request));
  v1::NearestBatchResult joined;
  int parts = 0;
  for (; joined.states_size() < static_cast<int>(kWorldRows); ++parts) {
    v1::SessionResponse response;
    ASSERT_TRUE(session.Receive(&response));
    ASSERT_EQ(response.status().code(), 0) << response.status().message();
    EXPECT_LE(response.ByteSizeLong(), 5000u);
    const v1::NearestBatchResult& part = response.nearest();
    EXPECT_EQ(part.first_row(), static_cast<std::uint32_t>(joined.states_size()));
    EXPECT_EQ(part.pairs().offsets_size(), part.states_size() + 1);
    EXPECT_EQ(part.pairs().offsets(0), 0u);
    joined.MergeFrom(part);
  }
  EXPECT_GT(parts, 2);
  EXPECT_THAT(joined.states(), ElementsAreArray(whole.states()));
  EXPECT_THAT(joined.pairs().bodies_b(), ElementsAreArray(whole.pairs().bodies_b()));
  EXPECT_THAT(joined.pairs().distances(), ElementsAreArray(whole.pairs().distances()));
}

TEST(SceneLists, AreCounted) {
  World world;
  WorldSession session(world);
  session.Ask(NearestOf(ConfigurationsAt(world.AnyPoses())));
  std::vector<Pose> poses(kWorldRows);
  for (Pose& pose : poses) pose = world.AnyPose();
  session.Ask(OverlapOf(poses));
  const std::string text = world.server.metrics.Scrape();
  for (const char* const kind : {"scene_nearest", "scene_overlap"}) {
    const std::string label = std::string("{kind=\"") + kind + "\"} 0\n";
    EXPECT_THAT(text, Not(HasSubstr("clearance_scene_nodes_total" + label)));
    EXPECT_THAT(text, Not(HasSubstr("clearance_scene_exact_pairs_total" + label)));
  }
}

struct BadList {
  const char* name;
  std::function<void(v1::SessionRequest&)> spoil;  // of an empty message
  int code;
  const char* field;
  const char* value;
  const char* limit;
};
std::ostream& operator<<(std::ostream& out, const BadList& bad) { return out << bad.name; }

class BadSceneList : public ::testing::TestWithParam<BadList> {};

TEST_P(BadSceneList, IsRefusedWhole) {
  World world;
  WorldSession session(world);
  v1::SessionRequest request;
  GetParam().spoil(request);
  const v1::SessionResponse response = session.Ask(request);
  EXPECT_EQ(response.status().code(), GetParam().code) << response.status().message();
  const v1::Error error = ErrorOf(response.status());
  EXPECT_EQ(error.field(), GetParam().field);
  EXPECT_EQ(error.value(), GetParam().value);
  EXPECT_THAT(error.limit(), HasSubstr(GetParam().limit));
}

v1::NearestBatch& NearestIn(v1::SessionRequest& request) {
  request = NearestOf(OneRow());
  return *request.mutable_nearest();
}

v1::OverlapBatch& OverlapIn(v1::SessionRequest& request) {
  request = OverlapOf({Pose{}});
  return *request.mutable_overlap();
}

INSTANTIATE_TEST_SUITE_P(
    Table, BadSceneList,
    ::testing::Values(
        BadList{"TooManyPairs", [](auto& r) { NearestIn(r).set_max_pairs(4097); }, 8,
                "nearest.max_pairs", "4097", "max_row_pairs <= 4096"},
        BadList{"TooManyBodies", [](auto& r) { OverlapIn(r).set_max_pairs(1u << 31); }, 8,
                "overlap.max_pairs", "2147483648", "max_row_pairs <= 4096"},
        BadList{"TooManyTouching",
                [](auto& r) {
                  *r.mutable_check()->mutable_configurations() = OneRow();
                  r.mutable_check()->set_max_pairs(4097);
                },
                8, "check.max_pairs", "4097", "max_row_pairs <= 4096"},
        BadList{"TooManyOnTheWay",
                [](auto& r) {
                  *r.mutable_sweep()->mutable_configurations() = OneRow();
                  r.mutable_sweep()->set_max_pairs(4097);
                },
                8, "sweep.max_pairs", "4097", "max_row_pairs <= 4096"},
        BadList{"TooManyOnARay",
                [](auto& r) {
                  r.mutable_ray()->set_count(1);
                  r.mutable_ray()->set_scene_slot(2);
                  r.mutable_ray()->set_max_pairs(4097);
                },
                8, "ray.max_pairs", "4097", "max_row_pairs <= 4096"},
        BadList{"NoTolerance", [](auto& r) { NearestIn(r).set_tolerance(-1); }, 3,
                "nearest.tolerance", "-1", ">= 0"},
        BadList{"NearestOfNoRow",
                [](auto& r) { NearestIn(r).mutable_configurations()->set_count(0); }, 3,
                "nearest.configurations.count", "0", ">= 1"},
        BadList{"NearestInNoScene",
                [](auto& r) { NearestIn(r).mutable_configurations()->set_scene_slot(3); }, 5,
                "nearest.configurations.scene_slot", "3", "an open slot"},
        BadList{"OverlapOfNoRow", [](auto& r) { OverlapIn(r).set_count(0); }, 3, "overlap.count",
                "0", ">= 1"},
        BadList{"OverlapInNoScene", [](auto& r) { OverlapIn(r).set_scene_slot(3); }, 5,
                "overlap.scene_slot", "3", "an open slot"},
        BadList{"PosesDoNotFit", [](auto& r) { OverlapIn(r).add_poses(1); }, 3, "overlap.poses",
                "8 numbers", "7"},
        BadList{"SlotsDoNotFit", [](auto& r) { OverlapIn(r).add_shape_slots(1); }, 3,
                "overlap.shape_slots", "2 numbers", "1"},
        BadList{"NoRoomForOneRow",
                [](auto& r) {
                  NearestIn(r).set_max_pairs(4096);
                  r.mutable_nearest()->mutable_options()->set_max_reply_bytes(2000);
                },
                8, "nearest.options.max_reply_bytes", "2000", ">= "}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace clearance::testing
