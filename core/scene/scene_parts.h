// SPDX-License-Identifier: Apache-2.0
//
// The contents of a revision of a scene. All of it is by slot: the bodies have the slots from 0
// without a gap. Which body has which slot depends on the scene's history.

#pragma once

#include <cstddef>
#include <memory>

#include "core/broad/bvh_forest.h"
#include "core/broad/paged_vector.h"
#include "core/scene/paged_index.h"
#include "core/scene/scene.h"

namespace clearance {

// The data of a body that seldom changes; poses, which do, are stored apart.
struct SceneMember {
  RigidBodyPtr body;
  BodyId id = 0;
  GroupBits bits;
  double margin = 0;
};

// A value whose copies share their common parts.
struct SceneParts {
  static constexpr std::size_t kPage = 16;  // bodies

  PagedVector<SceneMember, kPage> members;
  PagedVector<Pose, kPage> poses;
  BvhForest boxes;  // each with the body's margin around it
  PagedIndex<BodyId> slots;
  PagedIndex<const RigidBody*> uses;  // how many members have a body
  std::shared_ptr<const PairRules> rules = std::make_shared<const PairRules>();
  double largest_margin = 0;  // no member has or had a larger one
};

}  // namespace clearance
