// SPDX-License-Identifier: Apache-2.0
//
// The unary queries, and that they answer bit for bit what a session answers. The numbers
// themselves are held against independent oracles by the tests of core; here closed forms of
// spheres show that every column is in its place.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "tests/integration/service/harness.h"

namespace clearance::testing {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsNan;

constexpr double kNear = 1e-8;

auto IsPoint(double x, double y, double z) {
  return ElementsAre(DoubleNear(x, kNear), DoubleNear(y, kNear), DoubleNear(z, kNear));
}

template <class Request>
void AddUnitSpheres(Request* request) {
  for (int i = 0; i < 2; ++i) *request->add_shapes()->mutable_inline_shape() = Sphere(1);
}

v1::DistanceRequest SpheresApart(double x) {
  v1::DistanceRequest request;
  AddUnitSpheres(&request);
  *request.mutable_batch()->mutable_pairs() = PairAt(x);
  return request;
}

void WantAll(v1::DistanceDetail* detail) {
  detail->set_distances(true);
  detail->set_bounds(true);
  detail->set_points(true);
  detail->set_normals(true);
  detail->set_relative_points(true);
  detail->set_witnesses(true);
  detail->set_iterations(true);
  detail->set_tolerances(true);
  detail->set_pieces(true);
  detail->set_contacts(true);
  detail->set_depth_proofs(true);
}

v1::DistanceResponse Ask(TestServer& server, const v1::DistanceRequest& request) {
  v1::DistanceResponse response;
  const grpc::Status status =
      Call(*server.queries, &v1::QueryService::Stub::Distance, request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response;
}

TEST(Distance, FillsEveryColumnThatIsWanted) {
  TestServer server;
  v1::DistanceRequest request = SpheresApart(5);
  auto* const pairs = request.mutable_batch()->mutable_pairs();
  for (const double number : {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}) pairs->add_poses_a(number);
  WantAll(request.mutable_batch()->mutable_detail());
  const v1::DistanceBatchResult result = Ask(server, request).result();
  EXPECT_EQ(result.count(), 1u);
  EXPECT_EQ(result.total_count(), 1u);
  EXPECT_THAT(result.states(), ElementsAre(v1::STATE_SEPARATED));
  EXPECT_THAT(result.distances(), ElementsAre(DoubleNear(3, kNear)));
  EXPECT_THAT(result.points_a(), IsPoint(1, 0, 0));
  EXPECT_THAT(result.points_b(), IsPoint(4, 0, 0));
  EXPECT_THAT(result.normals(), IsPoint(1, 0, 0));
  EXPECT_THAT(result.relative_points_a(), IsPoint(1, 0, 0));
  EXPECT_THAT(result.relative_points_b(), IsPoint(4, 0, 0));
  EXPECT_THAT(result.flags(), ElementsAre(0u));
  EXPECT_EQ(result.iterations_size(), 1);
  EXPECT_THAT(result.tolerances(), ElementsAre(::testing::Gt(0)));
  EXPECT_THAT(result.witnesses().offsets(), ElementsAre(0u, 1u));
  EXPECT_THAT(result.witnesses().vertices_a(), ElementsAre(0u));
  EXPECT_THAT(result.witnesses().weights(), ElementsAre(1.0));
}

TEST(Distance, LeavesOutWhatIsNotWanted) {
  TestServer server;
  v1::DistanceRequest request = SpheresApart(5);
  request.mutable_batch()->mutable_detail();
  const v1::DistanceBatchResult result = Ask(server, request).result();
  EXPECT_EQ(result.states_size(), 1);
  EXPECT_EQ(result.distances_size(), 0);
  EXPECT_EQ(result.lower_bounds_size(), 0);
  EXPECT_EQ(result.points_a_size(), 0);
  EXPECT_FALSE(result.has_witnesses());
}

TEST(Distance, WithoutDetailGivesDistancesAndBounds) {
  TestServer server;
  const v1::DistanceBatchResult result = Ask(server, SpheresApart(5)).result();
  EXPECT_EQ(result.distances_size(), 1);
  EXPECT_EQ(result.lower_bounds_size(), 1);
  EXPECT_EQ(result.upper_bounds_size(), 1);
  EXPECT_EQ(result.normals_size(), 0);
}

v1::PairDistanceRequest BallsApart(double x) {
  v1::PairDistanceRequest request;
  for (v1::PosedShape* const posed : {request.mutable_a(), request.mutable_b()}) {
    *posed->mutable_shape()->mutable_inline_shape() = Sphere(1);
  }
  request.mutable_b()->mutable_pose()->mutable_translation()->set_x(x);
  return request;
}

TEST(PairDistance, HasTheBitsOfABatchOfOneRow) {
  TestServer server;
  for (const double x : {5.0, 2.0, 0.5}) {
    v1::DistanceRequest one = SpheresApart(x);
    WantAll(one.mutable_batch()->mutable_detail());
    const v1::DistanceBatchResult row = Ask(server, one).result();
    v1::PairDistanceResponse pair;
    const auto status =
        Call(*server.queries, &v1::QueryService::Stub::PairDistance, BallsApart(x), &pair);
    ASSERT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(pair.state(), row.states(0));
    EXPECT_EQ(pair.intersects(), x <= 2);
    EXPECT_EQ(pair.distance(), row.distances(0));
    EXPECT_EQ(pair.lower_bound(), row.lower_bounds(0));
    EXPECT_EQ(pair.upper_bound(), row.upper_bounds(0));
    EXPECT_EQ(pair.point_a().x(), row.points_a(0));
    EXPECT_EQ(pair.point_b().x(), row.points_b(0));
    EXPECT_EQ(pair.normal().x(), row.normals(0));
  }
}

TEST(PairDistance, RefusesTheCallAndNamesTheField) {
  TestServer server;
  v1::PairDistanceRequest unknown = BallsApart(5), no_shape = BallsApart(5), pose = BallsApart(5);
  unknown.mutable_a()->mutable_shape()->set_name("none");
  no_shape.mutable_b()->clear_shape();
  pose.mutable_b()->mutable_pose()->mutable_rotation()->set_w(2);
  const struct {
    const v1::PairDistanceRequest& request;
    const char *field, *reason;
  } cases[] = {{unknown, "a.shape.name", "SHAPE_NOT_REGISTERED"},
               {no_shape, "b.shape.reference", "FIELD_MISSING"},
               {pose, "b.pose", "QUATERNION_NOT_UNIT"}};
  for (const auto& [request, field, reason] : cases) {
    v1::PairDistanceResponse response;
    const auto status =
        Call(*server.queries, &v1::QueryService::Stub::PairDistance, request, &response);
    EXPECT_EQ(ErrorOf(status).field(), field);
    EXPECT_EQ(ErrorOf(status).reason(), reason);
  }
}

TEST(Distance, BeyondItsMaximumHasItAsLowerBoundAndNoPoints) {
  TestServer server;
  v1::DistanceRequest request = SpheresApart(50);
  request.mutable_batch()->add_max_distances(10);
  WantAll(request.mutable_batch()->mutable_detail());
  const v1::DistanceBatchResult result = Ask(server, request).result();
  EXPECT_THAT(result.states(), ElementsAre(v1::STATE_BEYOND));
  EXPECT_THAT(result.distances(), ElementsAre(IsNan()));
  EXPECT_THAT(result.lower_bounds(), ElementsAre(10.0));
  EXPECT_THAT(result.upper_bounds(), ElementsAre(HUGE_VAL));
  EXPECT_THAT(result.points_a(), ElementsAre(0, 0, 0));
  EXPECT_THAT(result.witnesses().offsets(), ElementsAre(0u, 0u));
}

TEST(Distance, OfOverlappingSpheresIsNegative) {
  TestServer server;
  v1::DistanceRequest request = SpheresApart(1.5);
  const v1::DistanceBatchResult result = Ask(server, request).result();
  EXPECT_THAT(result.states(), ElementsAre(v1::STATE_PENETRATING));
  EXPECT_LE(result.lower_bounds(0), -0.5);
  EXPECT_LT(result.upper_bounds(0), 0);
  EXPECT_THAT(result.distances(), ElementsAre(DoubleNear(-0.5, kNear)));
}

// Cubes of half extent 1 that share 0.25 along x: moving B by that along x separates them.
TEST(Distance, OfOverlappingCubesIsMinusTheDepthAlongTheNormal) {
  TestServer server;
  v1::DistanceRequest request;
  for (int i = 0; i < 2; ++i) *request.add_shapes()->mutable_inline_shape() = Box(1);
  *request.mutable_batch()->mutable_pairs() = PairAt(1.75);
  WantAll(request.mutable_batch()->mutable_detail());
  const v1::DistanceBatchResult result = Ask(server, request).result();
  EXPECT_THAT(result.states(), ElementsAre(v1::STATE_PENETRATING));
  EXPECT_THAT(result.distances(), ElementsAre(DoubleNear(-0.25, kNear)));
  EXPECT_LE(result.lower_bounds(0), -0.25);
  EXPECT_GE(result.upper_bounds(0), -0.25);
  EXPECT_LE(result.upper_bounds(0) - result.lower_bounds(0), kNear);
  EXPECT_THAT(result.normals(), IsPoint(1, 0, 0));
  EXPECT_NEAR(result.points_a(0), 1, kNear);
  EXPECT_NEAR(result.points_b(0), 0.75, kNear);
  EXPECT_NEAR(result.points_a(1), result.points_b(1), kNear);
  EXPECT_NEAR(result.points_a(2), result.points_b(2), kNear);
}

TEST(Distance, WitnessesNameTheCallersOwnVertices) {
  TestServer server;
  v1::DistanceRequest request;
  // The first point is repeated, so the fourth given point is the third that is kept.
  *request.add_shapes()->mutable_inline_shape() =
      Hull({0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1});
  *request.add_shapes()->mutable_inline_shape() = Sphere(1);
  *request.mutable_batch()->mutable_pairs() = PairAt(5);
  WantAll(request.mutable_batch()->mutable_detail());
  const v1::DistanceBatchResult result = Ask(server, request).result();
  EXPECT_THAT(result.distances(), ElementsAre(DoubleNear(3, kNear)));
  EXPECT_THAT(result.witnesses().vertices_a(), ElementsAre(3u));
}

// A cylinder of radius 2 and a cone of radius 1 beside it: nearest are the middle of the one's
// mantle and the rim of the other's base.
TEST(Distance, OfCurvedShapesHasPointsAndNamesNoVertices) {
  TestServer server;
  v1::DistanceRequest request;
  auto* const cylinder = request.add_shapes()->mutable_inline_shape()->mutable_cylinder();
  cylinder->set_radius(2);
  cylinder->set_half_length(3);
  auto* const cone = request.add_shapes()->mutable_inline_shape()->mutable_cone();
  cone->set_radius(1);
  cone->set_half_length(1);
  *request.mutable_batch()->mutable_pairs() = PairAt(5);
  WantAll(request.mutable_batch()->mutable_detail());
  const v1::DistanceBatchResult result = Ask(server, request).result();
  EXPECT_THAT(result.states(), ElementsAre(v1::STATE_SEPARATED));
  EXPECT_THAT(result.distances(), ElementsAre(DoubleNear(2, kNear)));
  EXPECT_THAT(result.points_a(), IsPoint(2, 0, -1));
  EXPECT_THAT(result.points_b(), IsPoint(4, 0, -1));
  EXPECT_THAT(result.normals(), IsPoint(1, 0, 0));
  EXPECT_GE(result.witnesses().vertices_a_size(), 1);
  EXPECT_THAT(result.witnesses().vertices_a(), ::testing::Each(0xffffffffu));
  EXPECT_THAT(result.witnesses().vertices_b(), ::testing::Each(0xffffffffu));
}

// Balls of radius 1 at x = 0, 10 and 20, the last one turned, which a ball does not show.
v1::Shape ThreeBalls() {
  v1::Shape shape;
  for (const double x : {0.0, 10.0, 20.0}) {
    v1::Piece* const piece = shape.mutable_compound()->add_pieces();
    *piece->mutable_shape() = Sphere(1);
    for (const double number : {x, 0.0, 0.0, 0.6, 0.0, 0.0, 0.8}) piece->add_pose(number);
  }
  return shape;
}

TEST(Distance, OfACompoundIsThatOfItsNearestPiece) {
  TestServer server;
  v1::DistanceRequest request;
  *request.add_shapes()->mutable_inline_shape() = ThreeBalls();
  *request.add_shapes()->mutable_inline_shape() = Sphere(1);
  auto* const pairs = request.mutable_batch()->mutable_pairs();
  pairs->set_count(3);
  for (const double x : {13.0, 25.0, 11.5}) {
    for (const double number : {x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}) pairs->add_poses_b(number);
  }
  WantAll(request.mutable_batch()->mutable_detail());
  const v1::DistanceBatchResult result = Ask(server, request).result();
  EXPECT_THAT(result.states(),
              ElementsAre(v1::STATE_SEPARATED, v1::STATE_SEPARATED, v1::STATE_PENETRATING));
  EXPECT_NEAR(result.distances(0), 1, kNear);
  EXPECT_NEAR(result.distances(1), 3, kNear);
  EXPECT_THAT(result.pieces_a(), ElementsAre(1u, 2u, 1u));
  EXPECT_THAT(result.pieces_b(), ElementsAre(0u, 0u, 0u));
  EXPECT_NEAR(result.points_a(0), 11, kNear);
  EXPECT_EQ(result.flags(0) & v1::ROW_FLAG_PIECEWISE, 0u);
  EXPECT_NE(result.flags(2) & v1::ROW_FLAG_PIECEWISE, 0u);
  EXPECT_NEAR(result.distances(2), -0.5, kNear);
}

// Row 0: cubes of half extent 1 of which one has sunk 0.25 into the other, half of its width to the
// side. Row 1: they are 3 apart. Row 2: refused.
v1::DistanceRequest CubesSunkAndApart() {
  v1::DistanceRequest request;
  for (int i = 0; i < 2; ++i) *request.add_shapes()->mutable_inline_shape() = Box(1);
  auto* const pairs = request.mutable_batch()->mutable_pairs();
  pairs->set_count(3);
  for (const double number : {0.0, 1.0, 1.75, 0.0, 0.0, 0.0, 1.0}) pairs->add_poses_b(number);
  for (const double number : {0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 1.0}) pairs->add_poses_b(number);
  for (const double number : {0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 9.0}) pairs->add_poses_b(number);
  return request;
}

TEST(Distance, GivesTheCornersOfTheAreaOfContact) {
  TestServer server;
  v1::DistanceRequest request = CubesSunkAndApart();
  request.mutable_batch()->mutable_detail()->set_contacts(true);
  const v1::ContactColumns contacts = Ask(server, request).result().contacts();
  ASSERT_THAT(contacts.offsets(), ElementsAre(0u, 4u, 8u, 8u));
  EXPECT_THAT(contacts.truncated(), ElementsAre(false, false, false));
  ASSERT_EQ(contacts.points_a_size(), 24);
  ASSERT_EQ(contacts.points_b_size(), 24);
  ASSERT_EQ(contacts.features_a_size(), 16);
  ASSERT_EQ(contacts.features_b_size(), 16);
  double low = 9, high = -9;
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(contacts.distances(k), -0.25, kNear);
    EXPECT_NEAR(std::fabs(contacts.points_a(3 * k)), 1, kNear);
    low = std::fmin(low, contacts.points_a(3 * k + 1));
    high = std::fmax(high, contacts.points_a(3 * k + 1));
    EXPECT_NEAR(contacts.points_a(3 * k + 2), 1, kNear);
    EXPECT_NEAR(contacts.points_b(3 * k + 2), 0.75, kNear);
  }
  EXPECT_NEAR(low, 0, kNear);
  EXPECT_NEAR(high, 1, kNear);
  for (int k = 4; k < 8; ++k) EXPECT_NEAR(contacts.distances(k), 3, kNear);
}

TEST(Distance, LeavesOutContactsThatAreFartherApartThanIsAsked) {
  TestServer server;
  v1::DistanceRequest request = CubesSunkAndApart();
  request.mutable_batch()->mutable_detail()->set_contacts(true);
  request.mutable_batch()->set_max_contact_separation(0.5);
  EXPECT_THAT(Ask(server, request).result().contacts().offsets(), ElementsAre(0u, 4u, 4u, 4u));
}

// The oracle is the closed form: the difference of the cubes is a cube of half extent 2, of whose
// faces the nearest is 0.25 from the origin.
TEST(Distance, ProvesADepthByASurfaceAroundTheOrigin) {
  TestServer server;
  v1::DistanceRequest request = CubesSunkAndApart();
  request.mutable_batch()->mutable_detail()->set_depth_proofs(true);
  const v1::DepthProofColumns proofs = Ask(server, request).result().depth_proofs();
  ASSERT_EQ(proofs.offsets_size(), 4);
  ASSERT_EQ(proofs.facet_offsets_size(), 4);
  EXPECT_THAT(proofs.truncated(), ElementsAre(false, false, false));
  const std::uint32_t corners = proofs.offsets(1);
  const std::uint32_t triangles = proofs.facet_offsets(1);
  EXPECT_GE(corners, 4u);
  EXPECT_EQ(triangles, 2 * corners - 4) << "Euler: not a closed surface";
  EXPECT_EQ(proofs.offsets(3), corners) << "only the overlap has a depth";
  EXPECT_EQ(proofs.facets_size(), static_cast<int>(3 * triangles));
  EXPECT_THAT(proofs.vertices_a(), ::testing::Each(::testing::Lt(8u)));
  EXPECT_THAT(proofs.facets(), ::testing::Each(::testing::Lt(corners)));
}

TEST(Distance, AnswersTheSameBytesInASession) {
  TestServer server;
  v1::DistanceRequest request;
  *request.add_shapes()->mutable_inline_shape() = RingHull(17);
  *request.add_shapes()->mutable_inline_shape() = RingHull(23);
  *request.mutable_batch()->mutable_pairs() = PairAt(4.25);
  WantAll(request.mutable_batch()->mutable_detail());
  TestSession session(server);
  session.Open(0, RingHull(17));
  session.Open(1, RingHull(23));
  v1::SessionRequest message;
  *message.mutable_distance() = request.batch();
  EXPECT_EQ(session.Ask(message).distance().SerializeAsString(),
            Ask(server, request).result().SerializeAsString());
}

TEST(Distance, OfRegisteredShapesTellsTheRevision) {
  TestServer server;
  Register(server, "a", Sphere(1));
  const std::string digest = Register(server, "b", Sphere(2));
  v1::DistanceRequest request;
  request.add_shapes()->set_name("a");
  request.add_shapes()->set_digest(digest);
  request.set_min_revision(2);
  *request.mutable_batch()->mutable_pairs() = PairAt(5);
  const v1::DistanceResponse response = Ask(server, request);
  EXPECT_EQ(response.revision(), 2u);
  EXPECT_THAT(response.result().distances(), ElementsAre(DoubleNear(2, kNear)));
}

struct UnaryRefusal {
  v1::DistanceRequest request;
  grpc::StatusCode code;
  const char* field;
};

TEST(Distance, RefusesACallAsAWholeNamingTheField) {
  TestServer server;
  UnaryRefusal unknown{SpheresApart(5), grpc::StatusCode::NOT_FOUND, "shapes[1].name"};
  unknown.request.mutable_shapes(1)->set_name("nobody");
  UnaryRefusal empty{SpheresApart(5), grpc::StatusCode::INVALID_ARGUMENT, "shapes[0].reference"};
  empty.request.mutable_shapes(0)->clear_reference();
  UnaryRefusal early{SpheresApart(5), grpc::StatusCode::FAILED_PRECONDITION, "min_revision"};
  early.request.set_min_revision(7);
  UnaryRefusal no_batch{SpheresApart(5), grpc::StatusCode::INVALID_ARGUMENT, "batch.pairs.count"};
  no_batch.request.clear_batch();
  UnaryRefusal column{SpheresApart(5), grpc::StatusCode::INVALID_ARGUMENT, "batch.pairs.poses_b"};
  column.request.mutable_batch()->mutable_pairs()->add_poses_b(0);
  UnaryRefusal reply{SpheresApart(5), grpc::StatusCode::RESOURCE_EXHAUSTED,
                     "batch.options.max_reply_bytes"};
  reply.request.mutable_batch()->mutable_pairs()->set_count(1000);
  reply.request.mutable_batch()->mutable_options()->set_max_reply_bytes(10'000);
  for (const UnaryRefusal& refusal : {unknown, empty, early, no_batch, column, reply}) {
    SCOPED_TRACE(refusal.field);
    v1::DistanceResponse response;
    const grpc::Status status =
        Call(*server.queries, &v1::QueryService::Stub::Distance, refusal.request, &response);
    EXPECT_EQ(status.error_code(), refusal.code);
    EXPECT_EQ(ErrorOf(status).field(), refusal.field);
  }
  EXPECT_THAT(Ask(server, SpheresApart(5)).result().states(), ElementsAre(v1::STATE_SEPARATED));
}

TEST(Distance, RefusesRowsByThemselves) {
  TestServer server;
  v1::DistanceRequest request = SpheresApart(5);
  request.mutable_batch()->mutable_pairs()->set_count(2);
  request.mutable_batch()->mutable_pairs()->add_slots_a(0);
  request.mutable_batch()->mutable_pairs()->add_slots_a(2);
  const v1::DistanceBatchResult result = Ask(server, request).result();
  EXPECT_THAT(result.states(), ElementsAre(v1::STATE_SEPARATED, v1::STATE_REFUSED));
  EXPECT_THAT(result.distances(), ElementsAre(DoubleNear(3, kNear), IsNan()));
  EXPECT_EQ(result.lower_bounds(1), -HUGE_VAL);
  EXPECT_EQ(result.upper_bounds(1), HUGE_VAL);
  EXPECT_EQ(result.errors(0).field(), "slots_a[1]");
  EXPECT_EQ(result.errors(0).reason(), "SLOT_NOT_OPEN");
}

TEST(Intersection, TellsStatesAndBounds) {
  TestServer server;
  v1::IntersectionRequest request;
  AddUnitSpheres(&request);
  auto* const pairs = request.mutable_batch()->mutable_pairs();
  pairs->set_count(2);
  for (const double x : {5.0, 1.0}) {
    for (const double number : {x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}) pairs->add_poses_b(number);
  }
  request.mutable_batch()->mutable_detail()->set_bounds(true);
  request.mutable_batch()->mutable_detail()->set_iterations(true);
  v1::IntersectionResponse response;
  ASSERT_TRUE(
      Call(*server.queries, &v1::QueryService::Stub::Intersection, request, &response).ok());
  EXPECT_THAT(response.result().states(), ElementsAre(v1::STATE_SEPARATED, v1::STATE_PENETRATING));
  EXPECT_GT(response.result().lower_bounds(0), 0);
  EXPECT_LE(response.result().lower_bounds(0), 3);
  EXPECT_LT(response.result().upper_bounds(1), 0);
  EXPECT_EQ(response.result().iterations_size(), 2);
}

// Unit spheres 5 apart, B coming 4 nearer: the gap of 3 is closed at t = 3/4.
TEST(TimeOfCollision, BracketsTheClosedFormOfTwoSpheres) {
  TestServer server;
  v1::TimeOfCollisionRequest request;
  AddUnitSpheres(&request);
  auto* const batch = request.mutable_batch();
  *batch->mutable_pairs() = PairAt(5);
  for (const double number : {-4.0, 0.0, 0.0}) batch->add_displacements_b(number);
  batch->mutable_detail()->set_times(true);
  batch->mutable_detail()->set_points(true);
  batch->mutable_detail()->set_normals(true);
  v1::TimeOfCollisionResponse response;
  ASSERT_TRUE(
      Call(*server.queries, &v1::QueryService::Stub::TimeOfCollision, request, &response).ok());
  const v1::TimeOfCollisionBatchResult& result = response.result();
  ASSERT_THAT(result.states(), ElementsAre(v1::MOTION_STATE_HIT));
  EXPECT_LE(result.t_free(0), 0.75);
  EXPECT_NEAR(result.t_free(0), 0.75, kNear);
  EXPECT_NEAR(result.t_hit(0), 0.75, kNear);
  EXPECT_THAT(result.points_a(), IsPoint(1, 0, 0));
  EXPECT_THAT(result.normals(), IsPoint(1, 0, 0));
}

// Two boxes of half extent 1 + 2^-52: at 2 they overlap by 2^-51, at the next double farther than
// their sum they are apart by an ulp of 2, in between they touch.
TEST(Intersection, IsDecidedToTheLastBitIfAsked) {
  const double half = 1 + 0x1p-52;
  TestServer server;
  v1::DistanceRequest distance;
  for (int i = 0; i < 2; ++i) *distance.add_shapes()->mutable_inline_shape() = Box(half);
  auto* const pairs = distance.mutable_batch()->mutable_pairs();
  pairs->set_count(3);
  for (const double x : {2.0, 2 * half, std::nextafter(2 * half, 3)}) {
    for (const double number : {x, 0.25, 0.125, 0.0, 0.0, 0.0, 1.0}) pairs->add_poses_b(number);
  }
  v1::IntersectionRequest intersection;
  *intersection.mutable_shapes() = distance.shapes();
  *intersection.mutable_batch()->mutable_pairs() = *pairs;
  distance.mutable_batch()->set_exact(true);
  intersection.mutable_batch()->set_exact(true);
  v1::IntersectionResponse response;
  ASSERT_TRUE(
      Call(*server.queries, &v1::QueryService::Stub::Intersection, intersection, &response).ok());
  EXPECT_THAT(response.result().states(),
              ElementsAre(v1::STATE_PENETRATING, v1::STATE_TOUCHING, v1::STATE_SEPARATED));
  const v1::DistanceBatchResult result = Ask(server, distance).result();
  EXPECT_THAT(result.states(),
              ElementsAre(v1::STATE_PENETRATING, v1::STATE_TOUCHING, v1::STATE_SEPARATED));
  EXPECT_EQ(result.lower_bounds(1), 0);
  EXPECT_EQ(result.upper_bounds(1), 0);
}

// Two rows of unit spheres that overlap by a half, B moving 6 away along x, and of one that is 5
// away and comes 4 nearer.
v1::TimeOfCollisionRequest SpheresThatPartAndMeet() {
  v1::TimeOfCollisionRequest request;
  AddUnitSpheres(&request);
  auto* const batch = request.mutable_batch();
  batch->mutable_pairs()->set_count(2);
  for (const double x : {1.5, 5.0}) {
    for (const double number : {x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0})
      batch->mutable_pairs()->add_poses_b(number);
  }
  for (const double number : {6.0, 0.0, 0.0, -4.0, 0.0, 0.0}) batch->add_displacements_b(number);
  auto* const detail = batch->mutable_detail();
  detail->set_times(true);
  detail->set_distances(true);
  detail->set_points(true);
  detail->set_normals(true);
  detail->set_proofs(true);
  return request;
}

TEST(TimeOfCollision, GivesTheContactOfAnInitialOverlap) {
  TestServer server;
  v1::TimeOfCollisionResponse response;
  ASSERT_TRUE(Call(*server.queries, &v1::QueryService::Stub::TimeOfCollision,
                   SpheresThatPartAndMeet(), &response)
                  .ok());
  const v1::TimeOfCollisionBatchResult& result = response.result();
  ASSERT_THAT(result.states(),
              ElementsAre(v1::MOTION_STATE_INITIALLY_OVERLAPPING, v1::MOTION_STATE_HIT));
  EXPECT_THAT(result.distances(), ElementsAre(DoubleNear(-0.5, kNear), DoubleNear(0, kNear)));
  EXPECT_THAT(result.points_a(),
              ElementsAre(DoubleNear(1, kNear), 0, 0, DoubleNear(1, kNear), 0, 0));
  EXPECT_THAT(result.points_b(),
              ElementsAre(DoubleNear(0.5, kNear), 0, 0, DoubleNear(1, kNear), 0, 0));
  EXPECT_THAT(result.normals(), ElementsAre(1, 0, 0, 1, 0, 0));
  EXPECT_THAT(result.t_free(), ElementsAre(0.0, DoubleNear(0.75, kNear)));
  EXPECT_THAT(result.t_hit(), ElementsAre(0.0, DoubleNear(0.75, kNear)));
  EXPECT_EQ(result.t_leave_size(), 0) << "only where contact is ignored";
}

TEST(TimeOfCollision, LetsAnInitialOverlapPartIfItIsIgnored) {
  TestServer server;
  v1::TimeOfCollisionRequest request = SpheresThatPartAndMeet();
  request.mutable_batch()->set_ignore_initial_contact(true);
  v1::TimeOfCollisionResponse response;
  ASSERT_TRUE(
      Call(*server.queries, &v1::QueryService::Stub::TimeOfCollision, request, &response).ok());
  const v1::TimeOfCollisionBatchResult& result = response.result();
  EXPECT_THAT(result.states(), ElementsAre(v1::MOTION_STATE_FREE, v1::MOTION_STATE_HIT));
  // They touch at t = 1 / 12 for the last time.
  ASSERT_EQ(result.t_leave_size(), 2);
  EXPECT_GT(result.t_leave(0), 1.0 / 12 - kNear);
  EXPECT_LE(result.t_leave(0), result.t_free(0));
  EXPECT_EQ(result.t_leave(1), 0);
  EXPECT_THAT(result.distances(), ElementsAre(IsNan(), DoubleNear(0, kNear)));
}

// The oracle is the closed form: at time t the spheres' gap along x is 3 - 4 t.
TEST(TimeOfCollision, ProvesTheFreeTimeByIntervalsThatCoverIt) {
  TestServer server;
  v1::TimeOfCollisionResponse response;
  ASSERT_TRUE(Call(*server.queries, &v1::QueryService::Stub::TimeOfCollision,
                   SpheresThatPartAndMeet(), &response)
                  .ok());
  const v1::TimeOfCollisionBatchResult& result = response.result();
  const v1::MotionProofColumns& proofs = result.proofs();
  ASSERT_EQ(proofs.offsets_size(), 3);
  EXPECT_EQ(proofs.offsets(0), 0u);
  EXPECT_EQ(proofs.offsets(1), 0u) << "an overlap is free at no time";
  const int size = static_cast<int>(proofs.offsets(2));
  ASSERT_GE(size, 1);
  ASSERT_EQ(proofs.t_begin_size(), size);
  ASSERT_EQ(proofs.t_end_size(), size);
  ASSERT_EQ(proofs.normals_size(), 3 * size);
  EXPECT_THAT(proofs.truncated(), ElementsAre(false, false));
  EXPECT_EQ(proofs.t_begin(0), 0);
  EXPECT_GE(proofs.t_end(size - 1), result.t_free(1));
  for (int i = 0; i < size; ++i) {
    EXPECT_LE(proofs.t_end(i), 0.75);
    EXPECT_NEAR(proofs.normals(3 * i), 1, kNear);
    if (i > 0) {
      EXPECT_LE(proofs.t_begin(i), proofs.t_end(i - 1)) << "a gap before interval " << i;
    }
  }
}

// The ball of radius 1 comes down on the middle one of three, whose top is 4 below it.
TEST(TimeOfCollision, NamesThePieceThatIsHitFirst) {
  TestServer server;
  v1::TimeOfCollisionRequest request;
  *request.add_shapes()->mutable_inline_shape() = ThreeBalls();
  *request.add_shapes()->mutable_inline_shape() = Sphere(1);
  auto* const batch = request.mutable_batch();
  batch->mutable_pairs()->set_count(1);
  for (const double number : {10.0, 0.0, 6.0, 0.0, 0.0, 0.0, 1.0})
    batch->mutable_pairs()->add_poses_b(number);
  for (const double number : {0.0, 0.0, -8.0}) batch->add_displacements_b(number);
  batch->mutable_detail()->set_times(true);
  batch->mutable_detail()->set_pieces(true);
  batch->mutable_detail()->set_proofs(true);
  v1::TimeOfCollisionResponse response;
  ASSERT_TRUE(
      Call(*server.queries, &v1::QueryService::Stub::TimeOfCollision, request, &response).ok());
  const v1::TimeOfCollisionBatchResult& result = response.result();
  EXPECT_THAT(result.states(), ElementsAre(v1::MOTION_STATE_HIT));
  EXPECT_NEAR(result.t_hit(0), 0.5, kNear);
  EXPECT_THAT(result.pieces_a(), ElementsAre(1u));
  EXPECT_THAT(result.pieces_b(), ElementsAre(0u));
  // Each of the three pairs has its own proof.
  ASSERT_EQ(result.proofs().pieces_a_size(), result.proofs().t_begin_size());
  for (const std::uint32_t piece : {0u, 1u, 2u}) {
    EXPECT_THAT(result.proofs().pieces_a(), ::testing::Contains(piece));
  }
}

TEST(Intersection, OfACompoundIsThatOfAnyPiece) {
  TestServer server;
  v1::IntersectionRequest request;
  *request.add_shapes()->mutable_inline_shape() = ThreeBalls();
  *request.add_shapes()->mutable_inline_shape() = Sphere(1);
  auto* const pairs = request.mutable_batch()->mutable_pairs();
  pairs->set_count(2);
  for (const double x : {5.0, 19.0}) {
    for (const double number : {x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}) pairs->add_poses_b(number);
  }
  v1::IntersectionResponse response;
  ASSERT_TRUE(
      Call(*server.queries, &v1::QueryService::Stub::Intersection, request, &response).ok());
  EXPECT_THAT(response.result().states(), ElementsAre(v1::STATE_SEPARATED, v1::STATE_PENETRATING));
}

// Balls side by side, as one shape.
v1::Shape Compound(int pieces) {
  v1::Shape shape;
  for (int i = 0; i < pieces; ++i) {
    v1::Piece& piece = *shape.mutable_compound()->add_pieces();
    *piece.mutable_shape() = Sphere(1);
    for (const double number : {1.0 * i, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}) piece.add_pose(number);
  }
  return shape;
}

// How many calls went to workers, when `rows` of the named shape were asked about.
double WorksOf(TestServer& server, const std::string& name, std::uint32_t rows) {
  v1::DistanceRequest request;
  request.add_shapes()->set_name(name);
  request.add_shapes()->set_name(name);
  *request.mutable_batch()->mutable_pairs() = PairAt(1000);
  request.mutable_batch()->mutable_pairs()->set_count(rows);
  const auto works = [&] { return server.metrics.work_seconds().Collect().histogram.sample_count; };
  const auto before = works();
  v1::DistanceResponse response;
  EXPECT_TRUE(Call(*server.queries, &v1::QueryService::Stub::Distance, request, &response).ok());
  EXPECT_EQ(response.result().states_size(), static_cast<int>(rows));
  return static_cast<double>(works() - before);
}

// Few rows about many pieces take long, many about one do not; the names tell which.
TEST(Distance, IsPlacedByRowsAndShapes) {
  TestServer server;
  Register(server, "ball", Sphere(1));
  Register(server, "many", Compound(64));
  // A polling thread that is kept from a processor meanwhile hands over even these.
  int attempts = 1;
  while (WorksOf(server, "ball", 8) != 0 && attempts < 100) ++attempts;
  EXPECT_LT(attempts, 100);
  EXPECT_EQ(WorksOf(server, "ball", 5000), 1);
  EXPECT_EQ(WorksOf(server, "many", 1), 1);
}

TEST(TimeOfCollision, TakesAnEndPoseInsteadOfADisplacement) {
  TestServer server;
  v1::TimeOfCollisionRequest request;
  AddUnitSpheres(&request);
  auto* const batch = request.mutable_batch();
  *batch->mutable_pairs() = PairAt(5);
  for (const double number : {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}) batch->add_end_poses_b(number);
  v1::TimeOfCollisionResponse response;
  ASSERT_TRUE(
      Call(*server.queries, &v1::QueryService::Stub::TimeOfCollision, request, &response).ok());
  ASSERT_THAT(response.result().states(), ElementsAre(v1::MOTION_STATE_HIT));
  EXPECT_NEAR(response.result().t_hit(0), 0.75, kNear);
}

TEST(TimeOfCollision, KnowsFreeMotionsAndInitialOverlap) {
  TestServer server;
  v1::TimeOfCollisionRequest request;
  AddUnitSpheres(&request);
  auto* const pairs = request.mutable_batch()->mutable_pairs();
  pairs->set_count(2);
  for (const double x : {5.0, 1.0}) {
    for (const double number : {x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}) pairs->add_poses_b(number);
  }
  v1::TimeOfCollisionResponse response;
  ASSERT_TRUE(
      Call(*server.queries, &v1::QueryService::Stub::TimeOfCollision, request, &response).ok());
  EXPECT_THAT(response.result().states(),
              ElementsAre(v1::MOTION_STATE_FREE, v1::MOTION_STATE_INITIALLY_OVERLAPPING));
  EXPECT_THAT(response.result().t_free(), ElementsAre(1.0, 0.0));
}

}  // namespace
}  // namespace clearance::testing
