// SPDX-License-Identifier: Apache-2.0
//
// Converts messages into changes of scenes that the core applies, and scenes back into messages.

#pragma once

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
#include "server/guard/refusal.h"
#include "server/registry/registry.h"
#include "server/registry/scene_registry.h"

namespace clearance::server {

// Holds a change together with everything that it refers to.
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

// Returns INVALID_ARGUMENT of `column[i]` for a pose that is bad by itself or else because the
// body would lie too far out.
absl::Status RefusePlace(const char* column, std::size_t i, const Pose& pose);

// Reads the columns of the message, with `shapes[i]` for shape i of its table. INVALID_ARGUMENT,
// naming a field of the change, if columns do not fit together or a row is bad by itself.
absl::StatusOr<SceneEdit> ReadSceneChange(const v1::SceneChange& message,
                                          absl::Span<const RigidBodyPtr> shapes);

// Refuses rules that have margins and no kinds: they would let their pairs touch. For requests
// only; changes that an earlier version stored may have such rules.
absl::Status RequireRuleKinds(const v1::SceneChange& change);

// Holds the limits for the numbers of bodies and rules.
struct EditLimits {
  NamedLimit bodies, rules;
  const char* advice = "The scene would have too many; make several scenes of it.";
};

// Returns the next revision, or the same one if the edit is empty. INVALID_ARGUMENT naming a field
// of the change, RESOURCE_EXHAUSTED beyond a limit.
absl::StatusOr<ScenePtr> ApplyEdit(const ScenePtr& scene, const SceneEdit& edit,
                                   const EditLimits& limits);
inline absl::StatusOr<ScenePtr> ApplyEdit(const ScenePtr& scene, const SceneEdit& edit,
                                          const Limits& limits) {
  return ApplyEdit(scene, edit,
                   EditLimits{.bodies = {"max_scene_bodies", limits.max_scene_bodies},
                              .rules = {"max_scene_rules", limits.max_scene_rules}});
}

// Selects the `most` bodies with the lowest ids among those with an id of at least `first`.
struct BodyRange {
  std::uint64_t first = 0;
  std::size_t most = 0;
};
// Fills in these bodies in the order of their ids, with their shapes named by digest. Returns the
// id that comes after them, if there is one.
std::optional<BodyId> FillBodies(const Scene& scene, const BodyRange& range,
                                 v1::BodyColumns* columns);
void FillRules(absl::Span<const PairRule> rules, v1::PairRuleColumns* columns);

// Fills in the difference as a change; shapes are named by digest.
void FillDiff(const SceneDiff& diff, v1::SceneChange* change);

// Returns all of a scene as one change of an empty one.
std::string SerializeWhole(const Scene& scene);

void FillSceneInfo(const SceneState& state, v1::SceneInfo* info);

}  // namespace clearance::server
