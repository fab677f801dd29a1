// SPDX-License-Identifier: Apache-2.0

#include "server/engine/pair_lists.h"

#include <cstddef>
#include <vector>

namespace clearance::server {
namespace {

void ListPair(const IdPair& pair, int state, PairList* list) {
  list->bodies_a.push_back(pair.a);
  list->bodies_b.push_back(pair.b);
  list->is_self.push_back(pair.is_self);
  list->states.push_back(state);
}

void ListNumber(bool wanted, double value, std::vector<double>* column) {
  if (wanted) column->push_back(value);
}

void ListVector(bool wanted, const Vec3d& v, std::vector<double>* column) {
  if (wanted) column->insert(column->end(), {v.x, v.y, v.z});
}

template <class Column>
void CutTo(std::size_t size, Column* column) {
  if (column->size() > size) column->resize(size);
}

}  // namespace

void PairList::DropUnfinishedRow() {
  const std::size_t size = offsets.back();
  CutTo(size, &bodies_a);
  CutTo(size, &bodies_b);
  CutTo(size, &is_self);
  CutTo(size, &states);
  for (auto* column : {&distances, &lower_bounds, &upper_bounds, &t_free, &t_hit, &t_leave})
    CutTo(size, column);
  for (auto* column : {&points_a, &points_b, &normals}) CutTo(3 * size, column);
}

void ListVerdict(const PairListColumns& columns, const PairVerdict& found) {
  PairList* const list = columns.list;
  ListPair(found.pair, static_cast<int>(found.verdict), list);
  ListNumber(columns.has_bounds, found.bracket.lower, &list->lower_bounds);
  ListNumber(columns.has_bounds, found.bracket.upper, &list->upper_bounds);
}

void ListDistance(const PairListColumns& columns, const PairDistance& found) {
  PairList* const list = columns.list;
  const DistanceAnswer& distance = found.distance;
  const bool is_known = distance.state != State::kUndecided;
  ListPair(found.pair, static_cast<int>(distance.state), list);
  ListNumber(columns.has_distances, is_known ? distance.distance : 0, &list->distances);
  ListNumber(columns.has_bounds, distance.bracket.lower, &list->lower_bounds);
  ListNumber(columns.has_bounds, distance.bracket.upper, &list->upper_bounds);
  ListVector(columns.has_points, is_known ? distance.p_WA : Vec3d{}, &list->points_a);
  ListVector(columns.has_points, is_known ? distance.p_WB : Vec3d{}, &list->points_b);
  ListVector(columns.has_normals, is_known ? distance.n_AB : Vec3d{}, &list->normals);
}

void ListSweep(const PairListColumns& columns, const PairSweep& found) {
  PairList* const list = columns.list;
  const TimeOfCollisionAnswer& contact = found.contact;
  const bool is_hit = contact.state == MotionState::kHit;
  const bool is_initial = contact.state == MotionState::kInitiallyOverlapping;
  const bool has_contact = is_hit || is_initial;
  ListPair(found.pair, static_cast<int>(contact.state), list);
  ListNumber(columns.has_times, is_initial ? 0 : contact.t_free, &list->t_free);
  ListNumber(columns.has_times, is_hit ? contact.t_hit : 0, &list->t_hit);
  ListNumber(columns.has_t_leave, is_initial ? 0 : contact.t_leave, &list->t_leave);
  ListNumber(columns.has_distances, has_contact ? contact.distance : 0, &list->distances);
  ListVector(columns.has_points, has_contact ? contact.p_WA : Vec3d{}, &list->points_a);
  ListVector(columns.has_points, has_contact ? contact.p_WB : Vec3d{}, &list->points_b);
  ListVector(columns.has_normals, has_contact ? contact.n_AB : Vec3d{}, &list->normals);
}

}  // namespace clearance::server
