// SPDX-License-Identifier: Apache-2.0
//
// Every unary call of the client library against the real server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/time/clock.h"
#include "clearance/proof.h"
#include "clearance/session.h"
#include "tests/integration/client/real_server.h"

namespace clearance::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Client, RegistersGetsListsAndDeletes) {
  const RealServer server;
  const Client client = server.Connect();
  const absl::StatusOr<Registration> box = client.Register("parts/box", kUnitBox);
  ASSERT_TRUE(box.ok()) << box.status();
  EXPECT_TRUE(box->created);
  EXPECT_EQ(box->info.vertex_count, 8u);
  EXPECT_THAT(box->info.digest, StartsWith("v1-sha256-"));
  EXPECT_FALSE(client.Register("parts/box", kUnitBox)->created);

  const absl::StatusOr<FoundShape> found = client.Get(ByDigest{box->info.digest}, true);
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_TRUE(found->content.has_value());
  EXPECT_EQ(BodyVertices(*found->content), BodyVertices(kUnitBox));
  EXPECT_FALSE(client.Get(ByName{"parts/box"})->content.has_value());

  ASSERT_TRUE(client.Register("other", {Sphere{1}, 0}).ok());
  const absl::StatusOr<std::vector<ShapeInfo>> listed = client.List("parts/");
  ASSERT_TRUE(listed.ok()) << listed.status();
  ASSERT_EQ(listed->size(), 1u);
  EXPECT_EQ(listed->front().name, "parts/box");

  const absl::StatusOr<std::uint64_t> revision = client.Delete("parts/box", box->info.digest);
  ASSERT_TRUE(revision.ok()) << revision.status();
  EXPECT_GT(*revision, box->revision);
  EXPECT_EQ(client.Get(ByName{"parts/box"}).status().code(), absl::StatusCode::kNotFound);
}

