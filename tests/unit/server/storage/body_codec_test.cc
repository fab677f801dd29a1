// SPDX-License-Identifier: Apache-2.0
//
// Oracle: the body that core built. What is decoded must encode to the same bytes, and the fields
// that are computed again must be the same numbers.

#include "server/storage/body_codec.h"

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "core/shape/make_shape.h"
#include "tests/support/large_hulls.h"
#include "tests/support/random.h"

namespace clearance::server {
namespace {

ConvexShapePtr Made(ShapeOrError made) { return std::get<ConvexShapePtr>(std::move(made)); }

std::vector<double> NumbersOf(const std::vector<Vec3d>& points) {
  std::vector<double> numbers;
  for (const Vec3d& p : points) numbers.insert(numbers.end(), {p.x, p.y, p.z});
  return numbers;
}

ConvexShapePtr HullOf(testing::HullFamily family, int points) {
  testing::Random random(7);
  return Made(MakeHull(NumbersOf(testing::PointsOf(family, points, false, random)), 0.01));
}

struct Row {
  std::string name;
  RigidBodyPtr body;
};

void AddHulls(std::vector<Row>* rows) {
  for (int family = 0; family < testing::kHullFamilyCount; ++family) {
    for (const int points : {5, 64, 3000}) {
      rows->push_back({"family " + std::to_string(family) + " of " + std::to_string(points),
                       MakeBody(HullOf(static_cast<testing::HullFamily>(family), points))});
    }
  }
}

std::vector<Row> Bodies() {
  std::vector<Row> rows = {
      {"point", MakeBody(Made(MakePoint(0.5)))},
      {"segment", MakeBody(Made(MakeSegment({1, 2, 3}, {4, 5, 6}, 0)))},
      {"triangle", MakeBody(Made(MakeTriangle({}, {1, 0, 0}, {0, 1, 0}, 0.1)))},
      {"capsule", MakeBody(Made(MakeCapsule(0.1, 0.2, 1e-17)))},
      {"box", MakeBody(Made(MakeBox({1, 2, 3}, 0)))},
      {"cylinder", MakeBody(Made(MakeCylinder(1, 2, 0.5)))},
      {"cone", MakeBody(Made(MakeCone(1, 0, 0)))},
      {"ellipsoid", MakeBody(Made(MakeEllipsoid({1, 2, 3}, 0.25)))},
      {"polygon", MakeBody(Made(MakePolygon({0., 0., 1., 0., 1., 1., 0., 1., 0.5, 0.5}, 0)))},
      {"far and huge", MakeBody(Made(MakeBox({1e300, 1e-300, 1}, 0)))},
      {"duplicates",
       MakeBody(Made(
           MakeHull({0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 1., 0., 0., 0.}, 0)))},
  };
  const Piece turned = {Made(MakeBox({1, 1, 1}, 0)), {{1, 2, 3}, {0, 0, 0.6, 0.8}}};
  const Piece plain = {HullOf(testing::HullFamily{}, 100), {}};
  rows.push_back({"compound", std::get<RigidBodyPtr>(MakeCompound({turned, plain}))});
  rows.push_back({"compound of one", std::get<RigidBodyPtr>(MakeCompound({turned}))});
  AddHulls(&rows);
  return rows;
}

TEST(BodyCodec, KeepsEveryBitOfEveryKind) {
  for (const Row& row : Bodies()) {
    SCOPED_TRACE(row.name);
    const std::string bytes = EncodeBody(*row.body);
    const auto decoded = DecodeBody(bytes);
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    const RigidBody& body = **decoded;
    EXPECT_EQ(EncodeBody(body), bytes);
    EXPECT_EQ(body.bounding_radius(), row.body->bounding_radius());
    ASSERT_EQ(body.balls().size(), row.body->balls().size());
    for (std::size_t i = 0; i < body.balls().size(); ++i) {
      EXPECT_EQ(body.balls()[i].center, row.body->balls()[i].center);
      EXPECT_EQ(body.balls()[i].radius, row.body->balls()[i].radius);
      const ConvexShape& shape = *body.pieces()[i].shape;
      const ConvexShape& given = *row.body->pieces()[i].shape;
      EXPECT_EQ(shape.core_radius(), given.core_radius());
      EXPECT_EQ(shape.bounding_radius(), given.bounding_radius());
      EXPECT_EQ(shape.scan_blocks().size(), given.scan_blocks().size());
      EXPECT_EQ(shape.volume(), given.volume());
      EXPECT_EQ(shape.has_adjacency(), given.has_adjacency());
    }
  }
}

TEST(BodyCodec, HasBodiesWithLongRowsAndLayersToKeep) {
  int long_rows = 0, layers = 0;
  for (const Row& row : Bodies()) {
    const ClimbGraph& graph = row.body->pieces()[0].shape->climb_graph();
    long_rows += static_cast<int>(graph.long_rows.size());
    layers += static_cast<int>(graph.layers.size());
  }
  EXPECT_GT(long_rows, 0);
  EXPECT_GT(layers, 0);
}

TEST(BodyCodec, RefusesEveryBeginningAndWhatFollowsTheEnd) {
  const std::string bytes = EncodeBody(*MakeBody(HullOf(testing::HullFamily{}, 64)));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(DecodeBody(bytes.substr(0, size)).status().code(), absl::StatusCode::kDataLoss);
  }
  EXPECT_FALSE(DecodeBody(bytes + '\0').ok());
}

TEST(BodyCodec, OfChangedBytesTakesOnlyWhatEncodesToThem) {
  const std::string bytes = EncodeBody(*MakeBody(HullOf(testing::HullFamily{}, 200)));
  int refused = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 0x80);
    const auto body = DecodeBody(changed);
    refused += body.ok() ? 0 : 1;
    EXPECT_EQ(body.ok() ? EncodeBody(**body) : changed, changed) << i;
  }
  EXPECT_GT(refused, static_cast<int>(bytes.size() / 4));
}

TEST(BodyCodec, RefusesAnotherFormat) {
  std::string bytes = EncodeBody(*MakeBody(Made(MakePoint(1))));
  bytes[0] = static_cast<char>(kBodyFormat + 1);
  EXPECT_FALSE(DecodeBody(bytes).ok());
}

}  // namespace
}  // namespace clearance::server
