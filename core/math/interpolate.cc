// SPDX-License-Identifier: Apache-2.0

#include "core/math/interpolate.h"

#include <cmath>

namespace clearance {
namespace {

// If a coordinate is the same at both ends, the difference is 0 and the sum is that very
// coordinate.
Vec3d InterpolatePosition(const Vec3d& p_0, const Vec3d& p_1, double fraction) {
  return p_0 + fraction * (p_1 - p_0);
}

bool IsSame(const Quaternion& a, const Quaternion& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

Quaternion Negative(const Quaternion& q) { return {-q.x, -q.y, -q.z, -q.w}; }

double Dot(const Quaternion& a, const Quaternion& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

Quaternion InterpolateOrientation(const Quaternion& q_0, const Quaternion& q_1, double fraction) {
  if (IsSame(q_0, q_1) || IsSame(q_0, Negative(q_1))) return q_0;
  const double rest = 1 - fraction;
  const double share = Dot(q_0, q_1) < 0 ? -fraction : fraction;
  const Quaternion blend = {rest * q_0.x + share * q_1.x, rest * q_0.y + share * q_1.y,
                            rest * q_0.z + share * q_1.z, rest * q_0.w + share * q_1.w};
  const double norm = std::sqrt(Dot(blend, blend));
  return {blend.x / norm, blend.y / norm, blend.z / norm, blend.w / norm};
}

}  // namespace

Pose InterpolatePose(const Pose& X_W0, const Pose& X_W1, double fraction) {
  if (fraction <= 0) return X_W0;
  if (fraction >= 1) return X_W1;
  return {InterpolatePosition(X_W0.p_WS, X_W1.p_WS, fraction),
          InterpolateOrientation(X_W0.q_WS, X_W1.q_WS, fraction)};
}

}  // namespace clearance
