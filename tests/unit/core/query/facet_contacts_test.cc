// SPDX-License-Identifier: Apache-2.0
//
// Hits of facets side by side have the bits of TimeOfCollision, which answers one pair at a time;
// what they do not prove they leave alone.

#include "core/query/facet_contacts.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <variant>
#include <vector>

#include "core/query/relative_motion.h"
#include "core/shape/make_shape.h"
#include "hwy/targets.h"
#include "tests/support/generators.h"
#include "tests/support/same_bits.h"
#include "tests/support/test_shape.h"
#include "tests/unit/core/query/test_bodies.h"

namespace clearance::testing {
namespace {

// Pairs whose rays meet facets, each kept with all that a task borrows.
class Hits {
 public:
  void Add(const BodyPair& bodies, Random& random) {
    Pair& pair = pairs_.emplace_back(bodies, random);
    if (pair.cast.end != PortalResult::End::kFacet) pairs_.pop_back();
  }

  std::size_t size() const { return pairs_.size(); }
  PortalResult& cast(std::size_t i) { return pairs_[i].cast; }
  bool IsOfBoxes(std::size_t i) const { return pairs_[i].difference.HasBoxesOnly(); }
  TimeOfCollisionAnswer Alone(std::size_t i) const {
    return TimeOfCollision(pairs_[i].a, pairs_[i].b, {});
  }
  FeaturePair FeaturesOf(std::size_t i) const {
    FeaturePair features;
    for (const auto& vertex : pairs_[i].cast.vertex) features.Add(vertex.a, vertex.b);
    return features;
  }

  struct Answered {
    bool is_answered = false;
    TimeOfCollisionAnswer answer;
  };

  // In runs of all lengths around those that vectors have.
  std::vector<Answered> Answer() {
    std::vector<Answered> all(size());
    std::vector<FacetTask> tasks;
    for (std::size_t i = 0; i < size(); ++i) tasks.push_back(pairs_[i].Task(&all[i].answer));
    std::array<bool, kTimesOfCollisionAtOnce> is_answered;
    for (std::size_t first = 0, length = 1; first < size(); first += length) {
      length = length % kTimesOfCollisionAtOnce + 1;
      const auto run = absl::MakeConstSpan(tasks).subspan(first, length);
      AnswerFromFacets(run, {is_answered.data(), run.size()});
      for (std::size_t k = 0; k < run.size(); ++k) all[first + k].is_answered = is_answered[k];
    }
    return all;
  }

 private:
  struct Pair {
    Pair(const BodyPair& bodies, Random& random)
        : shape_a(MakeShape(bodies.a)),
          shape_b(MakeShape(bodies.b)),
          X_WA(bodies.a.pose),
          X_WB(bodies.b.pose),
          motion_a(MotionTo(X_WB.p_WS, random)),
          motion_b{0.25 * random.InCube(1), {}, {}},
          a{*shape_a, X_WA, motion_a},
          b{*shape_b, X_WB, motion_b},
          relative(a, b),
          moving(relative.Translating()),
          placement(relative.CoarseAt(0)),
          difference(relative.pair(), placement),
          R_AW(Transpose(relative.AxesOfA(0))),
          ray_A(relative.ClosingInA()),
          cast(SearchPortal(difference, ray_A)) {}

    Motion MotionTo(const Vec3d& p_WB, Random& random) const {
      return {random.Uniform(1, 2) * (p_WB - X_WA.p_WS) + random.InCube(0.5), {}, {}};
    }

    FacetTask Task(TimeOfCollisionAnswer* answer) const {
      return {&moving,
              &difference,
              &R_AW,
              &cast,
              ray_A,
              motion_a.displacement,
              CenterFromOrigin(a),
              MotionTolerance(relative.pair(), 0),
              answer};
    }

    const ConvexShapePtr shape_a, shape_b;
    const Pose X_WA, X_WB;
    const Motion motion_a, motion_b;
    const MovingShape a, b;
    const RelativeMotion relative;
    const TranslatingPair moving;
    const Placement<double> placement;
    MinkowskiDifference<double> difference;
    const Mat3<double> R_AW;
    const Vec3d ray_A;
    PortalResult cast;
  };

