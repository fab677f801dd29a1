// SPDX-License-Identifier: Apache-2.0
//
// Messages that are too long for a polling thread to parse, but cheap to answer: their answers are
// those of short ones, and they are counted among what waited for a worker.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "server/transport/offload.h"
#include "tests/integration/service/harness.h"

namespace clearance::testing {
namespace {

constexpr std::uint32_t kRows = 600;

double DistanceOf(std::uint32_t row) { return 1 + row / 1024.0; }

// Returns a batch that an unknown field makes long enough.
v1::DistanceBatch LongBatch() {
  v1::DistanceBatch batch;
  batch.GetReflection()->MutableUnknownFields(&batch)->AddLengthDelimited(
      100, std::string(server::kMostBytesInPlace, 'x'));
  v1::PairColumns* const pairs = batch.mutable_pairs();
  pairs->set_count(kRows);
  for (std::uint32_t row = 0; row < kRows; ++row) {
    for (const double number : {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}) pairs->add_poses_a(number);
    // Beside unit spheres.
    const double x = 2 + DistanceOf(row);
    for (const double number : {x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}) pairs->add_poses_b(number);
  }
  batch.mutable_detail()->set_distances(true);
  return batch;
}

void ExpectRight(const v1::DistanceBatchResult& result) {
  ASSERT_EQ(result.distances_size(), static_cast<int>(kRows));
  for (std::uint32_t row = 0; row < kRows; ++row) {
    EXPECT_NEAR(result.distances(static_cast<int>(row)), DistanceOf(row), 1e-12) << row;
  }
}

std::uint64_t WaitedForWorkers(TestServer& server) {
  return server.metrics.queue_seconds().Collect().histogram.sample_count;
}

TEST(LongMessage, OfASessionIsTakenByAWorkerAndAnsweredAsAnyOther) {
  TestServer server;
  TestSession session(server);
  session.Open(0, Sphere(1));
  session.Open(1, Sphere(1));
  v1::SessionRequest request;
  request.set_tag(7);
  *request.mutable_distance() = LongBatch();
  const v1::SessionResponse response = session.Ask(request);
  EXPECT_EQ(response.tag(), 7u);
  ExpectRight(response.distance());
  // A message is counted when it is forgotten: before the next one is.
  session.Ask(request);
  EXPECT_GE(WaitedForWorkers(server), 1u);
}

TEST(LongMessage, OfACallIsTakenByAWorkerAndAnsweredAsAnyOther) {
  TestServer server;
  v1::DistanceRequest request;
  for (int i = 0; i < 2; ++i) *request.add_shapes()->mutable_inline_shape() = Sphere(1);
  *request.mutable_batch() = LongBatch();
  v1::DistanceResponse response;
  ASSERT_TRUE(Call(*server.queries, &v1::QueryService::Stub::Distance, request, &response).ok());
  ExpectRight(response.result());
  EXPECT_EQ(WaitedForWorkers(server), 1u);
}

}  // namespace
}  // namespace clearance::testing
