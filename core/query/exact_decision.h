// SPDX-License-Identifier: Apache-2.0
//
// The decision of exact arithmetic on a pair whose bracket holds 0.

#pragma once

#include "core/query/distance.h"
#include "core/query/pair_solver.h"

namespace clearance {

// Decides the state exactly if it is kTouching or kUndecided, and narrows the bracket to what that
// proves. Leaves everything as it is if that cannot be done (DecideExactly tells when).
void DecideAtZero(const PosedShape& a, const PosedShape& b, Classification* found,
                  Bracket* bracket);

}  // namespace clearance
