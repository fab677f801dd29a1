// SPDX-License-Identifier: Apache-2.0
#include "internal/split.h"

#include <algorithm>

namespace clearance::client {
namespace {

// Bytes of a message beside its columns: options, detail, tag and the headers of all columns
// together stay below this.
constexpr std::uint64_t kEnvelopeBytes = 512;

// The bytes of a batch: in columns that have a row for each row, and in those that stand for all.
struct Weight {
  std::uint64_t shared = kEnvelopeBytes;
  std::uint64_t per_row = 0;
  bool fits = true;
};

template <class Batch>
Weight WeightOf(const Batch& batch) {
  const std::uint64_t count = RowCountOf(batch);
  Weight weight;
  VisitColumns(batch, [&](const auto& column, std::uint64_t width) {
    const std::uint64_t bytes = width * sizeof(column[0]);
    if (column.size() == width * count) {
      weight.per_row += bytes;
    } else if (column.size() == width) {
      weight.shared += bytes;
    } else if (!column.empty()) {
      weight.fits = false;
    }
  });
  return weight;
}

template <class Batch>
std::vector<RowRange> Split(const Batch& batch, const MessageLimits& limits) {
  const std::uint32_t count = RowCountOf(batch);
  const Weight weight = WeightOf(batch);
  if (!weight.fits || count == 0) return {{0, count}};
  std::uint64_t rows = std::min<std::uint64_t>(limits.max_rows, count);
  if (weight.per_row > 0) {
    const std::uint64_t room =
        limits.max_bytes > weight.shared ? limits.max_bytes - weight.shared : 0;
    rows = std::min(rows, room / weight.per_row);
  }
  rows = std::max<std::uint64_t>(rows, 1);
  std::vector<RowRange> ranges;
  for (std::uint64_t first = 0; first < count; first += rows) {
    ranges.push_back({static_cast<std::uint32_t>(first),
                      static_cast<std::uint32_t>(std::min(rows, count - first))});
  }
  return ranges;
}

}  // namespace

std::vector<RowRange> SplitRows(const DistanceBatch& batch, const MessageLimits& limits) {
  return Split(batch, limits);
}

std::vector<RowRange> SplitRows(const IntersectionBatch& batch, const MessageLimits& limits) {
  return Split(batch, limits);
}

std::vector<RowRange> SplitRows(const TimeOfCollisionBatch& batch, const MessageLimits& limits) {
  return Split(batch, limits);
}

std::vector<RowRange> SplitRows(const CheckBatch& batch, const MessageLimits& limits) {
  return Split(batch, limits);
}

std::vector<RowRange> SplitRows(const MinimumDistanceBatch& batch, const MessageLimits& limits) {
  return Split(batch, limits);
}

std::vector<RowRange> SplitRows(const NearestBatch& batch, const MessageLimits& limits) {
  return Split(batch, limits);
}

std::vector<RowRange> SplitRows(const OverlapBatch& batch, const MessageLimits& limits) {
  return Split(batch, limits);
}

std::vector<RowRange> SplitRows(const SweepBatch& batch, const MessageLimits& limits) {
  return Split(batch, limits);
}

std::vector<RowRange> SplitRows(const RayBatch& batch, const MessageLimits& limits) {
  return Split(batch, limits);
}

}  // namespace clearance::client
