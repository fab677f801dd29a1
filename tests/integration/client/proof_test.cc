// SPDX-License-Identifier: Apache-2.0
//
// The proof checker against real answers: random pairs of every kind, over a range of gaps. It
// shares no code with the server, so an answer that it accepts is right whatever the server did.
#include "clearance/proof.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "clearance/session.h"
#include "tests/integration/client/real_server.h"

namespace clearance::client {
namespace {

constexpr unsigned kSeed = 20261121;

class Random {
 public:
  double Uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator_);
  }
  Vec3 Point(double reach) {
    return {Uniform(-reach, reach), Uniform(-reach, reach), Uniform(-reach, reach)};
  }
  Pose PoseWithin(double reach) {
    const Vec3 p = Point(reach);
    std::normal_distribution<double> normal;
    const double q[4] = {normal(generator_), normal(generator_), normal(generator_),
                         normal(generator_)};
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    return {p.x, p.y, p.z, q[0] / length, q[1] / length, q[2] / length, q[3] / length};
  }
  Shape Hull(int points) {
    client::Hull hull;
    for (int i = 0; i < points; ++i) AppendVec3(Point(1), &hull.vertices);
    return {hull, 0};
  }

 private:
  std::mt19937 generator_{kSeed};
};

std::vector<Shape> OneOfEachKind(Random* random) {
  return {{Point{}, 0.3},
          {Segment{random->Point(1), random->Point(1)}, 0.1},
          {Triangle{random->Point(1), random->Point(1), random->Point(1)}, 0},
          {Sphere{0.7}, 0.1},
          {Capsule{0.2, 0.6}, 0},
          {Box{{0.3, 0.5, 0.7}}, 0.05},
          random->Hull(40),
          {Polygon{{-1, -0.5, 1, -0.25, 0.25, 1}}, 0},
          {Cylinder{0.4, 0.6}, 0.05},
          {Cone{0.5, 0.7}, 0},
          {Ellipsoid{{0.3, 0.6, 0.9}}, 0}};
}

TEST(VerifyDistanceWithServer, ProvesRandomPairsOfEveryKind) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  const RealServer server;
  const std::unique_ptr<Session> session = server.Connect().OpenSession();
  Random random;
  const std::vector<Shape> shapes = OneOfEachKind(&random);
  for (std::uint32_t slot = 0; slot < shapes.size(); ++slot) {
    ASSERT_TRUE(session->Open(slot, shapes[slot]).ok());
  }
  DistanceBatch batch;
  batch.detail = {.points = true,
                  .normals = true,
                  .relative_points = true,
                  .witnesses = true,
                  .tolerances = true,
                  .depth_proofs = true};
  for (std::uint32_t a = 0; a < shapes.size(); ++a) {
    for (std::uint32_t b = 0; b < shapes.size(); ++b) {
      for (int i = 0; i < 40; ++i) {
        batch.pairs.slots_a.push_back(a);
        batch.pairs.slots_b.push_back(b);
        AppendPose(random.PoseWithin(1.5), &batch.pairs.poses_a);
        AppendPose(random.PoseWithin(1.5), &batch.pairs.poses_b);
        ++batch.pairs.count;
      }
    }
  }
  const absl::StatusOr<DistanceResult> result = session->Ask(batch);
  ASSERT_TRUE(result.ok()) << result.status();
  std::map<State, int> tally;
  for (std::uint32_t row = 0; row < batch.pairs.count; ++row) {
    const Pose pose_a = PoseOfRow(batch.pairs.poses_a, row);
    const Pose pose_b = PoseOfRow(batch.pairs.poses_b, row);
    const std::vector<Violation> violations =
        VerifyDistance({shapes[batch.pairs.slots_a[row]], pose_a},
                       {shapes[batch.pairs.slots_b[row]], pose_b}, *result, row);
    const bool is_curved = std::max(batch.pairs.slots_a[row], batch.pairs.slots_b[row]) >= 8;
    for (const Violation& violation : violations) {
      // The documentation of VerifyDistance excepts these.
      const bool is_overlap = result->states[row] == State::kPenetrating;
      if (is_curved && is_overlap && violation.kind == ViolationKind::kNoProof) continue;
      ADD_FAILURE() << "kinds " << batch.pairs.slots_a[row] << " and " << batch.pairs.slots_b[row]
                    << ": " << violation.message;
    }
    ++tally[result->states[row]];
  }
  // Both verdicts must be well represented, or the test says little.
  EXPECT_GT(tally[State::kSeparated], batch.pairs.count / 4);
  EXPECT_GT(tally[State::kPenetrating], batch.pairs.count / 8);
}

}  // namespace
}  // namespace clearance::client
