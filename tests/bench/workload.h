// SPDX-License-Identifier: Apache-2.0
//
// The questions of the benchmarks: pools of random boxes and hulls of one size, and pairs of them
// placed so that one regime of the solver is timed: far, near, overlapping a little or deeply, or
// moving in small steps. Poses are random, so that branch predictors and caches learn nothing.
// Every number comes from a fixed seed, so that two runs ask the same.

#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/math/pose.h"
#include "core/query/time_of_collision.h"
#include "core/shape/convex_shape.h"
#include "core/shape/posed_shape.h"
#include "tests/support/body.h"
#include "tests/support/random.h"

namespace clearance::bench {

// One column of the tables. `points` is 0 for boxes.
struct Size {
  const char* name;
  int points;  // hull vertices aimed at
  int shapes;  // in the pool
  int pairs;   // in one cell
};

inline constexpr std::array<Size, 6> kSizes = {{
    {"box", 0, 2000, 2000},
    {"16", 16, 1000, 2000},
    {"64", 64, 500, 2000},
    {"256", 256, 200, 1000},
    {"1024", 1024, 50, 500},
    {"4096", 4096, 16, 300},
}};

// Pairs of a cell that are judged by the exact oracle, which takes a while on large hulls.
inline int SampleOf(const Size& size) { return size.points >= 1024 ? 2 : 8; }

enum class Regime {
  kFar,       // 1 to 4 metres apart; the bodies are 1 to 3 metres across
  kNear,      // 0.01 to 0.03 apart
  kShallow,   // 0.05 to 0.15 into each other, along the normal of the approach
  kDeep,      // centres at most 0.3 apart
  kCoherent,  // tracks of steps of 0.02 and 1 degree, 0.06 to 1.5 apart
};

const char* Name(Regime regime);

struct Pool {
  std::vector<testing::Body> bodies;
  std::vector<ConvexShapePtr> shapes;
};

// Boxes of half extents 0.3 to 1.2, or 1.1 times `size.points` points on ellipsoids of half axes
// 0.5 to 1.5, roughened by 1 / points so that about `size.points` of them are vertices.
Pool MakePool(const Size& size, int shapes, testing::Random& random);

struct Pair {
  int a = 0;  // of the pool
  int b = 0;
  Pose X_WA, X_WB;
  double gap = 0;  // as planted, metres; of kDeep and kCoherent not planted and 0

  PosedShape PosedA(const Pool& pool) const { return {*pool.shapes[a], X_WA}; }
  PosedShape PosedB(const Pool& pool) const { return {*pool.shapes[b], X_WB}; }
  testing::BodyPair Bodies(const Pool& pool) const;
};

// How near to a planted gap a pair is placed, metres.
inline constexpr double kPlacement = 1e-9;

std::vector<Pair> MakePairs(const Pool& pool, Regime regime, int count, testing::Random& random);

// For kCoherent: pair i is a step of the track of pair i - TracksOf(pairs).
std::size_t TracksOf(std::size_t pairs);

// The numbers that the pool of a size is made of, and the pairs of a cell with their approaches.
testing::Random RandomOf(const Size& size);
testing::Random RandomOf(const Size& size, Regime regime);

// A goes 1.2 times the offset of the centres and up to a metre sideways; B stands still.
Motion MakeApproach(const Pair& pair, testing::Random& random);

}  // namespace clearance::bench
