// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference/brent.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace clearance::reference {
namespace {

constexpr int kMaxEvaluations = 200;
constexpr double kTimeTolerance = 0x1p-44;

struct Sample {
  double t = 0;
  double f = 0;
};

// Returns the zero of the inverse quadratic through a, b, c (or of the secant through a and b if a
// is c).
double Interpolated(const Sample& a, const Sample& b, const Sample& c) {
  if (a.f == c.f || b.f == c.f) return b.t - b.f * (b.t - a.t) / (b.f - a.f);
  return a.t * (b.f * c.f) / ((a.f - b.f) * (a.f - c.f)) +
         b.t * (a.f * c.f) / ((b.f - a.f) * (b.f - c.f)) +
         c.t * (a.f * b.f) / ((c.f - a.f) * (c.f - b.f));
}

// Returns a time in [0, 1] with f <= 0 if there is one, otherwise about the time at which f is
// least. f is convex.
Sample FindNotPositive(const std::function<double(double)>& f, int* evaluations) {
  double low = 0;
  double high = 1;
  Sample best = {1, f(1)};
  *evaluations = 1;
  while (best.f > 0 && high - low > kTimeTolerance) {
    const Sample early = {low + 0.375 * (high - low), f(low + 0.375 * (high - low))};
    const Sample late = {low + 0.625 * (high - low), f(low + 0.625 * (high - low))};
    *evaluations += 2;
    if (early.f > late.f) {
      low = early.t;
    } else {
      high = late.t;
    }
    const Sample& lower = early.f > late.f ? late : early;
    if (lower.f < best.f) best = lower;
  }
  return best;
}

}  // namespace

RootResult FindRootByBrent(const std::function<double(double)>& f, double low, double high,
                           double tolerance) {
  Sample a = {low, f(low)};
  Sample b = {high, f(high)};
  if ((a.f > 0) == (b.f > 0) && a.f != 0 && b.f != 0) return {false, 0, 2};
  if (std::fabs(a.f) < std::fabs(b.f)) std::swap(a, b);
  // The root is between a and b, b is the better end, c the last b.
  Sample c = a;
  double step_before = std::fabs(b.t - a.t);
  int evaluations = 2;
  while (b.f != 0 && std::fabs(b.t - a.t) > tolerance && evaluations < kMaxEvaluations) {
    const double middle = 0.5 * (a.t + b.t);
    double t = Interpolated(a, b, c);
    const bool is_inside = (t > std::min(b.t, middle)) && (t < std::max(b.t, middle));
    const bool is_converging = std::fabs(t - b.t) < 0.5 * step_before;
    if (!is_inside || !is_converging) t = middle;
    // A step must move.
    if (std::fabs(t - b.t) < 0.5 * tolerance)
      t = b.t + std::copysign(0.5 * tolerance, middle - b.t);
    step_before = std::fabs(t - b.t);
    c = b;
    const Sample next = {t, f(t)};
    ++evaluations;
    if ((a.f > 0) == (next.f > 0)) {
      a = b;
    }
    b = next;
    if (std::fabs(a.f) < std::fabs(b.f)) std::swap(a, b);
  }
  return {true, b.t, evaluations};
}

RootResult HitByRootFinding(const Translation& motion) {
  const auto f = [&](double t) { return DistanceAt(motion, t) - motion.target; };
  int evaluations = 0;
  const Sample end = FindNotPositive(f, &evaluations);
  if (end.f > 0) return {false, end.t, evaluations};
  RootResult root = FindRootByBrent(f, 0, end.t, kTimeTolerance);
  root.evaluations += evaluations;
  return root;
}

}  // namespace clearance::reference
