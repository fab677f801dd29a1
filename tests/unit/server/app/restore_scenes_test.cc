// SPDX-License-Identifier: Apache-2.0
//
// What was stored of scenes in a database is what comes out of it, and damage is told.

#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "clearance/v1/scene.pb.h"
#include "server/app/restore.h"
#include "server/convert/scene_change.h"
#include "server/convert/shape_content.h"
#include "server/storage/shape_ledger.h"
#include "server/storage/sqlite_shape_store.h"

namespace clearance::server {
namespace {

v1::SceneChange Body(std::uint32_t id, const std::string& digest) {
  v1::SceneChange change;
  change.mutable_bodies()->set_count(1);
  change.mutable_bodies()->add_ids(id);
  change.mutable_bodies()->add_shapes()->set_digest(digest);
  for (const double number : {1. * id, 0., 0., 0., 0., 0., 1.})
    change.mutable_bodies()->add_poses(number);
  return change;
}

ShapeChange Forgetting(const std::string& name) {
  return {.name = name, .content = ShapeContentPtr(), .options = {}, .etag = ""};
}

// A server's memory, gone and filled again from its database.
class RestoreScenesTest : public ::testing::Test {
 protected:
  RestoreScenesTest() {
    std::string pattern = std::filesystem::temp_directory_path() / "clearance_scenes_XXXXXX";
    directory_ = mkdtemp(pattern.data());
    EXPECT_TRUE(Start().ok());
  }
  ~RestoreScenesTest() override {
    Stop();
    std::filesystem::remove_all(directory_);
  }

  std::string path() const { return directory_ / "shapes.sqlite"; }

  absl::Status Start() {
    auto store = SqliteShapeStore::Open(path());
    if (!store.ok()) return store.status();
    shapes_ = std::make_unique<Registry>(Limits(), nullptr);
    scenes_ = std::make_unique<SceneRegistry>(Limits(), nullptr);
    absl::Status status = RestoreShapes(1, store->get(), shapes_.get());
    if (status.ok()) status = RestoreScenes(store->get(), *shapes_, scenes_.get());
    ledger_ = std::make_unique<ShapeLedger>(
        ShapeLedger::Parts{.registry = *shapes_, .store = *std::move(store), .scenes = *scenes_});
    return status;
  }
  void Stop() { ledger_ = nullptr; }
  absl::Status Restart() {
    Stop();
    return Start();
  }

  absl::Status Settle(ShapeChange change) {
    std::promise<absl::Status> done;
    std::vector<ShapeChange> changes;
    changes.push_back(std::move(change));
    ledger_->Submit(std::move(changes), [&](std::vector<ShapeOutcome> outcomes) {
      done.set_value(outcomes.front().status());
    });
    return done.get_future().get();
  }

  std::string RegisterBall(const std::string& name, double radius) {
    v1::Shape shape;
    shape.mutable_sphere()->set_radius(radius);
    const ShapeContentPtr content = *BuildContent(shape, {}, *shapes_);
    ShapeChange change;
    change.name = name;
    change.content = content;
    EXPECT_TRUE(Settle(std::move(change)).ok());
    return content->digest;
  }

  absl::Status Change(NamedSceneChange::Kind kind, const std::string& name,
                      const v1::SceneChange& message, bool is_whole = false) {
    NamedSceneChange change;
    change.kind = kind;
    change.name = name;
    std::vector<RigidBodyPtr> bodies;
    for (const v1::ShapeReference& shape : message.bodies().shapes())
      bodies.push_back(scenes_->contents().Share(shapes_->FindContent(shape.digest())));
    const SceneEdit edit = *ReadSceneChange(message, bodies);
    change.base =
        kind == NamedSceneChange::Kind::kUpdate ? scenes_->Find(name)->scene : Scene::MakeEmpty();
    change.next = *ApplyEdit(change.base, edit, Limits{});
    change.record = message.SerializeAsString();
    if (is_whole) change.whole = SerializeWhole(*change.next);
    ShapeChange order;
    order.name = name;
    order.scene = std::make_shared<const NamedSceneChange>(std::move(change));
    return Settle(std::move(order));
  }
  absl::Status Create(const std::string& name, const v1::SceneChange& message) {
    return Change(NamedSceneChange::Kind::kCreate, name, message);
  }
  absl::Status Update(const std::string& name, const v1::SceneChange& message) {
    return Change(NamedSceneChange::Kind::kUpdate, name, message);
  }
  std::string Whole(const std::string& name) { return SerializeWhole(*scenes_->Find(name)->scene); }
  void Spoil(const std::string& sql) {
    Stop();
    auto database = Database::Open(path(), OpenMode::kReadWrite);
    ASSERT_TRUE(database->Execute(sql).ok());
  }

