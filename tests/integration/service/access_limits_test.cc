// SPDX-License-Identifier: Apache-2.0
//
// The policy's limits for one principal do not affect the others.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/integration/service/guarded_server.h"

namespace clearance::testing {
namespace {

TEST(PrincipalSessions, AreRefusedBeyondTheirNumberForThatPrincipalAlone) {
  GuardedServer guarded;
  TestServer& server = guarded.server;
  TestSession first(*server.queries, AuthorizationOf("one-session"));
  first.Open(0, Sphere(1));
  TestSession second(*server.queries, AuthorizationOf("one-session"));
  const grpc::Status status = second.AwaitEnd();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(ErrorOf(status).limit(), "sessions <= 1 of principal one-session");
  EXPECT_EQ(server.metrics.principal_refusals(server::PrincipalLimit::kSessions).Value(), 1);

  TestSession other(*server.queries, AuthorizationOf("viewer"));
  other.Open(0, Sphere(1));
  EXPECT_TRUE(other.Finish().ok());
  EXPECT_TRUE(first.Finish().ok());
  // The client knows of the end a moment before the server has counted it.
  while (server.metrics.sessions_open().Value() > 0) std::this_thread::yield();
  TestSession third(*server.queries, AuthorizationOf("one-session"));
  third.Open(0, Sphere(1));
}

TEST(PrincipalSessions, CountThoseOpenedBeforeTheLimit) {
  GuardedServer guarded;
  const auto replace = [&](const char* policy) {
    guarded.authenticator.Replace(TokensOf({"one-session"}), *server::Policy::Parse(policy));
  };
  replace(R"({"principals": {"one-session": {"role": "query"}}})");
  TestSession first(*guarded.server.queries, AuthorizationOf("one-session"));
  first.Open(0, Sphere(1));
  replace(R"({"principals": {"one-session": {"role": "query", "limits": {"sessions": 1}}}})");
  TestSession second(*guarded.server.queries, AuthorizationOf("one-session"));
  EXPECT_EQ(ErrorOf(second.AwaitEnd()).limit(), "sessions <= 1 of principal one-session");
}

// A thousandth of a core: the account is overdrawn by real work sooner or later and stays so for as
// long as that took, a thousand times over.
TEST(PrincipalCores, RefuseWorkWithTheTimeToWaitAndTheSessionGoesOn) {
  GuardedServer guarded;
  TestServer& server = guarded.server;
  TestSession slow(*server.queries, AuthorizationOf("slow"));
  // Shapes of a slow machine may overdraw it already.
  guarded.authenticator.Replace(
      TokensOf({"slow", "viewer"}),
      *server::Policy::Parse(R"({"principals": {"slow": {"role": "query"}}})"));
  slow.Open(0, Sphere(1));
  slow.Open(1, Sphere(1));
  guarded.authenticator.Replace(TokensOf({"slow", "viewer"}), *server::Policy::Parse(kGuardPolicy));
  v1::SessionRequest request = DistanceAt(5, 7);
  request.mutable_distance()->mutable_pairs()->set_count(100'000);
  v1::SessionResponse response = slow.Ask(request);
  while (response.has_distance()) response = slow.Ask(request);
  EXPECT_EQ(response.status().code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(response.tag(), 7u);
  const v1::Error error = ErrorOf(response.status());
  EXPECT_EQ(error.limit(), "cores <= 0.001 of principal slow");
  EXPECT_GT(error.retry_after().seconds(), 0);

  // An open that is refused poisons its slot: no later query finds what stood there before.
  v1::SessionRequest open;
  *open.mutable_open()->mutable_shape()->mutable_inline_shape() = Sphere(2);
  EXPECT_EQ(slow.Ask(open).status().code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  v1::SessionRequest close;
  close.mutable_close()->set_slot(1);
  EXPECT_TRUE(slow.Ask(close).has_close());
  EXPECT_TRUE(slow.Finish().ok());

  v1::GetServerInfoResponse info;
  const grpc::Status unary = CallWith(AuthorizationOf("slow"), *server.info,
                                      &v1::ServerService::Stub::GetServerInfo, {}, &info);
  EXPECT_EQ(unary.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_GT(ErrorOf(unary).retry_after().seconds(), 0);
  EXPECT_EQ(server.metrics.principal_refusals(server::PrincipalLimit::kCores).Value(), 3);

  TestSession other(*server.queries, AuthorizationOf("viewer"));
  other.Open(0, Sphere(1));
  EXPECT_TRUE(other.Finish().ok());
}

// A message that takes longer to receive and to parse than a second of the quota gives.
TEST(PrincipalCores, RefuseNoMessageForWhatItCostsItself) {
  GuardedServer guarded;
  guarded.authenticator.Replace(
      TokensOf({"slow"}),
      *server::Policy::Parse(
          R"({"principals": {"slow": {"role": "query", "limits": {"cores": 0.002}}}})"));
  TestSession slow(*guarded.server.queries, AuthorizationOf("slow"));
  v1::SessionRequest small;
  small.mutable_change_bodies()->set_reset(true);
  EXPECT_TRUE(slow.Ask(small).has_change_bodies());
  v1::SessionRequest large = small;
  constexpr int kNobodys = 15'000;
  large.GetReflection()->MutableUnknownFields(&large)->AddLengthDelimited(
      kNobodys, std::string(12'000'000, ' '));
  const v1::SessionResponse taken = slow.Ask(large);
  EXPECT_TRUE(taken.has_change_bodies()) << taken.status().message();

  // It is charged, all the same.
  const v1::SessionResponse response = slow.Ask(small);
  EXPECT_EQ(response.status().code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_GE(ErrorOf(response.status()).retry_after().seconds(), 2);
  EXPECT_TRUE(slow.Finish().ok());
}

// Two circles across each other, whose hull takes a second, where two tenths of one are allowed.
TEST(PrincipalCores, EndAHullThatTakesTooLong) {
  GuardedServer guarded;
  guarded.authenticator.Replace(
      TokensOf({"slow"}),
      *server::Policy::Parse(
          R"({"principals": {"slow": {"role": "query", "limits": {"cores": 0.1}}}})"));
  TestSession slow(*guarded.server.queries, AuthorizationOf("slow"));
  v1::Shape circles = RingHull(60'000);
  auto& numbers = *circles.mutable_hull()->mutable_vertices();
  for (int i = 0; i < numbers.size(); i += 3) {
    numbers[i + 2] = 0;
    if (i % 2 == 0) std::swap(numbers[i + 1], numbers[i + 2]);
  }
  v1::SessionRequest open;
  *open.mutable_open()->mutable_shape()->mutable_inline_shape() = circles;
  const v1::SessionResponse response = slow.Ask(open);
  EXPECT_EQ(response.status().code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  const v1::Error error = ErrorOf(response.status());
  EXPECT_EQ(error.value(), "60000 points");
  EXPECT_EQ(error.limit(), "cores <= 0.1 of principal slow");
  EXPECT_FALSE(error.has_retry_after());
  EXPECT_TRUE(slow.Finish().ok());
}

// "maker" may own two shapes.
TEST(PrincipalShapes, AreRefusedBeyondTheirNumberForThatPrincipalAlone) {
  GuardedServer guarded;
  TestServer& server = guarded.server;
  const auto policy = server::Policy::Parse(
      R"({"principals": {"maker": {"role": "register", "limits": {"shapes": 2, "scenes": 1}}}})");
  server.quotas.Replace(policy->principals());
  const auto put = [&](const char* id, const char* name, double radius) {
    v1::RegisterShapeRequest request;
    request.set_name(name);
    *request.mutable_shape() = Sphere(radius);
    v1::RegisterShapeResponse response;
    return CallWith(AuthorizationOf(id), *server.shapes, &v1::ShapeService::Stub::RegisterShape,
                    request, &response);
  };
  ASSERT_TRUE(put("maker", "a", 1).ok());
  ASSERT_TRUE(put("maker", "b", 2).ok());
  ASSERT_TRUE(put("maker", "a", 1).ok());  // is there
  const grpc::Status refused = put("maker", "c", 3);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(ErrorOf(refused).field(), "shape");
  EXPECT_EQ(ErrorOf(refused).value(), "3");
  EXPECT_EQ(ErrorOf(refused).limit(), "shapes <= 2 of principal maker");
  EXPECT_EQ(server.metrics.principal_refusals(server::PrincipalLimit::kShapes).Value(), 1);
  EXPECT_TRUE(put("owner", "c", 3).ok());

  const auto create = [&](const char* name, bool is_short) {
    v1::CreateSceneRequest request;
    request.set_name(name);
    if (is_short) request.mutable_ttl()->set_seconds(100);
    v1::CreateSceneResponse response;
    return CallWith(AuthorizationOf("maker"), *server.scenes, &v1::SceneService::Stub::CreateScene,
                    request, &response);
  };
  ASSERT_TRUE(create("one", true).ok());
  for (const bool is_short : {true, false}) {
    EXPECT_EQ(ErrorOf(create("another", is_short)).limit(), "scenes <= 1 of principal maker");
  }
  v1::ForkSceneRequest fork;
  fork.set_source("one");
  fork.set_name("another");
  v1::ForkSceneResponse forked;
  EXPECT_EQ(ErrorOf(CallWith(AuthorizationOf("maker"), *server.scenes,
                             &v1::SceneService::Stub::ForkScene, fork, &forked))
                .limit(),
            "scenes <= 1 of principal maker");
  EXPECT_TRUE(CallWith(AuthorizationOf("owner"), *server.scenes, &v1::SceneService::Stub::ForkScene,
                       fork, &forked)
                  .ok());
}

}  // namespace
}  // namespace clearance::testing
