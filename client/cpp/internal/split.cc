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

template <class T>
void AddColumn(const std::vector<T>& column, std::uint64_t width, std::uint64_t count,
               Weight* weight) {
  const std::uint64_t bytes = width * sizeof(T);
  if (column.size() == width * count) {
    weight->per_row += bytes;
  } else if (column.size() == width) {
    weight->shared += bytes;
  } else if (!column.empty()) {
    weight->fits = false;
  }
}

// Adds the columns of a batch, or of a part of it.
template <class Part>
// NOLINTNEXTLINE(readability-function-size): a branch for each name of columns.def
void AddColumns(const Part& part, std::uint64_t count, [[maybe_unused]] std::uint64_t body,
                Weight* weight) {
  [[maybe_unused]] const std::uint64_t row = 1;
#define QUESTION(name, width, each) \
  if constexpr (requires { part.name; }) AddColumn(part.name, (width) * (each), count, weight);
#include "proto/columns.def"
}

template <class Batch>
Weight WeightOf(const Batch& batch) {
  const std::uint64_t count = RowCountOf(batch);
  const std::uint64_t bodies = BodiesARow(batch);
  Weight weight;
  AddColumns(batch, count, bodies, &weight);
  if constexpr (requires { batch.pairs.count; }) AddColumns(batch.pairs, count, bodies, &weight);
  if constexpr (requires { batch.configurations; })
    AddColumns(batch.configurations, count, bodies, &weight);
  return weight;
}

}  // namespace

template <IsBatch Batch>
std::vector<RowRange> SplitRows(const Batch& batch, const MessageLimits& limits) {
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

#define QUERY(name, field, service, label, states) \
  template std::vector<RowRange> SplitRows(const name##Batch&, const MessageLimits&);
#include "proto/methods.def"

}  // namespace clearance::client
