// SPDX-License-Identifier: Apache-2.0

#include "core/scene/scene.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/math/assert.h"
#include "core/query/distance.h"
#include "core/scene/body_box.h"
#include "core/scene/scene_parts.h"

namespace clearance {
namespace {

using Kind = SceneFault::Kind;
using List = SceneFault::List;

std::optional<Kind> FindPlaceFault(const RigidBody& body, const Pose& X_WB) {
  if (FindPoseFault(X_WB) != PoseFault::kNone) return Kind::kPose;
  if (!IsRepresentable(body.bounding_radius(), X_WB)) return Kind::kNotRepresentable;
  return std::nullopt;
}

// One change in progress: a copy of the parts that is written to.
class Edit {
 public:
  explicit Edit(const SceneParts& before) : parts_(std::make_unique<SceneParts>(before)) {}

  std::optional<Kind> Remove(BodyId id) {
    const std::optional<std::uint32_t> slot = parts_->slots.Find(id);
    if (!slot) return Kind::kUnknownId;
    CountUse(*parts_->members[*slot].body, -1);
    const std::size_t last = parts_->members.size() - 1;
    parts_->slots.Erase(id);
    parts_->boxes.Remove(*slot);
    if (*slot != last) {
      parts_->members.Mutable(*slot) = parts_->members[last];
      parts_->poses.Mutable(*slot) = parts_->poses[last];
      parts_->slots.Set(parts_->members[last].id, *slot);
    }
    parts_->members.PopBack();
    parts_->poses.PopBack();
    return std::nullopt;
  }

  std::optional<Kind> Put(const SceneBody& body) {
    if (const std::optional<Kind> fault = FindBodyFault(body)) return fault;
    const FloatBox box = Rounded(BoxAt(*body.body, body.X_WB, body.margin));
    const SceneMember member = {body.body, body.id, body.bits, body.margin};
    CountUse(*body.body, 1);
    parts_->largest_margin = std::max(parts_->largest_margin, body.margin);
    if (const std::optional<std::uint32_t> slot = parts_->slots.Find(body.id)) {
      CountUse(*parts_->members[*slot].body, -1);
      parts_->members.Mutable(*slot) = member;
      parts_->poses.Mutable(*slot) = body.X_WB;
      parts_->boxes.Set(*slot, box);
      return std::nullopt;
    }
    const std::size_t slot = parts_->members.size();
    if (slot == kMaxSceneBodies) return Kind::kTooMany;
    parts_->members.PushBack(member);
    parts_->poses.PushBack(body.X_WB);
    parts_->boxes.PushBack(box);
    parts_->slots.Set(body.id, static_cast<std::uint32_t>(slot));
    return std::nullopt;
  }

  // Moves in passes over all bodies, so that the waits of several moves for memory overlap.
  std::optional<SceneFault> MoveAll(absl::Span<const BodyPose> moves) {
    const std::vector<std::uint32_t> slots = FindSlots(moves);
    std::vector<FloatBox> boxes;
    if (const auto fault = FindBoxes(moves, slots, &boxes)) return fault;
    if (slots.size() < moves.size()) return SceneFault{List::kMove, slots.size(), Kind::kUnknownId};
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (i + kAhead < slots.size()) parts_->poses.Prefetch(slots[i + kAhead]);
      parts_->poses.Mutable(slots[i]) = moves[i].X_WB;
    }
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (i + kAhead < slots.size()) parts_->boxes.Prefetch(slots[i + kAhead]);
      parts_->boxes.Set(slots[i], boxes[i]);
    }
    return std::nullopt;
  }

  void SetRules(const PairRules& rules) {
    parts_->rules = std::make_shared<const PairRules>(rules);
  }

  ScenePtr Finish() {
    parts_->boxes.Settle();
    return std::make_shared<const Scene>(std::move(parts_));
  }

 private:
  // The number of moves by which changed data is prefetched ahead.
  static constexpr std::size_t kAhead = 8;

  // Returns the slots of the bodies before the first that does not exist.
  std::vector<std::uint32_t> FindSlots(absl::Span<const BodyPose> moves) const {
    std::vector<std::uint32_t> slots;
    slots.reserve(moves.size());
    for (const BodyPose& move : moves) {
      const std::optional<std::uint32_t> slot = parts_->slots.Find(move.id);
      if (!slot) break;
      slots.push_back(*slot);
    }
    return slots;
  }

