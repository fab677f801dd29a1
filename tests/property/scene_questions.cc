// SPDX-License-Identifier: Apache-2.0

#include "tests/property/scene_questions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>
#include <variant>

#include "core/shape/make_shape.h"
#include "tests/support/same_bits.h"

namespace clearance::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

RigidBodyPtr BodyOf(ShapeOrError shape) {
  return MakeBody(std::get<ConvexShapePtr>(std::move(shape)));
}

RigidBodyPtr RandomHullOf(double unit, Random& random) {
  std::vector<double> xyz;
  for (int i = 0; i < 3 * 7; ++i) xyz.push_back(unit * random.Uniform(-0.6, 0.6));
  return BodyOf(MakeHull(xyz, 0));
}

RigidBodyPtr Elbow(double unit) {
  const auto box = [&](double x, double y) {
    return std::get<ConvexShapePtr>(MakeBox({unit * x, unit * y, unit * 0.25}, 0));
  };
  std::vector<Piece> pieces = {{box(0.75, 0.25), {}},
                               {box(0.25, 0.75), {{unit * 0.5, unit * 0.5, 0}, {}}}};
  return std::get<RigidBodyPtr>(MakeCompound(std::move(pieces)));
}

double UnitOf(World world, Random& random) {
  if (world == World::kHuge) return random.LogUniform(1e25, 1e100) * random.LogUniform(1, 1e100);
  if (world == World::kTiny) return random.LogUniform(1e-100, 1e-30) / random.LogUniform(1, 1e100);
  return 1;
}

Verdict VerdictOfPair(const AskedPair& pair, const DistanceAnswer& distance) {
  if (pair.margin == 0) {
    const State state = Intersection(pair.A(), pair.B()).state;
    if (state == State::kSeparated) return Verdict::kFree;
    return state == State::kUndecided ? Verdict::kUndecided : Verdict::kTouching;
  }
  if (distance.bracket.lower > pair.margin) return Verdict::kFree;
  if (distance.state != State::kUndecided || distance.bracket.upper <= pair.margin) {
    return Verdict::kTouching;
  }
  return Verdict::kUndecided;
}

// Returns the bracket that a check of the pair alone proves for its distance.
Bracket BracketOfPair(const AskedPair& pair) {
  if (pair.margin == 0) return Intersection(pair.A(), pair.B()).bracket;
  DistanceOptions options;
  options.max_distance = pair.margin;
  return Distance(pair.A(), pair.B(), options).bracket;
}

bool IsSame(const Bracket& a, const Bracket& b) { return a.lower == b.lower && a.upper == b.upper; }

bool IsSame(const PairVerdict& a, const PairVerdict& b) {
  return a.pair == b.pair && a.verdict == b.verdict && IsSame(a.bracket, b.bracket);
}

// Two brackets of one number.
bool Agree(const Bracket& a, const Bracket& b) {
  return std::max(a.lower, b.lower) <= std::min(a.upper, b.upper);
}

auto RankOf(const PairDistance& found) {
  return std::tuple(found.distance.bracket.upper, found.pair.a, found.pair.b, found.pair.is_self);
}

std::vector<PairDistance> AllDistances(const std::vector<AskedPair>& pairs) {
  std::vector<PairDistance> distances;
  for (const AskedPair& pair : pairs) {
    distances.push_back({pair.ids, Distance(pair.A(), pair.B(), {})});
  }
  return distances;
}

// Returns whether the pair is proved to be farther away, as by a search with this limit.
bool IsBeyond(const AskedPair& pair, double max_distance) {
  DistanceOptions options;
  options.max_distance = max_distance;
  return Distance(pair.A(), pair.B(), options).state == State::kBeyond;
}

std::string Text(const IdPair& ids) {
  return std::to_string(ids.a) + (ids.is_self ? "~" : "-") + std::to_string(ids.b);
}

