// SPDX-License-Identifier: Apache-2.0
#include "tests/support/generators.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace clearance::testing {
namespace {

using Maker = BodyPair (*)(Random&);

// Points this near in height, relatively, count as one feature when a contact is planted.
constexpr double kSameHeight = 1e-9;

Vec3d Rotate(const Quaternion& q, const Vec3d& p) {
  const Vec3d v = {q.x, q.y, q.z};
  return p + 2.0 * Cross(v, Cross(v, p) + q.w * p);
}

// The largest direction . p over the body in the world.
double Reach(const Body& body, const Vec3d& direction) {
  double reach = -std::numeric_limits<double>::infinity();
  for (const Vec3d& p : body.points) {
    reach = std::max(reach, Dot(direction, Rotate(body.pose.q_WS, p) + body.pose.p_WS));
  }
  return reach + body.radius;
}

Body HullOf(std::vector<Vec3d> points) {
  return {.kind = BodyKind::kHull, .points = std::move(points), .radius = 0, .pose = {}};
}

Body RandomBox(Random& random) {
  return MakeBoxBody({random.Uniform(0.1, 2), random.Uniform(0.1, 2), random.Uniform(0.1, 2)});
}

Body RandomPolygon(Random& random) {
  Body body = {.kind = BodyKind::kPolygon, .points = {}, .radius = 0, .pose = {}};
  for (int i = 3 + random.Below(6); i > 0; --i) {
    body.points.push_back({random.Uniform(-1, 1), random.Uniform(-1, 1), 0});
  }
  return body;
}

Body RandomThin(Random& random) {
  static constexpr std::array kinds = {BodyKind::kPoint, BodyKind::kSegment, BodyKind::kTriangle};
  const int choice = random.Below(3);
  if (choice == 0) return MakePointBody(0);
  Body body = {.kind = kinds[choice], .points = {}, .radius = 0, .pose = {}};
  for (int i = 0; i <= choice; ++i) body.points.push_back(random.InCube(1));
  return body;
}

// The same motion of both bodies, to rounding.
void MoveTogether(Random& random, BodyPair& pair) {
  const Quaternion q = random.Rotation();
  const Vec3d shift = random.InCube(3);
  for (Body* body : {&pair.a, &pair.b}) {
    body->pose.p_WS = Rotate(q, body->pose.p_WS) + shift;
    body->pose.q_WS = q;
  }
}

// The middle of the points of the body that lie highest along `direction`, world frame.
Vec3d MiddleOfHighest(const Body& body, const Vec3d& direction) {
  const double top = Reach(body, direction) - body.radius;
  Vec3d sum;
  int count = 0;
  for (const Vec3d& p : body.points) {
    const Vec3d p_W = Rotate(body.pose.q_WS, p) + body.pose.p_WS;
    if (Dot(direction, p_W) < top - kSameHeight * (1 + std::fabs(top))) continue;
    sum = sum + p_W;
    ++count;
  }
  return (1.0 / count) * sum;
}

// Any direction, or one across three points of the body: often the normal of a face.
Vec3d ContactDirection(Random& random, const Body& body) {
  const auto any = [&] { return body.points[random.Below(static_cast<int>(body.points.size()))]; };
  const Vec3d p = any();
  const Vec3d n = Rotate(body.pose.q_WS, Cross(any() - p, any() - p));
  const double norm = std::sqrt(NormSquared(n));
  if (random.OneIn(3) || !(norm > kSameHeight)) return random.Direction();
  return (random.Sign() / norm) * n;
}

// Both turned at random, the middles of two facing features across one gap.
BodyPair Placed(Random& random, Body a, Body b) {
  BodyPair pair = {std::move(a), std::move(b)};
  pair.a.pose = {random.InCube(1), random.Rotation()};
  pair.b.pose = {random.InCube(1), random.Rotation()};
  const Vec3d n = ContactDirection(random, random.OneIn(2) ? pair.a : pair.b);
  pair.b.pose.p_WS = pair.b.pose.p_WS + MiddleOfHighest(pair.a, n) - MiddleOfHighest(pair.b, -n);
  PlantGap(pair, n, AnyGap(random));
  return pair;
}

BodyPair RandomHulls(Random& random) {
  BodyPair pair = {RandomHull(random, 4 + random.Below(9), 1),
                   RandomHull(random, 4 + random.Below(9), 1)};
  pair.a.pose = {random.InCube(1), random.Rotation()};
  pair.b.pose = {random.InCube(2.5), random.Rotation()};
  return pair;
}

BodyPair Boxes(Random& random) {
  BodyPair pair = {RandomBox(random), RandomBox(random)};
  pair.a.pose = {random.InCube(2), random.Rotation()};
  pair.b.pose = {random.InCube(3), random.OneIn(4) ? pair.a.pose.q_WS : random.Rotation()};
  return pair;
}

BodyPair PlantedGap(Random& random) {
  return Placed(random, RandomSmallBody(random), RandomSmallBody(random));
}

BodyPair ParallelFaces(Random& random) {
  BodyPair pair = {RandomBox(random), RandomBox(random)};
  pair.b.pose.p_WS = {random.Uniform(-1, 1), random.Uniform(-1, 1), 0};
  PlantGap(pair, {0, 0, 1}, AnyGap(random));
  if (random.OneIn(2)) MoveTogether(random, pair);
  return pair;
}

// A tip at the origin, everything else at z <= -0.5.
Body Tip(Random& random) {
  std::vector<Vec3d> points = {{0, 0, 0}};
  for (int i = 3 + random.Below(4); i > 0; --i) {
    points.push_back({random.Uniform(-1, 1), random.Uniform(-1, 1), random.Uniform(-2, -0.5)});
  }
  return HullOf(std::move(points));
}

// A ridge along `along` through the origin, the foot at z = -1.
Body Ridge(Random& random, const Vec3d& along) {
  return HullOf({-along,
                 random.Uniform(0.5, 1) * along,
                 {random.Uniform(-1, 1), 1, -1},
                 {random.Uniform(-1, 1), -1, -1}});
}

// `b` upside down and `gap` above `a`.
BodyPair FaceToFace(Random& random, Body a, Body b) {
  BodyPair pair = {std::move(a), std::move(b)};
  for (Vec3d& p : pair.b.points) p = {p.x, -p.y, -p.z};
  PlantGap(pair, {0, 0, 1}, AnyGap(random));
  if (random.OneIn(2)) MoveTogether(random, pair);
  return pair;
}

BodyPair VertexVertex(Random& random) { return FaceToFace(random, Tip(random), Tip(random)); }

BodyPair EdgeEdgeCrossing(Random& random) {
  const double angle = random.LogUniform(1e-9, 1.5);
  Body a = Ridge(random, {1, 0, 0});
  Body b = Ridge(random, {std::cos(angle), std::sin(angle), 0});
  return FaceToFace(random, std::move(a), std::move(b));
}

BodyPair EdgeEdgeParallel(Random& random) {
  Body a = Ridge(random, {1, 0, 0});
  Body b = Ridge(random, {random.Uniform(0.2, 2), 0, 0});
  return FaceToFace(random, std::move(a), std::move(b));
}

Body Needle(Random& random) {
  if (random.OneIn(2)) return MakeBoxBody({100, 0.01, 0.01});
  return HullOf({{-100, 0, 0}, {100, random.Uniform(-0.01, 0.01), 0}, {0, 0.01, 0}, {1, 0, 0.01}});
}

BodyPair Needles(Random& random) {
  Body other = random.OneIn(2) ? Needle(random) : RandomSmallBody(random);
  return Placed(random, Needle(random), std::move(other));
}

Body Sliver(Random& random) {
  const double thickness = random.LogUniform(1e-12, 1e-3);
  Body body = HullOf({});
  for (int i = 0; i < 4; ++i) {
    body.points.push_back(
        {random.Uniform(-1, 1), random.Uniform(-1, 1), random.Uniform(-1, 1) * thickness});
  }
  return body;
}

BodyPair Slivers(Random& random) {
  Body other = random.OneIn(2) ? Sliver(random) : RandomSmallBody(random);
  return Placed(random, Sliver(random), std::move(other));
}

BodyPair FlatPolygons(Random& random) {
  BodyPair pair = {RandomPolygon(random), RandomPolygon(random)};
  pair.b.pose.p_WS = {random.Uniform(-2, 2), random.Uniform(-2, 2), 0};
  const int choice = random.Below(4);
  if (choice == 0) PlantGap(pair, {0, 0, 1}, AnyGap(random));
  if (choice == 1)
    PlantGap(pair, random.OneIn(2) ? Vec3d{1, 0, 0} : random.Direction(), AnyGap(random));
  if (choice == 2) pair.b.pose = {random.InCube(1), random.Rotation()};
  if (random.OneIn(3)) MoveTogether(random, pair);
  return pair;
}

BodyPair SegmentsAndPoints(Random& random) {
  Body other = random.OneIn(2) ? RandomThin(random) : RandomSmallBody(random);
  if (random.OneIn(4)) {
    BodyPair pair = {RandomThin(random), std::move(other)};
    pair.b.pose.p_WS = pair.a.points[0] - pair.b.points[0];
    return pair;
  }
  return Placed(random, RandomThin(random), std::move(other));
}

// Points of [0, 4]^3 with duplicates, midpoints and centroids of earlier ones.
Body Redundant(Random& random) {
  Body body = HullOf({});
  for (int i = 0; i < 6; ++i) {
    body.points.push_back({1.0 * random.Below(5), 1.0 * random.Below(5), 1.0 * random.Below(5)});
  }
  for (int i = 0; i < 6; ++i) {
    const Vec3d p = body.points[random.Below(6)];
    const Vec3d q = body.points[random.Below(6)];
    body.points.push_back(random.OneIn(3) ? p : p + (0.25 * random.Below(5)) * (q - p));
  }
  return body;
}

BodyPair RedundantPoints(Random& random) {
  BodyPair pair = {Redundant(random), Redundant(random)};
  pair.b.pose.p_WS = {1.0 * random.Below(7), 1.0 * random.Below(5), 0.5 * random.Below(5)};
  if (random.OneIn(3)) pair.b.pose.q_WS = random.Rotation();
  return pair;
}

BodyPair Twins(Random& random) {
  Body body = RandomSmallBody(random);
  body.pose = {random.InCube(1), random.Rotation()};
  BodyPair pair = {body, body};
  if (random.OneIn(2)) {
    pair.b.pose.p_WS = pair.b.pose.p_WS + random.LogUniform(1e-16, 1e-1) * random.Direction();
  }
  return pair;
}

BodyPair LatticeTouching(Random& random) {
  BodyPair pair = {HullOf({}), HullOf({})};
  for (Body* body : {&pair.a, &pair.b}) {
    for (int i = 3 + random.Below(6); i > 0; --i) {
      body->points.push_back({1.0 * random.Below(3), 1.0 * random.Below(3), 1.0 * random.Below(3)});
    }
  }
  pair.b.pose.p_WS = {1.0 * random.Below(3), 1.0 * random.Below(3), 1.0 * random.Below(3)};
  return pair;
}

BodyPair SizeRatio(Random& random) {
  Body small = RandomSmallBody(random);
  const double factor = random.LogUniform(1e-6, 1e-2);
  for (Vec3d& p : small.points) p = factor * p;
  small.radius *= factor;
  Body large = RandomSmallBody(random);
  BodyPair pair = Placed(random, std::move(large), std::move(small));
  if (random.OneIn(2)) std::swap(pair.a, pair.b);
  return pair;
}

BodyPair FarFromOrigin(Random& random) {
  BodyPair pair = Generate(static_cast<Family>(random.Below(6)), random);
  const Vec3d shift = (random.OneIn(2) ? 1e6 : 1e8) * random.Direction();
  pair.a.pose.p_WS = pair.a.pose.p_WS + shift;
  pair.b.pose.p_WS = pair.b.pose.p_WS + shift;
  return pair;
}

BodyPair TurnedBy(Random& random, double angle) {
  BodyPair pair = {RandomBox(random),
                   random.OneIn(2) ? RandomBox(random) : RandomSmallBody(random)};
  pair.b.pose.q_WS = random.RotationBy(angle);
  if (random.OneIn(2)) {
    const double half = angle / 2;
    pair.b.pose.q_WS = {0, 0, std::sin(half), std::cos(half)};
  }
  pair.b.pose.p_WS = {random.Uniform(-1, 1), random.Uniform(-1, 1), 0};
  PlantGap(pair, {0, 0, 1}, AnyGap(random));
  return pair;
}

BodyPair NearIdentity(Random& random) { return TurnedBy(random, random.LogUniform(1e-16, 1e-3)); }

BodyPair NearHalfTurn(Random& random) {
  return TurnedBy(random, std::numbers::pi - random.LogUniform(1e-16, 1e-3));
}

BodyPair Ellipsoids(Random& random) {
  static constexpr std::array sizes = {64, 300, 1000};
  Body other =
      random.OneIn(2) ? Ellipsoid(random, sizes[random.Below(3)]) : RandomSmallBody(random);
  return Placed(random, Ellipsoid(random, sizes[random.Below(3)]), std::move(other));
}

Body RandomRounded(Random& random) {
  const int choice = random.Below(4);
  Body body = choice == 0   ? MakePointBody(0)
              : choice == 1 ? Body{.kind = BodyKind::kSegment,
                                   .points = {{0, 0, -random.Uniform(0, 1)}, {0, 0, 1}},
                                   .radius = 0,
                                   .pose = {}}
              : choice == 2 ? RandomBox(random)
                            : RandomSmallBody(random);
  body.radius = random.LogUniform(1e-6, 10);
  return body;
}

BodyPair Rounded(Random& random) {
  Body other = random.OneIn(2) ? RandomRounded(random) : RandomSmallBody(random);
  if (random.OneIn(6)) {  // balls on a lattice touch exactly
    BodyPair balls = {MakePointBody(1.0 * random.Below(4)), MakePointBody(1.0 * random.Below(4))};
    balls.b.pose.p_WS = {3.0 * random.Below(2), 4.0 * random.Below(2), 0};
    return balls;
  }
  return Placed(random, RandomRounded(random), std::move(other));
}

struct Entry {
  const char* name;
  Maker make;
};

constexpr std::array<Entry, kFamilyCount> kFamilies = {{
    {"random_hulls", RandomHulls},
    {"boxes", Boxes},
    {"planted_gap", PlantedGap},
    {"parallel_faces", ParallelFaces},
    {"vertex_vertex", VertexVertex},
    {"edge_edge_crossing", EdgeEdgeCrossing},
    {"edge_edge_parallel", EdgeEdgeParallel},
    {"needles", Needles},
    {"slivers", Slivers},
    {"flat_polygons", FlatPolygons},
    {"segments_and_points", SegmentsAndPoints},
    {"redundant_points", RedundantPoints},
    {"twins", Twins},
    {"lattice_touching", LatticeTouching},
    {"size_ratio", SizeRatio},
    {"far_from_origin", FarFromOrigin},
    {"near_identity", NearIdentity},
    {"near_half_turn", NearHalfTurn},
    {"ellipsoids", Ellipsoids},
    {"rounded", Rounded},
}};

}  // namespace

