// SPDX-License-Identifier: Apache-2.0
//
// Proves the lower bound of a depth again, from nothing but the shapes' vertices, the poses and the
// list of facets, with exact arithmetic.

#pragma once

#include <string>

#include "core/narrow/depth_proof.h"
#include "tests/support/answer_checker.h"

namespace clearance::testing {

// Returns the faults of the proof of `answer`, which is kPenetrating by its cores; empty if there
// are none. The proof must be:
//
//    closed    every edge belongs to two facets, once each way
//    around    a ray from the origin passes the surface once, outwards
//    convex    no corner is above the plane of a facet, to rounding (if the facet is not a sliver)
//    deep      every facet is as far from the origin as the bracket says, to rounding
std::string FindProofFault(const CheckedPair& pair, const DistanceAnswer& answer,
                           const DepthProof& proof);

}  // namespace clearance::testing
