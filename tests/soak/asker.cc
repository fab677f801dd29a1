// SPDX-License-Identifier: Apache-2.0
#include "tests/soak/asker.h"

#include <cmath>
#include <cstdio>
#include <limits>

#include "core/math/tolerance.h"
#include "core/proof/check_body.h"
#include "core/proof/check_motion.h"
#include "core/query/body_query.h"
#include "core/query/contact_manifold.h"
#include "core/query/distance.h"
#include "core/query/intersection.h"
#include "core/query/time_of_collision.h"
#include "tests/soak/describe.h"
#include "tests/support/answer_checker.h"
#include "tests/support/depth_proof_checker.h"
#include "tests/support/generators.h"
#include "tests/support/same_bits.h"

namespace clearance::soak {
namespace {

using testing::Random;

// Of so many cases one is a time of collision, one is of compounds, one is held against the exact
// oracle: a hundred times, ten times and ten thousand times the work of a distance.
constexpr int kOneMotionIn = 40;
constexpr int kOneCompoundIn = 40;
constexpr int kOneOracleIn = 2000;
// Of so many answers one is proved anew by core/proof, a hundred times the work of the answer.
constexpr int kOneDistanceCheckedIn = 64;
constexpr int kOneIntersectionCheckedIn = 256;
constexpr int kOneMotionCheckedIn = 8;
constexpr int kOneExactIn = 64;

bool IsDecided(const DistanceAnswer& answer) {
  return answer.state != State::kBeyond && answer.state != State::kUndecided;
}

// What queries require of their poses; next to overflow not all places are.
bool IsRepresentable(const PairCase& pair) {
  const testing::Question& question = pair.question;
  return clearance::IsRepresentable(question.shape_a->bounding_radius(), question.pose_a) &&
         clearance::IsRepresentable(question.shape_b->bounding_radius(), question.pose_b);
}

Proved ProvedBy(const DistanceAnswer& answer) { return {answer.state, answer.bracket}; }
Proved ProvedBy(const IntersectionAnswer& answer) { return {answer.state, answer.bracket}; }

Scale ScaleOf(const testing::Question& question) {
  Scale scale = MeasureScale(question.Size(), question.pose_a, question.pose_b);
  // Poses inside of bodies turn and move points as well.
  const Vec3d places = question.local_a.p_WS + question.local_b.p_WS;
  scale.size += std::fabs(places.x) + std::fabs(places.y) + std::fabs(places.z);
  scale.is_curved = question.IsCurved();
  return scale;
}

Scale ScaleOf(const testing::MotionQuestion& question) {
  Scale scale = ScaleOf(question.start);
  for (const Motion* motion : {&question.motion_a, &question.motion_b}) {
    for (const Vec3d& v : {motion->displacement, motion->pivot}) {
      scale.place = std::fmax(scale.place, std::hypot(v.x, v.y, v.z));
    }
  }
  return scale;
}

Scale ScaleOf(const BodyCase& question) {
  Scale scale = MeasureScale(question.Size(), question.pose_a, question.pose_b);
  scale.place += std::hypot(question.motion_a.displacement.x, question.motion_a.displacement.y,
                            question.motion_a.displacement.z);
  scale.place += std::hypot(question.motion_b.displacement.x, question.motion_b.displacement.y,
                            question.motion_b.displacement.z);
  return scale;
}

// States and reasons by number; out of range counts as 0.
template <class Answer>
void CountStates(const Answer& answer, Row* row) {
  const auto state = static_cast<std::size_t>(answer.state);
  const auto reason = static_cast<std::size_t>(answer.reason);
  ++row->states[state < row->states.size() ? state : 0];
  ++row->reasons[reason < row->reasons.size() ? reason : 0];
}
void CountStates(const ContactManifold& manifold, Row* row) {
  ++row->states[manifold.size > 0 ? 2 : 1];
}

template <class Answer>
bool IsUndecided(const Answer& answer) {
  return answer.reason != UndecidedReason::kNone;
}
bool IsUndecided(const ContactManifold&) { return false; }

using testing::Describe;

std::string Describe(const PairCase& pair) { return testing::Describe(pair.question); }
std::string Describe(const MotionCase& moving) {
  return testing::Describe(moving.question) + "  ignore initial contact " +
         std::to_string(moving.ignore_initial_contact ? 1 : 0) + "\n";
}
std::string Describe(const testing::CheckedPair& pair) { return testing::Describe(pair.bodies); }

}  // namespace

void Asker::Ask(std::uint64_t index) {
  post_->index.store(index, std::memory_order_relaxed);
  index_ = index;
  maker_.Start(index);
  Random& random = maker_.random();
  if (random.OneIn(kOneMotionIn)) {
    AskMotion();
  } else if (random.OneIn(kOneCompoundIn)) {
    AskBodies();
  } else if (random.OneIn(kOneOracleIn)) {
    AskOracle();
  } else {
    AskPair();
  }
  post_->index.store(kNoCase, std::memory_order_relaxed);
}

bool Asker::IsChecked(int one_in) {
  const bool is_due = maker_.random().OneIn(one_in);
  return is_due || options_.is_telling;
}

template <class Question>
void Asker::Tell(const Query& query, const Question& question) const {
  if (!options_.is_telling) return;
  std::printf("asking %s of %s\n", Name(query.kind), Describe(question).c_str());
  std::fflush(stdout);
}

template <class Answer, class Question>
void Asker::Count(const Query& query, const Answer& answer, const std::string& fault,
                  const Question& question) {
  Row& row = tally_.At(query.kind, query.setting);
  ++row.queries;
  post_->queries.store(post_->queries.load(std::memory_order_relaxed) + 1,
                       std::memory_order_relaxed);
  CountStates(answer, &row);
  if (IsUndecided(answer)) row.first_undecided = std::min(row.first_undecided, index_);
  if (options_.is_telling) std::printf("answer %s\n", Describe(answer).c_str());
  if (fault.empty()) return;
  ++row.findings;
  printer_->Print({index_, query.kind, query.setting, fault, Describe(question), Describe(answer)});
}

std::string Asker::Judged(const Check& check, Row* row) {
  ++row->checked;
  row->lower_proved += check.is_lower_proved ? 1 : 0;
  row->upper_proved += check.is_upper_proved ? 1 : 0;
  return testing::FaultOf(check);
}

// --- Pairs of convex shapes ----------------------------------------------------------------------

void Asker::AskPair() {
  PairCase pair = maker_.NextPair();
  if (!IsRepresentable(pair)) return;
  DistanceAnswer cold = AskCold(pair);
  if (IsDecided(cold) && maker_.random().OneIn(2)) {
    pair = maker_.InContact(pair, cold);
    if (!IsRepresentable(pair)) return;
    cold = AskCold(pair);
  }
  AskOthers(pair, cold);
}

template <class OtherFault>
DistanceAnswer Asker::AskDistance(const Query& query, const PairCase& pair,
                                  const DistanceOptions& options, OtherFault other_fault) {
  Tell(query, pair);
  const PosedShape a = pair.question.PosedA();
  const PosedShape b = pair.question.PosedB();
  const DistanceAnswer answer = Distance(a, b, options);
  std::string fault = FindFault(ScaleOf(pair.question), options, answer) + other_fault(answer);
  if (IsChecked(kOneDistanceCheckedIn)) {
    fault += Judged(CheckDistance(a, b, options, answer), &tally_.At(query.kind, query.setting));
  }
  Count(query, answer, fault, pair);
  return answer;
}

DistanceAnswer Asker::AskCold(const PairCase& pair) {
  return AskDistance({Kind::kDistance, pair.setting}, pair, {},
                     [](const DistanceAnswer&) { return std::string(); });
}

void Asker::AskOthers(const PairCase& pair, const DistanceAnswer& cold) {
  Random& random = maker_.random();
  if (random.OneIn(2)) AskIntersection(pair, cold, false);
  if (random.OneIn(2)) AskWarm(pair, cold);
  if (random.OneIn(4)) AskWithin(pair, cold);
  if (random.OneIn(8)) AskTolerant(pair, cold);
  if (random.OneIn(8)) AskManifold(pair, cold);
  if (random.OneIn(16) && cold.state == State::kPenetrating) AskDepthProof(pair, cold);
  if (!random.OneIn(kOneExactIn)) return;
  AskExact(pair, cold);
  AskIntersection(pair, cold, true);
}

void Asker::AskWarm(const PairCase& pair, const DistanceAnswer& cold) {
  Random& random = maker_.random();
  const testing::Question& question = pair.question;
  if (question.IsCurved()) return;
  const Witness start = cold.witness.size > 0 && random.OneIn(2)
                            ? cold.witness
                            : testing::RandomStart(*question.shape_a, *question.shape_b, random);
  if (options_.is_telling) std::printf("start\n%s", Describe(start).c_str());
  AskDistance({Kind::kWarm, pair.setting}, pair, {.start = &start},
              [&](const DistanceAnswer& warm) {
                return testing::SameBits(warm, cold)
                           ? std::string()
                           : "not the bits of the cold answer:" + Describe(cold) + Describe(start);
              });
}

void Asker::AskWithin(const PairCase& pair, const DistanceAnswer& cold) {
  Random& random = maker_.random();
  const double near = IsDecided(cold) ? std::fabs(cold.distance) : pair.question.Size();
  double max_distance = near * (random.OneIn(2) ? 1 : random.LogUniform(1e-3, 1e3));
  if (random.OneIn(8)) max_distance = 0;
  AskDistance({Kind::kWithin, pair.setting}, pair, {.max_distance = max_distance},
              [&](const DistanceAnswer& within) {
                return FindContradiction(ProvedBy(within), ProvedBy(cold));
              });
}

void Asker::AskTolerant(const PairCase& pair, const DistanceAnswer& cold) {
  const double tolerance = pair.question.Size() * maker_.random().LogUniform(1e-15, 1);
  AskDistance({Kind::kTolerant, pair.setting}, pair, {.tolerance = tolerance},
              [&](const DistanceAnswer& tolerant) {
                return FindContradiction(ProvedBy(tolerant), ProvedBy(cold));
              });
}

void Asker::AskDepthProof(const PairCase& pair, const DistanceAnswer& cold) {
  DepthProof proof;
  AskDistance({Kind::kWithDepthProof, pair.setting}, pair, {.depth_proof = &proof},
              [&](const DistanceAnswer& answer) {
                std::string fault = FindFault(proof);
                if (!testing::SameBits(answer, cold)) fault += "the proof changes the answer\n";
                return fault.empty() ? fault : fault + Describe(proof);
              });
}

void Asker::AskExact(const PairCase& pair, const DistanceAnswer& cold) {
  AskDistance({Kind::kExact, pair.setting}, pair, {.exact = true},
              [&](const DistanceAnswer& exact) {
                return FindContradiction(ProvedBy(exact), ProvedBy(cold));
              });
}

void Asker::AskIntersection(const PairCase& pair, const DistanceAnswer& cold, bool exact) {
  const Query query = {exact ? Kind::kExactIntersection : Kind::kIntersection, pair.setting};
  Tell(query, pair);
  const PosedShape a = pair.question.PosedA();
  const PosedShape b = pair.question.PosedB();
  const IntersectionAnswer answer = Intersection(a, b, {.exact = exact});
  std::string fault = FindFault(answer) + FindContradiction(ProvedBy(answer), ProvedBy(cold));
  // Of curved cores each search ends where it is near enough, and the last of them need not agree.
  // Nor those of polytopes where rounding is all that there is: one may know a little more.
  const double rounding = kRoundingTolerance * kRoundoff * pair.question.Size();
  const bool is_open =
      exact || pair.question.IsCurved() ||
      std::fabs(cold.distance) < std::fmax(rounding, std::numeric_limits<double>::min());
  const bool is_same = is_open || answer.state == cold.state;
  if (!is_same && IsDecided(cold)) {
    fault += "another state than that of the distance\n" + Describe(cold);
  }
  if (IsChecked(kOneIntersectionCheckedIn)) {
    fault += Judged(CheckIntersection(a, b, answer), &tally_.At(query.kind, query.setting));
  }
  Count(query, answer, fault, pair);
}

void Asker::AskManifold(const PairCase& pair, const DistanceAnswer& cold) {
  const Query query = {Kind::kManifold, pair.setting};
  Tell(query, pair);
  const ContactManifold manifold =
      ComputeManifold(pair.question.PosedA(), pair.question.PosedB(), cold);
  Count(query, manifold, FindFault(ScaleOf(pair.question), cold, manifold), pair);
}

// --- The exact oracle ----------------------------------------------------------------------------

void Asker::AskOracle() {
  const auto family = static_cast<testing::Family>(maker_.random().Below(testing::kFamilyCount));
  // Of a thousand vertices the oracle takes minutes.
  if (family == testing::Family::kEllipsoids) return AskPair();
  const Query query = {Kind::kOracle, Setting(testing::Regime::kGenerated)};
  const testing::CheckedPair pair(testing::Generate(family, maker_.random()));
  Tell(query, pair);
  DepthProof proof;
  const DistanceAnswer answer = Distance(pair.PosedA(), pair.PosedB(), {.depth_proof = &proof});
  std::string fault = testing::FindFault(pair, answer) + FindFault(proof);
  if (proof.facet_count > 0) fault += testing::FindProofFault(pair, answer, proof);
  ++tally_.At(query.kind, query.setting).checked;
  Count(query, answer, fault, pair);
}

// --- Times of collision --------------------------------------------------------------------------

void Asker::AskMotion() {
  PairCase pair = maker_.NextPair();
  if (!IsRepresentable(pair)) return;
  DistanceAnswer start = AskCold(pair);
  if (IsDecided(start) && maker_.random().OneIn(6)) {
    pair = maker_.InContact(pair, start);
    if (!IsRepresentable(pair)) return;
    start = AskCold(pair);
  }
  const MotionCase moving = maker_.InMotion(pair);
  const testing::MotionQuestion& question = moving.question;
  const MovingShape a = question.MovingA();
  const MovingShape b = question.MovingB();
  const bool turns = NormSquared(a.motion.rotation) + NormSquared(b.motion.rotation) > 0;
  const Query query = {turns ? Kind::kRotation : Kind::kTranslation, moving.setting};
  if (!IsMotionRepresentable(a.shape.bounding_radius(), a.start, a.motion) ||
      !IsMotionRepresentable(b.shape.bounding_radius(), b.start, b.motion)) {
    return;
  }
  Tell(query, moving);
  const bool is_checked = IsChecked(kOneMotionCheckedIn);
  MotionProof proof;
  const MotionOptions options = {.target_distance = question.target_distance,
                                 .ignore_initial_contact = moving.ignore_initial_contact,
                                 .proof = is_checked ? &proof : nullptr};
  const TimeOfCollisionAnswer answer = TimeOfCollision(a, b, options);
  std::string fault = FindFault(ScaleOf(question), options, answer) +
                      FindContradiction(ProvedBy(start), start.tolerance, options, answer);
  if (is_checked) {
    fault +=
        Judged(CheckTimeOfCollision(a, b, options, answer), &tally_.At(query.kind, query.setting));
  }
  Count(query, answer, fault, moving);
}

// --- Compounds -----------------------------------------------------------------------------------

void Asker::AskBodies() {
  const BodyCase question = maker_.NextBodies();
  AskBodyDistance(question);
  if (maker_.random().OneIn(4)) AskBodyMotion(question);
}

void Asker::AskBodyDistance(const BodyCase& question) {
  Query query = {Kind::kBodyDistance, question.setting};
  Tell(query, question);
  DistanceOptions options;
  if (maker_.random().OneIn(4)) {
    options.max_distance = question.Size() * maker_.random().LogUniform(1e-3, 1);
  }
  const DistanceAnswer answer = Distance(question.PosedA(), question.PosedB(), options);
  std::string fault = FindFault(ScaleOf(question), options, answer);
  if (answer.is_piecewise != (answer.state == State::kPenetrating)) {
    fault += "PIECEWISE of what does not overlap, or missing\n";
  }
  if (IsChecked(kOneDistanceCheckedIn)) {
    fault += Judged(CheckDistance(question.PosedA(), question.PosedB(), options, answer),
                    &tally_.At(query.kind, query.setting));
  }
  Count(query, answer, fault, question);

  query.kind = Kind::kBodyIntersection;
  Tell(query, question);
  const IntersectionAnswer contact = Intersection(question.PosedA(), question.PosedB());
  fault = FindFault(contact) + FindContradiction(ProvedBy(contact), ProvedBy(answer));
  if (IsDecided(answer) && contact.state != answer.state) {
    fault += "another state than that of the distance\n" + Describe(answer);
  }
  if (IsChecked(kOneIntersectionCheckedIn)) {
    fault += Judged(CheckIntersection(question.PosedA(), question.PosedB(), contact),
                    &tally_.At(query.kind, query.setting));
  }
  Count(query, contact, fault, question);
}

void Asker::AskBodyMotion(const BodyCase& question) {
  const Query query = {Kind::kBodyMotion, question.setting};
  if (!IsMotionRepresentable(question.body_a->bounding_radius(), question.pose_a,
                             question.motion_a) ||
      !IsMotionRepresentable(question.body_b->bounding_radius(), question.pose_b,
                             question.motion_b)) {
    return;
  }
  Tell(query, question);
  const MotionOptions options = {.target_distance = question.target_distance};
  const TimeOfCollisionAnswer answer =
      TimeOfCollision(question.MovingA(), question.MovingB(), options);
  std::string fault = FindFault(ScaleOf(question), options, answer);
  if (IsChecked(kOneMotionCheckedIn)) {
    fault += Judged(CheckTimeOfCollision(question.MovingA(), question.MovingB(), options, answer),
                    &tally_.At(query.kind, query.setting));
  }
  Count(query, answer, fault, question);
}

}  // namespace clearance::soak
