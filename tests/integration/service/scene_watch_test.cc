// SPDX-License-Identifier: Apache-2.0
//
// Watching a scene: every revision comes, in order, and applying the changes gives the scene.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "tests/integration/service/guarded_server.h"
#include "tests/integration/service/scene_messages.h"

namespace clearance::testing {
namespace {

// One watch of a client that reads when it likes.
class TestWatch {
 public:
  TestWatch(TestServer& server, const v1::WatchSceneRequest& request, const Metadata& caller = {}) {
    context_.set_deadline(HangGuard());
    for (const auto& [name, value] : caller) context_.AddMetadata(name, value);
    stream_ = server.scenes->WatchScene(&context_, request);
  }
  ~TestWatch() {
    if (is_finished_) return;
    context_.TryCancel();
    Finish();
  }
  TestWatch(const TestWatch&) = delete;
  TestWatch& operator=(const TestWatch&) = delete;

  bool Read(v1::WatchSceneResponse* response) { return stream_->Read(response); }
  // The next message; the stream's end fails the test.
  v1::WatchSceneResponse Next() {
    v1::WatchSceneResponse response;
    EXPECT_TRUE(Read(&response));
    return response;
  }
  // Reads to the end.
  grpc::Status Finish() {
    v1::WatchSceneResponse response;
    while (Read(&response)) continue;
    is_finished_ = true;
    return stream_->Finish();
  }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<v1::WatchSceneResponse>> stream_;
  bool is_finished_ = false;
};

v1::WatchSceneRequest Of(const std::string& name, std::uint64_t revision,
                         const std::string& etag = "") {
  v1::WatchSceneRequest request;
  request.set_name(name);
  request.set_from_revision(revision);
  request.set_etag(etag);
  return request;
}

v1::WatchSceneRequest From(std::uint64_t revision, const std::string& etag = "") {
  return Of("row", revision, etag);
}

// The client knows of the end a moment before the server has counted it.
void AwaitWatches(TestServer& server, double count) {
  while (server.metrics.watches().Value() != count) std::this_thread::yield();
}

// The positions of the bodies, by ids, as a watcher puts them together.
using Xs = std::map<std::uint32_t, double>;

void Apply(const v1::SceneChange& change, Xs* xs) {
  for (const std::uint32_t id : change.removed_bodies()) EXPECT_EQ(xs->erase(id), 1u);
  for (int i = 0; i < change.bodies().ids_size(); ++i)
    (*xs)[change.bodies().ids(i)] = change.bodies().poses(7 * i);
  for (int i = 0; i < change.poses().ids_size(); ++i)
    (*xs)[change.poses().ids(i)] = change.poses().poses(7 * i);
}

Xs XsByIdOf(TestServer& server) {
  const v1::GetSceneResponse found = GetScene(server, "row");
  Xs xs;
  Apply(found.content(), &xs);
  return xs;
}

class SceneWatchTest : public ::testing::Test {
 protected:
  SceneWatchTest() {
    Register(server_, "ball", Sphere(0.4));
    first_ = CreateRow(server_, "row", 4, Forever());
  }

  static server::Limits FewRevisions() {
    server::Limits limits;
    limits.max_scene_revisions = 3;
    return limits;
  }

  v1::SceneInfo Move(std::uint32_t id, double x) {
    v1::UpdateSceneRequest request;
    request.set_name("row");
    v1::BodyPoseColumns& poses = *request.mutable_change()->mutable_poses();
    poses.set_count(1);
    poses.add_ids(id);
    AddPoseAt(x, poses.mutable_poses());
    return Update(server_, request);
  }

  v1::SceneInfo Replace(std::uint32_t gone, std::uint32_t come) {
    v1::UpdateSceneRequest request;
    request.set_name("row");
    request.mutable_change()->add_removed_bodies(gone);
    v1::BodyColumns bodies = RowOf(1, "ball");
    bodies.set_ids(0, come);
    *request.mutable_change()->mutable_bodies() = bodies;
    v1::PairRuleColumns& rules = *request.mutable_change()->mutable_rules();
    rules.set_count(1);
    rules.add_bodies_a(come);
    rules.add_bodies_b(2);
    return Update(server_, request);
  }

