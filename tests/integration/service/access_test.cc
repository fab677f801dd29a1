// SPDX-License-Identifier: Apache-2.0
//
// Access control: every rpc and every way to name a shape, tried by callers with no credentials,
// wrong ones, too small a role, and names that are not theirs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/service/guarded_server.h"

namespace clearance::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using ShapeStub = v1::ShapeService::Stub;
using QueryStub = v1::QueryService::Stub;
using SceneQueryStub = v1::SceneQueryService::Stub;

grpc::Status RegisterAs(const std::string& id, TestServer& server, const std::string& name,
                        const v1::Shape& shape, bool replace = false) {
  v1::RegisterShapeRequest request;
  v1::RegisterShapeResponse response;
  request.set_name(name);
  request.set_replace(replace);
  *request.mutable_shape() = shape;
  return CallWith(AuthorizationOf(id), *server.shapes, &ShapeStub::RegisterShape, request,
                  &response);
}

grpc::Status DeleteAs(const std::string& id, TestServer& server, const std::string& name) {
  v1::DeleteShapeRequest request;
  v1::DeleteShapeResponse response;
  request.set_name(name);
  return CallWith(AuthorizationOf(id), *server.shapes, &ShapeStub::DeleteShape, request, &response);
}

v1::ShapeReference ByName(const std::string& name) {
  v1::ShapeReference reference;
  reference.set_name(name);
  return reference;
}

v1::ShapeReference ByDigest(const std::string& digest) {
  v1::ShapeReference reference;
  reference.set_digest(digest);
  return reference;
}

v1::ShapeReference Inline(const v1::Shape& shape) {
  v1::ShapeReference reference;
  *reference.mutable_inline_shape() = shape;
  return reference;
}

grpc::Status DistanceOf(const Metadata& metadata, TestServer& server,
                        const v1::ShapeReference& shape) {
  v1::DistanceRequest request;
  v1::DistanceResponse response;
  *request.add_shapes() = shape;
  *request.add_shapes() = shape;
  *request.mutable_batch()->mutable_pairs() = PairAt(5);
  return CallWith(metadata, *server.queries, &QueryStub::Distance, request, &response);
}

grpc::Status PairDistanceOf(const Metadata& metadata, TestServer& server,
                            const v1::ShapeReference& shape) {
  v1::PairDistanceRequest request;
  v1::PairDistanceResponse response;
  *request.mutable_a()->mutable_shape() = shape;
  *request.mutable_b()->mutable_shape() = shape;
  return CallWith(metadata, *server.queries, &QueryStub::PairDistance, request, &response);
}

grpc::Status IntersectionOf(const Metadata& metadata, TestServer& server,
                            const v1::ShapeReference& shape) {
  v1::IntersectionRequest request;
  v1::IntersectionResponse response;
  *request.add_shapes() = shape;
  *request.add_shapes() = shape;
  *request.mutable_batch()->mutable_pairs() = PairAt(5);
  return CallWith(metadata, *server.queries, &QueryStub::Intersection, request, &response);
}

grpc::Status MotionOf(const Metadata& metadata, TestServer& server,
                      const v1::ShapeReference& shape) {
  v1::TimeOfCollisionRequest request;
  v1::TimeOfCollisionResponse response;
  *request.add_shapes() = shape;
  *request.add_shapes() = shape;
  *request.mutable_batch()->mutable_pairs() = PairAt(5);
  return CallWith(metadata, *server.queries, &QueryStub::TimeOfCollision, request, &response);
}

// Asks for the bodies that touch the shape, in a scene of the name.
grpc::Status OverlapOf(const Metadata& metadata, TestServer& server,
                       const v1::ShapeReference& shape, const std::string& scene) {
  v1::OverlapRequest request;
  v1::OverlapResponse response;
  *request.add_shapes() = shape;
  request.mutable_open_scene()->set_name(scene);
  request.mutable_batch()->set_count(1);
  return CallWith(metadata, *server.scene_queries, &SceneQueryStub::Overlap, request, &response);
}

