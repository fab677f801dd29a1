// SPDX-License-Identifier: Apache-2.0
//
// The checker of core/proof must agree with every right answer, and object to wrong ones: to
// answers of which one field was changed by more than rounding. Its oracle for being right is that
// the exact oracle of the other property tests finds no fault in the same solvers; for being wrong,
// the change.
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "core/proof/check_distance.h"
#include "core/proof/check_motion.h"
#include "core/query/distance.h"
#include "core/query/intersection.h"
#include "core/query/time_of_collision.h"
#include "gtest/gtest.h"
#include "tests/support/answer_checker.h"
#include "tests/support/question_pool.h"

namespace clearance::testing {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// A change is this part of the bodies' size and distance: a thousand times what the checker lets
// pass as rounding.
constexpr double kChange = 1e-11;

// --- Right answers -------------------------------------------------------------------------------

struct Tally {
  std::array<int, 6> states{};
  int lower_proved = 0;
  int upper_proved = 0;

  template <class State>
  void Add(State state, const Check& check) {
    ++states[static_cast<std::size_t>(state)];
    lower_proved += check.is_lower_proved ? 1 : 0;
    upper_proved += check.is_upper_proved ? 1 : 0;
  }
  void Print(const char* title) const {
    std::printf("%s: states 1 to 5: %d %d %d %d %d; proved: lower %d upper %d\n", title, states[1],
                states[2], states[3], states[4], states[5], lower_proved, upper_proved);
  }
};

TEST(Checker, AgreesWithEveryRightDistance) {
  QuestionPool pool(RunSeed());
  Tally tally;
  const int questions = Effort(4000);
  const auto expect_agreement = [&tally](const Question& question) {
    const DistanceAnswer answer = Distance(question.PosedA(), question.PosedB(), {});
    const Check check = CheckDistance(question.PosedA(), question.PosedB(), {}, answer);
    tally.Add(answer.state, check);
    EXPECT_EQ(FaultOf(check), "") << Describe(question);
    return answer;
  };
  for (int i = 0; i < questions && !HasFailure(); ++i) {
    const Question question = pool.Next();
    const DistanceAnswer answer = expect_agreement(question);
    if (answer.state == State::kSeparated) expect_agreement(pool.NearContact(question, answer));
  }
  tally.Print("distance");
  EXPECT_GT(2 * tally.states[1], questions);
  EXPECT_GT(200 * tally.states[2], questions);
  EXPECT_GT(5 * tally.states[3], questions);
}

TEST(Checker, AgreesWithAnswersWithinLimits) {
  QuestionPool pool(RunSeed() + 1);
  Tally tally;
  const int questions = Effort(2000);
  for (int i = 0; i < questions && !HasFailure(); ++i) {
    const Question question = pool.Next();
    DistanceOptions options;
    if (i % 2 == 0) options.max_distance = question.Size() * pool.random().LogUniform(1e-3, 1);
    if (i % 4 != 0) options.tolerance = question.Size() * pool.random().LogUniform(1e-12, 1);
    const DistanceAnswer answer = Distance(question.PosedA(), question.PosedB(), options);
    const Check check = CheckDistance(question.PosedA(), question.PosedB(), options, answer);
    tally.Add(answer.state, check);
    EXPECT_EQ(FaultOf(check), "") << Describe(question) << "max_distance " << options.max_distance
                                  << " tolerance " << options.tolerance;
  }
  tally.Print("with limits");
  EXPECT_GT(10 * tally.states[4], questions) << "hardly any beyond";
}

TEST(Checker, AgreesWithEveryRightIntersection) {
  QuestionPool pool(RunSeed() + 2);
  Tally tally;
  const int questions = Effort(2000);
  for (int i = 0; i < questions && !HasFailure(); ++i) {
    Question question = pool.Next();
    const DistanceAnswer distance = Distance(question.PosedA(), question.PosedB(), {});
    if (distance.state == State::kSeparated && i % 2 == 0) {
      question = pool.NearContact(question, distance);
    }
    const IntersectionAnswer answer = Intersection(question.PosedA(), question.PosedB());
    const Check check = CheckIntersection(question.PosedA(), question.PosedB(), answer);
    tally.Add(answer.state, check);
    EXPECT_EQ(FaultOf(check), "") << Describe(question);
  }
  tally.Print("intersection");
  EXPECT_GT(5 * tally.states[1], questions);
  EXPECT_GT(5 * tally.states[3], questions);
}

void ExpectMotionsAgree(bool turns, int motions) {
  QuestionPool pool(RunSeed() + (turns ? 4 : 3));
  Tally tally;
  for (int i = 0; i < motions && !::testing::Test::HasFailure(); ++i) {
    const MotionQuestion question = pool.InMotion(pool.Next(), turns);
    MotionProof proof;
    const MotionOptions options = {.target_distance = question.target_distance, .proof = &proof};
    const TimeOfCollisionAnswer answer =
        TimeOfCollision(question.MovingA(), question.MovingB(), options);
    const Check check =
        CheckTimeOfCollision(question.MovingA(), question.MovingB(), options, answer);
    tally.Add(answer.state, check);
    EXPECT_EQ(FaultOf(check), "") << Describe(question);
  }
  tally.Print(turns ? "rotation" : "translation");
  EXPECT_GT(10 * tally.states[1], motions);
  EXPECT_GT(10 * tally.states[2], motions);
  EXPECT_GT(10 * tally.states[3], motions);
  EXPECT_GT(2 * tally.lower_proved, motions) << "hardly any proved to be free before t_free";
}

TEST(Checker, AgreesWithEveryRightTranslation) { ExpectMotionsAgree(false, Effort(1500)); }

TEST(Checker, AgreesWithEveryRightRotation) { ExpectMotionsAgree(true, Effort(400)); }

// --- Wrong answers -------------------------------------------------------------------------------

template <class Answer>
struct Mutation {
  const char* name;
  // Changes the answer; false if it has nothing of the kind.
  std::function<bool(Answer&, double change)> apply;
};

// How many changes there were, and how many of them the checker objected to.
template <class Answer>
class MutationTally {
 public:
  explicit MutationTally(std::vector<Mutation<Answer>> mutations)
      : mutations_(std::move(mutations)), made_(mutations_.size()), seen_(mutations_.size()) {}

