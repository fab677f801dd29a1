// SPDX-License-Identifier: Apache-2.0

#include "core/exact/exact_body.h"

#include <algorithm>
#include <utility>

#include "core/math/assert.h"

namespace clearance {
namespace {

ExactPlacement Translation(const Vec3d& p) {
  const int exponent = LowestBit(p);
  return {IdentityMatrix<Integer>(), Integer(1), ToInteger(p, exponent), exponent};
}

// The rotation does not depend on the length of q, so its coordinates are made integers without a
// common factor.
ExactPlacement Rotation(const Quaternion& q) {
  const Vec3d vector = {q.x, q.y, q.z};
  const int exponent = std::min(LowestBit(vector), LowestBit(q.w));
  IntegerVector v = ToInteger(vector, exponent);
  Integer w = ToInteger(q.w, exponent);
  const Integer factor = gcd(gcd(v.x, v.y), gcd(v.z, w));
  v = {v.x / factor, v.y / factor, v.z / factor};
  w /= factor;
  const Integer xx = v.x * v.x, yy = v.y * v.y, zz = v.z * v.z, ww = w * w;
  const Integer xy = v.x * v.y, xz = v.x * v.z, yz = v.y * v.z;
  const Integer wx = w * v.x, wy = w * v.y, wz = w * v.z;
  ExactPlacement X;
  X.matrix = {{ww + xx - yy - zz, 2 * (xy - wz), 2 * (xz + wy)},
              {2 * (xy + wz), ww - xx + yy - zz, 2 * (yz - wx)},
              {2 * (xz - wy), 2 * (yz + wx), ww - xx - yy + zz}};
  X.denominator = ww + xx + yy + zz;
  return X;
}

int LowestBitOfVertices(const ConvexShape& shape) {
  int lowest = kNoBit;
  for (VertexIndex i = 0; i < shape.vertex_count(); ++i) {
    lowest = std::min(lowest, LowestBit(shape.vertex(i)));
  }
  return lowest;
}

}  // namespace

ExactPlacement Place(const Pose& pose) {
  return Compose(Translation(pose.p_WS), Rotation(pose.q_WS));
}

ExactPlacement Compose(const ExactPlacement& outer, const ExactPlacement& inner) {
  ExactPlacement X;
  X.matrix = outer.matrix * inner.matrix;
  X.denominator = outer.denominator * inner.denominator;
  X.exponent = std::min(outer.exponent, inner.exponent);
  X.offset = Shifted(outer.matrix * inner.offset, inner.exponent - X.exponent) +
             Shifted(inner.denominator * outer.offset, outer.exponent - X.exponent);
  return X;
}

ExactBody MakeExactBody(const ConvexShape& shape, std::initializer_list<const Pose*> poses) {
  CLEARANCE_ASSERT(poses.size() > 0);
  ExactPlacement X_W = Translation({});
  for (const Pose* pose : poses) X_W = Compose(X_W, Place(*pose));
  return {shape, Compose(X_W, Translation(shape.center())), LowestBitOfVertices(shape)};
}

}  // namespace clearance
