// SPDX-License-Identifier: Apache-2.0
//
// Checks answers about scenes a second time. The pair that an answer names is asked alone: the
// result must be the same to the last bit. Then other pairs, taken from all that are enabled
// without a box or a tree, are asked alone: none may contradict the answer by being nearer,
// touching first or touching at all. The answers of the pairs themselves are not proved again here:
// the checks of answers about pairs do that for the same solvers.
//
// If there are more than kPairsLookedAt pairs, each check looks at so many of them, and the next
// one at others. A pair that would take more than is left of kVerticesLookedAt is left out, which
// is reported: a check that leaves one out has not checked the answer, except for a contradiction
// that it found.

#pragma once

#include <cstdint>
#include <optional>

#include "core/proof/check_distance.h"
#include "core/scene/scene_query.h"

namespace clearance::server {

inline constexpr std::uint64_t kPairsLookedAt = 256;
// Limit of one look, in vertices as pacers count them: some two milliseconds, and the rest of the
// pair that exceeds its expected cost. A motion takes kMaxMotionSteps steps at most.
inline constexpr std::uint64_t kVerticesLookedAt = std::uint64_t{1} << 22;

struct SceneContradiction {
  IdPair pair;  // that contradicts the answer
  Claim claim = Claim::kState;
  double claimed = 0;
  double found = 0;  // of the pair; of a state its number
};
using MaybeSceneContradiction = std::optional<SceneContradiction>;

struct SceneLook {
  MaybeSceneContradiction contradiction = std::nullopt;
  bool is_too_large = false;  // a pair whose turn it was would have taken too long
};

// Selects the pairs that come next: any number, advanced by each check.
using PairTurn = std::uint64_t;

// Looks for a contradiction. Requires: the answer is one to this question and was not stopped. The
// query's budget is that of the answer and is not asked. Allocates nothing except if `exact` does;
// any thread.
SceneLook FindContradiction(const SceneQuery& query, const CheckAnswer& answer, PairTurn turn);

struct AskedMinimumDistance {
  const SceneQuery& query;
  const MinimumDistanceOptions& options;
};
SceneLook FindContradiction(const AskedMinimumDistance& asked, const MinimumDistanceAnswer& answer,
                            PairTurn turn);

struct AskedSweep {
  const MovingSceneQuery& moving;
  SweepOptions options;
  std::optional<double> margin = std::nullopt;  // of every pair, whatever rules say: of a ray
  bool any = false;                             // another pair may be hit before
};
SceneLook FindContradiction(const AskedSweep& asked, const SweepAnswer& answer, PairTurn turn);

}  // namespace clearance::server
