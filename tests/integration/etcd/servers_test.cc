// SPDX-License-Identifier: Apache-2.0
//
// Real servers of one registry, as their callers see them.

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "clearance/v1/query_service.grpc.pb.h"
#include "clearance/v1/scene_query_service.grpc.pb.h"
#include "clearance/v1/scene_service.grpc.pb.h"
#include "clearance/v1/shape_service.grpc.pb.h"
#include "tests/integration/etcd/etcd_cluster.h"
#include "tests/integration/process/server_process.h"
#include "tests/support/raw_http.h"

namespace clearance::test {
namespace {

class Caller {
 public:
  explicit Caller(const ServerProcess& server)
      : channel_(grpc::CreateChannel(server.grpc_address(), grpc::InsecureChannelCredentials())),
        shapes(v1::ShapeService::NewStub(channel_)),
        queries(v1::QueryService::NewStub(channel_)),
        scenes(v1::SceneService::NewStub(channel_)),
        scene_queries(v1::SceneQueryService::NewStub(channel_)) {}

  v1::RegisterShapeResponse Register(const std::string& name, double radius) {
    v1::RegisterShapeRequest request;
    request.set_name(name);
    request.mutable_shape()->mutable_sphere()->set_radius(radius);
    request.set_replace(true);
    v1::RegisterShapeResponse response;
    grpc::ClientContext context;
    status = shapes->RegisterShape(&context, request, &response);
    return response;
  }
  void Delete(const std::string& name) {
    v1::DeleteShapeRequest request;
    request.set_name(name);
    v1::DeleteShapeResponse response;
    grpc::ClientContext context;
    status = shapes->DeleteShape(&context, request, &response);
  }
  // Returns the distance between the surface of the shape and a point 10,000 m away.
  double Ask(const v1::ShapeReference& shape) {
    v1::DistanceRequest request;
    *request.add_shapes() = shape;
    request.add_shapes()->mutable_inline_shape()->mutable_point();
    request.mutable_batch()->mutable_pairs()->set_count(1);
    for (const double number : {10'000., 0., 0., 0., 0., 0., 1.})
      request.mutable_batch()->mutable_pairs()->add_poses_b(number);
    v1::DistanceResponse response;
    grpc::ClientContext context;
    status = queries->Distance(&context, request, &response);
    return status.ok() ? response.result().distances(0) : 0;
  }
  double AskByName(const std::string& name) {
    v1::ShapeReference shape;
    shape.set_name(name);
    return Ask(shape);
  }

 private:
  std::shared_ptr<grpc::Channel> channel_;

 public:
  std::unique_ptr<v1::ShapeService::Stub> shapes;
  std::unique_ptr<v1::QueryService::Stub> queries;
  std::unique_ptr<v1::SceneService::Stub> scenes;
  std::unique_ptr<v1::SceneQueryService::Stub> scene_queries;
  grpc::Status status;  // of the last call
};

TEST(SharedServers, ANameMeansTheSameOnBothAtOnce) {
  CLEARANCE_REQUIRE_ETCD();
  const EtcdCluster etcd;
  const ServerProcess one({etcd.StoreFlag()});
  const ServerProcess two({etcd.StoreFlag()});
  Caller first(one), second(two);
  constexpr int kTrials = 1000;
  for (int i = 1; i <= kTrials; ++i) {
    Caller& writer = i % 2 == 0 ? first : second;
    Caller& reader = i % 2 == 0 ? second : first;
    if (i % 4 == 0) {
      writer.Delete("name");
      ASSERT_TRUE(writer.status.ok()) << writer.status.error_message();
      reader.AskByName("name");
      ASSERT_EQ(reader.status.error_code(), grpc::StatusCode::NOT_FOUND) << i;
      continue;
    }
    const auto made = writer.Register("name", i);
    ASSERT_TRUE(writer.status.ok()) << writer.status.error_message();
    // By name or, as new, by digest.
    v1::ShapeReference shape;
    if (i % 3 == 0) {
      shape.set_digest(made.info().digest());
    } else {
      shape.set_name("name");
    }
    ASSERT_EQ(reader.Ask(shape), 10'000 - i) << i << reader.status.error_message();
  }
}

TEST(SharedServers, ASessionOpensTheNewestAndKeepsWhatItOpened) {
  CLEARANCE_REQUIRE_ETCD();
  const EtcdCluster etcd;
  const ServerProcess one({etcd.StoreFlag()});
  const ServerProcess two({etcd.StoreFlag()});
  Caller writer(one), reader(two);
  grpc::ClientContext context;
  const auto session = reader.queries->Session(&context);
  for (std::uint32_t i = 0; i < 200; ++i) {
    writer.Register("name", i + 1);
    ASSERT_TRUE(writer.status.ok());
    v1::SessionRequest open;
    open.mutable_open()->set_slot(i % 8);
    open.mutable_open()->mutable_shape()->set_name("name");
    ASSERT_TRUE(session->Write(open));
    v1::SessionResponse opened;
    ASSERT_TRUE(session->Read(&opened));
    ASSERT_TRUE(opened.has_open()) << opened.status().message();
    ASSERT_EQ(opened.open().revision(), i + 1);
  }
  writer.Delete("name");
  v1::SessionRequest ask;
  ask.mutable_distance()->mutable_pairs()->set_count(1);
  for (const double number : {1000., 0., 0., 0., 0., 0., 1.})
    ask.mutable_distance()->mutable_pairs()->add_poses_b(number);
  ASSERT_TRUE(session->Write(ask));
  v1::SessionResponse answer;
  ASSERT_TRUE(session->Read(&answer));
  EXPECT_EQ(answer.distance().distances(0), 1000. - 193 - 194);
  session->WritesDone();
  EXPECT_TRUE(session->Finish().ok());
}

v1::CreateSceneRequest CellOf(const std::string& shape) {
  v1::CreateSceneRequest request;
  request.set_name("cell");
  auto* const bodies = request.mutable_content()->mutable_bodies();
  bodies->set_count(1);
  bodies->add_ids(1);
  bodies->add_shapes()->set_name(shape);
  for (const double number : {5., 0., 0., 0., 0., 0., 1.}) bodies->add_poses(number);
  return request;
}

TEST(SharedServers, ASceneIsWatchedAndAskedOnAnyOfThem) {
  CLEARANCE_REQUIRE_ETCD();
  const EtcdCluster etcd;
  const ServerProcess one({etcd.StoreFlag()});
  const ServerProcess two({etcd.StoreFlag()});
  Caller writer(one), reader(two);
  writer.Register("ball", 1);
  {
    v1::CreateSceneResponse response;
    grpc::ClientContext context;
    const auto status = writer.scenes->CreateScene(&context, CellOf("ball"), &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
  }
  grpc::ClientContext watching;
  v1::WatchSceneRequest watch;
  watch.set_name("cell");
  watch.set_from_revision(1);
  const auto stream = reader.scenes->WatchScene(&watching, watch);
  v1::WatchSceneResponse told;
  ASSERT_TRUE(stream->Read(&told)) << stream->Finish().error_message();
  EXPECT_EQ(told.scene().revision(), 1u);
  for (std::uint64_t revision = 2; revision < 20; ++revision) {
    v1::UpdateSceneRequest move;
    move.set_name("cell");
    auto* const poses = move.mutable_change()->mutable_poses();
    poses->set_count(1);
    poses->add_ids(1);
    for (const double number : {5. * static_cast<double>(revision), 0., 0., 0., 0., 0., 1.})
      poses->add_poses(number);
    v1::UpdateSceneResponse moved;
    grpc::ClientContext context;
    ASSERT_TRUE(writer.scenes->UpdateScene(&context, move, &moved).ok());
    // A question to the other server is about this revision.
    v1::RayRequest ray;
    ray.mutable_open_scene()->set_name("cell");
    ray.mutable_batch()->set_count(1);
    for (const double number : {0., 0., 0.}) ray.mutable_batch()->add_origins(number);
    for (const double number : {1000., 0., 0.}) ray.mutable_batch()->add_displacements(number);
    v1::RayResponse hit;
    grpc::ClientContext asking;
    const auto status = reader.scene_queries->Ray(&asking, ray, &hit);
    ASSERT_TRUE(status.ok()) << status.error_message();
    ASSERT_EQ(hit.result().scene_revision(), revision);
    ASSERT_TRUE(stream->Read(&told));
    ASSERT_EQ(told.scene().revision(), revision);
    ASSERT_EQ(told.base_revision(), revision - 1);
    ASSERT_EQ(told.change().poses().poses(0), 5. * static_cast<double>(revision));
  }
  v1::DeleteSceneRequest deletion;
  deletion.set_name("cell");
  v1::DeleteSceneResponse deleted;
  grpc::ClientContext context;
  ASSERT_TRUE(writer.scenes->DeleteScene(&context, deletion, &deleted).ok());
  ASSERT_TRUE(stream->Read(&told));
  EXPECT_EQ(told.end(), v1::SCENE_END_DELETED);
  EXPECT_TRUE(stream->Finish().ok());
}

// Two of three members are gone: an open session still answers questions about its slots.
TEST(SharedServers, WithoutAQuorumAnOpenSessionGoesOn) {
  CLEARANCE_REQUIRE_ETCD();
  EtcdCluster etcd(3);
  const ServerProcess one({etcd.StoreFlag(), "--store_patience=500ms"});
  Caller caller(one);
  const auto made = caller.Register("ball", 1);
  ASSERT_TRUE(caller.status.ok()) << caller.status.error_message();
  grpc::ClientContext context;
  const auto session = caller.queries->Session(&context);
  const auto ask = [&](const v1::SessionRequest& request) {
    v1::SessionResponse response;
    EXPECT_TRUE(session->Write(request) && session->Read(&response));
    return response;
  };
  const auto open = [&](std::uint32_t slot, const v1::ShapeReference& shape) {
    v1::SessionRequest request;
    request.mutable_open()->set_slot(slot);
    *request.mutable_open()->mutable_shape() = shape;
    return ask(request);
  };
  v1::ShapeReference name;
  name.set_name("ball");
  v1::ShapeReference digest;
  digest.set_digest(made.info().digest());
  ASSERT_TRUE(open(0, name).has_open());
  etcd.Kill(0);
  etcd.Kill(1);
  // From here on the store answers nothing.
  caller.AskByName("ball");
  EXPECT_EQ(caller.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(open(1, name).status().code(), grpc::StatusCode::UNAVAILABLE);
  ASSERT_TRUE(open(1, digest).has_open());
  v1::SessionRequest question;
  question.mutable_distance()->mutable_pairs()->set_count(1);
  for (const double number : {10., 0., 0., 0., 0., 0., 1.})
    question.mutable_distance()->mutable_pairs()->add_poses_b(number);
  for (std::uint64_t tag = 1; tag <= 1000; ++tag) {
    question.set_tag(tag);
    const v1::SessionResponse answer = ask(question);
    ASSERT_EQ(answer.tag(), tag);
    ASSERT_EQ(answer.distance().distances(0), 8);
  }
  etcd.Start(0);
  ASSERT_TRUE(etcd.AwaitQuorum());
  while (open(2, name).has_status()) {
  }
  session->WritesDone();
  EXPECT_TRUE(session->Finish().ok());
}

TEST(SharedServers, NoStore_AnswersDigests_ReadinessFollowsFlag) {
  CLEARANCE_REQUIRE_ETCD();
  EtcdCluster etcd;
  const ServerProcess one({etcd.StoreFlag(), "--store_patience=500ms"});
  const ServerProcess two(
      {etcd.StoreFlag(), "--store_patience=500ms", "--ready_without_store=false"});
  Caller caller(one);
  const auto made = caller.Register("ball", 1);
  ASSERT_TRUE(caller.status.ok()) << caller.status.error_message();
  const auto ready = [](const ServerProcess& server) {
    return HttpGet(server.http_port(), "/readyz").starts_with("HTTP/1.1 200");
  };
  EXPECT_TRUE(ready(two));
  etcd.Kill(0);
  while (ready(two)) {
  }
  EXPECT_TRUE(ready(one));
  caller.AskByName("ball");
  EXPECT_EQ(caller.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(caller.status.error_message(), ::testing::HasSubstr("cannot be found out"));
  v1::ShapeReference digest;
  digest.set_digest(made.info().digest());
  EXPECT_EQ(caller.Ask(digest), 9'999);
  caller.Register("other", 2);
  EXPECT_EQ(caller.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(HttpGet(one.http_port(), "/metrics"),
              ::testing::AllOf(::testing::HasSubstr("\nclearance_store_up 0"),
                               ::testing::HasSubstr("\nclearance_store_shared 1")));
  etcd.Start(0);
  while (!ready(two)) {
  }
  while (caller.Register("other", 2), !caller.status.ok()) {
  }
  EXPECT_EQ(caller.AskByName("other"), 9'998);
  EXPECT_EQ(caller.AskByName("ball"), 9'999);
}

}  // namespace
}  // namespace clearance::test
