// SPDX-License-Identifier: Apache-2.0

#include "server/convert/scene_change.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "core/math/tolerance.h"
#include "server/convert/body_defaults.h"
#include "server/engine/rows.h"
#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

using google::protobuf::RepeatedField;

constexpr int kMayTouch = v1::PAIR_RULE_KIND_MAY_TOUCH;

std::string At(const char* column, std::size_t row) {
  return std::string(column) + "[" + FormatNumber(std::uint64_t{row}) + "]";
}

// The columns of one table; the first that does not fit its count is remembered.
// Thread-compatible.
class SceneColumns {
 public:
  explicit SceneColumns(std::uint32_t count) : count_(count) {}

  // One row for each, and no default.
  template <class T>
  Rows<T> Need(const char* name, const RepeatedField<T>& column, std::size_t width = 1) {
    const auto size = static_cast<std::uint64_t>(column.size());
    if (size != width * count_) Fail(name, size, FormatNumber(width * count_) + " numbers");
    return {column.data(), width};
  }

  template <class T>
  Rows<T> Read(const char* name, const RepeatedField<T>& column, const T* fallback,
               std::size_t width = 1) {
    const auto size = static_cast<std::uint64_t>(column.size());
    if (size == 0) return {fallback, 0};
    if (size == width) return {column.data(), 0};
    if (size == width * count_) return {column.data(), width};
    Fail(name, size,
         "0, " + FormatNumber(std::uint64_t{width}) + " (one row for all) or " +
             FormatNumber(width * count_) + " numbers (count rows)");
    return {fallback, 0};
  }

  const absl::Status& status() const { return status_; }

 private:
  void Fail(const char* name, std::uint64_t size, const std::string& limit) {
    status_.Update(RefuseArgument({.reason = Reason::kColumnLength,
                                   .field = name,
                                   .value = FormatNumber(size) + " numbers",
                                   .limit = limit,
                                   .message = "The column does not fit `count`."}));
  }

  const std::uint64_t count_;
  absl::Status status_;
};

absl::Status ReadBodies(const v1::BodyColumns& message, absl::Span<const RigidBodyPtr> shapes,
                        std::vector<SceneBody>* bodies) {
  SceneColumns columns(message.count());
  const auto ids = columns.Need("bodies.ids", message.ids());
  const auto slots = columns.Read("bodies.shape_slots", message.shape_slots(), &kFirstSlot);
  const auto poses = columns.Read("bodies.poses", message.poses(), kAtOrigin.data(), kPoseNumbers);
  const auto groups = columns.Read("bodies.groups", message.groups(), &kDefaultGroups);
  const auto masks = columns.Read("bodies.masks", message.masks(), &kAllGroups);
  const auto margins = columns.Read("bodies.margins", message.margins(), &kNoMargin);
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
           .field = At("bodies.shape_slots", slots.stride == 0 ? 0 : i),
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
  SceneColumns columns(message.count());
  const auto ids = columns.Need("poses.ids", message.ids());
  const auto poses = columns.Need("poses.poses", message.poses(), kPoseNumbers);
  if (!columns.status().ok()) return columns.status();
  moved->reserve(message.count());
  for (std::uint32_t i = 0; i < message.count(); ++i)
    moved->push_back({*ids.at(i), PoseAt(poses, i)});
  return absl::OkStatus();
}

// A query body may touch the scene's body of its id, as it is that body; it has no margin from it.
absl::Status CheckPair(const PairRule& rule, std::size_t i) {
  if (rule.a != rule.b || rule.is_allowed) return absl::OkStatus();
  return RefuseArgument({.reason = Reason::kFieldsConflict,
                         .field = At("bodies_b", i),
                         .value = FormatNumber(std::uint64_t{rule.b}),
                         .limit = "another body than the row's first, or PAIR_RULE_KIND_MAY_TOUCH",
                         .message = "A margin is one between two bodies."});
}

absl::Status CheckRule(const PairRule& rule, int kind, std::size_t i) {
  if (kind != v1::PAIR_RULE_KIND_MAY_TOUCH && kind != v1::PAIR_RULE_KIND_MARGIN) {
    return RefuseArgument({.reason = Reason::kKindUnknown,
                           .field = At("kinds", i),
                           .value = std::to_string(kind),
                           .limit = "PAIR_RULE_KIND_MAY_TOUCH or PAIR_RULE_KIND_MARGIN",
                           .message = "The server knows no such rule."});
  }
  if (absl::Status status = CheckPair(rule, i); !status.ok()) return status;
  if (rule.margin >= 0 && rule.margin <= kLargestMargin) return absl::OkStatus();  // no for NaN
  return RefuseArgument({.reason = Reason::kNumberOutOfRange,
                         .field = At("margins", i),
                         .value = FormatNumber(rule.margin),
                         .limit = "0 to 1e300",
                         .message = "invalid margin: send a number from 0 to 1e300"});
}

