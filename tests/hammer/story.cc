// SPDX-License-Identifier: Apache-2.0

#include "tests/hammer/story.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "clearance/v1/scene.pb.h"
#include "clearance/v1/shape.pb.h"
#include "server/app/restore.h"
#include "server/convert/scene_change.h"
#include "server/convert/shape_content.h"
#include "server/storage/body_codec.h"
#include "tests/support/random.h"

namespace clearance::hammer {
namespace {

using server::ShapeChange;
using server::ShapeContentPtr;
using Kind = server::NamedSceneChange::Kind;

// The last is the one that the afterword registers, the one before it is that of scenes.
constexpr int kPoints[] = {4, 12, 64, 8, 200, 33, 600, 5, 16, 20, 90};
constexpr int kContents = static_cast<int>(std::size(kPoints));
constexpr int kOfScenes = kContents - 2;

// Stands for a whole scene that nobody knows before the change is bound.
constexpr char kWholeOfBinding[] = "whole";

std::vector<ShapeContentPtr> MakeContents() {
  testing::Random random(20'261'122);
  const server::Registry none({}, nullptr);
  std::vector<ShapeContentPtr> contents;
  for (const int points : kPoints) {
    v1::Shape shape;
    for (int i = 0; i < points; ++i) {
      const Vec3d p = random.Direction();
      for (const double number : {p.x, p.y, p.z}) shape.mutable_hull()->add_vertices(number);
    }
    contents.push_back(*server::BuildContent(shape, {}, none));
  }
  return contents;
}

const std::vector<ShapeContentPtr>& Contents() {
  static const std::vector<ShapeContentPtr>& contents =
      *new std::vector<ShapeContentPtr>(MakeContents());
  return contents;
}

ShapeChange Put(std::string name, int content) {
  return {.name = std::move(name),
          .content = Contents()[static_cast<std::size_t>(content)],
          .options = {.replace = true, .validate_only = false},
          .etag = ""};
}

ShapeChange Delete(std::string name) {
  return {.name = std::move(name), .content = ShapeContentPtr(), .options = {}, .etag = ""};
}

ShapeContentPtr FindContent(const std::string& digest) {
  const auto found = std::ranges::find(Contents(), digest,
                                       [](const ShapeContentPtr& each) { return each->digest; });
  return found == Contents().end() ? nullptr : *found;
}

// What a record makes of a scene. Null of one that cannot be played.
ScenePtr Play(const std::string& record, const ScenePtr& before, server::SceneContents* contents) {
  auto next = server::PlayRecord({.name = "scene", .revision = 1, .change = record},
                                 {.name = "scene", .scene = before}, FindContent, contents);
  return next.ok() ? next->scene : nullptr;
}

ShapeChange OfScene(Kind kind, std::string name, const v1::SceneChange& content) {
  server::NamedSceneChange change;
  change.kind = kind;
  change.name = std::move(name);
  change.record = content.SerializeAsString();
  for (const v1::ShapeReference& shape : content.bodies().shapes())
    change.digests.push_back(shape.digest());
  ShapeChange of_scene;
  of_scene.name = change.name;
  of_scene.scene = std::make_shared<const server::NamedSceneChange>(std::move(change));
  return of_scene;
}

template <class Poses>
void PutAt(double place, Poses* poses) {
  for (const double number : {place, 0., 0., 0., 0., 0., 1.}) poses->add_poses(number);
}

ShapeChange Create(std::string name, int bodies, int content) {
  v1::SceneChange change;
  change.mutable_bodies()->set_count(static_cast<std::uint32_t>(bodies));
  change.mutable_bodies()->add_shapes()->set_digest(
      Contents()[static_cast<std::size_t>(content)]->digest);
  for (int i = 0; i < bodies; ++i) {
    change.mutable_bodies()->add_ids(static_cast<std::uint32_t>(i));
    PutAt(i, change.mutable_bodies());
  }
  return OfScene(Kind::kCreate, std::move(name), change);
}

// Body 0 goes to the place. What is stored is the change alone.
ShapeChange Move(std::string name, double place) {
  v1::SceneChange change;
  change.mutable_poses()->set_count(1);
  change.mutable_poses()->add_ids(0);
  PutAt(place, change.mutable_poses());
  return OfScene(Kind::kUpdate, std::move(name), change);
}

// The same, stored as the whole scene, in place of its records before.
ShapeChange MoveWhole(std::string name, double place) {
  ShapeChange change = Move(std::move(name), place);
  server::NamedSceneChange scene = *change.scene;
  scene.whole = kWholeOfBinding;
  change.scene = std::make_shared<const server::NamedSceneChange>(std::move(scene));
  return change;
}

ShapeChange DeleteScene(std::string name) { return OfScene(Kind::kDelete, std::move(name), {}); }

void BindUpdate(server::SceneRegistry* scenes, server::NamedSceneChange* change) {
  change->make_next = [record = change->record,
                       scenes](const ScenePtr& base) -> absl::StatusOr<ScenePtr> {
    ScenePtr next = Play(record, base, &scenes->contents());
    if (next == nullptr) return absl::InvalidArgumentError("no change of this scene");
    return next;
  };
  const auto found = scenes->Find(change->name);
  if (!found.ok()) {
    change->whole.clear();
    return;
  }
  change->base = found->scene;
  change->next = Play(change->record, change->base, &scenes->contents());
  if (!change->whole.empty()) change->whole = server::SerializeWhole(*change->next);
}

void TakeShapeChange(const ShapeChange& change, State* state) {
  const auto found = state->names.find(change.name);
  if (*change.content == nullptr) {
    if (found == state->names.end()) return;
    state->names.erase(found);
    ++state->revision;
  } else if (found == state->names.end() || found->second.digest != (*change.content)->digest) {
    state->names[change.name] = {(*change.content)->digest, ++state->revision};
  }
}

bool HasAllShapes(const server::NamedSceneChange& change, const State& state) {
  return std::ranges::all_of(change.digests, [&](const std::string& digest) {
    return std::ranges::any_of(state.names,
                               [&](const auto& entry) { return entry.second.digest == digest; });
  });
}

void TakeSceneChange(const server::NamedSceneChange& change, State* state) {
  const bool is_there = state->scenes.contains(change.name);
  if (is_there == (change.kind == Kind::kCreate) || !HasAllShapes(change, *state)) return;
  if (change.kind == Kind::kDelete) {
    state->scenes.erase(change.name);
    return;
  }
  server::SceneContents contents;
  State::NamedScene& scene = state->scenes[change.name];
  const ScenePtr before =
      is_there ? Play(scene.whole, Scene::MakeEmpty(), &contents) : Scene::MakeEmpty();
  const ScenePtr next = Play(change.record, before, &contents);
  scene = {server::SerializeWhole(*next), scene.revision + 1};
}

}  // namespace

std::vector<std::vector<Order>> MakeStory() {
  return {{{Put("a", 0)},
           {Put("b", 1)},
           {Put("kept", kOfScenes), Create("s", 40, kOfScenes)},
           {Put("c", 2), Put("d", 3), Put("e", 0)},
           {Move("s", -1)},
           {Put("b", 4), Create("t", 1, kOfScenes)},
           {Delete("a")},
           {Put("a", 5), Delete("d"), Move("s", -2), MoveWhole("t", -3)},
           {Put("large", 6)},
           {DeleteScene("t")}},
          {{Put("c", 3)},
           {Delete("e"), Delete("b")},
           {MoveWhole("s", -4)},
           {Put("b", 7)},
           {Put("f", 8), Put("g", 8), Put("large", 1)},
           {DeleteScene("s"), Create("t", 2, kOfScenes)},
           {Delete("c")},
           {Put("large", 6)},
           {Move("t", -5)},
           {Put("c", 2), Create("s", 3, kOfScenes)}}};
}

Order Afterword() {
  return {Put("afterword", kContents - 1), Create("afterword", 2, kContents - 1)};
}

Order Bound(const Order& order, server::SceneRegistry* scenes) {
  Order bound = order;
  for (ShapeChange& change : bound) {
    if (change.scene == nullptr) continue;
    server::NamedSceneChange scene = *change.scene;
    if (scene.kind == Kind::kCreate)
      scene.next = Play(scene.record, Scene::MakeEmpty(), &scenes->contents());
    if (scene.kind == Kind::kUpdate) BindUpdate(scenes, &scene);
    change.scene = std::make_shared<const server::NamedSceneChange>(std::move(scene));
  }
  return bound;
}

State StateOf(const Memory& memory) {
  State state;
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  for (const server::SceneState& scene : memory.scenes.List("", "", kAll).scenes) {
    state.scenes[scene.name] = {server::SerializeWhole(*scene.scene), scene.revision};
  }
  const auto page = memory.registry.List("", "", kAll);
  for (const server::NamedShape& shape : page.shapes) {
    state.names[shape.name] = {shape.content->digest, shape.revision};
  }
  state.revision = page.revision;
  return state;
}

State After(const State& state, const Order& order) {
  State after = state;
  for (const ShapeChange& change : order) {
    if (change.scene == nullptr) {
      TakeShapeChange(change, &after);
    } else {
      TakeSceneChange(*change.scene, &after);
    }
  }
  return after;
}

std::string FaultOfContents(const Memory& memory) {
  for (const auto& [name, named] : StateOf(memory).names) {
    const ShapeContentPtr held = memory.registry.FindContent(named.digest);
    bool is_same = false;
    for (const ShapeContentPtr& content : Contents()) {
      is_same = is_same || (content->digest == named.digest && held != nullptr &&
                            held->serialized == content->serialized &&
                            server::EncodeBody(*held->body) == server::EncodeBody(*content->body));
    }
    if (!is_same) return name + " has other bits than were registered";
  }
  return "";
}

}  // namespace clearance::hammer
