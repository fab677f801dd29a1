// SPDX-License-Identifier: Apache-2.0
//
// Batches so large that several threads answer them: every row has the bits that it has in a
// separate small message, and rows that are refused stay in their places.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/integration/service/harness.h"
#include "tests/support/random.h"

namespace clearance::testing {
namespace {

constexpr std::uint32_t kSharedRows = 6'000;
constexpr std::uint32_t kSmallRows = 100;  // below what is shared
constexpr std::uint32_t kBadSlot = 7;

// Slot 0 a box, 1 a ring; rows ask for box against ring, now and then for a slot that is not open.
class Rows {
 public:
  explicit Rows(Random& random) {
    for (std::uint32_t i = 0; i < kSharedRows; ++i) {
      slots_b_.push_back(random.OneIn(50) ? kBadSlot : 1);
      const Vec3d p = random.Uniform(0.5, 5) * random.Direction();
      const Quaternion q = random.Rotation();
      poses_b_.insert(poses_b_.end(), {p.x, p.y, p.z, q.x, q.y, q.z, q.w});
      const Vec3d way = random.Uniform(0, 4) * random.Direction();
      ways_.insert(ways_.end(), {way.x, way.y, way.z});
    }
  }

  v1::PairColumns Pairs(std::uint32_t first, std::uint32_t count) const {
    v1::PairColumns pairs;
    pairs.set_count(count);
    pairs.add_slots_a(0);
    for (std::uint32_t i = first; i < first + count; ++i) pairs.add_slots_b(slots_b_[i]);
    for (std::uint32_t k = 7 * first; k < 7 * (first + count); ++k) pairs.add_poses_b(poses_b_[k]);
    return pairs;
  }

  v1::SessionRequest Distances(std::uint32_t first, std::uint32_t count, bool is_warm) const {
    v1::SessionRequest request;
    v1::DistanceBatch& batch = *request.mutable_distance();
    *batch.mutable_pairs() = Pairs(first, count);
    batch.set_warm_start(is_warm);
    batch.mutable_detail()->set_distances(true);
    batch.mutable_detail()->set_points(true);
    batch.mutable_detail()->set_normals(true);
    batch.mutable_detail()->set_bounds(true);
    return request;
  }

  v1::SessionRequest Times(std::uint32_t first, std::uint32_t count) const {
    v1::SessionRequest request;
    v1::TimeOfCollisionBatch& batch = *request.mutable_time_of_collision();
    *batch.mutable_pairs() = Pairs(first, count);
    for (std::uint32_t k = 3 * first; k < 3 * (first + count); ++k)
      batch.add_displacements_b(ways_[k]);
    return request;
  }

 private:
  std::vector<std::uint32_t> slots_b_;
  std::vector<double> poses_b_, ways_;
};

void OpenBoth(TestSession& session) {
  session.Open(0, Box(1));
  session.Open(1, RingHull(40));
}

// The rows of small replies as those of one.
template <class Result>
void Append(const Result& part, std::uint32_t first, Result* all) {
  Result renumbered = part;
  for (v1::Error& error : *renumbered.mutable_errors()) {
    error.set_index(error.index() + first);
    error.set_field("slots_b[" + std::to_string(error.index()) + "]");
  }
  renumbered.clear_count();
  renumbered.clear_first_row();
  renumbered.clear_total_count();
  all->MergeFrom(renumbered);
}

template <class Result>
std::string BytesOf(Result result) {
  result.clear_count();
  result.clear_first_row();
  result.clear_total_count();
  return result.SerializeAsString();
}

TEST(SharedBatch, OfDistancesHasTheBitsOfSmallOnes) {
  Random random(RunSeed());
  const Rows rows(random);
  TestServer server;
  TestSession session(server);
  OpenBoth(session);
  v1::DistanceBatchResult small;
  for (std::uint32_t first = 0; first < kSharedRows; first += kSmallRows) {
    Append(session.Ask(rows.Distances(first, kSmallRows, false)).distance(), first, &small);
  }
  ASSERT_EQ(small.states_size(), static_cast<int>(kSharedRows));
  EXPECT_GT(small.errors_size(), 50);
  for (const bool is_warm : {false, true, true}) {
    const v1::SessionResponse large = session.Ask(rows.Distances(0, kSharedRows, is_warm));
    EXPECT_EQ(large.distance().count(), kSharedRows);
    EXPECT_TRUE(BytesOf(large.distance()) == BytesOf(small)) << "warm " << is_warm;
  }
}

TEST(SharedBatch, OfTimesOfCollisionHasTheBitsOfSmallOnes) {
  Random random(RunSeed() + 1);
  const Rows rows(random);
  TestServer server;
  TestSession session(server);
  OpenBoth(session);
  v1::TimeOfCollisionBatchResult small;
  for (std::uint32_t first = 0; first < kSharedRows; first += kSmallRows) {
    Append(session.Ask(rows.Times(first, kSmallRows)).time_of_collision(), first, &small);
  }
  ASSERT_EQ(small.states_size(), static_cast<int>(kSharedRows));
  const v1::SessionResponse large = session.Ask(rows.Times(0, kSharedRows));
  EXPECT_TRUE(BytesOf(large.time_of_collision()) == BytesOf(small));
}

TEST(SharedBatch, OfSeveralSessionsAtOnceIsAnsweredInFull) {
  Random random(RunSeed() + 2);
  const Rows rows(random);
  TestServer server;
  constexpr int kAskers = 6;  // more than there are workers
  std::vector<std::unique_ptr<TestSession>> sessions;
  for (int i = 0; i < kAskers; ++i) {
    sessions.push_back(std::make_unique<TestSession>(server));
    OpenBoth(*sessions.back());
  }
  for (const auto& session : sessions)
    ASSERT_TRUE(session->Send(rows.Distances(0, kSharedRows, false)));
  std::string first_bytes;
  for (const auto& session : sessions) {
    v1::SessionResponse response;
    ASSERT_TRUE(session->Receive(&response));
    EXPECT_EQ(response.distance().count(), kSharedRows);
    if (first_bytes.empty()) first_bytes = BytesOf(response.distance());
    EXPECT_TRUE(BytesOf(response.distance()) == first_bytes);
  }
}

}  // namespace
}  // namespace clearance::testing