// Only the pairs of removed rules matter.
enum class RulesThat { kCome, kGo };
absl::Status ReadRules(const v1::PairRuleColumns& message, RulesThat that,
                       std::vector<PairRule>* rules) {
  SceneColumns columns(message.count());
  const auto bodies_a = columns.Need("bodies_a", message.bodies_a());
  const auto bodies_b = columns.Need("bodies_b", message.bodies_b());
  const auto kinds = columns.Read<int>("kinds", message.kinds(), &kMayTouch);
  const auto margins = columns.Read("margins", message.margins(), &kNoMargin);
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

double FarthestCoordinate(const Pose& pose) {
  return std::fmax(std::fabs(pose.p_WS.x),
                   std::fmax(std::fabs(pose.p_WS.y), std::fabs(pose.p_WS.z)));
}

// The first number of a pose that is not finite, or the length of its quaternion.
absl::Status RefusePose(const std::string& field, const Pose& pose) {
  const Quaternion& q = pose.q_WS;
  for (const double number : {pose.p_WS.x, pose.p_WS.y, pose.p_WS.z, q.x, q.y, q.z, q.w}) {
    if (std::isfinite(number)) continue;
    return RefuseArgument({.reason = Reason::kNumberNotFinite,
                           .field = field,
                           .value = FormatNumber(number),
                           .limit = "finite",
                           .message = "A number of the pose is not finite."});
  }
  return RefuseArgument(
      {.reason = Reason::kQuaternionNotUnit,
       .field = field,
       .value = FormatNumber(std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w)),
       .limit = "unit length within 0.001",
       .message = "The quaternion is not of unit length."});
}

}  // namespace

absl::Status RefusePlace(SceneFault::Kind fault, const std::string& field, const Pose& pose) {
  if (fault == SceneFault::Kind::kPose) return RefusePose(field, pose);
  return RefuseArgument({.reason = Reason::kCoordinateTooLarge,
                         .field = field,
                         .value = FormatNumber(FarthestCoordinate(pose)),
                         .limit = "8 times every coordinate of the posed shape is a finite double",
                         .message = "The shape would lie too far out to be represented."});
}

namespace {

// Which body of the change is at fault, where it is named and where it should stand.
struct FaultyRow {
  const char* ids;
  const char* poses;
  BodyId id = 0;
  Pose pose;
  double margin = 0;
};

FaultyRow RowOf(const SceneFault& fault, const SceneEdit& edit) {
  switch (fault.list) {
    case SceneFault::List::kRemove:
      return {"removed_bodies", "removed_bodies", edit.removed[fault.index], Pose(), 0};
    case SceneFault::List::kPut: {
      const SceneBody& body = edit.bodies[fault.index];
      return {"bodies.ids", "bodies.poses", body.id, body.X_WB, body.margin};
    }
    case SceneFault::List::kMove:
      break;
  }
  const BodyPose& moved = edit.poses[fault.index];
  return {"poses.ids", "poses.poses", moved.id, moved.X_WB, 0};
}

struct NamedLimit {
  const char* name;
  std::uint64_t most;
};

absl::Status TooMany(const char* field, std::uint64_t count, const NamedLimit& limit,
                     const char* advice) {
  return Refuse(absl::StatusCode::kResourceExhausted,
                {.reason = std::string_view(field).starts_with("bodies") ? Reason::kTooManyBodies
                                                                         : Reason::kTooManyRules,
                 .field = field,
                 .value = FormatNumber(count),
                 .limit = std::string(limit.name) + " <= " + FormatNumber(limit.most),
                 .message = advice});
}

absl::Status RefuseFault(const SceneFault& fault, const SceneEdit& edit) {
  const FaultyRow row = RowOf(fault, edit);
  switch (fault.kind) {
    case SceneFault::Kind::kUnknownId:
      return RefuseArgument({.reason = Reason::kBodyNotFound,
                             .field = At(row.ids, fault.index),
                             .value = FormatNumber(std::uint64_t{row.id}),
                             .limit = "a body of the scene",
                             .message = "The scene has no such body at this point of the change."});
    case SceneFault::Kind::kPose:
    case SceneFault::Kind::kNotRepresentable:
      return RefusePlace(fault.kind, At(row.poses, fault.index), row.pose);
    case SceneFault::Kind::kMargin:
      return RefuseArgument({.reason = Reason::kNumberOutOfRange,
                             .field = At("bodies.margins", fault.index),
                             .value = FormatNumber(row.margin),
                             .limit = "0 to 1e300",
                             .message = "invalid margin: send a number from 0 to 1e300"});
    case SceneFault::Kind::kTooMany:
      return TooMany("bodies.count", kMostSceneBodies, {"bodies", kMostSceneBodies},
                     "No scene has so many bodies.");
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
  std::vector<std::uint64_t> gone;
  gone.reserve(edit.removed_rules.size());
  for (const PairRule& rule : edit.removed_rules) gone.push_back(KeyOf(rule));
  std::ranges::sort(gone);
  std::vector<PairRule> after;
  after.reserve(before.rules().size() + edit.rules.size());
  for (const PairRule& rule : before.rules()) {
    if (!std::ranges::binary_search(gone, KeyOf(rule))) after.push_back(rule);
  }
  after.insert(after.end(), edit.rules.begin(), edit.rules.end());
  return PairRules(after);
}

void AddPose(const Pose& pose, RepeatedField<double>* column) {
  const Quaternion& q = pose.q_WS;
  for (const double number : {pose.p_WS.x, pose.p_WS.y, pose.p_WS.z, q.x, q.y, q.z, q.w})
    column->Add(number);
}

}  // namespace

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
       .value = "none, with " + At("margins", row) + " = " + FormatNumber(*margin),
       .limit = "PAIR_RULE_KIND_MARGIN for a rule with a margin",
       .message = "Without a kind a rule lets its pair touch; give each rule its kind."});
}

