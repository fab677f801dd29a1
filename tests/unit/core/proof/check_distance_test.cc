// SPDX-License-Identifier: Apache-2.0
//
// Right distances and intersections, each tampered with in one way; see tampering.h.

#include "core/proof/check_distance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/unit/core/proof/tampering.h"
#include "tests/unit/core/query/test_bodies.h"

namespace clearance {
namespace {

using TamperedDistance = Tampering<DistanceAnswer>;
using TamperedIntersection = Tampering<IntersectionAnswer>;

struct Pair {
  ConvexShapePtr a;
  ConvexShapePtr b;
  Pose pose_b = {};
  Pose pose_a = {};
  Pose local_a = {};
  Pose local_b = {};

  PosedShape A() const { return {*a, pose_a, local_a}; }
  PosedShape B() const { return {*b, pose_b, local_b}; }
  Check Judge(const DistanceAnswer& answer, const DistanceOptions& options = {}) const {
    return CheckDistance(A(), B(), options, answer);
  }
};

// Two cubes of 2 m, B's centre at x; their faces meet at x = 2.
Pair CubesAt(double x) { return {Box(1, 1, 1), Box(1, 1, 1), At(x, 0.5, 0.25)}; }

// Two cubes of 2 m whose faces are `gap` apart (if negative, that deep in each other), as sums of
// poses that no double holds; both bodies' origins are `far` from them.
Pair CubesBeside(double gap, double far) {
  return {Box(1, 1, 1),   Box(1, 1, 1),   At(gap, -far, 0),
          At(0, -far, 0), At(-1, far, 0), At(1, far, 0.5)};
}

void ExpectEachContradicted(const Pair& pair, State state,
                            const std::vector<TamperedDistance>& tamperings) {
  const DistanceAnswer right = Distance(pair.A(), pair.B(), {});
  ASSERT_EQ(right.state, state);
  ExpectEachContradicted(right, tamperings,
                         [&](const DistanceAnswer& answer) { return pair.Judge(answer); });
}

TEST(CheckDistance, ObjectsToNumbersThatAreNoneOrOutOfOrder) {
  ExpectEachContradicted(
      CubesAt(3), State::kSeparated,
      {
          {"lower is no number", Claim::kNumber, [](auto& a) { a.bracket.lower = kNaN; }},
          {"upside down", Claim::kNumber,
           [](auto& a) {
             a.bracket = {1.5, 0.5};
           }},
          {"no upper bound", Claim::kNumber, [](auto& a) { a.bracket.upper = kInfinity; }},
          {"distance above", Claim::kDistance, [](auto& a) { a.distance = 1.5; }},
          {"distance below", Claim::kDistance, [](auto& a) { a.distance = 0.5; }},
          {"distance is no number", Claim::kDistance, [](auto& a) { a.distance = kNaN; }},
          {"tau is negative", Claim::kTolerance, [](auto& a) { a.tolerance = -1e-9; }},
          {"tau is no number", Claim::kTolerance, [](auto& a) { a.tolerance = kNaN; }},
          {"tau too large", Claim::kTolerance, [](auto& a) { a.tolerance *= 1.001; }},
          {"all higher", Claim::kLower,
           [](auto& a) { a.bracket.lower = a.bracket.upper = a.distance = 1.25; }},
          {"all lower", Claim::kUpper,
           [](auto& a) { a.bracket.lower = a.bracket.upper = a.distance = 0.75; }},
      });
  ExpectEachContradicted(
      CubesAt(1.5), State::kPenetrating,
      {
          {"no lower bound", Claim::kNumber, [](auto& a) { a.bracket.lower = -kInfinity; }},
      });
}

TEST(CheckDistance, ObjectsToStatesThatTheBracketDoesNotBearOut) {
  ExpectEachContradicted(
      CubesAt(3), State::kSeparated,
      {
          {"separated by 0", Claim::kState, [](auto& a) { a.bracket.lower = 0; }},
          {"with a reason", Claim::kState, [](auto& a) { a.reason = UndecidedReason::kBudget; }},
          {"undecided without", Claim::kState, [](auto& a) { a.state = State::kUndecided; }},
          {"called touching", Claim::kState, [](auto& a) { a.state = State::kTouching; }},
          {"called penetrating", Claim::kState, [](auto& a) { a.state = State::kPenetrating; }},
      });
  ExpectEachContradicted(
      CubesAt(1.5), State::kPenetrating,
      {
          {"by 0", Claim::kState, [](auto& a) { a.bracket.upper = 0; }},
          {"or apart", Claim::kState, [](auto& a) { a.bracket.upper = 1; }},
          {"called separated", Claim::kState, [](auto& a) { a.state = State::kSeparated; }},
      });
  // tau is 1e-9 of the radii: 3.5e-9.
  ExpectEachContradicted(
      CubesAt(2), State::kTouching,
      {
          {"apart", Claim::kState,
           [](auto& a) {
             a.bracket = {1e-12, 2e-12};
           }},
          {"overlapping", Claim::kState,
           [](auto& a) {
             a.bracket = {-2e-12, -1e-12};
           }},
          {"below -tau", Claim::kState, [](auto& a) { a.bracket.lower = -4e-9; }},
          {"above tau", Claim::kState, [](auto& a) { a.bracket.upper = 4e-9; }},
      });
}

TEST(CheckDistance, ObjectsToNormalsThatAreNotUnit) {
  ExpectEachContradicted(CubesAt(3), State::kSeparated,
                         {
                             {"longer", Claim::kNormal, [](auto& a) { a.n_AB.x = 1 + 1e-13; }},
                             {"shorter", Claim::kNormal, [](auto& a) { a.n_AB.x = 1 - 1e-13; }},
                             {"no number", Claim::kNormal, [](auto& a) { a.n_AB.z = kNaN; }},
                             {"turned round", Claim::kLower, [](auto& a) { a.n_AB = -a.n_AB; }},
                         });
}

TEST(CheckDistance, ObjectsToWitnessesThatAreNone) {
  ExpectEachContradicted(
      CubesAt(3), State::kSeparated,
      {
          {"empty", Claim::kWitness, [](auto& a) { a.witness.size = 0; }},
          {"too long", Claim::kWitness, [](auto& a) { a.witness.size = Witness::kCapacity + 1; }},
          {"no vertex of A", Claim::kWitness, [](auto& a) { a.witness.vertices_a[0] = 8; }},
          {"no vertex of B", Claim::kWitness, [](auto& a) { a.witness.vertices_b[0] = 8; }},
          {"negative weight", Claim::kWitness,
           [](auto& a) {
             a.witness.weights[0] += a.witness.weights[1] + 0.25;
             a.witness.weights[1] = -0.25;
           }},
          {"weight above 1", Claim::kWitness, [](auto& a) { a.witness.weights[1] = 2.5; }},
          {"infinite weight", Claim::kWitness, [](auto& a) { a.witness.weights[1] = kInfinity; }},
          {"weight is no number", Claim::kWitness, [](auto& a) { a.witness.weights[1] = kNaN; }},
          {"sum is not 1", Claim::kWitness, [](auto& a) { a.witness.weights[1] += 1e-9; }},
          {"another vertex", Claim::kUpper, [](auto& a) { a.witness.vertices_a[0] = 0; }},
      });
}

// A tetrahedron of differences on the far side of the origin.
void NameVerticesThatEncloseNothing(DistanceAnswer& answer) {
  answer.witness = {4, {0, 0, 0, 1}, {1, 3, 5, 1}, {}};
}

TEST(CheckDistance, ObjectsToAnOverlapWhoseWitnessEnclosesNothing) {
  ExpectEachContradicted(CubesAt(1.5), State::kPenetrating,
                         {{"apart", Claim::kState, NameVerticesThatEncloseNothing}});
}

TEST(CheckDistance, ObjectsToPointsThatAreNone) {
  const std::vector<Vec3d DistanceAnswer::*> points = {
      &DistanceAnswer::p_AoA, &DistanceAnswer::p_AoB, &DistanceAnswer::p_WA, &DistanceAnswer::p_WB};
  const std::vector<double Vec3d::*> coordinates = {&Vec3d::x, &Vec3d::y, &Vec3d::z};
  std::vector<TamperedDistance> tamperings;
  for (const auto point : points) {
    for (const auto coordinate : coordinates) {
      tamperings.push_back(
          {"no number", Claim::kNumber, [=](DistanceAnswer& a) { a.*point.*coordinate = kNaN; }});
      tamperings.push_back({"infinite", Claim::kNumber,
                            [=](DistanceAnswer& a) { a.*point.*coordinate = -kInfinity; }});
      tamperings.push_back({"moved alone", Claim::kPoint,
                            [=](DistanceAnswer& a) { a.*point.*coordinate += 1e-12; }});
    }
  }
  tamperings.push_back({"all moved off the faces", Claim::kPoint, [&](DistanceAnswer& a) {
                          for (const auto point : points) (a.*point).x += 1e-7;
                        }});
  ExpectEachContradicted(CubesAt(3), State::kSeparated, tamperings);
}

TEST(CheckDistance, HoldsBeyondToTheMaximum) {
  const Pair pair = CubesAt(3);
  const DistanceOptions options = {.max_distance = 0.5};
  const DistanceAnswer right = Distance(pair.A(), pair.B(), options);
  ASSERT_EQ(right.state, State::kBeyond);
  ExpectEachContradicted<DistanceAnswer>(
      right,
      {
          {"negative", Claim::kState, [](auto& a) { a.bracket.lower = -0.5; }},
          {"short of it", Claim::kState, [](auto& a) { a.bracket.lower = 0.25; }},
          {"upper bound too low", Claim::kUpper, [](auto& a) { a.bracket.upper = 0.75; }},
      },
      [&](const DistanceAnswer& answer) { return pair.Judge(answer, options); });
  DistanceAnswer wrong = right;
  wrong.bracket.lower = 1.5;
  EXPECT_EQ(Contradicted(pair.Judge(wrong, {.max_distance = 1.5})), Name(Claim::kLower));
}

TEST(CheckDistance, HoldsBothEndsOfTheUndecidedToASearch) {
  const Pair pair = CubesAt(3);
  DistanceAnswer right;
  right.reason = UndecidedReason::kBudget;
  right.bracket = {0.5, 2};
  ExpectEachContradicted<DistanceAnswer>(
      right,
      {
          {"lower above", Claim::kLower, [](auto& a) { a.bracket.lower = 1 + 1e-12; }},
          {"upper below", Claim::kUpper, [](auto& a) { a.bracket.upper = 1 - 1e-12; }},
          {"tau is negative", Claim::kTolerance, [](auto& a) { a.tolerance = -1; }},
          {"no reason", Claim::kState, [](auto& a) { a.reason = UndecidedReason::kNone; }},
      },
      [&](const DistanceAnswer& answer) { return pair.Judge(answer); });
  EXPECT_TRUE(pair.Judge(right).is_lower_proved);
  EXPECT_TRUE(pair.Judge(right).is_upper_proved);
  // Where nothing is claimed nothing can be wrong.
  right.bracket = {};
  EXPECT_EQ(Contradicted(pair.Judge(right)), "nothing");
}

// --- Next to contact -----------------------------------------------------------------------------

TEST(CheckDistance, LeavesOpenAGapThatItsDigitsCannotTell) {
  const Pair pair = CubesBeside(0x1p-200, 0);
  const DistanceAnswer right = Distance(pair.A(), pair.B(), {.exact = true});
  ASSERT_EQ(right.state, State::kSeparated);
  EXPECT_EQ(right.distance, 0x1p-200);
  ExpectEachContradicted<DistanceAnswer>(
      right,
      {{"a gap that they can tell", Claim::kState,
        [](auto& a) { a.bracket.lower = a.bracket.upper = a.distance = 0x1p-80; }}},
      [&](const DistanceAnswer& answer) { return pair.Judge(answer); });
}

TEST(CheckDistance, LeavesOpenAnOverlapThatItsDigitsCannotTell) {
  // 2^30 m from the origins the checker has 2^-73 m; the solver measures from the bodies' centres.
  const Pair pair = CubesBeside(-0x1p-88, 0x1p30);
  const DistanceAnswer right = Distance(pair.A(), pair.B(), {});
  ASSERT_EQ(right.state, State::kPenetrating);
  ASSERT_EQ(right.witness.weights[0], 0) << "no enclosing witness";
  ExpectEachContradicted<DistanceAnswer>(
      right,
      {
          {"not even near", Claim::kUpper, NameVerticesThatEncloseNothing},
          {"a depth that they can tell", Claim::kUpper,
           [](auto& a) { a.bracket.lower = a.bracket.upper = a.distance = -0x1p-50; }},
      },
      [&](const DistanceAnswer& answer) { return pair.Judge(answer); });
}

// A radius so large that its rounding hides by how much the cores overlap is an overlap by itself.
TEST(CheckDistance, AcceptsRadiiOverCoresThatOverlapByRounding) {
  Pair pair = CubesAt(2 - 0x1p-40);
  const auto made = MakeBox({1, 1, 1}, 0x1p65);
  pair.a = std::get<ConvexShapePtr>(made);
  const DistanceAnswer right = Distance(pair.A(), pair.B(), {});
  ASSERT_EQ(right.state, State::kPenetrating);
  ASSERT_EQ(right.witness.weights[0], 0) << "no enclosing witness";
  EXPECT_EQ(Contradicted(pair.Judge(right)), "nothing");
}

// Of points whose distance is nothing beside how far from their body's origin they are.
TEST(CheckDistance, AllowsItsOwnRoundingOfPlaces) {
  const Pair pair = {Points({0, 0, 0}),         Points({0, 0, 0}),        {}, {},
                     At(0x1p-1009, 0.25, 1.75), At(0x1p-1008, 0.25, 1.75)};
  const DistanceAnswer right = Distance(pair.A(), pair.B(), {});
  ASSERT_EQ(right.state, State::kSeparated);
  ASSERT_EQ(right.distance, 0x1p-1009);
  EXPECT_EQ(Contradicted(pair.Judge(right)), "nothing");
}

// Of an overlap the normal and with it the points are the best ones to tau, also where all that is
// left of it in doubles is that it is not apart.
TEST(CheckDistance, AllowsThePointsOfAShallowOverlapTau) {
  const double least = 0x1p-1074;
  const Pair balls = {Sphere(least), Sphere(least), At(least, least, 0)};
  const DistanceAnswer shallow = Distance(balls.A(), balls.B(), {});
  ASSERT_EQ(shallow.state, State::kTouching);
  ASSERT_LT(shallow.bracket.lower, 0);
  ASSERT_EQ(shallow.bracket.upper, 0);
  EXPECT_EQ(Contradicted(balls.Judge(shallow)), "nothing");

  const Pair cubes = CubesAt(2);
  DistanceAnswer answer = Distance(cubes.A(), cubes.B(), {});
  ASSERT_EQ(answer.state, State::kTouching);
  for (Vec3d* p : {&answer.p_AoA, &answer.p_AoB, &answer.p_WA, &answer.p_WB}) p->x -= 2e-9;
  answer.bracket = {-1e-12, 0};
  EXPECT_EQ(Contradicted(cubes.Judge(answer)), "nothing");
  answer.bracket = {-1e-12, 1e-12};
  EXPECT_EQ(Contradicted(cubes.Judge(answer)), Name(Claim::kPoint));
}

// --- Intersections -------------------------------------------------------------------------------

TEST(CheckIntersection, ObjectsToStatesAndBrackets) {
  const Pair pair = CubesAt(3);
  ExpectEachContradicted<IntersectionAnswer>(
      Intersection(pair.A(), pair.B()),
      {
          {"beyond", Claim::kState, [](auto& a) { a.state = State::kBeyond; }},
          {"undecided", Claim::kState, [](auto& a) { a.state = State::kUndecided; }},
          {"upside down", Claim::kNumber,
           [](auto& a) {
             a.bracket = {2, 0.5};
           }},
          {"too high", Claim::kLower,
           [](auto& a) {
             a.bracket = {1.5, 2};
           }},
          {"too low", Claim::kUpper,
           [](auto& a) {
             a.bracket = {0.25, 0.5};
           }},
      },
      [&](const IntersectionAnswer& answer) {
        return CheckIntersection(pair.A(), pair.B(), answer);
      });
}

// The prisms' axes go through the balls' centres, which their witnesses hold inside by less than
// the balls' own rounding.
TEST(CheckDistance, AcceptsATinyCoreInsideALargeRadius) {
  int tiny = 0;
  for (const double radius : {1e-3, 1e-2, 0.1, 1.0}) {
    for (int exponent = -60; exponent <= -20; ++exponent) {
      for (const int sides : {6, 10, 12, 20}) {
        const double size = std::ldexp(1.0, exponent);
        std::vector<double> points;
        for (int i = 0; i < sides; ++i) {
          const double angle_rad = 6.283185307179586 * i / sides;
          for (const double z : {-0.9, 0.9}) {
            points.insert(points.end(),
                          {size * std::cos(angle_rad), size * std::sin(angle_rad), size * z});
          }
        }
        const Pair pair = {std::get<ConvexShapePtr>(MakeHull(points, 0)),
                           std::get<ConvexShapePtr>(MakePoint(radius))};
        const DistanceAnswer answer = Distance(pair.A(), pair.B(), {});
        ASSERT_EQ(answer.state, State::kPenetrating);
        ASSERT_FALSE(pair.Judge(answer).contradiction) << radius << " " << size << " " << sides;
        if (answer.witness.size > 0 && answer.bracket.upper < -radius) ++tiny;
      }
    }
  }
  EXPECT_GE(tiny, 100);
}

}  // namespace
}  // namespace clearance
