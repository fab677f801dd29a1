// SPDX-License-Identifier: Apache-2.0
#include "tests/support/support_count.h"

#include <algorithm>
#include <cmath>

namespace clearance::testing {

DotsTaken CountDots(const ConvexShape& shape, const std::vector<Vec3d>& directions,
                    SupportRoad road, SupportStart start) {
  DotsTaken taken;
  VertexIndex last = 0;
  for (const Vec3d& d : directions) {
    DotCount count;
    const VertexIndex vertex = SupportVertexBy({road, last}, shape, d, &count);
    if (start == SupportStart::kWarm) last = vertex;
    taken.mean += static_cast<double>(count.dots) / static_cast<double>(directions.size());
    taken.most = std::max(taken.most, count.dots);
  }
  return taken;
}

std::vector<Vec3d> RandomDirections(int count, Random& random) {
  std::vector<Vec3d> directions;
  for (int i = 0; i < count; ++i) directions.push_back(random.Direction());
  return directions;
}

std::vector<Vec3d> CoherentDirections(int count, double angle, Random& random) {
  std::vector<Vec3d> directions;
  Vec3d d = random.Direction();
  for (int i = 0; i < count; ++i) {
    d = d + angle * random.Direction();
    d = (1 / std::sqrt(NormSquared(d))) * d;
    directions.push_back(d);
  }
  return directions;
}

}  // namespace clearance::testing
