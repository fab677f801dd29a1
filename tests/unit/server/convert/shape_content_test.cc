// SPDX-License-Identifier: Apache-2.0
//
// The digest of a message's shape: one for each content, whatever its kind.

#include "server/convert/shape_content.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace clearance::server {
namespace {

std::vector<v1::Shape> DifferentShapes() {
  std::vector<v1::Shape> shapes(23);
  shapes[0].mutable_point();
  shapes[1].mutable_point();
  shapes[1].set_swept_sphere_radius(1);
  shapes[2].mutable_sphere()->set_radius(1);
  shapes[3].mutable_sphere();
  shapes[3].set_swept_sphere_radius(1);
  shapes[4].mutable_segment()->mutable_a()->set_x(1);
  shapes[5].mutable_segment()->mutable_b()->set_x(1);
  shapes[6].mutable_triangle()->mutable_a()->set_x(1);
  shapes[7].mutable_triangle()->mutable_c()->set_x(1);
  shapes[8].mutable_capsule()->set_radius(1);
  shapes[9].mutable_capsule()->set_half_length(1);
  shapes[10].mutable_box()->mutable_half_extents()->set_z(1);
  shapes[13].mutable_cylinder()->set_radius(1);
  shapes[14].mutable_cylinder()->set_half_length(1);
  shapes[15].mutable_cone()->set_radius(1);
  shapes[16].mutable_cone()->set_half_length(1);
  for (v1::Shape* shape : {&shapes[17], &shapes[18]}) {
    shape->mutable_ellipsoid()->mutable_semi_axes()->set_x(1);
    shape->mutable_ellipsoid()->mutable_semi_axes()->set_y(1);
    shape->mutable_ellipsoid()->mutable_semi_axes()->set_z(1);
  }
  shapes[17].mutable_ellipsoid()->mutable_semi_axes()->set_x(2);
  shapes[18].mutable_ellipsoid()->mutable_semi_axes()->set_z(2);
  shapes[19].mutable_compound()->add_pieces()->mutable_shape()->mutable_point();
  shapes[20] = shapes[19];
  shapes[20].mutable_compound()->add_pieces()->mutable_shape()->mutable_point();
  shapes[21] = shapes[19];
  shapes[21].mutable_compound()->mutable_pieces(0)->mutable_shape()->set_swept_sphere_radius(1);
  shapes[22] = shapes[19];
  for (const double number : {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}) {
    shapes[22].mutable_compound()->mutable_pieces(0)->add_pose(number);
  }
  for (const double number : {1.0, 0.0, 0.0, 0.0, 1.0, 0.0}) {
    shapes[11].mutable_hull()->add_vertices(number);
    shapes[12].mutable_polygon()->add_vertices(number);
  }
  return shapes;
}

TEST(ShapeContent, HasADigestOfItsOwnForEveryContent) {
  const Registry registry({}, nullptr);
  std::set<std::string> digests;
  for (const v1::Shape& shape : DifferentShapes()) {
    const auto content = BuildContent(shape, {}, registry);
    ASSERT_TRUE(content.ok()) << content.status() << shape.ShortDebugString();
    EXPECT_TRUE(digests.insert((*content)->digest).second) << shape.ShortDebugString();
  }
}

// Oracle: `printf '\x09%b%b%b' RADIUS CYLINDER_RADIUS HALF_LENGTH | sha256sum`, each number as 8
// bytes in little-endian order: 0.5, 1 and 2.
TEST(ShapeContent, DigestsACylinderByFieldAndNumbersInOrder) {
  const Registry registry({}, nullptr);
  v1::Shape shape;
  shape.set_swept_sphere_radius(0.5);
  shape.mutable_cylinder()->set_radius(1);
  shape.mutable_cylinder()->set_half_length(2);
  EXPECT_EQ((*BuildContent(shape, {}, registry))->digest,
            "v1-sha256-82f006540aca62c379469588deea0a6037defa505553906d16cdd0da2d139e58");
}

// Oracle: the bytes that registry/shape_name.h describes, through Python's hashlib and struct.
TEST(ShapeContent, DigestsACompoundPieceByPiece) {
  const Registry registry({}, nullptr);
  v1::Shape shape;
  v1::Piece* const ball = shape.mutable_compound()->add_pieces();
  ball->mutable_shape()->mutable_sphere()->set_radius(2);
  v1::Piece* const point = shape.mutable_compound()->add_pieces();
  point->mutable_shape()->mutable_point();
  point->mutable_shape()->set_swept_sphere_radius(0.5);
  for (const double number : {3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}) point->add_pose(number);
  EXPECT_EQ((*BuildContent(shape, {}, registry))->digest,
            "v1-sha256-425025211e77e842648737215ce8cea08bcd652945e81d72f28b2495019efc40");
}

TEST(ShapeContent, TellsOfACompoundWhatItsPiecesHaveTogether) {
  const Registry registry({}, nullptr);
  v1::Shape shape;
  for (const double x : {0.0, 10.0}) {
    v1::Piece* const piece = shape.mutable_compound()->add_pieces();
    piece->mutable_shape()->mutable_box()->mutable_half_extents()->set_x(1);
    piece->mutable_shape()->mutable_box()->mutable_half_extents()->set_y(1);
    piece->mutable_shape()->mutable_box()->mutable_half_extents()->set_z(1);
    for (const double number : {x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}) piece->add_pose(number);
  }
  v1::ShapeInfo info;
  FillShapeInfo({"", *BuildContent(shape, {}, registry), 0}, &info);
  EXPECT_EQ(info.piece_count(), 2u);
  EXPECT_EQ(info.point_count(), 16u);
  EXPECT_EQ(info.vertex_count(), 16u);
  EXPECT_EQ(info.dimension(), 3u);
  EXPECT_EQ(info.swept_sphere_radius(), 0);
  EXPECT_NEAR(info.volume(), 16, 1e-12);
  EXPECT_NEAR(info.bounding_radius(), 11.09053651, 1e-6);  // sqrt(11^2 + 1 + 1)
}

TEST(ShapeContent, TellsOfACurvedKindWhatItHas) {
  const Registry registry({}, nullptr);
  v1::Shape shape;
  shape.mutable_cone()->set_radius(3);
  shape.mutable_cone()->set_half_length(4);
  v1::ShapeInfo info;
  FillShapeInfo({"", *BuildContent(shape, {}, registry), 0}, &info);
  EXPECT_EQ(info.point_count(), 0u);
  EXPECT_EQ(info.vertex_count(), 0u);
  EXPECT_EQ(info.dimension(), 3u);
  EXPECT_NEAR(info.bounding_radius(), 5, 1e-12);
  EXPECT_NEAR(info.volume(), 24 * 3.141592653589793, 1e-10);  // a third of base times height

  shape.mutable_cone()->set_radius(0);
  FillShapeInfo({"", *BuildContent(shape, {}, registry), 0}, &info);
  EXPECT_EQ(info.point_count(), 2u);
  EXPECT_EQ(info.dimension(), 1u);
}

TEST(ShapeContent, GivesTheSameDigestAgain) {
  const Registry registry({}, nullptr);
  for (const v1::Shape& shape : DifferentShapes()) {
    EXPECT_EQ((*BuildContent(shape, {}, registry))->digest,
              (*BuildContent(shape, {}, registry))->digest);
  }
}

TEST(ShapeContent, IsNotBuiltAgainWhileTheRegistryHoldsIt) {
  Registry registry({}, nullptr);
  const v1::Shape shape = DifferentShapes()[11];
  const ShapeContentPtr first = *BuildContent(shape, {}, registry);
  EXPECT_NE(*BuildContent(shape, {}, registry), first);
  registry.Follow({{"a", first, 1}}, 1);
  EXPECT_EQ(*BuildContent(shape, {}, registry), first);
}

TEST(ShapeContent, CountsTheDigestOfAnAdjacency) {
  const Registry registry({}, nullptr);
  v1::Shape shape;
  for (const double number : {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}) {
    shape.mutable_hull()->add_vertices(number);
  }
  const std::string without = (*BuildContent(shape, {}, registry))->digest;
  for (const std::uint32_t offset : {0, 3, 6, 9, 12})
    shape.mutable_hull()->add_adjacency_offsets(offset);
  for (const std::uint32_t to : {1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2})
    shape.mutable_hull()->add_adjacency(to);
  const auto with = BuildContent(shape, {}, registry);
  ASSERT_TRUE(with.ok()) << with.status();
  EXPECT_NE((*with)->digest, without);
}

}  // namespace
}  // namespace clearance::server
