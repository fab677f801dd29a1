// SPDX-License-Identifier: Apache-2.0
//
// Questions of small scenes with answers in closed form.

#include "core/scene/scene_query.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "core/math/tolerance.h"
#include "core/shape/make_shape.h"

namespace clearance {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

RigidBodyPtr Cube(double half) {
  return MakeBody(std::get<ConvexShapePtr>(MakeBox({half, half, half}, 0)));
}
RigidBodyPtr Ball(double radius) {
  return MakeBody(std::get<ConvexShapePtr>(MakeSphere(radius, 0)));
}
Pose At(double x, double y, double z) { return {{x, y, z}, {}}; }

ScenePtr Changed(const ScenePtr& scene, const SceneChange& change) {
  return std::get<ScenePtr>(scene->Apply(change));
}

// Cubes of half a metre each way, at x = 0, 4, 8 ..., with the ids 10, 11, 12 ...
ScenePtr Row(int count) {
  std::vector<SceneBody> bodies;
  for (int i = 0; i < count; ++i) {
    bodies.push_back({static_cast<BodyId>(10 + i), Cube(0.5), At(4 * i, 0, 0), {}, 0});
  }
  return Changed(Scene::MakeEmpty(), {.put = bodies});
}

class SceneQueryTest : public ::testing::Test {
 protected:
  SceneQuery QueryOf(const std::vector<SceneBody>& bodies) const {
    return {.scene = *scene_, .bodies = bodies};
  }

