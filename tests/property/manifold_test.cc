// SPDX-License-Identifier: Apache-2.0
//
// Contact manifolds of random pairs. The oracle of "lies on both bodies" is the exact distance of a
// point from a body, in rationals. The oracle of the area of prisms that stand on one another is
// the intersection of their bases, by brute force over all corners and crossings, in rationals.
#include <gmpxx.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>
#include <vector>

#include "core/math/rotation.h"
#include "core/math/tolerance.h"
#include "core/query/contact_manifold.h"
#include "gtest/gtest.h"
#include "tests/support/exact_distance.h"
#include "tests/support/generators.h"
#include "tests/support/test_shape.h"

namespace clearance::testing {
namespace {

struct Contact {
  DistanceAnswer answer;
  ContactManifold manifold;
};

// Shapes of a pair, made once and asked at many poses.
class Bodies {
 public:
  explicit Bodies(const BodyPair& pair) : a_(MakeShape(pair.a)), b_(MakeShape(pair.b)) {}

  double Size() const { return a_->bounding_radius() + b_->bounding_radius(); }

  Contact At(const Pose& pose_a, const Pose& pose_b) const {
    const PosedShape a = {*a_, pose_a}, b = {*b_, pose_b};
    Contact contact;
    contact.answer = Distance(a, b, {});
    contact.manifold = ComputeManifold(a, b, contact.answer);
    return contact;
  }