  std::deque<Pair> pairs_;
};

// Boxes, whose faces have four corners, and hulls, whose faces have three; some far apart in the
// exponents of their numbers.
Hits RandomHits(int count, Random& random) {
  Hits hits;
  for (int i = 0; i < count; ++i) {
    BodyPair pair = Generate(i % 2 == 0 ? Family::kBoxes : Family::kRandomHulls, random);
    const double tiny = std::ldexp(1, -30 - random.Below(570));
    if (random.OneIn(8)) pair.a.pose.q_WS = {tiny, 0.6, 0, 0.8};
    if (random.OneIn(8)) pair.b.pose.q_WS = {tiny, 0, 0, 1};
    if (random.OneIn(8)) pair.b.pose.p_WS.y = pair.a.pose.p_WS.y + tiny;
    if (random.OneIn(8)) pair.a.pose.q_WS = {};
    hits.Add(pair, random);
  }
  return hits;
}

TEST(FacetContacts, AreThoseOfEachPairAloneOnEveryVectorUnit) {
  Random random(RunSeed());
  Hits hits = RandomHits(Effort(2000), random);
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    const std::vector<Hits::Answered> all = hits.Answer();
    std::array<int, 4> of_size_a = {};
    int answered = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i].is_answered) continue;
      ++answered;
      ++of_size_a[static_cast<std::size_t>(hits.FeaturesOf(i).a.size)];
      EXPECT_TRUE(SameBits(all[i].answer, hits.Alone(i))) << i;
    }
    EXPECT_GT(answered, Effort(500));
    for (const std::size_t size : {1, 2, 3}) EXPECT_GT(of_size_a[size], Effort(50)) << size;
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(FacetContacts, LeaveWrongFacetsAndPlacesWithoutContact) {
  Random random(RunSeed() + 1);
  Hits hits = RandomHits(Effort(500), random);
  const std::vector<Hits::Answered> right = hits.Answer();
  for (std::size_t i = 0; i < hits.size(); ++i) {
    PortalResult& cast = hits.cast(i);
    if (i % 2 == 0) {
      cast.weight[0] += 1e-6;
    } else {
      cast.vertex[0].w = cast.vertex[0].w + Vec3d{0, 1e-6, 1e-6};
    }
  }
  const std::vector<Hits::Answered> all = hits.Answer();
  int tried = 0;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (!right[i].is_answered) continue;
    ++tried;
    EXPECT_FALSE(all[i].is_answered) << i;
    EXPECT_EQ(all[i].answer.state, MotionState::kUndecided) << "written " << i;
  }
  EXPECT_GT(tried, Effort(100));
}

TEST(FacetContacts, AreNotOfAFacetBehindAnother) {
  Random random(RunSeed() + 2);
  Hits hits = RandomHits(Effort(500), random);
  const std::vector<Hits::Answered> right = hits.Answer();
  for (std::size_t i = 0; i < hits.size(); ++i) {
    auto& [p, q, r] = hits.cast(i).vertex;
    if (i % 2 == 0 && hits.IsOfBoxes(i)) {
      // Three corners that are of no face of a box, and one of the other.
      p.a = 0;
      q.a = 3;
      r.a = 5;
      q.b = r.b = p.b;
    } else {
      for (auto* const vertex : {&p, &q, &r}) vertex->a = vertex->a == 0 ? 1 : 0;
    }
  }
  const std::vector<Hits::Answered> all = hits.Answer();
  int tried = 0;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (!right[i].is_answered) continue;
    ++tried;
    EXPECT_TRUE(!all[i].is_answered || SameBits(all[i].answer, right[i].answer)) << i;
  }
  EXPECT_GT(tried, Effort(100));
}

TEST(FacetContacts, AreForPolytopesWithoutRadiusInOrdinaryUnits) {
  const ConvexShapePtr box = Box(1, 1, 1);
  const ConvexShapePtr can = std::get<ConvexShapePtr>(MakeCylinder(0.5, 1, 0));
  // So little that its units say nothing of it.
  const ConvexShapePtr dot = std::get<ConvexShapePtr>(MakePoint(5e-324));
  EXPECT_FALSE(IsForFacetContacts({*box, *can, 0, 1, 1, 1, 1, {}, 2}));
  EXPECT_TRUE(IsForFacetContacts({*box, *box, 0, 1, 1, 1, 1, {}, 2}));
  EXPECT_FALSE(IsForFacetContacts({*dot, *box, 1, 0, 1, 0, 1, {}, 1}));
  EXPECT_FALSE(IsForFacetContacts({*box, *box, -1050, 1, 1, 1, 1, {}, 2}));
  EXPECT_FALSE(IsForFacetContacts({*box, *box, 1023, 1, 1, 1, 1, {}, 2}));
}

}  // namespace
}  // namespace clearance::testing
