// SPDX-License-Identifier: Apache-2.0
//
// One line of the log for each attempt to change the registry: the caller, its address, the change
// and the outcome. These lines have a separate level, AUDIT, which no --log_level silences and by
// which they can be routed. None is held back, and one that could not be written is counted
// (log_writer.h).

#pragma once

#include <cstdint>
#include <string_view>

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

// Writes the audit lines. Thread-safe.
class Audit {
 public:
  // `log` outlives this.
  explicit Audit(Log& log) : log_(log) {}

  void Write(const Caller& caller, const RegistryChange& change) const;

 private:
  Log& log_;
};

}  // namespace clearance::server
