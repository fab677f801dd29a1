// SPDX-License-Identifier: Apache-2.0
//
// Compounds for random tests, and the exact distances of their pieces: each piece at the
// composition of two rational placements.

#pragma once

#include <string>
#include <vector>

#include "core/query/time_of_collision.h"
#include "core/shape/rigid_body.h"
#include "tests/support/body.h"
#include "tests/support/exact_distance.h"
#include "tests/support/exact_pair.h"
#include "tests/support/random.h"

namespace clearance::testing {

// The pose of a piece is its local one.
struct Compound {
  std::vector<Body> pieces;
  Pose pose;
};

struct CompoundPair {
  Compound a;
  Compound b;
};

RigidBodyPtr MakeRigidBody(const Compound& compound);

enum class CompoundFamily {
  kScattered,  // small bodies anywhere in a cube
  kElbows,     // an L of boxes
  kCups,       // a U, open upwards
  kRings,      // boxes around a circle: a torus
  kLattice,    // boxes and tips of small integers, turned by exact rotations: exact contacts
  kChains,     // overlapping pieces along a line
};
inline constexpr int kCompoundFamilyCount = static_cast<int>(CompoundFamily::kChains) + 1;

// Returns a compound of at most max_pieces pieces (at least 3) and at most about 2 m large, at the
// identity.
Compound RandomCompound(CompoundFamily family, int max_pieces, Random& random);

// Two of them near each other: apart, touching (of kLattice) or overlapping.
CompoundPair RandomCompoundPair(CompoundFamily family, int max_pieces, Random& random);

// A turn that permutes the axes and is exact in doubles: the unit quaternion of halves.
Quaternion ExactTurn(Random& random);

// The exact distance of two pieces of bodies that stand there.
ExactDistance PieceDistance(const Body& piece_a, const ExactPlacement& X_WA, const Body& piece_b,
                            const ExactPlacement& X_WB);

// Returns the placement of a body with this motion at t (see exact_motion.h).
ExactPlacement PlacementAt(const Compound& compound, const Motion& motion, double t);

std::string Describe(const CompoundPair& pair);

}  // namespace clearance::testing
