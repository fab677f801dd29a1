// SPDX-License-Identifier: Apache-2.0
//
// Supports against a scan in exact rationals (GMP).

#include "core/support/support.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <variant>
#include <vector>

#include "core/math/tolerance.h"
#include "core/shape/make_shape.h"

namespace clearance {
namespace {

constexpr unsigned kSeed = 2718;

ConvexShapePtr Ellipsoid(int count, std::mt19937& engine) {
  std::normal_distribution<double> normal;
  std::vector<double> xyz;
  for (int i = 0; i < count; ++i) {
    const Vec3d p = {normal(engine), normal(engine), normal(engine)};
    const double norm = std::sqrt(NormSquared(p));
    xyz.insert(xyz.end(), {p.x / norm, 0.7 * p.y / norm, 1.3 * p.z / norm});
  }
  return std::get<ConvexShapePtr>(MakeHull(xyz, 0));
}

mpq_class Height(const ConvexShape& shape, const Vec3d& d, VertexIndex i) {
  const Vec3d v = shape.vertex(i);
  return mpq_class(d.x) * v.x + mpq_class(d.y) * v.y + mpq_class(d.z) * v.z;
}

mpq_class Highest(const ConvexShape& shape, const Vec3d& d) {
  mpq_class best = Height(shape, d, 0);
  for (VertexIndex i = 1; i < shape.vertex_count(); ++i) best = std::max(best, Height(shape, d, i));
  return best;
}

// Random directions, axes, and directions orthogonal to an edge or a face of the hull, where
// heights tie.
Vec3d Direction(const ConvexShape& shape, int kind, std::mt19937& engine) {
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<VertexIndex> vertex(0, shape.vertex_count() - 1);
  if (kind % 3 == 1) return {kind % 2 ? 1.0 : -1.0, 0, 0};
  if (kind % 3 == 2) {
    const VertexIndex i = vertex(engine);
    const Vec3d edge = shape.vertex(vertex(engine)) - shape.vertex(i);
    return Cross(edge, Vec3d{normal(engine), normal(engine), normal(engine)});
  }
  return {normal(engine), normal(engine), normal(engine)};
}

TEST(SupportVertex, IsTheHighestToTheDeficitOfItsHeaderFromAnyStart) {
  std::mt19937 engine(kSeed);
  for (const int count : {4, 20, 60, 200, 400}) {
    const ConvexShapePtr shape = Ellipsoid(count, engine);
    std::uniform_int_distribution<VertexIndex> start(0, shape->vertex_count() - 1);
    for (int i = 0; i < 300; ++i) {
      const Vec3d d = Direction(*shape, i, engine);
      const double norm = std::sqrt(NormSquared(d));
      if (norm == 0) continue;
      const mpq_class top = Highest(*shape, d);
      const VertexIndex coarse = SupportVertex(*shape, d, start(engine));
      const mpq_class deficit = top - Height(*shape, d, coarse);
      ASSERT_LE(deficit.get_d(), kSupportDeficit * kRoundoff * norm * shape->core_radius())
          << "seed " << kSeed;
      const VertexIndex fine = SupportVertex(*shape, To<DoubleDouble>(d), start(engine));
      const mpq_class fine_deficit = top - Height(*shape, d, fine);
      ASSERT_LE(fine_deficit.get_d(), 0x1p-100 * norm * shape->core_radius()) << "seed " << kSeed;
    }
  }
}

// Too many vertices to be scanned for speed, and no edges of a solid to climb along.
TEST(Support, OfALargePolygonIsItsHighestCorner) {
  constexpr int kCorners = 400;
  std::vector<double> xyz;
  for (int i = 0; i < kCorners; ++i) {
    const double angle = 2 * M_PI * i / kCorners;
    xyz.insert(xyz.end(), {std::cos(angle), std::sin(angle), 0});
  }
  const ConvexShapePtr polygon = std::get<ConvexShapePtr>(MakeHull(xyz, 0));
  ASSERT_GT(polygon->vertex_count(), kMaxScanned);
  ASSERT_FALSE(polygon->has_adjacency());
  std::mt19937 engine(kSeed);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 100; ++k) {
    const Vec3d d = {normal(engine), normal(engine), normal(engine)};
    const VertexIndex found = SupportVertex(*polygon, d, 0);
    const double deficit = kSupportDeficit * kRoundoff * Norm(d) * polygon->core_radius();
    EXPECT_LE(Highest(*polygon, d) - Height(*polygon, d, found), deficit);
  }
}

}  // namespace
}  // namespace clearance