  // `check(answer)` judges a changed answer.
  template <class Judge>
  void Try(const Answer& right, double change, Judge check) {
    for (std::size_t i = 0; i < mutations_.size(); ++i) {
      Answer wrong = right;
      if (!mutations_[i].apply(wrong, change)) continue;
      ++made_[i];
      seen_[i] += check(wrong).contradiction ? 1 : 0;
    }
  }

  // All but one in `one_in` must have been seen; some of each kind must have been made.
  void Expect(int one_in) const {
    for (std::size_t i = 0; i < mutations_.size(); ++i) {
      std::printf("  %-34s made %5d seen %5d\n", mutations_[i].name, made_[i], seen_[i]);
      EXPECT_GE(made_[i], 20) << mutations_[i].name;
      EXPECT_LE(one_in * (made_[i] - seen_[i]), made_[i]) << mutations_[i].name;
    }
  }

 private:
  std::vector<Mutation<Answer>> mutations_;
  std::vector<int> made_;
  std::vector<int> seen_;
};

bool IsApart(const DistanceAnswer& answer) { return answer.state == State::kSeparated; }
bool Overlaps(const DistanceAnswer& answer) { return answer.state == State::kPenetrating; }
bool IsDecided(const DistanceAnswer& answer) {
  return answer.state != State::kBeyond && answer.state != State::kUndecided;
}

// n turned by a hundredth of a radian about some axis across it.
Vec3d Tilted(const Vec3d& n) {
  const Vec3d other = std::fabs(n.x) < 0.7 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
  const Vec3d tilted = n + 0.01 * Cross(n, other);
  return (1 / std::sqrt(NormSquared(tilted))) * tilted;
}

void Shift(DistanceAnswer* answer, double by) {
  answer->bracket.lower += by;
  answer->bracket.upper += by;
  answer->distance += by;
}

using DistanceMutation = Mutation<DistanceAnswer>;

std::vector<DistanceMutation> MutationsOfNumbers() {
  return {
      {"all of the bracket higher",
       [](DistanceAnswer& a, double change) { return Shift(&a, change), IsApart(a); }},
      {"all of the bracket lower",
       [](DistanceAnswer& a, double change) { return Shift(&a, -change), IsApart(a); }},
      {"lower bound above upper",
       [](DistanceAnswer& a, double change) {
         return a.bracket.lower = a.bracket.upper + change, true;
       }},
      {"overlap less deep by its half",
       [](DistanceAnswer& a, double) { return a.bracket.lower /= 2, Overlaps(a); }},
      {"lower bound is no number",
       [](DistanceAnswer& a, double) { return a.bracket.lower = kNaN, true; }},
      {"distance outside its bracket",
       [](DistanceAnswer& a, double change) {
         return a.distance = a.bracket.upper + change, IsDecided(a);
       }},
      {"tau too large",
       [](DistanceAnswer& a, double) { return a.tolerance *= 1.5, a.tolerance > 0; }},
      {"an overlap called separated",
       [](DistanceAnswer& a, double) {
         a.bracket = {-a.bracket.upper, -a.bracket.lower};
         a.distance = -a.distance;
         return a.state = State::kSeparated, a.bracket.upper < 0 ? false : a.distance >= 0;
       }},
      {"undecided without a reason",
       [](DistanceAnswer& a, double) { return a.state = State::kUndecided, true; }},
  };
}

std::vector<DistanceMutation> MutationsOfVectors() {
  return {
      {"normal tilted",
       [](DistanceAnswer& a, double) { return a.n_AB = Tilted(a.n_AB), IsDecided(a); }},
      {"normal turned round",
       [](DistanceAnswer& a, double) { return a.n_AB = -a.n_AB, IsApart(a); }},
      {"normal a little longer",
       [](DistanceAnswer& a, double) { return a.n_AB = 1.000001 * a.n_AB, IsDecided(a); }},
      {"normal is no number",
       [](DistanceAnswer& a, double) { return a.n_AB.y = kNaN, IsDecided(a); }},
      {"p_AoB moved",
       [](DistanceAnswer& a, double change) {
         return a.p_AoB = a.p_AoB + change * a.n_AB, IsApart(a);
       }},
      {"all points moved across the normal",
       [](DistanceAnswer& a, double change) {
         const Vec3d step = 1e6 * change * (Tilted(a.n_AB) - a.n_AB);
         for (Vec3d* p : {&a.p_AoA, &a.p_AoB, &a.p_WA, &a.p_WB}) *p = *p + step;
         return IsApart(a);
       }},
      {"p_WA is infinite",
       [](DistanceAnswer& a, double) {
         return a.p_WA.z = std::numeric_limits<double>::infinity(), IsDecided(a);
       }},
  };
}

std::vector<DistanceMutation> MutationsOfWitnesses() {
  return {
      {"another vertex of A",
       [](DistanceAnswer& a, double) {
         a.witness.vertices_a[0] = a.witness.vertices_a[0] == 0 ? 1 : 0;
         return a.witness.size > 0 && a.witness.weights[0] > 1e-3 && IsApart(a);
       }},
      {"a vertex out of range",
       [](DistanceAnswer& a, double) {
         return a.witness.vertices_b[0] = 100000, a.witness.size > 0;
       }},
      {"a weight too large",
       [](DistanceAnswer& a, double) {
         return a.witness.weights[0] += 1e-9, a.witness.size > 0 && !Overlaps(a);
       }},
      {"weight moved between vertices",
       [](DistanceAnswer& a, double) {
         a.witness.weights[0] *= 0.999;
         a.witness.weights[1] += a.witness.weights[0] / 999;
         return a.witness.size > 1 && a.witness.weights[0] > 1e-3 && IsApart(a);
       }},
      {"a negative weight",
       [](DistanceAnswer& a, double) {
         a.witness.weights[0] = -a.witness.weights[0];
         return a.witness.size > 0 && a.witness.weights[0] < 0;
       }},
      {"no witness at all",
       [](DistanceAnswer& a, double) {
         const bool had_some = a.witness.size > 0;
         return a.witness.size = 0, had_some;
       }},
      {"one enclosing vertex less",
       [](DistanceAnswer& a, double) {
         return --a.witness.size, a.witness.size == 3 && Overlaps(a) && a.witness.weights[0] == 0;
       }},
  };
}

// Answers that say more than points: of bodies that have a size, and a gap worth the name.
bool IsOrdinary(const Question& question, const DistanceAnswer& answer) {
  return question.shape_a->dimension() == 3 && question.shape_b->dimension() == 3 &&
         question.regime != Regime::kFarAway && std::fabs(answer.distance) > 1e-6 * question.Size();
}

void ExpectObjections(std::vector<DistanceMutation> mutations, int one_in) {
  QuestionPool pool(RunSeed() + 5);
  MutationTally<DistanceAnswer> tally(std::move(mutations));
  for (int i = 0; i < Effort(1800); ++i) {
    const Question question = pool.Next();
    const PosedShape a = question.PosedA();
    const PosedShape b = question.PosedB();
    DistanceAnswer answer = Distance(a, b, {});
    if (!IsOrdinary(question, answer)) continue;
    // Witnesses that do not name vertices on both sides are not judged.
    if (a.shape.is_curved() || b.shape.is_curved()) answer.witness.size = 0;
    const double change = kChange * (question.Size() + std::fabs(answer.distance));
    tally.Try(answer, change,
              [&](const DistanceAnswer& wrong) { return CheckDistance(a, b, {}, wrong); });
  }
  tally.Expect(one_in);
}

TEST(Checker, ObjectsToWrongNumbers) { ExpectObjections(MutationsOfNumbers(), 1000); }
TEST(Checker, ObjectsToWrongVectors) { ExpectObjections(MutationsOfVectors(), 20); }
TEST(Checker, ObjectsToWrongWitnesses) { ExpectObjections(MutationsOfWitnesses(), 50); }

TEST(Checker, ObjectsToWrongBeyond) {
  QuestionPool pool(RunSeed() + 6);
  int made = 0;
  for (int i = 0; i < Effort(900); ++i) {
    const Question question = pool.Next();
    const DistanceAnswer answer = Distance(question.PosedA(), question.PosedB(), {});
    if (!IsOrdinary(question, answer) || answer.state != State::kSeparated) continue;
    ++made;
    DistanceOptions options;
    options.max_distance = answer.distance * (1 + 1e-6);
    DistanceAnswer wrong;
    wrong.state = State::kBeyond;
    wrong.bracket.lower = options.max_distance;
    const Check check = CheckDistance(question.PosedA(), question.PosedB(), options, wrong);
    ASSERT_TRUE(check.contradiction) << Describe(question);
    EXPECT_EQ(check.contradiction->claim, Claim::kLower);
  }
  EXPECT_GT(made, 50);
}

TEST(Checker, ObjectsToWrongIntersections) {
  QuestionPool pool(RunSeed() + 7);
  MutationTally<IntersectionAnswer> tally({
      {"separated called penetrating",
       [](IntersectionAnswer& a, double) {
         const bool applies = a.state == State::kSeparated;
         a.state = State::kPenetrating;
         return a.bracket = {-a.bracket.upper, -a.bracket.lower}, applies;
       }},
      {"penetrating called separated",
       [](IntersectionAnswer& a, double) {
         const bool applies = a.state == State::kPenetrating;
         a.state = State::kSeparated;
         return a.bracket = {-a.bracket.upper, -a.bracket.lower}, applies;
       }},
      {"separated called beyond",
       [](IntersectionAnswer& a, double) {
         const bool applies = a.state == State::kSeparated;
         return a.state = State::kBeyond, applies;
       }},
  });
  for (int i = 0; i < Effort(1800); ++i) {
    const Question question = pool.Next();
    const PosedShape a = question.PosedA();
    const PosedShape b = question.PosedB();
    if (!IsOrdinary(question, Distance(a, b, {}))) continue;
    tally.Try(Intersection(a, b), 0,
              [&](const IntersectionAnswer& wrong) { return CheckIntersection(a, b, wrong); });
  }
  tally.Expect(1000);
}

// A time of collision and its proof, which change together.
struct ProvedMotion {
  TimeOfCollisionAnswer answer;
  MotionProof proof;
};

bool IsHit(const ProvedMotion& motion) {
  return motion.answer.state == MotionState::kHit && motion.answer.t_free > 0.01 &&
         motion.answer.t_free < 0.95 && !motion.proof.is_truncated;
}

std::vector<Mutation<ProvedMotion>> MutationsOfTimes() {
  return {
      {"t_free later than proved",
       [](ProvedMotion& m, double) {
         m.answer.t_free += 1e-3;
         m.answer.t_hit = std::fmax(m.answer.t_hit, m.answer.t_free);
         return IsHit(m);
       }},
      {"the last interval longer too",
       [](ProvedMotion& m, double) {
         m.answer.t_free *= 1.05;
         m.answer.t_hit = m.answer.t_free;
         if (m.proof.size > 0) m.proof.intervals[m.proof.size - 1].t_end = m.answer.t_free;
         return IsHit(m);
       }},
      {"t_hit before t_free",
       [](ProvedMotion& m, double) { return m.answer.t_hit = m.answer.t_free / 2, IsHit(m); }},
      {"t_hit much earlier, as t_free",
       [](ProvedMotion& m, double) {
         return m.answer.t_free *= 0.5, m.answer.t_hit = m.answer.t_free, IsHit(m);
       }},
      {"a hit called free",
       [](ProvedMotion& m, double) {
         const bool applies = IsHit(m);
         m.answer.state = MotionState::kFree;
         m.answer.t_free = m.answer.t_hit = 1;
         if (m.proof.size > 0) m.proof.intervals[m.proof.size - 1].t_end = 1;
         return applies;
       }},
      {"free called initially overlapping",
       [](ProvedMotion& m, double) {
         const bool applies = m.answer.state == MotionState::kFree;
         m.answer.state = MotionState::kInitiallyOverlapping;
         m.answer.t_free = m.answer.t_hit = 0;
         return applies;
       }},
      {"a point moved",
       [](ProvedMotion& m, double change) {
         m.answer.p_WB.x += 1e5 * change;
         return IsHit(m);
       }},
      {"time is no number", [](ProvedMotion& m, double) { return m.answer.t_free = kNaN, true; }},
  };
}

std::vector<Mutation<ProvedMotion>> MutationsOfProofs() {
  return {
      {"an interval missing",
       [](ProvedMotion& m, double) {
         for (int i = 0; i + 1 < m.proof.size; ++i) {
           m.proof.intervals[i] = m.proof.intervals[i + 1];
         }
         return --m.proof.size, IsHit(m);
       }},
      {"all normals turned round",
       [](ProvedMotion& m, double) {
         for (ProvedInterval& interval : m.proof.intervals) interval.n_W = -interval.n_W;
         return IsHit(m);
       }},
      {"the last normal tilted",
       [](ProvedMotion& m, double) {
         if (m.proof.size == 0) return false;
         Vec3d& n_W = m.proof.intervals[m.proof.size - 1].n_W;
         return n_W = Tilted(n_W), IsHit(m);
       }},
  };
}

void ExpectObjectionsToMotions(std::vector<Mutation<ProvedMotion>> mutations) {
  QuestionPool pool(RunSeed() + 8);
  MutationTally<ProvedMotion> tally(std::move(mutations));
  for (int i = 0; i < Effort(1800); ++i) {
    const MotionQuestion question = pool.InMotion(pool.Next(), i % 4 == 0);
    if (question.start.regime == Regime::kFarAway) continue;
    ProvedMotion motion;
    MotionOptions options = {.target_distance = question.target_distance, .proof = &motion.proof};
    motion.answer = TimeOfCollision(question.MovingA(), question.MovingB(), options);
    tally.Try(motion, kChange * question.start.Size(), [&](ProvedMotion wrong) {
      options.proof = &wrong.proof;
      return CheckTimeOfCollision(question.MovingA(), question.MovingB(), options, wrong.answer);
    });
  }
  tally.Expect(20);
}

TEST(Checker, ObjectsToWrongTimesOfCollision) { ExpectObjectionsToMotions(MutationsOfTimes()); }
TEST(Checker, ObjectsToWrongProofsOfMotion) { ExpectObjectionsToMotions(MutationsOfProofs()); }

}  // namespace
}  // namespace clearance::testing
