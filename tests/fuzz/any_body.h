// SPDX-License-Identifier: Apache-2.0
//
// Whatever valid bodies and poses the bytes of a fuzzer make.

#pragma once

#include "core/math/pose.h"
#include "core/query/distance.h"
#include "core/shape/make_shape.h"
#include "core/shape/rigid_body.h"
#include "tests/fuzz/byte_reader.h"

namespace clearance::fuzz {

// Mostly small multiples of a quarter, so that equal, collinear and coplanar points are common;
// sometimes any double at all.
double TakeNumber(ByteReader& data);
Vec3d TakeVector(ByteReader& data);

// Null where the bytes make none: then the refusal said what it is about.
ConvexShapePtr TakeHull(ByteReader& data);
// Of any kind; a compound of two one time in four. Likewise.
RigidBodyPtr TakeBody(ByteReader& data);

// Valid: where the quaternion that comes up is none, the rotation is left away.
Pose TakePose(ByteReader& data);

// Whether a body is of a size that the checker's digits are made for: of slivers 2^30 times as long
// as wide it cannot tell that their witness encloses the origin.
bool IsCheckable(const RigidBody& body);

// Whether an answer claims what the checker holds it to. Of an overlap of curved bodies whose
// search ended early, with a bracket wider than tau, the normal may be worse than the lower bound
// by more than tau: nothing that is proved depends on it.
bool IsHeldToProof(const DistanceAnswer& answer);

// The bracket is in order and the state follows from it. `may_be_beyond`: of a query with a
// max_distance.
void RequireState(State state, const Bracket& bracket, double tolerance, bool may_be_beyond);

// Both hold the same number.
void RequireOverlap(const Bracket& a, const Bracket& b);

}  // namespace clearance::fuzz
