// SPDX-License-Identifier: Apache-2.0

#include "tests/unit/core/shape/hull_oracle.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace clearance::testing {
namespace {

struct Rational3 {
  mpq_class x, y, z;
};

Rational3 Exact(const Vec3d& p) { return {mpq_class(p.x), mpq_class(p.y), mpq_class(p.z)}; }

Rational3 Minus(const Rational3& a, const Rational3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

mpq_class Dot(const Rational3& a, const Rational3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

Rational3 Cross(const Rational3& a, const Rational3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

using NormalSet = std::set<std::vector<mpq_class>>;

// One vector of each direction: divided by the magnitude of its first component that is not 0.
std::vector<mpq_class> DirectionOf(const Rational3& n) {
  const mpq_class scale = abs(n.x != 0 ? n.x : (n.y != 0 ? n.y : n.z));
  return {n.x / scale, n.y / scale, n.z / scale};
}

}  // namespace

void ExpectIsHullOf(const Hull& hull, const std::vector<Vec3d>& points) {
  std::vector<Rational3> exact;
  for (const Vec3d& p : points) exact.push_back(Exact(p));
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> uses;
  std::map<std::uint32_t, NormalSet> planes_at;
  for (const SurfaceTriangle& triangle : hull.surface) {
    const auto& v = triangle.vertex;
    const Rational3 normal =
        Cross(Minus(exact[v[1]], exact[v[0]]), Minus(exact[v[2]], exact[v[0]]));
    ASSERT_NE(Dot(normal, normal), 0) << "a triangle without area";
    for (const Rational3& p : exact) {
      ASSERT_LE(Dot(normal, Minus(p, exact[v[0]])), 0) << "a point outside";
    }
    for (int i = 0; i < 3; ++i) {
      ++uses[{v[i], v[(i + 1) % 3]}];
      planes_at[v[i]].insert(DirectionOf(normal));
    }
  }
  for (const auto& [edge, count] : uses) {
    ASSERT_EQ(count, 1);
    ASSERT_EQ(uses.count({edge.second, edge.first}), 1U) << "an edge without its other side";
  }
  ASSERT_EQ(planes_at.size(), hull.vertices.size());
  for (const auto& [vertex, planes] : planes_at) {
    ASSERT_GE(planes.size(), 3U) << "vertex " << vertex << " is not extreme";
  }
}

void ExpectVerticesAreExact(const ConvexShape& shape, const std::vector<Vec3d>& points) {
  const auto scaled = [&](double v) {
    mpq_class exact(v);
    const int e = shape.exponent();
    if (e >= 0) {
      mpq_mul_2exp(exact.get_mpq_t(), exact.get_mpq_t(), static_cast<mp_bitcnt_t>(e));
    } else {
      mpq_div_2exp(exact.get_mpq_t(), exact.get_mpq_t(), static_cast<mp_bitcnt_t>(-e));
    }
    return exact;
  };
  for (VertexIndex i = 0; i < shape.vertex_count(); ++i) {
    const Vec3d& p = points[shape.original_index(i)];
    const Vec3d v = shape.vertex(i);
    ASSERT_EQ(mpq_class(shape.center().x) + scaled(v.x), mpq_class(p.x));
    ASSERT_EQ(mpq_class(shape.center().y) + scaled(v.y), mpq_class(p.y));
    ASSERT_EQ(mpq_class(shape.center().z) + scaled(v.z), mpq_class(p.z));
    ASSERT_LE(std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}), 1);
    const Rational3 exact = Exact(v);
    const mpq_class radius(shape.core_radius());
    ASSERT_LE(Dot(exact, exact), radius * radius);
    const Rational3 metres = Exact(p);
    const mpq_class bound = mpq_class(shape.bounding_radius()) - mpq_class(shape.radius());
    ASSERT_LE(Dot(metres, metres), bound * bound);
  }
}

void ExpectAdjacencyIsSound(const ConvexShape& shape) {
  const Adjacency& adjacency = shape.adjacency();
  ASSERT_EQ(adjacency.offsets.size(), shape.vertex_count() + 1U);
  std::set<std::pair<VertexIndex, VertexIndex>> edges;
  for (VertexIndex i = 0; i < shape.vertex_count(); ++i) {
    for (std::uint32_t k = adjacency.offsets[i]; k < adjacency.offsets[i + 1]; ++k) {
      ASSERT_TRUE(edges.insert({i, adjacency.neighbors[k]}).second);
    }
  }
  for (const auto& [from, to] : edges) ASSERT_EQ(edges.count({to, from}), 1U);
  // Once around: neighbours that follow one another are joined.
  for (VertexIndex i = 0; i < shape.vertex_count(); ++i) {
    VertexIndex last = adjacency.neighbors[adjacency.offsets[i + 1] - 1];
    for (std::uint32_t k = adjacency.offsets[i]; k < adjacency.offsets[i + 1]; ++k) {
      ASSERT_EQ(edges.count({last, adjacency.neighbors[k]}), 1U);
      last = adjacency.neighbors[k];
      ASSERT_GE(last, adjacency.neighbors[adjacency.offsets[i]]);
    }
  }
  // Euler: a closed triangulated surface of v vertices has 3 v - 6 edges.
  ASSERT_EQ(edges.size(), 2 * (3 * std::size_t{shape.vertex_count()} - 6));
}

}  // namespace clearance::testing