  // Finds the boxes of the bodies in these slots at their new poses, or returns the first fault.
  std::optional<SceneFault> FindBoxes(absl::Span<const BodyPose> moves,
                                      absl::Span<const std::uint32_t> slots,
                                      std::vector<FloatBox>* boxes) const {
    std::vector<std::pair<const RigidBody*, double>> bodies;  // with their margins
    bodies.reserve(slots.size());
    for (const std::uint32_t slot : slots) {
      const SceneMember& member = parts_->members[slot];
      bodies.emplace_back(member.body.get(), member.margin);
    }
    boxes->reserve(slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const auto& [body, margin] = bodies[i];
      const Pose& X_WB = moves[i].X_WB;
      if (const auto fault = FindPlaceFault(*body, X_WB)) return SceneFault{List::kMove, i, *fault};
      boxes->push_back(Rounded(BoxAt(*body, X_WB, margin)));
    }
    return std::nullopt;
  }

  void CountUse(const RigidBody& body, int change) {
    const auto count = static_cast<int>(parts_->uses.Find(&body).value_or(0)) + change;
    if (count == 0) return parts_->uses.Erase(&body);
    parts_->uses.Set(&body, static_cast<std::uint32_t>(count));
  }

  std::unique_ptr<SceneParts> parts_;
};

template <class Item, class Do>
std::optional<SceneFault> DoAll(absl::Span<const Item> items, List list, Do&& change) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (const std::optional<Kind> kind = change(items[i])) return SceneFault{list, i, *kind};
  }
  return std::nullopt;
}

}  // namespace

std::optional<SceneFault::Kind> FindBodyFault(const SceneBody& body) {
  if (body.body == nullptr) return Kind::kNoBody;
  // Written so that NaN is a fault.
  if (!(body.margin >= 0 && body.margin <= kLargestMargin)) return Kind::kMargin;
  return FindPlaceFault(*body.body, body.X_WB);
}

Scene::Scene(std::unique_ptr<const SceneParts> parts) : parts_(std::move(parts)) {}
Scene::~Scene() = default;

ScenePtr Scene::MakeEmpty() {
  return std::make_shared<const Scene>(std::make_unique<const SceneParts>());
}

SceneOrFault Scene::Apply(const SceneChange& change) const {
  Edit edit(*parts_);
  std::optional<SceneFault> fault =
      DoAll(change.remove, List::kRemove, [&](BodyId id) { return edit.Remove(id); });
  if (!fault) {
    fault = DoAll(change.put, List::kPut, [&](const SceneBody& body) { return edit.Put(body); });
  }
  if (!fault) fault = edit.MoveAll(change.move);
  if (fault) return *fault;
  if (change.rules != nullptr) edit.SetRules(*change.rules);
  return edit.Finish();
}

std::size_t Scene::size() const { return parts_->members.size(); }

bool Scene::Contains(BodyId id) const { return parts_->slots.Find(id).has_value(); }

std::optional<SceneBody> Scene::Find(BodyId id) const {
  const std::optional<std::uint32_t> slot = parts_->slots.Find(id);
  if (!slot) return std::nullopt;
  return BodyAt(*slot);
}

SceneBody Scene::BodyAt(std::size_t i) const {
  CLEARANCE_ASSERT(i < size());
  const SceneMember& member = parts_->members[i];
  return {member.id, member.body, parts_->poses[i], member.bits, member.margin};
}

bool Scene::Uses(const RigidBody& body) const { return parts_->uses.Find(&body).has_value(); }

const PairRules& Scene::rules() const { return *parts_->rules; }

double Scene::largest_margin() const { return parts_->largest_margin; }

int Scene::tree_depth() const { return parts_->boxes.depth(); }

std::size_t Scene::byte_size() const {
  return sizeof(*this) + sizeof(SceneParts) + parts_->members.byte_size() +
         parts_->poses.byte_size() + parts_->boxes.byte_size() + parts_->slots.byte_size() +
         parts_->uses.byte_size() + parts_->rules->byte_size();
}

std::size_t Scene::BytesBeside(const Scene& other) const {
  const SceneParts& others = other.parts();
  const bool shares_rules = parts_->rules == others.rules;
  return sizeof(*this) + sizeof(SceneParts) + parts_->members.BytesBeside(others.members) +
         parts_->poses.BytesBeside(others.poses) + parts_->boxes.BytesBeside(others.boxes) +
         parts_->slots.BytesBeside(others.slots) + parts_->uses.BytesBeside(others.uses) +
         (shares_rules ? 0 : parts_->rules->byte_size());
}

}  // namespace clearance
