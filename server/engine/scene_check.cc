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

// Tells which pairs to look at, and how many computations one takes.
struct LookOrder {
  PairTurn turn;
  const IdPair* named;  // by the answer; null: none
  std::uint64_t computations_of_named;
  std::uint64_t computations_of_other;
};

// Asks enabled pairs alone, as far as kVerticesLookedAt goes.
class PairsAlone {
 public:
  // `margin` is that of every pair; null: rules and bodies say it.
  PairsAlone(const SceneQuery& query, const double* margin) : query_(query), margin_(margin) {
    if (query.pair_scope != SceneQuery::PairScope::kSelf)
      with_scene_ = query.bodies.size() * query.scene.size();
    if (query.pair_scope != SceneQuery::PairScope::kScene)
      with_self_ = query.bodies.size() * query.bodies.size();
  }

  // Looks at the pair that the answer names and then at others. named and other take a pair and
  // return its contradiction.
  template <class Named, class Other>
  SceneLook LookAt(const LookOrder& order, const Named& named, const Other& other) {
    SceneLook look;
    if (order.named != nullptr) {
      const std::optional<ScenePair> pair = Find(*order.named);
      if (!pair) {
        look.contradiction = SceneContradiction{*order.named, Claim::kState, 1, 0};
      } else if (HasRoomFor(*pair, order.computations_of_named)) {
        look.contradiction = named(*pair);
      }
    }
    const std::uint64_t all = with_scene_ + with_self_;
    const std::uint64_t count = std::min(all, kPairsLookedAt);
    for (std::uint64_t i = 0; i < count && !look.contradiction; ++i) {
      const std::optional<ScenePair> pair = PairAt((order.turn * kPairsLookedAt + i) % all);
      if (pair && HasRoomFor(*pair, order.computations_of_other)) look.contradiction = other(*pair);
    }
    look.is_too_large = is_short_;
    return look;
  }

  DistanceAnswer AskDistance(const ScenePair& pair, const DistanceOptions& options) {
    if (options.exact) Spend(kVerticesAnExactRow);
    return Distance(A(pair), B(pair), options);
  }

  Verdict AskVerdict(const ScenePair& pair, Bracket* bracket) {
    if (pair.margin == 0) {
      const IntersectionAnswer answer = Intersection(A(pair), B(pair));
      *bracket = answer.bracket;
      if (answer.state == State::kSeparated) return Verdict::kFree;
      return answer.state == State::kUndecided ? Verdict::kUndecided : Verdict::kTouching;
    }
    DistanceOptions options;
    options.max_distance = pair.margin;
    const DistanceAnswer answer = AskDistance(pair, options);
    *bracket = answer.bracket;
    if (answer.state == State::kBeyond || answer.bracket.lower > pair.margin) return Verdict::kFree;
    const bool is_known = answer.state != State::kUndecided || answer.bracket.upper <= pair.margin;
    return is_known ? Verdict::kTouching : Verdict::kUndecided;
  }

  TimeOfCollisionAnswer AskContact(const ScenePair& pair, const AskedSweep& asked) {
    const PosedBody a = A(pair), b = B(pair);
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
    const double margin = margin_ == nullptr ? body_a.margin + b.margin : *margin_;
    ScenePair pair = {{body_a.id, b.id, is_self}, margin, a, own_b, b};
    if (margin_ != nullptr) return pair;
    if (body_a.id == b.id) return std::nullopt;
    const PairRule* rule = query_.rules == nullptr ? nullptr : query_.rules->Find(body_a.id, b.id);
    if (rule == nullptr) rule = query_.scene.rules().Find(body_a.id, b.id);
    if (rule != nullptr && rule->is_allowed) return std::nullopt;
    if (rule != nullptr) pair.margin = rule->margin;
    return pair;
  }