  void Delete() {
    v1::DeleteSceneRequest request;
    request.set_name("row");
    v1::DeleteSceneResponse response;
    EXPECT_TRUE(
        Call(*server_.scenes, &v1::SceneService::Stub::DeleteScene, request, &response).ok());
  }

  TestServer server_{FewRevisions()};
  v1::SceneInfo first_;
};

TEST_F(SceneWatchTest, TellsOfEachRevisionAsItIsMadeAndOfTheEnd) {
  Xs xs = XsByIdOf(server_);
  TestWatch watch(server_, From(1, first_.etag()));
  const v1::WatchSceneResponse begin = watch.Next();
  EXPECT_EQ(begin.scene().etag(), first_.etag());
  EXPECT_FALSE(begin.is_reload());
  EXPECT_EQ(begin.change().ByteSizeLong(), v1::SceneChange().ByteSizeLong());
  for (int i = 0; i < 10; ++i) {
    const v1::SceneInfo made = i == 4 ? Replace(0, 9) : Move(1, 10 + i);
    const v1::WatchSceneResponse told = watch.Next();
    EXPECT_EQ(told.scene().etag(), made.etag());
    EXPECT_EQ(told.base_revision(), made.revision() - 1);
    EXPECT_EQ(told.change().rules().count(), i == 4 ? 1u : 0u);
    Apply(told.change(), &xs);
    EXPECT_EQ(xs, XsByIdOf(server_));
  }
  EXPECT_EQ(server_.metrics.watches().Value(), 1);
  Delete();
  const v1::WatchSceneResponse end = watch.Next();
  EXPECT_EQ(end.end(), v1::SCENE_END_DELETED);
  EXPECT_EQ(end.scene().revision(), 11u);
  EXPECT_TRUE(watch.Finish().ok());
  AwaitWatches(server_, 0);
}

TEST_F(SceneWatchTest, BeginsFromARevisionThatIsHeld) {
  Move(1, 11);
  Move(1, 12);
  TestWatch watch(server_, From(1, first_.etag()));
  EXPECT_EQ(watch.Next().scene().revision(), 2u);
  EXPECT_EQ(watch.Next().scene().revision(), 3u);
  EXPECT_EQ(server_.metrics.watch_revisions_merged().Value(), 0);
}

// Expects a reload at revision 4, and continues from there.
void ExpectReload(TestWatch* watch) {
  const v1::WatchSceneResponse begin = watch->Next();
  EXPECT_TRUE(begin.is_reload());
  EXPECT_FALSE(begin.has_change());
  EXPECT_EQ(begin.scene().revision(), 4u);
}

TEST_F(SceneWatchTest, SaysWhereTheSceneIsToBeReadAnew) {
  for (int i = 0; i < 3; ++i) Move(1, 11 + i);
  {
    TestWatch history_is_gone(server_, From(1, first_.etag()));
    ExpectReload(&history_is_gone);
    TestWatch has_nothing(server_, From(0));
    ExpectReload(&has_nothing);
    TestWatch has_another(server_, From(2, "of-another"));
    ExpectReload(&has_another);
    EXPECT_EQ(server_.metrics.watch_reloads().Value(), 3);
    Move(2, 14);
    for (TestWatch* const watch : {&history_is_gone, &has_nothing, &has_another}) {
      const v1::WatchSceneResponse next = watch->Next();
      EXPECT_FALSE(next.is_reload());
      EXPECT_EQ(next.base_revision(), 4u);
    }
  }
  Delete();
  CreateRow(server_, "row", 4, Forever());
  for (int i = 0; i < 3; ++i) Move(1, 11 + i);
  TestWatch has_the_one_before(server_, From(4, first_.etag()));
  ExpectReload(&has_the_one_before);
}

TEST_F(SceneWatchTest, RefusesFutureRevisionsAndMissingScenes) {
  TestWatch early(server_, From(2));
  const grpc::Status status = early.Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(ErrorOf(status).field(), "from_revision");
  EXPECT_EQ(ErrorOf(status).limit(), "<= 1");
  TestWatch nobody(server_, Of("nobody", 0));
  EXPECT_EQ(nobody.Finish().error_code(), grpc::StatusCode::NOT_FOUND);
  TestWatch malformed(server_, Of("No Name", 0));
  EXPECT_EQ(malformed.Finish().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  TestWatch long_one(server_, From(1, std::string(5'000, 'e')));
  const grpc::Status refused = long_one.Finish();
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(ErrorOf(refused).limit(), "<= 4096 bytes");
  AwaitWatches(server_, 0);
}

TEST_F(SceneWatchTest, EndsWithItsSceneThoughAnotherTakesTheName) {
  TestWatch watch(server_, From(1));
  watch.Next();
  Delete();
  CreateRow(server_, "row", 2, Forever());
  EXPECT_EQ(watch.Next().end(), v1::SCENE_END_DELETED);
  EXPECT_TRUE(watch.Finish().ok());
}

// A client that does not read: the transport's window fills, and what was not written is merged.
TEST_F(SceneWatchTest, MergesWhatASlowWatcherDidNotTake) {
  constexpr std::uint32_t kBodies = 2'000;
  CreateRow(server_, "many", kBodies, Forever());
  TestWatch watch(server_, Of("many", 1));
  watch.Next();
  Xs xs;
  std::uint64_t told_revision = 1;
  const auto take = [&] {
    const v1::WatchSceneResponse told = watch.Next();
    EXPECT_FALSE(told.is_reload());
    EXPECT_EQ(told.base_revision(), told_revision);
    told_revision = told.scene().revision();
    Apply(told.change(), &xs);
  };
  // Until something was merged, which depends on how much the transport takes on its way.
  const auto merged = [this] { return server_.metrics.watch_revisions_merged().Value(); };
  constexpr std::uint64_t kMost = 2'000;
  v1::UpdateSceneRequest update;
  update.set_name("many");
  std::uint64_t revision = 1;
  while (merged() == 0 && revision < kMost) {
    v1::BodyPoseColumns& poses = *update.mutable_change()->mutable_poses();
    poses.Clear();
    poses.set_count(kBodies);
    for (std::uint32_t id = 0; id < kBodies; ++id) {
      poses.add_ids(id);
      AddPoseAt(static_cast<double>(revision) + id, poses.mutable_poses());
    }
    revision = Update(server_, update).revision();
    // Something is taken now and then, so that there is something to be written.
    if (revision % 64 == 0) take();
  }
  EXPECT_GT(merged(), 0);
  std::uint64_t messages = 0;
  for (; told_revision < revision && !HasFailure(); ++messages) take();
  EXPECT_LT(messages, revision);
  Xs expected;
  for (std::uint32_t id = 0; id < kBodies; ++id)
    expected[id] = static_cast<double>(revision - 1) + id;
  EXPECT_EQ(xs, expected);
}

// For a large scene the server holds no revision for a watcher alone.
TEST_F(SceneWatchTest, LargeScene_SlowWatcher_GetsReload) {
  constexpr std::uint32_t kBodies = 9'000;
  CreateRow(server_, "huge", kBodies, Forever());
  TestWatch watch(server_, Of("huge", 1));
  watch.Next();
  // In turns, so that each moves all bodies.
  std::array<v1::UpdateSceneRequest, 2> updates;
  for (std::uint32_t k = 0; k < updates.size(); ++k) {
    updates[k].set_name("huge");
    *updates[k].mutable_change()->mutable_bodies() = RowOf(kBodies, "ball");
    double* const poses =
        updates[k].mutable_change()->mutable_bodies()->mutable_poses()->mutable_data();
    for (std::uint32_t i = 0; i < kBodies; ++i) poses[7 * i] = (k + 2.0) * (i + 1);
  }
  const auto reloads = [this] { return server_.metrics.watch_reloads().Value(); };
  for (std::uint64_t revision = 1; reloads() == 0 && revision < 1'000;) {
    revision = Update(server_, updates[revision % 2]).revision();
    if (revision % 64 == 0) watch.Next();
  }
  EXPECT_EQ(server_.metrics.watch_revisions_merged().Value(), 0);
  v1::WatchSceneResponse told;
  while (!told.is_reload() && !HasFailure()) told = watch.Next();
}

TEST_F(SceneWatchTest, TellsThatALargeChangeIsToBeReadAnew) {
  CreateRow(server_, "large", 0, Forever());
  TestWatch watch(server_, Of("large", 1));
  EXPECT_FALSE(watch.Next().is_reload());
  v1::UpdateSceneRequest update;
  update.set_name("large");
  *update.mutable_change()->mutable_bodies() = RowOf(10'001, "ball");
  Update(server_, update);
  const v1::WatchSceneResponse told = watch.Next();
  EXPECT_TRUE(told.is_reload());
  EXPECT_EQ(told.scene().body_count(), 10'001u);
  EXPECT_EQ(server_.metrics.watch_reloads().Value(), 1);
}

// With a longer time if the machine is so slow that it is over before the watch begins.
TEST_F(SceneWatchTest, TellsThatATimeIsOver) {
  google::protobuf::Duration ttl;
  for (int seconds = 1; seconds < 100; seconds *= 4) {
    ttl.set_seconds(seconds);
    CreateRow(server_, "short", 1, ttl);
    TestWatch watch(server_, Of("short", 1));
    v1::WatchSceneResponse told;
    if (!watch.Read(&told)) continue;
    EXPECT_EQ(told.scene().revision(), 1u);
    if (told.end() == v1::SCENE_END_UNSPECIFIED) told = watch.Next();
    EXPECT_EQ(told.end(), v1::SCENE_END_EXPIRED);
    EXPECT_TRUE(watch.Finish().ok());
    return;
  }
  FAIL() << "no watch began";
}

TEST(SceneWatchLimits, HoldACallerAndTheServerToTheirNumbersOfWatches) {
  for (const bool is_of_caller : {true, false}) {
    server::Limits limits;
    limits.max_watches = is_of_caller ? 9 : 3;
    limits.max_caller_watches = is_of_caller ? 2 : 9;
    TestServer server(limits);
    Register(server, "ball", Sphere(0.4));
    CreateRow(server, "row", 1, Forever());
    TestWatch first(server, From(0));
    first.Next();
    {
      TestWatch second(server, From(0));
      second.Next();
      TestWatch third(server, From(0));
      const grpc::Status status = third.Finish();
      EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
      EXPECT_EQ(ErrorOf(status).limit(),
                is_of_caller ? "max_caller_watches <= 2"
                             : "max_watches <= 3, and of one caller what the others leave free");
      EXPECT_EQ(server.metrics.watches_refused().Value(), 1);
    }
    AwaitWatches(server, 1);
    TestWatch again(server, From(0));
    EXPECT_TRUE(again.Next().is_reload());
  }
}

// "row", without a body, and "ball".
void CreateSceneAsMaker(TestServer& server) {
  v1::RegisterShapeRequest shape;
  shape.set_name("ball");
  *shape.mutable_shape() = Sphere(0.4);
  v1::RegisterShapeResponse registered;
  EXPECT_TRUE(CallWith(AuthorizationOf("maker"), *server.shapes,
                       &v1::ShapeService::Stub::RegisterShape, shape, &registered)
                  .ok());
  v1::CreateSceneRequest request;
  request.set_name("row");
  v1::CreateSceneResponse response;
  EXPECT_TRUE(CallWith(AuthorizationOf("maker"), *server.scenes,
                       &v1::SceneService::Stub::CreateScene, request, &response)
                  .ok());
}

// All of them at one address.
TEST(SceneWatchLimits, AreOfEachPrincipal) {
  server::Limits limits;
  limits.max_caller_watches = 1;
  server::Authenticator authenticator(TokensOf({"viewer", "maker"}),
                                      *server::Policy::Parse(kGuardPolicy));
  TestServer server(limits, {}, &authenticator);
  CreateSceneAsMaker(server);
  TestWatch of_maker(server, From(0), AuthorizationOf("maker"));
  of_maker.Next();
  TestWatch another(server, From(0), AuthorizationOf("maker"));
  EXPECT_EQ(another.Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  TestWatch of_viewer(server, From(0), AuthorizationOf("viewer"));
  EXPECT_TRUE(of_viewer.Next().is_reload());
}

TEST_F(SceneWatchTest, EndsWithADrainThatTellsToComeBack) {
  TestWatch watch(server_, From(1));
  watch.Next();
  server_.grpc->BeginDrain();
  EXPECT_EQ(watch.Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  AwaitWatches(server_, 0);
}

// Puts so many bodies into the scene "row".
void UpdateAsMaker(TestServer& server, std::uint32_t bodies) {
  v1::UpdateSceneRequest request;
  request.set_name("row");
  *request.mutable_change()->mutable_bodies() = RowOf(bodies, "ball");
  v1::UpdateSceneResponse response;
  const grpc::Status status = CallWith(AuthorizationOf("maker"), *server.scenes,
                                       &v1::SceneService::Stub::UpdateScene, request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
}

// Watches of scenes without changes.
TEST(SceneWatchRevocation, EndsTheWatchesOfATokenAndNoOthers) {
  GuardedServer guarded;
  CreateSceneAsMaker(guarded.server);
  TestWatch of_viewer(guarded.server, From(0), AuthorizationOf("viewer"));
  TestWatch of_maker(guarded.server, From(0), AuthorizationOf("maker"));
  of_viewer.Next();
  of_maker.Next();
  guarded.authenticator.Replace(TokensOf({"maker"}), *server::Policy::Parse(kGuardPolicy));
  const grpc::Status end = of_viewer.Finish();
  EXPECT_EQ(end.error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(end.error_message(), "unknown or withdrawn token");
  AwaitWatches(guarded.server, 1);

  UpdateAsMaker(guarded.server, 1);
  EXPECT_EQ(of_maker.Next().scene().revision(), 2u);
}

// More is to be written than the transport takes on its way.
TEST(SceneWatchRevocation, EndsTheWatchThatDoesNotTakeItsMessages) {
  GuardedServer guarded;
  CreateSceneAsMaker(guarded.server);
  TestWatch watch(guarded.server, From(0), AuthorizationOf("viewer"));
  watch.Next();
  for (int i = 0; i < 20; ++i) UpdateAsMaker(guarded.server, 2'000);
  guarded.authenticator.Replace(TokensOf({"maker"}), *server::Policy::Parse(kGuardPolicy));
  AwaitWatches(guarded.server, 0);
  EXPECT_FALSE(watch.Finish().ok());
}

TEST(SceneWatchRevocation, EndsWatchesThatNewPrefixesForbid) {
  GuardedServer guarded;
  CreateSceneAsMaker(guarded.server);
  TestWatch watch(guarded.server, From(0), AuthorizationOf("viewer"));
  watch.Next();
  guarded.authenticator.Replace(
      TokensOf({"viewer"}),
      *server::Policy::Parse(
          R"({"principals": {"viewer": {"role": "query", "prefixes": ["arm/"]}}})"));
  const grpc::Status end = watch.Finish();
  EXPECT_EQ(end.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(ErrorOf(end).field(), "name");
}

}  // namespace
}  // namespace clearance::testing