  ScenePtr scene_ = Row(20);
  SceneScratch scratch_;
};

TEST_F(SceneQueryTest, CheckNamesTheFirstPairThatTouches) {
  const std::vector<SceneBody> bodies = {{7, Cube(0.5), At(8.5, 0, 0), {}, 0},
                                         {3, Cube(0.5), At(20.5, 0, 0), {}, 0}};
  const CheckAnswer answer = CheckScene(QueryOf(bodies), {}, &scratch_);
  EXPECT_EQ(answer.verdict, Verdict::kTouching);
  EXPECT_EQ(answer.first.pair, (IdPair{3, 15, false}));
}

TEST_F(SceneQueryTest, CheckTellsHowFarBodiesMayMove) {
  const std::vector<SceneBody> bodies = {{7, Cube(0.5), At(2.25, 0, 0), {}, 0.125}};
  const CheckAnswer answer = CheckScene(QueryOf(bodies), {.wants_free_radius = true}, &scratch_);
  EXPECT_EQ(answer.verdict, Verdict::kFree);
  EXPECT_LE(answer.free_radius, 0.625);
  EXPECT_GT(answer.free_radius, 0.624);
}

TEST_F(SceneQueryTest, MinimumDistanceNamesTheNearestPair) {
  const std::vector<SceneBody> bodies = {{7, Ball(0.5), At(6.25, 0, 0), {}, 0},
                                         {3, Ball(0.5), At(6.25, 5, 0), {}, 0}};
  const MinimumDistanceAnswer answer = MinimumDistance(QueryOf(bodies), {}, &scratch_);
  ASSERT_TRUE(answer.has_pair);
  EXPECT_EQ(answer.pair, (IdPair{7, 12, false}));
  EXPECT_EQ(answer.distance.state, State::kSeparated);
  EXPECT_NEAR(answer.distance.distance, 0.75, 1e-12);
  EXPECT_NEAR(answer.free_radius, 0.75, 1e-12);
}

TEST_F(SceneQueryTest, SweepsAndRaysHitTheFirstInTheWay) {
  const std::vector<SceneBody> bodies = {{7, Cube(0.5), At(6, 0, 0), {}, 0}};
  const std::vector<Motion> motions = {{{-8, 0, 0}, {}, {6, 0, 0}}};
  const SweepAnswer sweep = Sweep({QueryOf(bodies), motions}, {}, &scratch_);
  EXPECT_EQ(sweep.earliest.contact.state, MotionState::kHit);
  EXPECT_EQ(sweep.earliest.pair, (IdPair{7, 11, false}));
  EXPECT_NEAR(sweep.earliest.contact.t_hit, 0.125, 1e-9);

  const SweepAnswer ray =
      CastRay(*scene_, {{2, 0.25, 0}, {100, 0, 0}, 0, {}}, RayKind::kClosest, &scratch_);
  EXPECT_EQ(ray.earliest.contact.state, MotionState::kHit);
  EXPECT_EQ(ray.earliest.pair.b, 11U);
  EXPECT_NEAR(ray.earliest.contact.t_hit, 0.015, 1e-9);
  EXPECT_NEAR(ray.earliest.contact.n_AB.x, 1, 1e-12);
}

TEST_F(SceneQueryTest, CheckAllShowsPairsByIdsUntilItIsStopped) {
  const std::vector<SceneBody> bodies = {{7, Cube(0.5), At(8.5, 0, 0), {}, 0},
                                         {3, Cube(3), At(10, 0, 0), {}, 0}};
  std::vector<IdPair> seen;
  const auto sink = [&](const PairVerdict& found) {
    seen.push_back(found.pair);
    return seen.size() < 3;
  };
  const CheckAnswer answer = CheckAll(QueryOf(bodies), sink, &scratch_);
  EXPECT_EQ(seen, (std::vector<IdPair>{{3, 7, true}, {3, 12, false}, {3, 13, false}}));
  EXPECT_EQ(answer.verdict, Verdict::kTouching);
  EXPECT_EQ(answer.first.pair, (IdPair{3, 7, true}));
}

// More pairs than one walk keeps come in the same order all the same.
TEST_F(SceneQueryTest, AThousandPairsComeInOrder) {
  scene_ = Row(1000);
  const std::vector<SceneBody> bodies = {{5, Cube(5000), At(0, 0, 0), {}, 0}};
  BodyId next = 10;
  CheckAll(
      QueryOf(bodies),
      [&](const PairVerdict& found) {
        EXPECT_EQ(found.pair.b, next);
        ++next;
        return true;
      },
      &scratch_);
  EXPECT_EQ(next, 1010U);
  const MinimumDistanceAnswer answer = MinimumDistance(QueryOf(bodies), {}, &scratch_);
  EXPECT_EQ(answer.distance.state, State::kPenetrating);
  EXPECT_EQ(answer.free_radius, 0);
  std::vector<PairDistance> nearest(700);
  EXPECT_EQ(Nearest(QueryOf(bodies), {}, absl::MakeSpan(nearest), &scratch_).size, 700U);
  EXPECT_EQ(Nearest(QueryOf(bodies), {}, {}, &scratch_).size, 0U);
}

TEST_F(SceneQueryTest, AsksOnlyWhomItIsToldToAsk) {
  const std::vector<SceneBody> bodies = {{7, Cube(0.5), At(8.5, 0, 0), {}, 0},
                                         {3, Cube(0.5), At(8.5, 0.25, 0), {}, 0}};
  SceneQuery query = QueryOf(bodies);
  query.pair_scope = SceneQuery::PairScope::kSelf;
  EXPECT_EQ(CheckScene(query, {}, &scratch_).first.pair, (IdPair{3, 7, true}));
  query.pair_scope = SceneQuery::PairScope::kScene;
  EXPECT_EQ(CheckScene(query, {}, &scratch_).first.pair, (IdPair{3, 12, false}));
  const std::vector<PairRule> listed = {{3, 12, true, 0}, {7, 12, true, 0}};
  const PairRules rules(listed);
  query.rules = &rules;
  EXPECT_EQ(CheckScene(query, {}, &scratch_).verdict, Verdict::kFree);
  query.pair_scope = SceneQuery::PairScope::kSceneAndSelf;
  EXPECT_EQ(CheckScene(query, {}, &scratch_).first.pair, (IdPair{3, 7, true}));
}

TEST_F(SceneQueryTest, ABodyIsNotAskedAgainstItself) {
  const std::vector<SceneBody> bodies = {{12, Cube(0.5), At(8.5, 0, 0), {}, 0}};
  EXPECT_EQ(CheckScene(QueryOf(bodies), {}, &scratch_).verdict, Verdict::kFree);
}

// A shape without a name is not the body of its number, and no rule says anything of it.
TEST_F(SceneQueryTest, ANamelessBodyIsAskedAgainstAll) {
  const std::vector<SceneBody> bodies = {{12, Cube(0.5), At(8.5, 0, 0), {}, 0}};
  const std::vector<PairRule> listed = {{12, 12, true, 0}, {12, 11, true, 0}};
  const PairRules rules(listed);
  SceneQuery query = QueryOf(bodies);
  query.rules = &rules;
  query.is_nameless = true;
  const CheckAnswer answer = CheckScene(query, {.wants_free_radius = true}, &scratch_);
  EXPECT_EQ(answer.verdict, Verdict::kTouching);
  EXPECT_EQ(answer.first.pair, (IdPair{12, 12, false}));
}

TEST_F(SceneQueryTest, ARuleMayWidenOrNarrowAMargin) {
  const std::vector<SceneBody> bodies = {{7, Cube(0.5), At(2, 0, 0), {}, 2}};
  EXPECT_EQ(CheckScene(QueryOf(bodies), {}, &scratch_).verdict, Verdict::kTouching);
  const std::vector<PairRule> listed = {
      {7, 10, false, 0.5}, {7, 11, false, 0.5}, {7, 12, false, 5.5}};
  const PairRules rules(listed);
  SceneQuery query = QueryOf(bodies);
  query.rules = &rules;
  const CheckAnswer answer = CheckScene(query, {}, &scratch_);
  EXPECT_EQ(answer.verdict, Verdict::kTouching);
  EXPECT_EQ(answer.first.pair, (IdPair{7, 12, false}));
  EXPECT_NEAR(answer.first.bracket.upper, 5, 1e-9);
}

// A margin that the distance is just above, or just below, to rounding.
TEST_F(SceneQueryTest, AMarginIsMetToTheLastBits) {
  std::vector<SceneBody> bodies = {{7, Cube(0.5), At(2, 0, 0), {}, 1 - 0x1p-44}};
  EXPECT_EQ(CheckScene(QueryOf(bodies), {}, &scratch_).verdict, Verdict::kFree);
  bodies[0].margin = 1;
  EXPECT_EQ(CheckScene(QueryOf(bodies), {}, &scratch_).verdict, Verdict::kTouching);
  bodies[0].margin = 0.875;
  EXPECT_EQ(CheckScene(QueryOf(bodies), {}, &scratch_).verdict, Verdict::kFree);
}

TEST_F(SceneQueryTest, ConfigurationsOfNoBodyAreFree) {
  std::vector<CheckAnswer> checks(2);
  for (CheckAnswer& answer : checks) answer.verdict = Verdict::kTouching;
  const std::vector<SceneBody> nobody;
  CheckConfigurations({QueryOf(nobody), {}}, {}, absl::MakeSpan(checks), &scratch_);
  for (const CheckAnswer& answer : checks) EXPECT_EQ(answer.verdict, Verdict::kFree);
}

TEST_F(SceneQueryTest, ConfigurationsAreAnsweredAsAlone) {
  const std::vector<SceneBody> bodies = {{7, Cube(0.5), At(0, 9, 0), {}, 0},
                                         {8, Cube(0.5), At(0, 90, 0), {}, 0}};
  const std::vector<Pose> poses = {At(2, 0, 0), At(2, 5, 0), At(4.5, 0, 0),
                                   At(2, 5, 0), At(2, 5, 0), At(2, 5.5, 0)};
  std::vector<CheckAnswer> checks(3);
  CheckConfigurations({QueryOf(bodies), poses}, {.wants_free_radius = true}, absl::MakeSpan(checks),
                      &scratch_);
  EXPECT_EQ(checks[0].verdict, Verdict::kFree);
  EXPECT_LE(checks[0].free_radius, 1);
  EXPECT_GT(checks[0].free_radius, 0.99);
  EXPECT_EQ(checks[1].first.pair, (IdPair{7, 11, false}));
  EXPECT_EQ(checks[2].first.pair, (IdPair{7, 8, true}));
  std::vector<MinimumDistanceAnswer> minimums(3);
  MinimumDistanceOfConfigurations({QueryOf(bodies), poses}, {}, absl::MakeSpan(minimums),
                                  &scratch_);
  EXPECT_NEAR(minimums[0].distance.distance, 1, 1e-12);
  EXPECT_EQ(minimums[1].distance.state, State::kPenetrating);
  EXPECT_TRUE(minimums[2].pair.is_self);
}

// A bar lies askew beyond the first of the cubes, whose boxes its own overlaps, and comes nearer to
// them row by row.
class SceneRowsSideBySide : public SceneQueryTest {
 protected:
  static constexpr std::size_t kRows = 3 * kChecksAtOnce + 5;

