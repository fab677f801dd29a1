// SPDX-License-Identifier: Apache-2.0
//
// What makes one revision of a scene another, whatever changes lie between them.

#ifndef CLEARANCE_CORE_SCENE_SCENE_DIFF_H_
#define CLEARANCE_CORE_SCENE_SCENE_DIFF_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "core/scene/scene.h"

namespace clearance {

// Applied to the one scene it gives the other. Bodies by ids; each is in one list at most.
struct SceneDiff {
  std::vector<BodyId> removed;
  std::vector<SceneBody> put;   // that are new, or differ in more than the pose
  std::vector<BodyPose> moved;  // that differ in the pose alone
  // Pairs of which nothing is said any more, and what is said now that was not.
  std::vector<PairRule> removed_rules;
  std::vector<PairRule> rules;

  std::size_t size() const {
    return removed.size() + put.size() + moved.size() + removed_rules.size() + rules.size();
  }
};

// Poses and margins differ if their bits do. Pages that both scenes share are passed over: for
// revisions of one scene it costs a look at each page of 16 bodies, and then what differs. Nothing
// where that is more than `most`, found without looking further.
std::optional<SceneDiff> DiffOf(const Scene& before, const Scene& after, std::size_t most);

}  // namespace clearance

#endif  // CLEARANCE_CORE_SCENE_SCENE_DIFF_H_
