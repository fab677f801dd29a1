// SPDX-License-Identifier: Apache-2.0

#include "tests/fuzz/any_body.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "tests/fuzz/fuzz_check.h"

namespace clearance::fuzz {
namespace {

constexpr int kMaxPoints = 48;
constexpr int kKinds = 10;

// Null of a refusal, which must say what it is about.
template <class Pointer>
Pointer Made(std::variant<Pointer, ShapeError> made) {
  if (auto* const shape = std::get_if<Pointer>(&made)) return std::move(*shape);
  const ShapeError& error = std::get<ShapeError>(made);
  Require(!error.field.empty() && !error.message.empty(), "a refusal says what it is about");
  return nullptr;
}

// Lengths are not negative, or every second shape would be refused.
double TakeLength(ByteReader& data) { return std::abs(TakeNumber(data)); }

Vec3d TakeLengths(ByteReader& data) {
  const Vec3d v = TakeVector(data);
  return {std::abs(v.x), std::abs(v.y), std::abs(v.z)};
}

std::vector<double> TakeNumbers(int numbers_of_a_point, ByteReader& data) {
  std::vector<double> numbers(static_cast<std::size_t>(numbers_of_a_point) *
                              static_cast<std::size_t>(data.TakeBelow(kMaxPoints)));
  std::generate(numbers.begin(), numbers.end(), [&] { return TakeNumber(data); });
  return numbers;
}

ShapeOrError MakeAny(int kind, double radius, ByteReader& data) {
  const auto vector = [&] { return TakeVector(data); };
  const auto length = [&] { return TakeLength(data); };
  switch (kind) {
    case 0:
      return MakePoint(radius);
    case 1: {
      const Vec3d a = vector();
      return MakeSegment(a, vector(), radius);
    }
    case 2: {
      const Vec3d a = vector();
      const Vec3d b = vector();
      return MakeTriangle(a, b, vector(), radius);
    }
    case 3:
      return MakeSphere(length(), radius);
    case 4: {
      const double capsule_radius = length();
      return MakeCapsule(capsule_radius, length(), radius);
    }
    case 5: {
      const double cylinder_radius = length();
      return MakeCylinder(cylinder_radius, length(), radius);
    }
    case 6: {
      const double base_radius = length();
      return MakeCone(base_radius, length(), radius);
    }
    case 7:
      return MakeEllipsoid(TakeLengths(data), radius);
    case 8:
      return MakeBox(TakeLengths(data), radius);
    default:
      return MakePolygon(TakeNumbers(2, data), radius);
  }
}

ConvexShapePtr TakeShape(ByteReader& data) {
  const int kind = data.TakeBelow(2 * kKinds);
  if (kind >= kKinds) return TakeHull(data);
  const double radius = data.TakeBelow(2) == 1 ? TakeLength(data) : 0;
  return Made(MakeAny(kind, radius, data));
}

}  // namespace

double TakeNumber(ByteReader& data) {
  if (data.TakeBelow(16) == 0) return data.Take<double>();
  return 0.25 * data.Take<std::int8_t>();
}

Vec3d TakeVector(ByteReader& data) {
  const double x = TakeNumber(data);
  const double y = TakeNumber(data);
  return {x, y, TakeNumber(data)};
}

ConvexShapePtr TakeHull(ByteReader& data) {
  const std::vector<double> xyz = TakeNumbers(3, data);
  const double radius = data.TakeBelow(2) == 1 ? TakeNumber(data) : 0;
  return Made(MakeHull(xyz, radius));
}

RigidBodyPtr TakeBody(ByteReader& data) {
  const bool is_compound = data.TakeBelow(4) == 0;
  ConvexShapePtr shape = TakeShape(data);
  if (shape == nullptr) return nullptr;
  if (!is_compound) return MakeBody(std::move(shape));
  const Pose first = TakePose(data);
  ConvexShapePtr other = TakeShape(data);
  if (other == nullptr) return nullptr;
  return Made(MakeCompound({{std::move(shape), first}, {std::move(other), TakePose(data)}}));
}

Pose TakePose(ByteReader& data) {
  Pose pose;
  pose.p_WS = TakeVector(data);
  if (!std::isfinite(pose.p_WS.x + pose.p_WS.y + pose.p_WS.z)) pose.p_WS = {};
  const Vec3d v = TakeVector(data);
  const Quaternion q = {v.x, v.y, v.z, TakeNumber(data)};
  const double norm = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  pose.q_WS = {q.x / norm, q.y / norm, q.z / norm, q.w / norm};
  if (FindPoseFault(pose) != PoseFault::kNone) pose.q_WS = {};
  return pose;
}

bool IsCheckable(const RigidBody& body) { return body.bounding_radius() < 0x1p30; }

bool IsHeldToProof(const DistanceAnswer& answer) {
  const bool is_rough = answer.state == State::kPenetrating &&
                        answer.bracket.upper - answer.bracket.lower > answer.tolerance;
  return answer.reason == UndecidedReason::kNone && !is_rough;
}

void RequireState(State state, const Bracket& bracket, double tolerance, bool may_be_beyond) {
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
      Require(may_be_beyond, "BEYOND only with a max_distance");
      break;
    case State::kUndecided:
      break;
  }
}

void RequireOverlap(const Bracket& a, const Bracket& b) {
  Require(std::max(a.lower, b.lower) <= std::min(a.upper, b.upper),
          "brackets of one pair have a number in common");
}

}  // namespace clearance::fuzz
