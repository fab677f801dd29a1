// SPDX-License-Identifier: Apache-2.0
#include "server/registry/scene_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "server/access/policy.h"
#include "server/guard/refusal.h"
#include "tests/unit/server/registry/test_content.h"

namespace clearance::server {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): 5s reads best so

ScenePtr With(const ScenePtr& scene, BodyId id, const RigidBodyPtr& body) {
  const SceneBody put = {.id = id, .body = body, .X_WB = {}, .bits = {}};
  return std::get<ScenePtr>(scene->Apply({.remove = {}, .put = {&put, 1}, .move = {}}));
}

class SceneRegistryTest : public ::testing::Test {
 protected:
  absl::StatusOr<SceneState> Create(const std::string& name, TimeToLive ttl,
                                    const std::string& owner = "") {
    NamedSceneChange change;
    change.owner = owner;
    change.kind = NamedSceneChange::Kind::kCreate;
    change.name = name;
    change.ttl = ttl;
    change.next = Scene::MakeEmpty();
    change.record = "whole";
    return Settle(change);
  }

  absl::StatusOr<SceneState> Settle(const NamedSceneChange& change) {
    SceneDraft draft(&scenes_);
    auto state = draft.Change(change);
    records_ = draft.records();
    draft.Apply();
    return state;
  }

  // Adds a body to what the scene is by now.
  NamedSceneChange Adding(const std::string& name, BodyId id) {
    NamedSceneChange change;
    change.name = name;
    change.base = scenes_.Find(name)->scene;
    change.make_next = [this, id](const ScenePtr& base) -> absl::StatusOr<ScenePtr> {
      return With(base, id, ball_);
    };
    change.next = *change.make_next(change.base);
    change.record = "body " + std::to_string(id);
    return change;
  }

  std::chrono::nanoseconds now_ = 1h;
  Limits limits_ = {.max_scene_revisions = 3};
  Metrics metrics_{"test"};
  HoldingQuotas quotas_{{}, &metrics_};
  SceneRegistry scenes_{limits_, &metrics_, &quotas_,
                        [this] { return SteadyTime(absl::FromChrono(now_)); }};
  RigidBodyPtr ball_ = scenes_.contents().Share(Ball(1));
  std::vector<SceneRecord> records_;
};

