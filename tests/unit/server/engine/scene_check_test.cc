// SPDX-License-Identifier: Apache-2.0
//
// Which answers about scenes stand beside their pairs. Right ones do, whatever pairs are looked at;
// those that are corrupted here, or that are of a scene with less in it, do not.

#include "server/engine/scene_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <variant>
#include <vector>

#include "core/shape/make_shape.h"
#include "tests/support/random.h"

namespace clearance::server {
namespace {

constexpr int kScenes = 300;

RigidBodyPtr CheckedBall() { return MakeBody(std::get<ConvexShapePtr>(MakeSphere(0.5, 0))); }

std::optional<Claim> ClaimOf(const MaybeSceneContradiction& found) {
  return found ? std::optional(found->claim) : std::nullopt;
}

// A few balls that may touch, and own ones among them.
class SceneCheck : public ::testing::Test {
 protected:
  void Place(int others, double half_side) {
    bodies_.clear();
    own_.clear();
    motions_.clear();
    for (int i = 0; i < others; ++i) bodies_.push_back(AnyBall(100 + i, half_side));
    for (int i = 0; i < 2; ++i) {
      own_.push_back(AnyBall(1 + i, half_side));
      motions_.push_back({random_.InCube(4), {}, own_.back().X_WB.p_WS});
    }
    scene_ = SceneOf(bodies_);
  }
  SceneBody AnyBall(int id, double half_side) {
    return {static_cast<BodyId>(id), ball_, {random_.InCube(half_side), {}}, {}, 0.125};
  }
  static ScenePtr SceneOf(const std::vector<SceneBody>& bodies) {
    return std::get<ScenePtr>(Scene::MakeEmpty()->Apply({.put = bodies}));
  }
  // The scene without the body that an answer names.
  ScenePtr Without(BodyId id) const {
    return std::get<ScenePtr>(scene_->Apply({.remove = absl::MakeConstSpan(&id, 1)}));
  }

  SceneQuery QueryOf(const Scene& scene) const { return {.scene = scene, .bodies = own_}; }
  CheckAnswer Checked(const Scene& scene) {
    return CheckScene(QueryOf(scene), {.wants_free_radius = true}, &scratch_);
  }

  MaybeSceneContradiction Look(const CheckAnswer& answer) {
    return FindContradiction(QueryOf(*scene_), answer, turn_++).contradiction;
  }
  MaybeSceneContradiction Look(const MinimumDistanceAnswer& answer) {
    const SceneQuery query = QueryOf(*scene_);
    return FindContradiction(AskedMinimumDistance{query, options_}, answer, turn_++).contradiction;
  }
  MaybeSceneContradiction Look(const SweepAnswer& answer) {
    const MovingSceneQuery moving = {QueryOf(*scene_), motions_};
    return FindContradiction(AskedSweep{moving, {}}, answer, turn_++).contradiction;
  }

