// SPDX-License-Identifier: Apache-2.0
//
// Counts refusals for a limit by the limit that they name. The text of a refusal is for people; the
// labels are those of a fixed table.

#ifndef CLEARANCE_SERVER_OBSERVE_LIMIT_REFUSALS_H_
#define CLEARANCE_SERVER_OBSERVE_LIMIT_REFUSALS_H_

#include <array>

#include "absl/strings/string_view.h"
#include "prometheus/counter.h"
#include "prometheus/registry.h"

namespace clearance::server {

// The limits by the names of their flags. Limits of the transport refuse nothing: gRPC ends the
// call.
inline constexpr std::array kRefusingLimits = {
    "max_request_bytes",  "max_reply_bytes",         "max_batch_rows",
    "max_batch_shapes",   "max_shape_vertices",      "max_pieces_per_shape",
    "max_shapes",         "max_registry_bytes",      "max_slots_per_session",
    "max_sessions",       "max_session_shape_bytes", "max_total_session_bytes",
    "max_scenes",         "max_scene_bodies",        "max_scene_rules",
    "max_scene_bytes",    "max_session_scenes",      "max_session_bodies",
    "max_session_rules",  "max_row_pairs",           "max_tracks",
    "max_caller_tracks",  "max_track_bodies",        "max_watches",
    "max_caller_watches", "max_pending_work",        "max_total_bytes_in_flight",
};

// Counts refusals. Thread-safe once made. Handles live as long as the registry.
class LimitRefusals {
 public:
  explicit LimitRefusals(prometheus::Registry* registry);

  // Returns the counter for a refusal's text about its limit ("max_batch_rows <= 100"). There is
  // one counter for all limits of principals, and one for all texts that name no limit of the
  // table.
  prometheus::Counter& Of(absl::string_view limit) const;

 private:
  std::array<prometheus::Counter*, kRefusingLimits.size()> by_name_{};  // in the order of the table
  prometheus::Counter* of_principal_ = nullptr;
  prometheus::Counter* other_ = nullptr;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_OBSERVE_LIMIT_REFUSALS_H_