  SceneRowsSideBySide() {
    const Quaternion q_WB = {0, 0, std::sin(0.05), std::cos(0.05)};
    for (std::size_t row = 0; row < kRows; ++row) {
      poses_.push_back({{16, 2.8 - 0.01 * static_cast<double>(row), 0}, q_WB});
      poses_.push_back(At(90, 0, row % 7 == 0 ? 4 : 40));
      poses_.push_back(At(90, 0, 4.5));
    }
  }

  // How many rows are not free.
  int ExpectAsAlone(SceneQuery query) {
    std::vector<CheckAnswer> answers(kRows);
    CheckConfigurations({query, poses_}, {}, absl::MakeSpan(answers), &scratch_);
    OwnPairs own_pairs;
    own_pairs.Find(query);
    query.own_pairs = &own_pairs;
    std::vector<CheckAnswer> known(kRows);
    CheckConfigurations({query, poses_}, {}, absl::MakeSpan(known), &scratch_);
    std::uint64_t asked = 0;
    int met = 0;
    for (std::size_t row = 0; row < kRows; ++row) {
      query.poses = absl::MakeConstSpan(poses_).subspan(3 * row, 3);
      const CheckAnswer alone = CheckScene(query, {}, &scratch_);
      ExpectSame(answers[row], alone);
      ExpectSame(known[row], alone);
      met += alone.verdict != Verdict::kFree ? 1 : 0;
      asked += alone.counters.exact;
    }
    EXPECT_GT(asked, 10 * kRows);  // several groups a row
    return met;
  }

