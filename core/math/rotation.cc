// SPDX-License-Identifier: Apache-2.0

#include "core/math/rotation.h"

#include <cmath>

#include "core/math/sincos.h"
#include "core/math/tolerance.h"

namespace clearance {

PoseFault FindPoseFault(const Pose& pose) {
  const Quaternion& q = pose.q_WS;
  const double sum =
      pose.p_WS.x * 0 + pose.p_WS.y * 0 + pose.p_WS.z * 0 + q.x * 0 + q.y * 0 + q.z * 0 + q.w * 0;
  if (sum != 0) return PoseFault::kNotFinite;  // 0 * NaN and 0 * infinity are NaN
  const double norm = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  const bool is_unit = norm >= 1 - kQuaternionSlack && norm <= 1 + kQuaternionSlack;
  return is_unit ? PoseFault::kNone : PoseFault::kNotUnitLength;
}

double RotationAngle(const Vec3d& rotation) {
  const double largest = LargestCoordinate(rotation);
  if (largest == 0) return 0;
  return largest * std::sqrt(NormSquared(
                       Vec3d{rotation.x / largest, rotation.y / largest, rotation.z / largest}));
}

Vec3d RotationAxis(const Vec3d& rotation) {
  const double largest = LargestCoordinate(rotation);
  if (largest == 0) return {};
  return Normalized(Vec3d{rotation.x / largest, rotation.y / largest, rotation.z / largest});
}

Mat3<double> RotationVectorMatrix(const Vec3d& rotation) {
  const double angle_rad = RotationAngle(rotation);
  if (angle_rad == 0) return IdentityMatrix<double>();
  const Vec3d axis = RotationAxis(rotation);
  const SinCos at = ComputeSinCos(angle_rad);
  // 1 - cos without cancellation near 0: 2 sin^2(angle / 2).
  const double half_sin = ComputeSinCos(angle_rad / 2).sin;
  const double versine = 2 * half_sin * half_sin;
  const Vec3d v = versine * axis;
  const Vec3d s = at.sin * axis;
  return {{at.cos + v.x * axis.x, v.x * axis.y - s.z, v.x * axis.z + s.y},
          {v.y * axis.x + s.z, at.cos + v.y * axis.y, v.y * axis.z - s.x},
          {v.z * axis.x - s.y, v.z * axis.y + s.x, at.cos + v.z * axis.z}};
}

Vec3d ShortestRotation(const Quaternion& from, const Quaternion& to) {
  // to * conjugate(from), of either sign: the one with w >= 0 turns at most half a turn.
  const Vec3d a = {from.x, from.y, from.z};
  const Vec3d b = {to.x, to.y, to.z};
  const double w = to.w * from.w + Dot(a, b);
  const Vec3d turn = from.w * b - to.w * a - Cross(b, a);
  const double sin_half = Norm(turn);
  if (sin_half == 0) return {};
  const double angle_rad = 2 * AngleOf(sin_half, std::fabs(w));
  const double scale = (w < 0 ? -angle_rad : angle_rad) / sin_half;
  return scale * turn;
}

}  // namespace clearance
