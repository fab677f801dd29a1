// SPDX-License-Identifier: Apache-2.0

#include "server/engine/scene_check.h"

#include <algorithm>
#include <tuple>

#include "core/query/body_query.h"
#include "server/engine/row_loop.h"
#include "server/engine/shape_table.h"

namespace clearance::server {
namespace {

// Holds one enabled pair. `b` is in the scene, or a query body.
struct ScenePair {
  IdPair ids;
  double margin = 0;
  std::size_t a = 0;                 // among the query bodies
  std::optional<std::size_t> own_b;  // the same of b; in a pair of the query's own
  SceneBody body_b;
};

class AllPairs {
 public:
  AllPairs(const SceneQuery& query, std::optional<double> margin) : query_(query), margin_(margin) {
    if (query.pair_scope != SceneQuery::PairScope::kSelf)
      with_scene_ = query.bodies.size() * query.scene.size();
    if (query.pair_scope != SceneQuery::PairScope::kScene)
      with_self_ = query.bodies.size() * query.bodies.size();
  }

  // Calls look(pair), which returns a contradiction or nothing, for some pairs from turn on.
  template <class Look>
  MaybeSceneContradiction LookAtSome(PairTurn turn, const Look& look) const {
    const std::uint64_t all = with_scene_ + with_self_;
    const std::uint64_t count = std::min(all, kPairsLookedAt);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::optional<ScenePair> pair = PairAt((turn * kPairsLookedAt + i) % all);
      if (!pair) continue;
      if (const MaybeSceneContradiction found = look(*pair)) return found;
    }
    return std::nullopt;
  }

  // Returns the pair that an answer names; nothing if there is no such pair.
  std::optional<ScenePair> Find(const IdPair& ids) const {
    const auto own = [&](BodyId id) -> std::optional<std::size_t> {
      const auto found = std::ranges::find(query_.bodies, id, &SceneBody::id);
      if (found == query_.bodies.end()) return std::nullopt;
      return found - query_.bodies.begin();
    };
    const std::optional<std::size_t> a = own(ids.a);
    const std::optional<std::size_t> own_b = ids.is_self ? own(ids.b) : std::nullopt;
    if (!a || (ids.is_self && !own_b)) return std::nullopt;
    const std::optional<SceneBody> b = own_b ? query_.bodies[*own_b] : query_.scene.Find(ids.b);
    return b ? Enabled(*a, *b, own_b) : std::nullopt;
  }

  const Pose& PoseOf(std::size_t own) const {
    return query_.poses.empty() ? query_.bodies[own].X_WB : query_.poses[own];
  }
  PosedBody A(const ScenePair& pair) const { return {*query_.bodies[pair.a].body, PoseOf(pair.a)}; }
  PosedBody B(const ScenePair& pair) const {
    return {*pair.body_b.body, pair.own_b ? PoseOf(*pair.own_b) : pair.body_b.X_WB};
  }

 private:
  std::optional<ScenePair> PairAt(std::uint64_t index) const {
    const std::size_t scene = query_.scene.size();
    if (index < with_scene_)
      return Enabled(index / scene, query_.scene.BodyAt(index % scene), std::nullopt);
    const std::size_t own = query_.bodies.size();
    const std::size_t b = (index - with_scene_) % own;
    return Enabled((index - with_scene_) / own, query_.bodies[b], b);
  }

  // Takes own pairs only in the order of their ids.
  std::optional<ScenePair> Enabled(std::size_t a, const SceneBody& b,
                                   std::optional<std::size_t> own_b) const {
    const SceneBody& body_a = query_.bodies[a];
    const bool is_self = own_b.has_value();
    if (!IsEnabled(body_a.bits, b.bits) || (is_self && body_a.id >= b.id)) return std::nullopt;
    ScenePair pair = {{body_a.id, b.id, is_self}, body_a.margin + b.margin, a, own_b, b};
    if (margin_) {
      pair.margin = *margin_;
      return pair;
    }
    if (body_a.id == b.id) return std::nullopt;
    const PairRule* rule = query_.rules == nullptr ? nullptr : query_.rules->Find(body_a.id, b.id);
    if (rule == nullptr) rule = query_.scene.rules().Find(body_a.id, b.id);
    if (rule != nullptr && rule->is_allowed) return std::nullopt;
    if (rule != nullptr) pair.margin = rule->margin;
    return pair;
  }