bool IsSame(const TimeOfCollisionAnswer& a, const TimeOfCollisionAnswer& b) {
  return a.state == b.state && a.reason == b.reason && a.t_free == b.t_free && a.t_hit == b.t_hit &&
         a.t_leave == b.t_leave && a.distance == b.distance && a.p_WA == b.p_WA &&
         a.p_WB == b.p_WB && a.n_AB == b.n_AB && a.piece_a == b.piece_a && a.piece_b == b.piece_b;
}

std::vector<PairSweep> AllSweeps(const std::vector<AskedPair>& pairs, bool ignores_initial) {
  std::vector<PairSweep> sweeps;
  for (const AskedPair& pair : pairs) {
    const Motion rest = {{}, {}, pair.body_b->X_WB.p_WS};
    MotionOptions options;
    options.target_distance = pair.margin;
    options.ignore_initial_contact = ignores_initial;
    sweeps.push_back({pair.ids, TimeOfCollision(MovingBody{*pair.body_a->body, pair.body_a->X_WB,
                                                           *pair.motion_a},
                                                MovingBody{*pair.body_b->body, pair.body_b->X_WB,
                                                           pair.motion_b ? *pair.motion_b : rest},
                                                options)});
  }
  return sweeps;
}

auto SweepRank(const PairSweep& sweep) {
  return std::tuple(sweep.contact.t_hit, sweep.contact.t_free);
}

// The least of those in this state, the first by ids of equal ones; null without one.
const PairSweep* FirstOf(const std::vector<PairSweep>& sweeps, MotionState state) {
  const PairSweep* first = nullptr;
  for (const PairSweep& sweep : sweeps) {
    if (sweep.contact.state != state) continue;
    if (first == nullptr || SweepRank(sweep) < SweepRank(*first)) first = &sweep;
  }
  return first;
}

PairSweep EarliestOf(const std::vector<PairSweep>& sweeps) {
  if (const PairSweep* overlap = FirstOf(sweeps, MotionState::kInitiallyOverlapping)) {
    return *overlap;
  }
  double free_until = kInfinity;
  double leave = 0;
  for (const PairSweep& sweep : sweeps) {
    leave = std::max(leave, sweep.contact.t_leave);
    if (sweep.contact.state == MotionState::kHit) {
      free_until = std::min(free_until, sweep.contact.t_free);
    }
  }
  const PairSweep* const open = FirstOf(sweeps, MotionState::kUndecided);
  const PairSweep* const hit = FirstOf(sweeps, MotionState::kHit);
  PairSweep earliest;
  earliest.contact.state = MotionState::kFree;
  earliest.contact.t_free = 1;
  earliest.contact.t_hit = 1;
  if (open != nullptr && open->contact.t_free < free_until) {
    earliest = *open;
  } else if (hit != nullptr) {
    earliest = *hit;
    earliest.contact.t_free = free_until;
  }
  earliest.contact.t_leave = std::min(leave, earliest.contact.t_free);
  return earliest;
}

std::string FindListFault(const std::vector<PairSweep>& sweeps, const std::vector<PairSweep>& all) {
  std::size_t next = 0;
  for (const PairSweep& sweep : sweeps) {
    if (sweep.contact.state == MotionState::kFree) continue;
    const bool is_listed = next < all.size() && all[next].pair == sweep.pair &&
                           IsSame(all[next].contact, sweep.contact);
    if (!is_listed) return "list of contacts differs at " + Text(sweep.pair);
    ++next;
  }
  return next == all.size() ? "" : "more contacts listed than there are";
}

}  // namespace

