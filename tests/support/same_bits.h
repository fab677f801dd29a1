// SPDX-License-Identifier: Apache-2.0
//
// Helpers to judge warm starts and batches: vertex pairs to start from, and whether two answers are
// the same to the last bit.

#pragma once

#include "core/query/distance.h"
#include "core/query/time_of_collision.h"
#include "core/shape/convex_shape.h"
#include "tests/support/random.h"

namespace clearance::testing {

// Compares every canonical field; iterations are not one.
bool SameBits(const DistanceAnswer& a, const DistanceAnswer& b);

// Compares every field, the sign of a 0 too.
bool SameBits(const TimeOfCollisionAnswer& a, const TimeOfCollisionAnswer& b);

// Returns one to four random vertex pairs. Requires: neither core is curved.
Witness RandomStart(const ConvexShape& a, const ConvexShape& b, Random& random);

}  // namespace clearance::testing
