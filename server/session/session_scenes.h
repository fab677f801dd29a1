// SPDX-License-Identifier: Apache-2.0
//
// The scenes of a session, or of one unary call: the revisions that it holds by slot, and its own
// bodies and rules.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clearance/v1/scene_query.pb.h"
#include "clearance/v1/track.pb.h"
#include "core/scene/scene.h"
#include "server/engine/shape_table.h"
#include "server/kinds/scene_kinds.h"
#include "server/registry/holders.h"
#include "server/schedule/work.h"
#include "server/session/call_scope.h"
#include "server/session/session_room.h"

namespace clearance::server {

// Returns a refusal as one line, for later messages that depend on the refused one. It has at most
// kMostReasonBytes, so that stored refusals are bounded.
inline constexpr std::size_t kMostReasonBytes = 256;
std::string ReasonOf(const absl::Status& status);

// RESOURCE_EXHAUSTED of `field` if a session has no such slot.
absl::Status CheckSlot(std::uint32_t slot, const char* field, const NamedLimit& limit);

// The caller's bodies in the order of their ids, with their rules.
class QueryBodies {
 public:
  // Takes its memory from the room, which outlives this; null: it ends with the call.
  explicit QueryBodies(SessionRoom* room = nullptr) : room_(room) {}

  // Makes the whole change or none of it: INVALID_ARGUMENT naming one of its fields,
  // RESOURCE_EXHAUSTED beyond a limit. Shapes are slots of the table.
  absl::Status Change(const v1::ChangeBodies& whole, const ShapeTable& table, const Limits& limits);

  // Returns the bytes of the inline shapes that bodies hold, whatever is in the slots by now.
  std::uint64_t owned_bytes() const { return owned_bytes_; }

  absl::Span<const SceneBody> bodies() const { return *bodies_; }
  // The same, for use beyond the next change.
  const std::shared_ptr<const std::vector<SceneBody>>& shared_bodies() const { return bodies_; }
  const PairRules& rules() const { return all_->rules(); }

 private:
  SessionRoom* room_;
  ScenePtr all_ = Scene::MakeEmpty();
  std::shared_ptr<const std::vector<SceneBody>> bodies_ =
      std::make_shared<const std::vector<SceneBody>>();
  absl::flat_hash_map<const RigidBody*, std::uint64_t> owned_;  // inline ones, each with its bytes
  std::uint64_t owned_bytes_ = 0;
};

// Thread-compatible.
class SessionScenes {
 public:
  // The scope, `room` and `holds` outlive this. A session's holdings count for its caller, its
  // query bodies take their memory from `room`, and `holds`, which may be null, is told of all that
  // holds shapes. Without a room all ends with one call.
  explicit SessionScenes(const CallScope& call, SessionRoom* room = nullptr,
                         ShapeHolders::Session* holds = nullptr)
      : call_(call), is_of_session_(room != nullptr), holds_(holds), own_(room) {}

  absl::Status Open(const v1::OpenScene& open, v1::OpenSceneResult* result);
  absl::Status Close(const v1::CloseScene& close, v1::CloseSceneResult* result);
  absl::Status Change(const v1::ChangeBodies& change, const ShapeTable& table,
                      v1::ChangeBodiesResult* result);
  absl::Status Rewind(const v1::RewindTrack& rewind, v1::RewindTrackResult* result);
  std::uint64_t CostOf(const v1::RewindTrack& rewind) const;
  // Returns the cost of a change in units of kMaxCheapCost, from the columns that came: their
  // counts are unchecked.
  std::uint64_t CostOf(const v1::ChangeBodies& change, const ShapeTable& table) const;
  // Must be called after an open, a rewind or a change of a session that fails for this reason.
  void DeclineOpen(std::uint32_t slot, const absl::Status& reason);
  void DeclineChange(const absl::Status& reason);
  // Acts as if each open scene, and the query bodies, had met such a failure.
  void DeclineAll(const absl::Status& reason);

  // Return the scene and bodies of a question, valid until the next open, close or change.
  // NOT_FOUND if the slot is not open, FAILED_PRECONDITION if opening it, or the last change of
  // bodies, failed.
  absl::StatusOr<AskedScene> Asked(const v1::ConfigurationColumns& configurations) const;
  template <class Batch>
  absl::StatusOr<AskedScene> Asked(const Batch& batch) const {
    return Find(batch.scene_slot(), "scene_slot");
  }

  // Returns the query bodies, unless a change of them failed: FAILED_PRECONDITION of `field`.
  absl::StatusOr<const QueryBodies*> RequireOwn(const char* field) const;

  std::uint64_t owned_bytes() const { return own_.owned_bytes(); }

 private:
  struct Slot {
    ScenePtr scene;  // null: closed, or poisoned
    std::uint64_t revision = 0;
    std::string failure;  // of a poisoned one
    HeldPtr held = nullptr;
    std::string name = {};  // of the scene, and how it was rewound
  };

  absl::Status CheckSceneSlot(std::uint32_t slot) const;
  void Put(std::uint32_t slot, Slot content);
  void Clear(std::uint32_t slot);
  absl::StatusOr<HeldPtr> HoldOwn(const Scene& scene) const;
  absl::StatusOr<Slot> BaseOf(const v1::RewindTrack& rewind) const;
  absl::StatusOr<AskedScene> Find(std::uint32_t slot, const char* field) const;

  const CallScope& call_;
  const bool is_of_session_;
  ShapeHolders::Session* const holds_;
  std::vector<Slot> slots_;
  QueryBodies own_;
  std::string own_failure_;  // why query bodies are in doubt; empty: they are not
};

}  // namespace clearance::server
