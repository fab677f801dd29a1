// SPDX-License-Identifier: Apache-2.0
//
// Compounds, in three ways. They are compared with the exact distances of their pieces in
// rationals. They are compared with every pair of pieces asked by the convex queries, to the last
// bit, since a pair left out by bounds must not change an answer. They are compared with pieces
// whose vertices were moved exactly.
#include "tests/support/compound.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <vector>

#include "core/query/body_query.h"
#include "gtest/gtest.h"
#include "tests/support/exact_motion.h"
#include "tests/support/generators.h"

namespace clearance::testing {
namespace {

using Id = std::uint32_t;

CompoundFamily FamilyOf(int i) { return static_cast<CompoundFamily>(i % kCompoundFamilyCount); }

// The bodies of a pair, and both their pieces as the convex queries take them.
struct Bodies {
  explicit Bodies(const CompoundPair& pair)
      : a(MakeRigidBody(pair.a)),
        b(MakeRigidBody(pair.b)),
        pose_a(pair.a.pose),
        pose_b(pair.b.pose) {}

  PosedBody PosedA() const { return {*a, pose_a}; }
  PosedBody PosedB() const { return {*b, pose_b}; }
  PosedShape PieceA(Id i) const { return {*a->pieces()[i].shape, pose_a, a->pieces()[i].local}; }
  PosedShape PieceB(Id i) const { return {*b->pieces()[i].shape, pose_b, b->pieces()[i].local}; }

  template <class Visit>
  void ForEachPair(Visit visit) const {
    for (Id i = 0; i < a->pieces().size(); ++i) {
      for (Id j = 0; j < b->pieces().size(); ++j) visit(i, j);
    }
  }

  RigidBodyPtr a;
  RigidBodyPtr b;
  Pose pose_a;
  Pose pose_b;
};

// All distances of pieces, exactly.
struct Truth {
  explicit Truth(const CompoundPair& pair) {
    const ExactPlacement X_WA = Place(pair.a.pose), X_WB = Place(pair.b.pose);
    for (const Body& a : pair.a.pieces) {
      for (const Body& b : pair.b.pieces) distances.push_back(PieceDistance(a, X_WA, b, X_WB));
    }
  }

  bool IsAtLeast(double x) const {
    return std::all_of(distances.begin(), distances.end(),
                       [x](const ExactDistance& d) { return d.IsAtLeast(x); });
  }
  bool IsAtMost(double x) const {
    return std::any_of(distances.begin(), distances.end(),
                       [x](const ExactDistance& d) { return d.IsAtMost(x); });
  }
  int Sign() const {
    int sign = 1;
    for (const ExactDistance& d : distances) sign = std::min(sign, d.Sign());
    return sign;
  }

  std::vector<ExactDistance> distances;
};

void ExpectTrue(const Truth& truth, State state, const Bracket& bracket) {
  EXPECT_TRUE(truth.IsAtLeast(bracket.lower));
  EXPECT_TRUE(truth.IsAtMost(bracket.upper));
  if (state == State::kSeparated) {
    EXPECT_EQ(truth.Sign(), 1);
  }
  if (state == State::kPenetrating) {
    EXPECT_EQ(truth.Sign(), -1);
  }
}

TEST(Compound, AgreesWithTheExactDistancesOfItsPieces) {
  Random random(RunSeed());
  std::array<int, 6> states = {};
  const int pairs = Effort(300);
  for (int i = 0; i < pairs; ++i) {
    const CompoundPair pair = RandomCompoundPair(FamilyOf(i), 5, random);
    const Bodies bodies(pair);
    const Truth truth(pair);
    const DistanceAnswer answer = Distance(bodies.PosedA(), bodies.PosedB(), {});
    ExpectTrue(truth, answer.state, answer.bracket);
    const std::size_t named = answer.piece_a * pair.b.pieces.size() + answer.piece_b;
    EXPECT_TRUE(truth.distances[named].IsAtMost(answer.bracket.upper)) << "the nearest is another";
    if (answer.state == State::kTouching) {
      EXPECT_LE(-answer.bracket.lower, answer.tolerance);
      EXPECT_LE(answer.bracket.upper, answer.tolerance);
    }
    EXPECT_EQ(answer.is_piecewise, answer.state == State::kPenetrating);
    const IntersectionAnswer contact = Intersection(bodies.PosedA(), bodies.PosedB());
    ExpectTrue(truth, contact.state, contact.bracket);
    EXPECT_EQ(contact.state, answer.state);
    ++states[static_cast<std::size_t>(answer.state)];
    if (HasFailure()) FAIL() << Describe(pair);
  }
  std::printf("separated %d touching %d penetrating %d\n", states[1], states[2], states[3]);
  EXPECT_EQ(states[5], 0) << "undecided";
  EXPECT_GT(4 * states[1], pairs) << "too few separated";
  EXPECT_GT(50 * states[2], pairs) << "too few touching";
  EXPECT_GT(4 * states[3], pairs) << "too few penetrating";
}

// The answers of every pair of pieces, combined.
struct BruteForce {
  BruteForce(const Bodies& bodies, const DistanceOptions& options) {
    bodies.ForEachPair([&](Id i, Id j) {
      DistanceAnswer answer = Distance(bodies.PieceA(i), bodies.PieceB(j), options);
      iterations += answer.iterations;
      is_any_penetrating |= answer.state == State::kPenetrating;
      is_any_touching |= answer.state == State::kTouching;
      if (answer.state == State::kBeyond) return;
      answer.piece_a = i;
      answer.piece_b = j;
      lower = std::min(lower, answer.bracket.lower);
      if (is_beyond || answer.bracket.upper < nearest.bracket.upper) nearest = answer;
      is_beyond = false;
    });
  }

