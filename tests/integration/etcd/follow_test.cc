// SPDX-License-Identifier: Apache-2.0
//
// Replicas of one registry see each other's changes, at once and in order.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "clearance/v1/scene.pb.h"
#include "server/convert/scene_change.h"
#include "tests/integration/etcd/etcd_cluster.h"
#include "tests/integration/etcd/etcd_front.h"
#include "tests/integration/etcd/replica.h"

namespace clearance::test {
namespace {

using server::NamedSceneChange;

double CounterOf(const prometheus::Counter* counter) { return counter->Value(); }

TEST(Follow, NoReplicaEverSeesWhatWasReplacedOrDeleted) {
  CLEARANCE_REQUIRE_ETCD();
  const EtcdCluster etcd;
  Replica one(etcd.Config());
  Replica two(etcd.Config());
  constexpr int kTrials = 2000;
  for (int i = 1; i <= kTrials; ++i) {
    Replica& writer = i % 2 == 0 ? one : two;
    Replica& reader = i % 2 == 0 ? two : one;
    if (i % 5 == 0) {
      ASSERT_TRUE(writer.Delete("name").ok()) << i;
      ASSERT_EQ(reader.DigestOf("name"), "") << i;
      continue;
    }
    const server::ShapeContentPtr content = writer.Ball(i);
    ASSERT_TRUE(writer.Register("name", content, /*replace=*/true).ok()) << i;
    ASSERT_EQ(reader.DigestOf("name"), content->digest) << i;
  }
}

// Each writer gets a correct reply: of two that would take one name, one is refused.
TEST(Follow, WritersThatRaceTakeEachNameOnce) {
  CLEARANCE_REQUIRE_ETCD();
  const EtcdCluster etcd;
  Replica one(etcd.Config());
  Replica two(etcd.Config());
  constexpr int kNames = 300;
  std::vector<std::vector<server::ShapeOutcome>> outcomes(2);
  const auto write = [&](Replica* replica, int writer) {
    for (int i = 0; i < kNames; ++i) {
      outcomes[static_cast<std::size_t>(writer)].push_back(
          replica->Register("n" + std::to_string(i), replica->Ball(1 + 2 * i + writer)));
    }
  };
  std::thread other([&] { write(&two, 1); });
  write(&one, 0);
  other.join();
  for (std::size_t i = 0; i < kNames; ++i) {
    const auto& a = outcomes[0][i];
    const auto& b = outcomes[1][i];
    ASSERT_NE(a.ok(), b.ok()) << i << ": " << a.status() << ", " << b.status();
    const absl::Status& refusal = a.ok() ? b.status() : a.status();
    EXPECT_EQ(refusal.code(), absl::StatusCode::kAlreadyExists);
    const std::string name = "n" + std::to_string(i);
    EXPECT_EQ(one.DigestOf(name), (a.ok() ? a : b)->shape.content->digest);
    EXPECT_EQ(two.DigestOf(name), (a.ok() ? a : b)->shape.content->digest);
  }
  EXPECT_EQ(one.shapes.revision(), kNames);
  EXPECT_EQ(two.shapes.revision(), kNames);
  // Without conflicts nothing would be tested here.
  EXPECT_GT(CounterOf(one.metrics.store().conflicts) + CounterOf(two.metrics.store().conflicts), 0);
}

// A change that changes nothing is answered from the newest state, not from the state held here.
TEST(Follow, WhatChangesNothingIsKnownToBeSo) {
  CLEARANCE_REQUIRE_ETCD();
  const EtcdCluster etcd;
  EtcdFront front(etcd.endpoints().front());
  server::EtcdConfig behind = etcd.Config();
  behind.endpoints = {front.endpoint()};
  Replica one(etcd.Config());
  Replica two(behind);
  ASSERT_TRUE(one.Register("name", one.Ball(1)).ok());
  ASSERT_EQ(two.DigestOf("name"), one.Ball(1)->digest);
  front.HoldWatches(true);
  ASSERT_TRUE(one.Delete("name").ok());
  std::thread letting_go([&] {
    while (one.shapes.revision() < 2) std::this_thread::yield();
    front.HoldWatches(false);
  });
  const auto again = two.Register("name", two.Ball(1));
  letting_go.join();
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(again->created);
  EXPECT_EQ(again->revision, 3u);
}

TEST(Follow, GoesOnAfterEveryBreak) {
  CLEARANCE_REQUIRE_ETCD();
  const EtcdCluster etcd;
  EtcdFront front(etcd.endpoints().front());
  server::EtcdConfig behind = etcd.Config();
  behind.endpoints = {front.endpoint()};
  Replica one(etcd.Config());
  Replica two(behind);
  for (int i = 1; i <= 50; ++i) {
    if (i % 3 == 0) front.BreakWatches();
    const server::ShapeContentPtr content = one.Ball(i);
    ASSERT_TRUE(one.Register("name", content, /*replace=*/true).ok()) << i;
    ASSERT_EQ(two.DigestOf("name"), content->digest) << i;
  }
  EXPECT_EQ(CounterOf(two.metrics.store().reloads), 0);
}

TEST(Follow, ReadsEverythingAnewWhereHistoryIsCompacted) {
  CLEARANCE_REQUIRE_ETCD();
  const EtcdCluster etcd;
  EtcdFront front(etcd.endpoints().front());
  server::EtcdConfig behind = etcd.Config();
  behind.endpoints = {front.endpoint()};
  Replica one(etcd.Config());
  Replica two(behind);
  ASSERT_TRUE(one.Register("goes", one.Ball(1)).ok());
  ASSERT_TRUE(one.Register("changes", one.Ball(2)).ok());
  ASSERT_TRUE(one.Register("stays", one.Ball(3)).ok());
  ASSERT_EQ(two.DigestOf("stays"), one.Ball(3)->digest);
  front.HoldWatches(true);
  ASSERT_TRUE(one.Delete("goes").ok());
  ASSERT_TRUE(one.Register("changes", one.Ball(4), /*replace=*/true).ok());
  ASSERT_TRUE(one.Register("comes", one.Ball(5)).ok());
  const std::string status = etcd.Control({"endpoint", "status", "--write-out=fields"});
  const std::size_t at = status.find("\"Revision\" : ") + 13;
  etcd.Control({"compaction", status.substr(at, status.find('\n', at) - at)});
  front.BreakWatches();
  front.HoldWatches(false);
  EXPECT_EQ(two.DigestOf("comes"), one.Ball(5)->digest);
  EXPECT_EQ(two.DigestOf("changes"), one.Ball(4)->digest);
  EXPECT_EQ(two.DigestOf("stays"), one.Ball(3)->digest);
  EXPECT_EQ(two.DigestOf("goes"), "");
  EXPECT_EQ(two.shapes.revision(), one.shapes.revision());
  EXPECT_EQ(two.shapes.size(), 3u);
  EXPECT_GT(CounterOf(two.metrics.store().reloads), 0);
  // And follows on from there.
  ASSERT_TRUE(two.Register("more", two.Ball(6)).ok());
  EXPECT_EQ(one.DigestOf("more"), two.Ball(6)->digest);
}

// Other keys of the same etcd come and go. The compacted revisions hold nothing that a replica
// missed.
TEST(Follow, ReadsNothingAnewWhereNothingHappened) {
  CLEARANCE_REQUIRE_ETCD();
  const EtcdCluster etcd;
  EtcdFront front(etcd.endpoints().front());
  server::EtcdConfig behind = etcd.Config();
  behind.endpoints = {front.endpoint()};
  Replica one(etcd.Config());
  Replica two(behind);
  ASSERT_TRUE(one.Register("name", one.Ball(1)).ok());
  ASSERT_EQ(two.DigestOf("name"), one.Ball(1)->digest);
  for (int i = 0; i < 10; ++i) etcd.Control({"put", "other/key", std::to_string(i)});
  ASSERT_EQ(two.DigestOf("name"), one.Ball(1)->digest);
  const std::string status = etcd.Control({"endpoint", "status", "--write-out=fields"});
  const std::size_t at = status.find("\"Revision\" : ") + 13;
  etcd.Control({"compaction", status.substr(at, status.find('\n', at) - at)});
  front.BreakWatches();
  ASSERT_TRUE(one.Register("name", one.Ball(2), /*replace=*/true).ok());
  EXPECT_EQ(two.DigestOf("name"), one.Ball(2)->digest);
  EXPECT_EQ(CounterOf(two.metrics.store().reloads), 0);
}

v1::SceneChange Bodies(std::initializer_list<std::uint32_t> ids, const std::string& digest) {
  v1::SceneChange change;
  change.mutable_bodies()->set_count(static_cast<std::uint32_t>(ids.size()));
  change.mutable_bodies()->add_shapes()->set_digest(digest);
  for (const std::uint32_t id : ids) {
    change.mutable_bodies()->add_ids(id);
    for (const double number : {1. * id, 0., 0., 0., 0., 0., 1.})
      change.mutable_bodies()->add_poses(number);
  }
  return change;
}

NamedSceneChange SceneOf(Replica* replica, const std::string& name, const v1::SceneChange& change,
                         const server::ShapeContentPtr& content, bool creates) {
  const auto edit = std::make_shared<server::SceneEdit>(
      *server::ReadSceneChange(change, {{replica->scenes.contents().Share(content)}}));
  NamedSceneChange named;
  named.kind = creates ? NamedSceneChange::Kind::kCreate : NamedSceneChange::Kind::kUpdate;
  named.name = name;
  named.make_next = [edit](const ScenePtr& base) {
    return server::ApplyEdit(base, *edit, server::Limits());
  };
  const auto found = replica->scenes.Find(name);
  named.base = found.ok() ? found->scene : Scene::MakeEmpty();
  named.next = *named.make_next(named.base);
  named.record = change.SerializeAsString();
  named.digests = {content->digest};
  return named;
}

TEST(Follow, ScenesAndTheirRevisionsAreTheSameEverywhere) {
  CLEARANCE_REQUIRE_ETCD();
  const EtcdCluster etcd;
  Replica one(etcd.Config());
  Replica two(etcd.Config());
  const server::ShapeContentPtr ball = one.Ball(1);
  ASSERT_TRUE(one.Register("ball", ball).ok());
  ASSERT_TRUE(two.Refresh().ok());
  ASSERT_TRUE(
      one.ChangeScene(SceneOf(&one, "cell", Bodies({1, 2}, ball->digest), ball, true)).ok());
  ASSERT_TRUE(two.Refresh().ok());
  ASSERT_TRUE(two.scenes.Find("cell").ok());
  // In turns; where both hold the same revision the other one's change is of that.
  for (std::uint32_t i = 3; i < 40; ++i) {
    Replica& writer = i % 2 == 0 ? one : two;
    const auto changed =
        writer.ChangeScene(SceneOf(&writer, "cell", Bodies({i}, ball->digest), ball, false));
    ASSERT_TRUE(changed.ok()) << changed.status();
    EXPECT_EQ(changed->scene->revision, i - 1);
  }
  ASSERT_TRUE(one.Refresh().ok());
  ASSERT_TRUE(two.Refresh().ok());
  const Replica three(etcd.Config());
  for (const Replica* const replica :
       {static_cast<const Replica*>(&one), static_cast<const Replica*>(&two), &three}) {
    const auto scene = replica->scenes.Find("cell");
    ASSERT_TRUE(scene.ok());
    EXPECT_EQ(scene->etag(), one.scenes.Find("cell")->etag());
    EXPECT_EQ(scene->scene->size(), 39u);
  }
  // Each of the revisions that were followed one by one is held.
  EXPECT_EQ(two.scenes.Find("cell", 30)->scene->size(), 31u);
  // The shape is in use, whichever replica is asked.
  EXPECT_EQ(two.Delete("ball").status().code(), absl::StatusCode::kFailedPrecondition);
  NamedSceneChange deletion;
  deletion.kind = NamedSceneChange::Kind::kDelete;
  deletion.name = "cell";
  ASSERT_TRUE(two.ChangeScene(deletion).ok());
  ASSERT_TRUE(one.Refresh().ok());
  EXPECT_FALSE(one.scenes.Find("cell").ok());
  EXPECT_TRUE(one.Delete("ball").ok());
  EXPECT_EQ(etcd.Control({"get", "--prefix", "--keys-only", "clearance/registry/scenes/"}), "");
}

// A scene that takes the name of another one in one commit, and one that is only its whole.
TEST(Follow, AWholeTakesThePlaceOfAllRecordsBeforeIt) {
  CLEARANCE_REQUIRE_ETCD();
  const EtcdCluster etcd;
  Replica one(etcd.Config());
  Replica two(etcd.Config());
  const server::ShapeContentPtr ball = one.Ball(1);
  ASSERT_TRUE(one.Register("ball", ball).ok());
  ASSERT_TRUE(one.ChangeScene(SceneOf(&one, "cell", Bodies({1}, ball->digest), ball, true)).ok());
  ASSERT_TRUE(one.ChangeScene(SceneOf(&one, "cell", Bodies({2}, ball->digest), ball, false)).ok());
  NamedSceneChange whole = SceneOf(&one, "cell", Bodies({3}, ball->digest), ball, false);
  whole.whole = server::SerializeWhole(*whole.next);
  ASSERT_TRUE(one.ChangeScene(whole).ok());
  const std::string keys =
      etcd.Control({"get", "--prefix", "--keys-only", "clearance/registry/scenes/"});
  EXPECT_EQ(keys, "clearance/registry/scenes/cell@00000000000000000003\n\n");
  ASSERT_TRUE(two.Refresh().ok());
  EXPECT_EQ(two.scenes.Find("cell")->scene->size(), 3u);
  EXPECT_EQ(two.scenes.Find("cell", 2)->scene->size(), 2u);
  // Deleted and made again in one commit.
  std::vector<server::ShapeChange> both(2);
  NamedSceneChange deletion;
  deletion.kind = NamedSceneChange::Kind::kDelete;
  deletion.name = "cell";
  both[0].name = both[1].name = "cell";
  both[0].scene = std::make_shared<const NamedSceneChange>(deletion);
  NamedSceneChange anew = SceneOf(&one, "fresh", Bodies({7}, ball->digest), ball, true);
  anew.name = "cell";
  both[1].scene = std::make_shared<const NamedSceneChange>(anew);
  for (const auto& outcome : one.Make(both)) ASSERT_TRUE(outcome.ok()) << outcome.status();
  ASSERT_TRUE(two.Refresh().ok());
  EXPECT_EQ(two.scenes.Find("cell")->scene->size(), 1u);
  EXPECT_EQ(two.scenes.Find("cell")->etag(), one.scenes.Find("cell")->etag());
  const Replica three(etcd.Config());
  EXPECT_EQ(three.scenes.Find("cell")->etag(), one.scenes.Find("cell")->etag());
}

}  // namespace
}  // namespace clearance::test
