// SPDX-License-Identifier: Apache-2.0
//
// The proof of what a scene answers about a pair: asked as a pair at the same poses, it has the
// same bits as the scene's answer, and the columns of proofs that scenes have not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "tests/integration/service/scene_world.h"

namespace clearance::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAreArray;

// One of a pair: the session's slot of its shape, and where it stands.
struct PlacedBody {
  std::uint32_t slot = 0;
  Pose pose;
  double margin = 0;
};

// Asks the pairs that a row of a scene's answer names, one by one.
class PairsOfRows {
 public:
  PairsOfRows(const World& world, const std::vector<Pose>& poses) : world_(world), poses_(poses) {}

  // Returns the sum of the margins.
  double Add(std::uint32_t row, const IdPair& ids, v1::PairColumns* pairs) const {
    const PlacedBody a = Own(row, ids.a);
    const PlacedBody b = ids.is_self ? Own(row, ids.b) : OfScene(ids.b);
    pairs->set_count(pairs->count() + 1);
    pairs->add_slots_a(a.slot);
    pairs->add_slots_b(b.slot);
    AddPose(a.pose, pairs->mutable_poses_a());
    AddPose(b.pose, pairs->mutable_poses_b());
    return a.margin + b.margin;
  }

 private:
  PlacedBody Own(std::uint32_t row, BodyId id) const {
    const std::uint32_t k = id - 1;
    return {k == 0 ? 1U : 0U, poses_[row * kOwnCount + k], world_.own[k].margin};
  }
  PlacedBody OfScene(BodyId id) const {
    const SceneBody body = *world_.scene->Find(id);
    return {body.body == world_.BodyOf("box") ? 1U : 0U, body.X_WB, body.margin};
  }

  const World& world_;
  const std::vector<Pose>& poses_;
};

std::vector<std::uint64_t> BitsOf(const google::protobuf::RepeatedField<double>& column) {
  std::vector<std::uint64_t> bits;
  for (const double number : column) bits.push_back(std::bit_cast<std::uint64_t>(number));
  return bits;
}

template <class Columns>
IdPair PairAtRow(const Columns& columns, int i) {
  return {columns.bodies_a(i), columns.bodies_b(i), columns.is_self(i)};
}

// With all proofs.
v1::DistanceBatch AllOfDistances() {
  v1::DistanceBatch batch;
  v1::DistanceDetail& detail = *batch.mutable_detail();
  detail.set_distances(true);
  detail.set_bounds(true);
  detail.set_points(true);
  detail.set_normals(true);
  detail.set_witnesses(true);
  detail.set_contacts(true);
  detail.set_depth_proofs(true);
  return batch;
}

v1::DistanceBatchResult AskDistances(TestSession& session, const v1::DistanceBatch& batch) {
  v1::SessionRequest request;
  *request.mutable_distance() = batch;
  const v1::SessionResponse response = session.Ask(request);
  EXPECT_EQ(response.status().code(), 0) << response.status().message();
  return response.distance();
}

// Every row has a witness, and those whose flat shapes overlap a surface that proves the depth.
void ExpectProofs(const v1::DistanceBatchResult& result) {
  ASSERT_EQ(result.witnesses().offsets_size(), static_cast<int>(result.count()) + 1);
  for (int i = 0; i < static_cast<int>(result.count()); ++i) {
    EXPECT_LT(result.witnesses().offsets(i), result.witnesses().offsets(i + 1));
    EXPECT_LT(result.contacts().offsets(i), result.contacts().offsets(i + 1));
  }
  EXPECT_GT(result.depth_proofs().vertices_a_size(), 0);
}