TEST_F(SceneRegistryTest, LetsASceneGoWhenItsTimeIsOver) {
  ASSERT_TRUE(Create("short", 5s).ok());
  ASSERT_TRUE(Create("long", 10s).ok());
  ASSERT_TRUE(Create("kept", std::nullopt).ok());
  now_ += 5s - 1ns;
  EXPECT_TRUE(scenes_.Find("short").ok());
  now_ += 1ns;
  EXPECT_EQ(scenes_.Find("short").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(scenes_.List("", "", 9).scenes.size(), 2u);
  EXPECT_EQ(scenes_.size(), 3u);
  scenes_.Expire();
  EXPECT_EQ(scenes_.size(), 2u);
  EXPECT_EQ(metrics_.scenes_expired().Value(), 1);
  EXPECT_EQ(metrics_.scenes().Value(), 2);
  // The name is free again.
  EXPECT_TRUE(Create("short", std::nullopt).ok());
}

TEST_F(SceneRegistryTest, GivesTheNameOfASceneWhoseTimeIsOverToAnother) {
  const auto first = Create("short", 5s);
  now_ += 5s;
  const auto second = Create("short", 5s);
  ASSERT_TRUE(second.ok());
  EXPECT_NE(first->etag(), second->etag());
  EXPECT_EQ(metrics_.scenes().Value(), 1);
}

// Writes down what it is told.
class Diary final : public SceneObserver {
 public:
  void SceneChanged() override { entries.emplace_back("changed"); }
  void SceneEnded(std::uint64_t incarnation, SceneEnd end) override {
    entries.emplace_back(end == SceneEnd::kExpired ? "expired" : "deleted");
    ended.push_back(incarnation);
  }

  std::vector<std::string> entries;
  std::vector<std::uint64_t> ended;
};

TEST_F(SceneRegistryTest, TellsObserversOfOneNameOfRevisionsAndEnds) {
  using ::testing::ElementsAre;
  Diary diary;
  scenes_.AddObserver("short", &diary);
  const auto first = Create("short", 5s);
  ASSERT_TRUE(Create("other", 5s).ok());
  ASSERT_TRUE(scenes_.ChangeInMemory(Adding("short", 1)).ok());
  EXPECT_THAT(diary.entries, ElementsAre("changed", "changed"));
  now_ += 5s;
  scenes_.Expire();
  EXPECT_THAT(diary.entries, ElementsAre("changed", "changed", "expired"));
  EXPECT_THAT(diary.ended, ElementsAre(first->incarnation));
  diary.entries.clear();

  const auto second = Create("short", 5s);
  NamedSceneChange deletion;
  deletion.kind = NamedSceneChange::Kind::kDelete;
  deletion.name = "short";
  ASSERT_TRUE(scenes_.ChangeInMemory(deletion).ok());
  EXPECT_THAT(diary.entries, ElementsAre("changed", "deleted"));
  EXPECT_EQ(diary.ended.back(), second->incarnation);
  scenes_.RemoveObserver("short", &diary);
  ASSERT_TRUE(Create("short", 5s).ok());
  EXPECT_EQ(diary.entries.size(), 2u);
}

TEST_F(SceneRegistryTest, TellsHowASceneEndedWhoseNameAnotherTook) {
  using ::testing::ElementsAre;
  Diary diary;
  scenes_.AddObserver("name", &diary);
  ASSERT_TRUE(Create("name", 5s).ok());
  now_ += 5s;
  const auto kept = Create("name", std::nullopt);
  EXPECT_THAT(diary.entries, ElementsAre("changed", "expired", "changed"));
  diary.entries.clear();
  // Deleted and made anew in one batch of the ledger.
  NamedSceneChange change;
  change.kind = NamedSceneChange::Kind::kDelete;
  change.name = "name";
  SceneDraft draft(&scenes_);
  ASSERT_TRUE(draft.Change(change).ok());
  change.kind = NamedSceneChange::Kind::kCreate;
  change.next = Scene::MakeEmpty();
  change.record = "whole";
  ASSERT_TRUE(draft.Change(change).ok());
  draft.Apply();
  EXPECT_THAT(diary.entries, ElementsAre("deleted", "changed"));
  EXPECT_EQ(diary.ended.back(), kept->incarnation);
  scenes_.RemoveObserver("name", &diary);
}

TEST_F(SceneRegistryTest, RenewsTheTimeWithEveryChange) {
  ASSERT_TRUE(Create("short", 5s).ok());
  for (BodyId id = 0; id < 4; ++id) {
    now_ += 4s;
    EXPECT_TRUE(scenes_.ChangeInMemory(Adding("short", id)).ok());
  }
  NamedSceneChange touch;
  touch.name = "short";
  touch.base = touch.next = scenes_.Find("short")->scene;
  now_ += 4s;
  const auto touched = scenes_.ChangeInMemory(touch);
  ASSERT_TRUE(touched.ok());
  EXPECT_EQ(touched->revision, 5u);
  now_ += 4s;
  EXPECT_TRUE(scenes_.Find("short").ok());
  now_ += 1s;
  scenes_.Expire();
  EXPECT_EQ(scenes_.size(), 0u);
}

TEST_F(SceneRegistryTest, HoldsTheNewestRevisions) {
  ASSERT_TRUE(Create("row", 1h).ok());
  for (BodyId id = 0; id < 4; ++id) ASSERT_TRUE(scenes_.ChangeInMemory(Adding("row", id)).ok());
  EXPECT_EQ(scenes_.Find("row")->revision, 5u);
  EXPECT_EQ(scenes_.Find("row")->oldest_revision, 3u);
  EXPECT_EQ(scenes_.Find("row", 3)->scene->size(), 2u);
  EXPECT_EQ(scenes_.Find("row", 5)->scene->size(), 4u);
  EXPECT_EQ(scenes_.Find("row", 2).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(scenes_.Find("row", 6).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(metrics_.scene_revisions().Value(), 3);
}

TEST_F(SceneRegistryTest, TellsTheDepthOfTheDeepestTreeOfItsNewestRevisions) {
  const auto depth = [&] { return metrics_.scene_tree_depth().Value(); };
  EXPECT_EQ(depth(), 0);
  ASSERT_TRUE(Create("small", 1h).ok());
  EXPECT_EQ(depth(), 0);
  ASSERT_TRUE(scenes_.ChangeInMemory(Adding("small", 1)).ok());
  EXPECT_EQ(depth(), scenes_.Find("small")->scene->tree_depth());
  EXPECT_EQ(depth(), 1);
  ASSERT_TRUE(Create("large", 1h).ok());
  for (BodyId id = 0; id < 20; ++id) ASSERT_TRUE(scenes_.ChangeInMemory(Adding("large", id)).ok());
  const int deepest = scenes_.Find("large")->scene->tree_depth();
  EXPECT_GT(deepest, 1);
  EXPECT_EQ(depth(), deepest);
  NamedSceneChange deletion;
  deletion.kind = NamedSceneChange::Kind::kDelete;
  deletion.name = "large";
  ASSERT_TRUE(scenes_.ChangeInMemory(deletion).ok());
  EXPECT_EQ(depth(), 1);
  now_ += 2h;
  scenes_.Expire();
  EXPECT_EQ(depth(), 0);
}

// Who asks the registry while it holds its lock ends the process, or waits for ever.
TEST_F(SceneRegistryTest, LetsGoOfWhatIsOldWithoutItsLock) {
  std::size_t ended = 0;
  const auto asking = [&](const RigidBody*) { ended += scenes_.size(); };
  ASSERT_TRUE(Create("row", 1h).ok());
  const auto put = [&](const RigidBodyPtr& body) {
    NamedSceneChange change;
    change.name = "row";
    change.base = scenes_.Find("row")->scene;
    change.next = With(change.base, 1, body);
    ASSERT_TRUE(scenes_.ChangeInMemory(change).ok());
  };
  put(RigidBodyPtr(ball_.get(), asking));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ended, 0u);
    put(ball_);
  }
  EXPECT_EQ(ended, 1u);
  put(RigidBodyPtr(ball_.get(), asking));
  NamedSceneChange deletion;
  deletion.kind = NamedSceneChange::Kind::kDelete;
  deletion.name = "row";
  ASSERT_TRUE(Create("other", 1h).ok());
  ASSERT_TRUE(scenes_.ChangeInMemory(deletion).ok());
  EXPECT_EQ(ended, 2u);  // "other" alone was left
  ASSERT_TRUE(Create("row", 5s).ok());
  put(RigidBodyPtr(ball_.get(), asking));
  now_ += 5s;
  scenes_.Expire();
  EXPECT_EQ(ended, 3u);
  SceneRegistry::Kept kept;
  kept.name = "kept";
  kept.scene = With(Scene::MakeEmpty(), 1, RigidBodyPtr(ball_.get(), asking));
  scenes_.Follow({kept});
  ++kept.incarnation;
  kept.scene = With(Scene::MakeEmpty(), 1, ball_);
  scenes_.Follow({kept});
  EXPECT_EQ(ended, 5u);  // "kept" as well
  ASSERT_TRUE(Create("settled", std::nullopt).ok());
  NamedSceneChange settled;
  settled.name = "settled";
  settled.record = "change";
  const auto settle = [&](const RigidBodyPtr& body) {
    settled.base = scenes_.Find("settled")->scene;
    settled.next = With(settled.base, 1, body);
    ASSERT_TRUE(Settle(settled).ok());
    settled.base = settled.next = nullptr;
  };
  settle(RigidBodyPtr(ball_.get(), asking));
  for (int i = 0; i < 3; ++i) settle(ball_);
  EXPECT_EQ(ended, 8u);
  settle(RigidBodyPtr(ball_.get(), asking));
  settle(ball_);
  settled.kind = NamedSceneChange::Kind::kDelete;
  ASSERT_TRUE(Settle(settled).ok());
  EXPECT_EQ(ended, 10u);
}

TEST_F(SceneRegistryTest, MakesAChangeAnewWhereSomebodyWasFaster) {
  ASSERT_TRUE(Create("short", 1h).ok());
  ASSERT_TRUE(Create("kept", std::nullopt).ok());
  for (const char* name : {"short", "kept"}) {
    const NamedSceneChange slow = Adding(name, 1);
    const NamedSceneChange fast = Adding(name, 2);
    for (const NamedSceneChange& change : {fast, slow}) {
      if (scenes_.Find(name)->ttl.has_value()) {
        ASSERT_TRUE(scenes_.ChangeInMemory(change).ok());
      } else {
        ASSERT_TRUE(Settle(change).ok());
      }
    }
    EXPECT_EQ(scenes_.Find(name)->scene->size(), 2u) << name;
    EXPECT_EQ(scenes_.Find(name)->revision, 3u) << name;
  }
}

TEST_F(SceneRegistryTest, LeavesKeptScenesToTheLedgerAndRecordsOnlyThose) {
  ASSERT_TRUE(Create("short", 1h).ok());
  EXPECT_TRUE(records_.empty());
  ASSERT_TRUE(Create("kept", std::nullopt).ok());
  ASSERT_EQ(records_.size(), 1u);
  EXPECT_TRUE(records_[0].is_whole);
  EXPECT_EQ(scenes_.ChangeInMemory(Adding("kept", 1)).status().code(), absl::StatusCode::kAborted);
  EXPECT_EQ(scenes_.Find("kept")->revision, 1u);
  const auto state = Settle(Adding("kept", 1));
  ASSERT_EQ(records_.size(), 1u);
  EXPECT_EQ(records_[0].change, "body 1");
  EXPECT_EQ(records_[0].revision, 2u);
  EXPECT_FALSE(records_[0].is_whole);
  EXPECT_EQ(records_[0].incarnation, state->incarnation);
  EXPECT_EQ(Settle(Adding("short", 1)).status().code(), absl::StatusCode::kAborted);
}

TEST_F(SceneRegistryTest, StoresTheWholeOnlyAsLongAsItIsTheWhole) {
  ASSERT_TRUE(Create("kept", std::nullopt).ok());
  NamedSceneChange slow = Adding("kept", 1);
  slow.whole = "the whole with body 1";
  ASSERT_TRUE(Settle(Adding("kept", 2)).ok());
  ASSERT_TRUE(Settle(slow).ok());
  EXPECT_EQ(records_[0].change, "body 1");
  NamedSceneChange alone = Adding("kept", 3);
  alone.whole = "the whole with body 3";
  ASSERT_TRUE(Settle(alone).ok());
  EXPECT_EQ(records_[0].change, "the whole with body 3");
  EXPECT_TRUE(records_[0].is_whole);
}

TEST_F(SceneRegistryTest, WantsTheWholeOnceRecordsOutgrowIt) {
  ASSERT_TRUE(Create("kept", std::nullopt).ok());
  constexpr std::uint64_t kFew = 64 << 10;
  EXPECT_FALSE(scenes_.IsTimeForWhole("kept", kFew));
  EXPECT_TRUE(scenes_.IsTimeForWhole("kept", kFew + 1));
  NamedSceneChange change = Adding("kept", 1);
  change.record = std::string(kFew, 'x');
  ASSERT_TRUE(Settle(change).ok());
  EXPECT_TRUE(scenes_.IsTimeForWhole("kept", 1));
  NamedSceneChange whole = Adding("kept", 2);
  whole.whole = std::string(2 * kFew, 'x');
  ASSERT_TRUE(Settle(whole).ok());
  EXPECT_FALSE(scenes_.IsTimeForWhole("kept", 2 * kFew));
  EXPECT_TRUE(scenes_.IsTimeForWhole("kept", 2 * kFew + 1));
}

TEST_F(SceneRegistryTest, ADraftThatIsNotAppliedChangesNothing) {
  ASSERT_TRUE(Create("kept", std::nullopt).ok());
  {
    SceneDraft draft(&scenes_);
    ASSERT_TRUE(draft.Change(Adding("kept", 1)).ok());
    NamedSceneChange remove;
    remove.kind = NamedSceneChange::Kind::kDelete;
    remove.name = "kept";
    ASSERT_TRUE(draft.Change(remove).ok());
    EXPECT_EQ(draft.Change(remove).status().code(), absl::StatusCode::kNotFound);
    ASSERT_EQ(draft.records().size(), 2u);
    EXPECT_EQ(draft.records()[1].revision, 0u);
  }
  EXPECT_EQ(scenes_.Find("kept")->revision, 1u);
}

TEST_F(SceneRegistryTest, KnowsTheContentsOfItsBodiesAsLongAsThereAreSome) {
  SceneContents& contents = scenes_.contents();
  ShapeContentPtr content = Ball(2);
  const std::string digest = content->digest;
  const std::weak_ptr<const ShapeContent> known = content;
  RigidBodyPtr body = contents.Share(content);
  content = nullptr;
  EXPECT_EQ(contents.Share(Ball(2)), body);
  EXPECT_EQ(SceneContents::Of(body), known.lock().get());
  EXPECT_EQ(contents.FindBody(digest), body);
  EXPECT_EQ(SceneContents::Of(Ball(2)->body), nullptr);
  body = nullptr;
  EXPECT_TRUE(known.expired());
  EXPECT_EQ(contents.FindBody(digest), nullptr);
}

// Whatever kind of scene.
class OwnedScenes : public SceneRegistryTest, public ::testing::WithParamInterface<bool> {
 protected:
  TimeToLive Ttl() const { return GetParam() ? TimeToLive(5s) : std::nullopt; }

  // By a body more.
  absl::Status Grow(const std::string& name, BodyId id) {
    NamedSceneChange change = Adding(name, id);
    change.bytes = 1000;
    return GetParam() ? scenes_.ChangeInMemory(change).status() : Settle(change).status();
  }
  void Allow(const std::string& limit, std::uint64_t most) {
    quotas_.Replace(Policy::Parse(R"({"principals": {"ann": {"role": "query", "limits": {")" +
                                  limit + "\": " + std::to_string(most) + "}}}}")
                        ->principals());
  }
};

