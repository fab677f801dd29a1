// SPDX-License-Identifier: Apache-2.0
//
// Sessions that begin each row where it ended in the message before: the answers are those of a
// session that does not, to the last bit.

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "tests/integration/service/harness.h"
#include "tests/support/random.h"

namespace clearance::testing {
namespace {

constexpr std::uint32_t kRows = 70;  // more than are searched for side by side

v1::Shape RandomHull(int points, Random& random) {
  std::vector<double> vertices;
  for (int i = 0; i < points; ++i) {
    const Vec3d p = random.Direction();
    vertices.insert(vertices.end(), {p.x, p.y, p.z});
  }
  return Hull(vertices);
}

// Poses of B around A, which stands still, that move a little from step to step.
class Track {
 public:
  explicit Track(Random& random) {
    for (std::uint32_t i = 0; i < kRows; ++i) {
      places_.push_back(random.Uniform(2.05, 4) * random.Direction());
      headings_.push_back(0.002 * random.Direction());
      turns_.push_back(random.Rotation());
    }
  }

  v1::SessionRequest Step(int step, bool is_warm) const {
    v1::SessionRequest request;
    v1::DistanceBatch& batch = *request.mutable_distance();
    batch.set_warm_start(is_warm);
    batch.mutable_detail()->set_distances(true);
    batch.mutable_detail()->set_points(true);
    batch.mutable_detail()->set_witnesses(true);
    v1::PairColumns& pairs = *batch.mutable_pairs();
    pairs.set_count(kRows);
    pairs.add_slots_a(0);
    pairs.add_slots_b(1);
    for (const double number : {0., 0., 0., 0., 0., 0., 1.}) pairs.add_poses_a(number);
    for (std::uint32_t i = 0; i < kRows; ++i) {
      const Vec3d p = places_[i] + static_cast<double>(step) * headings_[i];
      const Quaternion& q = turns_[i];
      for (const double number : {p.x, p.y, p.z, q.x, q.y, q.z, q.w}) pairs.add_poses_b(number);
    }
    return request;
  }

 private:
  std::vector<Vec3d> places_;
  std::vector<Vec3d> headings_;
  std::vector<Quaternion> turns_;
};

class WarmSession : public ::testing::Test {
 protected:
  void Open(std::uint32_t slot, const v1::Shape& shape) {
    warm_.Open(slot, shape);
    cold_.Open(slot, shape);
  }

  void ExpectSameAnswers(const v1::SessionRequest& warm, const v1::SessionRequest& cold) {
    EXPECT_EQ(warm_.Ask(warm).distance().SerializeAsString(),
              cold_.Ask(cold).distance().SerializeAsString());
  }

  std::uint64_t IterationsOf(TestSession& session, v1::SessionRequest request) {
    request.mutable_distance()->mutable_detail()->set_iterations(true);
    const v1::SessionResponse response = session.Ask(request);
    const auto& iterations = response.distance().iterations();
    return std::accumulate(iterations.begin(), iterations.end(), std::uint64_t{0});
  }

  Random random_{RunSeed()};
  TestServer server_;
  TestSession warm_{server_};
  TestSession cold_{server_};
};

TEST_F(WarmSession, AnswersAsAColdOneInFewerIterations) {
  Open(0, RandomHull(50, random_));
  Open(1, RandomHull(12, random_));
  const Track track(random_);
  for (int step = 0; step < 5; ++step) {
    ExpectSameAnswers(track.Step(step, true), track.Step(step, false));
  }
  const std::uint64_t cold = IterationsOf(cold_, track.Step(5, true));
  const std::uint64_t warm = IterationsOf(warm_, track.Step(5, true));
  EXPECT_GT(cold, 2 * kRows) << "the first with the flag has nothing to begin from";
  EXPECT_LT(4 * warm, cold);
}

TEST_F(WarmSession, ForgetsTheVerticesOfAShapeThatIsReplaced) {
  Open(0, RandomHull(200, random_));
  Open(1, RandomHull(200, random_));
  const Track track(random_);
  ExpectSameAnswers(track.Step(0, true), track.Step(0, false));
  Open(0, RandomHull(4, random_));
  ExpectSameAnswers(track.Step(1, true), track.Step(1, false));
  Open(0, Sphere(1));
  ExpectSameAnswers(track.Step(2, true), track.Step(2, false));
}

TEST_F(WarmSession, HasNoEffectInAUnaryCall) {
  v1::DistanceRequest request;
  v1::DistanceResponse response;
  *request.add_shapes()->mutable_inline_shape() = RandomHull(20, random_);
  *request.add_shapes()->mutable_inline_shape() = RandomHull(20, random_);
  *request.mutable_batch() = Track(random_).Step(0, true).distance();
  const auto ask = [&] {
    return Call(*server_.queries, &v1::QueryService::Stub::Distance, request, &response);
  };
  ASSERT_TRUE(ask().ok());
  const std::string first = response.SerializeAsString();
  ASSERT_TRUE(ask().ok());
  EXPECT_EQ(response.SerializeAsString(), first);
}

}  // namespace
}  // namespace clearance::testing
