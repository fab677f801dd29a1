// SPDX-License-Identifier: Apache-2.0
#include "tests/property/accuracy_cases.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/query/body_query.h"
#include "core/query/distance.h"
#include "core/query/time_of_collision.h"
#include "tests/support/answer_checker.h"
#include "tests/support/compound.h"
#include "tests/support/exact_distance.h"
#include "tests/support/exact_motion.h"
#include "tests/support/generators.h"
#include "tests/support/motion_generators.h"
#include "tests/support/planted_contact.h"

namespace clearance::testing {
namespace {

constexpr double kU = 0x1p-53;
// Relative to S + |d|: the required accuracy of a truth.
constexpr double kTruthWidth = kU / 1000;
constexpr int kScaleExponent = 900;
constexpr double kFarFromOriginDistance = 1e8;
// Metres, of the balls at a contact: below this the truth is known for motions along the normal
// only.
constexpr double kLeastBall = 0.05;
// Samples of a motion before t_free.
constexpr int kTimes = 16;

// --- Bodies --------------------------------------------------------------------------------------

Body Points(BodyKind kind, int count, Random& random) {
  Body body = {.kind = kind, .points = {}, .radius = 0, .pose = {}};
  for (int i = 0; i < count; ++i) body.points.push_back(random.InCube(1));
  if (kind == BodyKind::kPolygon) {
    for (Vec3d& p : body.points) p.z = 0;
  }
  return body;
}

Body AnyBox(Random& random) {
  return MakeBoxBody({random.Uniform(0.2, 1), random.Uniform(0.2, 1), random.Uniform(0.2, 1)});
}

Body AnyOfGroup(Group group, int kind, Random& random) {
  if (group == Group::kRound) {
    Body body = MakePointBody(0);
    if (kind == 1) body = Points(BodyKind::kSegment, 2, random);
    body.radius = random.Uniform(0.1, 1);
    return body;
  }
  if (group == Group::kThin) {
    if (kind == 0) return MakePointBody(0);
    if (kind == 1) return Points(BodyKind::kSegment, 2, random);
    if (kind == 2) return Points(BodyKind::kTriangle, 3, random);
    return Points(BodyKind::kPolygon, 3 + random.Below(6), random);
  }
  if (group == Group::kSolid) {
    return kind == 0 ? AnyBox(random) : RandomHull(random, 4 + random.Below(5), 1);
  }
  Body body = kind < 2 ? AnyOfGroup(Group::kThin, 2 + kind, random)
                       : AnyOfGroup(Group::kSolid, kind - 2, random);
  body.radius = random.Uniform(0.05, 0.5);
  return body;
}

Solid AnyCurved(CoreKind core, Random& random) {
  const auto size = [&random] { return random.Uniform(0.3, 1.2); };
  Solid solid = {.core = core, .extents = {size(), size(), size()}, .body = {}, .offset = {}};
  if (core != CoreKind::kEllipsoid) solid.extents.y = solid.extents.x;
  if (random.OneIn(3)) solid.body.radius = random.Uniform(0.01, 0.5);
  return solid;
}

int KindCount(Group group) {
  switch (group) {
    case Group::kThin:
    case Group::kRounded:
      return 4;
    case Group::kSolid:
    case Group::kRound:
      return 2;
    case Group::kCylinder:
    case Group::kCone:
    case Group::kEllipsoid:
    case Group::kCompound:
      break;
  }
  return 1;
}

Solid AnySolid(Group group, Random& random, unsigned* kinds) {
  const int kind = random.Below(KindCount(group));
  *kinds |= 1U << kind;
  if (group == Group::kCylinder) return AnyCurved(CoreKind::kCylinder, random);
  if (group == Group::kCone) return AnyCurved(CoreKind::kCone, random);
  if (group == Group::kEllipsoid) return AnyCurved(CoreKind::kEllipsoid, random);
  Solid solid;
  solid.body = AnyOfGroup(group, kind, random);
  return solid;
}

// --- Places --------------------------------------------------------------------------------------

// Returns a gap of `situation`, metres, for bodies of that size. Overlaps of more than
// `inner_radii` may be less deep elsewhere.
double GapOf(Situation situation, double size, double inner_radii, Random& random) {
  switch (situation) {
    case Situation::kFar:
      return size * random.LogUniform(0.1, 100);
    case Situation::kNear:
      return size * random.LogUniform(1e-7, 1e-5);
    case Situation::kTouching:
      return 0;
    case Situation::kShallow:
      return -size * random.LogUniform(1e-6, 1e-3);
    case Situation::kDeep:
      return -inner_radii * random.Uniform(0.1, 0.99);
    case Situation::kScaled:
    case Situation::kFarFromOrigin:
      break;
  }
  static constexpr std::array situations = {Situation::kFar, Situation::kNear, Situation::kShallow};
  return GapOf(situations[random.Below(3)], size, inner_radii, random);
}

bool IsInSituation(Situation situation, double distance, double size) {
  switch (situation) {
    case Situation::kFar:
      return distance > 0.05 * size;
    case Situation::kNear:
      return distance > 0 && distance < 1e-4 * size;
    case Situation::kTouching:
      return std::fabs(distance) <= 16 * kU * size;
    case Situation::kShallow:
      return distance < 0 && distance > -1e-2 * size;
    case Situation::kDeep:
      return distance < -1e-3 * size;
    case Situation::kScaled:
    case Situation::kFarFromOrigin:
      break;
  }
  return true;
}

void Scale(int exponent, Body* body) {
  for (Vec3d& p : body->points) p = Scaled(p, exponent);
  body->radius = std::ldexp(body->radius, exponent);
  body->pose.p_WS = Scaled(body->pose.p_WS, exponent);
}

void Scale(int exponent, Solid* solid) {
  Scale(exponent, &solid->body);
  solid->extents = Scaled(solid->extents, exponent);
}

Vec3d WholeNumbers(double half, Random& random) {
  const Vec3d p = random.InCube(half);
  return {std::round(p.x), std::round(p.y), std::round(p.z)};
}

// The answer of core, in metres of the bodies before they were scaled.
struct Answer {
  State state = State::kUndecided;
  double distance = 0;
  Bracket bracket;
};

Answer Unscaled(const DistanceAnswer& answer, int exponent) {
  const auto metres = [exponent](double x) { return std::ldexp(x, -exponent); };
  return {answer.state,
          metres(answer.distance),
          {metres(answer.bracket.lower), metres(answer.bracket.upper)}};
}

// The scale is exact, so that it scales the truth exactly.
int ExponentOf(Situation situation, Random& random) {
  if (situation != Situation::kScaled) return 0;
  return random.OneIn(2) ? kScaleExponent : -kScaleExponent;
}

// --- Polytopes -----------------------------------------------------------------------------------

// d - x, exact but for the last rounding.
double Difference(const ExactDistance& d, double x) {
  constexpr mp_bitcnt_t kBits = 2400;
  mpf_class root(d.core_square, kBits);
  root = sqrt(root);
  if (d.relation == CoreRelation::kInside) root = -root;
  return mpf_class(root - mpf_class(d.radii, kBits) - mpf_class(x, kBits)).get_d();
}

std::optional<Measured> MeasurePolytopes(Situation situation, Solid a, Solid b, Random& random) {
  const double size = ReachOf(a) + ReachOf(b);
  if (situation == Situation::kFarFromOrigin) {
    const Vec3d shift = kFarFromOriginDistance * random.Direction();
    for (Solid* solid : {&a, &b}) solid->body.pose.p_WS = solid->body.pose.p_WS + shift;
  }
  const ExactDistance truth = ComputeExactSignedDistance(MakeExactPair({a.body, b.body}));
  if (!truth.is_depth_known) return std::nullopt;
  const double distance = truth.Approximate();
  if (!IsInSituation(situation, distance, size) || size + std::fabs(distance) == 0)
    return std::nullopt;
  const int exponent = ExponentOf(situation, random);
  Scale(exponent, &a);
  Scale(exponent, &b);
  const ConvexShapePtr shape_a = MakeShape(a), shape_b = MakeShape(b);
  const Answer answer =
      Unscaled(Distance({*shape_a, a.body.pose}, {*shape_b, b.body.pose}, {}), exponent);
  Measured measured;
  measured.is_undecided = answer.state == State::kUndecided;
  measured.fault = FindBracketFault(truth, answer.state, answer.bracket);
  if (!measured.fault.empty()) measured.fault += Describe(BodyPair{a.body, b.body});
  measured.error = std::fabs(Difference(truth, answer.distance)) / (size + std::fabs(distance));
  return measured;
}

// --- Curved kinds --------------------------------------------------------------------------------

std::string PlantedFault(const PlantedTruth& truth, const Answer& answer) {
  std::string fault;
  if (!(answer.bracket.lower <= truth.upper && truth.lower <= answer.bracket.upper)) {
    fault += "the bracket does not hold the truth\n";
  }
  const bool is_refuted = (answer.state == State::kSeparated && truth.upper <= 0) ||
                          (answer.state == State::kPenetrating && truth.lower >= 0);
  if (is_refuted) fault += "the state is refuted\n";
  return fault;
}

double Larger(double x, Quad y) { return std::max(x, std::fabs(static_cast<double>(y))); }

std::optional<Measured> MeasurePlanted(Situation situation, const Contact& contact, Solid a,
                                       Solid b, Random& random) {
  const double size = ReachOf(a) + ReachOf(b);
  const PlantedTruth truth = TruthOf(contact, a, b);
  const auto distance = static_cast<double>(truth.lower);
  const double unit = size + std::fabs(distance);
  if (truth.upper - truth.lower > kTruthWidth * unit) return std::nullopt;
  if (!IsInSituation(situation, distance, size)) return std::nullopt;
  const int exponent = ExponentOf(situation, random);
  Scale(exponent, &a);
  Scale(exponent, &b);
  const ConvexShapePtr shape_a = MakeShape(a), shape_b = MakeShape(b);
  // Frames that the poses are in: an exact offset apart, wherever they stand.
  Pose frame_a, frame_b;
  if (situation == Situation::kFarFromOrigin)
    frame_a.p_WS = WholeNumbers(kFarFromOriginDistance, random);
  frame_b.p_WS = frame_a.p_WS + b.offset;
  const Answer answer = Unscaled(
      Distance({*shape_a, frame_a, a.body.pose}, {*shape_b, frame_b, b.body.pose}, {}), exponent);
  Measured measured;
  measured.is_undecided = answer.state == State::kUndecided;
  measured.fault = PlantedFault(truth, answer);
  const double error = Larger(std::fabs(static_cast<double>(truth.lower - answer.distance)),
                              truth.upper - answer.distance);
  measured.error = error / unit;
  return measured;
}

// --- Convex pairs --------------------------------------------------------------------------------

bool IsDeepAnywhere(Situation situation, const Solid& a, const Solid& b) {
  return situation == Situation::kDeep && !a.is_curved() && !b.is_curved();
}

std::optional<Measured> MeasureConvex(Situation situation, Solid a, Solid b, Random& random) {
  a.body.pose = {random.InCube(1), random.Rotation()};
  b.body.pose = {{}, random.OneIn(4) ? a.body.pose.q_WS : random.Rotation()};
  if (IsDeepAnywhere(situation, a, b)) {  // the oracle of polytopes knows all depths
    b.body.pose.p_WS = a.body.pose.p_WS + random.InCube(0.4);
    return MeasurePolytopes(situation, std::move(a), std::move(b), random);
  }
  const bool is_curved = a.is_curved() || b.is_curved();
  if (is_curved && situation == Situation::kFarFromOrigin) b.offset = WholeNumbers(3, random);
  const Contact contact = AnyContact(a, b, random);
  const double size = ReachOf(a) + ReachOf(b);
  const double gap =
      GapOf(situation, size > 0 ? size : 1, static_cast<double>(contact.inner_radii), random);
  PlaceAcross(contact, a, gap, &b);
  if (!is_curved) return MeasurePolytopes(situation, std::move(a), std::move(b), random);
  return MeasurePlanted(situation, contact, std::move(a), std::move(b), random);
}

// --- Compounds -----------------------------------------------------------------------------------

Compound AnyCompound(Group group, Random& random) {
  if (group != Group::kCompound) {
    return {{AnyOfGroup(group, random.Below(KindCount(group)), random)}, {}};
  }
  static constexpr std::array families = {CompoundFamily::kScattered, CompoundFamily::kElbows,
                                          CompoundFamily::kCups, CompoundFamily::kRings};
  Compound compound = RandomCompound(families[random.Below(4)], 3, random);
  for (Body& piece : compound.pieces) piece.radius = 0;
  return compound;
}

// The hull of all pieces, to rounding, to place the compound by.
Solid HullOf(const Compound& compound) {
  Solid hull;
  for (const Body& piece : compound.pieces) {
    const auto [p_BS, q] = piece.pose;
    const Vec3d u = {q.x, q.y, q.z};
    for (const Vec3d& p : piece.points) {
      hull.body.points.push_back(p + 2.0 * Cross(u, Cross(u, p) + q.w * p) + p_BS);
    }
  }
  hull.body.pose = compound.pose;
  return hull;
}

std::vector<ExactDistance> PieceTruths(const CompoundPair& pair) {
  std::vector<ExactDistance> truths;
  const ExactPlacement X_WA = Place(pair.a.pose), X_WB = Place(pair.b.pose);
  for (const Body& a : pair.a.pieces) {
    for (const Body& b : pair.b.pieces) {
      truths.push_back(ComputeExactSignedDistance(
          MakeExactPair({a, b}, Compose(X_WA, Place(a.pose)), Compose(X_WB, Place(b.pose)))));
    }
  }
  return truths;
}

std::string CompoundFault(const std::vector<ExactDistance>& truths, const Answer& answer) {
  const auto is_above = [&](const ExactDistance& d) { return d.IsAtLeast(answer.bracket.lower); };
  const auto is_below = [&](const ExactDistance& d) { return d.IsAtMost(answer.bracket.upper); };
  std::string fault;
  if (!std::all_of(truths.begin(), truths.end(), is_above)) fault += "lower is above the truth\n";
  if (!std::any_of(truths.begin(), truths.end(), is_below)) fault += "upper is below the truth\n";
  return fault;
}

Answer AskCompound(CompoundPair pair, int exponent) {
  for (Compound* compound : {&pair.a, &pair.b}) {
    for (Body& piece : compound->pieces) Scale(exponent, &piece);
    compound->pose.p_WS = Scaled(compound->pose.p_WS, exponent);
  }
  const RigidBodyPtr a = MakeRigidBody(pair.a), b = MakeRigidBody(pair.b);
  return Unscaled(Distance(PosedBody{*a, pair.a.pose}, PosedBody{*b, pair.b.pose}, {}), exponent);
}

std::optional<Measured> MeasureCompounds(const AccuracyRow& row, Situation situation,
                                         Random& random) {
  CompoundPair pair = {AnyCompound(row.a, random), AnyCompound(row.b, random)};
  if (random.OneIn(2)) std::swap(pair.a, pair.b);
  pair.a.pose = {random.InCube(1), random.Rotation()};
  pair.b.pose.q_WS = random.OneIn(4) ? pair.a.pose.q_WS : random.Rotation();
  const Solid hull_a = HullOf(pair.a);
  Solid hull_b = HullOf(pair.b);
  const double size = ReachOf(hull_a) + ReachOf(hull_b);
  const Contact contact = AnyContact(hull_a, hull_b, random);
  PlaceAcross(contact, hull_a, GapOf(situation, size, 0.5 * size, random), &hull_b);
  pair.b.pose.p_WS = hull_b.body.pose.p_WS;
  if (situation == Situation::kFarFromOrigin) {
    const Vec3d shift = kFarFromOriginDistance * random.Direction();
    for (Compound* compound : {&pair.a, &pair.b}) {
      compound->pose.p_WS = compound->pose.p_WS + shift;
    }
  }
  const std::vector<ExactDistance> truths = PieceTruths(pair);
  const auto is_nearer = [](const ExactDistance& x, const ExactDistance& y) {
    return x.Approximate() < y.Approximate();
  };
  const ExactDistance& nearest = *std::min_element(truths.begin(), truths.end(), is_nearer);
  const double distance = nearest.Approximate();
  if (!IsInSituation(situation, distance, size)) return std::nullopt;
  const Answer answer = AskCompound(pair, ExponentOf(situation, random));
  Measured measured;
  measured.is_undecided = answer.state == State::kUndecided;
  measured.fault = CompoundFault(truths, answer);
  if (!measured.fault.empty()) measured.fault += Describe(pair);
  measured.error = std::fabs(Difference(nearest, answer.distance)) / (size + std::fabs(distance));
  measured.kinds_a = KindsOf(row.a);
  measured.kinds_b = KindsOf(row.b);
  return measured;
}

// --- Motions of polytopes ------------------------------------------------------------------------

double ReachOf(const Body& body) {
  Solid solid;
  solid.body = body;
  return ReachOf(solid);
}

// Returns whether t_free is late, as far as a few exact distances show it.
bool IsLate(const MovingPair& pair, double t_free, bool turns) {
  const double slack =
      turns ? kMotionAngleError * (ReachFromPivot(pair.a) + ReachFromPivot(pair.b)) : 0;
  for (int i = 0; i <= kTimes; ++i) {
    const double t = t_free * i / kTimes;
    if (!DistanceAt(pair.a, pair.b, t).IsAtLeast(pair.target - slack)) return true;
  }
  return false;
}

MeasuredMotion MeasurePolytopeMotion(bool turns, Random& random) {
  const MovingPair pair = turns ? RandomRotation(random) : RandomTranslation(random);
  const TimeOfCollisionAnswer answer = Ask(pair);
  MeasuredMotion measured;
  measured.fault = FindFault(answer);
  if (answer.t_free > 0 && IsLate(pair, answer.t_free, turns)) measured.fault += "late\n";
  measured.is_hit = answer.state == MotionState::kHit;
  if (measured.is_hit && measured.fault.empty()) {
    const double unit = ReachOf(pair.a.body) + ReachOf(pair.b.body) + pair.target;
    const ExactDistance at_free = DistanceAt(pair.a, pair.b, answer.t_free);
    const ExactDistance at_hit = DistanceAt(pair.a, pair.b, answer.t_hit);
    measured.early = std::fmax(0, Difference(at_free, pair.target)) / unit;
    const bool is_inside = at_hit.relation == CoreRelation::kInside;
    if (!is_inside) {
      measured.short_of_target = std::fmax(0, Difference(at_hit, pair.target)) / unit;
    }
  }
  if (!measured.fault.empty()) measured.fault += Describe(pair);
  return measured;
}

// --- Motions of curved kinds ---------------------------------------------------------------------

struct PlantedMotion {
  Solid a;  // curved
  Solid b;
  Contact contact;
  double target = 0;
  Motion motion_a;
  Motion motion_b;
};

// Returns a motion that turns the body about its own axis of symmetry, which does not change its
// distance from the other.
Motion Spin(const Solid& solid, Random& random) {
  const Quaternion& q = solid.body.pose.q_WS;
  const Vec3d axis = {2 * (q.x * q.z + q.w * q.y), 2 * (q.y * q.z - q.w * q.x),
                      q.w * q.w - q.x * q.x - q.y * q.y + q.z * q.z};
  return {{}, random.Sign() * random.LogUniform(0.1, 60) * axis, solid.body.pose.p_WS};
}

// The bodies meet across the contact at a time between 0 and 1. If no ball is near it, B comes
// straight along the normal: then the bounds of the truth meet nevertheless.
PlantedMotion AnyPlantedMotion(bool turns, Random& random) {
  static constexpr std::array curved = {CoreKind::kCylinder, CoreKind::kCone, CoreKind::kEllipsoid};
  static constexpr std::array others = {Group::kThin,     Group::kSolid, Group::kRound,
                                        Group::kCylinder, Group::kCone,  Group::kEllipsoid};
  PlantedMotion m;
  unsigned kinds = 0;
  m.a = AnyCurved(curved[random.Below(3)], random);
  m.b = AnySolid(others[random.Below(6)], random, &kinds);
  if (turns) m.a.extents.y = m.a.extents.x;
  m.a.body.pose = {random.InCube(1), random.Rotation()};
  m.b.body.pose.q_WS = random.Rotation();
  m.contact = AnyContact(m.a, m.b, random);
  if (random.OneIn(4)) m.target = random.LogUniform(1e-3, 1);
  PlaceAcross(m.contact, m.a, m.target, &m.b);
  const auto n = [&](Quad x) { return static_cast<double>(x); };
  const Vec3d n_AB = {n(m.contact.n_AB.x), n(m.contact.n_AB.y), n(m.contact.n_AB.z)};
  Vec3d way = -n_AB;
  if (m.contact.inner_radii > kLeastBall) way = random.Uniform(0, 3) * random.Direction() + way;
  if (Dot(way, n_AB) > -0.2) way = -n_AB;
  m.motion_b.displacement = random.LogUniform(0.1, 10) * way;
  m.motion_b.pivot = m.b.body.pose.p_WS;
  m.motion_a.pivot = m.a.body.pose.p_WS;
  if (turns) m.motion_a = Spin(m.a, random);
  const double time = random.Uniform(0.05, 0.95);
  m.b.body.pose.p_WS = m.b.body.pose.p_WS - time * m.motion_b.displacement;
  return m;
}

PlantedTruth TruthAt(const PlantedMotion& m, double t) {
  const Vec3d& d = m.motion_b.displacement;
  return TruthOf(m.contact, m.a, m.b, {Quad(t) * d.x, Quad(t) * d.y, Quad(t) * d.z});
}

MeasuredMotion MeasurePlantedMotion(bool turns, Random& random) {
  const PlantedMotion m = AnyPlantedMotion(turns, random);
  const ConvexShapePtr shape_a = MakeShape(m.a), shape_b = MakeShape(m.b);
  const MovingShape a = {*shape_a, m.a.body.pose, m.motion_a};
  const MovingShape b = {*shape_b, m.b.body.pose, m.motion_b};
  const TimeOfCollisionAnswer answer = TimeOfCollision(a, b, {.target_distance = m.target});
  MeasuredMotion measured;
  measured.fault = FindFault(answer);
  measured.is_hit = answer.state == MotionState::kHit;
  // Across a ball B goes into A; a tip may pass another by a rounding.
  if (!measured.is_hit && m.contact.inner_radii > kLeastBall) measured.fault += "missed\n";
  // How far the rounding of the axis of rotation may move A's points.
  const double size = ReachOf(m.a) + ReachOf(m.b);
  const Quad slack = turns ? 16 * kU * size : 0;
  const PlantedTruth at_free = TruthAt(m, answer.t_free), at_hit = TruthAt(m, answer.t_hit);
  if (at_free.upper < m.target - slack && answer.t_free > 0) measured.fault += "late\n";
  const double unit = size + m.target;
  measured.early = std::fmax(0, static_cast<double>(at_free.upper - m.target)) / unit;
  measured.short_of_target = std::fmax(0, static_cast<double>(at_hit.upper - m.target)) / unit;
  return measured;
}

}  // namespace

bool IsSlow(const AccuracyRow& row, Situation situation) {
  if (row.a == Group::kCompound) return true;
  const bool has_exact_depths = row.a <= Group::kSolid || row.a == Group::kRounded;
  return has_exact_depths && situation != Situation::kFar && situation != Situation::kNear;
}

unsigned KindsOf(Group group) { return (1U << KindCount(group)) - 1; }

unsigned KindsThatOverlap(Group group, Group other) {
  const bool is_flat = group == Group::kThin && other == Group::kThin;
  return is_flat ? KindsOf(group) - 1 : KindsOf(group);
}

std::optional<Measured> Measure(const AccuracyRow& row, Situation situation, Random& random) {
  if (row.a == Group::kCompound) return MeasureCompounds(row, situation, random);
  unsigned kinds_a = 0, kinds_b = 0;
  Solid a = AnySolid(row.a, random, &kinds_a);
  Solid b = AnySolid(row.b, random, &kinds_b);
  if (random.OneIn(2)) std::swap(a, b);
  std::optional<Measured> measured = MeasureConvex(situation, std::move(a), std::move(b), random);
  if (!measured) return measured;
  measured->kinds_a = kinds_a;
  measured->kinds_b = kinds_b;
  return measured;
}

MeasuredMotion MeasureMotion(const MotionAccuracyRow& row, Random& random) {
  return row.kinds == MovingKinds::kPolytopes ? MeasurePolytopeMotion(row.turns, random)
                                              : MeasurePlantedMotion(row.turns, random);
}

}  // namespace clearance::testing
