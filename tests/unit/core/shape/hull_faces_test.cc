// SPDX-License-Identifier: Apache-2.0
//
// Oracle: planes in 64-bit integers, over all points (small lattice coordinates).

#include "core/shape/hull_faces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "core/shape/hull_builder.h"
#include "core/shape/make_shape.h"
#include "core/shape/point_cloud.h"
#include "tests/support/random.h"

namespace clearance::testing {
namespace {

using Row = std::vector<std::uint32_t>;

struct Lattice {
  std::int64_t x, y, z;
};

Lattice Minus(const Vec3d& a, const Vec3d& b) {
  return {std::llround(8 * (a.x - b.x)), std::llround(8 * (a.y - b.y)),
          std::llround(8 * (a.z - b.z))};
}

// > 0 if p is in front of the plane through a, b, c.
std::int64_t Side(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& p) {
  const Lattice u = Minus(b, a), v = Minus(c, a), w = Minus(p, a);
  return (u.y * v.z - u.z * v.y) * w.x + (u.z * v.x - u.x * v.z) * w.y +
         (u.x * v.y - u.y * v.x) * w.z;
}

std::vector<Row> RowsOf(const HullFaces& faces) {
  std::vector<Row> rows;
  for (std::uint32_t f = 0; f < faces.face_count(); ++f) {
    const auto corners = faces.CornersOf(f);
    rows.emplace_back(corners.begin(), corners.end());
  }
  return rows;
}

HullFaces FacesOf(const std::vector<Vec3d>& points) {
  return BuildFaces(BuildHull(SnapToGrid(points).points));
}

// Every corner turns left at every third point of the face, seen from outside; the face's plane has
// exactly the face's corners of all vertices on it and every point on or behind it.
void ExpectIsFace(const Row& face, const std::vector<Vec3d>& vertices) {
  ASSERT_GE(face.size(), 3U);
  EXPECT_EQ(face.front(), *std::min_element(face.begin(), face.end()));
  const auto at = [&](std::size_t i) { return vertices[face[i % face.size()]]; };
  std::size_t on_plane = 0;
  for (const Vec3d& p : vertices) {
    const std::int64_t side = Side(at(0), at(1), at(2), p);
    EXPECT_LE(side, 0);
    on_plane += side == 0 ? 1 : 0;
  }
  EXPECT_EQ(on_plane, face.size());
  const Lattice u = Minus(at(1), at(0)), v = Minus(at(2), at(0));
  const Vec3d normal = {static_cast<double>(u.y * v.z - u.z * v.y),
                        static_cast<double>(u.z * v.x - u.x * v.z),
                        static_cast<double>(u.x * v.y - u.y * v.x)};
  for (std::size_t i = 0; i < face.size(); ++i) {
    EXPECT_LT(Side(at(i), at(i + 1), at(i + 1) + normal, at(i + 2)), 0) << "a right turn";
  }
}

// Closed: every edge of a face is an edge of exactly one other, the other way round.
void ExpectIsClosed(const std::vector<Row>& rows, std::size_t vertex_count) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      EXPECT_TRUE(edges.insert({row[i], row[(i + 1) % row.size()]}).second);
    }
  }
  for (const auto& [from, to] : edges) EXPECT_TRUE(edges.contains({to, from}));
  EXPECT_EQ(vertex_count + rows.size(), edges.size() / 2 + 2) << "Euler";
}

TEST(HullFaces, OfLatticeCloudsAreTheTrueFaces) {
  Random random(RunSeed());
  int solid = 0, merged = 0;
  for (int i = 0; i < Effort(200); ++i) {
    std::vector<Vec3d> points;
    const int count = 4 + random.Below(40);
    const auto coordinate = [&] { return 0.25 * (random.Below(5) - 2); };
    while (static_cast<int>(points.size()) < count) {
      points.push_back({coordinate(), coordinate(), coordinate()});
    }
    points = RemoveDuplicates(points).points;
    const Hull hull = BuildHull(SnapToGrid(points).points);
    if (hull.dimension != 3) continue;
    ++solid;
    std::vector<Vec3d> vertices;
    for (const std::uint32_t v : hull.vertices) vertices.push_back(points[v]);
    const std::vector<Row> rows = RowsOf(FacesOf(points));
    for (const Row& row : rows) {
      ExpectIsFace(row, vertices);
      merged += row.size() > 3 ? 1 : 0;
    }
    ExpectIsClosed(rows, vertices.size());
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  }
  EXPECT_GT(solid, Effort(100));
  EXPECT_GT(merged, Effort(100));
}

TEST(HullFaces, OfABoxAreSixRectangles) {
  const auto box = std::get<ConvexShapePtr>(MakeBox({1, 2, 3}, 0));
  const std::vector<Row> want = {{0, 1, 5, 4}, {0, 2, 3, 1}, {0, 4, 6, 2},
                                 {1, 3, 7, 5}, {2, 6, 7, 3}, {4, 5, 7, 6}};
  EXPECT_EQ(RowsOf(box->faces()), want);
  const auto at_corner = box->faces().FacesOf(7);
  EXPECT_EQ(Row(at_corner.begin(), at_corner.end()), (Row{3, 4, 5}));
}

TEST(HullFaces, OfAPolygonAreItsTwoSides) {
  EXPECT_EQ(RowsOf(FacesOf({{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {2, 2, 0}, {1, 1, 0}})),
            (std::vector<Row>{{0, 1, 3, 2}, {0, 2, 3, 1}}));
}

TEST(HullFaces, OfASegmentIsOneEdgeAndOfAPointNone) {
  EXPECT_EQ(RowsOf(FacesOf({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}})), (std::vector<Row>{{0, 1}}));
  const HullFaces none = FacesOf({{1, 2, 3}});
  EXPECT_EQ(none.face_count(), 0U);
  EXPECT_TRUE(none.FacesOf(0).empty());
}

TEST(HullFaces, AreNoneOfACurvedCore) {
  const auto cylinder = std::get<ConvexShapePtr>(MakeCylinder(1, 2, 0));
  EXPECT_EQ(cylinder->faces().face_count(), 0U);
  EXPECT_TRUE(cylinder->faces().FacesOf(0).empty());
}

TEST(HullFaces, OfManyCornersStayWhole) {
  // Two rings of integer points on one circle (radius^2 = 1105), at two heights: caps of 32
  // corners.
  std::vector<Vec3d> points;
  for (int x = -34; x <= 34; ++x) {
    for (int y = -34; y <= 34; ++y) {
      if (x * x + y * y != 1105) continue;
      for (const double z : {-1.0, 1.0}) points.push_back({double(x), double(y), z});
    }
  }
  std::map<std::size_t, int> count_of_size;
  for (const Row& row : RowsOf(FacesOf(points))) ++count_of_size[row.size()];
  EXPECT_EQ(count_of_size, (std::map<std::size_t, int>{{4, 32}, {32, 2}}));
}

}  // namespace
}  // namespace clearance::testing