TEST_P(OwnedScenes, AreNoMoreThanTheirOwnerMayHave) {
  Allow("scenes", 1);
  ASSERT_TRUE(Create("a", Ttl(), "ann").ok());
  const absl::Status refused = Create("b", Ttl(), "ann").status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ErrorOf(refused).limit(), "scenes <= 1 of principal ann");
  EXPECT_TRUE(Create("b", Ttl(), "bob").ok());
  EXPECT_TRUE(Create("c", Ttl()).ok());
  NamedSceneChange gone;
  gone.kind = NamedSceneChange::Kind::kDelete;
  gone.name = "a";
  ASSERT_TRUE(GetParam() ? scenes_.ChangeInMemory(gone).ok() : Settle(gone).ok());
  EXPECT_EQ(scenes_.HoldingOf("ann"), Holding{});
  EXPECT_TRUE(Create("d", Ttl(), "ann").ok());
}

TEST_P(OwnedScenes, CountForTheirOwnerIfOthersChangeThem) {
  ASSERT_TRUE(Create("a", Ttl(), "ann").ok());
  ASSERT_TRUE(Create("b", Ttl(), "ann").ok());
  ASSERT_TRUE(Grow("a", 1).ok());
  const Holding held = scenes_.HoldingOf("ann");
  EXPECT_EQ(held.count, 2u);
  EXPECT_EQ(held.bytes, scenes_.Find("a")->bytes + scenes_.Find("b")->bytes);
  Allow("scene_bytes", held.bytes);
  const absl::Status refused = Grow("a", 2);
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ErrorOf(refused).field(), "scene");
  EXPECT_EQ(scenes_.HoldingOf("ann"), held);
  EXPECT_EQ(scenes_.Find("a")->revision, 2u);
  Allow("scene_bytes", 2 * held.bytes);
  EXPECT_TRUE(Grow("a", 2).ok());
  EXPECT_GT(scenes_.HoldingOf("ann").bytes, held.bytes);
}

