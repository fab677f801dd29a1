// SPDX-License-Identifier: Apache-2.0
//
// Logs connections that were cut, so many lines an hour: a client that comes back to be cut again
// must not fill a disk. The metrics count all of them.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/fence/stream_counts.h"
#include "server/observe/log.h"
#include "server/observe/steady_clock.h"

namespace clearance::server {

// A connection that was cut, as of the cut.
struct CutConnection {
  std::string peer;            // the address, as gRPC writes it
  absl::string_view reason;    // the metric's label; lives for ever, as the next
  absl::string_view evidence;  // the observation
  absl::Duration age = absl::ZeroDuration();
  std::uint64_t received_bytes = 0;
  StreamCounts calls = {};  // as gRPC had them last; zeros if it never had the connection
  bool is_banned = false;   // the address, from now on
};

// Thread-safe.
class CutLog {
 public:
  static constexpr std::uint64_t kLinesAnHour = 100;

  // `log` outlives this. Null: nothing is written.
  explicit CutLog(Log* log, SteadyClock clock = SteadyNow)
      : log_(log), allowance_(kLinesAnHour, std::move(clock)) {}

  void Write(const CutConnection& cut) {
    if (log_ == nullptr) return;
    const std::optional<std::uint64_t> held_back = allowance_.Take();
    if (!held_back.has_value()) return;
    log_->Warning("cut a connection", {{"peer", cut.peer},
                                       {"reason", cut.reason},
                                       {"evidence", cut.evidence},
                                       {"age_seconds", absl::ToDoubleSeconds(cut.age)},
                                       {"received_bytes", cut.received_bytes},
                                       {"calls_open", cut.calls.open()},
                                       {"calls_started", cut.calls.started},
                                       {"calls_answered", cut.calls.answered},
                                       {"calls_given_up", cut.calls.given_up},
                                       {"messages", cut.calls.messages},
                                       {"banned", cut.is_banned},
                                       {"held_back", *held_back}});
  }

 private:
  Log* const log_;
  LogAllowance allowance_;
};

}  // namespace clearance::server
