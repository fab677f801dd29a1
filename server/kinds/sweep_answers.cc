// SPDX-License-Identifier: Apache-2.0

#include "server/kinds/sweep_answers.h"

namespace clearance::server {

RowSummary PutSweep(const Columns& columns, std::uint32_t i, const SweepAnswer& answer) {
  const TimeOfCollisionAnswer& contact = answer.earliest.contact;
  const bool is_hit = contact.state == MotionState::kHit;
  const bool is_initial = contact.state == MotionState::kInitiallyOverlapping;
  if (contact.state != MotionState::kFree) PutPair(columns, i, answer.earliest.pair);
  if (is_hit) PutNumber(columns.t_hit, i, contact.t_hit);
  if (!is_initial) {
    PutNumber(columns.t_free, i, contact.t_free);
    PutNumber(columns.t_leave, i, contact.t_leave);
  }
  if (is_hit || is_initial) PutContact(columns, i, contact);
  return {static_cast<int>(contact.state), contact.reason, answer.counters};
}

}  // namespace clearance::server
