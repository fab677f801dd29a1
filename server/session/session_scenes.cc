// SPDX-License-Identifier: Apache-2.0

#include "server/session/session_scenes.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/scene/scene_query.h"
#include "server/convert/scene_change.h"
#include "server/guard/quota.h"
#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

absl::Status RequireShapes(const v1::BodyColumns& columns, const ShapeTable& table) {
  if (columns.shapes_size() > 0) {
    return RefuseArgument({.reason = Reason::kFieldsConflict,
                           .field = "bodies.shapes",
                           .value = FormatNumber(static_cast<std::uint64_t>(columns.shapes_size())),
                           .limit = "0: `shape_slots` are those of the session",
                           .message = "Query bodies take their shapes from the session's slots."});
  }
  if (columns.count() == 0) return absl::OkStatus();
  const int count = std::max(1, columns.shape_slots_size());
  for (int i = 0; i < count; ++i) {
    const std::uint32_t slot = columns.shape_slots_size() == 0 ? 0 : columns.shape_slots(i);
    const SlotState state = table.state(slot);
    if (state == SlotState::kOpen) continue;
    return RefuseSlot(Indexed("bodies.shape_slots", i), slot,
                      state == SlotState::kPoisoned ? table.failure(slot) : "",
                      "There is no shape in this slot; open one.");
  }
  return absl::OkStatus();
}

using OwnedBytes = absl::flat_hash_map<const RigidBody*, std::uint64_t>;

// Returns the inline shapes of the bodies: those known before, or in the slots now.
OwnedBytes OwnedOf(absl::Span<const SceneBody> bodies, const OwnedBytes& before,
                   const ShapeTable& table) {
  OwnedBytes known = before;
  for (std::uint32_t slot = 0; slot < table.size(); ++slot) {
    if (table.owned_bytes(slot) > 0) known[table.body(slot)] = table.owned_bytes(slot);
  }
  OwnedBytes owned;
  for (const SceneBody& body : bodies) {
    if (const auto found = known.find(body.body.get()); found != known.end()) owned.insert(*found);
  }
  return owned;
}

std::uint64_t BytesOf(const QueryBodies& own) {
  constexpr std::uint64_t kOfOwned = 48;  // of an entry of the table of inline shapes
  return own.all->byte_size() + own.bodies->size() * sizeof(SceneBody) +
         own.owned.size() * kOfOwned + own.owned_bytes;
}

// Returns the bodies after a change: INVALID_ARGUMENT naming one of its fields, RESOURCE_EXHAUSTED
// beyond a limit.
absl::StatusOr<QueryBodies> Changed(const QueryBodies& before, const v1::ChangeBodies& whole,
                                    const ShapeTable& table, const Limits& limits) {
  const v1::SceneChange& change = whole.change();
  if (absl::Status status = RequireShapes(change.bodies(), table); !status.ok()) return status;
  std::vector<RigidBodyPtr> shapes;  // null: not open
  for (std::uint32_t i = 0; i < table.size(); ++i) shapes.push_back(table.shared_body(i));
  auto edit = ReadSceneChange(change, shapes);
  if (!edit.ok()) return edit.status();
  if (absl::Status status = RequireRuleKinds(change); !status.ok()) return status;
  for (const BodyId id : whole.same_as_scene())
    edit->rules.push_back({.a = id, .b = id, .is_allowed = true});
  auto next = ApplyEdit(whole.reset() ? Scene::MakeEmpty() : before.all, *edit,
                        EditLimits{.bodies = {"max_session_bodies", limits.max_session_bodies},
                                   .rules = {"max_session_rules", limits.max_session_rules},
                                   .advice = "There would be too many; detach some, or make a "
                                             "scene of those that rest."});
  if (!next.ok()) return next.status();
  std::vector<SceneBody> bodies;
  for (std::size_t i = 0; i < (*next)->size(); ++i) bodies.push_back((*next)->BodyAt(i));
  std::ranges::sort(bodies, {}, &SceneBody::id);
  QueryBodies after = {.all = *std::move(next), .owned = OwnedOf(bodies, before.owned, table)};
  for (const auto& [body, size] : after.owned) after.owned_bytes += size;
  after.bodies = std::make_shared<const std::vector<SceneBody>>(std::move(bodies));
  if (after.owned_bytes <= before.owned_bytes) return after;
  absl::Status status =
      CheckMost(table.owned_bytes() + after.owned_bytes,
                {"max_session_shape_bytes", limits.max_session_shape_bytes},
                {.reason = Reason::kSessionShapesTooLarge,
                 .field = "bodies.shape_slots",
                 .unit = " bytes",
                 .message = "The session's slots and its bodies hold too many inline shapes; close "
                            "slots, detach bodies, or register the shapes."});
  if (!status.ok()) return status;
  return after;
}

}  // namespace