BodyMaker::BodyMaker(World world, Random& random) : world_(world), unit_(UnitOf(world, random)) {
  const double u = unit_;
  if (world == World::kGrid || world == World::kHeap) {
    shapes_ = {BodyOf(MakeBox({0.5, 0.5, 0.5}, 0))};
    return;
  }
  shapes_ = {BodyOf(MakeBox({u * 0.5, u * 0.25, u * 0.75}, 0)),
             BodyOf(MakeSphere(u * 0.5, 0)),
             RandomHullOf(u, random),
             RandomHullOf(u, random),
             BodyOf(MakeCapsule(u * 0.25, u * 0.5, 0)),
             BodyOf(MakeCylinder(u * 0.5, u * 0.5, 0)),
             BodyOf(MakeTriangle({0, 0, 0}, {u, 0, 0}, {0, u, 0}, 0)),
             BodyOf(MakePoint(0)),
             Elbow(u)};
  if (world == World::kMixed || world == World::kNested) {
    shapes_.push_back(BodyOf(MakeBox({4, 5, 6}, 0)));
    shapes_.push_back(BodyOf(MakeBox({1e-3, 2e-3, 1e-3}, 0)));
    shapes_.push_back(RandomHullOf(20, random));
  }
  if (world == World::kMixed) shapes_.push_back(BodyOf(MakeBox({1e3, 1e3, 0.5}, 0)));
}

SceneBody BodyMaker::Make(BodyId id, Random& random) const {
  SceneBody body;
  body.id = id;
  body.body = shapes_[random.Below(static_cast<int>(shapes_.size()))];
  body.X_WB = MakePose(random);
  if (random.OneIn(6)) {
    body.bits = {std::uint32_t{1} << random.Below(3), static_cast<std::uint32_t>(random.Below(8))};
  }
  if (random.OneIn(5)) body.margin = unit_ * random.Uniform(0, 0.5);
  return body;
}

Pose BodyMaker::MakePose(Random& random) const {
  const auto lattice = [&] { return static_cast<double>(random.Below(4)); };
  switch (world_) {
    case World::kGrid:
      return {{lattice(), lattice(), lattice()}, {}};
    case World::kHeap:
      return {random.OneIn(3) ? random.InCube(1e-9) : Vec3d{0, 0, lattice()}, {}};
    case World::kNested:
      return {random.InCube(2), random.Rotation()};
    case World::kFar:
      return {Vec3d{1e7, -2e7, 3e6} + random.InCube(3), random.Rotation()};
    case World::kMixed:
      return {random.InCube(random.LogUniform(1e-2, 1e2)), random.Rotation()};
    default:
      return {unit_ * random.InCube(3), random.OneIn(4) ? Quaternion{} : random.Rotation()};
  }
}

Motion BodyMaker::MakeMotion(const Pose& start, Random& random) const {
  Motion motion;
  motion.pivot = start.p_WS;
  motion.displacement = unit_ * random.InCube(4);
  if (random.OneIn(3)) motion.displacement.y = 0;
  if (random.OneIn(6)) motion.displacement = {};
  if (random.OneIn(3)) motion.rotation = random.InCube(2);
  if (random.OneIn(6)) motion.pivot = motion.pivot + unit_ * random.InCube(1);
  return motion;
}

std::vector<AskedPair> AllPairs(const SceneQuery& query, const std::vector<SceneBody>& scene_bodies,
                                const std::vector<Motion>* motions) {
  std::vector<AskedPair> pairs;
  const auto add = [&](const SceneBody& a, const SceneBody& b, bool is_self) {
    if ((a.bits.group & b.bits.mask) == 0 || (b.bits.group & a.bits.mask) == 0) return;
    if (a.id == b.id && !query.is_nameless) return;
    double margin = a.margin + b.margin;
    for (const PairRules* rules : {&query.scene.rules(), query.rules}) {
      if (rules == nullptr || query.is_nameless) continue;
      const PairRule* const rule = rules->Find(a.id, b.id);
      if (rule != nullptr) margin = rule->is_allowed ? -1 : rule->margin;
    }
    if (margin < 0) return;
    const auto motion_of = [&](const SceneBody& body) {
      return motions == nullptr ? nullptr : &(*motions)[&body - query.bodies.data()];
    };
    pairs.push_back(
        {{a.id, b.id, is_self}, margin, &a, &b, motion_of(a), is_self ? motion_of(b) : nullptr});
  };
  for (const SceneBody& a : query.bodies) {
    if (query.pair_scope != SceneQuery::PairScope::kSelf) {
      for (const SceneBody& b : scene_bodies) add(a, b, false);
    }
    if (query.pair_scope != SceneQuery::PairScope::kScene) {
      for (const SceneBody& b : query.bodies) {
        if (a.id < b.id) add(a, b, true);
      }
    }
  }
  std::sort(pairs.begin(), pairs.end(), [](const AskedPair& x, const AskedPair& y) {
    return std::tuple(x.ids.a, x.ids.b, x.ids.is_self) <
           std::tuple(y.ids.a, y.ids.b, y.ids.is_self);
  });
  return pairs;
}

