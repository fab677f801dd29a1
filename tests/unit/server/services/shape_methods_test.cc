// SPDX-License-Identifier: Apache-2.0
//
// Batches of shapes that several workers build. Oracle: the digest of each item alone.

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "server/convert/shape_content.h"
#include "server/services/methods.h"

namespace clearance::server {
namespace {

class PlannedBatch : public ::testing::Test {
 protected:
  // Hulls of 1 to 64 points, each with coordinates of its own: more points than one part takes.
  static v1::BatchRegisterHullsRequest ManyHulls() {
    v1::BatchRegisterHullsRequest request;
    for (int i = 0; i < 200; ++i) {
      request.add_names("hull/" + std::to_string(i));
      request.add_vertex_counts(static_cast<std::uint32_t>(1 + i % 64));
      for (int k = 0; k < 3 * (1 + i % 64); ++k) request.add_vertices(i + k * k % 101);
    }
    return request;
  }

  std::vector<ShapeChange> Plan(const v1::BatchRegisterHullsRequest& request, SteadyTime deadline) {
    const StopRule stop(is_in_vain_, SteadyNow(), deadline);
    std::vector<ShapeChange> changes;
    Parts left;
    const absl::Status status = PlanBatchRegisterHulls(scope_, request, stop, &changes, &left);
    EXPECT_TRUE(status.ok()) << status;
    DoOnThreads(left);
    return changes;
  }

 private:
  static void DoOnThreads(const Parts& left) {
    std::atomic<std::size_t> next = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        for (std::size_t part = next++; part < left.count; part = next++)
          left.part(part, SteadyTime::InfiniteFuture());
      });
    }
    for (std::thread& thread : threads) thread.join();
    if (left.count > 0) left.finish();
  }

  const Limits limits_{};
  Metrics metrics_{"test"};
  Registry registry_{limits_, &metrics_};
  WorkerPool workers_{0};
  SceneRegistry scenes_{limits_, &metrics_};
  ShapeLedger ledger_{{.registry = registry_, .store = nullptr, .scenes = scenes_}};
  const ServerParts parts_{limits_, registry_, metrics_, workers_, ledger_};
  const Caller caller_{};
  CallerRegistry caller_registry_{registry_, caller_, nullptr};
  const CallScope scope_{parts_, caller_, caller_registry_};
  const std::atomic<bool> is_in_vain_ = false;
};

TEST_F(PlannedBatch, HasEveryItemInItsPlace) {
  const v1::BatchRegisterHullsRequest request = ManyHulls();
  const std::vector<ShapeChange> changes = Plan(request, SteadyTime::InfiniteFuture());
  ASSERT_EQ(changes.size(), static_cast<std::size_t>(request.names_size()));
  const double* numbers = request.vertices().data();
  for (int i = 0; i < request.names_size(); ++i) {
    const double* const end = numbers + 3 * request.vertex_counts(i);
    v1::Shape alone;
    alone.mutable_hull()->mutable_vertices()->Add(numbers, end);
    numbers = end;
    const ShapeChange& change = changes[static_cast<std::size_t>(i)];
    EXPECT_EQ(change.name, request.names(i));
    ASSERT_TRUE(change.content.ok()) << change.content.status();
    ASSERT_NE(*change.content, nullptr);
    EXPECT_EQ((*change.content)->digest, DigestOf(alone));
  }
}

TEST_F(PlannedBatch, OfACallThatIsOverHasNothing) {
  EXPECT_TRUE(Plan(ManyHulls(), SteadyTime()).empty());
}

TEST_F(PlannedBatch, OfNoItemsIsEmpty) {
  EXPECT_TRUE(Plan({}, SteadyTime::InfiniteFuture()).empty());
}

}  // namespace
}  // namespace clearance::server
