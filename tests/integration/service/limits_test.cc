// SPDX-License-Identifier: Apache-2.0
//
// The published limits: each refuses what is one more than it allows, names itself, and leaves the
// rest alone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/service/harness.h"

namespace clearance::testing {
namespace {

using ::testing::HasSubstr;

v1::SessionRequest OpenInline(std::uint32_t slot, const v1::Shape& shape) {
  v1::SessionRequest request;
  request.mutable_open()->set_slot(slot);
  *request.mutable_open()->mutable_shape()->mutable_inline_shape() = shape;
  return request;
}

TEST(Limits, OneSessionTooMany_EndsNamingLimit_OthersContinue) {
  server::Limits limits;
  limits.max_sessions = 3;
  TestServer server(limits);
  TestSession first(server);
  TestSession second(server);
  first.Open(0, Sphere(1));
  second.Open(0, Sphere(1));

  TestSession third(server);
  const grpc::Status status = third.AwaitEnd();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("max_sessions"));
  EXPECT_EQ(ErrorOf(status).limit(),
            "max_sessions <= 3, and of one caller what the others leave free");
  EXPECT_TRUE(ErrorOf(status).has_retry_after());

  first.Open(1, Sphere(1));
  EXPECT_EQ(first.Ask(DistanceAt(5, 1)).distance().states(0), v1::STATE_SEPARATED);
  EXPECT_TRUE(first.Finish().ok());
}

TEST(Limits, ASessionThatEndedLeavesItsSeat) {
  server::Limits limits;
  limits.max_sessions = 1;
  TestServer server(limits);
  for (int i = 0; i < 5; ++i) {
    TestSession session(server);
    session.Open(0, Sphere(1));
    ASSERT_TRUE(session.Finish().ok());
    // The client knows of the end a moment before the server has put it into its books.
    while (server.metrics.sessions_open().Value() > 0) std::this_thread::yield();
  }
}

TEST(Limits, SlotsOfASession) {
  server::Limits limits;
  limits.max_slots_per_session = 3;
  TestServer server(limits);
  TestSession session(server);
  session.Open(2, Sphere(1));
  const v1::Error error = ErrorOf(session.Ask(OpenInline(3, Sphere(1))).status());
  EXPECT_EQ(error.code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(error.limit(), "max_slots_per_session: < 3");
}

TEST(Limits, BytesOfInlineShapesOfASessionAndClosingMakesRoom) {
  server::Limits limits;
  limits.max_session_shape_bytes = 12'000;
  TestServer server(limits);
  TestSession session(server);
  session.Open(0, RingHull(60));
  const v1::SessionResponse refused = session.Ask(OpenInline(1, RingHull(120)));
  EXPECT_EQ(refused.status().code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(ErrorOf(refused.status()).limit(), "max_session_shape_bytes <= 12000");
  v1::SessionRequest close;
  close.mutable_close()->set_slot(0);
  EXPECT_TRUE(session.Ask(close).has_close());
  session.Open(1, RingHull(60));
  session.Open(1, RingHull(61));
}

TEST(Limits, BytesOfTheRegistry) {
  server::Limits limits;
  limits.max_registry_bytes = 12'000;
  TestServer server(limits);
  Register(server, "first", RingHull(60));
  v1::RegisterShapeRequest request;
  v1::RegisterShapeResponse response;
  request.set_name("second");
  *request.mutable_shape() = RingHull(120);
  for (const bool validate_only : {true, false}) {
    request.set_validate_only(validate_only);
    const grpc::Status status =
        Call(*server.shapes, &v1::ShapeService::Stub::RegisterShape, request, &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
    EXPECT_EQ(ErrorOf(status).limit(), "max_registry_bytes <= 12000");
  }
  EXPECT_EQ(server.registry.revision(), 1u);
  Register(server, "same-content", RingHull(60));
}

TEST(Limits, RowsOfABatch) {
  server::Limits limits;
  limits.max_batch_rows = 10;
  TestServer server(limits);
  TestSession session(server);
  session.Open(0, Sphere(1));
  session.Open(1, Sphere(1));
  v1::SessionRequest request = DistanceAt(5, 1);
  request.mutable_distance()->mutable_pairs()->set_count(10);
  EXPECT_EQ(session.Ask(request).distance().states_size(), 10);
  request.mutable_distance()->mutable_pairs()->set_count(11);
  EXPECT_EQ(ErrorOf(session.Ask(request).status()).limit(), "max_batch_rows <= 10");
}

TEST(Limits, RefusalsAreCountedByNameOfTheLimit) {
  server::Limits limits;
  limits.max_batch_rows = 10;
  limits.max_slots_per_session = 4;
  limits.max_sessions = 1;
  limits.max_shapes = 1;
  limits.max_request_bytes = 100'000;
  TestServer server(limits);
  const auto refused = [&](const char* name) {
    return server.metrics.limit_refusals(name).Value();
  };
  TestSession session(server);
  session.Open(0, Sphere(1));
  session.Open(1, Sphere(1));
  v1::SessionRequest rows = DistanceAt(5, 1);
  rows.mutable_distance()->mutable_pairs()->set_count(11);
  session.Ask(rows);
  session.Ask(rows);
  EXPECT_EQ(refused("max_batch_rows"), 2);
  session.Ask(OpenInline(4, Sphere(1)));
  EXPECT_EQ(refused("max_slots_per_session"), 1);
  session.Ask(OpenInline(0, RingHull(10'000)));  // refused before it is parsed
  EXPECT_EQ(refused("max_request_bytes"), 1);

  TestSession another(server);
  another.AwaitEnd();
  EXPECT_EQ(refused("max_sessions"), 1);

  v1::DistanceRequest call;
  v1::DistanceResponse response;
  *call.mutable_batch() = rows.distance();
  Call(*server.queries, &v1::QueryService::Stub::Distance, call, &response);
  EXPECT_EQ(refused("max_batch_rows"), 3);

  v1::BatchRegisterHullsRequest items;
  for (const char* const name : {"a", "b", "c"}) {
    const auto i = static_cast<double>(items.names_size());
    items.add_names(name);
    items.add_vertex_counts(1);
    for (const double number : {i, 0., 0.}) items.add_vertices(number);
  }
  v1::BatchRegisterHullsResponse registered;
  ASSERT_TRUE(
      Call(*server.shapes, &v1::ShapeService::Stub::BatchRegisterHulls, items, &registered).ok());
  EXPECT_EQ(registered.errors_size(), 2);
  EXPECT_EQ(refused("max_shapes"), 2);
  EXPECT_EQ(refused("of nothing"), 0);
}

TEST(Limits, OneMessageInFlightAtATimeStillAnswersAll) {
  server::Limits limits;
  limits.max_messages_in_flight = 1;
  TestServer server(limits);
  TestSession session(server);
  session.Open(0, Sphere(1));
  session.Open(1, Sphere(1));
  for (std::uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(session.Send(DistanceAt(5, i)));
  for (std::uint64_t i = 0; i < 100; ++i) {
    v1::SessionResponse response;
    ASSERT_TRUE(session.Receive(&response));
    EXPECT_EQ(response.tag(), i);
  }
  EXPECT_TRUE(session.Finish().ok());
}

TEST(Limits, AreToldByGetServerInfo) {
  server::Limits limits;
  limits.max_batch_rows = 123;
  limits.max_session_shape_bytes = 456;
  TestServer server(limits);
  v1::GetServerInfoResponse response;
  ASSERT_TRUE(Call(*server.info, &v1::ServerService::Stub::GetServerInfo, {}, &response).ok());
  EXPECT_EQ(response.limits().max_batch_rows(), 123u);
  EXPECT_EQ(response.limits().max_session_shape_bytes(), 456u);
  EXPECT_THAT(response.version(), ::testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_EQ(response.tolerances().max_rotation(), 640);
  EXPECT_EQ(response.tolerances().relative(), 1e-9);
  // Every limit is told: no field of the message is left at 0.
  const auto* const reflection = response.limits().GetReflection();
  const auto* const descriptor = v1::Limits::descriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    EXPECT_NE(reflection->GetUInt64(response.limits(), descriptor->field(i)), 0u)
        << descriptor->field(i)->name();
  }
}

// Two bytes each on the wire, hundreds in memory.
TEST(Limits, TooManyObjectsForItsShapes_RefusedBeforeParsing) {
  server::Limits limits;
  limits.max_slots_per_session = 1000;
  TestServer server(limits);
  v1::DistanceRequest request;
  for (int i = 0; i < 100'000; ++i) request.add_shapes();
  v1::DistanceResponse response;
  const grpc::Status status =
      Call(*server.queries, &v1::QueryService::Stub::Distance, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(ErrorOf(status).limit(), HasSubstr("sub-messages, strings and unknown fields <= "));
}

TEST(Limits, TooManyObjects_IsRefused_SessionContinues) {
  TestServer server;
  TestSession session(server);
  session.Open(0, Sphere(1));
  session.Open(1, Sphere(1));
  // An unknown field is a message's cheapest object.
  v1::SessionRequest request;
  request.set_tag(7);
  auto* const unknown = request.GetReflection()->MutableUnknownFields(&request);
  for (int i = 0; i < 100'000; ++i) unknown->AddVarint(1000, 1);
  const v1::SessionResponse refused = session.Ask(request);
  EXPECT_EQ(refused.tag(), 7);
  EXPECT_EQ(refused.status().code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(ErrorOf(refused.status()).limit(), HasSubstr("unknown fields <= 2112"));
  // It may have been an open, behind so many fields: no slot is what it was until it is opened
  // again.
  EXPECT_EQ(session.Ask(DistanceAt(5, 1)).distance().states(0), v1::STATE_REFUSED);
  session.Open(0, Sphere(1));
  session.Open(1, Sphere(1));
  EXPECT_EQ(session.Ask(DistanceAt(5, 1)).distance().states(0), v1::STATE_SEPARATED);
}

// As many pieces as are allowed, each in as many objects as it can take.
TEST(Limits, TheLargestCompoundIsNotTakenForTooManyObjects) {
  TestServer server;
  TestSession session(server);
  v1::Shape shape;
  for (std::uint64_t i = 0; i < server.limits.max_pieces_per_shape; ++i) {
    v1::Triangle& triangle =
        *shape.mutable_compound()->add_pieces()->mutable_shape()->mutable_triangle();
    triangle.mutable_a()->set_x(1);
    triangle.mutable_b()->set_y(1);
    triangle.mutable_c()->set_z(1);
  }
  session.Open(0, shape);
}

}  // namespace
}  // namespace clearance::testing
