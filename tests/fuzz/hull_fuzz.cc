// SPDX-License-Identifier: Apache-2.0
//
// Two hulls of arbitrary points at arbitrary poses. Whatever the bytes, a hull is made or refused,
// and what the queries claim about the pair is consistent: brackets are in order and agree with
// their states, and the brackets of A to B, of B to A and of the intersection query have the true
// distance in common, so each two of them overlap.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/query/distance.h"
#include "core/query/intersection.h"
#include "tests/fuzz/any_body.h"
#include "tests/fuzz/byte_reader.h"
#include "tests/fuzz/fuzz_check.h"

namespace clearance::fuzz {
namespace {

void CheckAnswer(const DistanceAnswer& answer) {
  RequireState(answer.state, answer.bracket, answer.tolerance, false);
  if (answer.state != State::kSeparated && answer.state != State::kTouching) return;
  Require(answer.bracket.lower <= answer.distance && answer.distance <= answer.bracket.upper,
          "lower <= distance <= upper");
  const double norm = std::sqrt(NormSquared(answer.n_AB));
  Require(std::abs(norm - 1) <= 8 * std::numeric_limits<double>::epsilon(), "|n| = 1");
}

void FuzzPair(ByteReader& data) {
  const ConvexShapePtr shape_a = TakeHull(data);
  const ConvexShapePtr shape_b = TakeHull(data);
  if (shape_a == nullptr || shape_b == nullptr) return;
  const Pose pose_a = TakePose(data);
  const Pose pose_b = TakePose(data);
  if (!IsRepresentable(shape_a->bounding_radius(), pose_a)) return;
  if (!IsRepresentable(shape_b->bounding_radius(), pose_b)) return;
  const PosedShape a = {*shape_a, pose_a};
  const PosedShape b = {*shape_b, pose_b};

  const DistanceAnswer there = Distance(a, b, {});
  const DistanceAnswer back = Distance(b, a, {});
  const IntersectionAnswer touch = Intersection(a, b);
  CheckAnswer(there);
  CheckAnswer(back);
  RequireState(touch.state, touch.bracket, there.tolerance, false);
  RequireOverlap(there.bracket, back.bracket);
  RequireOverlap(there.bracket, touch.bracket);
}

}  // namespace
}  // namespace clearance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  clearance::fuzz::ByteReader data(bytes, size);
  clearance::fuzz::FuzzPair(data);
  return 0;
}
