// SPDX-License-Identifier: Apache-2.0
//
// Slices against the columns that they are cut from.

#include "server/engine/column_slice.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace clearance::server {
namespace {

constexpr std::uint32_t kSliceRows = 10;
constexpr RowRange kPart = {4, 3};

// Memory for columns, each its own.
class Room {
 public:
  absl::Span<int> States() { return absl::MakeSpan(states_.emplace_back(kSliceRows)); }
  absl::Span<double> Numbers() { return absl::MakeSpan(numbers_.emplace_back(kSliceRows)); }
  absl::Span<double> Vectors() { return absl::MakeSpan(numbers_.emplace_back(3 * kSliceRows)); }
  absl::Span<std::uint32_t> Counts() { return absl::MakeSpan(counts_.emplace_back(kSliceRows)); }
  absl::Span<bool> Flags() { return absl::MakeSpan(flags_.emplace_back()); }

 private:
  std::deque<std::vector<int>> states_;
  std::deque<std::vector<double>> numbers_;
  std::deque<std::vector<std::uint32_t>> counts_;
  std::deque<std::array<bool, kSliceRows>> flags_;
};

template <class Columns, class T>
void ExpectRows(const Columns& slice, const Columns& whole, absl::Span<T> Columns::*column) {
  const std::size_t numbers_a_row = (whole.*column).size() / kSliceRows;
  EXPECT_EQ((slice.*column).data(), (whole.*column).data() + numbers_a_row * kPart.first);
  EXPECT_EQ((slice.*column).size(), numbers_a_row * kPart.count);
}

template <class Columns, class... Column>
void ExpectAllRows(const Columns& slice, const Columns& whole, Column... column) {
  (ExpectRows(slice, whole, column), ...);
}

TEST(ColumnSlice, OfDistancesIsEveryColumnThatIsWanted) {
  using C = DistanceColumns;
  Room room;
  C whole;
  whole.states = room.States();
  for (const auto column : {&C::distances, &C::lower_bounds, &C::upper_bounds, &C::tolerances})
    whole.*column = room.Numbers();
  for (const auto column :
       {&C::points_a, &C::points_b, &C::normals, &C::relative_points_a, &C::relative_points_b}) {
    whole.*column = room.Vectors();
  }
  for (const auto column : {&C::iterations, &C::flags, &C::pieces_a, &C::pieces_b})
    whole.*column = room.Counts();
  for (const auto column : {&C::contacts_truncated, &C::depth_proofs_truncated})
    whole.*column = room.Flags();
  EXPECT_FALSE(HasLists(whole));
  ExpectAllRows(Slice(whole, kPart), whole, &C::states, &C::distances, &C::lower_bounds,
                &C::upper_bounds, &C::tolerances, &C::points_a, &C::points_b, &C::normals,
                &C::relative_points_a, &C::relative_points_b, &C::iterations, &C::flags,
                &C::pieces_a, &C::pieces_b, &C::contacts_truncated, &C::depth_proofs_truncated);
}

TEST(ColumnSlice, OfIntersectionsIsEveryColumnThatIsWanted) {
  using C = IntersectionColumns;
  Room room;
  C whole;
  whole.states = room.States();
  for (const auto column : {&C::lower_bounds, &C::upper_bounds}) whole.*column = room.Numbers();
  whole.iterations = room.Counts();
  EXPECT_FALSE(HasLists(whole));
  ExpectAllRows(Slice(whole, kPart), whole, &C::states, &C::lower_bounds, &C::upper_bounds,
                &C::iterations);
}

TEST(ColumnSlice, OfTimesOfCollisionIsEveryColumnThatIsWanted) {
  using C = TimeOfCollisionColumns;
  Room room;
  C whole;
  whole.states = room.States();
  for (const auto column : {&C::t_free, &C::t_hit, &C::t_leave, &C::distances})
    whole.*column = room.Numbers();
  for (const auto column : {&C::points_a, &C::points_b, &C::normals})
    whole.*column = room.Vectors();
  for (const auto column : {&C::iterations, &C::pieces_a, &C::pieces_b})
    whole.*column = room.Counts();
  whole.truncated = room.Flags();
  EXPECT_FALSE(HasLists(whole));
  ExpectAllRows(Slice(whole, kPart), whole, &C::states, &C::t_free, &C::t_hit, &C::t_leave,
                &C::distances, &C::points_a, &C::points_b, &C::normals, &C::iterations,
                &C::pieces_a, &C::pieces_b, &C::truncated);
}

TEST(ColumnSlice, OfColumnsThatAreNotWantedIsEmpty) {
  EXPECT_TRUE(Slice(DistanceColumns(), kPart).states.empty());
  EXPECT_TRUE(Slice(DistanceColumns(), kPart).points_a.empty());
  EXPECT_TRUE(Slice(TimeOfCollisionColumns(), kPart).t_free.empty());
}

TEST(ColumnSlice, KnowsTheColumnsThatAreLists) {
  WitnessColumns witnesses;
  ContactColumns contacts;
  DepthProofColumns depth_proofs;
  MotionProofColumns proofs;
  std::array<DistanceColumns, 3> distances;
  distances[0].witnesses = &witnesses;
  distances[1].contacts = &contacts;
  distances[2].depth_proofs = &depth_proofs;
  for (const DistanceColumns& columns : distances) EXPECT_TRUE(HasLists(columns));
  TimeOfCollisionColumns times;
  EXPECT_FALSE(HasLists(times));
  times.proofs = &proofs;
  EXPECT_TRUE(HasLists(times));
}

}  // namespace
}  // namespace clearance::server
