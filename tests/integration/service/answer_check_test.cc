// SPDX-License-Identifier: Apache-2.0
//
// Live answers, every one of them checked: over shapes of all sorts none is contradicted, and a
// judge that contradicts them all changes no byte of what the client gets.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "tests/integration/service/harness.h"

namespace clearance::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::SizeIs;

using server::QueryKind;

void Set(double x, double y, double z, v1::Vector3* vector) {
  vector->set_x(x);
  vector->set_y(y);
  vector->set_z(z);
}

v1::Shape Capsule() {
  v1::Shape shape;
  shape.mutable_capsule()->set_radius(0.25);
  shape.mutable_capsule()->set_half_length(0.5);
  return shape;
}

v1::Shape Cylinder() {
  v1::Shape shape;
  shape.mutable_cylinder()->set_radius(0.5);
  shape.mutable_cylinder()->set_half_length(0.75);
  return shape;
}

v1::Shape RoundedCone() {
  v1::Shape shape;
  shape.mutable_cone()->set_radius(0.5);
  shape.mutable_cone()->set_half_length(0.5);
  shape.set_swept_sphere_radius(0.125);
  return shape;
}

v1::Shape Ellipsoid() {
  v1::Shape shape;
  Set(0.25, 0.5, 1, shape.mutable_ellipsoid()->mutable_semi_axes());
  return shape;
}

// A dumbbell: a box between two of the others.
v1::Shape Compound() {
  v1::Shape shape;
  const v1::Shape pieces[] = {Sphere(0.375), Box(0.25), Cylinder()};
  double x = -0.75;
  for (const v1::Shape& piece : pieces) {
    auto* const added = shape.mutable_compound()->add_pieces();
    *added->mutable_shape() = piece;
    for (const double number : {x, 0.0, 0.125, 0.0, 0.6, 0.0, 0.8}) added->add_pose(number);
    x += 0.75;
  }
  return shape;
}

const std::vector<v1::Shape>& Shapes() {
  static const auto* const shapes =
      new std::vector<v1::Shape>{Sphere(0.5),   Box(0.5),    Capsule(),    Cylinder(),
                                 RoundedCone(), Ellipsoid(), RingHull(40), Compound()};
  return *shapes;
}

// Every shape with every other, from deep inside of each other to far apart.
v1::PairColumns EveryPair() {
  v1::PairColumns pairs;
  const auto shapes = static_cast<std::uint32_t>(Shapes().size());
  for (std::uint32_t a = 0; a < shapes; ++a) {
    for (std::uint32_t b = 0; b < shapes; ++b) {
      for (const double x : {0.25, 0.75, 1.0, 1.5, 4.0}) {
        pairs.add_slots_a(a);
        pairs.add_slots_b(b);
        for (const double number : {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}) pairs.add_poses_a(number);
        for (const double number : {x, 0.125, -0.25, 0.6, 0.0, 0.0, 0.8}) pairs.add_poses_b(number);
      }
    }
  }
  pairs.set_count(static_cast<std::uint32_t>(pairs.slots_a_size()));
  return pairs;
}

v1::SessionRequest Distances() {
  v1::SessionRequest request;
  *request.mutable_distance()->mutable_pairs() = EveryPair();
  return request;
}

v1::SessionRequest Intersections() {
  v1::SessionRequest request;
  *request.mutable_intersection()->mutable_pairs() = EveryPair();
  return request;
}

v1::SessionRequest TimesOfCollision() {
  v1::SessionRequest request;
  auto& batch = *request.mutable_time_of_collision();
  *batch.mutable_pairs() = EveryPair();
  for (const double number : {-3.0, 0.25, 0.0}) batch.add_displacements_b(number);
  for (const double number : {0.5, -1.0, 0.25}) batch.add_rotations_b(number);
  return request;
}

void OpenAll(TestSession* session) {
  for (std::uint32_t slot = 0; slot < Shapes().size(); ++slot) session->Open(slot, Shapes()[slot]);
}

// The answers to one batch of each kind.
std::vector<v1::SessionResponse> AskAll(TestServer& server) {
  TestSession session(server);
  OpenAll(&session);
  std::vector<v1::SessionResponse> responses;
  for (const v1::SessionRequest& request : {Distances(), Intersections(), TimesOfCollision()})
    responses.push_back(session.Ask(request));
  EXPECT_TRUE(session.Finish().ok());
  return responses;
}

