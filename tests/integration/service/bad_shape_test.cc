// SPDX-License-Identifier: Apache-2.0
//
// Every way in which a registration can be bad: the refusal names code, field, value and limit, and
// the registry is what it was.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <ostream>
#include <string>

#include "tests/integration/service/harness.h"

namespace clearance::testing {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr char kKinds[] =
    "point, segment, triangle, sphere, capsule, box, hull, polygon, cylinder, cone, ellipsoid or "
    "compound";
constexpr char kNameForm[] = "1 to 128 characters of [a-z0-9][a-z0-9._/-]*";
constexpr grpc::StatusCode kInvalid = grpc::StatusCode::INVALID_ARGUMENT;
constexpr grpc::StatusCode kExhausted = grpc::StatusCode::RESOURCE_EXHAUSTED;

// The registry of the server holds "old" and has room for two shapes.
server::Limits Limits() {
  server::Limits limits;
  limits.max_shape_vertices = 100;
  limits.max_shapes = 2;
  limits.max_pieces_per_shape = 3;
  limits.max_batch_hulls = 3;
  limits.max_request_bytes = 10'000;
  limits.max_transport_bytes = 20'000;
  return limits;
}

struct BadCase {
  const char* name;
  std::function<void(v1::RegisterShapeRequest&)> spoil;  // a good request for "new"
  grpc::StatusCode code;
  const char* field;
  std::string value;
  std::string limit;
};

std::ostream& operator<<(std::ostream& out, const BadCase& bad) { return out << bad.name; }

class BadRegistration : public ::testing::TestWithParam<BadCase> {
 protected:
  void SetUp() override { Register(server_, "old", Sphere(3)); }

  void ExpectUnchanged() {
    EXPECT_EQ(server_.registry.revision(), 1u);
    v1::ListShapesResponse list;
    ASSERT_TRUE(Call(*server_.shapes, &v1::ShapeService::Stub::ListShapes, {}, &list).ok());
    ASSERT_EQ(list.shapes_size(), 1);
    EXPECT_EQ(list.shapes(0).name(), "old");
    EXPECT_EQ(list.shapes(0).swept_sphere_radius(), 3);
  }

