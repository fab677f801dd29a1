// SPDX-License-Identifier: Apache-2.0
//
// Random pairs for the lines of accuracy_table.h, the answers of core to them, and their errors.
//
// The truth of polytopes, radii and compounds of them included, comes from exact rationals
// (exact_distance.h, exact_motion.h), that of curved kinds from known points and tangent balls in
// 113 bits (planted_contact.h). Solids of both kinds are placed with known contacts, so that every
// kind of feature meets every other.

#pragma once

#include <optional>
#include <string>

#include "tests/property/accuracy_table.h"
#include "tests/support/random.h"

namespace clearance::testing {

struct Measured {
  std::string fault;          // what is wrong with the answer; empty: nothing
  bool is_undecided = false;  // then only the bracket is compared with the truth
  double error = 0;           // relative, as in the table
  unsigned kinds_a = 0;       // a bit for each kind of the groups that was drawn
  unsigned kinds_b = 0;
};

// Measures one random pair; none if the pair turned out to be in another place, or its truth is not
// known to a thousandth of rounding.
std::optional<Measured> Measure(const AccuracyRow& row, Situation situation, Random& random);

// Returns true if the oracle takes milliseconds for a pair.
bool IsSlow(const AccuracyRow& row, Situation situation);

// Returns the bits of all kinds of a group, and of those whose interiors can overlap with one of
// the other: a point and flat kinds have none in common.
unsigned KindsOf(Group group);
unsigned KindsThatOverlap(Group group, Group other);

struct MeasuredMotion {
  std::string fault;
  bool is_hit = false;
  double early = 0;
  double short_of_target = 0;
};

MeasuredMotion MeasureMotion(const MotionAccuracyRow& row, Random& random);

}  // namespace clearance::testing
