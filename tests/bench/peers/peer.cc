// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/peers/peer.h"

#include <array>

namespace clearance::bench {

const char* Name(Kind kind) {
  static constexpr std::array kNames = {"distance", "warm_distance", "intersection", "depth",
                                        "time_of_collision"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<Vec3d> VerticesOf(const Pool& pool, std::size_t shape) {
  std::vector<Vec3d> vertices;
  for (VertexIndex i = 0; i < pool.shapes[shape]->vertex_count(); ++i) {
    vertices.push_back(pool.bodies[shape].points[pool.shapes[shape]->original_index(i)]);
  }
  return vertices;
}

bool IsOfBoxes(const Pool& pool) { return pool.bodies[0].kind == testing::BodyKind::kBox; }

Vec3d HalfExtentsOf(const Pool& pool, std::size_t shape) { return pool.bodies[shape].points[7]; }

Rotation RotationOf(const Quaternion& q) {
  return {
      {{1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y - q.w * q.z), 2 * (q.x * q.z + q.w * q.y)},
       {2 * (q.x * q.y + q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z - q.w * q.x)},
       {2 * (q.x * q.z - q.w * q.y), 2 * (q.y * q.z + q.w * q.x),
        1 - 2 * (q.x * q.x + q.y * q.y)}}};
}

}  // namespace clearance::bench