TEST(ProofsOfSceneAnswers, OfNearPairsAreThoseOfTheirDistances) {
  World world;
  WorldSession session(world);
  const std::vector<Pose> poses = world.AnyPoses();
  v1::SessionRequest request;
  v1::NearestBatch& batch = *request.mutable_nearest();
  *batch.mutable_configurations() = ConfigurationsAt(poses);
  batch.set_max_pairs(3);
  v1::NearestDetail& detail = *batch.mutable_detail();
  detail.set_distances(true);
  detail.set_bounds(true);
  detail.set_points(true);
  detail.set_normals(true);
  const v1::NearestPairColumns found = session.Ask(request).nearest().pairs();
  ASSERT_EQ(found.bodies_a_size(), static_cast<int>(3 * kWorldRows));

  const PairsOfRows pairs(world, poses);
  v1::DistanceBatch asked = AllOfDistances();
  for (std::uint32_t i = 0; i < 3 * kWorldRows; ++i)
    pairs.Add(i / 3, PairAtRow(found, static_cast<int>(i)), asked.mutable_pairs());
  const v1::DistanceBatchResult alone = AskDistances(session, asked);
  EXPECT_THAT(alone.states(), ElementsAreArray(found.states()));
  EXPECT_EQ(BitsOf(alone.distances()), BitsOf(found.distances()));
  EXPECT_EQ(BitsOf(alone.lower_bounds()), BitsOf(found.lower_bounds()));
  EXPECT_EQ(BitsOf(alone.upper_bounds()), BitsOf(found.upper_bounds()));
  EXPECT_EQ(BitsOf(alone.points_a()), BitsOf(found.points_a()));
  EXPECT_EQ(BitsOf(alone.points_b()), BitsOf(found.points_b()));
  EXPECT_EQ(BitsOf(alone.normals()), BitsOf(found.normals()));
  ExpectProofs(alone);
}

TEST(ProofsOfSceneAnswers, OfMinimumDistancesAreThoseOfTheDistanceOfTheirPair) {
  World world;
  WorldSession session(world);
  const std::vector<Pose> poses = world.AnyPoses();
  v1::SessionRequest request;
  v1::MinimumDistanceBatch& batch = *request.mutable_minimum_distance();
  *batch.mutable_configurations() = ConfigurationsAt(poses);
  v1::MinimumDistanceDetail& detail = *batch.mutable_detail();
  detail.set_distances(true);
  detail.set_bounds(true);
  detail.set_pairs(true);
  detail.set_points(true);
  detail.set_normals(true);
  const v1::MinimumDistanceBatchResult found = session.Ask(request).minimum_distance();
  ASSERT_EQ(found.bodies_a_size(), static_cast<int>(kWorldRows));

  const PairsOfRows pairs(world, poses);
  v1::DistanceBatch asked = AllOfDistances();
  for (std::uint32_t row = 0; row < kWorldRows; ++row)
    pairs.Add(row, PairAtRow(found, static_cast<int>(row)), asked.mutable_pairs());
  const v1::DistanceBatchResult alone = AskDistances(session, asked);
  EXPECT_EQ(BitsOf(alone.distances()), BitsOf(found.distances()));
  EXPECT_EQ(BitsOf(alone.upper_bounds()), BitsOf(found.upper_bounds()));
  EXPECT_EQ(BitsOf(alone.points_a()), BitsOf(found.points_a()));
  EXPECT_EQ(BitsOf(alone.points_b()), BitsOf(found.points_b()));
  EXPECT_EQ(BitsOf(alone.normals()), BitsOf(found.normals()));
  // That of all pairs together.
  for (int row = 0; row < static_cast<int>(kWorldRows); ++row)
    EXPECT_LE(found.lower_bounds(row), alone.lower_bounds(row));
  ExpectProofs(alone);
}

// How the query body of a pair moves.
void AddMotion(const v1::SweepBatch& motion, std::uint32_t place, v1::TimeOfCollisionBatch* batch,
               bool is_a) {
  for (std::uint32_t i = 3 * place; i < 3 * place + 3; ++i) {
    const int k = static_cast<int>(i);
    if (is_a) {
      batch->add_displacements_a(motion.displacements(k));
      batch->add_rotations_a(motion.rotations(k));
    } else {
      batch->add_displacements_b(motion.displacements(k));
      batch->add_rotations_b(motion.rotations(k));
    }
  }
}

void AddRest(v1::TimeOfCollisionBatch* batch) {
  for (int i = 0; i < 3; ++i) {
    batch->add_displacements_b(0);
    batch->add_rotations_b(0);
  }
}

