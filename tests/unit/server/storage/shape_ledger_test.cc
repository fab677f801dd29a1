// SPDX-License-Identifier: Apache-2.0

#include "server/storage/shape_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "server/guard/refusal.h"
#include "tests/unit/server/storage/stored_shapes.h"

namespace clearance::testing {
namespace {

using server::RegistryChanges;
using server::ShapeChange;
using server::ShapeLedger;
using server::ShapeOutcome;
using ::testing::ElementsAre;

// A store whose commits wait until they are let through, and end as the test says.
class FakeStore final : public server::ShapeStore {
 public:
  absl::Status Commit(const RegistryChanges& changes) override {
    std::unique_lock lock(mutex_);
    ++begun_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return is_open_; });
    if (status_.ok()) commits_.push_back(changes.names.size());
    return status_;
  }
  absl::Status Probe() override {
    const std::lock_guard lock(mutex_);
    ++probes_;
    changed_.notify_all();
    return status_;
  }
  absl::StatusOr<server::StoredNames> ReadNames() override { return server::StoredNames{}; }
  absl::Status ReadScenes(const VisitRecord&) override { return absl::OkStatus(); }
  absl::Status ReadContents(const Part&, const Visit&) const override { return absl::OkStatus(); }
  std::uint64_t byte_size() const override { return 4096; }

  void Close() {
    Set([this] { is_open_ = false; });
  }
  void LetThrough() {
    Set([this] { is_open_ = true; });
  }
  void EndWith(absl::Status status) {
    Set([&] { status_ = std::move(status); });
  }
  void AwaitCommit(int number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return begun_ >= number; });
  }
  void AwaitProbe() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, before = probes_] { return probes_ > before; });
  }
  // Names of each commit that succeeded.
  std::vector<std::size_t> commits() {
    const std::lock_guard lock(mutex_);
    return commits_;
  }

 private:
  template <class Change>
  void Set(Change change) {
    const std::lock_guard lock(mutex_);
    change();
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = true;
  int begun_ = 0;
  int probes_ = 0;
  absl::Status status_;
  std::vector<std::size_t> commits_;
};

ShapeChange Registering(const std::string& name, double radius) {
  return {.name = name, .content = Ball(radius), .options = {}, .etag = ""};
}

ShapeChange Failing(const std::string& name, const char* why) {
  return {.name = name, .content = absl::InvalidArgumentError(why), .options = {}, .etag = ""};
}

ShapeChange Deleting(const std::string& name) {
  return {.name = name, .content = server::ShapeContentPtr(), .options = {}, .etag = ""};
}

using Outcomes = std::vector<ShapeOutcome>;

class ShapeLedgerTest : public ::testing::Test {
 protected:
  std::future<Outcomes> Submit(std::vector<ShapeChange> changes) {
    auto promise = std::make_shared<std::promise<Outcomes>>();
    ledger_.Submit(std::move(changes),
                   [promise](Outcomes outcomes) { promise->set_value(std::move(outcomes)); });
    return promise->get_future();
  }
  bool IsVisible(const char* name) { return registry_.FindByName(name).ok(); }

  server::Metrics metrics_{"test"};
  server::Registry registry_{{}, nullptr};
  server::SceneRegistry scenes_{{}, nullptr};
  FakeStore* store_ = new FakeStore;  // the ledger's
  ShapeLedger ledger_{{.registry = registry_,
                       .store = std::unique_ptr<server::ShapeStore>(store_),
                       .metrics = &metrics_,
                       .scenes = scenes_}};
};

