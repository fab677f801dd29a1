// SPDX-License-Identifier: Apache-2.0
//
// The cutting of batches. Oracle: the ranges cover the batch without gap, and the real size of
// every message, as protobuf serialises it, keeps the limit.
#include "internal/split.h"

#include <gtest/gtest.h>

#include "clearance/v1/query_service.pb.h"
#include "internal/query_convert.h"

namespace clearance::client {
namespace {

constexpr std::uint64_t kMany = 1 << 30;

DistanceBatch FullBatch(std::uint32_t count) {
  DistanceBatch batch;
  batch.pairs.count = count;
  batch.pairs.slots_a.assign(count, 300);
  batch.pairs.slots_b.assign(count, 301);
  batch.pairs.poses_a.assign(7 * count, 0.5);
  batch.pairs.poses_b.assign(7 * count, 0.5);
  batch.max_distances.assign(count, 0.5);
  return batch;
}

std::uint32_t RowsCovered(const std::vector<RowRange>& ranges) {
  std::uint32_t next = 0;
  for (const RowRange& range : ranges) {
    EXPECT_EQ(range.first, next);
    EXPECT_GT(range.count, 0u);
    next += range.count;
  }
  return next;
}

TEST(SplitRows, LeavesABatchWithinTheLimitsWhole) {
  const std::vector<RowRange> ranges = SplitRows(FullBatch(100), {100, kMany});
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(ranges[0].count, 100u);
}

TEST(SplitRows, KeepsTheLimitOfRows) {
  const std::vector<RowRange> ranges = SplitRows(FullBatch(101), {25, kMany});
  EXPECT_EQ(ranges.size(), 5u);
  EXPECT_EQ(RowsCovered(ranges), 101u);
  EXPECT_EQ(ranges.back().count, 1u);
}

TEST(SplitRows, KeepsTheLimitOfBytesAsProtobufCountsThem) {
  const DistanceBatch batch = FullBatch(1000);
  for (const std::uint64_t limit : {1'000, 5'000, 20'000}) {
    const std::vector<RowRange> ranges = SplitRows(batch, {kMany, limit});
    EXPECT_GT(ranges.size(), 1u);
    EXPECT_EQ(RowsCovered(ranges), 1000u);
    for (const RowRange& range : ranges) {
      v1::SessionRequest request;
      request.set_tag(~0ull);
      ToProto(batch, range, request.mutable_distance());
      EXPECT_LE(request.ByteSizeLong(), limit);
    }
  }
}

TEST(SplitRows, CountsColumnsThatStandForAllRowsOnce) {
  DistanceBatch batch = FullBatch(1000);
  batch.pairs.poses_a.resize(7);
  batch.pairs.slots_a.clear();
  batch.pairs.slots_b.resize(1);
  // 64 bytes a row are left: 56 of the pose of B and 8 of the distance.
  const std::vector<RowRange> ranges = SplitRows(batch, {kMany, 64 * 500 + 2000});
  EXPECT_EQ(ranges.size(), 2u);
  EXPECT_EQ(RowsCovered(ranges), 1000u);
}

TEST(SplitRows, SendsSingleRowsWhereEvenOneIsTooLarge) {
  const std::vector<RowRange> ranges = SplitRows(FullBatch(3), {kMany, 10});
  EXPECT_EQ(ranges.size(), 3u);
}

TEST(SplitRows, LeavesAMalformedBatchToTheServer) {
  DistanceBatch batch = FullBatch(100);
  batch.max_distances.pop_back();
  EXPECT_EQ(SplitRows(batch, {10, kMany}).size(), 1u);
  EXPECT_EQ(SplitRows(DistanceBatch{}, {10, kMany}).size(), 1u);
}

TEST(SplitRows, CountsEveryColumnOfAMotion) {
  TimeOfCollisionBatch batch;
  batch.pairs = FullBatch(100).pairs;
  for (auto* column : {&batch.displacements_a, &batch.displacements_b, &batch.rotations_a,
                       &batch.rotations_b, &batch.pivots_a, &batch.pivots_b}) {
    column->assign(300, 0.5);
  }
  batch.end_poses_a.assign(700, 0.5);
  batch.end_poses_b.assign(700, 0.5);
  batch.target_distances.assign(100, 0.5);
  const std::uint64_t limit = 10'000;
  const std::vector<RowRange> ranges = SplitRows(batch, {kMany, limit});
  EXPECT_EQ(RowsCovered(ranges), 100u);
  for (const RowRange& range : ranges) {
    v1::SessionRequest request;
    ToProto(batch, range, request.mutable_time_of_collision());
    EXPECT_LE(request.ByteSizeLong(), limit);
    EXPECT_GT(request.ByteSizeLong(), limit / 2) << "of " << range.count << " rows";
    break;  // the last piece may be small
  }
}

}  // namespace
}  // namespace clearance::client
