// SPDX-License-Identifier: Apache-2.0

#include "server/engine/shape_table.h"

#include <gtest/gtest.h>

#include <variant>

#include "core/shape/make_shape.h"

namespace clearance::server {
namespace {

RigidBodyPtr Ball() { return MakeBody(std::get<ConvexShapePtr>(MakePoint(1))); }
RigidBodyPtr Cube() { return MakeBody(std::get<ConvexShapePtr>(MakeBox({1, 1, 1}, 0))); }

TEST(ShapeTable, KnowsWhatHappenedToEachSlot) {
  ShapeTable table;
  table.Open(1, Ball(), 0);
  table.Open(3, Ball(), 0);
  EXPECT_TRUE(table.Close(3));
  table.Poison(4, "no such shape");
  EXPECT_EQ(table.state(0), SlotState::kNeverOpened);
  EXPECT_EQ(table.state(1), SlotState::kOpen);
  EXPECT_EQ(table.state(3), SlotState::kClosed);
  EXPECT_EQ(table.state(4), SlotState::kPoisoned);
  EXPECT_EQ(table.state(4'000'000'000), SlotState::kNeverOpened);
  EXPECT_NE(table.body(1), nullptr);
  EXPECT_EQ(table.body(3), nullptr);
  EXPECT_EQ(table.body(4), nullptr);
}

TEST(ShapeTable, ClosesOnlyWhatHoldsSomething) {
  ShapeTable table;
  EXPECT_FALSE(table.Close(0));
  table.Poison(0, "reason");
  EXPECT_TRUE(table.Close(0));
  EXPECT_FALSE(table.Close(0));
}

TEST(ShapeTable, KeepsTheFirstReasonOfAPoisonedSlot) {
  ShapeTable table;
  table.Poison(0, "first");
  table.Poison(0, "second");
  EXPECT_EQ(table.failure(0), "first");
  table.Open(0, Ball(), 0);
  table.Poison(0, "third");
  EXPECT_EQ(table.failure(0), "third");
}

TEST(ShapeTable, AddsUpTheBytesThatItOwns) {
  ShapeTable table;
  table.Open(0, Ball(), 100);
  table.Open(1, Ball(), 10);
  table.Open(0, Ball(), 50);
  EXPECT_EQ(table.owned_bytes(), 60u);
  table.Close(0);
  table.Poison(1, "reason");
  EXPECT_EQ(table.owned_bytes(), 0u);
}

TEST(ShapeTable, RemembersItsLargestBody) {
  ShapeTable table;
  EXPECT_EQ(table.max_vertices_a_step(), 0u);
  EXPECT_EQ(table.max_piece_count(), 0u);
  table.Open(0, Cube(), 0);
  table.Open(1, Ball(), 0);
  EXPECT_EQ(table.max_vertices_a_step(), 8u);
  EXPECT_EQ(table.max_piece_count(), 1u);
}

TEST(ShapeTable, CountsWhatOneStepScansOfAnAveragePiece) {
  ShapeTable table;
  const Piece cube{std::get<ConvexShapePtr>(MakeBox({1, 1, 1}, 0)), {}};
  const Piece point{std::get<ConvexShapePtr>(MakePoint(1)), {}};
  table.Open(0, std::get<RigidBodyPtr>(MakeCompound({cube, cube, point})), 0);
  EXPECT_EQ(table.vertices_a_step(0), 6u);  // 17 vertices in 3 pieces
  EXPECT_EQ(table.max_piece_count(), 3u);
  table.Open(1, MakeBody(std::get<ConvexShapePtr>(MakeCylinder(1, 1, 0))), 0);
  EXPECT_GT(table.vertices_a_step(1), 0u) << "a support of a curved shape is not free";
}

}  // namespace
}  // namespace clearance::server