TEST_F(ShapeLedgerTest, ShowsAndAcknowledgesANameOnceItIsStored) {
  store_->Close();
  auto outcomes = Submit({Registering("a", 1)});
  store_->AwaitCommit(1);
  EXPECT_FALSE(IsVisible("a"));
  EXPECT_EQ(outcomes.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  store_->LetThrough();
  EXPECT_TRUE(outcomes.get()[0].ok());
  EXPECT_TRUE(IsVisible("a"));
}

TEST_F(ShapeLedgerTest, StoresTogetherWhatWaitsTogether) {
  store_->Close();
  std::vector<std::future<Outcomes>> waiting;
  waiting.push_back(Submit({Registering("first", 1)}));
  store_->AwaitCommit(1);
  for (int i = 0; i < 50; ++i) waiting.push_back(Submit({Registering("n" + std::to_string(i), 2)}));
  store_->LetThrough();
  for (auto& outcomes : waiting) EXPECT_TRUE(outcomes.get()[0].ok());
  EXPECT_THAT(store_->commits(), ElementsAre(1, 50));
  EXPECT_EQ(metrics_.store().commits->Value(), 2);
}

TEST_F(ShapeLedgerTest, WorksEachChangeOutOnThoseBeforeIt) {
  const Outcomes outcomes =
      Submit({Registering("a", 1), Registering("a", 1), Registering("a", 2), Deleting("a"),
              Registering("a", 2), Deleting("b"), Failing("c", "no shape")})
          .get();
  EXPECT_TRUE(outcomes[0]->created);
  EXPECT_FALSE(outcomes[1]->created);
  EXPECT_EQ(outcomes[2].status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(outcomes[3]->revision, 2u);
  EXPECT_EQ(outcomes[4]->revision, 3u);
  EXPECT_EQ(outcomes[5].status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(outcomes[6].status().message(), "no shape");
  EXPECT_EQ(registry_.FindByName("a")->shape.content->digest, Ball(2)->digest);
  EXPECT_THAT(store_->commits(), ElementsAre(1));
}

TEST_F(ShapeLedgerTest, RefusesWhatItCannotStoreAndNothingElse) {
  ASSERT_TRUE(Submit({Registering("a", 1)}).get()[0].ok());
  store_->EndWith(absl::UnavailableError("no disk"));
  const Outcomes outcomes = Submit({Registering("a", 1), Registering("b", 2), Registering("b", 2),
                                    Registering("b", 3), Registering("a", 9), Deleting("a")})
                                .get();
  EXPECT_TRUE(outcomes[0].ok()) << "it was there before";
  for (const int i : {1, 2, 3, 5}) {
    EXPECT_EQ(outcomes[i].status().code(), absl::StatusCode::kUnavailable) << i;
    EXPECT_EQ(server::ErrorOf(outcomes[i].status()).field(), "data_dir");
  }
  EXPECT_EQ(outcomes[4].status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(IsVisible("a"));
  EXPECT_FALSE(IsVisible("b"));
  EXPECT_EQ(registry_.revision(), 1u);
  EXPECT_GE(metrics_.store().failures->Value(), 1);
}

TEST_F(ShapeLedgerTest, SaysThatTheDiskIsFull) {
  store_->EndWith(absl::ResourceExhaustedError("full"));
  const Outcomes outcomes = Submit({Registering("a", 1)}).get();
  EXPECT_EQ(outcomes[0].status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(server::ErrorOf(outcomes[0].status()).value(), "the disk is full");
  EXPECT_TRUE(server::ErrorOf(outcomes[0].status()).has_retry_after());
}

TEST_F(ShapeLedgerTest, IsUnhealthyUntilATrialSucceeds) {
  std::mutex mutex;
  std::condition_variable told;
  std::vector<bool> states;
  ledger_.WatchHealth([&](bool is_healthy) {
    const std::lock_guard lock(mutex);
    states.push_back(is_healthy);
    told.notify_all();
  });
  store_->EndWith(absl::UnavailableError("no disk"));
  EXPECT_FALSE(Submit({Registering("a", 1)}).get()[0].ok());
  store_->AwaitProbe();
  store_->EndWith(absl::OkStatus());
  {
    std::unique_lock lock(mutex);
    told.wait(lock, [&] { return states.size() == 3; });
    EXPECT_THAT(states, ElementsAre(true, false, true));
  }
  ledger_.WatchHealth(nullptr);
  EXPECT_TRUE(Submit({Registering("a", 1)}).get()[0].ok());
}

TEST_F(ShapeLedgerTest, LetsNoMoreWaitThanItMayHold) {
  store_->Close();
  auto first = Submit({Registering("first", 1)});
  store_->AwaitCommit(1);
  // A change counts as 256 bytes at least.
  std::vector<ShapeChange> many(600'000, Deleting("nobody"));
  auto second = Submit(many);
  const Outcomes refused = Submit(many).get();
  EXPECT_EQ(refused[0].status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(server::ErrorOf(refused[0].status()).field(), "data_dir");
  store_->LetThrough();
  EXPECT_TRUE(first.get()[0].ok());
  EXPECT_EQ(second.get()[0].status().code(), absl::StatusCode::kNotFound);
}

TEST(ShapeLedger, WithoutAStoreChangesTheRegistryAlone) {
  server::Registry registry({}, nullptr);
  server::SceneRegistry scenes({}, nullptr);
  std::promise<Outcomes> done;
  ShapeLedger ledger({.registry = registry, .store = nullptr, .scenes = scenes});
  ledger.Submit({Registering("a", 1)}, [&](Outcomes outcomes) { done.set_value(outcomes); });
  EXPECT_TRUE(done.get_future().get()[0].ok());
  EXPECT_TRUE(registry.FindByName("a").ok());
}

}  // namespace
}  // namespace clearance::testing
