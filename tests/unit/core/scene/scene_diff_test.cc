// SPDX-License-Identifier: Apache-2.0
//
// What differs between two scenes. The oracle is a look at every body of both.

#include "core/scene/scene_diff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>
#include <variant>
#include <vector>

#include "core/shape/make_shape.h"
#include "tests/support/random.h"

namespace clearance {
namespace {

using testing::Random;

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

RigidBodyPtr Ball(double radius) {
  return MakeBody(std::get<ConvexShapePtr>(MakeSphere(radius, 0)));
}

class Worlds {
 public:
  explicit Worlds(std::uint64_t seed) : random_(seed), bodies_{Ball(1), Ball(2)} {}

  Pose AnyPose() { return {random_.InCube(9), {}}; }

  // A few changes of every kind.
  ScenePtr Changed(const ScenePtr& scene) {
    std::set<BodyId> gone;
    std::vector<SceneBody> put;
    std::vector<BodyPose> moved;
    for (int i = random_.Below(6); i > 0; --i) {
      const auto id = static_cast<BodyId>(random_.Below(60));
      if (scene->Contains(id)) gone.insert(id);
    }
    for (int i = random_.Below(6); i > 0; --i) {
      put.push_back({static_cast<BodyId>(random_.Below(60)),
                     bodies_[static_cast<std::size_t>(random_.Below(2))],
                     AnyPose(),
                     {},
                     0.5 * random_.Below(2)});
    }
    for (int i = random_.Below(6); i > 0; --i) {
      const auto id = static_cast<BodyId>(random_.Below(60));
      if (scene->Contains(id) && !gone.contains(id)) moved.push_back({id, AnyPose()});
    }
    const std::vector<BodyId> removed(gone.begin(), gone.end());
    std::vector<PairRule> rules(scene->rules().rules().begin(), scene->rules().rules().end());
    if (!rules.empty() && random_.OneIn(2)) rules.pop_back();
    const auto a = static_cast<BodyId>(random_.Below(20));
    rules.push_back({.a = a, .b = a + 1, .is_allowed = random_.OneIn(2), .margin = 0.25});
    const PairRules all(rules);
    const bool changes_rules = random_.OneIn(3);
    return std::get<ScenePtr>(scene->Apply(
        {.remove = removed, .put = put, .move = moved, .rules = changes_rules ? &all : nullptr}));
  }

 private:
  Random random_;
  std::vector<RigidBodyPtr> bodies_;
};

bool IsSame(const SceneBody& a, const SceneBody& b) {
  return a.id == b.id && a.body == b.body && a.bits == b.bits && a.margin == b.margin &&
         a.X_WB.p_WS == b.X_WB.p_WS;
}

ScenePtr Apply(const ScenePtr& scene, const SceneDiff& diff) {
  std::vector<PairRule> rules;
  const auto is_gone = [&](const PairRule& rule) {
    return std::ranges::any_of(diff.removed_rules, [&](const PairRule& gone) {
      return gone.a == rule.a && gone.b == rule.b;
    });
  };
  for (const PairRule& rule : scene->rules().rules()) {
    if (!is_gone(rule)) rules.push_back(rule);
  }
  rules.insert(rules.end(), diff.rules.begin(), diff.rules.end());
  const PairRules all(rules);
  return std::get<ScenePtr>(
      scene->Apply({.remove = diff.removed, .put = diff.put, .move = diff.moved, .rules = &all}));
}

void ExpectSame(const Scene& a, const Scene& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto found = b.Find(a.BodyAt(i).id);
    ASSERT_TRUE(found.has_value());
    EXPECT_TRUE(IsSame(*found, a.BodyAt(i)));
  }
  ASSERT_EQ(a.rules().rules().size(), b.rules().rules().size());
  for (const PairRule& rule : a.rules().rules()) {
    const PairRule* const other = b.rules().Find(rule.a, rule.b);
    ASSERT_NE(other, nullptr);
    EXPECT_EQ(other->is_allowed, rule.is_allowed);
    EXPECT_EQ(other->margin, rule.margin);
  }
}

// How many bodies differ, or are in one scene only.
std::size_t Differing(const Scene& before, const Scene& after) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < before.size(); ++i) count += !after.Contains(before.BodyAt(i).id);
  for (std::size_t i = 0; i < after.size(); ++i) {
    const auto was = before.Find(after.BodyAt(i).id);
    count += !was.has_value() || !IsSame(*was, after.BodyAt(i));
  }
  return count;
}

