// SPDX-License-Identifier: Apache-2.0

#include "server/storage/shared_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/guard/refusal.h"

namespace clearance::testing {
namespace {

using server::CommitPlace;
using server::FollowedCommit;
using server::RegistryChanges;
using server::SharedRegistry;
using server::SharedStore;
using ::testing::ElementsAre;

FollowedCommit CommitAt(CommitPlace place, CommitPlace after) {
  FollowedCommit commit;
  commit.place = place;
  commit.after = after;
  return commit;
}

// A store in which the test commits, and which tells of it when the test says so.
class FakeSharedStore final : public SharedStore {
 public:
  absl::StatusOr<server::StoredNames> ReadNames() override {
    const std::lock_guard lock(mutex_);
    place_ = newest_;
    return server::StoredNames{};
  }
  absl::Status ReadContents(const Part&, const Visit&) const override { return absl::OkStatus(); }
  absl::Status ReadScenes(const VisitRecord&) override { return absl::OkStatus(); }
  CommitPlace place() const override { return place_; }
  absl::StatusOr<server::StoredContent> ReadContent(const std::string& digest) const override {
    return absl::NotFoundError(digest);
  }
  absl::StatusOr<Outcome> CommitAfter(CommitPlace base, const RegistryChanges&) override {
    const std::lock_guard lock(mutex_);
    if (base != newest_) return Outcome{false, newest_};
    if (!refusal_.ok()) return refusal_;
    return Outcome{true, ++newest_};
  }
  absl::Status Probe() override {
    const std::lock_guard lock(mutex_);
    ++probed_;
    return refusal_;
  }
  std::size_t most_changes() const override { return 2; }
  absl::StatusOr<CommitPlace> Newest() override {
    std::unique_lock lock(mutex_);
    ++asked_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !is_silent_; });
    if (!failure_.ok()) return failure_;
    return newest_;
  }
  absl::Status Follow(CommitPlace after, const Take& take) override {
    std::unique_lock lock(mutex_);
    followed_from_.push_back(after);
    changed_.notify_all();
    is_interrupted_ = false;
    // It takes its time to begin.
    changed_.wait_for(lock, absl::ToChronoMilliseconds(slowness_),
                      [this] { return is_interrupted_; });
    while (true) {
      changed_.wait(lock, [this] { return is_interrupted_ || !told_.empty() || !end_.ok(); });
      if (is_interrupted_) return absl::CancelledError("");
      if (!end_.ok()) return std::exchange(end_, absl::OkStatus());
      FollowedCommit commit = std::move(told_.front());
      told_.pop_front();
      lock.unlock();
      if (!take(std::move(commit))) return absl::OkStatus();
      lock.lock();
    }
  }
  void Interrupt() override {
    Set([this] { is_interrupted_ = true; });
  }

  template <class Change>
  void Set(Change change) {
    const std::lock_guard lock(mutex_);
    change();
    changed_.notify_all();
  }
  // Another server's; `tells` whoever follows.
  CommitPlace Commit(bool tells) {
    const std::lock_guard lock(mutex_);
    const CommitPlace after = newest_++;
    if (tells) told_.push_back(CommitAt(newest_, after));
    changed_.notify_all();
    return newest_;
  }
  void Tell(CommitPlace place, CommitPlace after) {
    Set([&] { told_.push_back(CommitAt(place, after)); });
  }
  void EndFollowing(const absl::Status& status) {
    Set([&] { end_ = status; });
  }
  void BeSilent(bool is_silent) {
    Set([&] { is_silent_ = is_silent; });
  }
  void FailWith(const absl::Status& failure) {
    Set([&] { failure_ = failure; });
  }
  // To the state of an earlier commit.
  void GoBack(CommitPlace place) {
    Set([&] { newest_ = place; });
  }
  void RefuseCommits(const absl::Status& refusal) {
    Set([&] { refusal_ = refusal; });
  }
  void BeSlowToBegin(absl::Duration slowness) {
    Set([&] { slowness_ = slowness; });
  }
  int asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  int probed() {
    const std::lock_guard lock(mutex_);
    return probed_;
  }
  void AwaitFollowings(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return followed_from_.size() >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  CommitPlace place_ = 0;
  CommitPlace newest_ = 0;
  std::deque<FollowedCommit> told_;
  std::vector<CommitPlace> followed_from_;
  absl::Status end_;
  absl::Status failure_;  // of reads
  absl::Status refusal_;  // of commits
  absl::Duration slowness_;
  bool is_interrupted_ = false;
  bool is_silent_ = false;
  int asked_ = 0;
  int probed_ = 0;
};

// What was applied, and 0 of a reload.
class FakeMirror final : public server::RegistryMirror {
 public:
  FakeMirror(std::vector<CommitPlace>* applied, std::atomic<std::size_t>* count)
      : applied_(applied), count_(count) {}
  absl::Status Apply(const FollowedCommit& commit) override {
    applied_->push_back(commit.place);
    ++*count_;
    return absl::OkStatus();
  }
  absl::Status Reload(SharedStore* store) override {
    applied_->push_back(0);
    return store->ReadNames().status();
  }