  static void ExpectSame(const CheckAnswer& answer, const CheckAnswer& other) {
    EXPECT_EQ(answer.verdict, other.verdict);
    EXPECT_EQ(answer.reason, other.reason);
    EXPECT_EQ(answer.first.pair, other.first.pair);
    EXPECT_EQ(answer.first.verdict, other.first.verdict);
    EXPECT_EQ(answer.first.bracket.lower, other.first.bracket.lower);
    EXPECT_EQ(answer.first.bracket.upper, other.first.bracket.upper);
    EXPECT_EQ(answer.counters.nodes, other.counters.nodes);
    EXPECT_EQ(answer.counters.candidates, other.counters.candidates);
    EXPECT_EQ(answer.counters.exact, other.counters.exact);
  }

  const RigidBodyPtr bar_ = MakeBody(std::get<ConvexShapePtr>(MakeBox({40, 0.25, 0.25}, 0)));
  std::vector<SceneBody> bodies_ = {
      {7, bar_, {}, {}, 0}, {8, Cube(0.5), {}, {}, 0}, {9, Cube(0.5), {}, {}, 0}};
  std::vector<Pose> poses_;
};

TEST_F(SceneRowsSideBySide, AreThoseOfEachAloneToTheLastBit) {
  const int met = ExpectAsAlone(QueryOf(bodies_));
  EXPECT_GT(met, 20);
  EXPECT_LT(met, static_cast<int>(kRows) - 20);
}

TEST_F(SceneRowsSideBySide, AreThoseOfEachAloneWithinMargins) {
  bodies_[0].margin = 0.0625;
  EXPECT_GT(ExpectAsAlone(QueryOf(bodies_)), 10);
}

TEST_F(SceneRowsSideBySide, AreThoseOfEachAloneWithMorePairsThanOneWalkKeeps) {
  std::vector<SceneBody> cubes;
  for (int i = 0; i < 300; ++i)
    cubes.push_back({static_cast<BodyId>(10 + i), Cube(0.1), At(1 + 0.17 * i, 0, 0), {}, 0});
  scene_ = Changed(Scene::MakeEmpty(), {.put = cubes});
  EXPECT_GT(ExpectAsAlone(QueryOf(bodies_)), 10);
}

TEST_F(SceneQueryTest, OwnPairsAreThoseThatAreAsked) {
  std::vector<SceneBody> bodies = {{9, Cube(0.5), At(0, 50, 0), {}, 0.25},
                                   {7, Cube(0.5), At(0, 60, 0), {}, 0},
                                   {8, Cube(0.5), At(0, 70, 0), {2, 2}, 0}};
  const PairRules rules(std::vector<PairRule>{{7, 9, false, 2}});
  SceneQuery query = QueryOf(bodies);
  query.rules = &rules;
  OwnPairs own_pairs;
  own_pairs.Find(query);
  ASSERT_EQ(own_pairs.pairs().size(), 1u);
  EXPECT_EQ(own_pairs.pairs()[0].a, 7u);
  EXPECT_EQ(own_pairs.pairs()[0].b, 9u);
  EXPECT_EQ(own_pairs.pairs()[0].i, 1u);
  EXPECT_EQ(own_pairs.pairs()[0].j, 0u);
  EXPECT_EQ(own_pairs.pairs()[0].margin, 2);
  query.own_pairs = &own_pairs;
  EXPECT_EQ(CheckScene(query, {}, &scratch_).verdict, Verdict::kFree);
  bodies[1].X_WB = At(0, 52.75, 0);
  EXPECT_EQ(CheckScene(query, {}, &scratch_).first.pair, (IdPair{7, 9, true}));
  query.pair_scope = SceneQuery::PairScope::kScene;
  own_pairs.Find(query);
  EXPECT_TRUE(own_pairs.pairs().empty());
}

// Of its own pairs both may move.
TEST_F(SceneQueryTest, HalfOfADistanceIsFreeWhereBothMove) {
  const std::vector<SceneBody> bodies = {{7, Cube(0.5), At(2, 50, 0), {}, 0},
                                         {8, Cube(0.5), At(5, 50, 0), {}, 0}};
  const MinimumDistanceAnswer answer = MinimumDistance(QueryOf(bodies), {}, &scratch_);
  EXPECT_NEAR(answer.distance.distance, 2, 1e-12);
  EXPECT_NEAR(answer.free_radius, 1, 1e-12);
  const MinimumDistanceAnswer near =
      MinimumDistance(QueryOf(bodies), {.max_distance = 1.5}, &scratch_);
  EXPECT_FALSE(near.has_pair);
  EXPECT_EQ(near.distance.state, State::kBeyond);
  EXPECT_EQ(near.free_radius, 0.75);
  const CheckAnswer check = CheckScene(QueryOf(bodies), {.wants_free_radius = true}, &scratch_);
  EXPECT_NEAR(check.free_radius, 1, 1e-4);
}

TEST_F(SceneQueryTest, OfAnEmptySceneNothingIsNear) {
  scene_ = Scene::MakeEmpty();
  const std::vector<SceneBody> bodies = {{7, Cube(0.5), At(2, 0, 0), {}, 0}};
  const CheckAnswer check = CheckScene(QueryOf(bodies), {.wants_free_radius = true}, &scratch_);
  EXPECT_EQ(check.verdict, Verdict::kFree);
  EXPECT_EQ(check.free_radius, kInfinity);
  const MinimumDistanceAnswer minimum = MinimumDistance(QueryOf(bodies), {}, &scratch_);
  EXPECT_FALSE(minimum.has_pair);
  EXPECT_EQ(minimum.distance.state, State::kBeyond);
  EXPECT_EQ(minimum.free_radius, kInfinity);
  const SweepAnswer ray = CastRay(*scene_, {{}, {1, 0, 0}, 0, {}}, RayKind::kAny, &scratch_);
  EXPECT_EQ(ray.earliest.contact.state, MotionState::kFree);
}

TEST_F(SceneQueryTest, RaysOfEveryKind) {
  const Ray ray = {{2, 0, 0}, {10, 0, 0}, 0.25, {}};
  std::vector<BodyId> seen;
  const auto all = [&](const PairSweep& sweep) {
    seen.push_back(sweep.pair.b);
    return true;
  };
  CastRayAll(*scene_, ray, all, &scratch_);
  EXPECT_EQ(seen, (std::vector<BodyId>{11, 12, 13}));
  const SweepAnswer any = CastRay(*scene_, ray, RayKind::kAny, &scratch_);
  EXPECT_EQ(any.earliest.contact.state, MotionState::kHit);
  EXPECT_EQ(any.earliest.pair.b, 11U);
  const SweepAnswer closest = CastRay(*scene_, ray, RayKind::kClosest, &scratch_);
  EXPECT_NEAR(closest.earliest.contact.t_hit, 0.125, 1e-9);  // the ball's radius before the face
  // From inside of a body.
  const SweepAnswer inside =
      CastRay(*scene_, {{4, 0, 0}, {10, 0, 0}, 0, {}}, RayKind::kClosest, &scratch_);
  EXPECT_EQ(inside.earliest.contact.state, MotionState::kInitiallyOverlapping);
  EXPECT_EQ(inside.earliest.pair.b, 11U);
}

// Of two that are overlapped at the start the first by ids, though another is deeper.
// More than a walk in the order of bounds has room for: the rest is asked as well, each once.
TEST_F(SceneQueryTest, ARayThroughAHeapMeetsTheFirstOfIt) {
  std::vector<SceneBody> bodies;
  for (BodyId i = 0; i < 300; ++i)
    bodies.push_back({1000 - i, Ball(1 + 0.001 * (i * 77 % 300)), At(0, 0, 0), {}, 0});
  bodies.push_back({5, Ball(1), At(3, 0, 0), {}, 0});
  bodies.push_back({6, Ball(0.3), At(-1.6, 0.66, 0.66), {}, 0});  // asked before the heap is met
  const ScenePtr heap = Changed(Scene::MakeEmpty(), {.put = bodies});
  // Past the corners of most of the boxes, where no ball is.
  Ray ray = {.origin = {-2, 0.95, 0.95}, .displacement = {8, 0, 0}, .radius = 0, .bits = {}};
  for (const RayKind kind : {RayKind::kClosest, RayKind::kAny}) {
    const SweepAnswer past = CastRay(*heap, ray, kind, &scratch_);
    EXPECT_EQ(past.earliest.contact.state, MotionState::kFree);
    EXPECT_EQ(past.counters.exact, bodies.size());
  }
  ray.origin = {-2, 0, 0};
  const SweepAnswer hit = CastRay(*heap, ray, RayKind::kClosest, &scratch_);
  EXPECT_EQ(hit.earliest.pair.b, 813U);
  EXPECT_NEAR(hit.earliest.contact.t_hit, (2 - 1.299) / 8, 1e-9);
  EXPECT_LE(hit.counters.exact, 2U);
}

TEST_F(SceneQueryTest, SweepsTellWhatIsOverlappedAtTheStart) {
  const std::vector<SceneBody> bodies = {{7, Cube(2), At(6.5, 0, 0), {}, 0}};
  const std::vector<Motion> motions = {{{0, 20, 0}, {}, {}}};
  const SweepAnswer answer = Sweep({QueryOf(bodies), motions}, {}, &scratch_);
  EXPECT_EQ(answer.earliest.contact.state, MotionState::kInitiallyOverlapping);
  EXPECT_EQ(answer.earliest.pair, (IdPair{7, 11, false}));
  const std::vector<SceneBody> resting = {{7, Cube(0.5), At(4, 1, 0), {}, 0}};
  EXPECT_EQ(Sweep({QueryOf(resting), motions}, {}, &scratch_).earliest.contact.state,
            MotionState::kInitiallyOverlapping);
  const SweepAnswer leaves =
      Sweep({QueryOf(resting), motions}, {.ignore_initial_contact = true}, &scratch_);
  EXPECT_EQ(leaves.earliest.contact.state, MotionState::kFree);
  EXPECT_GT(leaves.earliest.contact.t_leave, 0);
}

TEST_F(SceneQueryTest, BodiesThatMoveMeetEachOther) {
  scene_ = Scene::MakeEmpty();
  const std::vector<SceneBody> bodies = {{7, Cube(0.5), At(0, 0, 0), {}, 0},
                                         {8, Cube(0.5), At(5, 0, 0), {}, 0}};
  std::vector<Motion> motions(2);
  const std::vector<Pose> starts = {At(0, 0, 0), At(5, 0, 0)};
  std::vector<Pose> ends = {At(4, 0, 0), At(1, 0, 0)};
  ASSERT_EQ(MotionsToEndPoses(starts, ends, absl::MakeSpan(motions)), 2U);
  const SweepAnswer answer = Sweep({QueryOf(bodies), motions}, {}, &scratch_);
  EXPECT_EQ(answer.earliest.contact.state, MotionState::kHit);
  EXPECT_EQ(answer.earliest.pair, (IdPair{7, 8, true}));
  EXPECT_NEAR(answer.earliest.contact.t_hit, 0.5, 1e-9);
  ends[1].q_WS = {0, 0, 1, 0};
  EXPECT_EQ(MotionsToEndPoses(starts, ends, absl::MakeSpan(motions)), 1U);
}

// A wheel that spins so near to a wall, and for so long, that its steps are used up on the way.
TEST_F(SceneQueryTest, WhatIsNotDecidedMattersOnlyBeforeTheFirstHit) {
  const RigidBodyPtr wheel = MakeBody(std::get<ConvexShapePtr>(MakeCylinder(1, 0.125, 0)));
  scene_ = Changed(Scene::MakeEmpty(), {.put = {{11, Cube(1), At(2 + 0x1p-14, 0, 0), {}, 0},
                                                {12, Cube(0.5), At(-5, 9, 0), {}, 0}}});
  const std::vector<SceneBody> bodies = {{7, wheel, {}, {}, 0},
                                         {8, Cube(0.5), At(-9, 9, 0), {}, 0}};
  const auto ask = [&](double speed) {
    const std::vector<Motion> motions = {{{}, {0, 0, kMaxRotation}, {}},
                                         {{speed, 0, 0}, {}, {-9, 9, 0}}};
    return Sweep({QueryOf(bodies), motions}, {}, &scratch_).earliest;
  };
  // The cube hits at 0.75.
  const PairSweep after = ask(4);
  EXPECT_EQ(after.contact.state, MotionState::kUndecided);
  EXPECT_EQ(after.pair, (IdPair{7, 11, false}));
  ASSERT_GT(after.contact.t_free, 0);
  ASSERT_LT(after.contact.t_free, 0.75);
  const PairSweep before = ask(4 / after.contact.t_free);
  EXPECT_EQ(before.contact.state, MotionState::kHit);
  EXPECT_EQ(before.pair, (IdPair{8, 12, false}));
  EXPECT_NEAR(before.contact.t_hit, 0.75 * after.contact.t_free, 1e-9);
}

TEST_F(SceneQueryTest, ASweepMayBeStoppedAtItsFirstContact) {
  const std::vector<SceneBody> bodies = {{7, Cube(0.5), At(2, 0, 0), {}, 0}};
  const std::vector<Motion> motions = {{{20, 0, 0}, {}, {}}};
  int seen = 0;
  SweepAll(
      {QueryOf(bodies), motions}, {},
      [&](const PairSweep& sweep) {
        EXPECT_EQ(sweep.pair.b, 11U);
        ++seen;
        return false;
      },
      &scratch_);
  EXPECT_EQ(seen, 1);
}

TEST(SceneScratchValue, MayBeMoved) {
  SceneScratch first;
  SceneScratch second = std::move(first);
  first = std::move(second);
  const ScenePtr scene = Row(3);
  const SweepAnswer ray =
      CastRay(*scene, {{-9, 0, 0}, {20, 0, 0}, 0, {}}, RayKind::kClosest, &first);
  EXPECT_EQ(ray.earliest.pair.b, 10U);
}

}  // namespace
}  // namespace clearance
