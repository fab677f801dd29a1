// SPDX-License-Identifier: Apache-2.0
//
// The signed distance of two cores (shapes without their radii), bracketed with all rounding
// inside. Two paths: SolveFast searches in double and answers only what double precision proves
// tightly; SolvePrecisely goes on in double-double and answers everything.

#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "core/math/double_double.h"
#include "core/math/vec3.h"
#include "core/narrow/depth_proof.h"
#include "core/narrow/gjk.h"
#include "core/narrow/minkowski_difference.h"
#include "core/narrow/origin_certificate.h"
#include "core/narrow/penetration.h"

namespace clearance {

// Pairs of vertices, whose differences are a simplex of A - B.
struct VertexPairs {
  int size = 0;
  std::array<VertexIndex, 4> a{};
  std::array<VertexIndex, 4> b{};
};

// The limits that a caller sets for the cores; units, signed.
struct CoreLimits {
  double stop_above = std::numeric_limits<double>::infinity();  // enough to know that it is farther
  double stop_below = -std::numeric_limits<double>::infinity();  // enough to know that it is nearer
  double good_enough = 0;  // width of the bracket that is enough
  double size_sum = 0;     // S: the sum of both bodies' radii about their centres, units
  DoubleDouble decide_at =
      0.0;  // the distance that the bracket must lie on one side of, if it can be proved
  int max_iterations = 0;
  const Simplex<double>* start = nullptr;  // to go on from; null starts cold
  bool wants_depth = false;                // of cores that overlap; else any bracket of it will do
  // The result of FindBoxPenetrations; null: not computed yet.
  const Penetration* box_depth = nullptr;
  DepthProof* depth_proof = nullptr;  // filled in if a depth was found and this is not null
};

// The vertex pairs of the final simplex, the pairs' differences being the proof. The index
// of a curved core's point is 0.
struct CoreWitness {
  static constexpr int kCapacity = EnclosingSet<double>::kCapacity;
  Vec3d p_A;  // the closest (or deepest) point of A's core, from A's centre, frame A, units
  Vec3d w_A;  // of kSeparated: from the closest point of B's core to it
  int size = 0;
  std::array<VertexIndex, kCapacity> a{};
  std::array<VertexIndex, kCapacity> b{};
  std::array<double, kCapacity> weight{};  // of kSeparated and kTouching
};

// lower <= signed distance of the cores <= upper, units. n_A is unit, from A to B, frame A, and no
// point of A - B is higher along it than -lower, to rounding.
struct CoreAnswer {
  enum class Kind : std::uint8_t {
    kSeparated,    // `distance` apart; the witness is the simplex of the closest points
    kTouching,     // the bracket is 0 to rounding
    kOverlapping,  // upper < 0; the differences of the witness hold the origin strictly inside
    kAbove,        // lower > stop_above, nothing else is known
    kBelow,        // upper < stop_below, nothing else is known
    kUnknown,      // the bracket is all that is known
  };
  Kind kind = Kind::kUnknown;
  bool hit_iteration_limit = false;
  bool normal_is_unique = true;
  DoubleDouble lower = -std::numeric_limits<double>::infinity();
  DoubleDouble upper = std::numeric_limits<double>::infinity();
  DoubleDouble distance = 0.0;
  Vec3d n_A;
  CoreWitness witness;
  Simplex<double> simplex;  // to warm the next call with
  std::uint32_t iterations = 0;
};

// True if double precision proves the end of a search outside of the origin tightly.
bool IsTight(const MinkowskiDifference<double>& difference, const GjkResult<double>& gjk,
             const CoreLimits& limits);

// Sets the answer to it if so; otherwise leaves `answer` and returns false.
bool SetIfTight(const MinkowskiDifference<double>& difference, const GjkResult<double>& gjk,
                const CoreLimits& limits, CoreAnswer* answer);

// tau of tolerance.h for bodies of the size S at a distance, units.
double Tolerance(double size_sum, double distance);

// The search in double, from limits.start.
GjkResult<double> SearchFast(MinkowskiDifference<double>& difference, const CoreLimits& limits);

// Sets the answer to the result of SearchFast. Returns false if double precision does not prove it
// tightly; then `answer` holds what the search found, to go on from.
bool TakeSearch(MinkowskiDifference<double>& difference, const GjkResult<double>& gjk,
                const CoreLimits& limits, CoreAnswer* answer);

// Answers for cores that overlap, from a guess of four vertices around the origin. Returns false,
// and answers nothing, if double precision does not prove that they hold it strictly inside, or
// finds no depth. Requires: polytopes; limits that want the depth.
bool TakeTetrahedron(MinkowskiDifference<double>& difference, const VertexPairs& names,
                     const CoreLimits& limits, CoreAnswer* answer);

// Calls SearchFast and TakeSearch.
bool SolveFast(MinkowskiDifference<double>& difference, const CoreLimits& limits,
               CoreAnswer* answer);

// Continues from the result of the search in double.
void SolvePrecisely(MinkowskiDifference<DoubleDouble>& difference, const CoreLimits& limits,
                    CoreAnswer* answer);

}  // namespace clearance
