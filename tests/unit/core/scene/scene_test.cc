// SPDX-License-Identifier: Apache-2.0
//
// Revisions: what a change does and refuses, and that the revisions before it stay as they were.

#include "core/scene/scene.h"

#include <gtest/gtest.h>

#include <limits>
#include <variant>
#include <vector>

#include "core/scene/scene_query.h"
#include "core/shape/make_shape.h"
#include "tests/support/random.h"

namespace clearance {
namespace {

using Kind = SceneFault::Kind;
using List = SceneFault::List;

RigidBodyPtr SmallBox() {
  return MakeBody(std::get<ConvexShapePtr>(MakeBox({0.25, 0.25, 0.25}, 0)));
}
Pose At(double x) { return {{x, 0, 0}, {}}; }
SceneBody BodyOf(BodyId id, double x) { return {id, SmallBox(), At(x), {}, 0}; }

ScenePtr MustApply(const ScenePtr& scene, const SceneChange& change) {
  SceneOrFault made = scene->Apply(change);
  EXPECT_TRUE(std::holds_alternative<ScenePtr>(made));
  return std::get<ScenePtr>(made);
}

void ExpectFault(const ScenePtr& scene, const SceneChange& change, const SceneFault& expected) {
  const SceneOrFault made = scene->Apply(change);
  ASSERT_TRUE(std::holds_alternative<SceneFault>(made));
  const SceneFault& fault = std::get<SceneFault>(made);
  EXPECT_EQ(fault.list, expected.list);
  EXPECT_EQ(fault.index, expected.index);
  EXPECT_EQ(fault.kind, expected.kind);
}

TEST(Scene, ChangesOneAfterTheOther) {
  const ScenePtr empty = Scene::MakeEmpty();
  const std::vector<SceneBody> put = {BodyOf(1, 0), BodyOf(2, 1), BodyOf(1, 5)};
  const ScenePtr two = MustApply(empty, {.put = put});
  EXPECT_EQ(two->size(), 2U);
  EXPECT_EQ(two->Find(1)->X_WB.p_WS.x, 5);
  const std::vector<BodyId> remove = {1};
  const std::vector<SceneBody> again = {BodyOf(1, 7), BodyOf(3, 9)};
  const std::vector<BodyPose> move = {{3, At(10)}, {2, At(2)}, {3, At(11)}};
  const std::vector<PairRule> listed = {{1, 2, true, 0}};
  const PairRules rules(listed);
  const ScenePtr three = MustApply(two, {remove, again, move, &rules});
  EXPECT_EQ(three->size(), 3U);
  EXPECT_EQ(three->Find(1)->X_WB.p_WS.x, 7);
  EXPECT_EQ(three->Find(2)->X_WB.p_WS.x, 2);
  EXPECT_EQ(three->Find(3)->X_WB.p_WS.x, 11);
  EXPECT_NE(three->rules().Find(1, 2), nullptr);
  EXPECT_EQ(two->rules().Find(1, 2), nullptr);
  EXPECT_EQ(two->Find(2)->X_WB.p_WS.x, 1);
  EXPECT_FALSE(two->Contains(3));
  EXPECT_FALSE(empty->Contains(1));
  EXPECT_FALSE(empty->Find(1).has_value());
  EXPECT_EQ(empty->size(), 0U);
  // Rules stay until they are replaced.
  EXPECT_NE(MustApply(three, {})->rules().Find(1, 2), nullptr);
  EXPECT_EQ(three->tree_depth(), 1);
  EXPECT_GT(three->byte_size(), two->byte_size());
}

TEST(Scene, CountsWhatARevisionTakesBesideAnother) {
  std::vector<SceneBody> put;
  for (BodyId id = 0; id < 4'096; ++id) put.push_back(BodyOf(id, id));
  const std::vector<PairRule> listed = {{1, 2, true, 0}};
  const PairRules rules(listed);
  const ScenePtr all = MustApply(Scene::MakeEmpty(), {.put = put, .rules = &rules});
  const std::vector<BodyPose> move = {{7, At(7.001)}};
  const ScenePtr moved = MustApply(all, {.move = move});
  // Some pages and tables of pages. No page of another body's.
  EXPECT_GT(all->BytesBeside(*moved), 1'024U);
  EXPECT_LT(all->BytesBeside(*moved), all->byte_size() / 32);
  EXPECT_EQ(all->BytesBeside(*Scene::MakeEmpty()), all->byte_size());
  const PairRules none;
  const ScenePtr without_rules = MustApply(all, {.rules = &none});
  EXPECT_EQ(all->BytesBeside(*without_rules) - all->BytesBeside(*MustApply(all, {})),
            rules.byte_size());
}

TEST(Scene, RefusesWhatIsNotThereOrMalformed) {
  const std::vector<SceneBody> put = {BodyOf(1, 0)};
  const ScenePtr scene = MustApply(Scene::MakeEmpty(), {.put = put});
  const std::vector<BodyId> remove = {1, 1};
  ExpectFault(scene, {.remove = remove}, {List::kRemove, 1, Kind::kUnknownId});
  const std::vector<BodyPose> unknown = {{1, At(1)}, {2, At(1)}};
  ExpectFault(scene, {.move = unknown}, {List::kMove, 1, Kind::kUnknownId});
  const std::vector<BodyPose> bad_pose = {{1, {{}, {0, 0, 0, 2}}}};
  ExpectFault(scene, {.move = bad_pose}, {List::kMove, 0, Kind::kPose});
  const std::vector<BodyPose> far = {{1, At(1e308)}};
  ExpectFault(scene, {.move = far}, {List::kMove, 0, Kind::kNotRepresentable});
  std::vector<SceneBody> bad = {BodyOf(5, 0), BodyOf(6, 0)};
  bad[1].body = nullptr;
  ExpectFault(scene, {.put = bad}, {List::kPut, 1, Kind::kNoBody});
  for (const double margin : {-1.0, std::numeric_limits<double>::quiet_NaN(), 1e301}) {
    bad[1] = BodyOf(6, 0);
    bad[1].margin = margin;
    ExpectFault(scene, {.put = bad}, {List::kPut, 1, Kind::kMargin});
  }
  EXPECT_EQ(scene->size(), 1U);
  EXPECT_FALSE(scene->Contains(5));
}

TEST(Scene, ListsItsBodies) {
  std::vector<SceneBody> put;
  for (BodyId id = 0; id < 50; ++id) put.push_back(BodyOf(id, id));
  const std::vector<BodyId> remove = {3, 49, 0, 17};
  const ScenePtr scene = MustApply(MustApply(Scene::MakeEmpty(), {.put = put}), {.remove = remove});
  double sum = 0;
  for (std::size_t i = 0; i < scene->size(); ++i) {
    const SceneBody body = scene->BodyAt(i);
    EXPECT_EQ(body.X_WB.p_WS.x, body.id);
    sum += body.id;
  }
  EXPECT_EQ(sum, 49 * 50 / 2 - 3 - 49 - 17);
}

TEST(Scene, KnowsWhichBodiesItUses) {
  const RigidBodyPtr first = SmallBox();
  const RigidBodyPtr second = SmallBox();
  const std::vector<SceneBody> put = {{1, first, At(0)}, {2, first, At(1)}, {3, second, At(2)}};
  const ScenePtr scene = MustApply(Scene::MakeEmpty(), {.put = put});
  EXPECT_TRUE(scene->Uses(*first));
  EXPECT_TRUE(scene->Uses(*second));
  EXPECT_FALSE(scene->Uses(*SmallBox()));
  const std::vector<BodyId> remove = {1, 3};
  const ScenePtr removed = MustApply(scene, {.remove = remove});
  EXPECT_TRUE(removed->Uses(*first));
  EXPECT_FALSE(removed->Uses(*second));
  EXPECT_TRUE(scene->Uses(*second));
  const std::vector<SceneBody> replace = {{2, second, At(1)}, {2, second, At(3)}};
  const ScenePtr replaced = MustApply(removed, {.put = replace});
  EXPECT_FALSE(replaced->Uses(*first));
  EXPECT_TRUE(replaced->Uses(*second));
}

// Every answer of every revision, after hundreds of changes, is what it was when it was new.
TEST(Scene, RevisionsDoNotSeeLaterChanges) {
  testing::Random random(testing::RunSeed());
  std::vector<SceneBody> put;
  for (BodyId id = 0; id < 800; ++id) {
    put.push_back({id, SmallBox(), {random.InCube(5), random.Rotation()}, {}, 0});
  }
  ScenePtr scene = MustApply(Scene::MakeEmpty(), {.put = put});
  const std::vector<SceneBody> own = {{10'000, SmallBox(), At(0), {}, 0}};
  SceneScratch scratch;
  const auto ask = [&](const ScenePtr& revision) {
    std::vector<PairDistance> nearest(5);
    const std::size_t count =
        Nearest({.scene = *revision, .bodies = own}, {}, absl::MakeSpan(nearest), &scratch).size;
    std::vector<double> told;
    for (std::size_t i = 0; i < count; ++i) {
      told.push_back(nearest[i].pair.b);
      told.push_back(nearest[i].distance.bracket.upper);
    }
    return told;
  };
  std::vector<std::pair<ScenePtr, std::vector<double>>> kept;
  int changed = 0;
  for (int i = 0; i < 200; ++i) {
    kept.emplace_back(scene, ask(scene));
    std::vector<BodyPose> move;
    for (int k = 0; k < 30; ++k) {
      const auto id = static_cast<BodyId>(random.Below(800));
      move.push_back({id, {random.InCube(5), random.Rotation()}});
    }
    scene = MustApply(scene, {.move = move});
    changed += ask(scene) != kept.back().second ? 1 : 0;
  }
  EXPECT_GE(changed, 20);
  for (const auto& [revision, told] : kept) EXPECT_EQ(ask(revision), told);
}

}  // namespace
}  // namespace clearance
