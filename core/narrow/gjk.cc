// SPDX-License-Identifier: Apache-2.0

#include "core/narrow/gjk.h"

#include <cmath>
#include <optional>

#include "core/math/tolerance.h"

namespace clearance {
namespace {

template <class T>
constexpr double UnitRoundoff();
template <>
constexpr double UnitRoundoff<double>() {
  return kRoundoff;
}
template <>
constexpr double UnitRoundoff<DoubleDouble>() {
  return kDoubleDoubleRoundoff;
}

// Cold start: the vertex of A - B that looks from A towards B.
template <class T>
Simplex<T> ColdStart(Difference<T>& difference) {
  Vec3<T> towards_b = difference.placement().p_AB;
  if (NormSquared(towards_b) == T(0)) towards_b = {T(1), T(0), T(0)};
  Simplex<T> simplex;
  simplex.size = 1;
  simplex.vertex[0] = difference.Highest(towards_b);
  return simplex;
}

// Reduces the simplex to the vertices that its nearest point takes.
template <class T>
NearestPoint<T> Reduce(Simplex<T>* simplex) {
  SimplexPoints<T> points;
  for (int i = 0; i < simplex->size; ++i) points[i] = simplex->vertex[i].w;
  const NearestPoint<T> nearest = NearestOnSimplex(points, simplex->size);
  simplex->weight = nearest.weight;
  simplex->Keep(nearest.mask);
  return nearest;
}

}  // namespace

template <class T>
double Extent(const Difference<T>& difference) {
  const ShapePair& pair = difference.pair();
  const Placement<T>& placement = difference.placement();
  return pair.radius_a + pair.radius_b + Norm(ToDouble(placement.p_AB)) +
         Norm(ToDouble(placement.sweep_A));
}

template <class T>
T WeightedNorm(const Simplex<T>& simplex) {
  Vec3<T> sum;
  for (int i = 0; i < simplex.size; ++i) sum = sum + simplex.weight[i] * simplex.vertex[i].w;
  return Sqrt(NormSquared(sum));
}

template <class T>
bool Simplex<T>::Contains(const DifferenceVertex<T>& candidate) const {
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

template <class T>
double RoundingError(const Difference<T>& difference) {
  const double extent = Extent(difference);
  const ShapePair& pair = difference.pair();
  const double supports = pair.is_curved() ? 16 + 2 * kCurvedError : 16;
  const double supports_and_points = 16 * extent + supports * (pair.radius_a + pair.radius_b);
  const Vec3d p_AB = ToDouble(difference.placement().p_AB);
  const bool is_point_on_point = extent == 0 && p_AB == Vec3d{};
  return UnitRoundoff<T>() * supports_and_points + difference.placement().error +
         (is_point_on_point ? 0 : kUnderflowSlack);
}

namespace {

template <class T>
class Iteration {
 public:
  Iteration(Difference<T>& difference, const Simplex<T>& start, const GjkLimits& limits)
      : difference_(difference),
        limits_(limits),
        error_(RoundingError(difference)),
        noise_(4 * UnitRoundoff<T>() * Extent(difference)) {
    result_.simplex = start.size > 0 ? start : ColdStart(difference);
    nearest_ = Reduce(&result_.simplex);
  }

  GjkResult<T> Run() {
    std::optional<GjkEnd> end;
    while (!end) end = Step();
    result_.end = *end;
    return result_;
  }

 private:
  // Looks at the nearest point of the simplex, and replaces the simplex by a nearer one unless that
  // is the end.
  std::optional<GjkEnd> Step() {
    const T distance_sq = NormSquared(nearest_.v);
    result_.v = nearest_.v;
    result_.upper = WeightedNorm(result_.simplex);
    if (nearest_.encloses_origin) return GjkEnd::kEnclosed;
    const double norm = std::sqrt(ToDouble(distance_sq));
    if (norm <= noise_) return GjkEnd::kAtOrigin;
    const DifferenceVertex<T> w = difference_.Highest(-nearest_.v);
    result_.lower = Dot(nearest_.v, w.w) / Sqrt(distance_sq);
    if (const std::optional<GjkEnd> end = KnowsEnough()) return end;
    if (result_.simplex.Contains(w)) return GjkEnd::kConverged;
    if (++result_.iterations >= static_cast<std::uint32_t>(limits_.max_iterations))
      return GjkEnd::kIterationLimit;
    Simplex<T> next = result_.simplex;
    next.vertex[next.size++] = w;
    nearest_ = Reduce(&next);
    const bool is_nearer = nearest_.encloses_origin || NormSquared(nearest_.v) < distance_sq;
    if (!is_nearer) return GjkEnd::kConverged;  // rounding keeps w from helping
    result_.simplex = next;
    return std::nullopt;
  }

  std::optional<GjkEnd> KnowsEnough() const {
    const double lower = ToDouble(result_.lower);
    if (lower - error_ > limits_.stop_above) return GjkEnd::kAbove;
    if (ToDouble(result_.upper) + error_ < limits_.stop_below) return GjkEnd::kBelow;
    const double good_enough = lower - error_ > limits_.decide_at ? limits_.good_enough : 0;
    const double width = ToDouble(result_.upper - result_.lower);
    if (width <= std::fmax(noise_, good_enough)) return GjkEnd::kConverged;
    return std::nullopt;
  }

  Difference<T>& difference_;
  const GjkLimits& limits_;
  const double error_;
  const double noise_;  // below this a length is rounding
  NearestPoint<T> nearest_;
  GjkResult<T> result_;
};

}  // namespace

template <class T>
GjkResult<T> Gjk(Difference<T>& difference, const Simplex<T>& start, const GjkLimits& limits) {
  return Iteration<T>(difference, start, limits).Run();
}

template struct Simplex<double>;
template struct Simplex<DoubleDouble>;
template double Extent(const Difference<double>&);
template double Extent(const Difference<DoubleDouble>&);
template double WeightedNorm(const Simplex<double>&);
template DoubleDouble WeightedNorm(const Simplex<DoubleDouble>&);
template double RoundingError(const Difference<double>&);
template double RoundingError(const Difference<DoubleDouble>&);
template GjkResult<double> Gjk(Difference<double>&, const Simplex<double>&, const GjkLimits&);
template GjkResult<DoubleDouble> Gjk(Difference<DoubleDouble>&, const Simplex<DoubleDouble>&,
                                     const GjkLimits&);

}  // namespace clearance
