// SPDX-License-Identifier: Apache-2.0
//
// Refusals for a limit, by the limit that they name. What a refusal says is text for people; the
// labels are those of a fixed table.

#ifndef CLEARANCE_SERVER_OBSERVE_LIMIT_REFUSALS_H_
#define CLEARANCE_SERVER_OBSERVE_LIMIT_REFUSALS_H_

#include <array>

#include "absl/strings/string_view.h"
#include "prometheus/counter.h"
#include "prometheus/registry.h"

namespace clearance::server {

// The limits by the names of their flags. Those of the transport refuse nothing: gRPC ends the
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

// Thread-safe once made. Handles live as long as the registry.
class LimitRefusals {
 public:
  explicit LimitRefusals(prometheus::Registry* registry);

  // The counter for what a refusal says of its limit ("max_batch_rows <= 100"); of a principal's
  // limit, and of what names no limit of the table, one each.
  prometheus::Counter& Of(absl::string_view limit) const;

 private:
  std::array<prometheus::Counter*, kRefusingLimits.size()> by_name_{};  // in the order of the table
  prometheus::Counter* of_principal_ = nullptr;
  prometheus::Counter* other_ = nullptr;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_OBSERVE_LIMIT_REFUSALS_H_