absl::StatusOr<ScenePtr> ApplyEdit(const ScenePtr& scene, const SceneEdit& edit,
                                   const EditLimits& limits) {
  if (edit.empty()) return scene;
  const bool has_rules = !edit.rules.empty() || !edit.removed_rules.empty();
  PairRules rules;
  if (has_rules) rules = RulesAfter(scene->rules(), edit);
  if (rules.rules().size() > limits.rules) {
    return TooMany("rules.count", rules.rules().size(), {limits.rules_name, limits.rules},
                   limits.advice);
  }
  const SceneOrFault next = scene->Apply({.remove = edit.removed,
                                          .put = edit.bodies,
                                          .move = edit.poses,
                                          .rules = has_rules ? &rules : nullptr});
  if (const auto* const fault = std::get_if<SceneFault>(&next)) return RefuseFault(*fault, edit);
  const auto& made = std::get<ScenePtr>(next);
  if (made->size() <= std::max<std::uint64_t>(limits.bodies, scene->size())) return made;
  return TooMany("bodies.count", made->size(), {limits.bodies_name, limits.bodies}, limits.advice);
}

namespace {

// Bodies one after another, each shape in the table once.
class BodyWriter {
 public:
  BodyWriter(const SceneContents& contents, v1::BodyColumns* columns)
      : contents_(contents), columns_(*columns) {}

  void Add(const SceneBody& body) {
    const auto slot = static_cast<std::uint32_t>(columns_.shapes_size());
    const auto [known, is_new] = slots_.try_emplace(body.body.get(), slot);
    if (is_new) columns_.add_shapes()->set_digest(contents_.Of(*body.body)->digest);
    columns_.add_ids(body.id);
    columns_.add_shape_slots(known->second);
    AddPose(body.X_WB, columns_.mutable_poses());
    columns_.add_groups(body.bits.group);
    columns_.add_masks(body.bits.mask);
    columns_.add_margins(body.margin);
    columns_.set_count(columns_.count() + 1);
  }

 private:
  const SceneContents& contents_;
  v1::BodyColumns& columns_;
  absl::flat_hash_map<const RigidBody*, std::uint32_t> slots_;
};

void FillPoses(absl::Span<const BodyPose> moved, v1::BodyPoseColumns* columns) {
  columns->set_count(static_cast<std::uint32_t>(moved.size()));
  for (const BodyPose& body : moved) {
    columns->add_ids(body.id);
    AddPose(body.X_WB, columns->mutable_poses());
  }
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

}  // namespace

std::optional<BodyId> FillBodies(const Scene& scene, const BodyRange& range,
                                 const SceneContents& contents, v1::BodyColumns* columns) {
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
  BodyWriter writer(contents, columns);
  for (const auto& [id, i] : found) writer.Add(scene.BodyAt(i));
  return next;
}

void FillRules(const Scene& scene, v1::PairRuleColumns* columns) {
  FillRules(scene.rules().rules(), columns);
}

void FillDiff(const SceneDiff& diff, const SceneContents& contents, v1::SceneChange* change) {
  change->mutable_removed_bodies()->Add(diff.removed.begin(), diff.removed.end());
  if (!diff.put.empty()) {
    BodyWriter writer(contents, change->mutable_bodies());
    for (const SceneBody& body : diff.put) writer.Add(body);
  }
  if (!diff.moved.empty()) FillPoses(diff.moved, change->mutable_poses());
  if (!diff.removed_rules.empty()) FillRules(diff.removed_rules, change->mutable_removed_rules());
  if (!diff.rules.empty()) FillRules(diff.rules, change->mutable_rules());
}

std::string SerializeWhole(const Scene& scene, const SceneContents& contents) {
  v1::SceneChange whole;
  FillBodies(scene, {.first = 0, .most = scene.size()}, contents, whole.mutable_bodies());
  FillRules(scene, whole.mutable_rules());
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
  constexpr std::int64_t kNanosecondsASecond = 1'000'000'000;
  info->mutable_ttl()->set_seconds(state.ttl->count() / kNanosecondsASecond);
  info->mutable_ttl()->set_nanos(static_cast<int>(state.ttl->count() % kNanosecondsASecond));
}

}  // namespace clearance::server
