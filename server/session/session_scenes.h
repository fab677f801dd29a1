// SPDX-License-Identifier: Apache-2.0
//
// The scenes of a session, or of one unary call: the revisions that it holds by slot, its own
// bodies and rules, and the track that it publishes of these bodies (session_track.cc).

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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
#include "server/registry/track_registry.h"
#include "server/session/call_scope.h"
#include "server/session/session_room.h"

namespace clearance::server {

// Returns a refusal as one line, for later messages that depend on the refused one.
std::string ReasonOf(const absl::Status& status);

// RESOURCE_EXHAUSTED of `field` if a session has no such slot.
absl::Status CheckSlot(std::uint32_t slot, const char* field, const NamedLimit& limit);

// FAILED_PRECONDITION of `field` if opening the slot failed: then `failure` says why. NOT_FOUND,
// with `message`, if it is empty.
absl::Status RefuseSlot(const std::string& field, std::uint32_t slot, const std::string& failure,
                        const char* message);

// The caller's bodies, with their rules.
struct QueryBodies {
  const PairRules& rules() const { return all->rules(); }

  ScenePtr all = Scene::MakeEmpty();
  // In the order of their ids; not null.
  std::shared_ptr<const std::vector<SceneBody>> bodies =
      std::make_shared<const std::vector<SceneBody>>();
  // The inline shapes that bodies hold, whatever is in the slots by now, each with its bytes.
  absl::flat_hash_map<const RigidBody*, std::uint64_t> owned;
  std::uint64_t owned_bytes = 0;  // of all of them
};

// Thread-compatible.
class SessionScenes {
 public:
  // The scope, `room` and `holds` outlive this. A session's holdings count for its caller, its
  // query bodies take their memory from `room`, and `holds`, which may be null, is told of all that
  // holds shapes. Without a room all ends with one call.
  explicit SessionScenes(const CallScope& call, SessionRoom* room = nullptr,
                         ShapeHolders::Session* holds = nullptr)
      : call_(call), room_(room), holds_(holds) {}
  ~SessionScenes() { EndTrack(); }
  SessionScenes(const SessionScenes&) = delete;
  SessionScenes& operator=(const SessionScenes&) = delete;

  absl::Status Open(const v1::OpenScene& open, v1::OpenSceneResult* result);
  absl::Status Close(const v1::CloseScene& close, v1::CloseSceneResult* result);
  // Makes the whole change or none of it. Shapes are slots of the table.
  absl::Status Change(const v1::ChangeBodies& change, const ShapeTable& table,
                      v1::ChangeBodiesResult* result);
  absl::Status Rewind(const v1::RewindTrack& rewind, v1::RewindTrackResult* result);
  absl::Status OpenTrack(const v1::OpenTrack& open, v1::OpenTrackResult* result);
  // Publishes a tick of all query bodies.
  absl::Status Publish(const v1::PublishTick& publish, v1::PublishTickResult* result);
  absl::Status CloseTrack(v1::CloseTrackResult* result);
  // Ends the track, if one is open, so that no caller finds it.
  void EndTrack();
  // The same, if the caller may no longer publish it: called when the rules have changed.
  void EndTrackUnlessAllowed();
  std::uint64_t CostOf(const v1::RewindTrack& rewind) const;
  // Returns the cost of a change in units of kMaxCheapCost, from the columns that came: their
  // counts are unchecked.
  std::uint64_t CostOf(const v1::ChangeBodies& change, const ShapeTable& table) const;
  // Must be called after an open, a rewind or a change of a session that fails for this reason.
  void DeclineOpen(std::uint32_t slot, const absl::Status& reason) {
    if (CheckSceneSlot(slot).ok()) Put(slot, {nullptr, 0, ReasonOf(reason)});
  }
  void DeclineChange(const absl::Status& reason) {
    if (own_failure_.empty()) own_failure_ = ReasonOf(reason);
  }
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

  // Returns the bytes of the inline shapes that query bodies hold.
  std::uint64_t owned_bytes() const { return own_.owned_bytes; }

 private:
  struct Slot {
    ScenePtr scene;  // null: closed, or poisoned
    std::uint64_t revision = 0;
    std::string failure;  // of a poisoned one
    HeldPtr held = nullptr;
    std::string name = {};  // of the scene, and how it was rewound
  };

  absl::Status CheckSceneSlot(std::uint32_t slot) const {
    return CheckSlot(slot, "scene_slot",
                     {"max_session_scenes", call_.parts.limits.max_session_scenes});
  }
  // Returns an empty one for a slot that was never opened.
  const Slot& At(std::uint32_t slot) const;
  // Requires: CheckSceneSlot.
  void Put(std::uint32_t slot, Slot content);
  void Clear(std::uint32_t slot) {
    if (slot < slots_.size()) Put(slot, {});
  }
  // Returns an empty scene if no slot is asked about.
  absl::StatusOr<AskedScene> Find(std::optional<std::uint32_t> slot, const char* field) const;
  // FAILED_PRECONDITION of `field` if the last change of the query bodies failed.
  absl::Status RequireOwn(const char* field) const;
  absl::Status RequirePublisher(std::string_view name) const;
  absl::Status RequireTrack() const;

  const CallScope& call_;
  SessionRoom* const room_;
  ShapeHolders::Session* const holds_;
  std::vector<Slot> slots_;
  QueryBodies own_;
  std::string own_failure_;  // why query bodies are in doubt; empty: they are not
  TrackPtr track_;           // null: none
  std::optional<ShareLedger::Part> track_place_;
};

}  // namespace clearance::server
