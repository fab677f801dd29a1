// SPDX-License-Identifier: Apache-2.0
//
// Random worlds and questions about them, and the answers by asking every pair alone, with no box
// and no order but that of the ids.

#pragma once

#include <string>
#include <vector>

#include "core/query/body_query.h"
#include "core/scene/scene.h"
#include "core/scene/scene_query.h"
#include "tests/support/random.h"

namespace clearance::testing {

enum class World {
  kScattered,  // small bodies of all kinds anywhere in a cube
  kGrid,       // cubes that touch their neighbours exactly
  kHeap,       // the same box many times at the same place, or nearly
  kNested,     // bodies inside of each other
  kHuge,       // coordinates of 1e25 to 1e200
  kTiny,       // of 1e-30 to 1e-200
  kFar,        // small bodies 1e7 away from the origin
  kMixed,      // sizes from 1e-3 to 1e3
};
inline constexpr int kWorldCount = static_cast<int>(World::kMixed) + 1;

// Makes bodies of one world, always of the same few shapes.
class BodyMaker {
 public:
  BodyMaker(World world, Random& random);

  SceneBody Make(BodyId id, Random& random) const;
  Pose MakePose(Random& random) const;
  // As long as a few bodies; every third turns.
  Motion MakeMotion(const Pose& start, Random& random) const;
  double unit() const { return unit_; }

 private:
  World world_;
  double unit_ = 1;
  std::vector<RigidBodyPtr> shapes_;
};

// All enabled pairs, asked alone, in the order of their ids.
struct AskedPair {
  IdPair ids;
  double margin = 0;
  const SceneBody* body_a = nullptr;
  const SceneBody* body_b = nullptr;
  const Motion* motion_a = nullptr;
  const Motion* motion_b = nullptr;  // null of a body at rest

  PosedBody A() const { return {*body_a->body, body_a->X_WB}; }
  PosedBody B() const { return {*body_b->body, body_b->X_WB}; }
};
// Keeps references to the query bodies and to `scene_bodies`.
std::vector<AskedPair> AllPairs(const SceneQuery& query, const std::vector<SceneBody>& scene_bodies,
                                const std::vector<Motion>* motions);

// Returns "" if the answer is that of all pairs, otherwise the fault.
std::string FindFault(const std::vector<AskedPair>& pairs, const CheckAnswer& answer,
                      const std::vector<PairVerdict>& all);
std::string FindFault(const std::vector<AskedPair>& pairs, double max_distance,
                      const MinimumDistanceAnswer& answer);
std::string FindFault(const std::vector<AskedPair>& pairs, double max_distance,
                      const std::vector<PairDistance>& nearest, std::size_t room);
std::string FindFault(const std::vector<AskedPair>& pairs, bool ignores_initial,
                      const SweepAnswer& answer, const std::vector<PairSweep>& all);
// Returns the fault of the answer to a ray for which any hit will do: `any` must be a hit of the
// pair that it names, or say that none is known if there is none.
std::string FindFaultOfAny(const std::vector<AskedPair>& pairs, const SweepAnswer& any);

// Compares the findings of a check, without the counters.
bool IsSame(const CheckAnswer& a, const CheckAnswer& b);

// Returns "" if no pair is nearer than its margin and `room`, metres, and a check says that all are
// free. Without a check margins do not matter.
struct KeptRoom {
  double room = 0;
  const CheckAnswer* check = nullptr;
};
std::string FindFault(const std::vector<AskedPair>& pairs, const KeptRoom& kept);

}  // namespace clearance::testing
