// SPDX-License-Identifier: Apache-2.0
//
// Scenes from end to end: the content put in comes out, at every revision that is held.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_join.h"
#include "tests/integration/service/guarded_server.h"
#include "tests/integration/service/scene_messages.h"

namespace clearance::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(SceneService, ShowsWhatWasPutIn) {
  TestServer server;
  const std::string ball = Register(server, "ball", Sphere(1));
  const std::string box = Register(server, "box", Box(2));
  v1::CreateSceneRequest request;
  request.set_name("cell/a");
  v1::BodyColumns& bodies = *request.mutable_content()->mutable_bodies();
  bodies.set_count(3);
  for (const std::uint32_t id : {7u, 1u, 4u}) bodies.add_ids(id);
  bodies.add_shapes()->set_name("ball");
  bodies.add_shapes()->set_digest(box);
  for (const std::uint32_t slot : {1u, 0u, 1u}) bodies.add_shape_slots(slot);
  for (const double x : {7., 1., 4.}) AddPoseAt(x, bodies.mutable_poses());
  bodies.add_groups(2);
  for (const std::uint32_t mask : {3u, 4u, 5u}) bodies.add_masks(mask);
  for (const double margin : {.5, .25, 0.}) bodies.add_margins(margin);
  v1::PairRuleColumns& rules = *request.mutable_content()->mutable_rules();
  rules.set_count(2);
  for (const std::uint32_t id : {4u, 1u}) rules.add_bodies_a(id);
  for (const std::uint32_t id : {1u, 7u}) rules.add_bodies_b(id);
  rules.add_kinds(v1::PAIR_RULE_KIND_MAY_TOUCH);
  rules.add_kinds(v1::PAIR_RULE_KIND_MARGIN);
  rules.add_margins(0.125);
  v1::CreateSceneResponse created;
  ASSERT_TRUE(Call(*server.scenes, &v1::SceneService::Stub::CreateScene, request, &created).ok());
  EXPECT_EQ(created.scene().revision(), 1u);
  EXPECT_EQ(created.scene().body_count(), 3u);
  EXPECT_EQ(created.scene().rule_count(), 2u);
  EXPECT_FALSE(created.scene().has_ttl());

  const v1::GetSceneResponse got = GetScene(server, "cell/a");
  EXPECT_EQ(got.scene().etag(), created.scene().etag());
  const v1::BodyColumns& shown = got.content().bodies();
  EXPECT_EQ(shown.count(), 3u);
  EXPECT_THAT(shown.ids(), ElementsAre(1, 4, 7));
  EXPECT_THAT(DigestsOf(shown), ElementsAre(ball, box, box));
  EXPECT_THAT(XsOf(shown), ElementsAre(1, 4, 7));
  EXPECT_THAT(shown.groups(), ElementsAre(2, 2, 2));
  EXPECT_THAT(shown.masks(), ElementsAre(4, 5, 3));
  EXPECT_THAT(shown.margins(), ElementsAre(.25, 0, .5));
  const v1::PairRuleColumns& shown_rules = got.content().rules();
  EXPECT_THAT(shown_rules.bodies_a(), ElementsAre(1, 1));
  EXPECT_THAT(shown_rules.bodies_b(), ElementsAre(4, 7));
  EXPECT_THAT(shown_rules.kinds(),
              ElementsAre(v1::PAIR_RULE_KIND_MAY_TOUCH, v1::PAIR_RULE_KIND_MARGIN));
  EXPECT_THAT(shown_rules.margins(), ElementsAre(0, 0.125));
}

