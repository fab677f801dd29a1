// SPDX-License-Identifier: Apache-2.0
//
// Which sessions are told to go for what they hold of deleted shapes.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/shape/make_shape.h"
#include "server/registry/holders.h"

namespace clearance::server {
namespace {

constexpr std::uint64_t kBytes = 10;  // of each shape, as the tests count

class ShapeHoldersTest : public testing::Test {
 protected:
  // A shape that was deleted.
  RigidBodyPtr Deleted() {
    RigidBodyPtr body = MakeBody(std::get<ConvexShapePtr>(MakeSphere(0.5, 0)));
    detached_.emplace(body.get(), kBytes);
    kept_.push_back(body);
    return body;
  }
  static ScenePtr SceneOf(const RigidBodyPtr& body) {
    const SceneBody placed = {1, body, {}, {}, 0};
    return std::get<ScenePtr>(Scene::MakeEmpty()->Apply({.put = absl::MakeConstSpan(&placed, 1)}));
  }

  // A session, and how often it was told.
  struct OneSession {
    OneSession(ShapeHolders* all, const std::string& holder)
        : session(all, holder, [this] { ++told; }) {}
    int told = 0;
    ShapeHolders::Session session;
  };

  ShapeHolders holders_;
  DetachedMap detached_;
  std::vector<RigidBodyPtr> kept_;
  OneSession first_{&holders_, "a"};
  OneSession second_{&holders_, "b"};
  OneSession third_{&holders_, "b"};
};

TEST_F(ShapeHoldersTest, TellsTheOneWhoHoldsMostAndNoMoreThanHasToGo) {
  first_.session.PutShape(0, Deleted());
  second_.session.PutShape(0, Deleted());
  second_.session.PutShape(7, Deleted());
  EXPECT_EQ(holders_.TellToGo(detached_, 3 * kBytes), 3 * kBytes);
  EXPECT_FALSE(second_.session.is_told());
  EXPECT_EQ(holders_.TellToGo(detached_, 3 * kBytes - 1), kBytes);
  EXPECT_TRUE(second_.session.is_told());
  EXPECT_EQ(second_.told, 1);
  EXPECT_FALSE(first_.session.is_told());
}

TEST_F(ShapeHoldersTest, CountsAllSessionsOfOneHolder) {
  first_.session.PutShape(0, Deleted());
  first_.session.PutShape(1, Deleted());
  second_.session.PutShape(0, Deleted());
  second_.session.PutShape(1, Deleted());
  third_.session.PutShape(0, Deleted());
  EXPECT_EQ(holders_.TellToGo(detached_, 3 * kBytes), 3 * kBytes);
  EXPECT_TRUE(second_.session.is_told());
  EXPECT_FALSE(first_.session.is_told());
  EXPECT_FALSE(third_.session.is_told());
}

TEST_F(ShapeHoldersTest, CountsAShapeAsGoneOnceAllWhoHoldItAre) {
  const RigidBodyPtr shared = Deleted();
  first_.session.PutShape(0, shared);
  second_.session.PutShape(0, shared);
  second_.session.PutShape(1, shared);
  EXPECT_EQ(holders_.TellToGo(detached_, 0), 0u);
  EXPECT_TRUE(first_.session.is_told());
  EXPECT_TRUE(second_.session.is_told());
  EXPECT_FALSE(third_.session.is_told());
}

TEST_F(ShapeHoldersTest, TellsOnlyHolders_LeavesWhatNoSessionHolds) {
  Deleted();
  const RigidBodyPtr registered = MakeBody(std::get<ConvexShapePtr>(MakeSphere(2, 0)));
  first_.session.PutShape(0, registered);
  EXPECT_EQ(holders_.TellToGo(detached_, 0), kBytes);
  EXPECT_FALSE(first_.session.is_told());
}

TEST_F(ShapeHoldersTest, TellsRemainingHoldersAgainAndNoOthers) {
  first_.session.PutShape(0, Deleted());
  first_.session.PutShape(1, Deleted());
  second_.session.PutShape(0, Deleted());
  EXPECT_EQ(holders_.TellToGo(detached_, 2 * kBytes), kBytes);
  EXPECT_EQ(holders_.TellToGo(detached_, 2 * kBytes), kBytes);
  EXPECT_EQ(first_.told, 2);
  EXPECT_FALSE(second_.session.is_told());
}

TEST_F(ShapeHoldersTest, FindsShapesInScenesAndQueryBodies) {
  first_.session.PutScene(3, SceneOf(Deleted()));
  second_.session.PutOwn(std::make_shared<const std::vector<SceneBody>>(
      std::vector<SceneBody>{{1, Deleted(), {}, {}, 0}}));
  EXPECT_EQ(holders_.TellToGo(detached_, 0), 0u);
  EXPECT_TRUE(first_.session.is_told());
  EXPECT_TRUE(second_.session.is_told());
}

TEST_F(ShapeHoldersTest, ForgetsWhatWasLetGo) {
  first_.session.PutShape(0, Deleted());
  first_.session.PutScene(0, SceneOf(Deleted()));
  first_.session.PutOwn(std::make_shared<const std::vector<SceneBody>>(
      std::vector<SceneBody>{{1, Deleted(), {}, {}, 0}}));
  first_.session.PutShape(0, nullptr);
  first_.session.PutScene(0, nullptr);
  first_.session.PutOwn(nullptr);
  EXPECT_EQ(holders_.TellToGo(detached_, 0), 3 * kBytes);
  EXPECT_FALSE(first_.session.is_told());
}

TEST_F(ShapeHoldersTest, ForgetsSessionsThatHaveEnded) {
  {
    OneSession gone(&holders_, "c");
    gone.session.PutShape(0, Deleted());
  }
  EXPECT_EQ(holders_.TellToGo(detached_, 0), kBytes);
}

}  // namespace
}  // namespace clearance::server