INSTANTIATE_TEST_SUITE_P(Kinds, OwnedScenes, ::testing::Bool(),
                         [](const auto& row) { return row.param ? "WithATtl" : "Kept"; });

TEST_F(SceneRegistryTest, FreesWhatTheOwnerOfASceneHeldWhenItsTimeIsOver) {
  ASSERT_TRUE(Create("short", 5s, "ann").ok());
  now_ += 5s;
  scenes_.Expire();
  EXPECT_EQ(scenes_.HoldingOf("ann"), Holding{});
}

TEST_F(SceneRegistryTest, StoresWhoseAKeptSceneIsAndRestoresIt) {
  ASSERT_TRUE(Create("kept", std::nullopt, "ann").ok());
  ASSERT_EQ(records_.size(), 1u);
  EXPECT_EQ(records_[0].owner, "ann");
  SceneRegistry restored(limits_, nullptr);
  std::vector<SceneRegistry::Kept> stored;
  stored.push_back({.name = "kept", .scene = Scene::MakeEmpty(), .owner = "ann"});
  restored.Follow(stored);
  EXPECT_EQ(restored.HoldingOf("ann").count, 1u);
}

// What sessions hold of it. Three revisions are held, and each differs from the next by kChanged.
class HeldScenes : public SceneRegistryTest {
 protected:
  static constexpr std::uint64_t kChanged = 50;

