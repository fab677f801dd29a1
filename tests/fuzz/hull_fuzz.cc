// SPDX-License-Identifier: Apache-2.0
//
// Two hulls of arbitrary points at arbitrary poses. Whatever the bytes, a hull is made or refused,
// and what the queries claim about the pair is consistent: brackets are in order and agree with
// their states, and the brackets of A to B, of B to A and of the intersection query have the true
// distance in common, so each two of them overlap.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <variant>
#include <vector>

#include "core/query/distance.h"
#include "core/query/intersection.h"
#include "core/shape/make_shape.h"
#include "tests/fuzz/byte_reader.h"
#include "tests/fuzz/fuzz_check.h"

namespace clearance::fuzz {
namespace {

constexpr int kMaxPoints = 48;

// Mostly small multiples of a quarter, so that equal, collinear and coplanar points are common;
// sometimes any double at all.
double Coordinate(ByteReader& data) {
  if (data.TakeBelow(16) == 0) return data.Take<double>();
  return 0.25 * data.Take<std::int8_t>();
}

ConvexShapePtr MakeAnyHull(ByteReader& data) {
  std::vector<double> xyz(3 * static_cast<std::size_t>(data.TakeBelow(kMaxPoints)));
  std::generate(xyz.begin(), xyz.end(), [&] { return Coordinate(data); });
  const double radius = data.TakeBelow(2) == 1 ? Coordinate(data) : 0;
  ShapeOrError made = MakeHull(xyz, radius);
  if (const auto* shape = std::get_if<ConvexShapePtr>(&made)) return *shape;
  const ShapeError& error = std::get<ShapeError>(made);
  Require(!error.field.empty() && !error.message.empty(), "a refusal says what it is about");
  return nullptr;
}

// Any valid pose: where the quaternion that comes up is none, the rotation is left away.
Pose MakeAnyPose(ByteReader& data) {
  Pose pose;
  pose.p_WS = {Coordinate(data), Coordinate(data), Coordinate(data)};
  if (!std::isfinite(pose.p_WS.x + pose.p_WS.y + pose.p_WS.z)) pose.p_WS = {};
  const Quaternion q = {Coordinate(data), Coordinate(data), Coordinate(data), Coordinate(data)};
  const double norm = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  pose.q_WS = {q.x / norm, q.y / norm, q.z / norm, q.w / norm};
  if (FindPoseFault(pose) != PoseFault::kNone) pose.q_WS = {};
  return pose;
}

void CheckState(State state, const Bracket& bracket, double tolerance) {
  Require(bracket.lower <= bracket.upper, "lower <= upper");
  switch (state) {
    case State::kSeparated:
      Require(bracket.lower > 0, "SEPARATED: lower > 0");
      break;
    case State::kTouching:
      Require(bracket.lower <= 0 && bracket.upper >= 0, "TOUCHING: lower <= 0 <= upper");
      Require(bracket.lower >= -tolerance && bracket.upper <= tolerance, "TOUCHING: within tau");
      break;
    case State::kPenetrating:
      Require(bracket.upper < 0, "PENETRATING: upper < 0");
      break;
    case State::kBeyond:
      Require(false, "BEYOND only with a max_distance");
      break;
    case State::kUndecided:
      break;
  }
}

void CheckAnswer(const DistanceAnswer& answer) {
  CheckState(answer.state, answer.bracket, answer.tolerance);
  if (answer.state != State::kSeparated && answer.state != State::kTouching) return;
  Require(answer.bracket.lower <= answer.distance && answer.distance <= answer.bracket.upper,
          "lower <= distance <= upper");
  const double norm = std::sqrt(NormSquared(answer.n_AB));
  Require(std::abs(norm - 1) <= 8 * std::numeric_limits<double>::epsilon(), "|n| = 1");
}

void CheckOverlap(const Bracket& a, const Bracket& b) {
  Require(std::max(a.lower, b.lower) <= std::min(a.upper, b.upper),
          "brackets of one pair have a number in common");
}

void FuzzPair(ByteReader& data) {
  const ConvexShapePtr shape_a = MakeAnyHull(data);
  const ConvexShapePtr shape_b = MakeAnyHull(data);
  if (shape_a == nullptr || shape_b == nullptr) return;
  const Pose pose_a = MakeAnyPose(data);
  const Pose pose_b = MakeAnyPose(data);
  if (!IsRepresentable(shape_a->bounding_radius(), pose_a)) return;
  if (!IsRepresentable(shape_b->bounding_radius(), pose_b)) return;
  const PosedShape a = {*shape_a, pose_a};
  const PosedShape b = {*shape_b, pose_b};

  const DistanceAnswer there = Distance(a, b, {});
  const DistanceAnswer back = Distance(b, a, {});
  const IntersectionAnswer touch = Intersection(a, b);
  CheckAnswer(there);
  CheckAnswer(back);
  CheckState(touch.state, touch.bracket, there.tolerance);
  CheckOverlap(there.bracket, back.bracket);
  CheckOverlap(there.bracket, touch.bracket);
}

}  // namespace
}  // namespace clearance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  clearance::fuzz::ByteReader data(bytes, size);
  clearance::fuzz::FuzzPair(data);
  return 0;
}