TEST(SceneService, MakesARevisionOfEachUpdateAndKeepsTheOldOnes) {
  server::Limits limits;
  limits.max_scene_revisions = 3;
  TestServer server(limits);
  Register(server, "ball", Sphere(1));
  CreateRow(server, "row", 3, Forever());
  for (int i = 1; i <= 3; ++i) {
    v1::UpdateSceneRequest move;
    move.set_name("row");
    v1::BodyPoseColumns& poses = *move.mutable_change()->mutable_poses();
    poses.set_count(1);
    poses.add_ids(1);
    AddPoseAt(100 * i, poses.mutable_poses());
    EXPECT_EQ(Update(server, move).revision(), static_cast<std::uint64_t>(i + 1));
  }
  EXPECT_THAT(XsOf(GetScene(server, "row").content().bodies()), ElementsAre(0, 300, 2));
  v1::GetSceneRequest request;
  request.set_name("row");
  request.set_include_bodies(true);
  request.set_revision(2);
  v1::GetSceneResponse old;
  ASSERT_TRUE(Call(*server.scenes, &v1::SceneService::Stub::GetScene, request, &old).ok());
  EXPECT_EQ(old.scene().revision(), 2u);
  EXPECT_THAT(XsOf(old.content().bodies()), ElementsAre(0, 100, 2));
  EXPECT_EQ(old.scene().oldest_revision(), 2u);

  request.set_revision(1);
  const grpc::Status gone = Call(*server.scenes, &v1::SceneService::Stub::GetScene, request, &old);
  EXPECT_EQ(gone.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(ErrorOf(gone).field(), "revision");
  EXPECT_EQ(ErrorOf(gone).limit(), "2 to 4");
  request.set_revision(0);
  request.set_min_revision(5);
  const grpc::Status early = Call(*server.scenes, &v1::SceneService::Stub::GetScene, request, &old);
  EXPECT_EQ(early.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(ErrorOf(early).field(), "min_revision");
}

TEST(SceneService, AppliesAChangeInTheOrderOfItsFieldsOrNotAtAll) {
  TestServer server;
  Register(server, "ball", Sphere(1));
  CreateRow(server, "row", 4, Kept());
  v1::UpdateSceneRequest request;
  request.set_name("row");
  v1::SceneChange& change = *request.mutable_change();
  change.add_removed_bodies(0);
  change.add_removed_bodies(3);
  change.mutable_bodies()->set_count(2);
  change.mutable_bodies()->add_ids(3);
  change.mutable_bodies()->add_ids(9);
  change.mutable_bodies()->add_shapes()->set_name("ball");
  change.mutable_poses()->set_count(1);
  change.mutable_poses()->add_ids(9);
  AddPoseAt(90, change.mutable_poses()->mutable_poses());
  EXPECT_EQ(Update(server, request).body_count(), 4u);
  const v1::GetSceneResponse got = GetScene(server, "row");
  EXPECT_THAT(got.content().bodies().ids(), ElementsAre(1, 2, 3, 9));
  EXPECT_THAT(XsOf(got.content().bodies()), ElementsAre(1, 2, 0, 90));

  change.clear_removed_bodies();
  change.mutable_poses()->set_ids(0, 8);
  v1::UpdateSceneResponse response;
  const grpc::Status refused =
      Call(*server.scenes, &v1::SceneService::Stub::UpdateScene, request, &response);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(ErrorOf(refused).field(), "change.poses.ids[0]");
  EXPECT_EQ(ErrorOf(refused).value(), "8");
  EXPECT_EQ(GetScene(server, "row").scene().revision(), 2u);
}

TEST(SceneService, TakesNoBodiesThatDoNotSayWhichShapeIsTheirs) {
  TestServer server;
  Register(server, "ball", Sphere(1));
  Register(server, "box", Box(2));
  v1::CreateSceneRequest request;
  request.set_name("cell");
  v1::BodyColumns& bodies = *request.mutable_content()->mutable_bodies();
  bodies.set_count(2);
  for (const std::uint32_t id : {1u, 2u}) bodies.add_ids(id);
  for (const char* const name : {"ball", "box"}) bodies.add_shapes()->set_name(name);
  v1::CreateSceneResponse response;
  const auto create = [&] {
    return Call(*server.scenes, &v1::SceneService::Stub::CreateScene, request, &response);
  };
  const grpc::Status refused = create();
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(ErrorOf(refused).field(), "content.bodies.shape_slots");
  EXPECT_EQ(ErrorOf(refused).limit(), "a slot for each body, as there are 2 shapes");
  for (const std::uint32_t slot : {0u, 1u}) bodies.add_shape_slots(slot);
  EXPECT_TRUE(create().ok());
}

// A scene in memory and a kept one.
class SceneEtag : public ::testing::TestWithParam<bool> {};

TEST_P(SceneEtag, LetsNobodyChangeWhatTheyHaveNotSeen) {
  TestServer server;
  Register(server, "ball", Sphere(1));
  const v1::SceneInfo made = CreateRow(server, "row", 2, GetParam() ? Forever() : Kept());
  v1::UpdateSceneRequest request;
  request.set_name("row");
  request.set_etag(made.etag());
  request.mutable_change()->add_removed_bodies(0);
  const v1::SceneInfo updated = Update(server, request);
  EXPECT_NE(updated.etag(), made.etag());
  request.mutable_change()->set_removed_bodies(0, 1);
  v1::UpdateSceneResponse response;
  const grpc::Status late =
      Call(*server.scenes, &v1::SceneService::Stub::UpdateScene, request, &response);
  EXPECT_EQ(late.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_EQ(ErrorOf(late).field(), "etag");
  EXPECT_EQ(ErrorOf(late).limit(), updated.etag());

  v1::DeleteSceneRequest remove;
  remove.set_name("row");
  remove.set_etag(made.etag());
  v1::DeleteSceneResponse removed;
  EXPECT_EQ(
      Call(*server.scenes, &v1::SceneService::Stub::DeleteScene, remove, &removed).error_code(),
      grpc::StatusCode::ABORTED);
  remove.set_etag(updated.etag());
  EXPECT_TRUE(Call(*server.scenes, &v1::SceneService::Stub::DeleteScene, remove, &removed).ok());
  EXPECT_EQ(
      Call(*server.scenes, &v1::SceneService::Stub::DeleteScene, remove, &removed).error_code(),
      grpc::StatusCode::NOT_FOUND);
  EXPECT_NE(CreateRow(server, "row", 2, Kept()).etag(), made.etag());
}

INSTANTIATE_TEST_SUITE_P(Kinds, SceneEtag, ::testing::Bool());

TEST(SceneService, AnswersAnEmptyUpdateWithoutANewRevision) {
  TestServer server;
  Register(server, "ball", Sphere(1));
  CreateRow(server, "kept", 1, Kept());
  CreateRow(server, "short", 1, Forever());
  for (const char* name : {"kept", "short"}) {
    v1::UpdateSceneRequest request;
    request.set_name(name);
    EXPECT_EQ(Update(server, request).revision(), 1u) << name;
    request.mutable_change()->add_removed_bodies(0);
    EXPECT_EQ(Update(server, request).revision(), 2u) << name;
  }
}

TEST(SceneService, ForksIntoAScenesThatGoTheirOwnWays) {
  TestServer server;
  const std::string ball = Register(server, "ball", Sphere(1));
  CreateRow(server, "row", 2, Kept());
  for (const char* name : {"kept", "short"}) {
    v1::ForkSceneRequest request;
    request.set_name(name);
    request.set_source("row");
    if (std::string(name) == "short") *request.mutable_ttl() = *Forever();
    v1::ForkSceneResponse forked;
    ASSERT_TRUE(Call(*server.scenes, &v1::SceneService::Stub::ForkScene, request, &forked).ok());
    EXPECT_EQ(forked.source_revision(), 1u);
    EXPECT_EQ(forked.scene().revision(), 1u);
    v1::UpdateSceneRequest change;
    change.set_name(name);
    change.mutable_change()->add_removed_bodies(0);
    EXPECT_EQ(Update(server, change).body_count(), 1u);
    EXPECT_THAT(DigestsOf(GetScene(server, name).content().bodies()), ElementsAre(ball));
  }
  EXPECT_EQ(GetScene(server, "row").scene().body_count(), 2u);
  EXPECT_EQ(GetScene(server, "row").scene().revision(), 1u);
}

TEST(SceneService, ShowsManyBodiesInPagesOfOneRevision) {
  TestServer server;
  Register(server, "ball", Sphere(1));
  CreateRow(server, "row", 25, Forever());
  v1::GetSceneRequest request;
  request.set_name("row");
  request.set_include_bodies(true);
  request.set_page_size(10);
  std::vector<double> xs;
  std::vector<int> sizes;
  v1::GetSceneResponse page;
  do {
    request.set_page_token(page.next_page_token());
    ASSERT_TRUE(Call(*server.scenes, &v1::SceneService::Stub::GetScene, request, &page).ok());
    EXPECT_EQ(page.scene().revision(), 1u);
    sizes.push_back(page.content().bodies().ids_size());
    for (const double x : XsOf(page.content().bodies())) xs.push_back(x);
    // Changes between the pages are not in them.
    v1::UpdateSceneRequest change;
    change.set_name("row");
    change.mutable_change()->add_removed_bodies(static_cast<std::uint32_t>(20 + sizes.size()));
    Update(server, change);
  } while (!page.next_page_token().empty());
  EXPECT_THAT(sizes, ElementsAre(10, 10, 5));
  ASSERT_EQ(xs.size(), 25u);
  for (std::size_t i = 0; i < xs.size(); ++i) EXPECT_EQ(xs[i], static_cast<double>(i));
}

TEST(SceneService, ListsByPrefixInPages) {
  TestServer server;
  for (const char* name : {"b/2", "a/1", "b/1", "b/3"}) CreateRow(server, name, 0, Kept());
  v1::ListScenesRequest request;
  request.set_prefix("b/");
  request.set_page_size(2);
  v1::ListScenesResponse page;
  ASSERT_TRUE(Call(*server.scenes, &v1::SceneService::Stub::ListScenes, request, &page).ok());
  ASSERT_EQ(page.scenes_size(), 2);
  EXPECT_EQ(page.scenes(0).name(), "b/1");
  EXPECT_EQ(page.scenes(1).name(), "b/2");
  request.set_page_token(page.next_page_token());
  ASSERT_TRUE(Call(*server.scenes, &v1::SceneService::Stub::ListScenes, request, &page).ok());
  ASSERT_EQ(page.scenes_size(), 1);
  EXPECT_EQ(page.scenes(0).name(), "b/3");
  EXPECT_EQ(page.next_page_token(), "");
}

// Four writers, each its own body, without etags: no change is lost.
TEST(SceneService, LosesNoChangeOfSeveralWriters) {
  constexpr int kWriters = 4;
  constexpr int kUpdates = 50;
  TestServer server;
  Register(server, "ball", Sphere(1));
  CreateRow(server, "row", kWriters, Forever());
  std::vector<std::thread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&server, w] {
      v1::UpdateSceneRequest move;
      move.set_name("row");
      v1::BodyPoseColumns& poses = *move.mutable_change()->mutable_poses();
      poses.set_count(1);
      poses.add_ids(static_cast<std::uint32_t>(w));
      for (int i = 1; i <= kUpdates; ++i) {
        poses.clear_poses();
        AddPoseAt(1000 * w + i, poses.mutable_poses());
        Update(server, move);
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  const v1::GetSceneResponse got = GetScene(server, "row");
  EXPECT_EQ(got.scene().revision(), static_cast<std::uint64_t>(1 + kWriters * kUpdates));
  EXPECT_THAT(XsOf(got.content().bodies()),
              ElementsAre(kUpdates, 1000 + kUpdates, 2000 + kUpdates, 3000 + kUpdates));
}

TEST(SceneShapes, OfStoredScenes_LastNameIsNotDeletedOrReplaced) {
  TestServer server;
  Register(server, "ball", Sphere(1));
  CreateRow(server, "row", 1, Kept());
  v1::DeleteShapeRequest remove;
  remove.set_name("ball");
  v1::DeleteShapeResponse removed;
  const grpc::Status used =
      Call(*server.shapes, &v1::ShapeService::Stub::DeleteShape, remove, &removed);
  EXPECT_EQ(used.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(ErrorOf(used).field(), "name");
  EXPECT_THAT(ErrorOf(used).message(), HasSubstr("Scenes use this shape: row."));
  v1::RegisterShapeRequest replace;
  replace.set_name("ball");
  replace.set_replace(true);
  *replace.mutable_shape() = Sphere(2);
  v1::RegisterShapeResponse replaced;
  EXPECT_EQ(
      Call(*server.shapes, &v1::ShapeService::Stub::RegisterShape, replace, &replaced).error_code(),
      grpc::StatusCode::FAILED_PRECONDITION);

  // With a second name, the first may go; and a scene without the body holds nothing.
  Register(server, "ball2", Sphere(1));
  EXPECT_TRUE(Call(*server.shapes, &v1::ShapeService::Stub::DeleteShape, remove, &removed).ok());
  v1::UpdateSceneRequest empty;
  empty.set_name("row");
  empty.mutable_change()->add_removed_bodies(0);
  Update(server, empty);
  remove.set_name("ball2");
  EXPECT_TRUE(Call(*server.shapes, &v1::ShapeService::Stub::DeleteShape, remove, &removed).ok());
}

TEST(SceneShapes, OfScenesInMemoryMayGoAndStayInThem) {
  TestServer server;
  const std::string ball = Register(server, "ball", Sphere(1));
  CreateRow(server, "row", 1, Forever());
  v1::DeleteShapeRequest remove;
  remove.set_name("ball");
  v1::DeleteShapeResponse removed;
  EXPECT_TRUE(Call(*server.shapes, &v1::ShapeService::Stub::DeleteShape, remove, &removed).ok());
  EXPECT_THAT(DigestsOf(GetScene(server, "row").content().bodies()), ElementsAre(ball));
  // A kept scene of it could not be found again.
  v1::ForkSceneRequest fork;
  fork.set_name("kept");
  fork.set_source("row");
  v1::ForkSceneResponse forked;
  const grpc::Status unknown =
      Call(*server.scenes, &v1::SceneService::Stub::ForkScene, fork, &forked);
  EXPECT_EQ(unknown.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(ErrorOf(unknown).value(), ball.substr(0, 64));
}

TEST(SceneAccess, IsByRoleAndPrefix) {
  GuardedServer guarded;
  TestServer& server = guarded.server;
  v1::CreateSceneRequest create;
  create.set_name("arm/cell");
  v1::CreateSceneResponse created;
  const auto as = [&](const char* who, auto method, const auto& request, auto* response) {
    return CallWith(AuthorizationOf(who), *server.scenes, method, request, response).error_code();
  };
  using Stub = v1::SceneService::Stub;
  EXPECT_EQ(as("viewer", &Stub::CreateScene, create, &created),
            grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(as("maker", &Stub::CreateScene, create, &created), grpc::StatusCode::OK);
  create.set_name("other");
  EXPECT_EQ(as("arm", &Stub::CreateScene, create, &created), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(as("maker", &Stub::CreateScene, create, &created), grpc::StatusCode::OK);

  v1::GetSceneRequest get;
  v1::GetSceneResponse got;
  get.set_name("other");
  EXPECT_EQ(as("arm", &Stub::GetScene, get, &got), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(as("viewer", &Stub::GetScene, get, &got), grpc::StatusCode::OK);
  v1::ListScenesResponse list;
  EXPECT_EQ(as("arm", &Stub::ListScenes, v1::ListScenesRequest(), &list), grpc::StatusCode::OK);
  ASSERT_EQ(list.scenes_size(), 1);
  EXPECT_EQ(list.scenes(0).name(), "arm/cell");

  v1::ForkSceneRequest fork;
  fork.set_name("arm/copy");
  fork.set_source("other");
  v1::ForkSceneResponse forked;
  EXPECT_EQ(as("arm", &Stub::ForkScene, fork, &forked), grpc::StatusCode::PERMISSION_DENIED);
  fork.set_name("copy");
  *fork.mutable_ttl() = *Forever();
  EXPECT_EQ(as("maker", &Stub::ForkScene, fork, &forked), grpc::StatusCode::OK);

  // A kept scene is for an admin to delete, one with a ttl for any caller that may make it.
  v1::DeleteSceneRequest remove;
  v1::DeleteSceneResponse removed;
  remove.set_name("other");
  EXPECT_EQ(as("maker", &Stub::DeleteScene, remove, &removed), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(as("owner", &Stub::DeleteScene, remove, &removed), grpc::StatusCode::OK);
  remove.set_name("copy");
  EXPECT_EQ(as("maker", &Stub::DeleteScene, remove, &removed), grpc::StatusCode::OK);
}

TEST(SceneAccess, NamesOnlyUsersInReachAndLeavesAnAuditLine) {
  GuardedServer guarded;
  TestServer& server = guarded.server;
  v1::RegisterShapeRequest shape;
  shape.set_name("arm/ball");
  *shape.mutable_shape() = Sphere(1);
  v1::RegisterShapeResponse registered;
  ASSERT_TRUE(CallWith(AuthorizationOf("owner"), *server.shapes,
                       &v1::ShapeService::Stub::RegisterShape, shape, &registered)
                  .ok());
  for (const char* name : {"arm/cell", "secret"}) {
    v1::CreateSceneRequest create;
    create.set_name(name);
    *create.mutable_content()->mutable_bodies() = RowOf(1, "arm/ball");
    v1::CreateSceneResponse created;
    ASSERT_TRUE(CallWith(AuthorizationOf("owner"), *server.scenes,
                         &v1::SceneService::Stub::CreateScene, create, &created)
                    .ok());
  }
  v1::DeleteShapeRequest remove;
  remove.set_name("arm/ball");
  v1::DeleteShapeResponse removed;
  const grpc::Status used = CallWith(AuthorizationOf("arm"), *server.shapes,
                                     &v1::ShapeService::Stub::DeleteShape, remove, &removed);
  EXPECT_EQ(used.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(ErrorOf(used).message(), HasSubstr("arm/cell and 1 others"));
  EXPECT_THAT(ErrorOf(used).message(), Not(HasSubstr("secret")));
  server.grpc->Shutdown(absl::InfiniteDuration());
  const std::string log = absl::StrJoin(server.log_lines, "\n");
  EXPECT_THAT(log, HasSubstr("action=create_scene outcome=changed name=secret"));
}

// Before anything of it came to be stored.
TEST(SceneAccess, LeavesAnAuditLineOfEveryChangeThatIsRefused) {
  GuardedServer guarded;
  TestServer& server = guarded.server;
  using Stub = v1::SceneService::Stub;
  const auto as = [&](const char* id, auto method, const auto& request, auto response) {
    return CallWith(AuthorizationOf(id), *server.scenes, method, request, &response).error_code();
  };
  v1::CreateSceneRequest create;
  create.set_name("kept");
  ASSERT_EQ(as("maker", &Stub::CreateScene, create, v1::CreateSceneResponse()),
            grpc::StatusCode::OK);
  create.set_name("short");
  create.mutable_ttl()->set_seconds(600);
  ASSERT_EQ(as("maker", &Stub::CreateScene, create, v1::CreateSceneResponse()),
            grpc::StatusCode::OK);

  create.set_name("no-such-shape");
  *create.mutable_content()->mutable_bodies() = RowOf(1, "nothing");
  EXPECT_EQ(as("maker", &Stub::CreateScene, create, v1::CreateSceneResponse()),
            grpc::StatusCode::NOT_FOUND);
  v1::UpdateSceneRequest update;
  for (const char* name : {"kept", "short", "none"}) {
    update.set_name(name);
    update.set_etag("old");
    EXPECT_NE(as("maker", &Stub::UpdateScene, update, v1::UpdateSceneResponse()),
              grpc::StatusCode::OK);
  }
  update.set_name("kept");
  EXPECT_EQ(as("arm", &Stub::UpdateScene, update, v1::UpdateSceneResponse()),
            grpc::StatusCode::PERMISSION_DENIED);
  v1::ForkSceneRequest fork;
  fork.set_name("copy");
  fork.set_source("none");
  EXPECT_EQ(as("maker", &Stub::ForkScene, fork, v1::ForkSceneResponse()),
            grpc::StatusCode::NOT_FOUND);
  server.grpc->Shutdown(absl::InfiniteDuration());

  std::vector<std::string> refused;
  for (const std::string& line : server.log_lines) {
    const bool is_refused = line.find(" AUDIT ") != std::string::npos &&
                            line.find("outcome=changed") == std::string::npos;
    if (is_refused) refused.push_back(line);
  }
  EXPECT_THAT(
      refused,
      ElementsAre(HasSubstr("action=create_scene outcome=NOT_FOUND name=no-such-shape"),
                  HasSubstr("action=update_scene outcome=ABORTED name=kept"),
                  HasSubstr("action=update_scene outcome=NOT_FOUND name=none"),
                  AllOf(HasSubstr("action=update_scene outcome=PERMISSION_DENIED name=kept"),
                        HasSubstr("principal=arm")),
                  HasSubstr("action=fork_scene outcome=NOT_FOUND name=copy")));
}

}  // namespace
}  // namespace clearance::testing