 private:
  ConvexShapePtr a_;
  ConvexShapePtr b_;
};

auto NameOf(const ContactPoint& p) {
  return std::tuple(p.feature_a.first, p.feature_a.second, p.feature_b.first, p.feature_b.second);
}
using Name = decltype(NameOf(ContactPoint{}));

std::vector<Name> NamesOf(const ContactManifold& manifold) {
  std::vector<Name> names;
  for (int i = 0; i < manifold.size; ++i) names.push_back(NameOf(manifold.points[i]));
  return names;
}

double Length(const Vec3d& v) { return std::sqrt(NormSquared(v)); }

// The exact distance of a point of the world from a body's core; `is_inside`: strictly inside.
struct Offset {
  bool is_inside;
  double distance;
};
Offset OffsetFrom(const Body& body, const Vec3d& p_W) {
  Body point = MakePointBody(0);
  point.pose.p_WS = p_W;
  Body core = body;
  core.radius = 0;
  const ExactDistance exact = ComputeExactDistance(MakeExactPair({core, point}));
  const bool is_inside = exact.relation == CoreRelation::kInside;
  return {is_inside, is_inside ? 0 : exact.Approximate()};
}

// `outwards_W` is the normal away from the body. The sagitta is what a tilted face's own surface is
// above the point.
void ExpectIsOn(const Body& body, const Vec3d& p_W, const Vec3d& outwards_W, double tolerance) {
  const double sagitta = body.radius * kContactFaceSine * kContactFaceSine;
  const Offset here = OffsetFrom(body, p_W);
  EXPECT_LE(here.distance, body.radius + tolerance);
  EXPECT_GE(here.distance, body.radius - sagitta - tolerance);
  EXPECT_FALSE(OffsetFrom(body, p_W + tolerance * outwards_W).is_inside);
}

void ExpectIsSound(const BodyPair& pair, const Contact& contact, double size) {
  const auto& [answer, manifold] = contact;
  const double place = std::fmax(Length(pair.a.pose.p_WS), Length(pair.b.pose.p_WS));
  const double tolerance = 1e-12 * (size + std::fabs(answer.distance)) + 0x1p-50 * place;
  ASSERT_GE(manifold.size, 1);
  ASSERT_LE(manifold.size, ContactManifold::kCapacity);
  for (int i = 0; i < manifold.size; ++i) {
    const ContactPoint& p = manifold.points[i];
    ASSERT_TRUE(std::isfinite(NormSquared(p.p_WA) + NormSquared(p.p_WB) + p.distance));
    EXPECT_LE(Length(p.p_AoB - p.p_AoA - p.distance * answer.n_AB),
              1e-14 * (size + std::fabs(p.distance)));
    EXPECT_LE(Length(p.p_WA - pair.a.pose.p_WS - p.p_AoA), tolerance);
    EXPECT_GE(p.distance, answer.distance - tolerance);
    EXPECT_LE(p.distance, answer.distance + kContactSpread * size);
    ExpectIsOn(pair.a, p.p_WA, answer.n_AB, tolerance);
    ExpectIsOn(pair.b, p.p_WB, -answer.n_AB, tolerance);
  }
  const std::vector<Name> names = NamesOf(manifold);
  EXPECT_EQ(std::set<Name>(names.begin(), names.end()).size(), names.size());
  EXPECT_EQ(std::min_element(names.begin(), names.end()), names.begin());
}

void ExpectSameBits(const ContactManifold& a, const ContactManifold& b) {
  ASSERT_EQ(a.size, b.size);
  EXPECT_EQ(a.is_truncated, b.is_truncated);
  EXPECT_EQ(NamesOf(a), NamesOf(b));
  for (int i = 0; i < a.size; ++i) {
    const ContactPoint &p = a.points[i], &q = b.points[i];
    EXPECT_TRUE(p.p_WA == q.p_WA && p.p_WB == q.p_WB && p.p_AoA == q.p_AoA && p.p_AoB == q.p_AoB);
    EXPECT_EQ(p.distance, q.distance);
  }
}

TEST(Manifold, LiesOnBothBodiesAndKeepsItsEquations) {
  Random random(RunSeed());
  std::array<int, 3> count_of_size{};  // 1, 2, 3 and more
  int penetrating = 0;
  for (int i = 0; i < Effort(1500); ++i) {
    const auto family = static_cast<Family>(random.Below(kFamilyCount));
    if (family == Family::kEllipsoids) continue;
    const BodyPair pair = Generate(family, random);
    SCOPED_TRACE(Describe(pair));
    const Bodies bodies(pair);
    const Contact contact = bodies.At(pair.a.pose, pair.b.pose);
    ExpectSameBits(contact.manifold, bodies.At(pair.a.pose, pair.b.pose).manifold);
    const State state = contact.answer.state;
    if (state == State::kUndecided) {
      EXPECT_EQ(contact.manifold.size, 0);
      continue;
    }
    penetrating += state == State::kPenetrating ? 1 : 0;
    ExpectIsSound(pair, contact, bodies.Size());
    ++count_of_size[std::min(contact.manifold.size, 3) - 1];
    if (HasFailure()) return;
  }
  for (int i = 0; i < 3; ++i) EXPECT_GT(count_of_size[i], Effort(50)) << i;
  EXPECT_GT(penetrating, Effort(100));
}

// A prism whose base is the hull of random points of a lattice, in the plane z = 0, and which
// stands (height > 0) or hangs from there.
constexpr double kLattice = 0.125;

using Corner = std::array<mpq_class, 2>;
using Polygon = std::vector<Corner>;

struct Prism {
  Polygon base;  // counter-clockwise
  Body body;
};

mpq_class Turn(const Corner& a, const Corner& b, const Corner& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// Gift wrapping, of points of which no three are collinear or the middle one is left out.
Polygon Wrap(const Polygon& points) {
  Polygon ring = {*std::min_element(points.begin(), points.end())};
  for (;;) {
    auto next = ring.back() == points[0] ? points[1] : points[0];
    for (const auto& p : points) {
      if (p == ring.back()) continue;
      const mpq_class turn = Turn(ring.back(), next, p);
      const mpq_class near = abs(next[0] - ring.back()[0]) + abs(next[1] - ring.back()[1]);
      const mpq_class far = abs(p[0] - ring.back()[0]) + abs(p[1] - ring.back()[1]);
      if (turn < 0 || (turn == 0 && far > near)) next = p;
    }
    if (next == ring.front()) return ring;
    ring.push_back(next);
  }
}

Prism RandomPrism(Random& random, double height) {
  for (;;) {
    Polygon points;
    Prism prism;
    const int count = 3 + random.Below(8);
    for (int i = 0; i < count; ++i) {
      const double x = kLattice * (random.Below(33) - 16), y = kLattice * (random.Below(33) - 16);
      points.push_back({mpq_class(x), mpq_class(y)});
      prism.body.points.push_back({x, y, 0});
      prism.body.points.push_back({x, y, height});
    }
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    if (points.size() < 3) continue;
    prism.base = Wrap(points);
    if (prism.base.size() >= 3 && prism.base.size() <= 8) return prism;
  }
}

bool Holds(const Polygon& polygon, const Corner& p) {
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    if (Turn(polygon[i], polygon[(i + 1) % polygon.size()], p) < 0) return false;
  }
  return true;
}

// All corners of the one in the other and all crossings of their edges, each once.
std::set<Corner> Intersect(const Polygon& a, const Polygon& b) {
  std::set<Corner> points;
  for (const auto& p : a) {
    if (Holds(b, p)) points.insert(p);
  }
  for (const auto& p : b) {
    if (Holds(a, p)) points.insert(p);
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < b.size(); ++k) {
      const auto &p = a[i], &q = a[(i + 1) % a.size()];
      const auto &r = b[k], &s = b[(k + 1) % b.size()];
      const mpq_class at_p = Turn(r, s, p), at_q = Turn(r, s, q);
      if (at_p * at_q >= 0 || Turn(p, q, r) * Turn(p, q, s) >= 0) continue;
      const mpq_class t = at_p / (at_p - at_q);
      points.insert({p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])});
    }
  }
  return points;
}

