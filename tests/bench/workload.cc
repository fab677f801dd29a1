// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/workload.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

#include "core/query/distance.h"
#include "tests/support/test_shape.h"

namespace clearance::bench {
namespace {

using testing::Body;
using testing::Random;

constexpr double kWorldHalf = 5;
constexpr double kStep = 0.02;
constexpr double kTurn = std::numbers::pi / 180;
constexpr double kLeastCoherentGap = 0.06;
constexpr double kLargestCoherentGap = 1.5;
constexpr std::size_t kMostTracks = 100;

// Returns a number of mean 0 and variance 1: a sum of twelve uniform numbers is near enough to
// normal.
double Normal(Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random.Uniform(0, 1);
  return sum;
}

Body RoughEllipsoid(int points, Random& random) {
  const Vec3d axes = {random.Uniform(0.5, 1.5), random.Uniform(0.5, 1.5), random.Uniform(0.5, 1.5)};
  Body body;
  for (int i = 0; i < points + points / 10; ++i) {
    const Vec3d n = (1 + Normal(random) / points) * random.Direction();
    body.points.push_back({axes.x * n.x, axes.y * n.y, axes.z * n.z});
  }
  return body;
}

Body RandomBox(Random& random) {
  return testing::MakeBoxBody(
      {random.Uniform(0.3, 1.2), random.Uniform(0.3, 1.2), random.Uniform(0.3, 1.2)});
}

// Puts B at `gap` from A along `direction` from A's origin; returns the normal there. The distance
// is a convex function of the way, so Newton's method comes down from outside and never overshoots.
Vec3d PlaceAtGap(const Pool& pool, const Vec3d& direction, double gap, Pair* pair) {
  constexpr int kMaxSteps = 50;
  double way =
      pool.shapes[pair->a]->bounding_radius() + pool.shapes[pair->b]->bounding_radius() + gap;
  Vec3d normal;
  for (int i = 0; i < kMaxSteps; ++i) {
    pair->X_WB.p_WS = pair->X_WA.p_WS + way * direction;
    const DistanceAnswer answer = Distance(pair->PosedA(pool), pair->PosedB(pool), {});
    normal = answer.n_AB;
    const double miss = answer.distance - gap;
    if (std::fabs(miss) <= kPlacement) break;
    way -= miss / Dot(normal, direction);
  }
  return normal;
}

Pair RandomPair(const Pool& pool, Random& random) {
  const int shapes = static_cast<int>(pool.shapes.size());
  Pair pair = {.a = random.Below(shapes), .b = random.Below(shapes), .X_WA = {}, .X_WB = {}};
  pair.X_WA = {random.InCube(kWorldHalf), random.Rotation()};
  pair.X_WB = {pair.X_WA.p_WS, random.Rotation()};
  return pair;
}

Pair PairOf(const Pool& pool, Regime regime, Random& random) {
  Pair pair = RandomPair(pool, random);
  const Vec3d direction = random.Direction();
  const double size = random.Uniform(0.5, 1.5);
  switch (regime) {
    case Regime::kFar:
    case Regime::kCoherent:  // of tracks, in MakeTracks
      pair.gap = random.Uniform(1, 4);
      PlaceAtGap(pool, direction, pair.gap, &pair);
      break;
    case Regime::kNear:
      pair.gap = 0.02 * size;
      PlaceAtGap(pool, direction, pair.gap, &pair);
      break;
    case Regime::kShallow: {
      constexpr double kLastNormal = 1e-6;  // metres before contact
      pair.gap = -0.1 * size;
      const Vec3d n_AB = PlaceAtGap(pool, direction, kLastNormal, &pair);
      pair.X_WB.p_WS = pair.X_WB.p_WS + (pair.gap - kLastNormal) * n_AB;
      break;
    }
    case Regime::kDeep:
      pair.X_WB.p_WS = pair.X_WA.p_WS + random.Uniform(0, 0.3) * direction;
      break;
  }
  return pair;
}

Quaternion Product(const Quaternion& p, const Quaternion& q) {
  const Vec3d u = {p.x, p.y, p.z};
  const Vec3d v = {q.x, q.y, q.z};
  const Vec3d w = p.w * v + q.w * u + Cross(u, v);
  const double norm = std::sqrt(NormSquared(w) + (p.w * q.w - Dot(u, v)) * (p.w * q.w - Dot(u, v)));
  return {w.x / norm, w.y / norm, w.z / norm, (p.w * q.w - Dot(u, v)) / norm};
}

bool IsCoherentGap(double gap) { return gap >= kLeastCoherentGap && gap <= kLargestCoherentGap; }

// Returns the pair a step later: on along `heading`, or along another one if that leads out of the
// range of gaps.
Pair Stepped(const Pool& pool, const Pair& pair, Vec3d* heading, Random& random) {
  const Quaternion turn = random.RotationBy(kTurn);
  for (;; *heading = random.Direction()) {
    Pair next = pair;
    next.X_WB = {pair.X_WB.p_WS + kStep * *heading, Product(turn, pair.X_WB.q_WS)};
    if (IsCoherentGap(Distance(next.PosedA(pool), next.PosedB(pool), {}).distance)) return next;
  }
}

// One question of every track, then the next step of all: the order of a tick.
std::vector<Pair> MakeTracks(const Pool& pool, int count, Random& random) {
  std::vector<Pair> pairs;
  std::vector<Vec3d> headings;
  const std::size_t tracks = TracksOf(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < tracks; ++i) {
    Pair pair = RandomPair(pool, random);
    constexpr double kInside = 1e-3;  // of the range, so that the first step can stay in it
    PlaceAtGap(pool, random.Direction(),
               random.Uniform(kLeastCoherentGap + kInside, kLargestCoherentGap - kInside), &pair);
    pairs.push_back(pair);
    headings.push_back(random.Direction());
  }
  for (std::size_t i = 0; static_cast<int>(pairs.size()) < count; ++i) {
    const Pair last = pairs[i];
    pairs.push_back(Stepped(pool, last, &headings[i % headings.size()], random));
  }
  return pairs;
}

}  // namespace

const char* Name(Regime regime) {
  static constexpr std::array kNames = {"far", "near", "shallow", "deep", "coherent"};
  return kNames[static_cast<std::size_t>(regime)];
}

testing::BodyPair Pair::Bodies(const Pool& pool) const {
  testing::BodyPair bodies = {pool.bodies[a], pool.bodies[b]};
  bodies.a.pose = X_WA;
  bodies.b.pose = X_WB;
  return bodies;
}

Pool MakePool(const Size& size, int shapes, Random& random) {
  Pool pool;
  for (int i = 0; i < shapes; ++i) {
    pool.bodies.push_back(size.points == 0 ? RandomBox(random)
                                           : RoughEllipsoid(size.points, random));
    pool.shapes.push_back(testing::MakeShape(pool.bodies.back()));
  }
  return pool;
}

std::vector<Pair> MakePairs(const Pool& pool, Regime regime, int count, Random& random) {
  if (regime == Regime::kCoherent) return MakeTracks(pool, count, random);
  std::vector<Pair> pairs;
  for (int i = 0; i < count; ++i) pairs.push_back(PairOf(pool, regime, random));
  return pairs;
}

std::size_t TracksOf(std::size_t pairs) { return std::min(pairs, kMostTracks); }

Random RandomOf(const Size& size) { return Random(1 + static_cast<std::uint64_t>(size.points)); }

Random RandomOf(const Size& size, Regime regime) {
  return Random(100 * static_cast<std::uint64_t>(size.points) + static_cast<std::uint64_t>(regime));
}

Motion MakeApproach(const Pair& pair, Random& random) {
  constexpr double kOvershoot = 1.2;
  const Vec3d offset = pair.X_WB.p_WS - pair.X_WA.p_WS;
  const Vec3d across = Cross(offset, random.Direction());
  const double scale = random.Uniform(0, 1) / std::sqrt(NormSquared(across));
  return {.displacement = kOvershoot * offset + scale * across,
          .rotation = {},
          .pivot = pair.X_WA.p_WS};
}

}  // namespace clearance::bench
