// SPDX-License-Identifier: Apache-2.0

#include "server/fence/cut_log.h"

#include <cstdint>
#include <optional>

namespace clearance::server {

void CutLog::Write(const CutConnection& cut) {
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

}  // namespace clearance::server
