// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "server/guard/caller.h"
#include "server/observe/log.h"

namespace clearance::server {

struct RegistryChange {
  std::string_view action;  // "register", "replace" (a register that may replace) or "delete"
  std::string_view name;
  std::string_view digest;     // of the content that was registered or deleted; empty if not known
  std::uint64_t revision = 0;  // of the registry, after it; 0 if nothing changed
  std::string_view outcome;    // "changed", "unchanged" or the code of the refusal
};

// Writes one line for an attempt to change the registry: the caller, its address, the change and
// the outcome. These lines have a separate level, AUDIT, which no --log_level silences and by which
// they can be routed. None is held back, and one that could not be written is counted
// (log_writer.h). Thread-safe.
void WriteAudit(Log& log, const Caller& caller, const RegistryChange& change);

// Writes lines about callers that were not let in, and about sessions that the server ended because
// they held too much of what was deleted. There are only so many of each an hour: a client that
// tries a thousand times a second must not fill a disk. The metrics count them all. Thread-safe.
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
