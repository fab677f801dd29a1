// SPDX-License-Identifier: Apache-2.0
//
// The Gilbert-Johnson-Keerthi iteration on the Minkowski difference A - B, which brackets the
// distance of its nearest point v from the origin at every step:
//     lower = v . w / |v|   (the plane through the highest vertex w along -v separates)
//     upper = |v|
// and ends when no vertex improves v any more: combinatorially, not by a tolerance, unless the
// caller loosens it. If rounding hides that a vertex comes nearer, a bracket that is still wide
// goes on as long as each step raises the lower end; then only the limit bounds the iterations.
//
// After E. G. Gilbert, D. W. Johnson and S. S. Keerthi, "A fast procedure for computing the
// distance between complex objects", 1988, and G. van den Bergen, "A fast and robust GJK
// implementation", 1999. When rounding stalls the search, the last simplex is kept, and the bracket
// so far is reported instead of being called an answer. Instantiated for double (the search) and
// DoubleDouble (if the bracket of the search does not decide).

#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "core/narrow/minkowski_difference.h"
#include "core/narrow/simplex.h"

namespace clearance {

// One to four vertices of A - B.
template <class T>
struct Simplex {
  int size = 0;
  std::array<MinkowskiVertex<T>, 4> vertex;
  std::array<T, 4> weight{};

  bool Contains(const MinkowskiVertex<T>& candidate) const;
  // Drops every vertex whose bit is not set.
  void Keep(unsigned mask);
};

// The limits at which the caller knows enough; distances of the cores in units, signed.
struct GjkLimits {
  double stop_above = std::numeric_limits<double>::infinity();   // the distance is proved greater
  double stop_below = -std::numeric_limits<double>::infinity();  // the distance is proved less
  double good_enough = 0;  // width of the bracket, once it lies above decide_at
  double decide_at = 0;
  int max_iterations = 0;
};

enum class GjkEnd : std::uint8_t {
  kConverged,  // no vertex improves the bracket: v is the nearest point, to rounding
  kAtOrigin,   // |v| is below rounding: the difference holds the origin, perhaps on its boundary
  kEnclosed,   // the simplex is a tetrahedron around the origin, by rounded signs
  kAbove,      // farther than stop_above
  kBelow,      // nearer than stop_below
  kIterationLimit,  // the bracket is all there is
};

// `v` is the nearest point of `simplex`; `lower` belongs to the plane with the normal v, `upper` =
// |v|, both as computed: add difference.rounding_error() on either side for a proof.
template <class T>
struct GjkResult {
  GjkEnd end = GjkEnd::kIterationLimit;
  Simplex<T> simplex;
  Vec3<T> v;
  T lower = T(0);
  T upper = T(0);
  std::uint32_t iterations = 0;
};

// Returns the length of the point that the weights make of the simplex: a point of A - B whatever
// rounding did to v.
template <class T>
T WeightedNorm(const Simplex<T>& simplex);

// `start`: the simplex to go on from; size 0 starts cold.
template <class T>
GjkResult<T> Gjk(MinkowskiDifference<T>& difference, const Simplex<T>& start,
                 const GjkLimits& limits);

extern template double WeightedNorm(const Simplex<double>&);
extern template DoubleDouble WeightedNorm(const Simplex<DoubleDouble>&);
extern template GjkResult<double> Gjk(MinkowskiDifference<double>&, const Simplex<double>&,
                                      const GjkLimits&);
extern template GjkResult<DoubleDouble> Gjk(MinkowskiDifference<DoubleDouble>&,
                                            const Simplex<DoubleDouble>&, const GjkLimits&);

}  // namespace clearance
