// SPDX-License-Identifier: Apache-2.0
//
// What hulls are climbed along, on those at the edges of what it is built for. Oracles: distances
// in long double, whose exponents reach below the squares of a double's; and which indices
// SplitMix64's finaliser keeps, found by a program of their own.

#include "core/shape/climb_graph_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "core/shape/make_shape.h"
#include "tests/unit/core/shape/hull_oracle.h"

namespace clearance::testing {
namespace {

constexpr double kPi = 3.14159265358979323846;

ConvexShapePtr Hull(const std::vector<Vec3d>& points) {
  std::vector<double> xyz;
  for (const Vec3d& p : points) xyz.insert(xyz.end(), {p.x, p.y, p.z});
  return std::get<ConvexShapePtr>(MakeHull(xyz, 0));
}

// Points on a sphere along a spiral: no four in a plane.
std::vector<Vec3d> Spiral(int count) {
  std::vector<Vec3d> points;
  for (int i = 0; i < count; ++i) {
    const double z = 1 - (2 * i + 1.0) / count, angle = 2.4 * i, r = std::sqrt(1 - z * z);
    points.push_back({r * std::cos(angle), r * std::sin(angle), z});
  }
  return points;
}

long double DistanceFromSegment(const Vec3d& p, const Vec3d& a, const Vec3d& b) {
  const auto wide = [](const Vec3d& v) { return Vec3<long double>{v.x, v.y, v.z}; };
  const Vec3<long double> along = wide(b) - wide(a), to_p = wide(p) - wide(a);
  const long double length_sq = Dot(along, along);
  const long double t = length_sq > 0 ? std::clamp(Dot(to_p, along) / length_sq, 0.0L, 1.0L) : 0.0L;
  const Vec3<long double> off = to_p - t * along;
  return std::sqrt(Dot(off, off));
}

struct Tally {
  int parts = 0;
  int with_underflow = 0;  // the square of the distance between their ends
};

void ExpectSagsHold(const ConvexShape& shape, const LongRow& row, const RowPart& part,
                    Tally* tally) {
  const auto at = [&](std::uint32_t k) { return shape.vertex(shape.adjacency().neighbors[k]); };
  const Vec3d a = at(part.first), b = at(part.last);
  ++tally->parts;
  tally->with_underflow += NormSquared(b - a) == 0 && a != b ? 1 : 0;
  long double farthest = 0;
  for (std::uint32_t k = part.first; k <= part.last; ++k) {
    farthest = std::max(farthest, DistanceFromSegment(at(k), a, b));
  }
  ASSERT_LT(part.number, row.sag.size());
  EXPECT_GE(row.sag[part.number], farthest) << part.number;
  EXPECT_LE(row.sag[part.number], farthest + 1e-13L) << part.number;
  if (part.IsLeaf()) return;
  ExpectSagsHold(shape, row, part.FirstHalf(), tally);
  ExpectSagsHold(shape, row, part.SecondHalf(), tally);
}

// A cone about the x axis, flat to 1e-200 along z. Its base has an edge along z, whose ends stand
// beside each other in the apex's row.
std::vector<Vec3d> FlatCone(double first_end) {
  const double thickness = 1e-200;
  std::vector<Vec3d> points = {{1, 1, first_end * thickness}};
  for (int i = 1; i < 40; ++i) {
    points.push_back({1, std::cos(kPi * i / 20), thickness * std::sin(kPi * i / 20)});
  }
  points.push_back({1, 1, -first_end * thickness});
  points.push_back({-1, 0, 0});
  return points;
}

TEST(ClimbGraphBuilder, BoundsRowsIfTheSquaredDistanceUnderflows) {
  Tally tally;
  for (const double first_end : {-0.05, 0.05}) {
    const ConvexShapePtr shape = Hull(FlatCone(first_end));
    ASSERT_EQ(shape->vertex_count(), 42U);
    ASSERT_TRUE(shape->is_certified_convex());
    const ClimbGraph& graph = shape->climb_graph();
    ASSERT_FALSE(graph.long_rows.empty());
    EXPECT_EQ(graph.long_rows.back().vertex, 41U) << "the apex";
    for (const LongRow& row : graph.long_rows) {
      const std::uint32_t begin = graph.adjacency.offsets[row.vertex];
      const std::uint32_t end = graph.adjacency.offsets[row.vertex + 1];
      ExpectSagsHold(*shape, row, {begin, end - 1}, &tally);
    }
  }
  EXPECT_GE(tally.parts, 8);
  EXPECT_GE(tally.with_underflow, 1) << "the test must visit what it is about";
}

// Of the indices up to 38 the first thinning keeps these.
TEST(ClimbGraphBuilder, MakesALayerOfFourVerticesAndNoneOfFewer) {
  for (const int count : {33, 38}) {
    const ConvexShapePtr shape = Hull(Spiral(count));
    ASSERT_EQ(static_cast<int>(shape->vertex_count()), count);
    EXPECT_TRUE(shape->climb_graph().layers.empty()) << count;
    ExpectAdjacencyIsSound(*shape);
  }
  const ConvexShapePtr shape = Hull(Spiral(39));
  ASSERT_EQ(shape->climb_graph().layers.size(), 1U);
  const ClimbLayer& layer = shape->climb_graph().layers[0];
  EXPECT_EQ(layer.below, (std::vector<VertexIndex>{6, 29, 33, 38}));
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ((Vec3d{layer.x[i], layer.y[i], layer.z[i]}), shape->vertex(layer.below[i]));
  }
}

TEST(ClimbGraphBuilder, MakesNoLayerOfVerticesInOnePlane) {
  // A pyramid whose apex is not kept.
  std::vector<Vec3d> points = {{0, 0, 1}};
  for (int i = 1; i < 40; ++i) {
    points.push_back({std::cos(2 * kPi * i / 39), std::sin(2 * kPi * i / 39), 0});
  }
  const ConvexShapePtr shape = Hull(points);
  ASSERT_EQ(shape->vertex_count(), 40U);
  EXPECT_TRUE(shape->has_adjacency());
  EXPECT_TRUE(shape->climb_graph().layers.empty());
}

}  // namespace
}  // namespace clearance::testing
