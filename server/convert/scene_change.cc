// SPDX-License-Identifier: Apache-2.0

#include "server/convert/scene_change.h"

#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/math/tolerance.h"
#include "server/convert/batch_form.h"
#include "server/convert/wire_errors.h"

namespace clearance::server {
namespace {

using google::protobuf::RepeatedField;

constexpr int kMayTouch = v1::PAIR_RULE_KIND_MAY_TOUCH;

absl::Status ReadBodies(const v1::BodyColumns& message, absl::Span<const RigidBodyPtr> shapes,
                        std::vector<SceneBody>* bodies) {
  ColumnReader columns(message.count());
  const auto ids = columns.Need(message.ids(), "bodies.ids");
  const auto slots = columns.Read(message.shape_slots(), {"bodies.shape_slots", 1}, &kFirstSlot);
  const auto poses =
      columns.Read(message.poses(), {"bodies.poses", kPoseNumbers}, kAtOrigin.data());
  const auto groups = columns.Read(message.groups(), {"bodies.groups", 1}, &kDefaultGroups);
  const auto masks = columns.Read(message.masks(), {"bodies.masks", 1}, &kAllGroups);
  const auto margins = columns.Read(message.margins(), {"bodies.margins", 1}, &kNoMargin);
  if (!columns.status().ok()) return columns.status();
  if (message.count() > 0 && message.shape_slots().empty() && message.shapes_size() > 1) {
    return RefuseArgument({.reason = Reason::kFieldMissing,
                           .field = "bodies.shape_slots",
                           .value = "0 numbers",
                           .limit = "a slot for each body, as there are " +
                                    FormatNumber(std::uint64_t{shapes.size()}) + " shapes",
                           .message = "The bodies do not say which of the shapes is theirs."});
  }
  bodies->reserve(message.count());
  for (std::uint32_t i = 0; i < message.count(); ++i) {
    const std::uint32_t slot = *slots.at(i);
    if (slot >= shapes.size()) {
      return RefuseArgument(
          {.reason = Reason::kNumberOutOfRange,
           .field = Indexed("bodies.shape_slots", slots.stride == 0 ? 0 : i),
           .value = FormatNumber(std::uint64_t{slot}),
           .limit = "< " + FormatNumber(std::uint64_t{shapes.size()}) + ", the number of shapes",
           .message = "The slot is beyond the change's table of shapes."});
    }
    bodies->push_back({.id = *ids.at(i),
                       .body = shapes[slot],
                       .X_WB = PoseAt(poses, i),
                       .bits = {.group = *groups.at(i), .mask = *masks.at(i)},
                       .margin = *margins.at(i)});
  }
  return absl::OkStatus();
}

absl::Status ReadPoses(const v1::BodyPoseColumns& message, std::vector<BodyPose>* moved) {
  ColumnReader columns(message.count());
  const auto ids = columns.Need(message.ids(), "poses.ids");
  const auto poses = columns.Need(message.poses(), "poses.poses", kPoseNumbers);
  if (!columns.status().ok()) return columns.status();
  moved->reserve(message.count());
  for (std::uint32_t i = 0; i < message.count(); ++i)
    moved->push_back({*ids.at(i), PoseAt(poses, i)});
  return absl::OkStatus();
}

absl::Status RefuseMargin(const std::string& field, double margin) {
  return RefuseArgument({.reason = Reason::kNumberOutOfRange,
                         .field = field,
                         .value = FormatNumber(margin),
                         .limit = "0 to 1e300",
                         .message = "invalid margin: send a number from 0 to 1e300"});
}

// A query body may touch the scene's body of its id, as it is that body; it has no margin from it.
absl::Status CheckPair(const PairRule& rule, std::size_t i) {
  if (rule.a != rule.b || rule.is_allowed) return absl::OkStatus();
  return RefuseArgument({.reason = Reason::kFieldsConflict,
                         .field = Indexed("bodies_b", i),
                         .value = FormatNumber(std::uint64_t{rule.b}),
                         .limit = "another body than the row's first, or PAIR_RULE_KIND_MAY_TOUCH",
                         .message = "A margin is one between two bodies."});
}

absl::Status CheckRule(const PairRule& rule, int kind, std::size_t i) {
  if (kind != v1::PAIR_RULE_KIND_MAY_TOUCH && kind != v1::PAIR_RULE_KIND_MARGIN) {
    return RefuseArgument({.reason = Reason::kKindUnknown,
                           .field = Indexed("kinds", i),
                           .value = std::to_string(kind),
                           .limit = "PAIR_RULE_KIND_MAY_TOUCH or PAIR_RULE_KIND_MARGIN",
                           .message = "The server knows no such rule."});
  }
  if (absl::Status status = CheckPair(rule, i); !status.ok()) return status;
  if (rule.margin >= 0 && rule.margin <= kLargestMargin) return absl::OkStatus();  // no for NaN
  return RefuseMargin(Indexed("margins", i), rule.margin);
}

// Only the pairs of removed rules matter.
enum class RulesThat { kCome, kGo };
absl::Status ReadRules(const v1::PairRuleColumns& message, RulesThat that,
                       std::vector<PairRule>* rules) {
  ColumnReader columns(message.count());
  const auto bodies_a = columns.Need(message.bodies_a(), "bodies_a");
  const auto bodies_b = columns.Need(message.bodies_b(), "bodies_b");
  const auto kinds = columns.Read<int>(message.kinds(), {"kinds", 1}, &kMayTouch);
  const auto margins = columns.Read(message.margins(), {"margins", 1}, &kNoMargin);
  if (!columns.status().ok()) return columns.status();
  rules->reserve(message.count());
  for (std::uint32_t i = 0; i < message.count(); ++i) {
    const int kind = *kinds.at(i);
    const PairRule rule = {.a = *bodies_a.at(i),
                           .b = *bodies_b.at(i),
                           .is_allowed = kind == v1::PAIR_RULE_KIND_MAY_TOUCH,
                           .margin = *margins.at(i)};
    if (that == RulesThat::kCome) {
      if (absl::Status status = CheckRule(rule, kind, i); !status.ok()) return status;
    }
    rules->push_back(rule);
  }
  return absl::OkStatus();
}

absl::Status RefuseFault(const SceneFault& fault, const SceneEdit& edit) {
  const std::size_t i = fault.index;
  const bool is_removal = fault.list == SceneFault::List::kRemove;
  switch (fault.kind) {
    case SceneFault::Kind::kUnknownId:
      return RefuseArgument(
          {.reason = Reason::kBodyNotFound,
           .field = Indexed(is_removal ? "removed_bodies" : "poses.ids", i),
           .value = FormatNumber(std::uint64_t{is_removal ? edit.removed[i] : edit.poses[i].id}),
           .limit = "a body of the scene",
           .message = "The scene has no such body at this point of the change."});
    case SceneFault::Kind::kPose:
    case SceneFault::Kind::kNotRepresentable:
      return fault.list == SceneFault::List::kPut
                 ? RefusePlace("bodies.poses", i, edit.bodies[i].X_WB)
                 : RefusePlace("poses.poses", i, edit.poses[i].X_WB);
    case SceneFault::Kind::kMargin:
      return RefuseMargin(Indexed("bodies.margins", i), edit.bodies[i].margin);
    case SceneFault::Kind::kTooMany:
      return Refuse(absl::StatusCode::kResourceExhausted,
                    {.reason = Reason::kTooManyBodies,
                     .field = "bodies.count",
                     .value = FormatNumber(std::uint64_t{kMaxSceneBodies}),
                     .limit = "bodies <= " + FormatNumber(std::uint64_t{kMaxSceneBodies}),
                     .message = "No scene has so many bodies."});
    case SceneFault::Kind::kNoBody:
      break;
  }
  return absl::InternalError("a body without a shape");
}

std::uint64_t KeyOf(const PairRule& rule) {
  constexpr int kBitsOfId = 32;
  const auto [low, high] = std::minmax(rule.a, rule.b);
  return (std::uint64_t{low} << kBitsOfId) | high;
}

// The rules of the scene without those that go and with those that come.
PairRules RulesAfter(const PairRules& before, const SceneEdit& edit) {
  absl::flat_hash_set<std::uint64_t> gone;
  for (const PairRule& rule : edit.removed_rules) gone.insert(KeyOf(rule));
  std::vector<PairRule> after(before.rules().begin(), before.rules().end());
  std::erase_if(after, [&](const PairRule& rule) { return gone.contains(KeyOf(rule)); });
  after.insert(after.end(), edit.rules.begin(), edit.rules.end());
  return PairRules(after);
}

void AddPose(const Pose& pose, RepeatedField<double>* column) {
  const auto numbers = std::bit_cast<std::array<double, kPoseNumbers>>(pose);
  column->Add(numbers.begin(), numbers.end());
}

// Fills in the bodies one after another, each shape in the table once.
void WriteBodies(absl::Span<const SceneBody> bodies, v1::BodyColumns* columns) {
  absl::flat_hash_map<const RigidBody*, std::uint32_t> slots;
  for (const SceneBody& body : bodies) {
    const auto slot = static_cast<std::uint32_t>(columns->shapes_size());
    const auto [known, is_new] = slots.try_emplace(body.body.get(), slot);
    if (is_new) columns->add_shapes()->set_digest(SceneContents::Of(body.body)->digest);
    columns->add_ids(body.id);
    columns->add_shape_slots(known->second);
    AddPose(body.X_WB, columns->mutable_poses());
    columns->add_groups(body.bits.group);
    columns->add_masks(body.bits.mask);
    columns->add_margins(body.margin);
  }
  columns->set_count(static_cast<std::uint32_t>(columns->ids_size()));
}

void FillPoses(absl::Span<const BodyPose> moved, v1::BodyPoseColumns* columns) {
  columns->set_count(static_cast<std::uint32_t>(moved.size()));
  for (const BodyPose& body : moved) {
    columns->add_ids(body.id);
    AddPose(body.X_WB, columns->mutable_poses());
  }
}

}  // namespace

absl::Status RefusePlace(const char* column, std::size_t i, const Pose& pose) {
  // No place is near enough for a body of this radius.
  constexpr double kAnyRadius = std::numeric_limits<double>::infinity();
  RepeatedField<double> numbers;
  AddPose(pose, &numbers);
  MaybeFault fault = FindPlaceFault(RowCheck{0}, {numbers.data(), 0, column}, kAnyRadius);
  fault->column_row = static_cast<std::uint32_t>(i);
  v1::Error error;
  FillRowError(*fault, ShapeTable(), &error);
  return StatusOf(error);
}

absl::StatusOr<SceneEdit> ReadSceneChange(const v1::SceneChange& message,
                                          absl::Span<const RigidBodyPtr> shapes) {
  SceneEdit edit;
  edit.removed.assign(message.removed_bodies().begin(), message.removed_bodies().end());
  absl::Status status = ReadBodies(message.bodies(), shapes, &edit.bodies);
  if (status.ok()) status = ReadPoses(message.poses(), &edit.poses);
  if (status.ok())
    status = Under("removed_rules",
                   ReadRules(message.removed_rules(), RulesThat::kGo, &edit.removed_rules));
  if (status.ok())
    status = Under("rules", ReadRules(message.rules(), RulesThat::kCome, &edit.rules));
  if (!status.ok()) return status;
  return edit;
}

absl::Status RequireRuleKinds(const v1::SceneChange& change) {
  const v1::PairRuleColumns& rules = change.rules();
  if (!rules.kinds().empty()) return absl::OkStatus();
  const auto margin = std::ranges::find_if(rules.margins(), [](double m) { return m != 0; });
  if (margin == rules.margins().end()) return absl::OkStatus();
  const auto row = static_cast<std::size_t>(margin - rules.margins().begin());
  return RefuseArgument(
      {.reason = Reason::kFieldMissing,
       .field = "rules.kinds",
       .value = "none, with " + Indexed("margins", row) + " = " + FormatNumber(*margin),
       .limit = "PAIR_RULE_KIND_MARGIN for a rule with a margin",
       .message = "Without a kind a rule lets its pair touch; give each rule its kind."});
}

absl::StatusOr<ScenePtr> ApplyEdit(const ScenePtr& scene, const SceneEdit& edit,
                                   const EditLimits& limits) {
  if (edit.empty()) return scene;
  const bool has_rules = !edit.rules.empty() || !edit.removed_rules.empty();
  PairRules rules;
  if (has_rules) rules = RulesAfter(scene->rules(), edit);
  absl::Status status = CheckMost(
      rules.rules().size(), limits.rules,
      {.reason = Reason::kTooManyRules, .field = "rules.count", .message = limits.advice});
  if (!status.ok()) return status;
  const SceneOrFault next = scene->Apply({.remove = edit.removed,
                                          .put = edit.bodies,
                                          .move = edit.poses,
                                          .rules = has_rules ? &rules : nullptr});
  if (const auto* const fault = std::get_if<SceneFault>(&next)) return RefuseFault(*fault, edit);
  const auto& made = std::get<ScenePtr>(next);
  if (made->size() <= scene->size()) return made;
  status = CheckMost(
      made->size(), limits.bodies,
      {.reason = Reason::kTooManyBodies, .field = "bodies.count", .message = limits.advice});
  if (!status.ok()) return status;
  return made;
}

std::optional<BodyId> FillBodies(const Scene& scene, const BodyRange& range,
                                 v1::BodyColumns* columns) {
  std::vector<std::pair<BodyId, std::size_t>> found;
  for (std::size_t i = 0; i < scene.size(); ++i) {
    const BodyId id = scene.BodyAt(i).id;
    if (id >= range.first) found.emplace_back(id, i);
  }
  std::optional<BodyId> next;
  if (found.size() > range.most) {
    const auto end = found.begin() + static_cast<std::ptrdiff_t>(range.most);
    std::ranges::nth_element(found, end);
    next = end->first;
    found.resize(range.most);
  }
  std::ranges::sort(found);
  std::vector<SceneBody> bodies;
  bodies.reserve(found.size());
  for (const auto& [id, place] : found) bodies.push_back(scene.BodyAt(place));
  WriteBodies(bodies, columns);
  return next;
}

void FillRules(absl::Span<const PairRule> rules, v1::PairRuleColumns* columns) {
  for (const PairRule& rule : rules) {
    columns->add_bodies_a(rule.a);
    columns->add_bodies_b(rule.b);
    columns->add_kinds(rule.is_allowed ? v1::PAIR_RULE_KIND_MAY_TOUCH : v1::PAIR_RULE_KIND_MARGIN);
    columns->add_margins(rule.is_allowed ? 0 : rule.margin);
  }
  columns->set_count(static_cast<std::uint32_t>(rules.size()));
}

void FillDiff(const SceneDiff& diff, v1::SceneChange* change) {
  change->mutable_removed_bodies()->Add(diff.removed.begin(), diff.removed.end());
  if (!diff.put.empty()) WriteBodies(diff.put, change->mutable_bodies());
  if (!diff.moved.empty()) FillPoses(diff.moved, change->mutable_poses());
  if (!diff.removed_rules.empty()) FillRules(diff.removed_rules, change->mutable_removed_rules());
  if (!diff.rules.empty()) FillRules(diff.rules, change->mutable_rules());
}

std::string SerializeWhole(const Scene& scene) {
  v1::SceneChange whole;
  FillBodies(scene, {.first = 0, .most = scene.size()}, whole.mutable_bodies());
  FillRules(scene.rules().rules(), whole.mutable_rules());
  return whole.SerializeAsString();
}

void FillSceneInfo(const SceneState& state, v1::SceneInfo* info) {
  info->set_name(state.name);
  info->set_revision(state.revision);
  info->set_etag(state.etag());
  info->set_body_count(static_cast<std::uint32_t>(state.scene->size()));
  info->set_rule_count(static_cast<std::uint32_t>(state.scene->rules().rules().size()));
  info->set_oldest_revision(state.oldest_revision);
  info->set_bytes(state.bytes);
  if (!state.ttl.has_value()) return;
  *info->mutable_ttl() =
      google::protobuf::util::TimeUtil::NanosecondsToDuration(state.ttl->count());
}

}  // namespace clearance::server