const char* Name(Family family) { return kFamilies[static_cast<std::size_t>(family)].name; }

BodyPair Generate(Family family, Random& random) {
  return kFamilies[static_cast<std::size_t>(family)].make(random);
}

Body RandomHull(Random& random, int points, double size) {
  Body body = HullOf({});
  for (int i = 0; i < points; ++i) body.points.push_back(random.InCube(size));
  return body;
}

Body RandomSmallBody(Random& random) {
  const int choice = random.Below(4);
  if (choice == 0) return RandomBox(random);
  if (choice == 1) return RandomHull(random, 4, 1);
  return RandomHull(random, 4 + random.Below(7), random.LogUniform(0.1, 10));
}

Body Ellipsoid(Random& random, int points) {
  const Vec3d radii = {random.Uniform(0.2, 2), random.Uniform(0.2, 2), random.Uniform(0.2, 2)};
  Body body = HullOf({});
  for (int i = 0; i < points; ++i) {
    const Vec3d n = random.Direction();
    body.points.push_back({radii.x * n.x, radii.y * n.y, radii.z * n.z});
  }
  return body;
}

void PlantGap(BodyPair& pair, const Vec3d& direction, double gap) {
  const double now = -Reach(pair.b, -direction) - Reach(pair.a, direction);
  pair.b.pose.p_WS = pair.b.pose.p_WS + (gap - now) * direction;
}

double AnyGap(Random& random) {
  if (random.OneIn(8)) return 0;
  const double gap = random.LogUniform(1e-15, 1e3);
  return random.OneIn(3) ? -std::min(gap, 1 / gap) : gap;
}

}  // namespace clearance::testing