 private:
  std::vector<CommitPlace>* const applied_;
  std::atomic<std::size_t>* const count_;
};

// The test's thread is the ledger's.
class SharedRegistryTest : public ::testing::Test {
 protected:
  explicit SharedRegistryTest(absl::Duration patience = absl::Minutes(10),
                              absl::Duration probe_interval = absl::ZeroDuration()) {
    auto store = std::make_unique<FakeSharedStore>();
    store_ = store.get();
    registry_ = std::make_unique<SharedRegistry>(
        SharedRegistry::Parts{.store = std::move(store),
                              .mirror = std::make_unique<FakeMirror>(&applied_, &applied_count_),
                              .patience = patience,
                              .most_lag = absl::Milliseconds(1),
                              .probe_interval = probe_interval,
                              .series = metrics_.store(),
                              .log = nullptr});
    registry_->Start({.wake =
                          [this] {
                            const std::lock_guard lock(mutex_);
                            woken_.notify_all();
                          },
                      .tell =
                          [this](const absl::Status& status) {
                            const std::lock_guard lock(mutex_);
                            told_.push_back(status);
                          }});
  }

  // Asks until the ledger was told last that all is well, or that it is not.
  absl::Status AskUntilTold(bool is_well) {
    while (true) {
      EXPECT_TRUE(Await().get().ok());
      const std::lock_guard lock(mutex_);
      if (!told_.empty() && told_.back().ok() == is_well) return told_.back();
    }
  }

  void ApplyWhatComes() {
    std::unique_lock lock(mutex_);
    woken_.wait(lock, [this] { return registry_->has_news(); });
    lock.unlock();
    registry_->ApplyNews();
  }

  std::future<absl::Status> Await() {
    auto promise = std::make_shared<std::promise<absl::Status>>();
    registry_->Await([promise](absl::Status status) { promise->set_value(std::move(status)); });
    return promise->get_future();
  }