// Returns a session's answer to an open, or the status with which the session ended.
grpc::Status OpenIn(const Metadata& metadata, TestServer& server, const v1::ShapeReference& shape) {
  TestSession session(*server.queries, metadata);
  v1::SessionRequest request;
  *request.mutable_open()->mutable_shape() = shape;
  session.Send(request);
  v1::SessionResponse response;
  if (!session.Receive(&response)) return session.AwaitEnd();
  const auto code = static_cast<grpc::StatusCode>(response.status().code());
  return {code, response.status().message(), response.status().SerializeAsString()};
}

// Every rpc by its name, with the role that it takes; `metadata` identifies the caller.
struct Rpc {
  std::string name;
  server::Role role;
  std::function<grpc::Status(const Metadata& metadata, TestServer& server)> call;
};

template <class Stub, class Request, class Response>
Rpc Unary(const std::string& name, server::Role role, std::unique_ptr<Stub> TestServer::*stub,
          grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*)) {
  return {name, role, [=](const Metadata& metadata, TestServer& server) {
            Response response;
            return CallWith(metadata, *(server.*stub), method, Request(), &response);
          }};
}

std::vector<Rpc> AllRpcs() {
  const auto ball = Inline(Sphere(1));
  using server::Role;
  return {
      Unary("RegisterShape", Role::kRegister, &TestServer::shapes, &ShapeStub::RegisterShape),
      Unary("BatchRegisterHulls", Role::kRegister, &TestServer::shapes,
            &ShapeStub::BatchRegisterHulls),
      Unary("GetShape", Role::kQuery, &TestServer::shapes, &ShapeStub::GetShape),
      Unary("ListShapes", Role::kQuery, &TestServer::shapes, &ShapeStub::ListShapes),
      Unary("DeleteShape", Role::kAdmin, &TestServer::shapes, &ShapeStub::DeleteShape),
      Unary("GetServerInfo", Role::kQuery, &TestServer::info,
            &v1::ServerService::Stub::GetServerInfo),
      Unary("Check", Role::kQuery, &TestServer::scene_queries, &SceneQueryStub::Check),
      Unary("MinimumDistance", Role::kQuery, &TestServer::scene_queries,
            &SceneQueryStub::MinimumDistance),
      Unary("Nearest", Role::kQuery, &TestServer::scene_queries, &SceneQueryStub::Nearest),
      Unary("Overlap", Role::kQuery, &TestServer::scene_queries, &SceneQueryStub::Overlap),
      Unary("Sweep", Role::kQuery, &TestServer::scene_queries, &SceneQueryStub::Sweep),
      Unary("Ray", Role::kQuery, &TestServer::scene_queries, &SceneQueryStub::Ray),
      {"PairDistance", Role::kQuery,
       [=](const auto& metadata, auto& server) { return PairDistanceOf(metadata, server, ball); }},
      {"Distance", Role::kQuery,
       [=](const auto& metadata, auto& server) { return DistanceOf(metadata, server, ball); }},
      {"Intersection", Role::kQuery,
       [=](const auto& metadata, auto& server) { return IntersectionOf(metadata, server, ball); }},
      {"TimeOfCollision", Role::kQuery,
       [=](const auto& metadata, auto& server) { return MotionOf(metadata, server, ball); }},
      {"Session", Role::kQuery,
       [=](const auto& metadata, auto& server) { return OpenIn(metadata, server, ball); }}};
}

TEST(Access, EveryRpcOfTheContractIsTriedHere) {
  std::size_t methods = 0;
  for (const auto* message :
       {v1::RegisterShapeRequest::descriptor(), v1::DistanceRequest::descriptor(),
        v1::Limits::descriptor(), v1::CheckRequest::descriptor()}) {
    methods += static_cast<std::size_t>(message->file()->service(0)->method_count());
  }
  EXPECT_EQ(AllRpcs().size(), methods);
}