// Prism B stands on prism A's plane at an offset (x, y), `gap` above it, both turned alike.
struct Stack {
  BodyPair bodies;
  Polygon base_a;
  Polygon base_b;  // in A's frame
};

Stack RandomStack(Random& random, double gap) {
  Stack stack;
  const Prism a = RandomPrism(random, -1), b = RandomPrism(random, 1);
  const Vec3d offset = {kLattice / 2 * (random.Below(33) - 16),
                        kLattice / 2 * (random.Below(33) - 16), gap};
  stack.bodies = {a.body, b.body};
  stack.base_a = a.base;
  stack.base_b = b.base;
  for (auto& p : stack.base_b) p = {p[0] + mpq_class(offset.x), p[1] + mpq_class(offset.y)};
  Pose& pose_a = stack.bodies.a.pose;
  pose_a = {random.InCube(10), random.Rotation()};
  stack.bodies.b.pose = {pose_a.p_WS + RotationMatrix<double>(pose_a.q_WS) * offset, pose_a.q_WS};
  return stack;
}

Vec3d InFrame(const Pose& pose, const Vec3d& p_W) {
  return Transpose(RotationMatrix<double>(pose.q_WS)) * (p_W - pose.p_WS);
}

// Twice the area of the hull of a few points is at least this.
bool IsWide(const std::set<Corner>& points) {
  for (const auto& p : points) {
    for (const auto& q : points) {
      for (const auto& r : points) {
        if (Turn(p, q, r) > 0.25) return true;
      }
    }
  }
  return false;
}

// True if no corner is within `margin` of a side of the other base, and no two sides that cross are
// nearly parallel: then a small motion changes no feature.
bool IsGeneric(const Stack& stack, double margin) {
  const auto are_clear = [&](const Polygon& corners, const Polygon& sides) {
    for (const auto& p : corners) {
      for (std::size_t k = 0; k < sides.size(); ++k) {
        const auto &r = sides[k], &s = sides[(k + 1) % sides.size()];
        const double length =
            std::hypot(mpq_class(s[0] - r[0]).get_d(), mpq_class(s[1] - r[1]).get_d());
        if (std::fabs(Turn(r, s, p).get_d()) < margin * length) return false;
      }
    }
    return true;
  };
  return are_clear(stack.base_a, stack.base_b) && are_clear(stack.base_b, stack.base_a);
}

TEST(Manifold, OfPrismsIsTheIntersectionOfTheirBases) {
  Random random(RunSeed() + 1);
  int wide = 0, on_border = 0;
  for (int i = 0; i < Effort(3000); ++i) {
    // Overlaps less deep than wide, so that the normal is that of the bases.
    const double gap = random.OneIn(3)   ? 0
                       : random.OneIn(2) ? random.LogUniform(1e-9, 1)
                                         : -random.LogUniform(1e-9, 0.03);
    const Stack stack = RandomStack(random, gap);
    const auto want = Intersect(stack.base_a, stack.base_b);
    if (!IsWide(want)) continue;
    ++wide;
    SCOPED_TRACE(Describe(stack.bodies));
    const Contact contact = Bodies(stack.bodies).At(stack.bodies.a.pose, stack.bodies.b.pose);
    const ContactManifold& manifold = contact.manifold;
    ASSERT_EQ(manifold.size, static_cast<int>(want.size()));
    std::set<Corner> missing = want;
    for (int k = 0; k < manifold.size; ++k) {
      const Vec3d p_A = InFrame(stack.bodies.a.pose, manifold.points[k].p_WA);
      EXPECT_NEAR(p_A.z, 0, 1e-13);
      EXPECT_NEAR(manifold.points[k].distance, gap, 1e-13);
      const auto is_at = [&](const Corner& q) {
        return std::hypot(q[0].get_d() - p_A.x, q[1].get_d() - p_A.y) < 1e-11;
      };
      EXPECT_EQ(std::count_if(want.begin(), want.end(), is_at), 1);
      const auto found = std::find_if(missing.begin(), missing.end(), is_at);
      if (found != missing.end()) missing.erase(found);
    }
    EXPECT_TRUE(missing.empty());
    on_border += IsGeneric(stack, 1e-6) ? 0 : 1;
    if (HasFailure()) return;
  }
  EXPECT_GT(wide, Effort(1000));
  EXPECT_GT(on_border, Effort(100)) << "corners on sides";
}

