// SPDX-License-Identifier: Apache-2.0

#include "server/kinds/scene_row_loop.h"

#include <tuple>

#include "core/math/vec3.h"

namespace clearance::server {
namespace {

void ListPair(const IdPair& pair, int state, const PairList& list) {
  list.bodies_a->Add(pair.a);
  list.bodies_b->Add(pair.b);
  list.is_self->Add(pair.is_self);
  list.states->Add(state);
}

void ListNumber(double value, PairList::Field<double> column) {
  if (column != nullptr) column->Add(value);
}

void ListVector(const Vec3d& v, PairList::Field<double> column) {
  if (column == nullptr) return;
  for (const double number : {v.x, v.y, v.z}) column->Add(number);
}

template <class T>
void CutTo(int size, PairList::Field<T> column) {
  if (column != nullptr && column->size() > size) column->Truncate(size);
}

}  // namespace

void PairList::DropRow(std::uint32_t row) const {
  const auto size = static_cast<int>(offsets->Get(offsets->size() - 1));
  for (auto* column : {bodies_a, bodies_b}) CutTo(size, column);
  CutTo(size, is_self);
  const auto cut = [&](const auto& column) {
    CutTo(static_cast<int>(column.width) * size, this->*column.listed);
  };
  std::apply([&](const auto&... column) { (cut(column), ...); }, kListed);
  PutNumber(truncated, row, false);
}

void List(const PairVerdict& found, const PairList& list) {
  ListPair(found.pair, static_cast<int>(found.verdict), list);
  ListNumber(found.bracket.lower, list.lower_bounds);
  ListNumber(found.bracket.upper, list.upper_bounds);
}

void List(const PairDistance& found, const PairList& list) {
  const DistanceAnswer& distance = found.distance;
  const bool is_known = distance.state != State::kUndecided;
  ListPair(found.pair, static_cast<int>(distance.state), list);
  ListNumber(is_known ? distance.distance : kNoDistance, list.distances);
  ListNumber(distance.bracket.lower, list.lower_bounds);
  ListNumber(distance.bracket.upper, list.upper_bounds);
  ListVector(is_known ? distance.p_WA : Vec3d{}, list.points_a);
  ListVector(is_known ? distance.p_WB : Vec3d{}, list.points_b);
  ListVector(is_known ? distance.n_AB : Vec3d{}, list.normals);
}

void List(const PairSweep& found, const PairList& list) {
  const TimeOfCollisionAnswer& contact = found.contact;
  const bool is_hit = contact.state == MotionState::kHit;
  const bool is_initial = contact.state == MotionState::kInitiallyOverlapping;
  const bool has_contact = is_hit || is_initial;
  ListPair(found.pair, static_cast<int>(contact.state), list);
  ListNumber(is_initial ? 0 : contact.t_free, list.t_free);
  ListNumber(is_hit ? contact.t_hit : 0, list.t_hit);
  ListNumber(is_initial ? 0 : contact.t_leave, list.t_leave);
  ListNumber(has_contact ? contact.distance : kNoDistance, list.distances);
  ListVector(has_contact ? contact.p_WA : Vec3d{}, list.points_a);
  ListVector(has_contact ? contact.p_WB : Vec3d{}, list.points_b);
  ListVector(has_contact ? contact.n_AB : Vec3d{}, list.normals);
}

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
