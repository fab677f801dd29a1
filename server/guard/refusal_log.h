// SPDX-License-Identifier: Apache-2.0
//
// Lines about callers that were not let in, and about sessions that the server ended because they
// held too much of what was deleted. There are only so many of each an hour: a client that tries a
// thousand times a second must not fill a disk. The metrics count them all.

#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "server/guard/caller.h"
#include "server/observe/log.h"
#include "server/observe/log_allowance.h"

namespace clearance::server {

// Writes these lines. Thread-safe.
class RefusalLog {
 public:
  // `log` outlives this.
  explicit RefusalLog(Log& log) : log_(log) {}

  void Write(const Caller& caller, std::string_view method, const absl::Status& status);
  void WriteEndOfHolder(const Caller& caller);

 private:
  static constexpr std::uint64_t kLinesAnHour = 100;

  Log& log_;
  LogAllowance allowance_{kLinesAnHour};
  LogAllowance allowance_of_ends_{kLinesAnHour};
};

}  // namespace clearance::server
