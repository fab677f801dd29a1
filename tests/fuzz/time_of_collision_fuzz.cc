// SPDX-License-Identifier: Apache-2.0
//
// Motions of bodies of every kind: times are in order and agree with the state, the intervals of a
// proof follow on each other, and the independent checker proves what the answer claims.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/math/tolerance.h"
#include "core/proof/check_body.h"
#include "core/query/body_query.h"
#include "tests/fuzz/any_body.h"
#include "tests/fuzz/byte_reader.h"
#include "tests/fuzz/fuzz_check.h"

namespace clearance::fuzz {
namespace {

bool IsFinite(const Vec3d& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

// Rotations are mostly of some radians: long ones take thousands of steps.
Motion TakeMotion(const Pose& start, ByteReader& data) {
  Motion motion;
  motion.pivot = start.p_WS;
  const int what = data.TakeBelow(8);
  const Vec3d displacement = TakeVector(data);
  if (IsFinite(displacement)) motion.displacement = displacement;
  if (what >= 3) return motion;
  const Vec3d rotation = (what == 0 ? 1 : 1.0 / 16) * TakeVector(data);
  if (IsFinite(rotation) && NormSquared(rotation) <= kMaxRotation * kMaxRotation)
    motion.rotation = rotation;
  if (what == 2) {
    const Vec3d pivot = TakeVector(data);
    if (IsFinite(pivot)) motion.pivot = pivot;
  }
  return motion;
}

void CheckTimes(const TimeOfCollisionAnswer& answer) {
  Require(0 <= answer.t_free && answer.t_free <= answer.t_hit && answer.t_hit <= 1,
          "0 <= t_free <= t_hit <= 1");
  Require(0 <= answer.t_leave && answer.t_leave <= answer.t_free, "0 <= t_leave <= t_free");
  if (answer.state == MotionState::kFree) Require(answer.t_free == 1, "FREE: t_free = 1");
  if (answer.state == MotionState::kInitiallyOverlapping)
    Require(answer.t_free == 0, "INITIALLY_OVERLAPPING: t_free = 0");
  Require((answer.state == MotionState::kUndecided) == (answer.reason != UndecidedReason::kNone),
          "UNDECIDED has a reason, and nothing else has");
}

void CheckIntervals(const MotionProof& proof) {
  for (int i = 0; i < proof.size; ++i) {
    const ProvedInterval& interval = proof.intervals[static_cast<std::size_t>(i)];
    Require(0 <= interval.t_begin && interval.t_begin <= interval.t_end && interval.t_end <= 1,
            "an interval lies in [0, 1]");
  }
}

void FuzzMotion(ByteReader& data) {
  MotionOptions options;
  const int what = data.TakeBelow(16);
  options.ignore_initial_contact = what % 4 == 1;
  if (what % 4 == 2) options.target_distance = data.Take<std::uint8_t>() / 16.0;
  const RigidBodyPtr body_a = TakeBody(data);
  const RigidBodyPtr body_b = TakeBody(data);
  if (body_a == nullptr || body_b == nullptr) return;
  const Pose pose_a = TakePose(data);
  const Pose pose_b = TakePose(data);
  if (!IsRepresentable(body_a->bounding_radius(), pose_a)) return;
  if (!IsRepresentable(body_b->bounding_radius(), pose_b)) return;
  const Motion motion_a = TakeMotion(pose_a, data);
  const Motion motion_b = TakeMotion(pose_b, data);
  if (!IsMotionRepresentable(body_a->bounding_radius(), pose_a, motion_a)) return;
  if (!IsMotionRepresentable(body_b->bounding_radius(), pose_b, motion_b)) return;
  const MovingBody a = {*body_a, pose_a, motion_a};
  const MovingBody b = {*body_b, pose_b, motion_b};

  const auto proof = std::make_unique<MotionProof>();
  if (what / 4 == 1) options.proof = proof.get();
  const TimeOfCollisionAnswer answer = TimeOfCollision(a, b, options);
  CheckTimes(answer);
  CheckIntervals(*proof);
  if (what / 4 != 0 || answer.reason != UndecidedReason::kNone) return;
  if (!IsCheckable(*body_a) || !IsCheckable(*body_b)) return;
  const Check check = CheckTimeOfCollision(a, b, options, answer);
  Require(!check.contradiction,
          check.contradiction ? Name(check.contradiction->claim) : "every claim is proved");
}

}  // namespace
}  // namespace clearance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  clearance::fuzz::ByteReader data(bytes, size);
  clearance::fuzz::FuzzMotion(data);
  return 0;
}
