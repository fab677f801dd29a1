// SPDX-License-Identifier: Apache-2.0
//
// Proofs of joint motions, the edges of a motion planner. A SweepBatch moves each body on its own
// screw. The links of an arm whose joints move take another path: between the same two poses they
// can be decimetres away from it. Here configurations along the motion are checked, and each that
// is free proves the part of the motion in which no point of a body moves farther than the body
// may. Source: Schwarzer, Saha, Latombe, "Exact collision checking of robot paths", 2002.

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "clearance/scene_query.h"
#include "clearance/session.h"

namespace clearance::client {

// Appends the poses of all query bodies, in the order of their ids (7 numbers each, metres), of one
// joint vector.
using ForwardKinematics =
    std::function<void(absl::Span<const double> joints, std::vector<double>* poses)>;

// Motions of joints straight from start to end.
struct JointMotions {
  std::uint32_t joint_count = 0;
  std::vector<double> starts;  // joint vectors, one after another
  std::vector<double> ends;    // as many
  // For each query body (in the order of the ids) joint_count numbers: metres that any point of it
  // moves, at most, when a joint moves by 1. For a joint that turns (radians) that is the largest
  // distance of the body's points from the joint's axis, in any configuration; for one that slides
  // 1; for one that does not move the body 0. Too small a reach makes the proof wrong.
  std::vector<double> reaches;
  Configurations configurations = {};  // scene_slot and pair_scope; the rest is filled in
  double pose_error = 1e-9;  // metres that points may be off by what the kinematics rounds
  double narrowest = 1e-6;   // a shorter part of a motion is not divided: UNDECIDED
};

struct JointMotionProof {
  std::vector<Verdict> verdicts;  // kFree, kTouching or kUndecided, 1 a motion
  // From 0 to 1: a configuration that touches (not the first), or of which nothing was proved. NaN
  // of kFree.
  std::vector<double> times;
  std::uint64_t checks = 0;  // configurations that were asked
};

// Proves that the session's query bodies are free on the whole of each motion. INVALID_ARGUMENT:
// the numbers do not fit each other, are not finite, or the server refused a configuration. Else as
// Session::Ask. Blocks; thread-safe as the session is.
absl::StatusOr<JointMotionProof> ProveJointMotions(Session* session,
                                                   const ForwardKinematics& kinematics,
                                                   const JointMotions& motions);

}  // namespace clearance::client