  HeldPtr Hold(const std::string& name, const std::string& holder = "ann") {
    auto held = scenes_.held().Take(scenes_.Find(name)->held, holder);
    EXPECT_TRUE(held.ok()) << held.status();
    return held.ok() ? *std::move(held) : nullptr;
  }
  void Change(const std::string& name, int times) {
    for (int i = 0; i < times; ++i) {
      NamedSceneChange change = Adding(name, next_id_++);
      change.bytes = kChanged;
      ASSERT_TRUE((scenes_.Find(name)->ttl.has_value() ? scenes_.ChangeInMemory(change).ok()
                                                       : Settle(change).ok()));
    }
  }

 private:
  BodyId next_id_ = 0;
};

TEST_F(HeldScenes, OldRevisions_CountOnceWhileHeld) {
  for (const TimeToLive& ttl : {TimeToLive(5s), TimeToLive()}) {
    ASSERT_TRUE(Create("scene", ttl).ok());
    HeldPtr first = Hold("scene");
    HeldPtr again = Hold("scene", "bob");
    Change("scene", 2);
    EXPECT_EQ(scenes_.held().Look(), 0u);  // three are held
    Change("scene", 1);
    EXPECT_EQ(scenes_.held().Look(), 3 * kChanged);
    EXPECT_EQ(metrics_.scene_bytes_detached().Value(), 3 * kChanged);
    first.reset();
    EXPECT_EQ(scenes_.held().Look(), 3 * kChanged);
    again.reset();
    EXPECT_EQ(metrics_.scene_bytes_detached().Value(), 0) << "without a look";
    NamedSceneChange gone;
    gone.kind = NamedSceneChange::Kind::kDelete;
    gone.name = "scene";
    ASSERT_TRUE(ttl.has_value() ? scenes_.ChangeInMemory(gone).ok() : Settle(gone).ok());
  }
}