TEST(AnswerCheck, OfEveryAnswerContradictsNone) {
  TestServer server({}, {.one_in = 1});
  const std::vector<v1::SessionResponse> responses = AskAll(server);
  server.grpc->Shutdown(absl::InfiniteDuration());
  const double rows[] = {static_cast<double>(responses[0].distance().states_size()),
                         static_cast<double>(responses[1].intersection().states_size()),
                         static_cast<double>(responses[2].time_of_collision().states_size())};
  const double undecided[] = {
      static_cast<double>(responses[0].distance().undecided_size()),
      static_cast<double>(responses[1].intersection().undecided_size()),
      static_cast<double>(responses[2].time_of_collision().undecided_size())};
  for (const QueryKind kind :
       {QueryKind::kDistance, QueryKind::kIntersection, QueryKind::kTimeOfCollision}) {
    const auto i = static_cast<std::size_t>(kind);
    const server::CheckSeries& series = server.metrics.Checks(kind);
    EXPECT_GE(rows[i], 5 * 64);
    EXPECT_EQ(series.checked->Value(), rows[i] - undecided[i]);
    EXPECT_EQ(series.unchecked_undecided->Value(), undecided[i]);
    EXPECT_EQ(series.unchecked_too_large->Value(), 0);
    EXPECT_EQ(series.contradicted->Value(), 0);
    EXPECT_LE(10 * undecided[i], rows[i]);
  }
  EXPECT_THAT(server.log_lines, SizeIs(0)) << server.log_lines[0];
  const auto& states = responses[0].distance().states();
  EXPECT_GT(std::ranges::count(states, v1::STATE_SEPARATED), 50);
  EXPECT_GT(std::ranges::count(states, v1::STATE_PENETRATING), 50);
  const auto& times = responses[2].time_of_collision().states();
  EXPECT_GT(std::ranges::count(times, v1::MOTION_STATE_HIT), 20);
}

TEST(AnswerCheck, OfUnaryCallsCountsToo) {
  TestServer server({}, {.one_in = 1});
  v1::DistanceRequest request;
  v1::DistanceResponse response;
  for (int i = 0; i < 2; ++i) *request.add_shapes()->mutable_inline_shape() = Sphere(1);
  *request.mutable_batch()->mutable_pairs() = PairAt(5);
  EXPECT_TRUE(Call(*server.queries, &v1::QueryService::Stub::Distance, request, &response).ok());
  server.grpc->Shutdown(absl::InfiniteDuration());
  EXPECT_EQ(server.metrics.Checks(QueryKind::kDistance).checked->Value(), 1);
  EXPECT_EQ(server.metrics.Checks(QueryKind::kDistance).contradicted->Value(), 0);
}

TEST(AnswerCheck, Contradiction_IsCountedAndLogged_KeepsAnswer) {
  const auto object = [](const Check&) {
    Check check;
    check.contradiction = {Claim::kUpper, 1, 2};
    return check;
  };
  TestServer server({}, {.one_in = 1, .judges = {object}});
  TestServer unchecked;
  const std::vector<v1::SessionResponse> responses = AskAll(server);
  const std::vector<v1::SessionResponse> expected = AskAll(unchecked);
  for (std::size_t i = 0; i < responses.size(); ++i)
    EXPECT_EQ(responses[i].SerializeAsString(), expected[i].SerializeAsString());
  server.grpc->Shutdown(absl::InfiniteDuration());
  for (const QueryKind kind :
       {QueryKind::kDistance, QueryKind::kIntersection, QueryKind::kTimeOfCollision}) {
    const server::CheckSeries& series = server.metrics.Checks(kind);
    EXPECT_GT(series.checked->Value(), 250);
    EXPECT_EQ(series.contradicted->Value(), series.checked->Value());
    EXPECT_EQ(unchecked.metrics.Checks(kind).checked->Value(), 0);
  }
  EXPECT_THAT(server.log_lines, SizeIs(server::AnswerChecker::kContradictionsAnHour));
  EXPECT_THAT(server.log_lines,
              Each(AllOf(HasSubstr(" ERROR "), HasSubstr("shape_a=v1-sha256-"),
                         HasSubstr("shape_b=v1-sha256-"), HasSubstr("claim=\"upper bound\""),
                         ContainsRegex(" request_id=[0-9a-f]+ "))));
}

}  // namespace
}  // namespace clearance::testing