  const SceneQuery& query_;
  const std::optional<double> margin_;
  std::uint64_t with_scene_ = 0;
  std::uint64_t with_self_ = 0;
};

class Alone {
 public:
  explicit Alone(const AllPairs& pairs) : pairs_(pairs) {}

  // Spends the expected cost of so many computations. Returns false if too little is left.
  bool HasRoomFor(const ScenePair& pair, std::uint64_t computations) {
    const std::uint64_t cost = CostOf(pair, computations);
    if (cost > left_) {
      is_short_ = true;
      return false;
    }
    Spend(cost);
    return true;
  }
  bool is_short() const { return is_short_; }

  DistanceAnswer AskDistance(const ScenePair& pair, const DistanceOptions& options) {
    if (options.exact) Spend(kVerticesAnExactRow);
    return Distance(pairs_.A(pair), pairs_.B(pair), options);
  }
  IntersectionAnswer AskIntersection(const ScenePair& pair) const {
    return Intersection(pairs_.A(pair), pairs_.B(pair));
  }
  TimeOfCollisionAnswer AskContact(const AskedSweep& asked, const ScenePair& pair) {
    const PosedBody a = pairs_.A(pair);
    const PosedBody b = pairs_.B(pair);
    const Motion rest = {.displacement = {}, .rotation = {}, .pivot = b.pose.p_WS};
    const Motion& motion_b = pair.own_b ? asked.moving.motions[*pair.own_b] : rest;
    MotionOptions options;
    options.target_distance = pair.margin;
    options.ignore_initial_contact = asked.options.ignore_initial_contact;
    const TimeOfCollisionAnswer answer =
        TimeOfCollision(MovingBody{a.body, a.pose, asked.moving.motions[pair.a]},
                        MovingBody{b.body, b.pose, motion_b}, options);
    // The cost is known only afterwards.
    Spend(CostOf(pair, answer.iterations));
    return answer;
  }

 private:
  std::uint64_t CostOf(const ScenePair& pair, std::uint64_t computations) const {
    const RigidBody& a = pairs_.A(pair).body;
    const RigidBody& b = pairs_.B(pair).body;
    const std::uint64_t vertices = VerticesAPiece(a) + VerticesAPiece(b) + kVerticesAnIteration;
    return kVerticesARow + a.pieces().size() * b.pieces().size() *
                               (1 + computations * kIterationsPerStep * vertices);
  }
  void Spend(std::uint64_t vertices) { left_ -= std::min(left_, vertices); }

