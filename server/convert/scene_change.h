// SPDX-License-Identifier: Apache-2.0
//
// Changes of scenes, from messages to what the core applies, and scenes back to messages.

#ifndef CLEARANCE_SERVER_CONVERT_SCENE_CHANGE_H_
#define CLEARANCE_SERVER_CONVERT_SCENE_CHANGE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "clearance/v1/scene.pb.h"
#include "core/scene/scene.h"
#include "core/scene/scene_diff.h"
#include "server/config/limits.h"
#include "server/registry/scene_contents.h"
#include "server/registry/scene_registry.h"

namespace clearance::server {

// A change with everything in it that it refers to.
struct SceneEdit {
  std::vector<BodyId> removed;
  std::vector<SceneBody> bodies;
  std::vector<BodyPose> poses;
  std::vector<PairRule> removed_rules;
  std::vector<PairRule> rules;

  bool empty() const {
    return removed.empty() && bodies.empty() && poses.empty() && removed_rules.empty() &&
           rules.empty();
  }
};

// What is wrong with a body's place by itself: INVALID_ARGUMENT of `field`. Requires: the fault is
// kPose or kNotRepresentable.
absl::Status RefusePlace(SceneFault::Kind fault, const std::string& field, const Pose& pose);

// The columns of the message with `shapes[i]` for shape i of its table. INVALID_ARGUMENT naming a
// field of the change where columns do not fit together or a row is bad by itself.
absl::StatusOr<SceneEdit> ReadSceneChange(const v1::SceneChange& message,
                                          absl::Span<const RigidBodyPtr> shapes);

// Refuses rules that have margins and no kinds: they would let their pairs touch. For requests
// only; changes that an earlier version stored may have such rules.
absl::Status RequireRuleKinds(const v1::SceneChange& change);

// How many bodies and rules there may be, by the limits of these names.
struct EditLimits {
  std::uint64_t bodies = 0;
  std::uint64_t rules = 0;
  const char* bodies_name = "max_scene_bodies";
  const char* rules_name = "max_scene_rules";
  const char* advice = "The scene would have too many; make several scenes of it.";
};

// The next revision; the same one of an empty edit. INVALID_ARGUMENT naming a field of the change,
// RESOURCE_EXHAUSTED beyond a limit.
absl::StatusOr<ScenePtr> ApplyEdit(const ScenePtr& scene, const SceneEdit& edit,
                                   const EditLimits& limits);
inline absl::StatusOr<ScenePtr> ApplyEdit(const ScenePtr& scene, const SceneEdit& edit,
                                          const Limits& limits) {
  return ApplyEdit(scene, edit, EditLimits{limits.max_scene_bodies, limits.max_scene_rules});
}

// The bodies whose ids are `first` or more, and of these the `most` with the lowest ids.
struct BodyRange {
  std::uint64_t first = 0;
  std::size_t most = 0;
};
// These bodies in the order of their ids, their shapes named by digest. The id that comes after
// them, if there is one.
std::optional<BodyId> FillBodies(const Scene& scene, const BodyRange& range,
                                 const SceneContents& contents, v1::BodyColumns* columns);
void FillRules(const Scene& scene, v1::PairRuleColumns* columns);

// As a change; shapes are named by digest.
void FillDiff(const SceneDiff& diff, const SceneContents& contents, v1::SceneChange* change);

// All of a scene as one change of an empty one.
std::string SerializeWhole(const Scene& scene, const SceneContents& contents);

void FillSceneInfo(const SceneState& state, v1::SceneInfo* info);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_CONVERT_SCENE_CHANGE_H_
