// SPDX-License-Identifier: Apache-2.0
//
// Rough supports against the scan in double precision, of boxes, of hulls that are scanned in
// single precision and of larger ones, with vectors of every width that this processor has.

#include "core/support/rough_support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <variant>
#include <vector>

#include "absl/types/span.h"
#include "core/math/tolerance.h"
#include "core/shape/make_shape.h"
#include "core/support/cell_support.h"
#include "core/support/support.h"
#include "hwy/targets.h"
#include "tests/support/random.h"

namespace clearance {
namespace {

using testing::Effort;
using testing::Random;
using testing::RunSeed;

ConvexShapePtr BallOf(int points, Random& random) {
  std::vector<double> xyz;
  for (int i = 0; i < points; ++i) {
    const Vec3d p = random.Direction();
    xyz.insert(xyz.end(), {p.x, p.y, p.z});
  }
  return std::get<ConvexShapePtr>(MakeHull(xyz, 0));
}

std::vector<ConvexShapePtr> Shapes(Random& random) {
  return {std::get<ConvexShapePtr>(MakeBox({1, 2, 3}, 0)),
          BallOf(4, random),
          BallOf(16, random),
          BallOf(100, random),
          BallOf(200, random),
          BallOf(450, random),
          BallOf(700, random)};
}

TEST(RoughSupportVertex, IsAsHighAsTheHighestToSinglePrecision) {
  Random random(RunSeed());
  int others = 0;
  for (const ConvexShapePtr& shape : Shapes(random)) {
    for (int i = 0; i < Effort(300); ++i) {
      const double length = std::ldexp(1.0, random.Below(400) - 200);
      const Vec3d d = length * random.Direction();
      const auto start =
          static_cast<VertexIndex>(random.Below(static_cast<int>(shape->vertex_count())));
      const VertexIndex rough = RoughSupportVertex(*shape, d, start);
      const VertexIndex highest = SupportVertex(*shape, d, start);
      ASSERT_LT(rough, shape->vertex_count());
      const double deficit = Dot(d, shape->vertex(highest)) - Dot(d, shape->vertex(rough));
      ASSERT_LE(deficit, 0x1p-20 * length * shape->core_radius());
      others += rough != highest ? 1 : 0;
    }
  }
  EXPECT_LE(others, Effort(10));
}

// A plain loop over all heights in single precision.
VertexIndex TopOfFloats(const ConvexShape& shape, const Vec3d& d) {
  const auto height = [&](VertexIndex i) {
    const Vec3d& v = shape.vertex(i);
    return static_cast<float>(d.x) * static_cast<float>(v.x) +
           static_cast<float>(d.y) * static_cast<float>(v.y) +
           static_cast<float>(d.z) * static_cast<float>(v.z);
  };
  VertexIndex top = 0;
  for (VertexIndex i = 1; i < shape.vertex_count(); ++i) {
    if (height(i) > height(top)) top = i;
  }
  return top;
}

// Each vertex has a twin from which single precision hardly tells it.
ConvexShapePtr TwinsOf(int points, Random& random) {
  std::vector<double> xyz;
  for (int i = 0; i < points; ++i) {
    const Vec3d p = random.Direction();
    const Vec3d twin = p + 0x1p-24 * Cross(p, random.Direction());
    xyz.insert(xyz.end(), {p.x, p.y, p.z, twin.x, twin.y, twin.z});
  }
  return std::get<ConvexShapePtr>(MakeHull(xyz, 0));
}

// Of few vertices by a scan, of more by the cell of the direction, at whose borders, and across the
// edges and faces of the hull, vertices are as high as others or nearly.
TEST(RoughSupportVertex, IsTheFirstOfTheHighestInSinglePrecision) {
  Random random(RunSeed() + 3);
  int ties = 0;
  for (const ConvexShapePtr& shape :
       {BallOf(40, random), BallOf(150, random), BallOf(450, random), TwinsOf(150, random)}) {
    int by_cells = 0;
    const int resolution = static_cast<int>(shape->climb_graph().cube_map.resolution);
    for (int i = 0; i < Effort(4000); ++i) {
      Vec3d d = random.Direction();
      const VertexIndex a = SupportVertex(*shape, d, 0);
      const absl::Span<const std::uint32_t> faces = shape->faces().FacesOf(a);
      if (random.OneIn(2)) {
        const auto face = shape->faces().CornersOf(faces[0]);
        const Vec3d from = shape->vertex(face[0]);
        const Vec3d n = Cross(shape->vertex(face[1]) - from, shape->vertex(face[2]) - from);
        d = Normalized(n) + 1e-8 * random.Direction();
        ++ties;
      } else if (random.OneIn(2)) {
        d = {1, 2.0 * random.Below(resolution + 1) / resolution - 1, random.Uniform(-1, 1)};
      }
      d = (1 / Norm(d)) * d;
      const std::size_t candidates = CellCandidates(*shape, d).size();
      by_cells += candidates > 0 && candidates <= kMaxCellFloats ? 1 : 0;
      ASSERT_EQ(RoughSupportVertex(*shape, d, 0), TopOfFloats(*shape, d));
    }
    std::printf("%u vertices: %d by cells\n", shape->vertex_count(), by_cells);
    EXPECT_EQ(by_cells > Effort(3000), shape->vertex_count() > kMaxWithoutCells);
  }
  EXPECT_GT(ties, Effort(6000));
}

TEST(RoughSupportVertex, IsTheSameOnEveryProcessor) {
  Random random(RunSeed() + 1);
  const std::vector<ConvexShapePtr> shapes = Shapes(random);
  for (int i = 0; i < Effort(50); ++i) {
    const Vec3d d = random.Direction();
    for (const ConvexShapePtr& shape : shapes) {
      const VertexIndex rough = RoughSupportVertex(*shape, d, 0);
      for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        hwy::SetSupportedTargetsForTest(target);
        EXPECT_EQ(RoughSupportVertex(*shape, d, 0), rough) << hwy::TargetName(target);
        hwy::SetSupportedTargetsForTest(0);
      }
    }
  }
}

TEST(RoughSupportVertices, AreThoseOfEitherShapeAlone) {
  Random random(RunSeed() + 2);
  const std::vector<ConvexShapePtr> shapes = Shapes(random);
  for (const ConvexShapePtr& a : shapes) {
    for (const ConvexShapePtr& b : shapes) {
      for (int i = 0; i < Effort(20); ++i) {
        // Some do not fit floats.
        const Vec3d d_a = std::ldexp(1.0, random.Below(200) - 100) * random.Direction();
        const Vec3d d_b = random.Direction();
        const RoughVertices both = RoughSupportVertices({*a, d_a, 0}, {*b, d_b, 0});
        ASSERT_EQ(both.a, RoughSupportVertex(*a, d_a, 0));
        ASSERT_EQ(both.b, RoughSupportVertex(*b, d_b, 0));
      }
    }
  }
}

}  // namespace
}  // namespace clearance