TEST(SceneDiff, MakesOneSceneTheOtherAndIsNoLargerThanItHasToBe) {
  Worlds worlds(testing::RunSeed());
  ScenePtr scene = Scene::MakeEmpty();
  std::size_t removed = 0;
  std::size_t moved = 0;
  std::size_t shared = 0;
  for (int i = 0; i < testing::Effort(300); ++i) {
    ScenePtr next = worlds.Changed(scene);
    if (i % 3 == 0) next = worlds.Changed(next);
    const SceneDiff diff = *DiffOf(*scene, *next, kAll);
    ExpectSame(*Apply(scene, diff), *next);
    EXPECT_EQ(diff.removed.size() + diff.put.size() + diff.moved.size(), Differing(*scene, *next));
    removed += diff.removed.size();
    moved += diff.moved.size();
    shared += next->size() - diff.put.size() - diff.moved.size();
    scene = next;
  }
  EXPECT_GT(removed, 50u);
  EXPECT_GT(moved, 50u);
  EXPECT_GT(shared, 1000u);
}

TEST(SceneDiff, OfASceneWithItselfIsEmpty) {
  Worlds worlds(7);
  const ScenePtr scene = worlds.Changed(worlds.Changed(Scene::MakeEmpty()));
  EXPECT_EQ(DiffOf(*scene, *scene, 0)->size(), 0u);
}

TEST(SceneDiff, WorksBetweenScenesThatShareNothing) {
  Worlds worlds(8);
  const ScenePtr a = worlds.Changed(worlds.Changed(Scene::MakeEmpty()));
  const ScenePtr b = worlds.Changed(worlds.Changed(Scene::MakeEmpty()));
  ExpectSame(*Apply(a, *DiffOf(*a, *b, kAll)), *b);
}

TEST(SceneDiff, IsRefusedWhereItIsLargerThanAskedFor) {
  Worlds worlds(testing::RunSeed());
  ScenePtr scene = Scene::MakeEmpty();
  for (int i = 0; i < 50; ++i) {
    const ScenePtr next = worlds.Changed(scene);
    const std::size_t size = DiffOf(*scene, *next, kAll)->size();
    EXPECT_TRUE(DiffOf(*scene, *next, size).has_value());
    if (size > 0) {
      EXPECT_FALSE(DiffOf(*scene, *next, size - 1).has_value());
    }
    scene = next;
  }
}

// Whatever of a body differs, it is told.
TEST(SceneDiff, TellsEachNumberOfABody) {
  const SceneBody body = {1, Ball(1), {{1, 2, 3}, {0.5, 0.5, 0.5, 0.5}}, {}, 0.25};
  const ScenePtr scene = std::get<ScenePtr>(Scene::MakeEmpty()->Apply({.put = {&body, 1}}));
  std::vector<SceneBody> others(11, body);
  others[0].X_WB.p_WS.x = 4;
  others[1].X_WB.p_WS.y = 4;
  others[2].X_WB.p_WS.z = 4;
  others[3].X_WB.q_WS = {-0.5, 0.5, 0.5, 0.5};
  others[4].X_WB.q_WS = {0.5, -0.5, 0.5, 0.5};
  others[5].X_WB.q_WS = {0.5, 0.5, -0.5, 0.5};
  others[6].X_WB.q_WS = {0.5, 0.5, 0.5, -0.5};
  others[7].bits.group = 2;
  others[8].bits.mask = 2;
  others[9].margin = 0.5;
  others[10].body = Ball(1);
  for (const SceneBody& other : others) {
    const ScenePtr changed = std::get<ScenePtr>(scene->Apply({.put = {&other, 1}}));
    const auto diff = DiffOf(*scene, *changed, kAll);
    ASSERT_TRUE(diff.has_value());
    EXPECT_EQ(diff->put.size() + diff->moved.size(), 1U) << &other - others.data();
  }
}

TEST(SceneDiff, TellsTheNewMarginOfARule) {
  const auto with = [](double margin) {
    const std::vector<PairRule> rules = {{.a = 1, .b = 2, .is_allowed = false, .margin = margin}};
    const PairRules all(rules);
    return std::get<ScenePtr>(Scene::MakeEmpty()->Apply({.rules = &all}));
  };
  const auto diff = DiffOf(*with(0.25), *with(0.5), kAll);
  ASSERT_TRUE(diff.has_value());
  EXPECT_EQ(diff->size(), 1U);
  EXPECT_TRUE(diff->removed_rules.empty());
  const auto none = DiffOf(*with(0.25), *with(0.25), kAll);
  EXPECT_EQ(none->size(), 0U);
}

}  // namespace
}  // namespace clearance