  const Pose& PoseOf(std::size_t own) const {
    return query_.poses.empty() ? query_.bodies[own].X_WB : query_.poses[own];
  }
  PosedBody A(const ScenePair& pair) const { return {*query_.bodies[pair.a].body, PoseOf(pair.a)}; }
  PosedBody B(const ScenePair& pair) const {
    return {*pair.body_b.body, pair.own_b ? PoseOf(*pair.own_b) : pair.body_b.X_WB};
  }

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
  std::uint64_t CostOf(const ScenePair& pair, std::uint64_t computations) const {
    const RigidBody& a = A(pair).body;
    const RigidBody& b = B(pair).body;
    const std::uint64_t vertices = VerticesAPiece(a) + VerticesAPiece(b) + kVerticesAnIteration;
    return kVerticesARow + a.pieces().size() * b.pieces().size() *
                               (1 + computations * kIterationsPerStep * vertices);
  }
  void Spend(std::uint64_t vertices) { left_ -= std::min(left_, vertices); }

  const SceneQuery& query_;
  const double* const margin_;
  std::uint64_t with_scene_ = 0;
  std::uint64_t with_self_ = 0;
  std::uint64_t left_ = kVerticesLookedAt;
  bool is_short_ = false;
};

bool IsBeforeByIds(const IdPair& x, const IdPair& y) {
  return std::tuple(x.a, x.b, x.is_self) < std::tuple(y.a, y.b, y.is_self);
}

template <class Result>
SceneContradiction OtherState(const IdPair& ids, Result claimed, Result found) {
  return {ids, Claim::kState, static_cast<double>(claimed), static_cast<double>(found)};
}

// Returns whether a pair with this verdict is consistent with the answer.
bool MayBe(const CheckAnswer& answer, const ScenePair& pair, Verdict found) {
  if (found == Verdict::kTouching)
    return answer.verdict == Verdict::kTouching && !IsBeforeByIds(pair.ids, answer.first.pair);
  return found == Verdict::kFree || answer.verdict != Verdict::kFree;
}

// Distance computations of a pair beside others: a second one may tell how near it is.
constexpr std::uint64_t kComputationsALook = 2;

}  // namespace

SceneLook FindContradiction(const SceneQuery& query, const CheckAnswer& answer, PairTurn turn) {
  PairsAlone pairs(query, nullptr);
  const PairVerdict& told = answer.first;
  const auto named = [&](const ScenePair& pair) -> MaybeSceneContradiction {
    Bracket bracket;
    const Verdict found = pairs.AskVerdict(pair, &bracket);
    if (found != answer.verdict) return OtherState(pair.ids, answer.verdict, found);
    if (told.bracket.upper != bracket.upper)
      return SceneContradiction{pair.ids, Claim::kUpper, told.bracket.upper, bracket.upper};
    if (told.bracket.lower != bracket.lower)
      return SceneContradiction{pair.ids, Claim::kLower, told.bracket.lower, bracket.lower};
    return std::nullopt;
  };
  const auto other = [&](const ScenePair& pair) -> MaybeSceneContradiction {
    Bracket bracket;
    const Verdict found = pairs.AskVerdict(pair, &bracket);
    if (!MayBe(answer, pair, found)) return OtherState(pair.ids, answer.verdict, found);
    if (answer.free_radius == 0) return std::nullopt;
    // No pair is nearer than bodies may move.
    const double room = pairs.AskDistance(pair, {}).bracket.upper - pair.margin;
    const double share = pair.ids.is_self ? room / 2 : room;
    if (share >= answer.free_radius) return std::nullopt;
    return SceneContradiction{pair.ids, Claim::kDistance, answer.free_radius, share};
  };
  const IdPair* const ids = answer.verdict == Verdict::kFree ? nullptr : &told.pair;
  return pairs.LookAt({turn, ids, 1, kComputationsALook}, named, other);
}

