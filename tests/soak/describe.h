// SPDX-License-Identifier: Apache-2.0
//
// Answers as text, every number as an exact hexadecimal double beside a readable one.

#pragma once

#include <string>

#include "core/narrow/depth_proof.h"
#include "core/query/contact_manifold.h"
#include "core/query/distance.h"
#include "core/query/intersection.h"
#include "core/query/time_of_collision.h"

namespace clearance::soak {

std::string Describe(const DistanceAnswer& answer);
std::string Describe(const IntersectionAnswer& answer);
std::string Describe(const TimeOfCollisionAnswer& answer);
std::string Describe(const ContactManifold& manifold);
std::string Describe(const DepthProof& proof);
// Its pairs of vertices and weights.
std::string Describe(const Witness& witness);

}  // namespace clearance::soak