std::string FindFault(const std::vector<AskedPair>& pairs, const CheckAnswer& answer,
                      const std::vector<PairVerdict>& all) {
  Verdict verdict = Verdict::kFree;
  PairVerdict first;
  std::size_t next = 0;
  double room = kInfinity;
  for (const AskedPair& pair : pairs) {
    const DistanceAnswer distance = Distance(pair.A(), pair.B(), {});
    const Verdict found = VerdictOfPair(pair, distance);
    const double upper = distance.bracket.upper - pair.margin;
    room = std::min(room, pair.ids.is_self ? upper / 2 : upper);
    if (found == Verdict::kFree) continue;
    if (next == all.size() || !(all[next].pair == pair.ids) || all[next].verdict != found) {
      return "list differs at " + Text(pair.ids);
    }
    const Bracket& bracket = all[next].bracket;
    if (!IsSame(bracket, BracketOfPair(pair))) return "bits of the bracket of " + Text(pair.ids);
    if (!Agree(bracket, distance.bracket)) return "no such distance of " + Text(pair.ids);
    ++next;
    if (verdict == Verdict::kFree || (verdict == Verdict::kUndecided && found != verdict)) {
      verdict = found;
      first = {pair.ids, found, bracket};
    }
  }
  if (next != all.size()) return "more pairs listed than touch";
  if (answer.verdict != verdict) return "verdict differs";
  if (verdict != Verdict::kFree) return IsSame(answer.first, first) ? "" : "another pair is first";
  if (!(answer.free_radius >= 0)) return "no free radius";
  return answer.free_radius <= room ? "" : "bodies may not move that far";
}

std::string FindFault(const std::vector<AskedPair>& pairs, double max_distance,
                      const MinimumDistanceAnswer& answer) {
  std::vector<PairDistance> distances = AllDistances(pairs);
  PairDistance whole;
  State state = State::kSeparated;
  double lower = kInfinity;
  double lower_self = kInfinity;
  double lower_scene = kInfinity;
  double tolerance = 0;
  bool has_pair = false;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (IsBeyond(pairs[i], max_distance)) continue;
    if (!has_pair || RankOf(distances[i]) < RankOf(whole)) whole = distances[i];
    has_pair = true;
    const DistanceAnswer& found = distances[i].distance;
    if (found.bracket.lower <= lower) {
      tolerance =
          found.bracket.lower < lower ? found.tolerance : std::max(tolerance, found.tolerance);
      lower = found.bracket.lower;
    }
    double& share = pairs[i].ids.is_self ? lower_self : lower_scene;
    share = std::min(share, found.bracket.lower);
    const bool is_worse = found.state == State::kPenetrating ||
                          (found.state == State::kTouching && state != State::kPenetrating);
    if (is_worse) state = found.state;
  }
  if (answer.has_pair != has_pair) return "has_pair differs";
  const bool has_self = std::any_of(pairs.begin(), pairs.end(),
                                    [](const AskedPair& pair) { return pair.ids.is_self; });
  double radius = std::min(max_distance, lower_scene);
  if (has_self) radius = std::min(radius, std::min(max_distance, lower_self) / 2);
  if (!has_pair) {
    if (answer.distance.state != State::kBeyond) return "not beyond";
    return answer.free_radius == radius ? "" : "free radius of nothing near";
  }
  if (!(answer.pair == whole.pair))
    return "nearest pair " + Text(answer.pair) + " is " + Text(whole.pair);
  whole.distance.state = state;
  whole.distance.bracket.lower = lower;
  whole.distance.tolerance = std::max(whole.distance.tolerance, tolerance);
  if (!SameBits(answer.distance, whole.distance)) return "bits of the nearest pair";
  if (state != State::kSeparated) radius = 0;
  return answer.free_radius == radius ? "" : "free radius";
}

