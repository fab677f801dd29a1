// SPDX-License-Identifier: Apache-2.0
//
// The answers of the registry to good requests.

#include <gmock/gmock.h>
#include <grpcpp/support/byte_buffer.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/integration/service/harness.h"

namespace clearance::testing {
namespace {

using ::testing::ElementsAre;

v1::RegisterShapeResponse RegisterAs(TestServer& server, const v1::RegisterShapeRequest& request) {
  v1::RegisterShapeResponse response;
  const grpc::Status status =
      Call(*server.shapes, &v1::ShapeService::Stub::RegisterShape, request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response;
}

v1::RegisterShapeRequest BoxAs(const std::string& name, double half_extent) {
  v1::RegisterShapeRequest request;
  request.set_name(name);
  *request.mutable_shape() = Box(half_extent);
  return request;
}

v1::GetShapeResponse Get(TestServer& server, const std::string& name) {
  v1::GetShapeRequest request;
  v1::GetShapeResponse response;
  request.set_name(name);
  request.set_include_content(true);
  const grpc::Status status =
      Call(*server.shapes, &v1::ShapeService::Stub::GetShape, request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response;
}

TEST(RegisterShape, IsIdempotent) {
  TestServer server;
  const v1::RegisterShapeResponse first = RegisterAs(server, BoxAs("box", 1));
  EXPECT_TRUE(first.created());
  EXPECT_EQ(first.revision(), 1u);
  const v1::RegisterShapeResponse again = RegisterAs(server, BoxAs("box", 1));
  EXPECT_FALSE(again.created());
  EXPECT_EQ(again.revision(), 1u);
  EXPECT_EQ(again.info().SerializeAsString(), first.info().SerializeAsString());
}

TEST(RegisterShape, ReplacesWhereItIsTold) {
  TestServer server;
  RegisterAs(server, BoxAs("box", 1));
  v1::RegisterShapeRequest request = BoxAs("box", 2);
  request.set_replace(true);
  const v1::RegisterShapeResponse response = RegisterAs(server, request);
  EXPECT_TRUE(response.created());
  EXPECT_EQ(response.revision(), 2u);
  EXPECT_EQ(Get(server, "box").shape().box().half_extents().x(), 2);
  EXPECT_EQ(server.metrics.shapes().Value(), 1);
}

TEST(RegisterShape, ValidatesOnlyWhereItIsTold) {
  TestServer server;
  v1::RegisterShapeRequest request = BoxAs("box", 1);
  request.set_validate_only(true);
  const v1::RegisterShapeResponse response = RegisterAs(server, request);
  EXPECT_FALSE(response.created());
  EXPECT_EQ(response.info().point_count(), 8u);
  EXPECT_EQ(server.registry.revision(), 0u);
}

TEST(RegisterShape, TellsTheFactsOfABox) {
  TestServer server;
  v1::RegisterShapeRequest request = BoxAs("box", 1);
  request.mutable_shape()->set_swept_sphere_radius(0.5);
  const v1::ShapeInfo info = RegisterAs(server, request).info();
  EXPECT_EQ(info.name(), "box");
  EXPECT_EQ(info.vertex_count(), 8u);
  EXPECT_EQ(info.swept_sphere_radius(), 0.5);
  EXPECT_NEAR(info.bounding_radius(), std::sqrt(3.0) + 0.5, 1e-9);
  EXPECT_EQ(info.revision(), 1u);
}

TEST(GetShape, GivesBackTheContentAsItWas) {
  TestServer server;
  v1::RegisterShapeRequest request;
  request.set_name("ring");
  *request.mutable_shape() = RingHull(12);
  RegisterAs(server, request);
  EXPECT_EQ(Get(server, "ring").shape().SerializeAsString(), request.shape().SerializeAsString());
}

TEST(GetShape, FindsByDigestUnderTheFirstName) {
  TestServer server;
  Register(server, "b", Sphere(1));
  const std::string digest = Register(server, "a", Sphere(1));
  v1::GetShapeRequest request;
  v1::GetShapeResponse response;
  request.set_digest(digest);
  ASSERT_TRUE(Call(*server.shapes, &v1::ShapeService::Stub::GetShape, request, &response).ok());
  EXPECT_EQ(response.info().name(), "a");
  EXPECT_FALSE(response.has_shape());
}

TEST(GetShape, RefusesWhatNamesNothing) {
  TestServer server;
  v1::GetShapeResponse response;
  v1::GetShapeRequest request;
  grpc::Status status = Call(*server.shapes, &v1::ShapeService::Stub::GetShape, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  request.set_name("nobody");
  status = Call(*server.shapes, &v1::ShapeService::Stub::GetShape, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(ErrorOf(status).value(), "nobody");
}

TEST(BatchRegisterHulls, RegistersColumnsOfHulls) {
  TestServer server;
  v1::BatchRegisterHullsRequest request;
  for (const char* name : {"point", "segment"}) request.add_names(name);
  request.add_vertex_counts(1);
  request.add_vertex_counts(2);
  for (const double number : {1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 5.0})
    request.add_vertices(number);
  request.add_swept_sphere_radii(0.25);
  v1::BatchRegisterHullsResponse response;
  ASSERT_TRUE(
      Call(*server.shapes, &v1::ShapeService::Stub::BatchRegisterHulls, request, &response).ok());
  EXPECT_EQ(response.errors_size(), 0);
  EXPECT_EQ(response.revision(), 2u);
  const v1::GetShapeResponse segment = Get(server, "segment");
  EXPECT_THAT(segment.shape().hull().vertices(), ElementsAre(0, 0, 0, 0, 0, 5));
  EXPECT_EQ(segment.shape().swept_sphere_radius(), 0.25);
  EXPECT_EQ(segment.info().digest(), response.digests(1));
}

TEST(BatchRegisterHulls, GivesTheDigestOfTheSameShapeRegisteredAlone) {
  TestServer server;
  const std::string digest = Register(server, "alone", Hull({1, 2, 3}));
  v1::BatchRegisterHullsRequest request;
  request.add_names("together");
  request.add_vertex_counts(1);
  for (const double number : {1.0, 2.0, 3.0}) request.add_vertices(number);
  v1::BatchRegisterHullsResponse response;
  ASSERT_TRUE(
      Call(*server.shapes, &v1::ShapeService::Stub::BatchRegisterHulls, request, &response).ok());
  EXPECT_THAT(response.digests(), ElementsAre(digest));
}

std::vector<std::string> ListAll(TestServer& server, v1::ListShapesRequest request) {
  std::vector<std::string> names;
  do {
    v1::ListShapesResponse response;
    const grpc::Status status =
        Call(*server.shapes, &v1::ShapeService::Stub::ListShapes, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_LE(response.shapes_size(), 2);
    for (const v1::ShapeInfo& info : response.shapes()) names.push_back(info.name());
    request.set_page_token(response.next_page_token());
  } while (!request.page_token().empty());
  return names;
}

TEST(ListShapes, PagesThroughAPrefixInTheOrderOfTheNames) {
  TestServer server;
  for (const char* name : {"b/2", "a", "b/1", "b/10", "c", "b"}) Register(server, name, Sphere(1));
  v1::ListShapesRequest request;
  request.set_page_size(2);
  EXPECT_THAT(ListAll(server, request), ElementsAre("a", "b", "b/1", "b/10", "b/2", "c"));
  request.set_prefix("b/");
  EXPECT_THAT(ListAll(server, request), ElementsAre("b/1", "b/10", "b/2"));
  request.set_prefix("nobody");
  EXPECT_THAT(ListAll(server, request), ElementsAre());
}

TEST(ListShapes, RefusesTokensItNeverGaveAndNegativeSizes) {
  TestServer server;
  for (const char* name : {"a1", "a2", "a3"}) Register(server, name, Sphere(1));
  v1::ListShapesRequest request;
  v1::ListShapesResponse response;
  request.set_prefix("a");
  request.set_page_size(1);
  ASSERT_TRUE(Call(*server.shapes, &v1::ShapeService::Stub::ListShapes, request, &response).ok());
  const std::string token = response.next_page_token();

  const auto error_of = [&] {
    return ErrorOf(Call(*server.shapes, &v1::ShapeService::Stub::ListShapes, request, &response));
  };
  request.set_page_token("garbage");
  EXPECT_EQ(error_of().field(), "page_token");
  request.set_page_token(token);
  request.set_prefix("b");
  EXPECT_EQ(error_of().field(), "page_token");
  request.clear_page_token();
  request.set_page_size(-1);
  EXPECT_EQ(error_of().field(), "page_size");
}

TEST(DeleteShape, TakesANameOutOnce) {
  TestServer server;
  const std::string digest = Register(server, "ball", Sphere(1));
  v1::DeleteShapeRequest request;
  v1::DeleteShapeResponse response;
  request.set_name("ball");
  request.set_etag(std::string(digest).replace(10, 1, digest[10] == '0' ? "1" : "0"));
  grpc::Status status =
      Call(*server.shapes, &v1::ShapeService::Stub::DeleteShape, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(ErrorOf(status).field(), "etag");
  EXPECT_EQ(ErrorOf(status).limit(), digest);

  request.set_etag(digest);
  ASSERT_TRUE(Call(*server.shapes, &v1::ShapeService::Stub::DeleteShape, request, &response).ok());
  EXPECT_EQ(response.revision(), 2u);
  status = Call(*server.shapes, &v1::ShapeService::Stub::DeleteShape, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(server.metrics.shapes().Value(), 0);
  EXPECT_EQ(server.metrics.shape_bytes().Value(), 0);
}

}  // namespace
}  // namespace clearance::testing
