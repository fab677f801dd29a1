// SPDX-License-Identifier: Apache-2.0

#include "server/convert/batch_form.h"

namespace clearance::server {

absl::Status CheckCount(const char* field, std::uint64_t count, const Limits& limits) {
  if (count == 0) {
    return RefuseArgument({.field = field,
                           .value = "0",
                           .limit = ">= 1",
                           .message = "A batch has at least one row; set `count`."});
  }
  if (count <= limits.max_batch_rows) return absl::OkStatus();
  return Refuse(absl::StatusCode::kResourceExhausted,
                {.field = field,
                 .value = FormatNumber(count),
                 .limit = "max_batch_rows <= " + FormatNumber(limits.max_batch_rows),
                 .message = "The batch has too many rows; split it."});
}

absl::Status CheckOptions(const v1::BatchOptions& options) {
  const auto& budget = options.time_budget();
  constexpr std::int64_t kMaxSeconds = 315576000000;  // of google.protobuf.Duration
  constexpr std::int32_t kNanosecondsInSecond = 1000000000;
  const bool is_budget = budget.seconds() >= 0 && budget.seconds() <= kMaxSeconds &&
                         budget.nanos() >= 0 && budget.nanos() < kNanosecondsInSecond;
  if (is_budget) return absl::OkStatus();
  return RefuseArgument(
      {.field = "options.time_budget",
       .value = std::to_string(budget.seconds()) + " s " + std::to_string(budget.nanos()) + " ns",
       .limit = ">= 0 s, 0 to 999999999 ns",
       .message = "invalid time budget: send a duration >= 0"});
}

}  // namespace clearance::server
