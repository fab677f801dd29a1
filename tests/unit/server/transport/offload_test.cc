// SPDX-License-Identifier: Apache-2.0
//
// Work in parts: every part once, whoever does it, and each waits for its turn.

#include "server/transport/offload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <latch>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace clearance::server {
namespace {

constexpr std::uint64_t kCost = 10 * kMaxCheapCost;

// A part that is done whatever time it has.
template <class Part>
auto Done(Part part) {
  return [part = std::move(part)](std::size_t i, SteadyTime /*end*/) {
    part(i);
    return true;
  };
}

// A stream that has one work at a time done and waits for it.
class Stream {
 public:
  Stream(WorkerPool& pool, std::string group) : account_(pool), group_(std::move(group)) {}
  ~Stream() { queue_.Shutdown(); }

  // Returns at once where the work is dear.
  void Begin(std::uint64_t cost, Offload::Work work) {
    is_done_ = false;
    Run(cost, 0, std::move(work));
  }
  // The same of work that cannot be cut.
  void BeginWhole(std::uint64_t cost, Offload::Work work) {
    is_done_ = false;
    Run(cost, cost, std::move(work));
  }
  // Until it is done; here the coroutine goes on.
  void Await() {
    void* tag = nullptr;
    bool ok = false;
    while (!is_done_ && queue_.Next(&tag, &ok)) static_cast<Completion*>(tag)->Complete(ok);
  }
  bool is_done() const { return is_done_; }
  // Counts what is handed over from now on.
  void CountBy(PendingWork* pending) { pending_ = pending; }

 private:
  Detached Run(std::uint64_t cost, std::uint64_t whole_cost, Offload::Work work) {
    Offload offload({account_, group_, &queue_, cost, whole_cost, pending_}, std::move(work));
    co_await offload;
    is_done_ = true;
  }

