// SPDX-License-Identifier: Apache-2.0
#include "server/guard/share_ledger.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "server/guard/refusal.h"
#include "tests/support/random.h"

namespace clearance::server {
namespace {

using testing::Random;

constexpr Resource kPlaces = {.limit = "max_places",
                              .advice = "end some",
                              .retry_after = absl::Seconds(1),
                              .caller_limit = "max_caller_places"};
constexpr Resource kBytes = {
    .limit = "max_bytes", .advice = "close some", .taken = Taken::kExactly};

class Places : public ::testing::Test {
 protected:
  // Returns how many of `wanted` places the caller gets, one by one.
  int Take(const std::string& caller, int wanted) {
    int got = 0;
    for (int i = 0; i < wanted; ++i) got += TakeOne(caller).ok() ? 1 : 0;
    return got;
  }
  absl::Status TakeOne(const std::string& caller) {
    auto place = std::make_unique<ShareLedger::Part>(places_, caller);
    absl::Status status = place->Take(1);
    if (status.ok()) taken_.push_back(std::move(place));
    return status;
  }

  prometheus::Gauge gauge_;
  ShareLedger places_{kPlaces, 16, &gauge_, 10};
  std::vector<std::unique_ptr<ShareLedger::Part>> taken_;
};

TEST_F(Places, OneCallerHasWhatAllOthersLeaveFree) {
  EXPECT_EQ(Take("a", 99), 8);
  EXPECT_EQ(Take("b", 99), 4);
  EXPECT_EQ(Take("c", 99), 2);
  EXPECT_EQ(gauge_.Value(), 14);
  const v1::Error error = ErrorOf(TakeOne("a"));
  EXPECT_EQ(error.code(), static_cast<int>(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(error.value(), "9 of one caller, 15 of all");
  EXPECT_EQ(error.limit(), "max_places <= 16, and of one caller what the others leave free");
  EXPECT_EQ(error.message(),
            "max_places: the caller's share is used up; end some, or repeat after `retry_after`");
  EXPECT_EQ(error.retry_after().seconds(), 1);
}

TEST_F(Places, TheLastIsForACallerWithoutAny) {
  Take("a", 99);
  Take("b", 99);
  Take("c", 99);
  EXPECT_EQ(Take("d", 2), 1);
  EXPECT_EQ(Take("e", 2), 1);
  EXPECT_EQ(ErrorOf(TakeOne("f")).message(),
            "max_places: the server's limit is reached; end some, or repeat after `retry_after`");
}

TEST_F(Places, WhatIsGivenBackIsThereAgain) {
  EXPECT_EQ(Take("a", 99), 8);
  taken_.resize(3);
  EXPECT_EQ(gauge_.Value(), 3);
  EXPECT_EQ(Take("a", 99), 5);
  taken_.clear();
  EXPECT_EQ(gauge_.Value(), 0);
  EXPECT_EQ(places_.held(), 0u);
}

TEST_F(Places, OneCallerMayHaveALimit) {
  ShareLedger places(kPlaces, 100, nullptr, 1);
  ShareLedger::Part first(places, "a"), second(places, "a"), of_another(places, "b");
  EXPECT_TRUE(first.Take(1).ok());
  EXPECT_EQ(ErrorOf(second.Take(1)).limit(), "max_caller_places <= 1");
  EXPECT_TRUE(of_another.Take(1).ok());
  EXPECT_EQ(of_another.TryTake(1, 1), Verdict::kCallerLimit) << "a limit of this request";
  EXPECT_EQ(of_another.TryTake(1, 2), Verdict::kCallerLimit) << "that of the ledger stays";
}

TEST(RefuseMore, NamesThePrincipalWhoseLimitItIs) {
  const v1::Error error = ErrorOf(RefuseMore(kPlaces, {.verdict = Verdict::kCallerLimit,
                                                       .given = "3",
                                                       .most = 2,
                                                       .field = "place",
                                                       .principal = "ann"}));
  EXPECT_EQ(error.field(), "place");
  EXPECT_EQ(error.value(), "3");
  EXPECT_EQ(error.limit(), "max_caller_places <= 2 of principal ann");
  EXPECT_EQ(error.message(),
            "max_caller_places: the principal's limit is reached; end some, or "
            "repeat after `retry_after`");
}

class Bytes : public ::testing::Test {
 protected:
  bool Take(const std::string& caller, std::uint64_t bytes) {
    parts_.push_back(std::make_unique<ShareLedger::Part>(bytes_, caller));
    return parts_.back()->Resize(bytes) == Verdict::kGranted;
  }

  prometheus::Gauge gauge_;
  ShareLedger bytes_{kBytes, 1000, &gauge_};
  std::vector<std::unique_ptr<ShareLedger::Part>> parts_;
};

TEST_F(Bytes, OneCallerHasHalfAndTheNextHalfOfTheRest) {
  EXPECT_FALSE(Take("a", 501));
  EXPECT_TRUE(Take("a", 500));
  EXPECT_FALSE(Take("a", 1));
  EXPECT_TRUE(Take("b", 250));
  EXPECT_FALSE(Take("b", 1));
  EXPECT_FALSE(Take("c", 126));
  EXPECT_TRUE(Take("c", 125));
  EXPECT_EQ(gauge_.Value(), 875);
}

TEST_F(Bytes, APartGrowsShrinksAndEnds) {
  {
    ShareLedger::Part part(bytes_, "a"), another(bytes_, "a");
    ASSERT_EQ(part.Resize(300), Verdict::kGranted);
    ASSERT_EQ(another.Resize(200), Verdict::kGranted);
    EXPECT_EQ(part.Resize(301), Verdict::kShare) << "both are of one caller";
    EXPECT_EQ(gauge_.Value(), 500);
    ASSERT_EQ(another.Resize(100), Verdict::kGranted);
    ASSERT_EQ(part.Resize(400), Verdict::kGranted);
    ASSERT_EQ(part.Resize(0), Verdict::kGranted);
    EXPECT_EQ(gauge_.Value(), 100);
  }
  EXPECT_EQ(gauge_.Value(), 0);
}

TEST_F(Bytes, NoAmountOverflows) {
  ShareLedger::Part part(bytes_, "a");
  EXPECT_NE(part.Resize(~std::uint64_t{0}), Verdict::kGranted);
  ASSERT_EQ(part.Resize(400), Verdict::kGranted);
  EXPECT_NE(part.Resize(~std::uint64_t{0}), Verdict::kGranted);
  EXPECT_EQ(gauge_.Value(), 400);
}

// Random requests of four callers with three parts each. The oracle counts by itself.
class LedgerModel {
 public:
  static constexpr int kCallers = 4, kPartsOfCaller = 3;
  static constexpr std::int64_t kMost = 60;

  LedgerModel(Taken taken, Random* random)
      : random_(*random), taken_(taken), ledger_({.limit = "max", .taken = taken}, kMost) {
    for (int i = 0; i < kCallers * kPartsOfCaller; ++i) {
      parts_.push_back(
          std::make_unique<ShareLedger::Part>(ledger_, std::to_string(i / kPartsOfCaller)));
    }
  }

  void Step() {
    const auto i = static_cast<std::size_t>(random_.Below(kCallers * kPartsOfCaller));
    if (random_.OneIn(3)) {
      parts_[i]->Release();
    } else {
      Ask(i, 1 + random_.Below(random_.OneIn(2) ? 4 : 40));
    }
    ASSERT_EQ(ledger_.held(), static_cast<std::uint64_t>(SumOf(0, parts_.size())));
  }
  int Count(Verdict verdict) const { return counts_[static_cast<std::size_t>(verdict)]; }
  int count_of_first() const { return count_of_first_; }

 private:
  std::int64_t SumOf(std::size_t begin, std::size_t end) const {
    std::int64_t sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += static_cast<std::int64_t>(parts_[i]->held());
    return sum;
  }

  void Ask(std::size_t i, std::int64_t more) {
    const std::size_t first = i - i % kPartsOfCaller;
    const std::int64_t own = SumOf(first, first + kPartsOfCaller);
    const std::int64_t others = SumOf(0, parts_.size()) - own;
    const std::int64_t free = kMost - own - others;
    const auto before = static_cast<std::int64_t>(parts_[i]->held());
    const Verdict verdict = parts_[i]->TryTake(static_cast<std::uint64_t>(more));
    const bool is_granted = verdict == Verdict::kGranted;
    ++counts_[static_cast<std::size_t>(verdict)];
    ASSERT_EQ(static_cast<std::int64_t>(parts_[i]->held()), before + (is_granted ? more : 0));
    if (taken_ == Taken::kExactly) {
      ASSERT_EQ(is_granted, own + more <= kMost - others - own - more);
      return;
    }
    const bool is_first = own == before && (free > 0 || others == 0);
    count_of_first_ += is_first && own + more > free ? 1 : 0;
    ASSERT_EQ(is_granted, is_first || own + more <= free);
    if (is_granted) return;
    ASSERT_EQ(verdict, free > 0 ? Verdict::kShare : Verdict::kFull);
  }

  Random& random_;
  const Taken taken_;
  ShareLedger ledger_;
  std::vector<std::unique_ptr<ShareLedger::Part>> parts_;
  std::array<int, 4> counts_{};
  int count_of_first_ = 0;  // granted because it was the first, not by the share
};

TEST(LedgerModel, WholeThings) {
  Random random(testing::RunSeed());
  LedgerModel model(Taken::kWhole, &random);
  const int steps = testing::Effort(20'000);
  for (int i = 0; i < steps && !::testing::Test::HasFatalFailure(); ++i) model.Step();
  EXPECT_GT(model.Count(Verdict::kGranted), steps / 10);
  EXPECT_GT(model.Count(Verdict::kShare), steps / 20);
  EXPECT_GT(model.Count(Verdict::kFull), steps / 100);
  EXPECT_GT(model.count_of_first(), steps / 50);
}

TEST(LedgerModel, ExactAmounts) {
  Random random(testing::RunSeed());
  LedgerModel model(Taken::kExactly, &random);
  const int steps = testing::Effort(20'000);
  for (int i = 0; i < steps && !::testing::Test::HasFatalFailure(); ++i) model.Step();
  EXPECT_GT(model.Count(Verdict::kGranted), steps / 10);
  EXPECT_GT(model.Count(Verdict::kShare), steps / 20);
}

// Threads of two callers, which take and give back as fast as they can.
TEST(ShareLedger, ConcurrentPartsNeverExceedTheLimit) {
  constexpr int kMost = 1;
  ShareLedger ledger(kPlaces, kMost);
  std::atomic<int> granted = 0, holding = 0, beyond = 0;
  std::latch start(4);
  const auto ask = [&](const std::string& caller) {
    ShareLedger::Part part(ledger, caller);
    start.arrive_and_wait();
    for (int i = 0; i < 1'000'000; ++i) {
      if (part.TryTake(1) != Verdict::kGranted) continue;
      ++granted;
      if (++holding > kMost) ++beyond;
      if (i % 16 == 0) std::this_thread::yield();  // others meet one that holds
      --holding;
      part.Release();
    }
  };
  std::vector<std::thread> threads;
  for (const char* const caller : {"a", "a", "b", "b"}) threads.emplace_back(ask, caller);
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(granted, 0);
  EXPECT_EQ(beyond, 0);
  EXPECT_EQ(ledger.held(), 0u);
  EXPECT_EQ(ledger.caller_count(), 0u);
}

}  // namespace
}  // namespace clearance::server
