// SPDX-License-Identifier: Apache-2.0
//
// Cuts batches that exceed a server's limits into runs of rows, each a separate message.

#pragma once

#include <cstdint>
#include <vector>

#include "clearance/query.h"
#include "clearance/scene_query.h"

namespace clearance::client {

// Rows first .. first + count - 1 of a batch.
struct RowRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

// The limits of one message.
struct MessageLimits {
  std::uint64_t max_rows = 0;
  std::uint64_t max_bytes = 0;
};

// A message whose rows are answered one by one.
template <class Message>
concept IsBatch = requires(const Message& message, const typename Message::Result& result) {
  message.options;
  result.undecided;
};

// Returns ranges that cover the batch in order, as few as the limits allow, of at least one row
// each. A batch whose columns do not fit its count comes back as one range: the server reports its
// fault.
template <IsBatch Batch>
std::vector<RowRange> SplitRows(const Batch& batch, const MessageLimits& limits);

// Returns the number of rows of a batch of any kind.
template <IsBatch Batch>
std::uint32_t RowCountOf(const Batch& batch) {
  if constexpr (requires { batch.pairs.count; }) {
    return batch.pairs.count;
  } else if constexpr (requires { batch.configurations; }) {
    return batch.configurations.count;
  } else {
    return batch.count;
  }
}

// Returns how many bodies a row has in columns that have numbers for each body. Zero: not known.
// Then a column with any numbers does not fit, and nothing is cut.
template <IsBatch Batch>
std::uint64_t BodiesARow(const Batch& batch) {
  if constexpr (requires { batch.configurations; }) {
    return batch.configurations.body_count;
  } else {
    return 1;
  }
}

}  // namespace clearance::client
