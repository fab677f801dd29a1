// SPDX-License-Identifier: Apache-2.0
//
// With x the nearest point of the cores' difference, g a positive multiple of it, h = g . x,
// G = |g|^2 and R the sum of the radii, all integers, the cores are h / sqrt(G) apart, and
//     distance = h / sqrt(G) - R = (h^2 - R^2 G) / (sqrt(G) (h + R sqrt(G))),
// whose numerator is exact, so that the root can be rounded to 128 bits without cancellation.

#include "core/exact/exact_contact.h"

#include <algorithm>
#include <cmath>

#include "core/exact/exact_body.h"
#include "core/exact/exact_difference.h"
#include "core/exact/exact_nearest_point.h"
#include "core/exact/integers.h"
#include "core/exact/origin_cone.h"

namespace clearance {
namespace {

constexpr int kRootBits = 128;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMinDouble = std::numeric_limits<double>::denorm_min();

// low <= x <= high, low > 0.
struct Magnitude {
  double low = kMinDouble;
  double high = kInfinity;
};

ExactVerdict Separated(const Magnitude& distance) {
  return {ExactContact::kSeparated, distance.low, distance.high};
}

ExactVerdict Penetrating(const Magnitude& depth) {
  return {ExactContact::kPenetrating, -depth.high, -depth.low};
}

// |distance| of the file comment. `numerator` is |h^2 - R^2 G|, not 0.
Magnitude DistanceMagnitude(const ExactDifference& difference, const ExactNearestPoint& nearest,
                            const Integer& numerator) {
  const Integer norm_sq = NormSquared(nearest.direction);
  const int shift = std::max(0, kRootBits - BitCount(norm_sq) / 2);
  const Integer scaled = Shifted(norm_sq, 2 * shift);
  const Integer root_low = sqrt(scaled);  // of G, times 2^shift
  const Integer root_high = root_low * root_low == scaled ? root_low : Integer(root_low + 1);
  const Integer height = Shifted(nearest.height, shift);
  const auto denominator = [&](const Integer& root) -> Integer {
    return root * (height + difference.radius_sum() * root) * difference.denominator();
  };
  const int exponent = difference.exponent() + 2 * shift;
  return {std::max(QuotientDown(numerator, denominator(root_high), exponent), kMinDouble),
          QuotientUp(numerator, denominator(root_low), exponent)};
}

ExactVerdict JudgeApartCores(const ExactDifference& difference, const ExactNearestPoint& nearest) {
  const Integer& radii = difference.radius_sum();
  const Integer numerator =
      nearest.height * nearest.height - radii * radii * Integer(NormSquared(nearest.direction));
  if (numerator == 0) return {};
  const Magnitude magnitude = DistanceMagnitude(difference, nearest, abs(numerator));
  return numerator > 0 ? Separated(magnitude) : Penetrating(magnitude);
}

std::optional<ExactVerdict> JudgeMeetingCores(ExactDifference& difference,
                                              const ExactNearestPoint& nearest) {
  const Integer& radii = difference.radius_sum();
  if (radii > 0) {
    const double least_depth = QuotientDown(radii, difference.denominator(), difference.exponent());
    return Penetrating({std::max(least_depth, kMinDouble), kInfinity});
  }
  const std::optional<bool> is_inside = IsOriginInside(difference, nearest.corral);
  if (!is_inside) return std::nullopt;
  return *is_inside ? Penetrating({}) : ExactVerdict{};
}

bool IsDecidable(const ConvexShape& shape) { return !shape.is_curved() && shape.is_exact(); }

ExactBody BodyOf(const PosedShape& posed) {
  return MakeExactBody(posed.shape, {&posed.pose, &posed.local});
}

}  // namespace

std::optional<ExactVerdict> DecideExactly(const PosedShape& a, const PosedShape& b) {
  if (!IsDecidable(a.shape) || !IsDecidable(b.shape)) return std::nullopt;
  ExactDifference difference(BodyOf(a), BodyOf(b));
  const std::optional<ExactNearestPoint> nearest = FindNearestPoint(difference);
  if (!nearest) return std::nullopt;
  return IsZero(nearest->direction) ? JudgeMeetingCores(difference, *nearest)
                                    : JudgeApartCores(difference, *nearest);
}

}  // namespace clearance
