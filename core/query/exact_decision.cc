// SPDX-License-Identifier: Apache-2.0

#include "core/query/exact_decision.h"

#include <cmath>
#include <optional>

#include "core/exact/exact_contact.h"

namespace clearance {
namespace {

State StateOf(ExactContact contact) {
  if (contact == ExactContact::kSeparated) return State::kSeparated;
  return contact == ExactContact::kTouching ? State::kTouching : State::kPenetrating;
}

}  // namespace

void DecideAtZero(const PosedShape& a, const PosedShape& b, Classification* found,
                  Bracket* bracket) {
  if (found->state != State::kTouching && found->state != State::kUndecided) return;
  const std::optional<ExactVerdict> exact = DecideExactly(a, b);
  if (!exact) return;
  *found = {StateOf(exact->contact)};
  bracket->lower = std::fmax(bracket->lower, exact->lower);
  bracket->upper = std::fmin(bracket->upper, exact->upper);
}

}  // namespace clearance