std::string FindFault(const std::vector<AskedPair>& pairs, double max_distance,
                      const std::vector<PairDistance>& nearest, std::size_t room) {
  const std::vector<PairDistance> distances = AllDistances(pairs);
  std::vector<PairDistance> expected;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!IsBeyond(pairs[i], max_distance)) expected.push_back(distances[i]);
  }
  std::sort(expected.begin(), expected.end(),
            [](const PairDistance& x, const PairDistance& y) { return RankOf(x) < RankOf(y); });
  if (expected.size() > room) expected.resize(room);
  if (expected.size() != nearest.size()) return "number of nearest";
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!(nearest[i].pair == expected[i].pair)) return "nearest " + std::to_string(i);
    if (!SameBits(nearest[i].distance, expected[i].distance)) return "bits of a near pair";
  }
  return "";
}

std::string FindFault(const std::vector<AskedPair>& pairs, bool ignores_initial,
                      const SweepAnswer& answer, const std::vector<PairSweep>& all) {
  const std::vector<PairSweep> sweeps = AllSweeps(pairs, ignores_initial);
  const PairSweep expected = EarliestOf(sweeps);
  if (answer.earliest.contact.state != expected.contact.state) return "state of the sweep";
  const bool has_pair = expected.contact.state != MotionState::kFree;
  if (has_pair && !(answer.earliest.pair == expected.pair)) {
    return "earliest " + Text(answer.earliest.pair) + " is " + Text(expected.pair);
  }
  if (!IsSame(answer.earliest.contact, expected.contact)) return "bits of the earliest contact";
  return FindListFault(sweeps, all);
}

std::string FindFaultOfAny(const std::vector<AskedPair>& pairs, const SweepAnswer& any) {
  const TimeOfCollisionAnswer& contact = any.earliest.contact;
  const bool has_pair = contact.state != MotionState::kFree;
  for (const PairSweep& alone : AllSweeps(pairs, false)) {
    if (!has_pair && alone.contact.state == MotionState::kFree) continue;
    if (!has_pair) return "free, but for " + Text(alone.pair);
    if (!(alone.pair == any.earliest.pair)) continue;
    // All pairs that were asked on the way are free for so long, not only this one.
    TimeOfCollisionAnswer same = alone.contact;
    if (contact.t_free > same.t_free) return "free for longer than " + Text(alone.pair);
    same.t_free = contact.t_free;
    same.t_leave = contact.t_leave;
    return IsSame(contact, same) ? "" : "no such contact of " + Text(alone.pair);
  }
  return has_pair ? "named a pair that is none" : "";
}

bool IsSame(const CheckAnswer& a, const CheckAnswer& b) {
  return a.verdict == b.verdict && a.reason == b.reason && IsSame(a.first, b.first) &&
         a.free_radius == b.free_radius;
}

std::string FindFault(const std::vector<AskedPair>& pairs, const KeptRoom& kept) {
  bool is_free = true;
  for (const AskedPair& pair : pairs) {
    const DistanceAnswer distance = Distance(pair.A(), pair.B(), {});
    const double margin = kept.check == nullptr ? 0 : pair.margin;
    if (distance.bracket.upper < margin + kept.room) return "too near: " + Text(pair.ids);
    if (kept.check == nullptr || VerdictOfPair(pair, distance) == Verdict::kFree) continue;
    // A gap less than the tolerance is as good as a contact.
    if (kept.room > distance.tolerance) return "no longer free: " + Text(pair.ids);
    is_free = false;
  }
  const bool holds = kept.check == nullptr || (kept.check->verdict == Verdict::kFree) == is_free;
  return holds ? "" : "the verdict does not hold";
}

}  // namespace clearance::testing