  TestServer server_{Limits()};
};

TEST_P(BadRegistration, IsRefusedAndChangesNothing) {
  v1::RegisterShapeRequest request;
  request.set_name("new");
  *request.mutable_shape() = Box(1);
  GetParam().spoil(request);
  v1::RegisterShapeResponse response;
  const grpc::Status status =
      Call(*server_.shapes, &v1::ShapeService::Stub::RegisterShape, request, &response);
  EXPECT_EQ(status.error_code(), GetParam().code);
  const v1::Error error = ErrorOf(status);
  EXPECT_EQ(error.field(), GetParam().field);
  EXPECT_EQ(error.value(), GetParam().value);
  EXPECT_EQ(error.limit(), GetParam().limit);
  EXPECT_FALSE(error.message().empty());
  ExpectUnchanged();
}

std::function<void(v1::RegisterShapeRequest&)> Name(const std::string& name) {
  return [name](auto& request) { request.set_name(name); };
}

std::function<void(v1::RegisterShapeRequest&)> Shape(const v1::Shape& shape) {
  return [shape](auto& request) { *request.mutable_shape() = shape; };
}

v1::Shape WithRadius(v1::Shape shape, double radius) {
  shape.set_swept_sphere_radius(radius);
  return shape;
}

v1::Shape Capsule(double radius, double half_length) {
  v1::Shape shape;
  shape.mutable_capsule()->set_radius(radius);
  shape.mutable_capsule()->set_half_length(half_length);
  return shape;
}

v1::Shape Segment(double z) {
  v1::Shape shape;
  shape.mutable_segment()->mutable_a();
  shape.mutable_segment()->mutable_b()->set_z(z);
  return shape;
}

v1::Shape Triangle(double y) {
  v1::Shape shape;
  shape.mutable_triangle()->mutable_c()->set_y(y);
  return shape;
}

v1::Shape Cylinder(double radius, double half_length) {
  v1::Shape shape;
  shape.mutable_cylinder()->set_radius(radius);
  shape.mutable_cylinder()->set_half_length(half_length);
  return shape;
}

v1::Shape Cone(double radius, double half_length) {
  v1::Shape shape;
  shape.mutable_cone()->set_radius(radius);
  shape.mutable_cone()->set_half_length(half_length);
  return shape;
}

v1::Shape Ellipsoid(double y) {
  v1::Shape shape;
  shape.mutable_ellipsoid()->mutable_semi_axes()->set_x(1);
  shape.mutable_ellipsoid()->mutable_semi_axes()->set_y(y);
  shape.mutable_ellipsoid()->mutable_semi_axes()->set_z(1);
  return shape;
}

// Boxes at the origin, but for the last piece.
v1::Shape Compound(int boxes, const v1::Shape& last, const std::vector<double>& pose = {}) {
  v1::Shape shape;
  for (int i = 0; i < boxes; ++i) *shape.mutable_compound()->add_pieces()->mutable_shape() = Box(1);
  v1::Piece* const piece = shape.mutable_compound()->add_pieces();
  *piece->mutable_shape() = last;
  piece->mutable_pose()->Add(pose.begin(), pose.end());
  return shape;
}

v1::Shape Compound60And60() {
  v1::Shape shape = Compound(0, RingHull(60));
  *shape.mutable_compound()->add_pieces()->mutable_shape() = RingHull(60);
  return shape;
}

v1::Shape Polygon(const std::vector<double>& vertices) {
  v1::Shape shape;
  shape.mutable_polygon()->mutable_vertices()->Add(vertices.begin(), vertices.end());
  return shape;
}

// The tetrahedron's edges are all pairs; here vertex 0 lacks its edge to 3.
v1::Shape TetrahedronWithoutAnEdge() {
  v1::Shape shape = Hull({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1});
  for (const std::uint32_t offset : {0, 2, 5, 8, 10})
    shape.mutable_hull()->add_adjacency_offsets(offset);
  for (const std::uint32_t to : {1, 2, 0, 2, 3, 0, 1, 3, 1, 2})
    shape.mutable_hull()->add_adjacency(to);
  return shape;
}

const BadCase kBadRegistrations[] = {
    {"NameEmpty", Name(""), kInvalid, "name", "", kNameForm},
    {"NameTooLong", Name(std::string(129, 'a')), kInvalid, "name", std::string(64, 'a'), kNameForm},
    {"NameWithACapital", Name("Box"), kInvalid, "name", "Box", kNameForm},
    {"NameWithASpace", Name("a b"), kInvalid, "name", "a b", kNameForm},
    {"NameThatBeginsWithADot", Name(".box"), kInvalid, "name", ".box", kNameForm},
    {"NameBeyondAscii", Name("k\xc3\xa4se"), kInvalid, "name", "k??se", kNameForm},
    {"NoShape", [](auto& request) { request.clear_shape(); }, kInvalid, "shape.kind", "unset",
     kKinds},
    {"HullWithoutVertices", [](auto& request) { request.mutable_shape()->mutable_hull(); },
     kInvalid, "shape.hull.vertices", "0 numbers", "3 numbers a point, at least one point"},
    {"HullWithTooFewNumbers", Shape(Hull({1, 2, 3, 4})), kInvalid, "shape.hull.vertices",
     "4 numbers", "3 numbers a point, at least one point"},
    {"HullWithANumberThatIsNone", Shape(Hull({0, 0, 0, 1, 0, kNan})), kInvalid,
     "shape.hull.vertices[1].z", "nan", "finite"},
    {"HullWithAPointAtInfinity", Shape(Hull({kInfinity, 0, 0})), kInvalid,
     "shape.hull.vertices[0].x", "inf", "finite"},
    {"HullWithTooManyPoints", Shape(RingHull(101)), kExhausted, "shape.hull.vertices", "101 points",
     "max_shape_vertices <= 100"},
    {"PolygonWithoutVertices", [](auto& request) { request.mutable_shape()->mutable_polygon(); },
     kInvalid, "shape.polygon.vertices", "0 numbers", "2 numbers a point, at least one point"},
    {"PolygonWithTooFewNumbers", Shape(Polygon({1, 2, 3})), kInvalid, "shape.polygon.vertices",
     "3 numbers", "2 numbers a point, at least one point"},
    {"PolygonWithANumberThatIsNone", Shape(Polygon({0, 0, 1, kNan})), kInvalid,
     "shape.polygon.vertices[1].y", "nan", "finite"},
    {"SphereWithoutANumber", Shape(Sphere(kNan)), kInvalid, "shape.sphere.radius", "nan", "finite"},
    {"SphereNegative", Shape(Sphere(-1)), kInvalid, "shape.sphere.radius", "-1", ">= 0"},
    {"ExtensionNegative", Shape(WithRadius(Box(1), -2)), kInvalid, "shape.swept_sphere_radius",
     "-2", "finite, >= 0"},
    {"ExtensionInfinite", Shape(WithRadius(Box(1), kInfinity)), kInvalid,
     "shape.swept_sphere_radius", "inf", "finite, >= 0"},
    {"BoxNegative", Shape(Box(-1)), kInvalid, "shape.box.half_extents.x", "-1", ">= 0"},
    {"BoxInfinite", Shape(Box(kInfinity)), kInvalid, "shape.box.half_extents.x", "inf", "finite"},
    {"CapsuleRadiusNegative", Shape(Capsule(-1, 1)), kInvalid, "shape.capsule.radius", "-1",
     ">= 0"},
    {"CapsuleLengthWithoutANumber", Shape(Capsule(1, kNan)), kInvalid, "shape.capsule.half_length",
     "nan", "finite"},
    {"SegmentAtInfinity", Shape(Segment(-kInfinity)), kInvalid, "shape.segment.b.z", "-inf",
     "finite"},
    {"TriangleWithoutANumber", Shape(Triangle(kNan)), kInvalid, "shape.triangle.c.y", "nan",
     "finite"},
    {"CylinderRadiusNegative", Shape(Cylinder(-1, 1)), kInvalid, "shape.cylinder.radius", "-1",
     ">= 0"},
    {"CylinderLengthWithoutANumber", Shape(Cylinder(1, kNan)), kInvalid,
     "shape.cylinder.half_length", "nan", "finite"},
    {"CylinderWithAnInfiniteExtension", Shape(WithRadius(Cylinder(1, 1), kInfinity)), kInvalid,
     "shape.swept_sphere_radius", "inf", "finite, >= 0"},
    {"ConeRadiusInfinite", Shape(Cone(kInfinity, 1)), kInvalid, "shape.cone.radius", "inf",
     "finite"},
    {"ConeLengthNegative", Shape(Cone(1, -1)), kInvalid, "shape.cone.half_length", "-1", ">= 0"},
    {"EllipsoidNegative", Shape(Ellipsoid(-1)), kInvalid, "shape.ellipsoid.semi_axes.y", "-1",
     "> 0"},
    {"EllipsoidFlat", Shape(Ellipsoid(0)), kInvalid, "shape.ellipsoid.semi_axes.y", "0", "> 0"},
    {"EllipsoidWithoutANumber", Shape(Ellipsoid(kNan)), kInvalid, "shape.ellipsoid.semi_axes.y",
     "nan", "finite"},
    {"CompoundWithoutPieces", [](auto& request) { request.mutable_shape()->mutable_compound(); },
     kInvalid, "shape.compound.pieces", "0 pieces", ">= 1 piece"},
    {"CompoundWithTooManyPieces", Shape(Compound(3, Box(1))), kExhausted, "shape.compound.pieces",
     "4", "max_pieces_per_shape <= 3"},
    {"CompoundInACompound", Shape(Compound(0, Compound60And60())), kInvalid,
     "shape.compound.pieces[0].shape.kind", "compound", "any kind but compound"},
    {"CompoundOfHullsWithTooManyPoints", Shape(Compound60And60()), kExhausted,
     "shape.compound.pieces", "120 points", "max_shape_vertices <= 100"},
    {"CompoundWithARadius", Shape(WithRadius(Compound(1, Box(1)), 0.5)), kInvalid,
     "shape.swept_sphere_radius", "0.5", "0 of a compound"},
    {"PieceWithoutAKind", Shape(Compound(1, v1::Shape())), kInvalid,
     "shape.compound.pieces[1].shape.kind", "unset", kKinds},
    {"PieceThatIsNegative", Shape(Compound(1, Sphere(-1))), kInvalid,
     "shape.compound.pieces[1].shape.sphere.radius", "-1", ">= 0"},
    {"PieceWithAPointWithoutANumber", Shape(Compound(0, Hull({0, 0, kNan}))), kInvalid,
     "shape.compound.pieces[0].shape.hull.vertices[0].z", "nan", "finite"},
    {"PieceWithHalfAPose", Shape(Compound(0, Box(1), {1, 2, 3})), kInvalid,
     "shape.compound.pieces[0].pose", "3 numbers", "7 numbers, or none"},
    {"PieceAtInfinity", Shape(Compound(0, Box(1), {0, kInfinity, 0, 0, 0, 0, 1})), kInvalid,
     "shape.compound.pieces[0].pose", "inf", "finite"},
    {"PieceWithALongQuaternion", Shape(Compound(0, Box(1), {0, 0, 0, 0, 0, 0, 2})), kInvalid,
     "shape.compound.pieces[0].pose", "|q| = 2", "|q| within 0.001 of 1"},
};
INSTANTIATE_TEST_SUITE_P(Each, BadRegistration, ::testing::ValuesIn(kBadRegistrations),
                         [](const auto& test) { return test.param.name; });

using RefusedRegistration = BadRegistration;

TEST_F(RefusedRegistration, AdjacencyThatIsNotTheHullsNamesItsField) {
  v1::RegisterShapeRequest request;
  v1::RegisterShapeResponse response;
  request.set_name("new");
  *request.mutable_shape() = TetrahedronWithoutAnEdge();
  const grpc::Status status =
      Call(*server_.shapes, &v1::ShapeService::Stub::RegisterShape, request, &response);
  EXPECT_EQ(status.error_code(), kInvalid);
  EXPECT_THAT(ErrorOf(status).field(), ::testing::HasSubstr("shape.hull.adjacency"));
  ExpectUnchanged();
}

TEST_F(RefusedRegistration, NameWithOtherContentIsTaken) {
  v1::RegisterShapeRequest request;
  v1::RegisterShapeResponse response;
  request.set_name("old");
  *request.mutable_shape() = Box(1);
  const grpc::Status status =
      Call(*server_.shapes, &v1::ShapeService::Stub::RegisterShape, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::ALREADY_EXISTS);
  EXPECT_EQ(ErrorOf(status).field(), "name");
  EXPECT_EQ(ErrorOf(status).value(), "old");
  EXPECT_THAT(ErrorOf(status).limit(),
              ::testing::HasSubstr("a free name, or the content v1-sha256-"));
  ExpectUnchanged();
}

TEST_F(RefusedRegistration, MessageOverOurLimitNamesIt) {
  v1::RegisterShapeRequest request;
  v1::RegisterShapeResponse response;
  request.set_name("new");
  *request.mutable_shape() = RingHull(500);
  const grpc::Status status =
      Call(*server_.shapes, &v1::ShapeService::Stub::RegisterShape, request, &response);
  EXPECT_EQ(status.error_code(), kExhausted);
  EXPECT_EQ(ErrorOf(status).limit(), "max_request_bytes <= 10000");
  ExpectUnchanged();
}

TEST_F(RefusedRegistration, MessageOverTheTransportsLimitNamesBothNumbers) {
  v1::RegisterShapeRequest request;
  v1::RegisterShapeResponse response;
  request.set_name("new");
  *request.mutable_shape() = RingHull(1000);
  const grpc::Status status =
      Call(*server_.shapes, &v1::ShapeService::Stub::RegisterShape, request, &response);
  EXPECT_EQ(status.error_code(), kExhausted);
  EXPECT_THAT(status.error_message(), ::testing::HasSubstr(std::to_string(request.ByteSizeLong())));
  EXPECT_THAT(status.error_message(), ::testing::HasSubstr("20000"));
  ExpectUnchanged();
}

TEST_F(RefusedRegistration, TooManyShapesNamesTheLimit) {
  Register(server_, "second", Box(1));
  v1::RegisterShapeRequest request;
  v1::RegisterShapeResponse response;
  request.set_name("third");
  *request.mutable_shape() = Box(2);
  const grpc::Status status =
      Call(*server_.shapes, &v1::ShapeService::Stub::RegisterShape, request, &response);
  EXPECT_EQ(status.error_code(), kExhausted);
  EXPECT_EQ(ErrorOf(status).value(), "3");
  EXPECT_EQ(ErrorOf(status).limit(), "max_shapes <= 2");
  EXPECT_EQ(server_.registry.revision(), 2u);
}

struct BadBatchCase {
  const char* name;
  std::function<void(v1::BatchRegisterHullsRequest&)> spoil;
  grpc::StatusCode code;
  const char* field;
  const char* value;
  const char* limit;
};

class BadBatchRegistration : public BadRegistration {
 protected:
  // Two single points.
  static v1::BatchRegisterHullsRequest GoodBatch() {
    v1::BatchRegisterHullsRequest request;
    for (const char* name : {"a", "b"}) {
      request.add_names(name);
      request.add_vertex_counts(1);
      for (int i = 0; i < 3; ++i) request.add_vertices(1);
    }
    return request;
  }
};

TEST_F(BadBatchRegistration, WhoseColumnsDoNotFitRegistersNothing) {
  const BadBatchCase cases[] = {
      {"too few vertices", [](auto& m) { m.mutable_vertices()->RemoveLast(); }, kInvalid,
       "vertices", "5 numbers", "6 numbers"},
      {"too many counts", [](auto& m) { m.add_vertex_counts(0); }, kInvalid, "vertex_counts",
       "3 numbers", "2 numbers"},
      {"count beyond the column", [](auto& m) { m.set_vertex_counts(1, 4'000'000'000); }, kInvalid,
       "vertices", "6 numbers", "12000000003 numbers"},
      {"too many radii",
       [](auto& m) {
         for (int i = 0; i < 3; ++i) m.add_swept_sphere_radii(1);
       },
       kInvalid, "swept_sphere_radii", "3 numbers", "2 numbers"},
      {"too many items",
       [](auto& m) {
         for (int i = 0; i < 2; ++i) m.add_names("c");
       },
       kExhausted, "names", "4 items", "max_batch_hulls <= 3"},
  };
  for (const BadBatchCase& bad : cases) {
    SCOPED_TRACE(bad.name);
    v1::BatchRegisterHullsRequest request = GoodBatch();
    bad.spoil(request);
    v1::BatchRegisterHullsResponse response;
    const grpc::Status status =
        Call(*server_.shapes, &v1::ShapeService::Stub::BatchRegisterHulls, request, &response);
    EXPECT_EQ(status.error_code(), bad.code);
    EXPECT_EQ(ErrorOf(status).field(), bad.field);
    EXPECT_EQ(ErrorOf(status).value(), bad.value);
    EXPECT_EQ(ErrorOf(status).limit(), bad.limit);
    ExpectUnchanged();
  }
}

TEST_F(BadBatchRegistration, RefusesBadItemsByThemselves) {
  v1::BatchRegisterHullsRequest request;
  const struct {
    const char* name;
    double x;
    double radius;
  } items[] = {{"good", 1, 0}, {"Bad", 1, 0}, {"nan", kNan, 0}};
  for (const auto& item : items) {
    request.add_names(item.name);
    request.add_vertex_counts(1);
    for (const double number : {item.x, 0.0, 0.0}) request.add_vertices(number);
    request.add_swept_sphere_radii(item.radius);
  }
  v1::BatchRegisterHullsResponse response;
  ASSERT_TRUE(
      Call(*server_.shapes, &v1::ShapeService::Stub::BatchRegisterHulls, request, &response).ok());
  ASSERT_EQ(response.digests_size(), 3);
  EXPECT_FALSE(response.digests(0).empty());
  EXPECT_EQ(response.digests(1), "");
  EXPECT_EQ(response.digests(2), "");
  ASSERT_EQ(response.errors_size(), 2);
  EXPECT_EQ(response.errors(0).index(), 1u);
  EXPECT_EQ(response.errors(0).field(), "names[1]");
  EXPECT_EQ(response.errors(0).reason(), "NAME_INVALID");
  EXPECT_EQ(response.errors(0).value(), "Bad");
  EXPECT_EQ(response.errors(1).index(), 2u);
  EXPECT_EQ(response.errors(1).field(), "vertices[0].x");
  EXPECT_EQ(response.errors(1).value(), "nan");
  EXPECT_EQ(response.revision(), 2u);
}

}  // namespace
}  // namespace clearance::testing