  std::filesystem::path directory_;
  std::unique_ptr<Registry> shapes_;
  std::unique_ptr<SceneRegistry> scenes_;
  std::unique_ptr<ShapeLedger> ledger_;
};

TEST_F(RestoreScenesTest, FindsScenesAsTheyWereWithTheirRevisions) {
  const std::string ball = RegisterBall("ball", 1);
  v1::SceneChange rules = Body(2, ball);
  rules.mutable_rules()->set_count(1);
  rules.mutable_rules()->add_bodies_a(1);
  rules.mutable_rules()->add_bodies_b(2);
  rules.mutable_rules()->add_margins(0.25);  // refused of a request, as it has no kind
  ASSERT_TRUE(Create("a", Body(1, ball)).ok());
  ASSERT_TRUE(Create("b", v1::SceneChange()).ok());
  ASSERT_TRUE(Update("a", rules).ok());
  const SceneState before = *scenes_->Find("a");
  const std::string whole = Whole("a");
  ASSERT_TRUE(Restart().ok());
  const auto after = scenes_->Find("a");
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(after->etag(), before.etag());
  EXPECT_EQ(after->revision, 2u);
  EXPECT_EQ(after->oldest_revision, 2u);
  EXPECT_EQ(Whole("a"), whole);
  EXPECT_EQ(after->scene->rules().rules().size(), 1u);
  EXPECT_EQ(scenes_->Find("b")->scene->size(), 0u);
  // And goes on from there.
  ASSERT_TRUE(Update("a", Body(3, ball)).ok());
  ASSERT_TRUE(Restart().ok());
  EXPECT_EQ(scenes_->Find("a")->revision, 3u);
  EXPECT_EQ(scenes_->Find("a")->scene->size(), 3u);
}

TEST_F(RestoreScenesTest, ForgetsWhatWasDeletedAndWhatAWholeReplaced) {
  const std::string ball = RegisterBall("ball", 1);
  ASSERT_TRUE(Create("a", Body(1, ball)).ok());
  ASSERT_TRUE(Create("b", Body(1, ball)).ok());
  NamedSceneChange remove;
  remove.kind = NamedSceneChange::Kind::kDelete;
  remove.name = "b";
  ShapeChange order;
  order.name = "b";
  order.scene = std::make_shared<const NamedSceneChange>(remove);
  ASSERT_TRUE(Settle(std::move(order)).ok());
  ASSERT_TRUE(Update("a", Body(2, ball)).ok());
  ASSERT_TRUE(Change(NamedSceneChange::Kind::kUpdate, "a", Body(3, ball), true).ok());
  ASSERT_TRUE(Update("a", Body(4, ball)).ok());
  ASSERT_TRUE(Restart().ok());
  EXPECT_FALSE(scenes_->Find("b").ok());
  EXPECT_EQ(scenes_->Find("a")->scene->size(), 4u);
  EXPECT_EQ(scenes_->Find("a")->revision, 4u);
  Stop();
  auto database = Database::Open(path(), OpenMode::kReadWrite);
  EXPECT_EQ(*database->QueryNumber("SELECT count(*) FROM scene_records"), 2);
}

// A shape that a body had once may be gone by the time that the records are played.
TEST_F(RestoreScenesTest, NeedsOnlyTheShapesThatAreStillThere) {
  const std::string old_ball = RegisterBall("old", 1);
  const std::string new_ball = RegisterBall("new", 2);
  ASSERT_TRUE(Create("a", Body(1, old_ball)).ok());
  const ShapeChange forget = Forgetting("old");
  EXPECT_EQ(Settle(forget).code(), absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(Update("a", Body(1, new_ball)).ok());
  ASSERT_TRUE(Settle(forget).ok());
  ASSERT_TRUE(Restart().ok());
  EXPECT_EQ(scenes_->Find("a")->revision, 2u);
  EXPECT_EQ(SceneContents::Of(scenes_->Find("a")->scene->BodyAt(0).body)->digest, new_ball);
}

TEST_F(RestoreScenesTest, TellsDamage) {
  const std::string ball = RegisterBall("ball", 1);
  ASSERT_TRUE(Create("a", Body(1, ball)).ok());
  ASSERT_TRUE(Update("a", Body(2, ball)).ok());
  const std::string whole_file = directory_ / "whole";
  Stop();
  std::filesystem::copy_file(path(), whole_file);
  for (const char* const damage : {"UPDATE scene_records SET change = X'00' WHERE revision = 1",
                                   "UPDATE scene_records SET name = 'b' WHERE revision = 2",
                                   "DELETE FROM scene_records WHERE revision = 1"}) {
    std::filesystem::copy_file(whole_file, path(),
                               std::filesystem::copy_options::overwrite_existing);
    Spoil(damage);
    EXPECT_EQ(Start().code(), absl::StatusCode::kDataLoss) << damage;
    EXPECT_EQ(scenes_->size(), 0u) << damage;
    Stop();
  }
}

// As a server before there were scenes left it.
TEST_F(RestoreScenesTest, TakesOverAFileOfTheFirstVersion) {
  RegisterBall("ball", 1);
  Spoil(
      "ALTER TABLE names DROP COLUMN checksum; ALTER TABLE registry DROP COLUMN checksum;"
      "ALTER TABLE names DROP COLUMN owner; DROP TABLE scene_records; PRAGMA user_version = 1");
  ASSERT_TRUE(Start().ok());
  EXPECT_EQ(shapes_->size(), 1u);
  const std::string ball = shapes_->FindByName("ball")->shape.content->digest;
  EXPECT_TRUE(Create("a", Body(1, ball)).ok());
  ASSERT_TRUE(Restart().ok());
  EXPECT_EQ(scenes_->size(), 1u);
}

}  // namespace
}  // namespace clearance::server
