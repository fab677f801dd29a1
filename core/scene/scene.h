// SPDX-License-Identifier: Apache-2.0
//
// A world of rigid bodies at rest, as one immutable revision. A change gives the next revision,
// which shares every unchanged part with the one before: its cost is the size of the change. To
// fork a scene, keep its pointer.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

#include "absl/types/span.h"
#include "core/math/pose.h"
#include "core/scene/pair_rules.h"
#include "core/shape/rigid_body.h"

namespace clearance {

// One body of a scene, or of a query.
struct SceneBody {
  BodyId id = 0;
  RigidBodyPtr body;  // not null
  Pose X_WB;          // FindPoseFault is kNone, IsRepresentable with the body's bounding radius
  GroupBits bits = {};
  // Metres, finite, >= 0. A pair touches if its distance is at most the sum of both margins (or the
  // margin that a rule gives it). Reported distances do not include margins.
  double margin = 0;
};

struct BodyPose {
  BodyId id = 0;
  Pose X_WB;
};

// Applied in this order. An id may be in several lists, and several times in `put` and `move`: the
// last holds.
struct SceneChange {
  absl::Span<const BodyId> remove = {};
  absl::Span<const SceneBody> put = {};  // adds, or replaces the body of that id
  absl::Span<const BodyPose> move = {};
  const PairRules* rules = nullptr;  // in place of those before, if not null
};

// Why a change was refused: the first fault of the first list that has one.
struct SceneFault {
  enum class List : std::uint8_t { kRemove, kPut, kMove };
  enum class Kind : std::uint8_t {
    kUnknownId,         // of kRemove and kMove
    kNoBody,            // the pointer is null
    kPose,              // FindPoseFault is not kNone
    kNotRepresentable,  // so far out that a point of the body could overflow a double
    kMargin,            // not finite, negative, or beyond kLargestMargin
    kTooMany,           // more than kMaxSceneBodies
  };
  List list = List::kRemove;
  std::size_t index = 0;  // in the list
  Kind kind = Kind::kUnknownId;
};

// Returns the fault of a body by itself, in a scene or of a query.
std::optional<SceneFault::Kind> FindBodyFault(const SceneBody& body);

// Metres; far beyond this a margin could overflow.
inline constexpr double kLargestMargin = 1e300;
inline constexpr std::size_t kMaxSceneBodies = std::size_t{1} << 30;

class Scene;
using ScenePtr = std::shared_ptr<const Scene>;
using SceneOrFault = std::variant<ScenePtr, SceneFault>;

struct SceneParts;  // scene_parts.h: the data that questions read

// Any number of threads may ask one scene. Answers do not depend on a scene's history, only on its
// contents.
class Scene {
 public:
  // For MakeEmpty and Apply only.
  explicit Scene(std::unique_ptr<const SceneParts> parts);
  ~Scene();
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  static ScenePtr MakeEmpty();

  // Returns the next revision; this one stays as it is. O(size of the change * log size()) on
  // average: now and then part of the tree is rebuilt, by a rule on numbers. Allocates.
  SceneOrFault Apply(const SceneChange& change) const;

  std::size_t size() const;
  bool Contains(BodyId id) const;

  // Returns nullopt if there is no such body.
  std::optional<SceneBody> Find(BodyId id) const;

  // The bodies by index, for lists; the order means nothing, and a change may reorder. Requires: i
  // < size().
  SceneBody BodyAt(std::size_t i) const;

  // Returns whether one of the bodies is this object. Takes as long in any scene.
  bool Uses(const RigidBody& body) const;

  const PairRules& rules() const;

  // No body has a larger margin; a removed body may have had it.
  double largest_margin() const;

  // Returns the number of nodes from the root to the deepest body.
  int tree_depth() const;

  // Returns the bytes of memory held, including those that other revisions share, without the
  // bodies' own.
  std::size_t byte_size() const;
  // Returns the part of byte_size() that the other scene does not share.
  std::size_t BytesBeside(const Scene& other) const;

  const SceneParts& parts() const { return *parts_; }

 private:
  std::unique_ptr<const SceneParts> parts_;
};

}  // namespace clearance