TEST(Client, SendsIdsAndTellsThoseOfAFailure) {
  const RealServer server;
  const CallIds ids = {.request_id = "job-7",
                       .traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"};
  const Client client = server.Connect();
  const CallIds told = IdsOf(client.WithIds(ids).Get(ByName{"none"}).status());
  EXPECT_EQ(told.request_id, ids.request_id);
  EXPECT_EQ(told.traceparent, ids.traceparent);

  const auto session = client.OpenSession({.ids = ids});
  const absl::Status refused = session->Open(0, ByName{"none"}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(IdsOf(refused).request_id, ids.request_id);
  EXPECT_EQ(IdsOf(refused).traceparent, ids.traceparent);
}

TEST(Client, LetsTheServerNameACallWhoseIdsHaveNotTheirForm) {
  const RealServer server;
  const Client client = server.Connect();
  for (const CallIds& ids : {CallIds{}, CallIds{"two\nlines", "00-x"}, CallIds{"a b", "\xff"}}) {
    const absl::Status status = client.WithIds(ids).Get(ByName{"none"}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << status;
    EXPECT_THAT(IdsOf(status).request_id, ::testing::MatchesRegex("[0-9a-f]+"));
    EXPECT_EQ(IdsOf(status).traceparent, "");
  }
}

TEST(Client, ListsAllPages) {
  const RealServer server;
  const Client client = server.Connect();
  HullColumns hulls;
  for (int i = 0; i < 1500; ++i) {
    hulls.names.push_back("p" + std::to_string(10000 + i));
    hulls.vertex_counts.push_back(1);
    hulls.vertices.insert(hulls.vertices.end(), {0.001 * i, 0, 0});
  }
  ASSERT_TRUE(client.BatchRegisterHulls(hulls).ok());
  const absl::StatusOr<std::vector<ShapeInfo>> listed = client.List();
  ASSERT_TRUE(listed.ok()) << listed.status();
  ASSERT_EQ(listed->size(), 1500u);
  EXPECT_EQ(listed->back().name, "p11499");
  const absl::StatusOr<ShapePage> page = client.ListPage({.page_size = 10});
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->shapes.size(), 10u);
  EXPECT_NE(page->next_page_token, "");
}

TEST(Client, RegistersABatchAndReportsItsRefusedItems) {
  const RealServer server;
  const absl::StatusOr<BatchRegistration> batch =
      server.Connect().BatchRegisterHulls({.names = {"a", "NOT A NAME", "c"},
                                           .vertex_counts = {1, 1, 2},
                                           .vertices = {0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 0, 0},
                                           .swept_sphere_radii = {0.5}});
  ASSERT_TRUE(batch.ok()) << batch.status();
  ASSERT_EQ(batch->digests.size(), 3u);
  EXPECT_NE(batch->digests[0], "");
  EXPECT_EQ(batch->digests[1], "");
  ASSERT_EQ(batch->errors.size(), 1u);
  EXPECT_EQ(batch->errors[0].index, 1u);
  EXPECT_EQ(batch->errors[0].code, absl::StatusCode::kInvalidArgument);
}

TEST(Client, DecodesWhatTheServerSaysOfARefusedShape) {
  const RealServer server;
  const absl::Status status = server.Connect().Register("bad", {Sphere{-1}, 0}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  const std::optional<Error> error = ErrorDetail(status);
  ASSERT_TRUE(error.has_value());
  EXPECT_THAT(error->field, HasSubstr("sphere.radius"));
  EXPECT_EQ(error->value, "-1");
  EXPECT_EQ(error->reason, "SHAPE_INVALID");
}

TEST(Client, AsksForTheDistanceOfTwoShapes) {
  const RealServer server;
  const Client client = server.Connect();
  ASSERT_TRUE(client.Register("box", kUnitBox).ok());
  const auto apart = client.Distance(ByName{"box"}, {.x = 3}, Shape{Sphere{1}, 0}, {});
  ASSERT_TRUE(apart.ok()) << apart.status();
  EXPECT_EQ(apart->state, State::kSeparated);
  EXPECT_FALSE(apart->intersects);
  EXPECT_NEAR(*apart->distance, 1.5, 1e-9);
  EXPECT_LE(apart->lower_bound, apart->upper_bound);
  EXPECT_NEAR(apart->point_a->x, 2.5, 1e-9);
  EXPECT_NEAR(apart->normal->x, -1, 1e-9);
  EXPECT_GT(apart->revision, 0u);
  EXPECT_TRUE(client.Distance(ByName{"box"}, {}, Shape{Sphere{1}, 0}, {})->intersects);
  const auto refused = client.Distance(ByName{"none"}, {}, ByName{"box"}, {});
  EXPECT_EQ(ErrorDetail(refused.status())->reason, "SHAPE_NOT_REGISTERED");
}

TEST(Client, AsksUnaryQueriesOfEveryKind) {
  const RealServer server;
  const Client client = server.Connect();
  ASSERT_TRUE(client.Register("box", kUnitBox).ok());
  const ShapeTable shapes{{ByName{"box"}, kUnitBox}};

  const absl::StatusOr<DistanceResult> distance = client.Distance(shapes, BoxesApart(2, 1));
  ASSERT_TRUE(distance.ok()) << distance.status();
  EXPECT_THAT(distance->states, ElementsAre(State::kSeparated, State::kSeparated));
  EXPECT_THAT(distance->distances, ElementsAre(1, 2));
  EXPECT_TRUE(ProvedFree(*distance, 0, 0.999));
  EXPECT_FALSE(ProvedFree(*distance, 0, 1.001));

  IntersectionBatch touches;
  touches.pairs = BoxesApart(2, -0.5).pairs;
  const absl::StatusOr<IntersectionResult> touch = client.Intersection(shapes, touches);
  ASSERT_TRUE(touch.ok()) << touch.status();
  EXPECT_THAT(touch->states, ElementsAre(State::kPenetrating, State::kSeparated));

  TimeOfCollisionBatch motion;
  motion.pairs = BoxesApart(1, 1).pairs;
  motion.displacements_a = {2, 0, 0};
  const absl::StatusOr<TimeOfCollisionResult> hit = client.TimeOfCollision(shapes, motion);
  ASSERT_TRUE(hit.ok()) << hit.status();
  EXPECT_THAT(hit->states, ElementsAre(MotionState::kHit));
  EXPECT_NEAR(hit->t_hit[0], 0.5, 1e-8);
  EXPECT_LE(hit->t_free[0], hit->t_hit[0]);
}

TEST(Client, RefusesRowsByThemselves) {
  const RealServer server;
  DistanceBatch batch = BoxesApart(3, 1);
  batch.pairs.poses_b[7] = std::numeric_limits<double>::quiet_NaN();
  const absl::StatusOr<DistanceResult> result =
      server.Connect().Distance({{kUnitBox, kUnitBox}}, batch);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->states, ElementsAre(State::kSeparated, State::kRefused, State::kSeparated));
  ASSERT_EQ(result->errors.size(), 1u);
  EXPECT_EQ(result->errors[0].index, 1u);
}

TEST(Client, ReadsTheServersInfoAndHealth) {
  RealServer server({.max_batch_rows = 123});
  const Client client = server.Connect();
  const absl::Time before = absl::Now();
  const absl::StatusOr<ServerInfo> info = client.GetServerInfo();
  ASSERT_TRUE(info.ok()) << info.status();
  ASSERT_TRUE(info->server_time.has_value());
  EXPECT_GE(*info->server_time, before);
  EXPECT_LE(*info->server_time, absl::Now());
  EXPECT_EQ(info->limits.max_batch_rows, 123u);
  EXPECT_GT(info->tolerances.relative, 0);
  ASSERT_TRUE(client.CheckHealth().ok());
  EXPECT_EQ(*client.CheckHealth(), Health::kServing);
  EXPECT_EQ(client.CheckHealth("no.such.Service").status().code(), absl::StatusCode::kNotFound);
  server.server().BeginDrain();
  EXPECT_EQ(*client.CheckHealth(), Health::kNotServing);
}

}  // namespace
}  // namespace clearance::client
