// SPDX-License-Identifier: Apache-2.0
//
// A world of rigid bodies at rest, as one immutable revision. A change gives the next revision,
// which shares with the one before all that did not change: what it costs is the size of the
// change. To fork a scene is to keep its pointer.

#ifndef CLEARANCE_CORE_SCENE_SCENE_H_
#define CLEARANCE_CORE_SCENE_SCENE_H_

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

// One body of a scene, or of those who ask.
struct SceneBody {
  BodyId id = 0;
  RigidBodyPtr body;  // not null
  Pose X_WB;          // FindPoseFault is kNone, IsRepresentable with the body's bounding radius
  GroupBits bits = {};
  // Metres, finite, >= 0. A pair touches where its distance is at most the sum of both margins (or
  // the margin that a rule gives it). No distance that is reported has a margin in it.
  double margin = 0;
};

struct BodyPose {
  BodyId id = 0;
  Pose X_WB;
};

// Done in this order. An id may be in several lists, and several times in `put` and `move`: the
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
    kTooMany,           // more than kMostSceneBodies
  };
  List list = List::kRemove;
  std::size_t index = 0;  // in the list
  Kind kind = Kind::kUnknownId;
};

// What is wrong with a body by itself, of scenes and of those who ask.
std::optional<SceneFault::Kind> FindBodyFault(const SceneBody& body);

// Metres; far beyond this a margin could overflow.
inline constexpr double kLargestMargin = 1e300;
inline constexpr std::size_t kMostSceneBodies = std::size_t{1} << 30;

class Scene;
using ScenePtr = std::shared_ptr<const Scene>;
using SceneOrFault = std::variant<ScenePtr, SceneFault>;

struct SceneParts;  // scene_parts.h: what the questions read

// Any number of threads may ask one. No answer depends on how a scene came to be, only on what is
// in it.
class Scene {
 public:
  // For MakeEmpty and Apply only.
  explicit Scene(std::unique_ptr<const SceneParts> parts);
  ~Scene();
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  static ScenePtr MakeEmpty();

  // The next revision; this one stays as it is. O(size of the change * log size()) on average: now
  // and then part of the tree is built anew, by a rule on numbers. Allocates.
  SceneOrFault Apply(const SceneChange& change) const;

  std::size_t size() const;
  bool Contains(BodyId id) const;

  // Null if there is no such body.
  std::optional<SceneBody> Find(BodyId id) const;

  // The bodies by index, for lists; the order means nothing, and a change may reorder. Requires: i
  // < size().
  SceneBody BodyAt(std::size_t i) const;

  // Whether one of the bodies is this object. Takes as long in any scene.
  bool Uses(const RigidBody& body) const;

  const PairRules& rules() const;

  // No body has a larger margin; one that was taken away may have had it.
  double largest_margin() const;

  // Nodes from the root to the deepest body.
  int tree_depth() const;

  // Bytes of memory held, those that other revisions share too, without the bodies' own.
  std::size_t byte_size() const;
  // The part of byte_size() that the other scene does not share.
  std::size_t BytesBeside(const Scene& other) const;

  const SceneParts& parts() const { return *parts_; }

 private:
  std::unique_ptr<const SceneParts> parts_;
};

}  // namespace clearance

#endif  // CLEARANCE_CORE_SCENE_SCENE_H_