SceneLook FindContradiction(const AskedMinimumDistance& asked, const MinimumDistanceAnswer& answer,
                            PairTurn turn) {
  PairsAlone pairs(asked.query, nullptr);
  const DistanceOptions options = {.max_distance = asked.options.max_distance,
                                   .tolerance = asked.options.tolerance,
                                   .exact = asked.options.exact};
  const Bracket& told = answer.distance.bracket;
  const auto named = [&](const ScenePair& pair) -> MaybeSceneContradiction {
    const double upper = pairs.AskDistance(pair, options).bracket.upper;
    if (upper == told.upper) return std::nullopt;
    return SceneContradiction{pair.ids, Claim::kUpper, told.upper, upper};
  };
  // No pair is nearer than the answer's lower end. A pair's own lower end does not show that: with
  // a tolerance it may be lower only because less was computed. Then the pair is asked as precisely
  // as possible.
  const auto other = [&](const ScenePair& pair) -> MaybeSceneContradiction {
    const DistanceAnswer found = pairs.AskDistance(pair, options);
    if (found.state == State::kBeyond) return std::nullopt;
    double upper = found.bracket.upper;
    if (upper < told.upper) return SceneContradiction{pair.ids, Claim::kUpper, told.upper, upper};
    if (found.bracket.lower >= told.lower) return std::nullopt;
    if (upper >= told.lower && options.tolerance > 0) {
      DistanceOptions sharp = options;
      sharp.tolerance = 0;
      const DistanceAnswer sharper = pairs.AskDistance(pair, sharp);
      if (sharper.state != State::kBeyond) upper = sharper.bracket.upper;
    }
    if (upper >= told.lower) return std::nullopt;
    return SceneContradiction{pair.ids, Claim::kLower, told.lower, upper};
  };
  const IdPair* const ids = answer.has_pair ? &answer.pair : nullptr;
  return pairs.LookAt({turn, ids, 1, kComputationsALook}, named, other);
}

SceneLook FindContradiction(const AskedSweep& asked, const SweepAnswer& answer, PairTurn turn) {
  PairsAlone pairs(asked.moving.query, asked.margin ? &*asked.margin : nullptr);
  const IdPair& told_pair = answer.earliest.pair;
  const TimeOfCollisionAnswer& told = answer.earliest.contact;
  const auto named = [&](const ScenePair& pair) -> MaybeSceneContradiction {
    const TimeOfCollisionAnswer found = pairs.AskContact(pair, asked);
    if (found.state == told.state && found.t_hit == told.t_hit) return std::nullopt;
    return SceneContradiction{pair.ids, Claim::kTime, told.t_hit, found.t_hit};
  };
  // Another pair contradicts the answer
  //   - if it overlaps initially, unless the answer says so of a pair that is not after it by ids;
  //   - if it is hit, and the answer says that all pairs stay free, or are free beyond that time.
  // With `any` the answer may name any pair that is hit: then no other one contradicts it.
  const auto other = [&](const ScenePair& pair) -> MaybeSceneContradiction {
    const TimeOfCollisionAnswer found = pairs.AskContact(pair, asked);
    const bool is_told_overlapping = told.state == MotionState::kInitiallyOverlapping;
    if (found.state == MotionState::kInitiallyOverlapping) {
      const bool is_known = is_told_overlapping && !IsBeforeByIds(pair.ids, told_pair);
      if (is_known || (asked.any && told.state == MotionState::kHit)) return std::nullopt;
      return OtherState(pair.ids, told.state, found.state);
    }
    const bool is_early = !asked.any && !is_told_overlapping && found.t_hit < told.t_free;
    if (found.state != MotionState::kHit || (!is_early && told.state != MotionState::kFree))
      return std::nullopt;
    return SceneContradiction{pair.ids, Claim::kTime, told.t_free, found.t_hit};
  };
  const IdPair* const ids = told.state == MotionState::kFree ? nullptr : &told_pair;
  return pairs.LookAt({turn, ids, told.iterations, 1}, named, other);
}

}  // namespace clearance::server
