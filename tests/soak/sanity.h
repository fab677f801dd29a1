// SPDX-License-Identifier: Apache-2.0
//
// What can be seen of an answer without solving anything: every number is one, the numbers agree
// with each other and with the state, an undecided answer says why. Cheap enough for every answer;
// that the numbers are true is for core/proof and the exact oracle to say. Each function returns
// what is wrong, one sentence a line; an empty string is nothing.

#pragma once

#include <string>

#include "core/narrow/depth_proof.h"
#include "core/query/contact_manifold.h"
#include "core/query/distance.h"
#include "core/query/intersection.h"
#include "core/query/time_of_collision.h"

namespace clearance::soak {

// What rounding is measured by, metres.
struct Scale {
  double size = 0;   // bounding radii of both bodies about their origins, added
  double place = 0;  // the largest coordinate of both poses
  bool is_curved = false;
};
Scale MeasureScale(double size, const Pose& pose_a, const Pose& pose_b);

std::string FindFault(const Scale& scale, const DistanceOptions& options,
                      const DistanceAnswer& answer);
std::string FindFault(const IntersectionAnswer& answer);
std::string FindFault(const Scale& scale, const MotionOptions& options,
                      const TimeOfCollisionAnswer& answer);
// `answer` is that of the same bodies.
std::string FindFault(const Scale& scale, const DistanceAnswer& answer,
                      const ContactManifold& manifold);
// That it is a closed surface; whether it is around the origin is for the exact oracle to say.
std::string FindFault(const DepthProof& proof);

// Two proofs about the same pair must not exclude each other: the brackets overlap, and not one of
// them is penetrating and the other separated.
struct Proved {
  State state = State::kUndecided;
  Bracket bracket;
};
std::string FindContradiction(const Proved& one, const Proved& other);

// `start` is proved of the pair at t = 0; tau is its tolerance.
std::string FindContradiction(const Proved& start, double tau, const MotionOptions& options,
                              const TimeOfCollisionAnswer& answer);

}  // namespace clearance::soak
