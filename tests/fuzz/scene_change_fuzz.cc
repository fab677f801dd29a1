// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a change of a scene: it is refused, or it makes a scene within the limits that, told
// as one change of an empty scene, makes the same scene again. What it was made of stays as it was.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "clearance/v1/scene.pb.h"
#include "core/shape/make_shape.h"
#include "server/convert/scene_change.h"
#include "server/registry/registry.h"
#include "tests/fuzz/fuzz_check.h"

namespace clearance::fuzz {
namespace {

constexpr server::Limits kSceneLimits = {.max_scene_bodies = 8, .max_scene_rules = 4};
constexpr std::size_t kMostRows = 64;

// A scene of two bodies and a rule, and the two shapes that changes may refer to.
struct World {
  World() {
    for (const double radius : {1., 2.}) {
      auto content = std::make_shared<server::ShapeContent>();
      content->digest = "ball " + std::to_string(radius);
      content->body = MakeBody(std::get<ConvexShapePtr>(MakePoint(radius)));
      shapes.push_back(contents.Share(content));
    }
    const SceneBody bodies[] = {{.id = 1, .body = shapes[0], .X_WB = {}, .bits = {}},
                                {.id = 2, .body = shapes[1], .X_WB = {}, .bits = {}}};
    const PairRule rule = {.a = 1, .b = 2};
    const PairRules rules(absl::MakeConstSpan(&rule, 1));
    base = std::get<ScenePtr>(
        Scene::MakeEmpty()->Apply({.remove = {}, .put = bodies, .move = {}, .rules = &rules}));
    base_whole = server::SerializeWhole(*base);
  }

  server::SceneContents contents;
  std::vector<RigidBodyPtr> shapes;
  ScenePtr base;
  std::string base_whole;
};

// The shapes of a change of this program's own making, which names them by digest.
std::vector<RigidBodyPtr> ShapesOf(const v1::SceneChange& change, const World& world) {
  std::vector<RigidBodyPtr> shapes;
  for (const v1::ShapeReference& shape : change.bodies().shapes()) {
    const RigidBodyPtr body = world.contents.FindBody(shape.digest());
    Require(body != nullptr, "a scene names the shapes that it has");
    shapes.push_back(world.shapes[body == world.shapes[0] ? 0 : 1]);
  }
  return shapes;
}

void CheckScene(const Scene& scene, const World& world) {
  Require(scene.size() <= kSceneLimits.max_scene_bodies, "no more bodies than allowed");
  Require(scene.rules().rules().size() <= kSceneLimits.max_scene_rules, "nor rules");
  const std::string whole = server::SerializeWhole(scene);
  v1::SceneChange again;
  Require(again.ParseFromString(whole), "the whole can be read");
  const auto edit = server::ReadSceneChange(again, ShapesOf(again, world));
  Require(edit.ok(), "the whole is a good change");
  const auto copy = server::ApplyEdit(Scene::MakeEmpty(), *edit, kSceneLimits);
  Require(copy.ok(), "and makes a scene");
  Require(server::SerializeWhole(**copy) == whole, "which is the same");
}

}  // namespace
}  // namespace clearance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace clearance;  // NOLINT(google-build-using-namespace): outside of it by its linkage
  static const fuzz::World& world = *new fuzz::World;
  v1::SceneChange change;
  if (size > 1 << 14 || !change.ParseFromArray(bytes, static_cast<int>(size))) return 0;
  const auto edit = server::ReadSceneChange(change, world.shapes);
  if (!edit.ok() || edit->bodies.size() > fuzz::kMostRows) return 0;
  const auto next = server::ApplyEdit(world.base, *edit, fuzz::kSceneLimits);
  if (next.ok()) fuzz::CheckScene(**next, world);
  fuzz::Require(server::SerializeWhole(*world.base) == world.base_whole,
                "a revision never changes");
  return 0;
}
