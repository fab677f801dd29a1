// SPDX-License-Identifier: Apache-2.0
//
// Hulls against Qhull, an implementation of its own: the same extreme points of clouds in general
// position, and the same volume of any cloud, however flat its faces are.

#include <gtest/gtest.h>
extern "C" {
#include <libqhull_r/qhull_ra.h>
}

#include <random>
#include <set>
#include <variant>
#include <vector>

#include "core/shape/make_shape.h"

namespace clearance {
namespace {

constexpr unsigned kSeed = 1618;

using Coordinates = std::vector<double>;

ConvexShapePtr HullOf(const Coordinates& xyz) { return std::get<ConvexShapePtr>(MakeHull(xyz, 0)); }

struct QhullAnswer {
  std::set<int> extreme_points;
  double volume = 0;
};

QhullAnswer RunQhull(Coordinates xyz) {
  qhT state;
  qhT* const qh = &state;
  qh_zero(qh, stderr);
  char options[] = "qhull Qt Pp FA";
  const int count = static_cast<int>(xyz.size() / 3);
  EXPECT_EQ(qh_new_qhull(qh, 3, count, xyz.data(), 0, options, nullptr, stderr), 0);
  QhullAnswer answer;
  for (vertexT* v = qh->vertex_list; v != nullptr && v->next != nullptr; v = v->next) {
    answer.extreme_points.insert(qh_pointid(qh, v->point));
  }
  qh_getarea(qh, qh->facet_list);
  answer.volume = qh->totvol;
  qh_freeqhull(qh, qh_ALL);
  int left = 0;
  int total = 0;
  qh_memfreeshort(qh, &left, &total);
  return answer;
}

std::set<int> ExtremePointsOf(const ConvexShape& shape) {
  std::set<int> extreme;
  for (VertexIndex i = 0; i < shape.vertex_count(); ++i) {
    extreme.insert(static_cast<int>(shape.original_index(i)));
  }
  return extreme;
}

TEST(HullAgainstQhull, HasTheSameExtremePointsOfCloudsInGeneralPosition) {
  std::mt19937 engine(kSeed);
  std::normal_distribution<double> normal;
  int dropped = 0;
  for (const int count : {4, 5, 10, 50, 200, 1000, 3000}) {
    Coordinates xyz;
    for (int i = 0; i < 3 * count; ++i) xyz.push_back(normal(engine));
    const QhullAnswer qhull = RunQhull(xyz);
    const ConvexShapePtr shape = HullOf(xyz);
    EXPECT_EQ(ExtremePointsOf(*shape), qhull.extreme_points)
        << "seed " << kSeed << " count " << count;
    EXPECT_NEAR(shape->volume(), qhull.volume, 1e-12 * qhull.volume) << "seed " << kSeed;
    dropped += count - static_cast<int>(shape->vertex_count());
  }
  EXPECT_GT(dropped, 1000) << "most points of a cloud are inside";
}

TEST(HullAgainstQhull, HasTheSameVolumeWherePointsAreCoplanar) {
  std::mt19937 engine(kSeed);
  std::uniform_int_distribution<int> lattice(-3, 3);
  for (int round = 0; round < 50; ++round) {
    Coordinates xyz;
    for (int i = 0; i < 3 * 60; ++i) xyz.push_back(lattice(engine));
    const QhullAnswer qhull = RunQhull(xyz);
    EXPECT_NEAR(HullOf(xyz)->volume(), qhull.volume, 1e-11 * qhull.volume) << "seed " << kSeed;
  }
}

}  // namespace
}  // namespace clearance
