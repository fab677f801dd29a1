// SPDX-License-Identifier: Apache-2.0
//
// Depths of overlapping curved bodies against an independent oracle: support functions in closed
// form, written again here, sampled over the sphere and refined by pattern search. Any direction
// bounds the depth from above, so a sample below the bracket's lower end refutes it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <variant>
#include <vector>

#include "core/query/distance.h"
#include "core/shape/make_shape.h"
#include "gtest/gtest.h"
#include "tests/support/random.h"

namespace clearance::testing {
namespace {

enum class Kind { kCylinder, kCone, kEllipsoid, kBox };

// A body about its own z axis, at a pose; sizes as in make_shape.h.
struct Solid {
  Kind kind;
  Vec3d size;
  double radius;
  Pose pose;
};

double Length(const Vec3d& v) { return std::sqrt(Dot(v, v)); }

// v turned by q, by q v q* instead of a matrix.
Vec3d Turned(const Quaternion& q, const Vec3d& v) {
  const Vec3d u = {q.x, q.y, q.z};
  const Vec3d t = 2.0 * Cross(u, v);
  const double norm_sq = Dot(u, u) + q.w * q.w;
  return v + (1 / norm_sq) * (q.w * t + Cross(u, t));
}

Vec3d TurnedBack(const Quaternion& q, const Vec3d& v) { return Turned({-q.x, -q.y, -q.z, q.w}, v); }

// Returns how far the solid's core, without radius and in its frame, reaches along n.
double CoreReach(const Solid& solid, const Vec3d& n) {
  const Vec3d& s = solid.size;
  const double across = std::hypot(n.x, n.y);
  switch (solid.kind) {
    case Kind::kCylinder:
      return s.x * across + s.z * std::fabs(n.z);
    case Kind::kCone:
      return std::max(s.z * n.z, s.x * across - s.z * n.z);
    case Kind::kEllipsoid:
      return std::sqrt(s.x * s.x * n.x * n.x + s.y * s.y * n.y * n.y + s.z * s.z * n.z * n.z);
    case Kind::kBox:
      break;
  }
  return s.x * std::fabs(n.x) + s.y * std::fabs(n.y) + s.z * std::fabs(n.z);
}

double Reach(const Solid& solid, const Vec3d& n_W) {
  return CoreReach(solid, TurnedBack(solid.pose.q_WS, n_W)) + Dot(n_W, solid.pose.p_WS) +
         solid.radius;
}

// The translation of B along n (unit) that separates.
double Overlap(const Solid& a, const Solid& b, const Vec3d& n_W) {
  return Reach(a, n_W) + Reach(b, -n_W);
}

// Steps over the sphere; the step is halved if none improves.
double Refined(const Solid& a, const Solid& b, Vec3d n, double step) {
  double best = Overlap(a, b, n);
  while (step > 1e-9) {
    const Vec3d axis = std::fabs(n.x) < 0.5 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
    const Vec3d u = Cross(n, axis);
    const Vec3d v = Cross(n, u);
    bool improved = false;
    for (int k = 0; k < 16; ++k) {
      const double angle = k * 0.39269908169872414;
      const Vec3d m = n + step * (std::cos(angle) * u + std::sin(angle) * v);
      const double overlap = Overlap(a, b, (1 / Length(m)) * m);
      if (overlap >= best) continue;
      best = overlap;
      n = (1 / Length(m)) * m;
      improved = true;
      break;
    }
    if (!improved) step /= 2;
  }
  return best;
}

double SampledDepth(const Solid& a, const Solid& b, Random& random) {
  std::vector<std::pair<double, Vec3d>> samples;
  for (int i = 0; i < 1000; ++i) {
    const Vec3d n = random.Direction();
    samples.emplace_back(Overlap(a, b, n), n);
  }
  const auto by_overlap = [](const auto& x, const auto& y) { return x.first < y.first; };
  std::partial_sort(samples.begin(), samples.begin() + 12, samples.end(), by_overlap);
  double best = samples[0].first;
  for (int i = 0; i < 12; ++i) best = std::min(best, Refined(a, b, samples[i].second, 0.1));
  return best;
}

ConvexShapePtr Made(const Solid& solid) {
  const Vec3d& s = solid.size;
  ShapeOrError made = solid.kind == Kind::kCylinder ? MakeCylinder(s.x, s.z, solid.radius)
                      : solid.kind == Kind::kCone   ? MakeCone(s.x, s.z, solid.radius)
                      : solid.kind == Kind::kBox    ? MakeBox(s, solid.radius)
                                                    : MakeEllipsoid(s, solid.radius);
  return std::get<ConvexShapePtr>(std::move(made));
}

Solid AnySolid(Random& random, Kind kind) {
  const auto size = [&random] { return random.LogUniform(0.2, 2); };
  const double radius = random.OneIn(4) ? random.LogUniform(0.01, 0.5) : 0;
  return {kind, {size(), size(), size()}, radius, {random.InCube(0.4), random.Rotation()}};
}

struct Tally {
  int overlapping = 0;
  double worst_width = 0;   // of the bracket, over the size
  double worst_excess = 0;  // of the distance over the oracle's, over the size
};

void Check(const Solid& a, const Solid& b, Random& random, Tally* tally) {
  const ConvexShapePtr shape_a = Made(a);
  const ConvexShapePtr shape_b = Made(b);
  const DistanceAnswer answer = Distance({*shape_a, a.pose}, {*shape_b, b.pose}, {});
  if (answer.state != State::kPenetrating) return;
  ++tally->overlapping;
  const double size = shape_a->bounding_radius() + shape_b->bounding_radius();
  const double depth = SampledDepth(a, b, random);
  ASSERT_LE(answer.bracket.lower, answer.distance);
  ASSERT_LE(answer.distance, answer.bracket.upper);
  ASSERT_LE(-answer.bracket.upper, depth + 1e-13 * size) << "the lower end is refuted";
  ASSERT_LE(-answer.distance, depth + 1e-10 * size) << "not the least";
  ASSERT_NEAR(-answer.distance, Overlap(a, b, answer.n_AB), 1e-13 * size);
  ASSERT_NEAR(Length(answer.n_AB), 1, 1e-14);
  ASSERT_NEAR(Dot(answer.n_AB, answer.p_WA), Reach(a, answer.n_AB), 1e-9 * size);
  ASSERT_NEAR(-Dot(answer.n_AB, answer.p_WB), Reach(b, -answer.n_AB), 1e-9 * size);
  for (int i = 0; i < 20; ++i) {
    const Vec3d n = random.Direction();
    ASSERT_LE(Dot(n, answer.p_WA), Reach(a, n) + 1e-9 * size) << "p_A is outside of A";
    ASSERT_LE(Dot(n, answer.p_WB), Reach(b, n) + 1e-5 * size) << "p_B is outside of B";
  }
  const double width = answer.bracket.upper - answer.bracket.lower;
  tally->worst_width = std::max(tally->worst_width, width / size);
  tally->worst_excess = std::max(tally->worst_excess, (-answer.distance - depth) / size);
}

TEST(CurvedDepth, IsTheLeastThatDirectionsShow) {
  Random random(RunSeed());
  Tally tally;
  const int wanted = Effort(200);
  for (int i = 0; i < 10 * wanted && tally.overlapping < wanted; ++i) {
    const auto first = static_cast<Kind>(random.Below(3));
    const auto second = static_cast<Kind>(random.Below(4));
    const bool swap = random.OneIn(2);
    const Solid a = AnySolid(random, swap ? second : first);
    const Solid b = AnySolid(random, swap ? first : second);
    Check(a, b, random, &tally);
    if (HasFatalFailure()) {
      FAIL() << "kinds " << static_cast<int>(a.kind) << " " << static_cast<int>(b.kind) << " case "
             << i;
    }
  }
  std::printf("%d overlapping, bracket %g of the size wide at most, distance %g over the oracle\n",
              tally.overlapping, tally.worst_width, tally.worst_excess);
  EXPECT_EQ(tally.overlapping, wanted);
  EXPECT_LE(tally.worst_width, 1e-6);
}

// Coaxial, coincident and concentric pairs: rings and whole spheres of minima, or nearly so.
TEST(CurvedDepth, OfSymmetricCoincidentKinds_IsRight) {
  Random random(RunSeed() + 1);
  Tally tally;
  const int wanted = Effort(40);
  for (int i = 0; i < 10 * wanted && tally.overlapping < wanted; ++i) {
    Solid a = AnySolid(random, static_cast<Kind>(random.Below(3)));
    if (random.OneIn(3)) a.size = {a.size.x, a.size.x, a.size.x * 1.01};
    Solid b = a;
    if (random.OneIn(3)) b = AnySolid(random, static_cast<Kind>(random.Below(3)));
    b.pose = a.pose;
    if (random.OneIn(3)) b.pose.p_WS = b.pose.p_WS + Turned(a.pose.q_WS, {0, 0, 0.1});
    Check(a, b, random, &tally);
    if (HasFatalFailure()) {
      FAIL() << "kinds " << static_cast<int>(a.kind) << " " << static_cast<int>(b.kind) << " case "
             << i;
    }
  }
  std::printf("%d overlapping, bracket %g of the size wide at most, distance %g over the oracle\n",
              tally.overlapping, tally.worst_width, tally.worst_excess);
  EXPECT_EQ(tally.overlapping, wanted);
  EXPECT_LE(tally.worst_width, 1e-2);
}

}  // namespace
}  // namespace clearance::testing