  testing::Random random_{testing::RunSeed()};
  const RigidBodyPtr ball_ = CheckedBall();
  std::vector<SceneBody> bodies_;
  std::vector<SceneBody> own_;
  std::vector<Motion> motions_;
  ScenePtr scene_;
  SceneScratch scratch_;
  MinimumDistanceOptions options_;
  PairTurn turn_ = 0;
};

TEST_F(SceneCheck, ChecksStandAndCorruptedOnesDoNot) {
  int touching = 0;
  int free = 0;
  for (int i = 0; i < kScenes; ++i) {
    Place(20, 3);
    CheckAnswer answer = Checked(*scene_);
    ASSERT_FALSE(Look(answer)) << i;
    if (answer.verdict == Verdict::kFree) {
      ++free;
      answer.free_radius = 100;  // farther than any ball is
      EXPECT_EQ(ClaimOf(Look(answer)), Claim::kDistance);
      answer.verdict = Verdict::kTouching;
      answer.first.pair = {1, 100, false};
      EXPECT_EQ(ClaimOf(Look(answer)), Claim::kState);
    } else {
      ++touching;
      CheckAnswer wrong = answer;
      wrong.first.bracket.upper += 1e-9;
      EXPECT_EQ(ClaimOf(Look(wrong)), Claim::kUpper);
      wrong = answer;
      wrong.first.bracket.lower -= 1e-9;
      EXPECT_EQ(ClaimOf(Look(wrong)), Claim::kLower);
      wrong = answer;
      wrong.first.pair.b = 999;
      EXPECT_EQ(ClaimOf(Look(wrong)), Claim::kState);
      // As if a tree had lost the body.
      if (answer.first.pair.is_self) continue;
      const auto lost = Look(Checked(*Without(answer.first.pair.b)));
      ASSERT_TRUE(lost);
      EXPECT_EQ(lost->pair.b, answer.first.pair.b);
    }
  }
  EXPECT_GE(touching, kScenes / 10);
  EXPECT_GE(free, kScenes / 10);
}

TEST_F(SceneCheck, MinimumDistancesStandAndCorruptedOnesDoNot) {
  int beyond = 0;
  for (int i = 0; i < kScenes; ++i) {
    Place(20, 4);
    options_.max_distance = i % 2 == 0 ? 0.5 : HUGE_VAL;
    const MinimumDistanceAnswer answer = MinimumDistance(QueryOf(*scene_), options_, &scratch_);
    ASSERT_FALSE(Look(answer)) << i;
    if (!answer.has_pair) {
      ++beyond;
      continue;
    }
    MinimumDistanceAnswer wrong = answer;
    wrong.distance.bracket.upper += 1e-9;
    EXPECT_EQ(ClaimOf(Look(wrong)), Claim::kUpper);
    wrong = answer;
    wrong.distance.bracket.lower += 1e-6;
    EXPECT_EQ(ClaimOf(Look(wrong)), Claim::kLower);
    if (answer.pair.is_self) continue;
    const ScenePtr less = Without(answer.pair.b);
    EXPECT_EQ(ClaimOf(Look(MinimumDistance(QueryOf(*less), options_, &scratch_))), Claim::kUpper);
  }
  EXPECT_GE(beyond, kScenes / 20);
  EXPECT_LE(beyond, kScenes / 2);
}

RigidBodyPtr Rod() {
  constexpr double kCorners[] = {-2,  0, 0.1, -2,   0.1, -0.1, -2, -0.1, 0,   2, 0,
                                 0.1, 2, 0.1, -0.1, 2,   -0.1, 0,  1,    0.2, 0};
  return MakeBody(std::get<ConvexShapePtr>(MakeHull(kCorners, 0)));
}

// A coarse tolerance leaves brackets as wide as it is, of a pair alone and of the whole not the
// same: that two lower ends differ tells nothing.
TEST_F(SceneCheck, CoarseMinimumDistancesStandAndCorruptedOnesDoNot) {
  const RigidBodyPtr shapes[] = {
      Rod(), MakeBody(std::get<ConvexShapePtr>(MakeEllipsoid({2, 0.5, 0.2}, 0)))};
  int apart = 0;
  int lower = 0;
  for (int i = 0; i < kScenes; ++i) {
    Place(60, 12);
    for (auto* const list : {&bodies_, &own_}) {
      for (SceneBody& body : *list) {
        body.body = shapes[random_.Below(2)];
        body.X_WB.q_WS = random_.Rotation();
      }
    }
    scene_ = SceneOf(bodies_);
    options_.tolerance = random_.LogUniform(0.01, 10);
    const MinimumDistanceAnswer answer = MinimumDistance(QueryOf(*scene_), options_, &scratch_);
    ASSERT_FALSE(Look(answer)) << i;
    if (answer.distance.state != State::kSeparated) continue;
    ++apart;
    MinimumDistanceAnswer wrong = answer;
    wrong.distance.bracket.lower = answer.distance.bracket.upper + 1e-6;
    EXPECT_EQ(ClaimOf(Look(wrong)), Claim::kLower);
    // Within the bracket of the pair alone, but farther than the pair is.
    const double width = answer.distance.bracket.upper - answer.distance.bracket.lower;
    wrong.distance.bracket.lower = answer.distance.bracket.upper - width * 1e-3;
    lower += ClaimOf(Look(wrong)) == Claim::kLower ? 1 : 0;
  }
  EXPECT_GE(apart, kScenes / 4);
  EXPECT_GE(lower, apart / 10);
}

TEST_F(SceneCheck, SweepsStandAndCorruptedOnesDoNot) {
  int hits = 0;
  int overlaps = 0;
  int free = 0;
  for (int i = 0; i < kScenes; ++i) {
    Place(6, 4);
    const MovingSceneQuery moving = {QueryOf(*scene_), motions_};
    const SweepAnswer answer = Sweep(moving, {}, &scratch_);
    ASSERT_FALSE(Look(answer)) << i;
    const MotionState state = answer.earliest.contact.state;
    free += state == MotionState::kFree ? 1 : 0;
    overlaps += state == MotionState::kInitiallyOverlapping ? 1 : 0;
    if (state == MotionState::kHit) {
      ++hits;
      SweepAnswer wrong = answer;
      wrong.earliest.contact.t_hit += 1e-9;
      EXPECT_EQ(ClaimOf(Look(wrong)), Claim::kTime);
    }
    if (state == MotionState::kFree || answer.earliest.pair.is_self) continue;
    const ScenePtr less = Without(answer.earliest.pair.b);
    const MovingSceneQuery lost = {QueryOf(*less), motions_};
    EXPECT_TRUE(Look(Sweep(lost, {}, &scratch_))) << i;
  }
  EXPECT_GE(hits, kScenes / 10);
  EXPECT_GE(overlaps, kScenes / 20);
  EXPECT_GE(free, kScenes / 20);
}

TEST_F(SceneCheck, RaysOfEitherKindStand) {
  const SceneBody point = {0, MakeBody(std::get<ConvexShapePtr>(MakePoint(0))), {}, {}, 0};
  int hits = 0;
  for (int i = 0; i < kScenes; ++i) {
    Place(20, 3);
    const Ray ray = {.origin = random_.InCube(3), .displacement = random_.InCube(6), .radius = 0.1};
    const Pose start = {ray.origin, {}};
    const Motion motion = {ray.displacement, {}, ray.origin};
    const MovingSceneQuery moving = {{.scene = *scene_,
                                      .bodies = absl::MakeConstSpan(&point, 1),
                                      .poses = absl::MakeConstSpan(&start, 1),
                                      .pair_scope = SceneQuery::PairScope::kScene},
                                     absl::MakeConstSpan(&motion, 1)};
    for (const RayKind kind : {RayKind::kClosest, RayKind::kAny}) {
      const SweepAnswer answer = CastRay(*scene_, ray, kind, &scratch_);
      const AskedSweep asked = {moving, {}, ray.radius, kind == RayKind::kAny};
      ASSERT_FALSE(FindContradiction(asked, answer, turn_++).contradiction) << i;
      if (answer.earliest.contact.state != MotionState::kHit) continue;
      ++hits;
      const ScenePtr empty = Scene::MakeEmpty();
      const SweepAnswer lost = CastRay(*empty, ray, kind, &scratch_);
      EXPECT_TRUE(FindContradiction(asked, lost, turn_++).contradiction);
    }
  }
  EXPECT_GE(hits, kScenes / 10);
}

// Of more pairs than are looked at each time all have their turn.
TEST_F(SceneCheck, EveryPairHasItsTurn) {
  Place(3000, 400);
  own_.resize(1);
  CheckAnswer answer = Checked(*scene_);
  ASSERT_EQ(answer.verdict, Verdict::kFree);
  const std::vector<SceneBody> near = {{4000, ball_, own_[0].X_WB, {}, 0}};
  scene_ = std::get<ScenePtr>(scene_->Apply({.put = near}));
  int found = 0;
  constexpr int kTurns = 3001 / 256 + 1;
  for (int i = 0; i < kTurns; ++i) found += Look(answer) ? 1 : 0;
  EXPECT_GE(found, 1);
  EXPECT_LE(found, 2);
}

// The time of a row is not that of its check.
TEST_F(SceneCheck, DoesNotAskThePacerOfTheRow) {
  Place(3000, 1);
  int looks = 0;
  const auto stop = [&] { return ++looks > 1; };
  Pacer pacer(stop);
  const CheckAnswer none;  // says that nothing touches
  SceneQuery query = QueryOf(*scene_);
  WorkBudget budget(&pacer);
  query.budget = &budget;
  EXPECT_TRUE(FindContradiction(query, none, 0).contradiction);
  own_[0].X_WB.p_WS = {100, 0, 0};
  own_[1].X_WB.p_WS = {-100, 0, 0};
  const SceneLook look = FindContradiction(query, Checked(*scene_), 0);
  EXPECT_FALSE(look.contradiction);
  EXPECT_FALSE(look.is_too_large);
  EXPECT_EQ(looks, 1);
  EXPECT_FALSE(pacer.has_stopped());
}

// So many points all around.
RigidBodyPtr RoundHull(int points) {
  std::vector<double> xyz;
  for (int i = 0; i < points; ++i) {
    const double z = (2 * i + 1.0) / points - 1;
    const double angle = 2.399963229728653 * i;  // the golden one: no two points are near
    const double r = std::sqrt(1 - z * z);
    for (const double x : {r * std::cos(angle), r * std::sin(angle), z}) xyz.push_back(x);
  }
  return MakeBody(std::get<ConvexShapePtr>(MakeHull(xyz, 0)));
}

// Pairs that would take too long together are left out, and said to be.
TEST_F(SceneCheck, LeavesOutWhatTakesTooLong) {
  for (const int points : {20, 4000}) {
    Place(200, 0);
    const RigidBodyPtr hull = RoundHull(points);
    own_.resize(1);
    own_[0] = {1, hull, {}, {}, 0};
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      bodies_[i] = {bodies_[i].id, hull, {{4.0 * static_cast<double>(1 + i), 0, 0}, {}}, {}, 0};
    scene_ = SceneOf(bodies_);
    CheckAnswer none;  // says that nothing is near
    none.free_radius = 1e-3;
    const SceneLook look = FindContradiction(QueryOf(*scene_), none, 0);
    EXPECT_FALSE(look.contradiction);
    EXPECT_EQ(look.is_too_large, points == 4000);
  }
}

// What rules, groups and equal ids leave out is not looked at.
TEST_F(SceneCheck, LooksAtEnabledPairsAlone) {
  Place(0, 1);
  own_ = {{1, ball_, {}, {}, 0}};
  const std::vector<SceneBody> put = {
      {1, ball_, {}, {}, 0}, {2, ball_, {}, {}, 0}, {3, ball_, {}, {.group = 2, .mask = 2}, 0}};
  scene_ = SceneOf(put);
  const std::vector<PairRule> listed = {{1, 2, true, 0}};
  const PairRules rules(listed);
  SceneQuery query = QueryOf(*scene_);
  query.rules = &rules;
  const CheckAnswer free;
  EXPECT_FALSE(FindContradiction(query, free, 0).contradiction);
  query.rules = nullptr;
  const auto found = FindContradiction(query, free, 0).contradiction;
  ASSERT_TRUE(found);
  EXPECT_EQ(found->pair, (IdPair{1, 2, false}));
}

}  // namespace
}  // namespace clearance::server
