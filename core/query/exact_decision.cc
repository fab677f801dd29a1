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

void DecideAtZero(const PosedShape& a, const PosedShape& b, State* state, UndecidedReason* reason,
                  Bracket* bracket) {
  if (*state != State::kTouching && *state != State::kUndecided) return;
  const std::optional<ExactVerdict> verdict = DecideExactly(a, b);
  if (!verdict) return;
  *state = StateOf(verdict->contact);
  *reason = UndecidedReason::kNone;
  bracket->lower = std::fmax(bracket->lower, verdict->lower);
  bracket->upper = std::fmin(bracket->upper, verdict->upper);
}

}  // namespace clearance
