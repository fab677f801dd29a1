// SPDX-License-Identifier: Apache-2.0
//
// The time of collision by a root finder: the first root of distance(t) - target. Brent's method
// keeps an interval over which the function changes its sign. It takes the step of inverse
// quadratic interpolation (secant, from two points) if that stays well inside and converges,
// otherwise half of the interval. It is never slower than bisection by more than a factor, and
// superlinear if the function is smooth.
//
// R. P. Brent, "Algorithms for minimization without derivatives", 1973, chapter 4. A distance does
// not change its sign, so the target must be positive; along a translation it is convex, so the
// nearest time is found by halving with two probes, and before it there is one root.

#pragma once

#include <functional>

#include "tests/support/reference/interval_halving.h"

namespace clearance::reference {

struct RootResult {
  bool found = false;
  double t = 0;
  int evaluations = 0;
};

// A root of f in [low, high], to `tolerance`; none if f has the same sign at both ends.
RootResult FindRootByBrent(const std::function<double(double)>& f, double low, double high,
                           double tolerance);

// Requires: motion.target > 0, and the bodies are farther apart than it at t = 0. Evaluations are
// distance computations.
RootResult HitByRootFinding(const Translation& motion);

}  // namespace clearance::reference