  grpc::CompletionQueue queue_;
  WorkerPool::Account account_;
  const std::string group_;
  PendingWork* pending_ = nullptr;
  bool is_done_ = false;
};

TEST(Offload, DoesCheapWorkInPlace) {
  WorkerPool pool(0);
  Stream stream(pool, "one");
  std::string order;
  stream.Begin(kMaxCheapCost, [&](Parts*) { order += 'b'; });
  EXPECT_TRUE(stream.is_done());
  EXPECT_EQ(order, "b");
}

TEST(Offload, DoesEveryPartOnceAndThenFinishes) {
  WorkerPool pool(3);
  for (const std::size_t parts : {1U, 2U, 3U, 50U}) {
    for (const bool is_in_order : {false, true}) {
      Stream stream(pool, "one");
      std::vector<std::atomic<int>> calls(parts);
      int sum = 0;
      stream.Begin(kCost, [&](Parts* left) {
        *left = {parts, is_in_order, Done([&](std::size_t i) { ++calls[i]; }), [&] {
                   for (const auto& count : calls) sum += count;
                 }};
      });
      stream.Await();
      EXPECT_EQ(sum, static_cast<int>(parts)) << parts << " parts";
      for (const std::atomic<int>& count : calls) EXPECT_EQ(count, 1) << parts << " parts";
    }
  }
}

TEST(Offload, ConclusionComesAfterAllPartsOfTheWork) {
  WorkerPool pool(2);
  for (const std::uint64_t cost : {kMaxCheapCost, kCost}) {
    for (const std::size_t parts : {0U, 1U, 5U}) {
      Stream stream(pool, "one");
      std::atomic<std::size_t> done = 0;
      std::size_t done_by_finish = 99, done_by_last = 99;
      int lasts = 0;
      stream.Begin(cost, [&](Parts* left) {
        if (parts > 0)
          *left = {parts, false, Done([&](std::size_t) { ++done; }),
                   [&] { done_by_finish = done; }};
        Conclude(left, [&] {
          done_by_last = done;
          ++lasts;
        });
      });
      stream.Await();
      EXPECT_EQ(done_by_finish, parts > 0 ? parts : 99) << parts << " parts";
      EXPECT_EQ(done_by_last, parts);
      EXPECT_EQ(lasts, 1);
    }
  }
}

TEST(CostOfTaking, SendsLongMessagesToWorkersAndGrowsWithThem) {
  EXPECT_EQ(CostOfTaking(0), 0u);
  EXPECT_EQ(CostOfTaking(kMostBytesInPlace), 0u);
  EXPECT_GT(CostOfTaking(kMostBytesInPlace + 1), kMaxCheapCost);
  EXPECT_GT(CostOfTaking(32 * kMostBytesInPlace), 10 * kMaxCheapCost);
}

TEST(Offload, WorkWithoutPartsIsDoneOnAWorker) {
  WorkerPool pool(1);
  Stream stream(pool, "one");
  std::thread::id worker;
  stream.Begin(kDear, [&](Parts*) { worker = std::this_thread::get_id(); });
  stream.Await();
  EXPECT_NE(worker, std::this_thread::get_id());
  EXPECT_NE(worker, std::thread::id());
}

// Each part waits until the other thread has come to its own.
TEST(Offload, PartsAreDoneSideBySide) {
  WorkerPool pool(2);
  Stream stream(pool, "one");
  std::latch both_here(2);
  stream.Begin(kCost, [&](Parts* left) {
    *left = {2, false, Done([&](std::size_t) { both_here.arrive_and_wait(); }), [] {}};
  });
  stream.Await();
  EXPECT_TRUE(both_here.try_wait());
}

TEST(Offload, PartsInOrderComeOneAfterAnother) {
  WorkerPool pool(4);
  Stream stream(pool, "one");
  std::atomic<int> at_once = 0, most_at_once = 0;
  std::mutex mutex;
  std::string order;
  stream.Begin(kCost, [&](Parts* left) {
    const auto part = [&](std::size_t i) {
      most_at_once = std::max<int>(most_at_once, ++at_once);
      for (int k = 0; k < 1000; ++k) std::this_thread::yield();  // gives others their chance
      const std::lock_guard lock(mutex);
      order += std::to_string(i);
      --at_once;
    };
    *left = {8, true, Done(part), [&] { order += 'f'; }};
  });
  stream.Await();
  EXPECT_EQ(order, "01234567f");
  EXPECT_EQ(most_at_once, 1);
}

// The one worker is held in the first part of the large work while the small one comes.
TEST(Offload, SmallWorkWaitsForOnePartOfLarge) {
  WorkerPool pool(1);
  Stream large(pool, "large"), small(pool, "small");
  std::latch has_begun(1), release(1);
  std::string order;
  large.Begin(kCost, [&](Parts* left) {
    *left = {5, false, Done([&](std::size_t i) {
               order += 'L';
               if (i > 0) return;
               has_begun.count_down();
               release.wait();
             }),
             [] {}};
  });
  has_begun.wait();
  small.Begin(kDear, [&](Parts*) { order += 's'; });
  release.count_down();
  small.Await();
  large.Await();
  EXPECT_EQ(order, "LsLLLL");
}

// The one thread for turns is free while another one does what takes longer than a turn.
TEST(Offload, WhatIsNotDoneInItsTurnKeepsNobodyFromTheirs) {
  WorkerPool pool(1);
  Stream large(pool, "large"), small(pool, "small");
  std::latch has_begun(1), release(1);
  std::atomic<int> cut = 0, whole = 0;
  large.Begin(kCost, [&](Parts* left) {
    *left = {2, false,
             [&](std::size_t i, SteadyTime /*end*/) {
               // Once in its turn and twice beside it.
               if (i == 0 && cut < 3) {
                 ++cut;
                 return false;
               }
               if (i == 0) {
                 has_begun.count_down();
                 release.wait();
               }
               ++whole;
               return true;
             },
             [] {}};
  });
  has_begun.wait();
  small.Begin(kDear, [](Parts*) {});
  small.Await();
  release.count_down();
  large.Await();
  EXPECT_EQ(cut, 3);
  EXPECT_EQ(whole, 2);
}

TEST(Offload, WhatCannotBeCutIsDoneBesideTheTurns) {
  WorkerPool pool(1);
  Stream large(pool, "large"), small(pool, "small");
  std::latch has_begun(1), release(1);
  large.BeginWhole(1'000'000, [&](Parts*) {
    has_begun.count_down();
    release.wait();
  });
  has_begun.wait();
  small.Begin(kDear, [](Parts*) {});
  small.Await();
  release.count_down();
  large.Await();
}

TEST(Offload, PartsThatAreLeftInPlaceAreDoneByWorkers) {
  WorkerPool pool(2);
  Stream stream(pool, "one");
  const std::thread::id here = std::this_thread::get_id();
  std::atomic<int> in_place = 0, at_workers = 0;
  const auto count = [&] { ++(std::this_thread::get_id() == here ? in_place : at_workers); };
  bool is_finished = false;
  stream.Begin(0, [&](Parts* left) {
    count();
    *left = {.count = 3, .part = Done([&](std::size_t) { count(); }), .finish = [&] {
               is_finished = true;
             }};
  });
  stream.Await();
  EXPECT_TRUE(is_finished);
  EXPECT_EQ(in_place, 1);
  EXPECT_EQ(at_workers, 3);
}

TEST(Offload, WorkHandedOverIsPendingUntilItIsReleased) {
  Metrics metrics("test");
  WorkerPool pool(1, kCost);
  PendingWork pending(metrics, pool);
  Stream stream(pool, "one");
  stream.CountBy(&pending);
  std::uint64_t in_place = 1, at_workers = 0;
  stream.Begin(0, [&](Parts* left) {
    in_place = pool.pending().held();
    *left = {.count = 2,
             .part = Done([&](std::size_t) { at_workers = pool.pending().held(); }),
             .finish = [] {},
             .cost = 2 * kCost};
  });
  stream.Await();
  EXPECT_EQ(in_place, 0u);
  EXPECT_EQ(at_workers, 2 * kCost) << "however much it is: it has begun";
  EXPECT_FALSE(PendingWork(metrics, pool).Take("two", kDear).ok());
  pending.Release();
  EXPECT_TRUE(PendingWork(metrics, pool).Take("two", kDear).ok());
}

// The stream whose work turned out to cost less goes first the next time.
TEST(Offload, IsChargedForWhatItTurnsOutToCost) {
  for (const bool has_parts : {false, true}) {
    WorkerPool pool(1);
    Stream blocker(pool, "blocker"), dear(pool, "dear"), cheap(pool, "cheap");
    const auto work = [has_parts](std::uint64_t cost) {
      return [=](Parts* left) {
        if (has_parts) *left = {1, false, Done([](std::size_t) {}), [] {}};
        left->cost = cost;
      };
    };
    dear.Begin(kCost, work(5 * kMaxCheapCost));
    dear.Await();
    cheap.Begin(kCost, work(2 * kMaxCheapCost));
    cheap.Await();
    std::latch has_begun(1), release(1);
    blocker.Begin(kDear, [&](Parts*) {
      has_begun.count_down();
      release.wait();
    });
    has_begun.wait();
    std::string order;
    dear.Begin(kDear, [&](Parts*) { order += 'd'; });
    cheap.Begin(kDear, [&](Parts*) { order += 'c'; });
    release.count_down();
    for (Stream* const stream : {&blocker, &dear, &cheap}) stream->Await();
    EXPECT_EQ(order, "cd") << (has_parts ? "in parts" : "whole");
  }
}

}  // namespace
}  // namespace clearance::server
