// SPDX-License-Identifier: Apache-2.0

#include "core/narrow/gjk.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/math/tolerance.h"

namespace clearance {
namespace {

// Cold start: the vertex of A - B that looks from A towards B.
template <class T>
Simplex<T> ColdStart(MinkowskiDifference<T>& difference) {
  Vec3<T> towards_b = difference.placement().p_AB;
  if (NormSquared(towards_b) == T(0)) towards_b = {T(1), T(0), T(0)};
  Simplex<T> simplex;
  simplex.size = 1;
  simplex.vertex[0] = difference.Support(towards_b);
  return simplex;
}

template <class T>
SimplexPoints<T> PointsOf(const Simplex<T>& simplex) {
  SimplexPoints<T> points;
  for (int i = 0; i < simplex.size; ++i) points[i] = simplex.vertex[i].w;
  return points;
}

// Reduces the simplex to the vertices that its nearest point takes.
template <class T>
void Reduce(const NearestPoint<T>& nearest, Simplex<T>* simplex) {
  simplex->weight = nearest.weight;
  simplex->Keep(nearest.mask);
}

}  // namespace

template <class T>
T WeightedNorm(const Simplex<T>& simplex) {
  Vec3<T> sum;
  for (int i = 0; i < simplex.size; ++i) sum = sum + simplex.weight[i] * simplex.vertex[i].w;
  return Sqrt(NormSquared(sum));
}

template <class T>
bool Simplex<T>::Contains(const MinkowskiVertex<T>& candidate) const {
  for (int i = 0; i < size; ++i) {
    if (vertex[i].IsSameAs(candidate)) return true;
  }
  return false;
}

template <class T>
void Simplex<T>::Keep(unsigned mask) {
  int kept = 0;
  for (int i = 0; i < size; ++i) {
    if ((mask >> i & 1) == 0) continue;
    vertex[kept] = vertex[i];
    weight[kept] = weight[i];
    ++kept;
  }
  size = kept;
}

namespace {

template <class T>
class Iteration {
 public:
  Iteration(MinkowskiDifference<T>& difference, const GjkLimits& limits, GjkResult<T>* result)
      : difference_(difference),
        limits_(limits),
        error_(difference.rounding_error()),
        noise_(4 * kUnitRoundoff<T> * difference.extent()),
        result_(*result) {}

  // Iterates from the simplex in the result.
  void Run() {
    nearest_ = NearestOnSimplex(PointsOf(result_.simplex), result_.simplex.size);
    Reduce(nearest_, &result_.simplex);
    std::optional<GjkEnd> end;
    while (!end) end = Step();
    result_.end = *end;
  }

 private:
  // Looks at the nearest point of the simplex, and replaces the simplex by a better one unless that
  // is the end.
  std::optional<GjkEnd> Step() {
    const T distance_sq = NormSquared(nearest_.v);
    result_.v = nearest_.v;
    result_.upper = WeightedNorm(result_.simplex);
    if (nearest_.encloses_origin) return GjkEnd::kEnclosed;
    const double norm = std::sqrt(ToDouble(distance_sq));
    if (norm <= noise_) return GjkEnd::kAtOrigin;
    if (difference_.pair().HasStopped()) return GjkEnd::kIterationLimit;
    const MinkowskiVertex<T> w = difference_.Support(-nearest_.v);
    result_.lower = Dot(nearest_.v, w.w) / Sqrt(distance_sq);
    if (const std::optional<GjkEnd> end = KnowsEnough()) return end;
    if (result_.simplex.Contains(w)) return GjkEnd::kConverged;
    if (++result_.iterations >= static_cast<std::uint32_t>(limits_.max_iterations))
      return GjkEnd::kIterationLimit;
    Simplex<T>& simplex = result_.simplex;
    SimplexPoints<T> points = PointsOf(simplex);
    points[simplex.size] = w.w;
    nearest_ = NearestOnSimplex(points, simplex.size + 1);
    const bool is_nearer = nearest_.encloses_origin || NormSquared(nearest_.v) < distance_sq;
    if (!is_nearer && !IsNarrowerAlong(nearest_.v)) return GjkEnd::kConverged;
    simplex.vertex[simplex.size++] = w;
    Reduce(nearest_, &simplex);
    return std::nullopt;
  }

  // If rounding keeps a vertex from coming nearer, it may still turn v to where the bracket is
  // narrower: a vertex far away needs very little weight for that.
  bool IsNarrowerAlong(const Vec3<T>& v) {
    const double width = ToDouble(result_.upper - result_.lower);
    if (width <= kOpenBracket * noise_) return false;
    return Dot(v, difference_.Support(-v).w) / Sqrt(NormSquared(v)) > result_.lower;
  }

  std::optional<GjkEnd> KnowsEnough() const {
    const double lower = ToDouble(result_.lower);
    if (lower - error_ > limits_.stop_above) return GjkEnd::kAbove;
    if (ToDouble(result_.upper) + error_ < limits_.stop_below) return GjkEnd::kBelow;
    const double good_enough = lower - error_ > limits_.decide_at ? limits_.good_enough : 0;
    const double width = ToDouble(result_.upper - result_.lower);
    if (width <= std::max(noise_, good_enough)) return GjkEnd::kConverged;
    return std::nullopt;
  }

  MinkowskiDifference<T>& difference_;
  const GjkLimits& limits_;
  const double error_;
  const double noise_;  // below this a length is rounding
  NearestPoint<T> nearest_;
  GjkResult<T>& result_;
};

}  // namespace

template <class T>
GjkResult<T> Gjk(MinkowskiDifference<T>& difference, const Simplex<T>& start,
                 const GjkLimits& limits) {
  GjkResult<T> result;
  result.simplex = start.size > 0 ? start : ColdStart(difference);
  Iteration<T>(difference, limits, &result).Run();
  return result;
}

template struct Simplex<double>;
template struct Simplex<DoubleDouble>;
template double WeightedNorm(const Simplex<double>&);
template DoubleDouble WeightedNorm(const Simplex<DoubleDouble>&);
template GjkResult<double> Gjk(MinkowskiDifference<double>&, const Simplex<double>&,
                               const GjkLimits&);
template GjkResult<DoubleDouble> Gjk(MinkowskiDifference<DoubleDouble>&,
                                     const Simplex<DoubleDouble>&, const GjkLimits&);

}  // namespace clearance