std::string ReasonOf(const absl::Status& status) {
  constexpr std::size_t kMostBytes = 256;  // of each that is stored
  constexpr std::string_view kLeftOut = "...";
  const v1::Error error = ErrorOf(status);
  std::string reason = absl::StatusCodeToString(status.code());
  if (!error.field().empty())
    reason.append(" ").append(error.field()).append(" = ").append(error.value());
  reason.append(": ").append(error.message());
  if (reason.size() <= kMostBytes) return reason;
  std::size_t end = kMostBytes - kLeftOut.size();
  // Cuts at whole characters of UTF-8.
  while (end > 0 && (static_cast<unsigned char>(reason[end]) & 0xC0) == 0x80) --end;
  return reason.erase(end).append(kLeftOut);
}

absl::Status CheckSlot(std::uint32_t slot, const char* field, const NamedLimit& limit) {
  if (slot < limit.most) return absl::OkStatus();
  return Refuse(absl::StatusCode::kResourceExhausted,
                {.reason = Reason::kSlotTooHigh,
                 .field = field,
                 .value = FormatNumber(std::uint64_t{slot}),
                 .limit = std::string(limit.name) + ": < " + FormatNumber(limit.most),
                 .message = "The session has no such slot; use a lower one."});
}

absl::Status RefuseSlot(const std::string& field, std::uint32_t slot, const std::string& failure,
                        const char* message) {
  const bool has_failed = !failure.empty();
  return Refuse(has_failed ? absl::StatusCode::kFailedPrecondition : absl::StatusCode::kNotFound,
                {.reason = has_failed ? Reason::kSlotInvalid : Reason::kSlotNotOpen,
                 .field = field,
                 .value = FormatNumber(std::uint64_t{slot}),
                 .limit = "an open slot",
                 .message = has_failed ? "Opening this slot failed: " + failure : message});
}

const SessionScenes::Slot& SessionScenes::At(std::uint32_t slot) const {
  static const Slot kNeverOpened = {};
  return slot < slots_.size() ? slots_[slot] : kNeverOpened;
}

void SessionScenes::Put(std::uint32_t slot, Slot content) {
  if (slot >= slots_.size()) slots_.resize(std::size_t{slot} + 1);
  slots_[slot] = std::move(content);
  if (holds_ != nullptr) holds_->PutScene(slot, slots_[slot].scene);
}

absl::Status SessionScenes::Open(const v1::OpenScene& open, v1::OpenSceneResult* result) {
  if (absl::Status status = CheckSceneSlot(open.scene_slot()); !status.ok()) return status;
  if (absl::Status status = RequireProcessorTime(call_); !status.ok()) return status;
  // The slot's old content no longer counts: it never keeps the next from being opened.
  Clear(open.scene_slot());
  const auto found = ScenesOf(call_).Find(open.name(), "name", open.revision());
  if (!found.ok()) return found.status();
  if (absl::Status status = RequireReached(open.min_revision(), found->revision, "scene");
      !status.ok())
    return status;
  HeldPtr held;
  if (room_ != nullptr) {
    auto taken = call_.parts.scenes->held().Take(found->held, call_.caller.holder());
    if (!taken.ok()) return taken.status();
    held = *std::move(taken);
  }
  Put(open.scene_slot(), {found->scene, found->revision, "", std::move(held), open.name()});
  result->set_scene_slot(open.scene_slot());
  FillSceneInfo(*found, result->mutable_scene());
  return absl::OkStatus();
}

absl::Status SessionScenes::Close(const v1::CloseScene& close, v1::CloseSceneResult* result) {
  const std::uint32_t slot = close.scene_slot();
  if (At(slot).scene == nullptr && At(slot).failure.empty())
    return RefuseSlot("scene_slot", slot, "", "There is nothing in this slot to close.");
  Clear(slot);
  result->set_scene_slot(slot);
  return absl::OkStatus();
}