  std::vector<CommitPlace> applied_;
  std::atomic<std::size_t> applied_count_ = 0;  // by any thread
  std::mutex mutex_;
  std::condition_variable woken_;
  std::vector<absl::Status> told_;
  FakeSharedStore* store_ = nullptr;
  server::Metrics metrics_{"test"};
  std::unique_ptr<SharedRegistry> registry_;
};

TEST_F(SharedRegistryTest, WhoAsksWaitsForTheLastCommitThereWas) {
  EXPECT_TRUE(Await().get().ok());
  store_->Commit(/*tells=*/false);
  const int before = store_->asked();
  std::promise<std::size_t> applied;
  registry_->Await([&](const absl::Status& status) {
    EXPECT_TRUE(status.ok()) << status;
    applied.set_value(applied_count_);
  });
  while (store_->asked() == before) std::this_thread::yield();
  store_->Tell(1, 0);
  ApplyWhatComes();
  EXPECT_EQ(applied.get_future().get(), 1u);
  EXPECT_THAT(applied_, ElementsAre(1));
}

TEST_F(SharedRegistryTest, AllWhoWaitAskTogether) {
  store_->BeSilent(true);
  std::vector<std::future<absl::Status>> waiting;
  const int first = store_->asked();
  waiting.push_back(Await());
  while (store_->asked() == first) std::this_thread::yield();
  for (int i = 0; i < 1000; ++i) waiting.push_back(Await());
  const int before = store_->asked();
  store_->BeSilent(false);
  for (auto& fresh : waiting) EXPECT_TRUE(fresh.get().ok());
  EXPECT_LE(store_->asked(), before + 2);
}

TEST_F(SharedRegistryTest, ItsOwnCommitsAreNotAppliedAgain) {
  RegistryChanges changes;
  const auto made = registry_->Commit(changes);
  ASSERT_TRUE(made.ok());
  ASSERT_TRUE(made->is_made);
  registry_->Made(made->place);
  store_->Tell(1, 0);
  store_->Commit(/*tells=*/true);
  ApplyWhatComes();
  EXPECT_THAT(applied_, ElementsAre(2));
}

TEST_F(SharedRegistryTest, OthersCommitsComeBeforeItsOwnNext) {
  const CommitPlace theirs = store_->Commit(/*tells=*/true);
  RegistryChanges changes;
  auto made = registry_->Commit(changes);
  ASSERT_TRUE(made.ok());
  ASSERT_FALSE(made->is_made);
  EXPECT_EQ(made->place, theirs);
  ASSERT_TRUE(registry_->CatchUp(made->place).ok());
  EXPECT_THAT(applied_, ElementsAre(1));
  made = registry_->Commit(changes);
  ASSERT_TRUE(made.ok());
  EXPECT_TRUE(made->is_made);
}

TEST_F(SharedRegistryTest, WhatIsMissedIsReadAnew) {
  store_->AwaitFollowings(1);
  store_->Commit(/*tells=*/false);
  store_->Commit(/*tells=*/true);  // after one that never came
  ApplyWhatComes();
  EXPECT_THAT(applied_, ElementsAre(0));
  EXPECT_TRUE(Await().get().ok());
  store_->Commit(/*tells=*/true);
  ApplyWhatComes();
  EXPECT_THAT(applied_, ElementsAre(0, 3));
}

TEST_F(SharedRegistryTest, WhereHistoryIsGoneEverythingIsReadAnew) {
  store_->AwaitFollowings(1);
  store_->Commit(/*tells=*/false);
  store_->EndFollowing(absl::OutOfRangeError("compacted"));
  ApplyWhatComes();
  EXPECT_THAT(applied_, ElementsAre(0));
  EXPECT_TRUE(Await().get().ok());
}

TEST_F(SharedRegistryTest, WhereTheStoreIsPutBackEverythingIsReadAnew) {
  store_->Commit(/*tells=*/true);
  ApplyWhatComes();
  store_->GoBack(0);
  std::future<absl::Status> fresh = Await();
  ApplyWhatComes();
  EXPECT_TRUE(fresh.get().ok());
  EXPECT_THAT(applied_, ElementsAre(1, 0));
}

// One who waits for a commit that was lost with the store's later state is in nobody's way.
TEST_F(SharedRegistryTest, OldStateWaiters_DoNotHoldNewStateWaiters) {
  // Of three questions the third is asked once those of the second wait.
  const auto ask_at = [this](CommitPlace newest) {
    store_->GoBack(newest);
    const int asked = store_->asked();
    std::future<absl::Status> answer = Await();
    while (store_->asked() == asked) std::this_thread::yield();
    return answer;
  };
  std::future<absl::Status> of_before = ask_at(1000);
  std::future<absl::Status> of_now = ask_at(500);
  std::future<absl::Status> after_it = ask_at(500);
  registry_->Made(500);
  EXPECT_TRUE(after_it.get().ok());
  EXPECT_TRUE(of_now.get().ok());
  registry_.reset();
  EXPECT_EQ(of_before.get().code(), absl::StatusCode::kUnavailable);
}

TEST_F(SharedRegistryTest, WhoWaitsAtTheEndIsRefused) {
  store_->Commit(/*tells=*/false);
  std::future<absl::Status> fresh = Await();
  registry_->Stop();
  const absl::Status status = fresh.get();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(server::ErrorOf(status).field(), "store");
  EXPECT_EQ(Await().get().code(), absl::StatusCode::kUnavailable);
}

class ImpatientRegistryTest : public SharedRegistryTest {
 protected:
  ImpatientRegistryTest() : SharedRegistryTest(absl::Milliseconds(20)) {}
};

TEST_F(ImpatientRegistryTest, WhoGetsNoAnswerIsRefused) {
  store_->FailWith(absl::UnavailableError("no leader"));
  const absl::Status status = Await().get();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(server::ErrorOf(status).value(), "no leader");
  store_->FailWith(absl::OkStatus());
  EXPECT_TRUE(Await().get().ok());
}

// While it is read anew, or cannot be, nobody waits for ever, and nobody asks it all the time.
TEST_F(ImpatientRegistryTest, WhoAsksWhileAStoreThatWasPutBackIsReadIsRefused) {
  store_->Commit(/*tells=*/true);
  ApplyWhatComes();
  store_->GoBack(0);
  const int before = store_->asked();
  const absl::Status status = Await().get();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(server::ErrorOf(status).value(), "it was put back to an earlier state");
  // Once when it came and once after the pause; one may have been under way.
  EXPECT_LE(store_->asked(), before + 3);
  ApplyWhatComes();
  EXPECT_TRUE(Await().get().ok());
}

// What is asked of it goes on being answered, and tells nothing of its commits.
TEST_F(ImpatientRegistryTest, AStoreThatTakesNoCommitsIsTriedUntilItDoes) {
  RegistryChanges changes;
  changes.names.push_back({"name", nullptr});
  store_->RefuseCommits(absl::ResourceExhaustedError("no space"));
  EXPECT_EQ(registry_->Commit(changes).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(AskUntilTold(/*is_well=*/false).message(), "no space");
  EXPECT_TRUE(registry_->status().ok());
  store_->RefuseCommits(absl::OkStatus());
  EXPECT_TRUE(AskUntilTold(/*is_well=*/true).ok());
  EXPECT_TRUE(registry_->Commit(changes).ok());
}

class SeldomProbedRegistryTest : public SharedRegistryTest {
 protected:
  SeldomProbedRegistryTest() : SharedRegistryTest(absl::Minutes(10), absl::Hours(1)) {}
};

TEST_F(SeldomProbedRegistryTest, QuestionsDoNotMakeItWriteMoreOften) {
  RegistryChanges changes;
  changes.names.push_back({"name", nullptr});
  store_->RefuseCommits(absl::ResourceExhaustedError("no space"));
  EXPECT_FALSE(registry_->Commit(changes).ok());
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(Await().get().ok());
  registry_->Stop();
  EXPECT_EQ(store_->probed(), 1);
}

// Who needs longer to begin than a commit may take to come is not interrupted for ever.
TEST_F(SharedRegistryTest, WhoIsSlowToBeginGetsMoreTime) {
  store_->AwaitFollowings(1);
  store_->BeSlowToBegin(absl::Milliseconds(150));
  store_->Interrupt();
  store_->AwaitFollowings(2);
  store_->Commit(/*tells=*/true);
  std::future<absl::Status> fresh = Await();
  ApplyWhatComes();
  EXPECT_TRUE(fresh.get().ok());
}

TEST_F(ImpatientRegistryTest, ACommitThatDoesNotComeIsLookedForElsewhere) {
  store_->Commit(/*tells=*/false);
  EXPECT_EQ(Await().get().code(), absl::StatusCode::kUnavailable);
  // Interrupted, it follows again.
  store_->AwaitFollowings(2);
}

}  // namespace
}  // namespace clearance::testing
