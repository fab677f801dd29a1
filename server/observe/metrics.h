// SPDX-License-Identifier: Apache-2.0
//
// All series of the server, made once at the start so that they are 0 from the first scrape. Hot
// paths hold handles and never look up a label. No label takes a value from a peer: the number of
// series is fixed.

#ifndef CLEARANCE_SERVER_OBSERVE_METRICS_H_
#define CLEARANCE_SERVER_OBSERVE_METRICS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "prometheus/counter.h"
#include "prometheus/gauge.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"
#include "server/observe/batch_tally.h"
#include "server/observe/connection_series.h"
#include "server/observe/limit_refusals.h"
#include "server/observe/rpc_series.h"

namespace clearance::server {

struct ServerConfig;

// Counts the answers of one kind that were drawn to be checked; each counts in one of the first
// three.
struct CheckSeries {
  prometheus::Counter* checked = nullptr;
  prometheus::Counter* unchecked_undecided = nullptr;
  prometheus::Counter* unchecked_too_large = nullptr;
  prometheus::Counter* contradicted = nullptr;  // of those that were checked
};

// The limits that a policy sets for one principal.
enum class PrincipalLimit : std::uint8_t {
  kSessions,
  kCores,
  kShapes,
  kRegistryBytes,
  kScenes,
  kSceneBytes,
};
inline constexpr std::size_t kPrincipalLimits = 6;

// Reasons not to work on a message that could have been answered at another time.
enum class ShedReason : std::uint8_t {
  kFull,   // too much is pending
  kShare,  // of this caller
  kOver,   // the call was cancelled or out of time before a worker came to it
  kBytes,  // too many are held, in all or by this caller
};
inline constexpr std::size_t kShedReasons = 4;

// Loops that must turn forever (liveness.h).
enum class LoopKind : std::uint8_t {
  kAccept,    // takes connections
  kHandover,  // gives them to gRPC
  kPoll,      // reads and writes messages
  kWork,      // builds hulls and answers large batches
};
inline constexpr std::size_t kLoopKinds = 4;

const char* NameOf(LoopKind kind);

// Holds the series of the store that shapes are written to; all stay at 0 if shapes live in memory.
struct StoreSeries {
  prometheus::Counter* commits = nullptr;
  prometheus::Histogram* commit_seconds = nullptr;
  prometheus::Histogram* commit_names = nullptr;
  prometheus::Counter* failures = nullptr;
  prometheus::Gauge* bytes = nullptr;
  // Only for a store that servers share.
  prometheus::Gauge* is_shared = nullptr;
  prometheus::Gauge* is_reached = nullptr;
  prometheus::Histogram* round_trip_seconds = nullptr;
  prometheus::Histogram* watch_lag_seconds = nullptr;
  prometheus::Counter* conflicts = nullptr;
  prometheus::Counter* reloads = nullptr;
};

// Holds all series. Thread-safe. Handles live as long as the Metrics.
class Metrics {
 public:
  explicit Metrics(absl::string_view version);

  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  RpcSeries& Rpc(RpcMethod method) { return rpcs_[static_cast<std::size_t>(method)]; }

  // Adds what all chunks of a batch counted. Call it once a batch, after its last row.
  void Record(const BatchTally& tally, absl::Duration compute_time);

  CheckSeries& Checks(QueryKind kind) { return checks_[static_cast<std::size_t>(kind)]; }

  StoreSeries& store() { return store_; }

  prometheus::Gauge& shapes() { return *shapes_; }
  prometheus::Gauge& shape_bytes() { return *shape_bytes_; }
  prometheus::Gauge& shape_bytes_detached() { return *shape_bytes_detached_; }
  prometheus::Gauge& registry_revision() { return *registry_revision_; }
  prometheus::Gauge& scenes() { return *scenes_; }
  prometheus::Gauge& scene_revisions() { return *scene_revisions_; }
  prometheus::Gauge& scene_bytes() { return *scene_bytes_; }
  prometheus::Gauge& scene_tree_depth() { return *scene_tree_depth_; }
  prometheus::Gauge& scene_bytes_detached() { return *scene_bytes_detached_; }
  prometheus::Gauge& scene_bytes_rewound() { return *scene_bytes_rewound_; }
  prometheus::Counter& scenes_expired() { return *scenes_expired_; }
  prometheus::Gauge& watches() { return *watches_; }
  prometheus::Counter& watches_refused() { return *watches_refused_; }
  // Revisions that watchers were told of together with a later one.
  prometheus::Counter& watch_revisions_merged() { return *watch_revisions_merged_; }
  prometheus::Counter& watch_reloads() { return *watch_reloads_; }
  prometheus::Gauge& tracks() { return *tracks_; }
  prometheus::Counter& track_ticks() { return *track_ticks_; }
  // Rewinds of tracks, to the requested time or, clamped, to the nearest one that was held.
  prometheus::Counter& rewinds(bool is_clamped) { return *rewinds_[is_clamped]; }
  prometheus::Counter& tracks_refused() { return *tracks_refused_; }
  prometheus::Gauge& sessions_open() { return *sessions_open_; }
  prometheus::Gauge& messages_in_flight() { return *messages_in_flight_; }
  prometheus::Gauge& bytes_in_flight() { return *bytes_in_flight_; }
  prometheus::Gauge& total_bytes_in_flight() { return *total_bytes_in_flight_; }
  prometheus::Gauge& total_session_bytes() { return *total_session_bytes_; }
  prometheus::Counter& sessions_refused() { return *sessions_refused_; }
  // Sessions that the server ended because they held most of the shapes that were deleted.
  prometheus::Counter& sessions_ended_for_shapes() { return *sessions_ended_for_shapes_; }
  prometheus::Gauge& pending_work() { return *pending_work_; }
  prometheus::Counter& shed(ShedReason reason) { return *shed_[static_cast<std::size_t>(reason)]; }
  prometheus::Histogram& queue_seconds() { return *queue_seconds_; }
  prometheus::Histogram& work_seconds() { return *work_seconds_; }
  // Time for which one of these loops has not turned although it was asked to, as of the last look.
  prometheus::Gauge& loop_silence(LoopKind kind) {
    return *loop_silence_[static_cast<std::size_t>(kind)];
  }
  // Sets the gauges of limits, which have the names of their settings.
  void ShowLimits(const ServerConfig& config);
  // Refusals; `limit` is a refusal's text about its limit.
  prometheus::Counter& limit_refusals(absl::string_view limit) { return limit_refusals_.Of(limit); }
  const ConnectionSeries& connections() const { return connections_; }
  const TlsSeries& tls() const { return tls_; }
  // Reloads of the token and the policy file that were applied, or refused.
  prometheus::Counter& access_reloads(bool is_applied) { return *access_reloads_[is_applied]; }
  prometheus::Counter& audit_lines_lost() { return *audit_lines_lost_; }
  // All lines except audit lines.
  prometheus::Counter& log_lines_lost() { return *log_lines_lost_; }
  prometheus::Counter& principal_refusals(PrincipalLimit limit) {
    return *principal_refusals_[static_cast<std::size_t>(limit)];
  }