v1::SweepBatch AnyMotions(World& world, const std::vector<Pose>& poses) {
  v1::SweepBatch batch;
  *batch.mutable_configurations() = ConfigurationsAt(poses);
  *batch.mutable_detail() = EveryColumn();
  batch.set_max_pairs(8);
  for (std::uint32_t i = 0; i < kWorldRows * kOwnCount; ++i) {
    AddNumbers({world.Any(2), world.Any(2), world.Any(2)}, batch.mutable_displacements());
    AddNumbers({world.Any(1), world.Any(1), world.Any(1)}, batch.mutable_rotations());
  }
  return batch;
}

// The pairs that are listed, each alone, with the proofs.
v1::TimeOfCollisionBatch MotionsOfPairs(const PairsOfRows& pairs, const v1::SweepBatch& motions,
                                        const v1::SweepPairColumns& found) {
  v1::TimeOfCollisionBatch batch;
  v1::TimeOfCollisionDetail& detail = *batch.mutable_detail();
  detail.set_times(true);
  detail.set_points(true);
  detail.set_normals(true);
  detail.set_distances(true);
  detail.set_proofs(true);
  for (std::uint32_t row = 0; row < kWorldRows; ++row) {
    const int end = static_cast<int>(found.offsets(static_cast<int>(row) + 1));
    for (int i = static_cast<int>(found.offsets(static_cast<int>(row))); i < end; ++i) {
      const IdPair ids = PairAtRow(found, i);
      batch.add_target_distances(pairs.Add(row, ids, batch.mutable_pairs()));
      AddMotion(motions, row * kOwnCount + ids.a - 1, &batch, true);
      if (ids.is_self) {
        AddMotion(motions, row * kOwnCount + ids.b - 1, &batch, false);
      } else {
        AddRest(&batch);
      }
    }
  }
  return batch;
}

TEST(ProofsOfSceneAnswers, OfMotionsAreThoseOfTheTimesOfTheirPairs) {
  World world;
  WorldSession session(world);
  const std::vector<Pose> poses = world.AnyPoses();
  v1::SessionRequest request;
  *request.mutable_sweep() = AnyMotions(world, poses);
  const v1::SweepBatchResult whole = session.Ask(request).sweep();
  const v1::SweepPairColumns& found = whole.pairs();
  ASSERT_EQ(found.offsets_size(), static_cast<int>(kWorldRows) + 1);

  v1::SessionRequest again;
  *again.mutable_time_of_collision() =
      MotionsOfPairs(PairsOfRows(world, poses), request.sweep(), found);
  const v1::TimeOfCollisionBatchResult alone = session.Ask(again).time_of_collision();
  EXPECT_THAT(alone.states(), ElementsAreArray(found.states()));
  EXPECT_THAT(found.states(), Contains(v1::MOTION_STATE_HIT));
  EXPECT_THAT(found.is_self(), Contains(true));
  EXPECT_EQ(BitsOf(alone.t_free()), BitsOf(found.t_free()));
  EXPECT_EQ(BitsOf(alone.t_hit()), BitsOf(found.t_hit()));
  EXPECT_EQ(BitsOf(alone.distances()), BitsOf(found.distances()));
  EXPECT_EQ(BitsOf(alone.points_a()), BitsOf(found.points_a()));
  EXPECT_EQ(BitsOf(alone.points_b()), BitsOf(found.points_b()));
  EXPECT_EQ(BitsOf(alone.normals()), BitsOf(found.normals()));
  // The proofs reach as far as the scene says.
  ASSERT_EQ(alone.proofs().offsets_size(), found.states_size() + 1);
  for (int i = 0; i < found.states_size(); ++i) {
    if (found.states(i) != v1::MOTION_STATE_HIT || found.t_free(i) == 0) continue;
    ASSERT_LT(alone.proofs().offsets(i), alone.proofs().offsets(i + 1));
    const int last = static_cast<int>(alone.proofs().offsets(i + 1)) - 1;
    if (alone.proofs().truncated(i)) continue;
    EXPECT_GE(alone.proofs().t_end(last), found.t_free(i));
  }
}

}  // namespace
}  // namespace clearance::testing
