// SPDX-License-Identifier: Apache-2.0
#include "tests/support/same_bits.h"

#include <bit>
#include <cstdint>

namespace clearance::testing {
namespace {

bool SameBits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool SameBits(const Vec3d& a, const Vec3d& b) {
  return SameBits(a.x, b.x) && SameBits(a.y, b.y) && SameBits(a.z, b.z);
}

bool SameBits(const Witness& a, const Witness& b) {
  bool same = a.size == b.size;
  for (int i = 0; same && i < a.size; ++i) {
    same = a.vertices_a[i] == b.vertices_a[i] && a.vertices_b[i] == b.vertices_b[i] &&
           SameBits(a.weights[i], b.weights[i]);
  }
  return same;
}

}  // namespace

bool SameBits(const DistanceAnswer& a, const DistanceAnswer& b) {
  return a.state == b.state && a.reason == b.reason && a.normal_is_unique == b.normal_is_unique &&
         SameBits(a.bracket.lower, b.bracket.lower) && SameBits(a.bracket.upper, b.bracket.upper) &&
         SameBits(a.distance, b.distance) && SameBits(a.tolerance, b.tolerance) &&
         SameBits(a.p_WA, b.p_WA) && SameBits(a.p_WB, b.p_WB) && SameBits(a.p_AoA, b.p_AoA) &&
         SameBits(a.p_AoB, b.p_AoB) && SameBits(a.n_AB, b.n_AB) && SameBits(a.witness, b.witness);
}

bool SameBits(const TimeOfCollisionAnswer& a, const TimeOfCollisionAnswer& b) {
  return a.state == b.state && a.reason == b.reason && SameBits(a.t_free, b.t_free) &&
         SameBits(a.t_hit, b.t_hit) && SameBits(a.t_leave, b.t_leave) &&
         SameBits(a.distance, b.distance) && SameBits(a.p_WA, b.p_WA) && SameBits(a.p_WB, b.p_WB) &&
         SameBits(a.n_AB, b.n_AB) && a.piece_a == b.piece_a && a.piece_b == b.piece_b &&
         a.iterations == b.iterations;
}

Witness RandomStart(const ConvexShape& a, const ConvexShape& b, Random& random) {
  Witness start;
  start.size = 1 + random.Below(4);
  for (int i = 0; i < start.size; ++i) {
    start.vertices_a[i] =
        static_cast<VertexIndex>(random.Below(static_cast<int>(a.vertex_count())));
    start.vertices_b[i] =
        static_cast<VertexIndex>(random.Below(static_cast<int>(b.vertex_count())));
  }
  return start;
}

}  // namespace clearance::testing