  const AllPairs& pairs_;
  std::uint64_t left_ = kVerticesLookedAt;
  bool is_short_ = false;
};

bool IsBeforeByIds(const IdPair& x, const IdPair& y) {
  return std::tuple(x.a, x.b, x.is_self) < std::tuple(y.a, y.b, y.is_self);
}

Verdict VerdictAlone(const ScenePair& pair, Alone* alone, Bracket* bracket) {
  if (pair.margin == 0) {
    const IntersectionAnswer answer = alone->AskIntersection(pair);
    *bracket = answer.bracket;
    if (answer.state == State::kSeparated) return Verdict::kFree;
    return answer.state == State::kUndecided ? Verdict::kUndecided : Verdict::kTouching;
  }
  DistanceOptions options;
  options.max_distance = pair.margin;
  const DistanceAnswer answer = alone->AskDistance(pair, options);
  *bracket = answer.bracket;
  if (answer.state == State::kBeyond || answer.bracket.lower > pair.margin) return Verdict::kFree;
  const bool is_known = answer.state != State::kUndecided || answer.bracket.upper <= pair.margin;
  return is_known ? Verdict::kTouching : Verdict::kUndecided;
}

SceneContradiction OtherVerdict(const IdPair& ids, Verdict claimed, Verdict found) {
  return {ids, Claim::kState, static_cast<double>(claimed), static_cast<double>(found)};
}

// Returns whether a pair with this verdict is consistent with the answer.
bool MayBe(const CheckAnswer& answer, const ScenePair& pair, Verdict found) {
  switch (answer.verdict) {
    case Verdict::kFree:
      return found == Verdict::kFree;
    case Verdict::kUndecided:
      return found != Verdict::kTouching;
    case Verdict::kTouching:
      return found != Verdict::kTouching || !IsBeforeByIds(pair.ids, answer.first.pair);
  }
  return false;
}

// Checks a free answer: no pair is nearer than bodies may move.
MaybeSceneContradiction CheckFreeRadius(const ScenePair& pair, double free_radius, Alone* alone) {
  if (free_radius == 0) return std::nullopt;
  const double room = alone->AskDistance(pair, {}).bracket.upper - pair.margin;
  const double share = pair.ids.is_self ? room / 2 : room;
  if (share >= free_radius) return std::nullopt;
  return SceneContradiction{pair.ids, Claim::kDistance, free_radius, share};
}

struct ClaimedLower {
  DistanceOptions options;
  double lower = 0;
};
// Checks a minimum distance: no pair is nearer than its lower end. A pair's own lower end does not
// show that: with a tolerance it may be lower only because less was computed. Then the pair is
// asked as precisely as possible.
MaybeSceneContradiction CheckLower(const ScenePair& pair, const Bracket& bracket,
                                   const ClaimedLower& claimed, Alone* alone) {
  if (bracket.lower >= claimed.lower) return std::nullopt;
  double upper = bracket.upper;
  if (upper >= claimed.lower && claimed.options.tolerance > 0) {
    DistanceOptions sharp = claimed.options;
    sharp.tolerance = 0;
    const DistanceAnswer answer = alone->AskDistance(pair, sharp);
    if (answer.state != State::kBeyond) upper = answer.bracket.upper;
  }
  if (upper >= claimed.lower) return std::nullopt;
  return SceneContradiction{pair.ids, Claim::kLower, claimed.lower, upper};
}

// Compares the answer to a sweep with another pair, which contradicts it
//   - if it overlaps initially, unless the answer says so of a pair that is not after it by ids;
//   - if it is hit, and the answer says that all pairs stay free, or are free beyond that time.
// With `any` the answer may name any pair that is hit: then no other one contradicts it.
MaybeSceneContradiction CheckContact(const ScenePair& pair, const TimeOfCollisionAnswer& contact,
                                     const AskedSweep& asked, const PairSweep& earliest) {
  const MotionState claimed = earliest.contact.state;
  if (contact.state == MotionState::kInitiallyOverlapping) {
    const bool is_known =
        claimed == MotionState::kInitiallyOverlapping && !IsBeforeByIds(pair.ids, earliest.pair);
    if (is_known || (asked.any && claimed == MotionState::kHit)) return std::nullopt;
    return SceneContradiction{pair.ids, Claim::kState, static_cast<double>(claimed),
                              static_cast<double>(contact.state)};
  }
  const bool is_early = contact.state == MotionState::kHit && !asked.any &&
                        claimed != MotionState::kInitiallyOverlapping &&
                        contact.t_hit < earliest.contact.t_free;
  const bool is_unknown = contact.state == MotionState::kHit && claimed == MotionState::kFree;
  if (!is_early && !is_unknown) return std::nullopt;
  return SceneContradiction{pair.ids, Claim::kTime, earliest.contact.t_free, contact.t_hit};
}

// Tells which pairs to look at, and how many computations one takes.
struct LookOrder {
  PairTurn turn;
  const IdPair* named;  // by the answer; null: none
  std::uint64_t computations_of_named;
  std::uint64_t computations_of_other;
};

// Looks at the pair that the answer names and then at others. named and other take a pair and
// return its contradiction.
template <class Named, class Other>
SceneLook LookAt(const AllPairs& pairs, const LookOrder& order, const Named& named,
                 const Other& other) {
  Alone alone(pairs);
  SceneLook look;
  if (order.named != nullptr) {
    const std::optional<ScenePair> pair = pairs.Find(*order.named);
    if (!pair) {
      look.contradiction = SceneContradiction{*order.named, Claim::kState, 1, 0};
    } else if (alone.HasRoomFor(*pair, order.computations_of_named)) {
      look.contradiction = named(*pair, &alone);
    }
  }
  if (!look.contradiction) {
    look.contradiction =
        pairs.LookAtSome(order.turn, [&](const ScenePair& pair) -> MaybeSceneContradiction {
          if (!alone.HasRoomFor(pair, order.computations_of_other)) return std::nullopt;
          return other(pair, &alone);
        });
  }
  look.is_too_large = alone.is_short();
  return look;
}

// Distance computations of a pair beside others: a second one may tell how near it is.
constexpr std::uint64_t kComputationsALook = 2;

}  // namespace