absl::Status SessionScenes::Change(const v1::ChangeBodies& change, const ShapeTable& table,
                                   v1::ChangeBodiesResult* result) {
  absl::Status status = RequireProcessorTime(call_);
  if (status.ok() && !change.reset()) status = RequireOwn("reset");
  const Limits& limits = call_.parts.limits;
  if (status.ok()) {
    status = CheckMost(change.same_as_scene_size(), {"max_session_rules", limits.max_session_rules},
                       {.reason = Reason::kTooManyRules,
                        .field = "same_as_scene",
                        .message = "The change lists too many bodies; each takes a rule."});
  }
  if (!status.ok()) return status;
  auto changed = Changed(own_, change, table, limits);
  status = changed.status();
  if (status.ok() && room_ != nullptr)
    status = room_->Require(SessionRoom::Use::kQueryBodies, BytesOf(*changed), "bodies");
  if (!status.ok()) return Under("change", status);
  own_ = *std::move(changed);
  if (holds_ != nullptr) holds_->PutOwn(own_.bodies);
  own_failure_.clear();
  result->set_body_count(static_cast<std::uint32_t>(own_.bodies->size()));
  result->set_rule_count(static_cast<std::uint32_t>(own_.rules().rules().size()));
  return absl::OkStatus();
}

void SessionScenes::DeclineAll(const absl::Status& reason) {
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    if (slots_[slot].scene != nullptr) Put(slot, {nullptr, 0, ReasonOf(reason)});
  }
  DeclineChange(reason);
}

absl::StatusOr<AskedScene> SessionScenes::Find(std::optional<std::uint32_t> slot,
                                               const char* field) const {
  static const ScenePtr kNothing = Scene::MakeEmpty();
  if (!slot) return AskedScene{.scene = kNothing.get(), .bodies = {}};
  const auto& [scene, revision, failure, held, name] = At(*slot);
  if (scene == nullptr)
    return RefuseSlot(field, *slot, failure, "There is no scene in this slot; open one.");
  return AskedScene{.scene = scene.get(), .revision = revision, .name = name, .bodies = {}};
}

absl::Status SessionScenes::RequireOwn(const char* field) const {
  if (own_failure_.empty()) return absl::OkStatus();
  return Refuse(absl::StatusCode::kFailedPrecondition,
                {.reason = Reason::kQueryBodiesInvalid,
                 .field = field,
                 .value = "query bodies in doubt",
                 .limit = "a change with `reset` that succeeds",
                 .message = "A change of the session's query bodies failed: " + own_failure_});
}

absl::StatusOr<AskedScene> SessionScenes::Asked(
    const v1::ConfigurationColumns& configurations) const {
  if (absl::Status status = RequireOwn("configurations"); !status.ok()) return status;
  std::optional<std::uint32_t> slot;
  if (configurations.has_scene_slot()) slot = configurations.scene_slot();
  auto asked = Find(slot, "configurations.scene_slot");
  if (!asked.ok()) return asked;
  asked->bodies = *own_.bodies;
  asked->rules = &own_.rules();
  if (!slot || configurations.pair_scope() == v1::PAIR_SCOPE_SELF) return asked;
  // A query body that would make no pair with the scene's body of its id.
  const std::optional<BodyId> id = FindUnsaidNamesake(*asked->scene, asked->bodies, asked->rules);
  if (!id) return asked;
  return RefuseArgument(
      {.reason = Reason::kBodyIdInScene,
       .field = "bodies.ids",
       .value = FormatNumber(std::uint64_t{*id}),
       .limit = "an id that the scene does not have, or one of `same_as_scene`",
       .message =
           "A query body has the id of a body of the scene, so no question is about the two. "
           "Give it another id. If it is that body, list the id in `same_as_scene`."});
}

std::uint64_t SessionScenes::CostOf(const v1::ChangeBodies& change, const ShapeTable& table) const {
  constexpr std::uint64_t kUnitsABody = 10;
  // Bodies, slots or rules a unit, of those held already and looked at.
  constexpr std::uint64_t kHeldAUnit = 8;
  const v1::SceneChange& what = change.change();
  std::uint64_t cost = (own_.bodies->size() + table.size()) / kHeldAUnit;
  for (const int bodies : {what.bodies().ids_size(), what.poses().ids_size()})
    cost += kUnitsABody * static_cast<std::uint64_t>(bodies);
  cost += static_cast<std::uint64_t>(what.removed_bodies_size()) / kHeldAUnit;
  for (const int rules : {what.rules().bodies_a_size(), what.removed_rules().bodies_a_size(),
                          change.same_as_scene_size()}) {
    cost += static_cast<std::uint64_t>(rules);
    // Every rule is sorted again with each rule that changes.
    if (rules > 0) cost += own_.rules().rules().size() / kHeldAUnit;
  }
  return cost;
}

}  // namespace clearance::server
