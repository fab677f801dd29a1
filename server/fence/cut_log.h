// SPDX-License-Identifier: Apache-2.0
//
// Logs connections that were cut, so many lines an hour: a client that comes back to be cut again
// must not fill a disk. The metrics count all of them.

#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "server/fence/stream_fence.h"
#include "server/observe/log.h"
#include "server/observe/log_allowance.h"

namespace clearance::server {

// Thread-safe.
class CutLog {
 public:
  static constexpr std::uint64_t kLinesAnHour = 100;

  // `log` outlives this. Null: nothing is written.
  explicit CutLog(Log* log, SteadyClock clock = SteadyNow)
      : log_(log), clock_(std::move(clock)), allowance_(kLinesAnHour, clock_) {}

  // `is_banned` tells of the address, from now on.
  void Write(const WatchedConnection& cut, const CutReason& reason, std::uint64_t received_bytes,
             bool is_banned) {
    if (log_ == nullptr) return;
    const std::optional<std::uint64_t> held_back = allowance_.Take();
    if (!held_back.has_value()) return;
    const StreamCounts& calls = cut.notes.latest;
    log_->Warning("cut a connection", {{"peer", cut.peer},
                                       {"reason", reason.name},
                                       {"evidence", reason.evidence},
                                       {"age_seconds", absl::ToDoubleSeconds(clock_() - cut.opened)},
                                       {"received_bytes", received_bytes},
                                       {"calls_open", calls.open()},
                                       {"calls_started", calls.started},
                                       {"calls_answered", calls.answered},
                                       {"calls_given_up", calls.given_up},
                                       {"messages", calls.messages},
                                       {"banned", is_banned},
                                       {"held_back", *held_back}});
  }

 private:
  Log* const log_;
  const SteadyClock clock_;
  LogAllowance allowance_;
};

}  // namespace clearance::server