SceneLook FindContradiction(const SceneQuery& query, const CheckAnswer& answer, PairTurn turn) {
  const PairVerdict& told = answer.first;
  const auto named = [&](const ScenePair& pair, Alone* alone) -> MaybeSceneContradiction {
    Bracket bracket;
    const Verdict found = VerdictAlone(pair, alone, &bracket);
    if (found != answer.verdict) return OtherVerdict(pair.ids, answer.verdict, found);
    if (told.bracket.upper != bracket.upper)
      return SceneContradiction{pair.ids, Claim::kUpper, told.bracket.upper, bracket.upper};
    if (told.bracket.lower != bracket.lower)
      return SceneContradiction{pair.ids, Claim::kLower, told.bracket.lower, bracket.lower};
    return std::nullopt;
  };
  const auto other = [&](const ScenePair& pair, Alone* alone) -> MaybeSceneContradiction {
    Bracket bracket;
    const Verdict found = VerdictAlone(pair, alone, &bracket);
    if (!MayBe(answer, pair, found)) return OtherVerdict(pair.ids, answer.verdict, found);
    return CheckFreeRadius(pair, answer.free_radius, alone);
  };
  const IdPair* const ids = answer.verdict == Verdict::kFree ? nullptr : &told.pair;
  return LookAt(AllPairs(query, std::nullopt), {turn, ids, 1, kComputationsALook}, named, other);
}

SceneLook FindContradiction(const AskedMinimumDistance& asked, const MinimumDistanceAnswer& answer,
                            PairTurn turn) {
  const DistanceOptions options = {.max_distance = asked.options.max_distance,
                                   .tolerance = asked.options.tolerance,
                                   .exact = asked.options.exact};
  const Bracket& told = answer.distance.bracket;
  const auto named = [&](const ScenePair& pair, Alone* alone) -> MaybeSceneContradiction {
    const double upper = alone->AskDistance(pair, options).bracket.upper;
    if (upper == told.upper) return std::nullopt;
    return SceneContradiction{pair.ids, Claim::kUpper, told.upper, upper};
  };
  const auto other = [&](const ScenePair& pair, Alone* alone) -> MaybeSceneContradiction {
    const DistanceAnswer found = alone->AskDistance(pair, options);
    if (found.state == State::kBeyond) return std::nullopt;
    if (found.bracket.upper < told.upper)
      return SceneContradiction{pair.ids, Claim::kUpper, told.upper, found.bracket.upper};
    return CheckLower(pair, found.bracket, {options, told.lower}, alone);
  };
  return LookAt(AllPairs(asked.query, std::nullopt),
                {turn, answer.has_pair ? &answer.pair : nullptr, 1, kComputationsALook}, named,
                other);
}

SceneLook FindContradiction(const AskedSweep& asked, const SweepAnswer& answer, PairTurn turn) {
  const PairSweep& earliest = answer.earliest;
  const TimeOfCollisionAnswer& told = earliest.contact;
  const auto named = [&](const ScenePair& pair, Alone* alone) -> MaybeSceneContradiction {
    const TimeOfCollisionAnswer found = alone->AskContact(asked, pair);
    if (found.state == told.state && found.t_hit == told.t_hit) return std::nullopt;
    return SceneContradiction{pair.ids, Claim::kTime, told.t_hit, found.t_hit};
  };
  const auto other = [&](const ScenePair& pair, Alone* alone) {
    return CheckContact(pair, alone->AskContact(asked, pair), asked, earliest);
  };
  const IdPair* const ids = told.state == MotionState::kFree ? nullptr : &earliest.pair;
  return LookAt(AllPairs(asked.moving.query, asked.margin), {turn, ids, told.iterations, 1}, named,
                other);
}

}  // namespace clearance::server