Quaternion Product(const Quaternion& p, const Quaternion& q) {
  return {
      p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y, p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
      p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w, p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z};
}

// Names stay and no point moves farther than the bodies do, magnified by the sharpest crossing.
void ExpectPersists(const ContactManifold& before, const ContactManifold& after, double reach) {
  ASSERT_EQ(NamesOf(before), NamesOf(after));
  for (int i = 0; i < before.size; ++i) {
    EXPECT_LT(Length(after.points[i].p_WA - before.points[i].p_WA), reach);
    EXPECT_LT(Length(after.points[i].p_WB - before.points[i].p_WB), reach);
  }
}

// Both are within 3 of the origin of B, so a motion of size m moves no point of B by more than 4 m.
// A margin of 1/20 to every side bounds the angle of crossing sides: over a length of at most 6
// they part by 1/10.
TEST(Manifold, OfRestingBodiesKeepsItsNamesUnderSmallMotions) {
  Random random(RunSeed() + 2);
  int stacks = 0, steps = 0;
  while (stacks < Effort(150)) {
    Stack stack = RandomStack(random, random.OneIn(2) ? 0.02 : -0.02);
    if (!IsGeneric(stack, 0.05) || !IsWide(Intersect(stack.base_a, stack.base_b))) continue;
    ++stacks;
    if (random.OneIn(3)) {
      stack.bodies.a.radius = 0.01;
      stack.bodies.b.radius = 0.02;
    }
    SCOPED_TRACE(Describe(stack.bodies));
    const Bodies bodies(stack.bodies);
    const Pose rest = stack.bodies.b.pose;
    const ContactManifold before = bodies.At(stack.bodies.a.pose, rest).manifold;
    ASSERT_GE(before.size, 3);
    for (int k = 0; k < 60; ++k, ++steps) {
      const double motion = random.LogUniform(1e-6, 1e-3);
      const Pose moved = {rest.p_WS + motion * random.Direction(),
                          Product(random.RotationBy(motion), rest.q_WS)};
      ExpectPersists(before, bodies.At(stack.bodies.a.pose, moved).manifold, 400 * motion);
      if (HasFailure()) return;
    }
  }
  EXPECT_GE(steps, Effort(150) * 60);
}

TEST(Manifold, OfSwappedBodiesIsItsMirrorImage) {
  Random random(RunSeed() + 3);
  int compared = 0;
  for (int i = 0; i < Effort(2000); ++i) {
    const Stack stack = RandomStack(random, 0.25);
    if (!IsGeneric(stack, 0.01) || !IsWide(Intersect(stack.base_a, stack.base_b))) continue;
    ++compared;
    const auto& [a, b] = stack.bodies;
    const ContactManifold manifold = Bodies({a, b}).At(a.pose, b.pose).manifold;
    const ContactManifold swapped = Bodies({b, a}).At(b.pose, a.pose).manifold;
    ASSERT_EQ(manifold.size, swapped.size);
    for (int k = 0; k < manifold.size; ++k) {
      const ContactPoint& p = manifold.points[k];
      const auto* q =
          std::find_if(swapped.points.begin(), swapped.points.begin() + swapped.size,
                       [&](const ContactPoint& other) {
                         return other.feature_a == p.feature_b && other.feature_b == p.feature_a;
                       });
      ASSERT_NE(q, swapped.points.begin() + swapped.size);
      EXPECT_LT(Length(p.p_WA - q->p_WB), 1e-12);
      EXPECT_LT(Length(p.p_WB - q->p_WA), 1e-12);
    }
  }
  EXPECT_GT(compared, Effort(100));
}

}  // namespace
}  // namespace clearance::testing
