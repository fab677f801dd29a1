// SPDX-License-Identifier: Apache-2.0
#include "tests/support/exact_pair.h"

#include <utility>

namespace clearance::testing {
namespace {

using IntegerMatrix = std::array<std::array<mpz_class, 3>, 3>;

std::array<mpq_class, 3> Exact(const Vec3d& v) {
  return {mpq_class(v.x), mpq_class(v.y), mpq_class(v.z)};
}

void TakeDenominator(mpz_class* common, const mpz_class& denominator) {
  *common = lcm(*common, denominator);
}

// Returns a quaternion without its common factor: the rotation does not depend on it.
std::array<mpz_class, 4> IntegerQuaternion(const std::array<mpq_class, 4>& wxyz) {
  mpz_class common = 1;
  for (const mpq_class& c : wxyz) TakeDenominator(&common, c.get_den());
  std::array<mpz_class, 4> q;
  mpz_class factor = 0;
  for (int i = 0; i < 4; ++i) {
    q[i] = wxyz[i].get_num() * (common / wxyz[i].get_den());
    factor = gcd(factor, q[i]);
  }
  for (mpz_class& c : q) c /= factor;
  return q;
}

ExactVector Apply(const IntegerMatrix& m, const ExactVector& p) {
  const auto row = [&](int i) -> mpz_class {
    return m[i][0] * p.x + m[i][1] * p.y + m[i][2] * p.z;
  };
  return {row(0), row(1), row(2)};
}

mpq_class RotatedRow(const ExactPlacement& X, int i, const std::array<mpq_class, 3>& p) {
  mpq_class sum = X.matrix[i][0] * p[0] + X.matrix[i][1] * p[1] + X.matrix[i][2] * p[2];
  return sum / X.denominator;
}

// The points of a body as integers over one denominator.
struct IntegerPoints {
  std::vector<ExactVector> points;
  mpz_class denominator = 1;
};

IntegerPoints ToIntegers(const std::vector<Vec3d>& points) {
  IntegerPoints result;
  for (const Vec3d& p : points) {
    for (const mpq_class& c : Exact(p)) TakeDenominator(&result.denominator, c.get_den());
  }
  for (const Vec3d& p : points) {
    const auto scaled = [&](double c) -> mpz_class {
      const mpq_class exact(c);
      return exact.get_num() * (result.denominator / exact.get_den());
    };
    result.points.push_back({scaled(p.x), scaled(p.y), scaled(p.z)});
  }
  return result;
}

void TakeDenominators(mpz_class* common, const IntegerPoints& points, const ExactPlacement& X) {
  TakeDenominator(common, points.denominator * X.denominator);
  for (const mpq_class& c : X.position) TakeDenominator(common, c.get_den());
}

std::vector<ExactVector> ToWorld(const IntegerPoints& local, const ExactPlacement& X,
                                 const mpz_class& common) {
  const mpz_class factor = common / (local.denominator * X.denominator);
  const auto shift = [&](int i) -> mpz_class {
    return X.position[i].get_num() * (common / X.position[i].get_den());
  };
  const ExactVector position = {shift(0), shift(1), shift(2)};
  std::vector<ExactVector> world;
  world.reserve(local.points.size());
  for (const ExactVector& p : local.points) world.push_back(factor * Apply(X.matrix, p) + position);
  return world;
}

}  // namespace

ExactVector operator+(const ExactVector& a, const ExactVector& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

ExactVector operator-(const ExactVector& a, const ExactVector& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

ExactVector operator*(const mpz_class& s, const ExactVector& a) {
  return {s * a.x, s * a.y, s * a.z};
}

mpz_class Dot(const ExactVector& a, const ExactVector& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

ExactVector Cross(const ExactVector& a, const ExactVector& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

bool IsZero(const ExactVector& a) { return a.x == 0 && a.y == 0 && a.z == 0; }

ExactVector Reduced(const ExactVector& a) {
  const mpz_class factor = gcd(gcd(a.x, a.y), a.z);
  if (factor == 0) return a;
  return {a.x / factor, a.y / factor, a.z / factor};
}

ExactPlacement PlaceRotation(const std::array<mpq_class, 4>& wxyz) {
  const auto [w, x, y, z] = IntegerQuaternion(wxyz);
  ExactPlacement X;
  X.denominator = w * w + x * x + y * y + z * z;
  X.matrix[0] = {w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)};
  X.matrix[1] = {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)};
  X.matrix[2] = {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z};
  return X;
}

ExactPlacement Place(const Pose& pose) {
  ExactPlacement X = PlaceRotation({mpq_class(pose.q_WS.w), mpq_class(pose.q_WS.x),
                                    mpq_class(pose.q_WS.y), mpq_class(pose.q_WS.z)});
  X.position = Exact(pose.p_WS);
  return X;
}

ExactPlacement Moved(ExactPlacement placement, double t, const Vec3d& displacement) {
  const std::array<mpq_class, 3> step = Exact(displacement);
  for (int i = 0; i < 3; ++i) placement.position[i] += mpq_class(t) * step[i];
  return placement;
}

ExactPlacement Compose(const ExactPlacement& outer, const ExactPlacement& inner) {
  ExactPlacement X;
  X.denominator = outer.denominator * inner.denominator;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      X.matrix[i][j] = 0;
      for (int k = 0; k < 3; ++k) X.matrix[i][j] += outer.matrix[i][k] * inner.matrix[k][j];
    }
    X.position[i] = RotatedRow(outer, i, inner.position) + outer.position[i];
  }
  return X;
}

ExactPair MakeExactPair(const BodyPair& bodies, const ExactPlacement& X_WA,
                        const ExactPlacement& X_WB) {
  const IntegerPoints a = ToIntegers(bodies.a.points);
  const IntegerPoints b = ToIntegers(bodies.b.points);
  mpz_class common = 1;
  TakeDenominators(&common, a, X_WA);
  TakeDenominators(&common, b, X_WB);
  mpq_class unit(1, common);
  unit.canonicalize();
  return {ToWorld(a, X_WA, common), ToWorld(b, X_WB, common), std::move(unit),
          mpq_class(bodies.a.radius) + mpq_class(bodies.b.radius)};
}

ExactPair MakeExactPair(const BodyPair& bodies) {
  return MakeExactPair(bodies, Place(bodies.a.pose), Place(bodies.b.pose));
}

}  // namespace clearance::testing
