// SPDX-License-Identifier: Apache-2.0
//
// Conversions between plain structs and messages: what goes over comes back, and parts join as if
// they had never been cut.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "clearance/error.h"
#include "internal/query_convert.h"
#include "internal/shape_convert.h"
#include "internal/status_convert.h"

namespace clearance::client {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsNan;

// Through the message and its bytes and back.
Shape RoundTrip(const Shape& shape) {
  v1::Shape proto;
  proto.mutable_point();  // must not survive
  ToProto(shape, &proto);
  v1::Shape parsed;
  EXPECT_TRUE(parsed.ParseFromString(proto.SerializeAsString()));
  const absl::StatusOr<Shape> back = FromProto(parsed);
  EXPECT_TRUE(back.ok()) << back.status();
  return *back;
}

TEST(ShapeConvert, BringsEveryKindBack) {
  const std::vector<Shape> shapes = {
      {Point{}, 0.5},
      {Segment{{1, 2, 3}, {4, 5, 6}}, 0},
      {Triangle{{1, 2, 3}, {4, 5, 6}, {7, 8, 10}}, 1},
      {Sphere{2}, 0.25},
      {Capsule{0.5, 3}, 0},
      {Box{{1, 2, 3}}, 0.125},
      {Hull{{0, 0, 0, 1, 0, 0, 0, 1, 0}, {}, {}}, 0},
      {Polygon{{0, 0, 1, 0, 0, 1}}, 0},
      {Cylinder{0, 3}, 0.5},
      {Cone{0, 2}, 0.25},
      {Ellipsoid{{2, 2, 2}}, 0.5},
      {Ellipsoid{{0, 3, 0}}, 0},
  };
  for (const Shape& shape : shapes) {
    const Shape back = RoundTrip(shape);
    EXPECT_EQ(back.kind.index(), shape.kind.index());
    EXPECT_EQ(BodyVertices(back), BodyVertices(shape)) << shape.kind.index();
    EXPECT_EQ(BodyRadius(back), BodyRadius(shape)) << shape.kind.index();
  }
}

TEST(ShapeConvert, BringsCurvedKindsBack) {
  const Cylinder cylinder = std::get<Cylinder>(RoundTrip({Cylinder{1, 2}, 0.5}).kind);
  EXPECT_EQ(cylinder.radius, 1);
  EXPECT_EQ(cylinder.half_length, 2);
  const Cone cone = std::get<Cone>(RoundTrip({Cone{3, 4}, 0}).kind);
  EXPECT_EQ(cone.radius, 3);
  EXPECT_EQ(cone.half_length, 4);
  const Vec3 axes = std::get<Ellipsoid>(RoundTrip({Ellipsoid{{5, 6, 7}}, 0}).kind).semi_axes;
  EXPECT_EQ(axes.x, 5);
  EXPECT_EQ(axes.y, 6);
  EXPECT_EQ(axes.z, 7);
}

TEST(ShapeConvert, BringsACompoundBackPieceByPiece) {
  const Compound given{
      {{{Sphere{2}, 0.5}, {1, 2, 3, 0.5, -0.5, 0.5, 0.5}}, {{Box{{1, 2, 3}}, 0}, {}}}};
  const Compound back = std::get<Compound>(RoundTrip({given, 0}).kind);
  ASSERT_EQ(back.pieces.size(), 2u);
  EXPECT_EQ(BodyRadius(back.pieces[0].shape), 2.5);
  EXPECT_EQ(back.pieces[0].pose.z, 3);
  EXPECT_EQ(back.pieces[0].pose.qy, -0.5);
  EXPECT_EQ(BodyVertices(back.pieces[1].shape), BodyVertices(given.pieces[1].shape));
  EXPECT_EQ(back.pieces[1].pose.qw, 1);
}

TEST(ShapeConvert, TakesAPieceWithoutAPoseForOneAtTheIdentity) {
  v1::Shape proto;
  proto.mutable_compound()->add_pieces()->mutable_shape()->mutable_point();
  EXPECT_EQ(std::get<Compound>(FromProto(proto)->kind).pieces[0].pose.qw, 1);
  proto.mutable_compound()->mutable_pieces(0)->add_pose(1);
  EXPECT_EQ(FromProto(proto).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ShapeConvert, CurvedKindsHaveVerticesOnlyAsSegmentsOrBalls) {
  for (const Shape& shape :
       {Shape{Cylinder{1, 0}, 0}, {Cone{1, 2}, 0}, {Ellipsoid{{1, 3, 2}}, 0}}) {
    EXPECT_THAT(BodyVertices(shape), IsEmpty());
  }
  EXPECT_THAT(BodyVertices({Cone{0, 2}, 0}), ElementsAre(0, 0, -2, 0, 0, 2));
  EXPECT_THAT(BodyVertices({Ellipsoid{{2, 2, 2}}, 0}), ElementsAre(0, 0, 0));
  EXPECT_EQ(BodyRadius({Ellipsoid{{2, 2, 2}}, 0.5}), 2.5);
  EXPECT_EQ(BodyRadius({Ellipsoid{{2, 2, 1}}, 0.5}), 0.5);
}

TEST(ShapeConvert, BringsAdjacencyBack) {
  const Hull hull{{0, 0, 0, 1, 0, 0}, {0, 1, 2}, {1, 0}};
  const Hull back = std::get<Hull>(RoundTrip({hull, 0}).kind);
  EXPECT_EQ(back.adjacency_offsets, hull.adjacency_offsets);
  EXPECT_EQ(back.adjacency, hull.adjacency);
}

TEST(ShapeConvert, NumbersTheVerticesOfABoxByTheBitsOfTheirIndex) {
  EXPECT_THAT(BodyVertices({Box{{1, 2, 3}}, 0}),
              ElementsAre(-1, -2, -3, 1, -2, -3, -1, 2, -3, 1, 2, -3, -1, -2, 3, 1, -2, 3, -1, 2, 3,
                          1, 2, 3));
}

TEST(ShapeConvert, RefusesAMessageWithoutAKind) {
  EXPECT_EQ(FromProto(v1::Shape()).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(FromProto(v1::ShapeReference()).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ShapeConvert, BringsReferencesBack) {
  v1::ShapeReference proto;
  ToProto(ShapeReference(ByName{"cup"}), &proto);
  EXPECT_EQ(std::get<ByName>(*FromProto(proto)).name, "cup");
  ToProto(ShapeReference(ByDigest{"v1-sha256-00"}), &proto);
  EXPECT_EQ(std::get<ByDigest>(*FromProto(proto)).digest, "v1-sha256-00");
  ToProto(ShapeReference(Shape{Sphere{2}, 0}), &proto);
  EXPECT_EQ(BodyRadius(std::get<Shape>(*FromProto(proto))), 2);
}

DistanceBatch ThreeRows() {
  DistanceBatch batch;
  batch.pairs.count = 3;
  batch.pairs.slots_a = {4, 5, 6};
  batch.pairs.slots_b = {9};
  for (int row = 0; row < 3; ++row) AppendPose({.x = 1.0 + row}, &batch.pairs.poses_b);
  batch.max_distances = {10, 11, 12};
  batch.tolerance = 0.5;
  batch.detail = {.distances = false, .witnesses = true};
  return batch;
}

TEST(BatchConvert, CutsColumnsOfRowsAndRepeatsTheOthers) {
  v1::DistanceBatch proto;
  ToProto(ThreeRows(), {1, 2}, &proto);
  EXPECT_EQ(proto.pairs().count(), 2u);
  EXPECT_THAT(proto.pairs().slots_a(), ElementsAre(5, 6));
  EXPECT_THAT(proto.pairs().slots_b(), ElementsAre(9));
  EXPECT_THAT(proto.pairs().poses_a(), IsEmpty());
  EXPECT_THAT(proto.pairs().poses_b(), ElementsAre(2, 0, 0, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0, 1));
  EXPECT_THAT(proto.max_distances(), ElementsAre(11, 12));
  EXPECT_EQ(proto.tolerance(), 0.5);
  EXPECT_FALSE(proto.detail().distances());
  EXPECT_TRUE(proto.detail().bounds());
  EXPECT_TRUE(proto.detail().witnesses());
}

TEST(BatchConvert, OverwritesWhatTheMessageHeldBefore) {
  v1::DistanceBatch proto;
  ToProto(ThreeRows(), {0, 3}, &proto);
  DistanceBatch plain;
  plain.pairs.count = 1;
  ToProto(plain, {0, 1}, &proto);
  v1::DistanceBatch fresh;
  ToProto(plain, {0, 1}, &fresh);
  EXPECT_EQ(proto.SerializeAsString(), fresh.SerializeAsString());
}

TEST(BatchConvert, SendsATimeBudgetOnlyWhereThereIsOne) {
  IntersectionBatch batch;
  batch.pairs.count = 1;
  v1::IntersectionBatch proto;
  ToProto(batch, {0, 1}, &proto);
  EXPECT_FALSE(proto.options().has_time_budget());
  batch.options.time_budget = absl::Milliseconds(1500);
  ToProto(batch, {0, 1}, &proto);
  EXPECT_EQ(proto.options().time_budget().seconds(), 1);
  EXPECT_EQ(proto.options().time_budget().nanos(), 500'000'000);
}

TEST(BatchConvert, CarriesEveryColumnOfAMotion) {
  TimeOfCollisionBatch batch;
  batch.pairs.count = 1;
  batch.displacements_a = {1, 0, 0};
  batch.displacements_b = {2, 0, 0};
  batch.rotations_a = {3, 0, 0};
  batch.rotations_b = {4, 0, 0};
  batch.pivots_a = {5, 0, 0};
  batch.pivots_b = {6, 0, 0};
  batch.end_poses_a = {7, 0, 0, 0, 0, 0, 1};
  batch.end_poses_b = {8, 0, 0, 0, 0, 0, 1};
  batch.target_distances = {9};
  batch.ignore_initial_contact = true;
  batch.detail.distances = true;
  batch.detail.proofs = true;
  v1::TimeOfCollisionBatch proto;
  ToProto(batch, {0, 1}, &proto);
  EXPECT_TRUE(proto.ignore_initial_contact());
  EXPECT_TRUE(proto.detail().distances());
  EXPECT_TRUE(proto.detail().proofs());
  EXPECT_EQ(proto.displacements_a(0), 1);
  EXPECT_EQ(proto.displacements_b(0), 2);
  EXPECT_EQ(proto.rotations_a(0), 3);
  EXPECT_EQ(proto.rotations_b(0), 4);
  EXPECT_EQ(proto.pivots_a(0), 5);
  EXPECT_EQ(proto.pivots_b(0), 6);
  EXPECT_EQ(proto.end_poses_a(0), 7);
  EXPECT_EQ(proto.end_poses_b(0), 8);
  EXPECT_EQ(proto.target_distances(0), 9);
  EXPECT_TRUE(proto.detail().times());
}

v1::DistanceBatchResult TwoRowPart(double first) {
  v1::DistanceBatchResult part;
  part.set_count(2);
  part.add_states(v1::STATE_SEPARATED);
  part.add_states(v1::STATE_REFUSED);
  part.add_distances(first);
  part.add_distances(first + 1);
  part.add_pieces_a(static_cast<std::uint32_t>(first));
  part.add_pieces_a(0);
  part.mutable_witnesses()->add_offsets(0);
  part.mutable_witnesses()->add_offsets(1);
  part.mutable_witnesses()->add_offsets(1);
  part.mutable_witnesses()->add_vertices_a(static_cast<std::uint32_t>(first));
  part.mutable_witnesses()->add_vertices_b(7);
  part.mutable_witnesses()->add_weights(1);
  v1::Error* error = part.add_errors();
  error->set_index(1);
  error->set_code(3);
  error->set_field("poses_a[1]");
  part.add_undecided()->set_index(0);
  part.mutable_undecided(0)->set_reason(v1::UNDECIDED_REASON_BUDGET);
  return part;
}

TEST(ResultConvert, JoinsPartsAsOneResult) {
  DistanceResult result;
  AppendRows<DistanceBatch>(TwoRowPart(10), 0, &result);
  AppendRows<DistanceBatch>(TwoRowPart(20), 2, &result);
  EXPECT_EQ(result.count, 4u);
  EXPECT_THAT(result.states,
              ElementsAre(State::kSeparated, State::kRefused, State::kSeparated, State::kRefused));
  EXPECT_THAT(result.distances, ElementsAre(10, IsNan(), 20, IsNan()));
  EXPECT_THAT(result.pieces_a, ElementsAre(10, 0, 20, 0));
  EXPECT_THAT(result.witnesses.offsets, ElementsAre(0, 1, 1, 2, 2));
  EXPECT_THAT(result.witnesses.vertices_a, ElementsAre(10, 20));
  ASSERT_EQ(result.errors.size(), 2u);
  EXPECT_EQ(result.errors[0].index, 1u);
  EXPECT_EQ(result.errors[1].index, 3u);
  EXPECT_EQ(result.errors[1].code, absl::StatusCode::kInvalidArgument);
  ASSERT_EQ(result.undecided.size(), 2u);
  EXPECT_EQ(result.undecided[1].index, 2u);
  EXPECT_EQ(result.undecided[1].reason, UndecidedReason::kBudget);
}

TEST(BatchConvert, AsksForExactDecisionsAndWarmRows) {
  DistanceBatch distance;
  IntersectionBatch intersection;
  distance.pairs.count = intersection.pairs.count = 1;
  v1::DistanceBatch distance_proto;
  v1::IntersectionBatch intersection_proto;
  for (const bool exact : {true, false}) {
    distance.exact = intersection.exact = exact;
    distance.warm_start = exact;
    ToProto(distance, {0, 1}, &distance_proto);
    ToProto(intersection, {0, 1}, &intersection_proto);
    EXPECT_EQ(distance_proto.exact(), exact);
    EXPECT_EQ(distance_proto.warm_start(), exact);
    EXPECT_EQ(intersection_proto.exact(), exact);
  }
}

TEST(BatchConvert, SendsAContactSeparationOnlyWhereThereIsOne) {
  DistanceBatch batch;
  batch.pairs.count = 1;
  batch.max_contact_separation = 0;
  batch.detail.contacts = true;
  batch.detail.depth_proofs = true;
  v1::DistanceBatch proto;
  ToProto(batch, {0, 1}, &proto);
  EXPECT_TRUE(proto.has_max_contact_separation());
  EXPECT_TRUE(proto.detail().contacts());
  EXPECT_TRUE(proto.detail().depth_proofs());
  batch.max_contact_separation = std::nullopt;
  ToProto(batch, {0, 1}, &proto);
  EXPECT_FALSE(proto.has_max_contact_separation());
}

// One row with one contact and a surface of two corners and one triangle.
v1::DistanceBatchResult PartWithLists() {
  v1::DistanceBatchResult part;
  part.set_count(1);
  v1::ContactColumns* const contacts = part.mutable_contacts();
  v1::DepthProofColumns* const proofs = part.mutable_depth_proofs();
  contacts->add_offsets(0);
  contacts->add_offsets(1);
  contacts->add_distances(-0.5);
  proofs->add_offsets(0);
  proofs->add_offsets(2);
  proofs->add_facet_offsets(0);
  proofs->add_facet_offsets(1);
  for (const double number : {1, 2, 3}) {
    contacts->add_points_a(number);
    contacts->add_points_b(10 * number);
    proofs->add_facets(static_cast<std::uint32_t>(number));
  }
  for (const std::uint32_t number : {7, 8}) {
    contacts->add_features_a(number);
    contacts->add_features_b(10 * number);
    proofs->add_vertices_a(number);
    proofs->add_vertices_b(10 * number);
  }
  contacts->add_truncated(true);
  proofs->add_truncated(false);
  return part;
}

TEST(ResultConvert, JoinsContactsAndProofsOfDepth) {
  DistanceResult result;
  AppendRows<DistanceBatch>(PartWithLists(), 0, &result);
  AppendRows<DistanceBatch>(PartWithLists(), 1, &result);
  EXPECT_THAT(result.contacts.offsets, ElementsAre(0, 1, 2));
  EXPECT_THAT(result.contacts.points_a, ElementsAre(1, 2, 3, 1, 2, 3));
  EXPECT_THAT(result.contacts.points_b, ElementsAre(10, 20, 30, 10, 20, 30));
  EXPECT_THAT(result.contacts.distances, ElementsAre(-0.5, -0.5));
  EXPECT_THAT(result.contacts.features_a, ElementsAre(7, 8, 7, 8));
  EXPECT_THAT(result.contacts.features_b, ElementsAre(70, 80, 70, 80));
  EXPECT_THAT(result.contacts.truncated, ElementsAre(true, true));
  EXPECT_THAT(result.depth_proofs.offsets, ElementsAre(0, 2, 4));
  EXPECT_THAT(result.depth_proofs.vertices_a, ElementsAre(7, 8, 7, 8));
  EXPECT_THAT(result.depth_proofs.vertices_b, ElementsAre(70, 80, 70, 80));
  EXPECT_THAT(result.depth_proofs.facet_offsets, ElementsAre(0, 1, 2));
  EXPECT_THAT(result.depth_proofs.facets, ElementsAre(1, 2, 3, 1, 2, 3));
  EXPECT_THAT(result.depth_proofs.truncated, ElementsAre(false, false));
}

TEST(ResultConvert, TakesAStateOfTheFutureForUnspecified) {
  v1::DistanceBatchResult part;
  part.mutable_states()->Add(99);
  part.mutable_states()->Add(-1);
  DistanceResult result;
  AppendRows<DistanceBatch>(part, 0, &result);
  EXPECT_THAT(result.states, ElementsAre(State::kUnspecified, State::kUnspecified));
}

// The server sends 0 for points and normals that a state does not have.
TEST(ResultConvert, NumbersWithoutMeaning_AreNan) {
  v1::DistanceBatchResult part;
  const std::vector<int> states = {v1::STATE_TOUCHING, v1::STATE_BEYOND, v1::STATE_UNDECIDED,
                                   v1::STATE_REFUSED};
  for (const int state : states) {
    part.mutable_states()->Add(state);
    part.add_distances(0);
    part.add_lower_bounds(-1);
    part.add_upper_bounds(2);
    for (int i = 0; i < 3; ++i) {
      part.add_points_a(0);
      part.add_normals(0);
      part.add_relative_points_b(0);
    }
  }
  DistanceResult result;
  AppendRows<DistanceBatch>(part, 0, &result);
  EXPECT_THAT(result.distances, ElementsAre(0, IsNan(), IsNan(), IsNan()));
  EXPECT_THAT(result.lower_bounds, Each(-1));  // as the server says
  EXPECT_THAT(result.upper_bounds, Each(2));
  for (const auto* column : {&result.points_a, &result.normals, &result.relative_points_b}) {
    ASSERT_EQ(column->size(), 12u);
    for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(std::isnan((*column)[i]), i >= 3) << i;
  }
  EXPECT_THAT(result.points_b, IsEmpty());
}

TEST(ResultConvert, RowsWithoutAContact_HaveNoTimeOfOne) {
  v1::TimeOfCollisionBatchResult part;
  for (const auto state :
       {v1::MOTION_STATE_HIT, v1::MOTION_STATE_INITIALLY_OVERLAPPING, v1::MOTION_STATE_FREE,
        v1::MOTION_STATE_UNDECIDED, v1::MOTION_STATE_REFUSED}) {
    part.add_states(state);
    part.add_t_hit(0);
    part.add_distances(0);
  }
  TimeOfCollisionResult result;
  AppendRows<TimeOfCollisionBatch>(part, 0, &result);
  EXPECT_THAT(result.t_hit, ElementsAre(0, 0, IsNan(), IsNan(), IsNan()));
  EXPECT_THAT(result.distances, ElementsAre(0, 0, IsNan(), IsNan(), IsNan()));
}

TEST(ResultConvert, ListedPairsOfScenes_HaveNoNumbersWithoutMeaning) {
  v1::NearestBatchResult part;
  part.mutable_pairs()->add_offsets(0);
  part.mutable_pairs()->add_offsets(2);
  for (const auto state : {v1::STATE_TOUCHING, v1::STATE_UNDECIDED}) {
    part.mutable_pairs()->add_states(state);
    part.mutable_pairs()->add_distances(0);
  }
  NearestResult result;
  AppendRows<NearestBatch>(part, 0, &result);
  EXPECT_THAT(result.pairs.distances, ElementsAre(0, IsNan()));
  v1::MinimumDistanceBatchResult clearances;
  v1::CheckBatchResult checks;
  for (const auto state : {v1::STATE_BEYOND, v1::STATE_REFUSED, v1::STATE_TOUCHING}) {
    clearances.add_states(state);
    clearances.add_distances(0);
  }
  for (const auto verdict : {v1::VERDICT_REFUSED, v1::VERDICT_FREE, v1::VERDICT_TOUCHING}) {
    checks.add_verdicts(verdict);
    checks.add_lower_bounds(0);
  }
  MinimumDistanceResult clearance;
  AppendRows<MinimumDistanceBatch>(clearances, 0, &clearance);
  EXPECT_THAT(clearance.distances, ElementsAre(IsNan(), IsNan(), 0));
  CheckResult check;
  AppendRows<CheckBatch>(checks, 0, &check);
  EXPECT_THAT(check.lower_bounds, Each(0));
}

TEST(PoseColumn, IsSevenNumbersAPose) {
  const std::vector<Pose> poses = {
      {1, 2, 3, 4, 5, 6, 7},
      {.x = 8},
  };
  std::vector<double> column = PoseColumn(poses);
  EXPECT_THAT(column, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 1));
  AppendPoses({{.y = 9}}, &column);
  EXPECT_EQ(column.size(), 21u);
  EXPECT_EQ(PoseOfRow(column, 2).y, 9);
  EXPECT_THAT(PoseColumn({}), IsEmpty());
}

TEST(ResultConvert, CarriesEveryColumnOfATimeOfCollision) {
  v1::TimeOfCollisionBatchResult part;
  part.set_count(1);
  part.add_states(v1::MOTION_STATE_HIT);
  part.add_t_free(0.25);
  part.add_t_hit(0.5);
  part.add_iterations(7);
  part.add_t_leave(0.125);
  part.add_distances(-3);
  for (const double x : {1, 2, 3}) {
    part.add_points_a(x);
    part.add_points_b(10 * x);
    part.add_normals(100 * x);
  }
  TimeOfCollisionResult result;
  AppendRows<TimeOfCollisionBatch>(part, 0, &result);
  EXPECT_THAT(result.states, ElementsAre(MotionState::kHit));
  EXPECT_THAT(result.t_free, ElementsAre(0.25));
  EXPECT_THAT(result.t_hit, ElementsAre(0.5));
  EXPECT_THAT(result.iterations, ElementsAre(7));
  EXPECT_THAT(result.points_a, ElementsAre(1, 2, 3));
  EXPECT_THAT(result.points_b, ElementsAre(10, 20, 30));
  EXPECT_THAT(result.normals, ElementsAre(100, 200, 300));
  EXPECT_THAT(result.t_leave, ElementsAre(0.125));
  EXPECT_THAT(result.distances, ElementsAre(-3));
}

TEST(ResultConvert, JoinsTheProofsOfParts) {
  v1::TimeOfCollisionBatchResult part;
  part.set_count(1);
  part.mutable_proofs()->add_offsets(0);
  part.mutable_proofs()->add_offsets(1);
  part.mutable_proofs()->add_t_begin(0.25);
  part.mutable_proofs()->add_t_end(0.5);
  for (const double x : {1, 2, 3}) part.mutable_proofs()->add_normals(x);
  part.mutable_proofs()->add_truncated(true);
  part.mutable_proofs()->add_pieces_a(7);
  part.mutable_proofs()->add_pieces_b(8);
  part.add_pieces_a(5);
  part.add_pieces_b(6);
  TimeOfCollisionResult result;
  AppendRows<TimeOfCollisionBatch>(part, 0, &result);
  AppendRows<TimeOfCollisionBatch>(part, 1, &result);
  EXPECT_THAT(result.proofs.offsets, ElementsAre(0, 1, 2));
  EXPECT_THAT(result.proofs.t_begin, ElementsAre(0.25, 0.25));
  EXPECT_THAT(result.proofs.t_end, ElementsAre(0.5, 0.5));
  EXPECT_THAT(result.proofs.normals, ElementsAre(1, 2, 3, 1, 2, 3));
  EXPECT_THAT(result.proofs.truncated, ElementsAre(true, true));
  EXPECT_THAT(result.proofs.pieces_a, ElementsAre(7, 7));
  EXPECT_THAT(result.proofs.pieces_b, ElementsAre(8, 8));
  EXPECT_THAT(result.pieces_a, ElementsAre(5, 5));
  EXPECT_THAT(result.pieces_b, ElementsAre(6, 6));
}

google::rpc::Status TooManyRows() {
  v1::Error error;
  error.set_code(8);
  error.set_field("distance.pairs.count");
  error.set_value("70000");
  error.set_limit("<= 65536");
  google::rpc::Status status;
  status.set_code(8);
  status.set_message("too many rows");
  status.add_details()->PackFrom(error);
  return status;
}

TEST(StatusConvert, DecodesTheDetailOfACall) {
  const grpc::Status grpc_status(grpc::StatusCode::RESOURCE_EXHAUSTED, "too many rows",
                                 TooManyRows().SerializeAsString());
  for (const absl::Status& status : {FromGrpc(grpc_status), FromProto(TooManyRows())}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_EQ(status.message(),
              "too many rows; field distance.pairs.count; value 70000; limit <= 65536");
    const std::optional<Error> error = ErrorDetail(status);
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->code, absl::StatusCode::kResourceExhausted);
    EXPECT_EQ(error->field, "distance.pairs.count");
    EXPECT_EQ(error->value, "70000");
    EXPECT_EQ(error->limit, "<= 65536");
  }
}

TEST(StatusConvert, MessageNamesOnlyWhatTheDetailHas) {
  v1::Error error;
  google::rpc::Status status;
  status.set_code(6);
  status.set_message("Choose another name.");
  status.add_details()->PackFrom(error);
  EXPECT_EQ(FromProto(status).message(), "Choose another name.");
  error.set_field("name");
  error.set_value("crate");
  status.mutable_details(0)->PackFrom(error);
  EXPECT_EQ(FromProto(status).message(), "Choose another name; field name; value crate");
}

TEST(StatusConvert, KeepsCodeAndTextOfAnErrorWithoutDetail) {
  const absl::Status status =
      FromGrpc(grpc::Status(grpc::StatusCode::UNAVAILABLE, "gone", "\xff no message of ours"));
  EXPECT_EQ(status, absl::UnavailableError("gone"));
  EXPECT_FALSE(ErrorDetail(status).has_value());
  EXPECT_TRUE(FromGrpc(grpc::Status::OK).ok());
}

TEST(StatusConvert, TakesWhatAProxyCutForUnavailable) {
  using grpc::StatusCode;
  for (const grpc::Status& cut :
       {grpc::Status(StatusCode::INTERNAL, "Received RST_STREAM with error code 2"),
        grpc::Status(StatusCode::UNKNOWN, "No status received"),
        grpc::Status(StatusCode::UNKNOWN, "Stream removed")}) {
    EXPECT_TRUE(absl::IsUnavailable(FromGrpc(cut))) << cut.error_message();
  }
  for (const grpc::Status& own : {grpc::Status(StatusCode::INTERNAL, "a bug"),
                                  grpc::Status(StatusCode::UNKNOWN, "nobody knows")}) {
    EXPECT_EQ(static_cast<int>(FromGrpc(own).code()), own.error_code());
  }
}

TEST(StatusConvert, NeverMakesASuccessOfAnUnknownCode) {
  google::rpc::Status status;
  status.set_code(4711);
  EXPECT_EQ(FromProto(status).code(), absl::StatusCode::kUnknown);
}

// --- The description of columns ------------------------------------------------------------------

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

using Names = std::set<std::string>;

// The names in proto/columns.def, by the messages that have them.
const Names kQuestions = {
#define QUESTION(name, width, each) #name,
#define SETTING(name) #name,
#include "proto/columns.def"
};
const Names kDetails = {
#define DETAIL(name) #name,
#include "proto/columns.def"
};
const Names kAnswers = {
#define ANSWER(name, type, width, wish, unknown, found) #name,
#define LIST(name) #name,
#include "proto/columns.def"
};
const Names kEntries = {
#define ENTRY(name, width) #name,
#include "proto/columns.def"
};
const Names kCommon = {"count",     "first_row",      "total_count",   "errors",
                       "undecided", "states",         "verdicts",      "scene_revision",
                       "offsets",   "truncated",      "facet_offsets", "options",
                       "detail",    "configurations", "pairs"};

// Expects that fields of a message and its parts are described, and returns their number.
int ExpectDescribed(const Descriptor& message, const Names& names) {
  int fields = message.field_count();
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    EXPECT_TRUE(names.contains(field.name()) || kCommon.contains(field.name()))
        << field.full_name();
    if (field.message_type() == nullptr || field.is_repeated() || field.name() == "options")
      continue;
    const Names& own = field.name() == "detail"       ? kDetails
                       : names.contains(field.name()) ? kEntries
                                                      : names;
    fields += ExpectDescribed(*field.message_type(), own);
  }
  return fields;
}

TEST(Columns, DescribeEveryFieldOfEveryKind) {
  int fields = 0;
#define QUERY(name, field, service, label, states)                                   \
  fields += ExpectDescribed(*ProtoOf<name##Batch>::Batch::descriptor(), kQuestions); \
  fields += ExpectDescribed(*ProtoOf<name##Batch>::Result::descriptor(), kAnswers);
#include "proto/methods.def"
  EXPECT_GT(fields, 200);
}

// Expects that the plain struct has each column and setting of its message, or a part of it.
template <class Proto, class Plain>
void ExpectHasAll(const Proto& proto, const Plain& plain) {
#define NAME(name)                                            \
  if constexpr (requires { proto.name(); }) {                 \
    constexpr bool kHas = requires { plain.name; }            \
    || requires { plain.ids.name; }                           \
    || requires { plain.first_pairs.name; }                   \
    || requires { plain.pairs.name; };                        \
    EXPECT_TRUE(kHas) << proto.GetTypeName() << "." << #name; \
  }
#define QUESTION(name, width, each) NAME(name)
#define SETTING(name) NAME(name)
#define ANSWER(name, type, width, wish, unknown, found) NAME(name)
#define LIST(name) NAME(name)
#include "proto/columns.def"
#undef NAME
}

template <class Proto, class Detail>
void ExpectHasFlags(const Proto& proto, const Detail& detail) {
#define DETAIL(name)                                          \
  if constexpr (requires { proto.name(); }) {                 \
    constexpr bool kHas = requires { detail.name; };          \
    EXPECT_TRUE(kHas) << proto.GetTypeName() << "." << #name; \
  }
#include "proto/columns.def"
}

// The same for a message with any number of entries a row.
template <class Proto, class List>
void ExpectHasEntries(const Proto& proto, const List& list) {
#define ENTRY(name, width)                                    \
  if constexpr (requires { proto.name(); }) {                 \
    constexpr bool kHas = requires { list.name; };            \
    EXPECT_TRUE(kHas) << proto.GetTypeName() << "." << #name; \
  }
#include "proto/columns.def"
  constexpr bool kKeepsCuts = requires { list.truncated; }
  || !requires { proto.truncated(); };
  EXPECT_TRUE(kKeepsCuts) << proto.GetTypeName();
}

template <class Batch>
void ExpectPlainStructsHaveAll() {
  const typename ProtoOf<Batch>::Batch proto;
  const typename ProtoOf<Batch>::Result rows;
  const Batch batch;
  const typename Batch::Result result;
  ExpectHasAll(proto, batch);
  ExpectHasAll(rows, result);
  if constexpr (requires { batch.detail; }) ExpectHasFlags(proto.detail(), batch.detail);
  if constexpr (requires { proto.pairs().count(); }) ExpectHasAll(proto.pairs(), batch.pairs);
  if constexpr (requires { proto.configurations(); })
    ExpectHasAll(proto.configurations(), batch.configurations);
#define LIST(name) \
  if constexpr (requires { result.name.offsets; }) ExpectHasEntries(rows.name(), result.name);
#include "proto/columns.def"
  if constexpr (requires { result.hits; }) {
    ExpectHasAll(rows.pairs(), result.hits);
  } else if constexpr (requires { result.pairs.offsets; }) {
    ExpectHasAll(rows.pairs(), result.pairs);
  }
}

TEST(Columns, HaveAPlaceInThePlainStructs) {
#define QUERY(name, field, service, label, states) ExpectPlainStructsHaveAll<name##Batch>();
#include "proto/methods.def"
}

}  // namespace
}  // namespace clearance::client
