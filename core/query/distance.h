// SPDX-License-Identifier: Apache-2.0
//
// The distance between two posed shapes, with its proof. Everything here is in the world frame, in
// metres.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "absl/types/span.h"
#include "core/math/pose.h"
#include "core/math/vec3.h"
#include "core/narrow/depth_proof.h"
#include "core/query/state.h"
#include "core/query/work_budget.h"
#include "core/shape/convex_shape.h"
#include "core/shape/posed_shape.h"

namespace clearance {

// lower <= signed distance <= upper, of the exact reals that the input denotes; all rounding lies
// inside.
struct Bracket {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

// Returns false if a point of a body of this radius about its origin, posed so, or its distance
// from another such body, could overflow a double.
bool IsRepresentable(double bounding_radius, const Pose& pose);

// The final simplex by vertex indices of the shapes (not yet the caller's) and weights: the closest
// points of the cores are sum weight * vertex. A curved core has no vertices, and its index is 0:
// its point is given by p_AoA or p_AoB alone. If cores overlap, the differences hold the origin
// strictly inside. Six of them always suffice (Steinitz); refinement may add more.
struct Witness {
  static constexpr int kCapacity = 12;
  int size = 0;
  std::array<VertexIndex, kCapacity> vertices_a{};
  std::array<VertexIndex, kCapacity> vertices_b{};
  std::array<double, kCapacity> weights{};
};

struct DistanceOptions {
  double max_distance = std::numeric_limits<double>::infinity();  // >= 0
  // Width of the bracket that is good enough; 0: as narrow as rounding allows.
  double tolerance = 0;
  // If the bracket holds 0, lets exact arithmetic decide: then TOUCHING is meant to the last bit.
  // Not for curved cores, nor beyond a limit of work: these are answered as without it. Allocates;
  // see exact_contact.h.
  bool exact = false;
  // Vertex pairs to start from, such as the witness of an earlier answer for the same shapes; any
  // do. Nothing that is reported depends on it but the iterations and the bracket of a pair that is
  // kBeyond. Unused if a tolerance is given or a core is curved. Requires: indices of the shapes.
  const Witness* start = nullptr;
  // If not null, filled in with the proof of the upper bound of cores that overlap; for compounds
  // that of the deepest pair of pieces.
  DepthProof* depth_proof = nullptr;
  // The limit on the work of an answer, for compounds; when it is used up, the answer is kUndecided
  // and tells nothing else. Null: no limit.
  WorkBudget* budget = nullptr;
};

// bracket.lower <= d <= bracket.upper, and if state is kSeparated, kTouching or kPenetrating
// also, to rounding,
//     p_WB = p_WA + distance * n_AB,   |n_AB| = 1
// (for curved cores that are apart to 1e-9 of the sizes: there each point is exact on its own
// body). A negative distance is minus the depth: moving B by depth * n_AB separates the bodies, and
// no shorter translation does.
struct DistanceAnswer {
  State state = State::kUndecided;
  UndecidedReason reason = UndecidedReason::kNone;
  bool normal_is_unique = true;
  Bracket bracket;
  double distance = 0;
  double tolerance = 0;  // tau, by which the state was judged
  // The closest (or deepest) points of the surfaces, from the world's origin, world axes.
  Vec3d p_WA, p_WB;
  Vec3d p_AoA, p_AoB;  // the same from A's origin, world axes
  Vec3d n_AB;          // from A to B, world axes
  Witness witness;
  // For a compound: the nearest (or deepest) piece.
  std::uint32_t piece_a = 0;
  std::uint32_t piece_b = 0;
  // True if a compound is kPenetrating: the distance is that of one pair of pieces, a lower bound
  // on the translation that separates the whole.
  bool is_piecewise = false;
  std::uint32_t iterations = 0;
};

// Returns the distance. Never fails, never allocates (but see `exact`), any thread: a pure function
// of its arguments, the same bits on every machine.
DistanceAnswer Distance(const PosedShape& a, const PosedShape& b, const DistanceOptions& options);

struct DistanceQuestion {
  PosedShape a;
  PosedShape b;
  DistanceOptions options;
};

// Answers many at once, whose searches run side by side in vector instructions: each answer is that
// of Distance, bit for bit but for the iterations. Best by multiples of kDistancesAtOnce. Requires:
// equal lengths.
inline constexpr std::size_t kDistancesAtOnce = 64;
void Distances(absl::Span<const DistanceQuestion> questions, absl::Span<DistanceAnswer> answers);

}  // namespace clearance