  State state() const {
    if (is_beyond) return State::kBeyond;
    if (is_any_penetrating) return State::kPenetrating;
    return is_any_touching ? State::kTouching : State::kSeparated;
  }

  DistanceAnswer nearest;
  double lower = INFINITY;
  bool is_beyond = true;
  bool is_any_penetrating = false;
  bool is_any_touching = false;
  std::uint32_t iterations = 0;
};

void ExpectSame(const DistanceAnswer& answer, const BruteForce& want) {
  ASSERT_EQ(answer.state, want.state());
  if (want.is_beyond) return;
  EXPECT_EQ(answer.bracket.lower, want.lower);
  EXPECT_EQ(answer.bracket.upper, want.nearest.bracket.upper);
  EXPECT_EQ(answer.distance, want.nearest.distance);
  EXPECT_EQ(answer.piece_a, want.nearest.piece_a);
  EXPECT_EQ(answer.piece_b, want.nearest.piece_b);
  EXPECT_EQ(answer.p_WA, want.nearest.p_WA);
  EXPECT_EQ(answer.n_AB, want.nearest.n_AB);
  EXPECT_GE(answer.tolerance, want.nearest.tolerance);
}

TEST(Compound, IsWhatAllPairsOfPiecesSayToTheLastBit) {
  Random random(RunSeed() + 1);
  std::array<int, 6> states = {};
  std::uint64_t asked = 0, of_all = 0;
  const int pairs = Effort(240);
  for (int i = 0; i < pairs; ++i) {
    const CompoundPair pair = RandomCompoundPair(FamilyOf(i), 30, random);
    const Bodies bodies(pair);
    DistanceOptions options;
    if (random.OneIn(4)) options.max_distance = random.LogUniform(1e-3, 2);
    const BruteForce want(bodies, options);
    const DistanceAnswer answer = Distance(bodies.PosedA(), bodies.PosedB(), options);
    ExpectSame(answer, want);
    asked += answer.iterations;
    of_all += want.iterations;
    ++states[static_cast<std::size_t>(answer.state)];
    if (HasFailure()) FAIL() << "max_distance " << options.max_distance << "\n" << Describe(pair);
  }
  std::printf("iterations: %.1f %% of those of all pairs\n",
              100.0 * static_cast<double>(asked) / static_cast<double>(of_all));
  EXPECT_LT(4 * asked, of_all) << "the bounds leave out too little";
  EXPECT_GT(5 * states[1], pairs) << "too few separated";
  EXPECT_GT(5 * states[3], pairs) << "too few penetrating";
  EXPECT_GT(40 * states[4], pairs) << "too few beyond";
}

// The points of the piece in the frame of its body. Requires: an exact turn, small integers.
Body MovedByItsPose(const Body& piece) {
  const ExactPlacement X = Place(piece.pose);
  Body moved = {.kind = BodyKind::kHull, .points = {}, .radius = piece.radius, .pose = {}};
  for (const Vec3d& p : piece.points) {
    const double numbers[] = {p.x, p.y, p.z};
    double world[3];
    for (int i = 0; i < 3; ++i) {
      mpq_class sum = X.position[i];
      for (int j = 0; j < 3; ++j) {
        sum += mpq_class(X.matrix[i][j]) / X.denominator * mpq_class(numbers[j]);
      }
      world[i] = sum.get_d();
    }
    moved.points.push_back({world[0], world[1], world[2]});
  }
  return moved;
}

TEST(Compound, OfPiecesWithPosesIsThatOfMovedVertices) {
  Random random(RunSeed() + 2);
  std::array<int, 6> states = {};
  const int pairs = Effort(300);
  for (int i = 0; i < pairs; ++i) {
    const CompoundPair pair = RandomCompoundPair(CompoundFamily::kLattice, 6, random);
    CompoundPair moved = pair;
    for (Compound* compound : {&moved.a, &moved.b}) {
      for (Body& piece : compound->pieces) piece = MovedByItsPose(piece);
    }
    const Bodies bodies(pair), moved_bodies(moved);
    const DistanceAnswer answer = Distance(bodies.PosedA(), bodies.PosedB(), {});
    const DistanceAnswer same = Distance(moved_bodies.PosedA(), moved_bodies.PosedB(), {});
    EXPECT_EQ(answer.state, same.state);
    EXPECT_LE(answer.bracket.lower, same.bracket.upper);
    EXPECT_LE(same.bracket.lower, answer.bracket.upper);
    if (answer.state == State::kSeparated) {
      EXPECT_NEAR(answer.distance, same.distance, 1e-13);
    }
    ++states[static_cast<std::size_t>(answer.state)];
    if (HasFailure()) FAIL() << Describe(pair);
  }
  EXPECT_GT(10 * states[1], pairs);
  EXPECT_GT(40 * states[2], pairs);
  EXPECT_GT(10 * states[3], pairs);
}

struct MovingCompounds {
  CompoundPair bodies;
  Motion motion_a;
  Motion motion_b;
  MotionOptions options;
};

Motion RandomMotion(const Pose& start, Random& random) {
  Motion motion;
  if (!random.OneIn(4)) motion.displacement = random.InCube(3);
  if (random.OneIn(2)) motion.rotation = random.LogUniform(0.05, 12) * random.Direction();
  motion.pivot = random.OneIn(2) ? start.p_WS : start.p_WS + random.InCube(2);
  return motion;
}

MovingCompounds RandomMovingCompounds(CompoundFamily family, int max_pieces, Random& random) {
  MovingCompounds moving = {RandomCompoundPair(family, max_pieces, random), {}, {}, {}};
  const Vec3d apart = random.Uniform(1, 4) * random.Direction();
  moving.bodies.b.pose.p_WS = moving.bodies.b.pose.p_WS + apart;
  moving.motion_a = RandomMotion(moving.bodies.a.pose, random);
  moving.motion_b = RandomMotion(moving.bodies.b.pose, random);
  const Vec3d closing = moving.bodies.b.pose.p_WS - moving.bodies.a.pose.p_WS;
  if (random.OneIn(2)) moving.motion_a.displacement = random.Uniform(0.5, 2) * closing;
  if (random.OneIn(4)) moving.options.target_distance = random.LogUniform(1e-6, 0.5);
  moving.options.ignore_initial_contact = random.OneIn(4);
  return moving;
}

TimeOfCollisionAnswer Ask(const MovingCompounds& moving, const Bodies& bodies,
                          const MotionOptions& options) {
  return TimeOfCollision(clearance::MovingBody{*bodies.a, bodies.pose_a, moving.motion_a},
                         clearance::MovingBody{*bodies.b, bodies.pose_b, moving.motion_b}, options);
}

// The answers of all pairs of pieces.
std::vector<TimeOfCollisionAnswer> AskAllPieces(const MovingCompounds& moving,
                                                const Bodies& bodies) {
  std::vector<TimeOfCollisionAnswer> answers;
  bodies.ForEachPair([&](Id i, Id j) {
    const Piece& a = bodies.a->pieces()[i];
    const Piece& b = bodies.b->pieces()[j];
    answers.push_back(TimeOfCollision({*a.shape, bodies.pose_a, moving.motion_a, a.local},
                                      {*b.shape, bodies.pose_b, moving.motion_b, b.local},
                                      moving.options));
    answers.back().piece_a = i;
    answers.back().piece_b = j;
  });
  return answers;
}

// By the rule of body_query.h, written again here.
void ExpectEarliest(const TimeOfCollisionAnswer& answer,
                    const std::vector<TimeOfCollisionAnswer>& pieces) {
  const TimeOfCollisionAnswer* first = nullptr;
  double hits_free = INFINITY, undecided_free = INFINITY;
  for (const TimeOfCollisionAnswer& piece : pieces) {
    if (piece.state == MotionState::kInitiallyOverlapping) {
      EXPECT_EQ(answer.state, MotionState::kInitiallyOverlapping);
      EXPECT_EQ(answer.t_free, 0);
      return;
    }
    if (piece.state == MotionState::kUndecided) {
      undecided_free = std::min(undecided_free, piece.t_free);
    }
    if (piece.state != MotionState::kHit) continue;
    hits_free = std::min(hits_free, piece.t_free);
    const auto rank = [](const auto& x) { return std::tuple(x.t_hit, x.t_free); };
    if (first == nullptr || rank(piece) < rank(*first)) first = &piece;
  }
  const bool is_open = undecided_free < hits_free;
  EXPECT_EQ(answer.t_free, std::min({hits_free, undecided_free, 1.0}));
  ASSERT_EQ(answer.state, is_open            ? MotionState::kUndecided
                          : first == nullptr ? MotionState::kFree
                                             : MotionState::kHit);
  if (is_open || first == nullptr) return;
  EXPECT_EQ(answer.t_hit, first->t_hit);
  EXPECT_EQ(answer.piece_a, first->piece_a);
  EXPECT_EQ(answer.piece_b, first->piece_b);
  EXPECT_EQ(answer.p_WA, first->p_WA);
}

TEST(Compound, CollidesWhenItsPiecesFirstDo) {
  Random random(RunSeed() + 3);
  std::array<int, 5> states = {};
  std::uint64_t asked = 0, of_all = 0;
  const int pairs = Effort(150);
  for (int i = 0; i < pairs; ++i) {
    const MovingCompounds moving = RandomMovingCompounds(FamilyOf(i), 12, random);
    const Bodies bodies(moving.bodies);
    const TimeOfCollisionAnswer answer = Ask(moving, bodies, moving.options);
    const std::vector<TimeOfCollisionAnswer> pieces = AskAllPieces(moving, bodies);
    ExpectEarliest(answer, pieces);
    asked += answer.iterations;
    for (const TimeOfCollisionAnswer& piece : pieces) of_all += piece.iterations;
    ++states[static_cast<std::size_t>(answer.state)];
    if (HasFailure()) FAIL() << "case " << i << "\n" << Describe(moving.bodies);
  }
  std::printf("free %d hit %d overlapping %d, iterations: %.1f %% of those of all pairs\n",
              states[1], states[2], states[3],
              100.0 * static_cast<double>(asked) / static_cast<double>(of_all));
  EXPECT_LT(3 * asked, 2 * of_all) << "the bounds leave out too little";
  EXPECT_GT(8 * states[1], pairs) << "too few free";
  EXPECT_GT(4 * states[2], pairs) << "too few hits";
}

// If a step of the clock is longer than the tolerance, t_free and t_hit of a pair differ. Then the
// pair that hits first need not be the one that is proved free for the shortest time.
TEST(Compound, OfFastBodiesIsFreeOnlyAsLongAsAllPiecesAre) {
  Random random(RunSeed() + 6);
  int is_other = 0;
  const int pairs = Effort(200);
  for (int i = 0; i < pairs; ++i) {
    MovingCompounds moving;
    const double spread = random.LogUniform(1e-9, 1e-5);
    const double aside = random.LogUniform(1e5, 1e8);
    for (const double y : {-aside, 0.0, aside}) {
      Body box = MakeBoxBody({1, 1, 1});
      box.pose = {{random.Uniform(0, spread), y, 0}, {}};
      moving.bodies.a.pieces.push_back(box);
    }
    moving.bodies.b = moving.bodies.a;
    const double path = random.LogUniform(1e8, 1e10);
    moving.bodies.b.pose.p_WS.x = path * random.Uniform(0.2, 0.9);
    moving.motion_a.displacement.x = path;
    moving.motion_a.rotation.x = 1e-12;
    const Bodies bodies(moving.bodies);
    const TimeOfCollisionAnswer answer = Ask(moving, bodies, moving.options);
    const std::vector<TimeOfCollisionAnswer> pieces = AskAllPieces(moving, bodies);
    ExpectEarliest(answer, pieces);
    for (const TimeOfCollisionAnswer& piece : pieces) {
      const bool is_named = piece.piece_a == answer.piece_a && piece.piece_b == answer.piece_b;
      is_other += is_named && piece.t_free > answer.t_free;
    }
    if (HasFailure()) FAIL() << Describe(moving.bodies);
  }
  EXPECT_GT(is_other, 0) << "no case of what this is about";
}

// No pair of pieces is nearer than the target before t_free, but for what the oracle's rotation is
// off by (kMotionAngleError times the reach, under 20 m).
TEST(Compound, IsNeverLate) {
  Random random(RunSeed() + 4);
  const int pairs = Effort(60);
  int moved = 0;
  for (int i = 0; i < pairs; ++i) {
    MovingCompounds moving = RandomMovingCompounds(FamilyOf(i), 4, random);
    moving.options.ignore_initial_contact = false;
    const Bodies bodies(moving.bodies);
    const TimeOfCollisionAnswer answer = Ask(moving, bodies, moving.options);
    const double far = std::sqrt(NormSquared(bodies.pose_a.p_WS));
    const double least = moving.options.target_distance - kMotionAngleError * (20 + 2 * far);
    moved += answer.t_free > 0;
    for (int k = 0; k < 8; ++k) {
      const double t = answer.t_free * (k == 7 ? 1 - 0x1p-40 : k / 7.0);
      if (answer.t_free == 0) break;
      const ExactPlacement X_WA = PlacementAt(moving.bodies.a, moving.motion_a, t);
      const ExactPlacement X_WB = PlacementAt(moving.bodies.b, moving.motion_b, t);
      for (const Body& a : moving.bodies.a.pieces) {
        for (const Body& b : moving.bodies.b.pieces) {
          ASSERT_TRUE(PieceDistance(a, X_WA, b, X_WB).IsAtLeast(least))
              << "late: contact at " << t << "\n"
              << Describe(moving.bodies);
        }
      }
    }
  }
  EXPECT_GT(2 * moved, pairs);
}

// The intervals of each pair follow each other and reach t_free.
TEST(Compound, ProvesItsFreeTimePairByPair) {
  Random random(RunSeed() + 5);
  int whole_proofs = 0;
  const int pairs = Effort(60);
  for (int i = 0; i < pairs; ++i) {
    MovingCompounds moving = RandomMovingCompounds(FamilyOf(i), 4, random);
    moving.options.ignore_initial_contact = false;
    const Bodies bodies(moving.bodies);
    MotionProof proof;
    MotionOptions options = moving.options;
    options.proof = &proof;
    const TimeOfCollisionAnswer answer = Ask(moving, bodies, options);
    const TimeOfCollisionAnswer without = Ask(moving, bodies, moving.options);
    EXPECT_EQ(answer.state, without.state);
    EXPECT_EQ(answer.t_free, without.t_free);
    EXPECT_EQ(answer.t_hit, without.t_hit);
    if (answer.state == MotionState::kInitiallyOverlapping || proof.is_truncated) continue;
    ++whole_proofs;
    std::vector<double> reached(bodies.a->pieces().size() * bodies.b->pieces().size(), 0);
    for (int k = 0; k < proof.size; ++k) {
      const ProvedInterval& interval = proof.intervals[k];
      double& t = reached[interval.piece_a * bodies.b->pieces().size() + interval.piece_b];
      EXPECT_EQ(interval.t_begin, t);
      EXPECT_GT(interval.t_end, t);
      t = interval.t_end;
    }
    for (const double t : reached) EXPECT_GE(t, answer.t_free);
    if (HasFailure()) FAIL() << "case " << i << "\n" << Describe(moving.bodies);
  }
  EXPECT_GT(3 * whole_proofs, pairs);
}

}  // namespace
}  // namespace clearance::testing