TEST(Access, NobodyComesInWithoutCredentials) {
  GuardedServer guarded;
  for (const Rpc& rpc : AllRpcs()) {
    const grpc::Status status = rpc.call({}, guarded.server);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAUTHENTICATED) << rpc.name;
    EXPECT_EQ(ErrorOf(status).field(), "authorization") << rpc.name;
    EXPECT_THAT(ErrorOf(status).limit(), HasSubstr("authorization: Bearer TOKEN")) << rpc.name;
  }
}

TEST(Access, NobodyComesInWithAWrongToken) {
  GuardedServer guarded;
  const std::string unknown = TokenOf("nobody");
  const Metadata wrong[] = {{{"authorization", "Bearer " + unknown}},
                            {{"authorization", unknown}},
                            {{"authorization", "Basic " + TokenOf("owner")}},
                            {{"authorization", "Bearer " + TokenOf("owner") + "x"}},
                            {{"authorization", "Bearer " + TokenOf("owner")},
                             {"authorization", "Bearer " + TokenOf("owner")}}};
  for (const Rpc& rpc : AllRpcs()) {
    for (const Metadata& metadata : wrong) {
      const grpc::Status status = rpc.call(metadata, guarded.server);
      EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAUTHENTICATED) << rpc.name;
    }
  }
}

TEST(Access, EveryRpcTakesItsRole) {
  GuardedServer guarded;
  const std::pair<const char*, server::Role> callers[] = {{"viewer", server::Role::kQuery},
                                                          {"maker", server::Role::kRegister},
                                                          {"owner", server::Role::kAdmin}};
  for (const auto& [id, role] : callers) {
    for (const Rpc& rpc : AllRpcs()) {
      const grpc::Status status = rpc.call(AuthorizationOf(id), guarded.server);
      EXPECT_NE(status.error_code(), grpc::StatusCode::UNAUTHENTICATED) << rpc.name;
      const bool is_denied = status.error_code() == grpc::StatusCode::PERMISSION_DENIED;
      EXPECT_EQ(is_denied, role < rpc.role) << id << " " << rpc.name;
      if (!is_denied) continue;
      EXPECT_EQ(ErrorOf(status).field(), "authorization");
      EXPECT_THAT(ErrorOf(status).value(), HasSubstr(std::string("principal ") + id));
      EXPECT_EQ(ErrorOf(status).limit(),
                std::string("role ") + server::NameOf(rpc.role) + " or higher");
    }
  }
}

