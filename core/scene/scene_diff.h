// SPDX-License-Identifier: Apache-2.0
//
// The difference between two revisions of a scene, whatever changes lie between them.

#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/scene/scene.h"

namespace clearance {

// A difference which, applied to one scene, gives the other. Bodies by ids; each is in one list at
// most.
struct SceneDiff {
  std::vector<BodyId> removed;
  std::vector<SceneBody> put;   // that are new, or differ in more than the pose
  std::vector<BodyPose> moved;  // that differ in the pose alone
  // Pairs that no longer have a rule, and rules that the scene did not have before.
  std::vector<PairRule> removed_rules;
  std::vector<PairRule> rules;

  std::size_t size() const {
    return removed.size() + put.size() + moved.size() + removed_rules.size() + rules.size();
  }
};

// Returns the difference; poses and margins differ if their bits do. Pages that both scenes share
// are passed over: for revisions of one scene the cost is a look at each page of 16 bodies, plus
// the differences. Returns nullopt if there are more than `most`, without looking further.
std::optional<SceneDiff> DiffOf(const Scene& before, const Scene& after, std::size_t most);

}  // namespace clearance
