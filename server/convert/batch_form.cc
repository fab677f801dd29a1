// SPDX-License-Identifier: Apache-2.0

#include "server/convert/batch_form.h"

#include <algorithm>
#include <cmath>

namespace clearance::server {

absl::Status CheckCount(const char* field, std::uint64_t count, const Limits& limits) {
  if (count == 0) {
    return RefuseArgument({.reason = Reason::kBatchEmpty,
                           .field = field,
                           .value = "0",
                           .limit = ">= 1",
                           .message = "A batch has at least one row; set `count`."});
  }
  return CheckMost(count, {"max_batch_rows", limits.max_batch_rows},
                   {.reason = Reason::kBatchTooLarge,
                    .field = field,
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
      {.reason = Reason::kNumberOutOfRange,
       .field = "options.time_budget",
       .value = std::to_string(budget.seconds()) + " s " + std::to_string(budget.nanos()) + " ns",
       .limit = ">= 0 s, 0 to 999999999 ns",
       .message = "invalid time budget: send a duration >= 0"});
}

absl::Status CheckMaxPairs(std::uint64_t max_pairs, const Limits& limits) {
  return CheckMost(max_pairs, {"max_row_pairs", limits.max_row_pairs},
                   {.reason = Reason::kTooManyPairs,
                    .field = "max_pairs",
                    .message = "The batch lists too many pairs a row; ask for fewer."});
}

absl::Status CheckNotNegative(const char* field, double number) {
  if (std::isfinite(number) && number >= 0) return absl::OkStatus();
  return RefuseArgument(
      {.reason = Reason::kNumberOutOfRange,
       .field = field,
       .value = FormatNumber(number),
       .limit = "finite, >= 0",
       .message = std::string("invalid ") + field + ": send a finite number >= 0"});
}

absl::Duration TimeBudgetOf(const v1::BatchOptions& options) {
  if (!options.has_time_budget()) return absl::InfiniteDuration();
  return absl::Seconds(options.time_budget().seconds()) +
         absl::Nanoseconds(options.time_budget().nanos());
}

std::uint64_t MaxReplyBytesOf(const v1::BatchOptions& options, const Limits& limits) {
  constexpr std::uint64_t kDefaultReplyBytes = 4194304;
  const std::uint64_t accepted = options.max_reply_bytes();
  return std::min(accepted == 0 ? kDefaultReplyBytes : accepted, limits.max_reply_bytes);
}

}  // namespace clearance::server