TEST(Access, ReplacingTakesTheRoleOfAnAdminAndAddingDoesNot) {
  GuardedServer guarded;
  EXPECT_TRUE(RegisterAs("maker", guarded.server, "ball", Sphere(1), /*replace=*/true).ok());
  EXPECT_TRUE(RegisterAs("maker", guarded.server, "ball", Sphere(1), /*replace=*/true).ok());
  EXPECT_EQ(RegisterAs("maker", guarded.server, "ball", Sphere(2)).error_code(),
            grpc::StatusCode::ALREADY_EXISTS);
  const grpc::Status denied =
      RegisterAs("maker", guarded.server, "ball", Sphere(2), /*replace=*/true);
  EXPECT_EQ(denied.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(ErrorOf(denied).field(), "replace");
  EXPECT_TRUE(RegisterAs("owner", guarded.server, "ball", Sphere(2), /*replace=*/true).ok());
}

TEST(Access, AnOpenServerAsksNobody) {
  TestServer server;
  for (const Rpc& rpc : AllRpcs()) {
    const grpc::StatusCode code = rpc.call({}, server).error_code();
    EXPECT_NE(code, grpc::StatusCode::UNAUTHENTICATED) << rpc.name;
    EXPECT_NE(code, grpc::StatusCode::PERMISSION_DENIED) << rpc.name;
  }
}

// A guarded server with one shape inside of the prefixes of "arm" and one outside.
class Prefixes : public ::testing::Test {
 protected:
  Prefixes() {
    EXPECT_TRUE(RegisterAs("owner", server(), "arm/link", Sphere(1)).ok());
    EXPECT_TRUE(RegisterAs("owner", server(), "secret/thing", Sphere(2)).ok());
    foreign_digest_ = DigestOf("owner", "secret/thing");
    own_digest_ = DigestOf("owner", "arm/link");
  }

  TestServer& server() { return guarded_.server; }

  grpc::Status Get(const std::string& id, const v1::GetShapeRequest& request,
                   v1::GetShapeResponse* response) {
    return CallWith(AuthorizationOf(id), *server().shapes, &ShapeStub::GetShape, request, response);
  }
  std::string DigestOf(const std::string& id, const std::string& name) {
    v1::GetShapeRequest request;
    v1::GetShapeResponse response;
    request.set_name(name);
    EXPECT_TRUE(Get(id, request, &response).ok());
    return response.info().digest();
  }
  // Returns the names on all pages, `size` a page.
  std::vector<std::string> NamesFor(const std::string& id, const std::string& prefix, int size) {
    std::vector<std::string> names;
    v1::ListShapesRequest request;
    request.set_prefix(prefix);
    request.set_page_size(size);
    do {
      v1::ListShapesResponse response;
      const grpc::Status status = CallWith(AuthorizationOf(id), *server().shapes,
                                           &ShapeStub::ListShapes, request, &response);
      if (!status.ok()) return {status.error_message()};
      EXPECT_LE(response.shapes_size(), size);
      for (const auto& shape : response.shapes()) names.push_back(shape.name());
      request.set_page_token(response.next_page_token());
    } while (!request.page_token().empty());
    return names;
  }

  GuardedServer guarded_;
  std::string foreign_digest_;
  std::string own_digest_;
  const Metadata arm_ = AuthorizationOf("arm");
};

TEST_F(Prefixes, LetNoForeignNameThrough) {
  using Call = std::function<grpc::Status(const std::string&)>;
  const Call calls[] = {
      [&](const auto& name) { return RegisterAs("arm", server(), name, Sphere(3)); },
      [&](const auto& name) { return RegisterAs("arm", server(), name, Sphere(3), true); },
      [&](const auto& name) { return DeleteAs("arm", server(), name); },
      [&](const auto& name) { return DistanceOf(arm_, server(), ByName(name)); },
      [&](const auto& name) { return IntersectionOf(arm_, server(), ByName(name)); },
      [&](const auto& name) { return MotionOf(arm_, server(), ByName(name)); },
      [&](const auto& name) { return OpenIn(arm_, server(), ByName(name)); },
      [&](const auto& name) { return OverlapOf(arm_, server(), ByName(name), "arm/cell"); },
      [&](const auto& name) { return OverlapOf(arm_, server(), Inline(Sphere(1)), name); },
      [&](const auto& name) {
        v1::GetShapeRequest request;
        v1::GetShapeResponse response;
        request.set_name(name);
        return Get("arm", request, &response);
      }};
  for (const Call& call : calls) {
    std::string told_of_known;
    // Whether the name is registered makes no difference.
    for (const std::string name : {"secret/thing", "secret/other"}) {
      const grpc::Status status = call(name);
      EXPECT_EQ(status.error_code(), grpc::StatusCode::PERMISSION_DENIED);
      EXPECT_THAT(status.error_details(), HasSubstr("names that begin with arm/, tool/"));
      EXPECT_THAT(status.error_details(), HasSubstr(name));
      if (told_of_known.empty()) told_of_known = status.error_message();
      EXPECT_EQ(status.error_message(), told_of_known);
    }
  }
  EXPECT_EQ(DigestOf("owner", "secret/thing"), foreign_digest_);
}

// ---- Tracks ----

v1::SessionRequest TrackOpening(const std::string& name) {
  v1::SessionRequest request;
  request.mutable_open_track()->set_name(name);
  return request;
}

v1::SessionRequest TrackRewinding(const std::string& track) {
  v1::SessionRequest request;
  request.mutable_rewind_track()->set_track(track);
  request.mutable_rewind_track()->set_tick(1);
  return request;
}

google::rpc::Status TrackStatus(const v1::SessionRequest& request, TestSession* session) {
  session->Send(request);
  v1::SessionResponse response;
  EXPECT_TRUE(session->Receive(&response));
  return response.status();
}

// A session that publishes a track with one tick, without bodies, until it goes.
class TrackPublisher {
 public:
  TrackPublisher(const std::string& id, TestServer& server, const std::string& name)
      : session_(*server.queries, AuthorizationOf(id)) {
    EXPECT_EQ(TrackStatus(TrackOpening(name), &session_).code(), 0);
    EXPECT_EQ(Publish(1).code(), 0);
  }

  google::rpc::Status Publish(std::uint64_t number) {
    v1::SessionRequest tick;
    tick.mutable_publish_tick()->set_tick(number);
    return TrackStatus(tick, &session_);
  }

 private:
  TestSession session_;
};

void ExpectTrackDenied(const google::rpc::Status& status, const std::string& what) {
  EXPECT_EQ(status.code(), static_cast<int>(grpc::StatusCode::PERMISSION_DENIED));
  EXPECT_THAT(status.ShortDebugString(), HasSubstr(what));
}

TEST(TrackAccess, PublishingTakesTheRoleRegisterAndAskingDoesNot) {
  GuardedServer guarded;
  TestSession viewer(*guarded.server.queries, AuthorizationOf("viewer"));
  ExpectTrackDenied(TrackStatus(TrackOpening("match/7"), &viewer), "register");
  // A refused request holds nothing: the name is free, and the session goes on.
  const TrackPublisher maker("maker", guarded.server, "match/7");
  ExpectTrackDenied(TrackStatus(TrackOpening("match/7"), &viewer), "register");
  EXPECT_EQ(TrackStatus(TrackRewinding("match/7"), &viewer).code(), 0);
}

TEST(TrackAccess, PrefixesHoldForWritersAndAskers) {
  GuardedServer guarded;
  const TrackPublisher foreign("owner", guarded.server, "secret/match");
  TestSession arm(*guarded.server.queries, AuthorizationOf("arm"));
  // Whether there is such a track makes no difference.
  for (const std::string name : {"secret/match", "secret/other"}) {
    ExpectTrackDenied(TrackStatus(TrackOpening(name), &arm), name);
    ExpectTrackDenied(TrackStatus(TrackRewinding(name), &arm), name);
    ExpectTrackDenied(TrackStatus(TrackRewinding(name), &arm), "names that begin with arm/, tool/");
  }
  const TrackPublisher own("arm", guarded.server, "arm/match");
  EXPECT_EQ(TrackStatus(TrackRewinding("arm/match"), &arm).code(), 0);
}

TEST_F(Prefixes, HideTheContentsOfForeignNamesFromTheirDigests) {
  for (const auto& call : {DistanceOf, IntersectionOf, MotionOf, OpenIn}) {
    EXPECT_EQ(call(arm_, server(), ByDigest(foreign_digest_)).error_code(),
              grpc::StatusCode::NOT_FOUND);
    EXPECT_TRUE(call(arm_, server(), ByDigest(own_digest_)).ok());
  }
  v1::GetShapeRequest request;
  v1::GetShapeResponse response;
  request.set_digest(foreign_digest_);
  EXPECT_EQ(Get("arm", request, &response).error_code(), grpc::StatusCode::NOT_FOUND);
  // If the principal has its own name for the same content, it may see it, by that name.
  EXPECT_TRUE(RegisterAs("arm", server(), "tool/same", Sphere(2)).ok());
  EXPECT_TRUE(Get("arm", request, &response).ok());
  EXPECT_EQ(response.info().name(), "tool/same");
  EXPECT_TRUE(Get("owner", request, &response).ok());
  EXPECT_EQ(response.info().name(), "secret/thing");
}

TEST_F(Prefixes, LetOwnNamesThrough) {
  for (const auto& call : {DistanceOf, IntersectionOf, MotionOf, OpenIn}) {
    EXPECT_TRUE(call(arm_, server(), ByName("arm/link")).ok());
    EXPECT_TRUE(call(arm_, server(), Inline(Sphere(1))).ok());
  }
  EXPECT_TRUE(RegisterAs("arm", server(), "arm/link", Sphere(3), true).ok());
  EXPECT_TRUE(DeleteAs("arm", server(), "arm/link").ok());
}

TEST_F(Prefixes, LeaveForeignNamesOutOfLists) {
  for (const char* name : {"arm/a", "arm/b", "between", "tool/c", "zebra"}) {
    EXPECT_TRUE(RegisterAs("owner", server(), name, Sphere(1)).ok());
  }
  for (const int size : {1, 2, 3, 4, 5, 100}) {
    EXPECT_THAT(NamesFor("arm", "", size), ElementsAre("arm/a", "arm/b", "arm/link", "tool/c"))
        << size;
    EXPECT_THAT(NamesFor("arm", "arm/", size), ElementsAre("arm/a", "arm/b", "arm/link"));
    EXPECT_THAT(NamesFor("arm", "t", size), ElementsAre("tool/c"));
    EXPECT_THAT(NamesFor("arm", "arm/b", size), ElementsAre("arm/b"));
    EXPECT_THAT(NamesFor("arm", "tool/d", size), IsEmpty());
  }
  EXPECT_THAT(NamesFor("arm", "secret/", 10), ElementsAre(HasSubstr("not among those")));
  EXPECT_EQ(NamesFor("owner", "", 10).size(), 7u);
}

TEST_F(Prefixes, RefuseForeignItemsOfABatchOneByOne) {
  v1::BatchRegisterHullsRequest request;
  v1::BatchRegisterHullsResponse response;
  for (const char* name : {"arm/p", "secret/p", "tool/p"}) {
    request.add_names(name);
    request.add_vertex_counts(1);
    for (int i = 0; i < 3; ++i) request.add_vertices(request.names_size());
  }
  ASSERT_TRUE(
      CallWith(arm_, *server().shapes, &ShapeStub::BatchRegisterHulls, request, &response).ok());
  ASSERT_EQ(response.errors_size(), 1);
  EXPECT_EQ(response.errors(0).index(), 1u);
  EXPECT_EQ(response.errors(0).code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(response.errors(0).value(), "secret/p");
  EXPECT_THAT(NamesFor("arm", "", 10), ElementsAre("arm/link", "arm/p", "tool/p"));
}

void ExpectUnknownToken(const grpc::Status& end) {
  EXPECT_EQ(end.error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(end.error_message(), "unknown or withdrawn token");
}

// They end even if no message comes.
TEST(Revocation, EndsTheIdleSessionsOfATokenAndNoOthers) {
  GuardedServer guarded;
  TestSession viewer(*guarded.server.queries, AuthorizationOf("viewer"));
  TestSession owner(*guarded.server.queries, AuthorizationOf("owner"));
  for (TestSession* session : {&viewer, &owner}) {
    session->Open(0, Sphere(1));
    session->Open(1, Sphere(1));
    EXPECT_TRUE(session->Ask(DistanceAt(5, 1)).has_distance());
  }
  guarded.authenticator.Replace(TokensOf({"owner"}), *server::Policy::Parse(kGuardPolicy));

  ExpectUnknownToken(viewer.AwaitEnd());
  EXPECT_TRUE(owner.Ask(DistanceAt(5, 2)).has_distance());
  EXPECT_TRUE(owner.Finish().ok());
  guarded.server.grpc->Shutdown(absl::InfiniteDuration());
  EXPECT_THAT(guarded.server.log_lines,
              ElementsAre(AllOf(HasSubstr("refused a call"), HasSubstr("principal=viewer"))));
}

bool HasCountOf(TestServer& server, const std::string& series) {
  const std::string page = server.metrics.Scrape();
  const std::size_t line = page.find("\n" + series + " ");
  return line != std::string::npos && page.compare(line + series.size() + 2, 2, "0\n") != 0;
}

TEST(Revocation, StopsTheWorkThatASessionIsOn) {
  GuardedServer guarded;
  TestSession viewer(*guarded.server.queries, AuthorizationOf("viewer"));
  viewer.Open(0, RingHull(30));
  viewer.Open(1, RingHull(30));
  const v1::SessionRequest request = LongWork();
  EXPECT_TRUE(viewer.Send(request));
  AwaitWorkOn(guarded.server, request);
  guarded.authenticator.Replace(TokensOf({"owner"}), *server::Policy::Parse(kGuardPolicy));
  v1::SessionResponse response;
  EXPECT_FALSE(viewer.Receive(&response));
  ExpectUnknownToken(viewer.AwaitEnd());
  // Half-way, or before a worker came to it.
  const std::string left = R"(clearance_queries_total{kind="time_of_collision",state="undecided"})";
  EXPECT_TRUE(HasCountOf(guarded.server, left) ||
              HasCountOf(guarded.server, R"(clearance_shed_messages_total{reason="over"})"));
}

// It cannot be told why.
TEST(Revocation, EndsTheSessionThatDoesNotTakeItsReplies) {
  GuardedServer guarded;
  server::Metrics& metrics = guarded.server.metrics;
  TestSession viewer(*guarded.server.queries, AuthorizationOf("viewer"));
  viewer.Open(0, Sphere(1));
  viewer.Open(1, Sphere(1));
  // More than gRPC takes of a reply that is not read.
  v1::SessionRequest request = DistanceAt(500, 7);
  request.mutable_distance()->mutable_pairs()->set_count(100'000);
  EXPECT_TRUE(viewer.Send(request));
  // The work is done, and no longer pending: the reply is being written.
  const std::string done = R"(clearance_queries_total{kind="distance",state="separated"})";
  while (!HasCountOf(guarded.server, done)) std::this_thread::yield();
  while (metrics.pending_work().Value() > 0) std::this_thread::yield();
  guarded.authenticator.Replace(TokensOf({"owner"}), *server::Policy::Parse(kGuardPolicy));
  while (metrics.sessions_open().Value() > 0) std::this_thread::yield();
  EXPECT_FALSE(viewer.AwaitEnd().ok());
}

TEST(Revocation, LeavesSessionsInPeaceWhoseRulesAreTheSame) {
  GuardedServer guarded;
  TestSession viewer(*guarded.server.queries, AuthorizationOf("viewer"));
  viewer.Open(0, Sphere(1));
  viewer.Open(1, Sphere(1));
  for (std::uint64_t tag = 0; tag < 50; ++tag) {
    guarded.authenticator.Replace(TokensOf({"viewer"}), *server::Policy::Parse(kGuardPolicy));
    EXPECT_TRUE(viewer.Ask(DistanceAt(5, tag)).has_distance());
  }
  EXPECT_TRUE(viewer.Finish().ok());
}

TEST(Revocation, EndsSessionsOfARemovedPrincipal) {
  GuardedServer guarded;
  TestSession viewer(*guarded.server.queries, AuthorizationOf("viewer"));
  viewer.Open(0, Sphere(1));
  guarded.authenticator.Replace(TokensOf({"viewer"}),
                                *server::Policy::Parse(R"({"principals": {}})"));
  EXPECT_EQ(viewer.AwaitEnd().error_code(), grpc::StatusCode::UNAUTHENTICATED);
}

TEST(Revocation, NarrowsWhatASessionMayOpen) {
  GuardedServer guarded;
  EXPECT_TRUE(RegisterAs("owner", guarded.server, "ball", Sphere(1)).ok());
  TestSession viewer(*guarded.server.queries, AuthorizationOf("viewer"));
  viewer.Open(0, "ball");
  guarded.authenticator.Replace(
      TokensOf({"viewer"}),
      *server::Policy::Parse(
          R"({"principals": {"viewer": {"role": "query", "prefixes": ["arm/"]}}})"));
  v1::SessionRequest open;
  open.mutable_open()->mutable_shape()->set_name("ball");
  EXPECT_EQ(viewer.Ask(open).status().code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_TRUE(viewer.Finish().ok());
}

TEST(Revocation, EndsATrackThatItsPublisherMayPublishNoLonger) {
  constexpr auto kFailedPrecondition = static_cast<int>(grpc::StatusCode::FAILED_PRECONDITION);
  GuardedServer guarded;
  TrackPublisher by_role("maker", guarded.server, "match/7");
  TrackPublisher by_name("arm", guarded.server, "arm/match");
  TrackPublisher same("owner", guarded.server, "match/8");
  guarded.authenticator.Replace(TokensOf({"maker", "arm", "owner"}),
                                *server::Policy::Parse(R"({"principals": {
          "maker": {"role": "query"}, "arm": {"role": "admin", "prefixes": ["tool/"]},
          "owner": {"role": "admin"}}})"));
  TestSession asker(*guarded.server.queries, AuthorizationOf("owner"));
  // Even if neither publisher says anything.
  for (const std::string name : {"match/7", "arm/match"}) {
    while (TrackStatus(TrackRewinding(name), &asker).code() == 0) std::this_thread::yield();
  }
  EXPECT_EQ(by_role.Publish(2).code(), kFailedPrecondition);
  EXPECT_EQ(by_name.Publish(2).code(), kFailedPrecondition);
  EXPECT_EQ(same.Publish(2).code(), 0);
}

TEST(Secrets, StandInNoLogNoErrorAndNoMetric) {
  GuardedServer guarded;
  const std::string secrets[] = {TokenOf("nobody"), TokenOf("viewer"), TokenOf("owner")};
  std::string all;
  const auto gather = [&](const grpc::Status& status) {
    all += status.error_message() + "\n" + status.error_details() + "\n";
  };
  for (const Rpc& rpc : AllRpcs()) {
    for (const char* id : {"nobody", "viewer", "owner"}) {
      gather(rpc.call(AuthorizationOf(id), guarded.server));
      gather(rpc.call({{"authorization", TokenOf(id)}}, guarded.server));
      gather(rpc.call({{"authorization", "Bearer  " + TokenOf(id)}}, guarded.server));
      gather(rpc.call({{"authorization", "Bearer " + TokenOf(id)}, {"x-request-id", "a b"}},
                      guarded.server));
    }
  }
  EXPECT_TRUE(RegisterAs("owner", guarded.server, "ball", Sphere(1)).ok());
  guarded.server.grpc->Shutdown(absl::InfiniteDuration());
  all += guarded.server.metrics.Scrape();
  for (const std::string& line : guarded.server.log_lines) all += line;
  EXPECT_THAT(all, HasSubstr("refused a call"));
  EXPECT_THAT(all, HasSubstr("AUDIT"));
  for (const std::string& secret : secrets) {
    EXPECT_THAT(all, Not(HasSubstr(secret)));
    EXPECT_THAT(all, Not(HasSubstr(secret.substr(10, 10))));
  }
}

}  // namespace
}  // namespace clearance::testing