  // Returns every series, with those of the process (read from /proc now), in Prometheus' text
  // format.
  std::string Scrape() const;

 private:
  // Holds the series of one kind of query; a state or reason that the kind does not have has no
  // series.
  struct KindSeries {
    std::array<prometheus::Counter*, BatchTally::kStates> states{};
    std::array<prometheus::Counter*, kUndecidedReasons> undecided{};
    prometheus::Counter* refused = nullptr;
    prometheus::Histogram* compute_seconds = nullptr;
    prometheus::Histogram* rows = nullptr;
    prometheus::Histogram* iterations = nullptr;  // null for scenes
    // Null except for scenes.
    prometheus::Counter* scene_nodes = nullptr;
    prometheus::Counter* scene_candidates = nullptr;
    prometheus::Counter* scene_exact = nullptr;
  };

  void MakeKindSeries();
  void MakeSceneWorkSeries();
  void MakeCheckSeries();
  void MakeServerSeries();
  void MakeSceneSeries();
  void MakeWatchSeries();
  void MakeTrackSeries();
  void MakeWorkSeries();
  void MakeAccessSeries();
  void MakeStoreSeries();

  prometheus::Registry registry_;
  std::array<RpcSeries, kRpcMethods> rpcs_;
  std::array<KindSeries, kQueryKinds> kinds_;
  std::array<CheckSeries, kQueryKinds> checks_;
  StoreSeries store_;
  prometheus::Histogram* bracket_ratios_ = nullptr;
  prometheus::Gauge* shapes_ = nullptr;
  prometheus::Gauge* shape_bytes_ = nullptr;
  prometheus::Gauge* shape_bytes_detached_ = nullptr;
  prometheus::Gauge* registry_revision_ = nullptr;
  prometheus::Gauge* scenes_ = nullptr;
  prometheus::Gauge* scene_revisions_ = nullptr;
  prometheus::Gauge* scene_tree_depth_ = nullptr;
  prometheus::Gauge* scene_bytes_ = nullptr;
  prometheus::Gauge* scene_bytes_detached_ = nullptr;
  prometheus::Gauge* scene_bytes_rewound_ = nullptr;
  prometheus::Counter* scenes_expired_ = nullptr;
  prometheus::Gauge* watches_ = nullptr;
  prometheus::Counter* watches_refused_ = nullptr;
  prometheus::Counter* watch_revisions_merged_ = nullptr;
  prometheus::Counter* watch_reloads_ = nullptr;
  prometheus::Gauge* tracks_ = nullptr;
  prometheus::Counter* track_ticks_ = nullptr;
  std::array<prometheus::Counter*, 2> rewinds_{};
  prometheus::Counter* tracks_refused_ = nullptr;
  prometheus::Gauge* sessions_open_ = nullptr;
  prometheus::Gauge* messages_in_flight_ = nullptr;
  prometheus::Gauge* bytes_in_flight_ = nullptr;
  prometheus::Gauge* total_bytes_in_flight_ = nullptr;
  prometheus::Gauge* total_session_bytes_ = nullptr;
  prometheus::Counter* sessions_refused_ = nullptr;
  prometheus::Counter* sessions_ended_for_shapes_ = nullptr;
  prometheus::Gauge* pending_work_ = nullptr;
  std::array<prometheus::Counter*, kShedReasons> shed_{};
  prometheus::Histogram* queue_seconds_ = nullptr;
  prometheus::Histogram* work_seconds_ = nullptr;
  std::array<prometheus::Gauge*, kLoopKinds> loop_silence_{};
  LimitRefusals limit_refusals_{&registry_};
  ConnectionSeries connections_;
  TlsSeries tls_;
  std::array<prometheus::Counter*, 2> access_reloads_{};
  prometheus::Counter* audit_lines_lost_ = nullptr;
  prometheus::Counter* log_lines_lost_ = nullptr;
  std::array<prometheus::Counter*, kPrincipalLimits> principal_refusals_{};
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_OBSERVE_METRICS_H_