TEST_F(HeldScenes, CountWhatTheyDoNotShareWithTheNextThatIsHeld) {
  ASSERT_TRUE(Create("short", 5s).ok());
  Change("short", 4);
  const HeldPtr first = Hold("short");
  Change("short", 1);
  const HeldPtr second = Hold("short");
  const std::uint64_t last = scenes_.Find("short")->scene->byte_size();
  ASSERT_GT(last, 4 * kChanged) << "so that no revision counts whole";
  Change("short", 3);
  EXPECT_EQ(scenes_.held().Look(), kChanged + 3 * kChanged);
  // Where there is no scene any more, the last counts whole.
  now_ += 5s;
  scenes_.Expire();
  EXPECT_EQ(scenes_.held().Look(), kChanged + last);
}

TEST_F(HeldScenes, CountAgainWhereTheirNameIsTakenAnew) {
  ASSERT_TRUE(Create("short", 5s).ok());
  const HeldPtr held = Hold("short");
  const std::uint64_t bytes = scenes_.Find("short")->scene->byte_size();
  now_ += 5s;
  ASSERT_TRUE(Create("short", 5s).ok());
  EXPECT_EQ(scenes_.held().Look(), bytes);
}

// A scene that takes all the room there is, as does each of its revisions.
class FullScenes : public ::testing::Test {
 protected:
  HeldRevision Newest() const { return {progress_, revision_, kMost * revision_, kMost, true}; }
  void LeaveBehind() {
    ++revision_;
    progress_->oldest_revision = revision_;
    progress_->changed_bytes = kMost * revision_;
    revisions_.Look();
  }

  static constexpr std::uint64_t kMost = 1000;
  const std::shared_ptr<SceneProgress> progress_ = std::make_shared<SceneProgress>();
  HeldRevisions revisions_{kMost, nullptr};
  std::uint64_t revision_ = 0;
};

TEST_F(FullScenes, AreRefusedToWhoeverHoldsTooMuchAlone) {
  absl::StatusOr<HeldPtr> first = revisions_.Take(Newest(), "ann");
  ASSERT_TRUE(first.ok());
  LeaveBehind();
  const HeldRevision newest = Newest();
  const absl::Status refused = revisions_.Take(newest, "ann").status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ErrorOf(refused).field(), "revision");
  EXPECT_EQ(ErrorOf(refused).value(), "1000 of one caller, 1000 of all");
  EXPECT_EQ(ErrorOf(refused).limit(),
            "max_scene_bytes <= 1000, and of one caller what the others leave free");
  EXPECT_TRUE(revisions_.Take(newest, "bob").ok()) << "the newest, to whoever holds nothing old";
  const HeldRevision older = {progress_, revision_ - 1, 0, kMost, false};
  EXPECT_EQ(revisions_.Take(older, "bob").status().code(), absl::StatusCode::kResourceExhausted);
  first->reset();
  EXPECT_TRUE(revisions_.Take(newest, "ann").ok()) << "at once, without a look";
}

}  // namespace
}  // namespace clearance::server
