// SPDX-License-Identifier: Apache-2.0
#include "internal/query_bodies.h"

#include <algorithm>
#include <cstddef>

namespace clearance::client {
namespace {

// Returns a row of a column: its own, the one that stands for all, or none.
template <class T>
const T* RowAt(const google::protobuf::RepeatedField<T>& column, int width, int row) {
  if (column.empty()) return nullptr;
  return column.data() + (column.size() == width ? 0 : width * row);
}

template <class T>
T ValueAt(const google::protobuf::RepeatedField<T>& column, int row, T otherwise) {
  const T* const value = RowAt(column, 1, row);
  return value == nullptr ? otherwise : *value;
}

void ReadPose(const google::protobuf::RepeatedField<double>& column, int row,
              std::array<double, 7>* pose) {
  if (const double* const numbers = RowAt(column, 7, row)) std::copy_n(numbers, 7, pose->begin());
}

std::pair<std::uint32_t, std::uint32_t> PairAt(const v1::PairRuleColumns& columns, int row) {
  return std::minmax({columns.bodies_a(row), columns.bodies_b(row)});
}

}  // namespace

void QueryBodies::Apply(const v1::ChangeBodies& change,
                        absl::FunctionRef<HeldShape(std::uint32_t)> shape_in) {
  if (change.reset()) *this = {};
  const v1::SceneChange& what = change.change();
  for (const std::uint32_t id : what.removed_bodies()) bodies_.erase(id);
  Put(what.bodies(), shape_in);
  Move(what.poses());
  for (int i = 0; i < what.removed_rules().bodies_a_size(); ++i)
    rules_.erase(PairAt(what.removed_rules(), i));
  const v1::PairRuleColumns& rules = what.rules();
  for (int i = 0; i < rules.bodies_a_size(); ++i) {
    Rule& rule = rules_[PairAt(rules, i)];
    rule.kind = static_cast<v1::PairRuleKind>(
        ValueAt(rules.kinds(), i, static_cast<int>(v1::PAIR_RULE_KIND_MAY_TOUCH)));
    rule.margin = ValueAt(rules.margins(), i, 0.);
  }
  for (const std::uint32_t id : change.same_as_scene()) rules_[{id, id}] = {};
}

void QueryBodies::Put(const v1::BodyColumns& columns,
                      absl::FunctionRef<HeldShape(std::uint32_t)> shape_in) {
  for (int i = 0; i < columns.ids_size(); ++i) {
    Body body = {.shape = shape_in(ValueAt(columns.shape_slots(), i, std::uint32_t{0}))};
    ReadPose(columns.poses(), i, &body.pose);
    body.group = ValueAt(columns.groups(), i, body.group);
    body.mask = ValueAt(columns.masks(), i, body.mask);
    body.margin = ValueAt(columns.margins(), i, body.margin);
    bodies_[columns.ids(i)] = std::move(body);
  }
}

void QueryBodies::Move(const v1::BodyPoseColumns& columns) {
  for (int i = 0; i < columns.ids_size(); ++i) {
    const auto found = bodies_.find(columns.ids(i));
    if (found != bodies_.end()) ReadPose(columns.poses(), i, &found->second.pose);
  }
}

void QueryBodies::AddRules(v1::PairRuleColumns* columns) const {
  columns->set_count(static_cast<std::uint32_t>(rules_.size()));
  for (const auto& [ids, rule] : rules_) {
    columns->add_bodies_a(ids.first);
    columns->add_bodies_b(ids.second);
    columns->add_kinds(rule.kind);
    columns->add_margins(rule.margin);
  }
}

std::vector<QueryBodies::Attachment> QueryBodies::Attachments() const {
  std::vector<Attachment> attachments;
  if (is_in_doubt_) {
    // There is no body to be detached.
    v1::ChangeBodies& change = *attachments.emplace_back().change.mutable_change_bodies();
    change.set_reset(true);
    change.mutable_change()->add_removed_bodies(0);
    return attachments;
  }
  std::map<std::string, std::size_t> of_digest;
  for (const auto& [id, body] : bodies_) {
    const auto [place, is_new] = of_digest.try_emplace(body.shape.digest, attachments.size());
    if (is_new) attachments.push_back({.shape = body.shape, .change = {}});
    v1::SceneChange& change =
        *attachments[place->second].change.mutable_change_bodies()->mutable_change();
    v1::BodyColumns& columns = *change.mutable_bodies();
    columns.set_count(columns.count() + 1);
    columns.add_ids(id);
    for (const double number : body.pose) columns.add_poses(number);
    columns.add_groups(body.group);
    columns.add_masks(body.mask);
    columns.add_margins(body.margin);
  }
  if (rules_.empty()) return attachments;
  if (attachments.empty()) attachments.emplace_back();
  AddRules(attachments.back().change.mutable_change_bodies()->mutable_change()->mutable_rules());
  return attachments;
}

}  // namespace clearance::client
