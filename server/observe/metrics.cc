// SPDX-License-Identifier: Apache-2.0
#include "server/observe/metrics.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "prometheus/text_serializer.h"
#include "server/config/settings.h"
#include "server/observe/process_metrics.h"

namespace clearance::server {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;
using prometheus::Counter;
using prometheus::Histogram;
using Buckets = Histogram::BucketBoundaries;

// Indexed by QueryKind, State, MotionState or Verdict, and UndecidedReason; nullptr for a number
// without a meaning.
constexpr std::array<const char*, kQueryKinds> kKindNames = {
    "distance",     "intersection", "time_of_collision", "scene_check",  "scene_clearance",
    "scene_motion", "scene_ray",    "scene_nearest",     "scene_overlap"};
constexpr std::array<std::array<const char*, BatchTally::kStates>, kQueryKinds> kStateNames = {{
    {nullptr, "separated", "touching", "penetrating", "beyond", "undecided"},
    {nullptr, "separated", "touching", "penetrating", nullptr, "undecided"},
    {nullptr, "free", "hit", "initially_overlapping", "undecided", nullptr},
    {nullptr, "free", "touching", "undecided", nullptr, nullptr},
    {nullptr, "separated", "touching", "penetrating", "beyond", "undecided"},
    {nullptr, "free", "hit", "initially_overlapping", "undecided", nullptr},
    {nullptr, "free", "hit", "initially_overlapping", "undecided", nullptr},
    {nullptr, "separated", "touching", "penetrating", "beyond", "undecided"},
    {nullptr, "free", "touching", "undecided", nullptr, nullptr},
}};
constexpr std::array<const char*, kLoopKinds> kLoopNames = {"accept", "handover", "poll", "work"};
constexpr std::array<const char*, kUndecidedReasons> kReasonNames = {
    nullptr, "budget", "iterations", "precision", "work"};

Buckets ComputeSecondsBuckets() {
  return {1e-6,   5e-6, 10e-6, 25e-6, 50e-6, 100e-6, 250e-6, 500e-6, 1e-3,
          2.5e-3, 5e-3, 10e-3, 25e-3, 50e-3, 100e-3, 250e-3, 1,      10};
}

Buckets CommitSecondsBuckets() {
  return {1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 50e-3, 100e-3, 250e-3, 500e-3, 1, 2.5, 10};
}

// A cheaper message never comes to a worker.
Buckets WorkSecondsBuckets() {
  return {100e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 50e-3, 100e-3, 250e-3, 1, 10, 100};
}

Buckets RowBuckets() { return {1, 4, 16, 64, 256, 1024, 4096, 16384, 65536}; }

template <std::size_t kSize>
Buckets ToBuckets(const std::array<double, kSize>& bounds) {
  return {bounds.begin(), bounds.end()};
}

template <std::size_t kBuckets>
void AddTo(Histogram* histogram, const BucketCounts<kBuckets>& counts) {
  histogram->ObserveMultiple({counts.counts.begin(), counts.counts.end()}, counts.sum);
}

template <std::size_t kSize>
void AddTo(const std::array<Counter*, kSize>& counters,
           const std::array<std::uint32_t, kSize>& counts) {
  for (std::size_t i = 0; i < kSize; ++i) {
    if (counters[i] != nullptr && counts[i] != 0) counters[i]->Increment(counts[i]);
  }
}

}  // namespace

const char* NameOf(LoopKind kind) { return kLoopNames[static_cast<std::size_t>(kind)]; }

Metrics::Metrics(absl::string_view version) : rpcs_(MakeRpcSeries(&registry_)) {
  MakeKindSeries();
  MakeSceneWorkSeries();
  MakeCheckSeries();
  MakeServerSeries();
  MakeSceneSeries();
  MakeWatchSeries();
  MakeTrackSeries();
  MakeWorkSeries();
  MakeAccessSeries();
  MakeStoreSeries();
  BuildGauge()
      .Name("clearance_build_info")
      .Help("1; the labels tell what runs.")
      .Register(registry_)
      .Add({{"version", std::string(version)}, {"compiler", CLEARANCE_COMPILER}})
      .Set(1);
}

void Metrics::MakeKindSeries() {
  auto& queries = BuildCounter()
                      .Name("clearance_queries_total")
                      .Help("Rows answered, by what was proved.")
                      .Register(registry_);
  auto& undecided = BuildCounter()
                        .Name("clearance_undecided_total")
                        .Help("Rows answered UNDECIDED, by reason.")
                        .Register(registry_);
  auto& refused =
      BuildCounter().Name("clearance_refused_rows_total").Help("Rows refused.").Register(registry_);
  auto& seconds = BuildHistogram()
                      .Name("clearance_batch_compute_seconds")
                      .Help("Time to compute one batch.")
                      .Register(registry_);
  auto& rows =
      BuildHistogram().Name("clearance_batch_rows").Help("Rows of one batch.").Register(registry_);
  auto& iterations = BuildHistogram()
                         .Name("clearance_iterations")
                         .Help("Iterations of the solver for one row.")
                         .Register(registry_);

  for (std::size_t kind = 0; kind < kQueryKinds; ++kind) {
    KindSeries& series = kinds_[kind];
    const std::string name = kKindNames[kind];
    for (std::size_t state = 0; state < BatchTally::kStates; ++state) {
      if (const char* const label = kStateNames[kind][state]) {
        series.states[state] = &queries.Add({{"kind", name}, {"state", label}});
      }
    }
    for (std::size_t reason = 0; reason < kReasonNames.size(); ++reason) {
      if (const char* const label = kReasonNames[reason]) {
        series.undecided[reason] = &undecided.Add({{"kind", name}, {"reason", label}});
      }
    }
    series.refused = &refused.Add({{"kind", name}});
    series.compute_seconds = &seconds.Add({{"kind", name}}, ComputeSecondsBuckets());
    series.rows = &rows.Add({{"kind", name}}, RowBuckets());
    if (kind < kFirstSceneKind)
      series.iterations = &iterations.Add({{"kind", name}}, ToBuckets(kIterationBuckets));
  }
}

void Metrics::MakeSceneWorkSeries() {
  const auto family = [this](const char* name, const char* help) {
    return &BuildCounter().Name(name).Help(help).Register(registry_);
  };
  auto* const nodes =
      family("clearance_scene_nodes_total", "Nodes of scenes' trees whose boxes were looked at.");
  auto* const candidates = family("clearance_scene_candidate_pairs_total",
                                  "Pairs of bodies that boxes did not rule out.");
  auto* const exact =
      family("clearance_scene_exact_pairs_total", "Pairs of bodies that were asked with proof.");
  for (std::size_t kind = kFirstSceneKind; kind < kQueryKinds; ++kind) {
    const std::string name = kKindNames[kind];
    kinds_[kind].scene_nodes = &nodes->Add({{"kind", name}});
    kinds_[kind].scene_candidates = &candidates->Add({{"kind", name}});
    kinds_[kind].scene_exact = &exact->Add({{"kind", name}});
  }
}

void Metrics::MakeCheckSeries() {
  const auto family = [this](const char* name, const char* help) {
    return &BuildCounter().Name(name).Help(help).Register(registry_);
  };
  auto* const checked =
      family("clearance_checked_answers_total", "Answers that the independent checker looked at.");
  auto* const contradicted = family("clearance_contradicted_answers_total",
                                    "Checked answers that the independent checker found wrong.");
  auto* const unchecked = family("clearance_unchecked_answers_total",
                                 "Answers drawn to be checked that could not be, by reason.");
  for (std::size_t kind = 0; kind < kQueryKinds; ++kind) {
    const std::string name = kKindNames[kind];
    checks_[kind] = {
        .checked = &checked->Add({{"kind", name}}),
        .unchecked_undecided = &unchecked->Add({{"kind", name}, {"reason", "undecided"}}),
        .unchecked_too_large = &unchecked->Add({{"kind", name}, {"reason", "too_large"}}),
        .contradicted = &contradicted->Add({{"kind", name}})};
  }
}

void Metrics::MakeServerSeries() {
  const auto gauge = [this](const char* name, const char* help) {
    return &BuildGauge().Name(name).Help(help).Register(registry_).Add({});
  };
  bracket_ratios_ = &BuildHistogram()
                         .Name("clearance_bracket_width_ratio")
                         .Help("Width of a distance's bracket over the tolerance of its row.")
                         .Register(registry_)
                         .Add({}, ToBuckets(kBracketRatioBuckets));
  shapes_ = gauge("clearance_shapes", "Shapes in the registry.");
  shape_bytes_ = gauge("clearance_shape_bytes", "Bytes of all shapes in the registry.");
  shape_bytes_detached_ = gauge(
      "clearance_shape_bytes_detached",
      "Bytes of shapes that were deleted or replaced and that scenes or sessions still hold.");
  registry_revision_ = gauge("clearance_registry_revision", "Revision of the registry.");
  sessions_open_ = gauge("clearance_sessions_open", "Sessions open now.");
  messages_in_flight_ =
      gauge("clearance_messages_in_flight", "Messages of all sessions read and not yet answered.");
  bytes_in_flight_ =
      gauge("clearance_bytes_in_flight", "Bytes of all sessions read and not yet answered.");
  total_bytes_in_flight_ =
      gauge("clearance_total_bytes_in_flight",
            "Bytes of all messages received and not yet answered, and of replies not yet taken.");
  total_session_bytes_ =
      gauge("clearance_total_session_bytes",
            "Bytes that sessions hold between their messages beyond what each has of its own.");
  sessions_refused_ = &BuildCounter()
                           .Name("clearance_sessions_refused_total")
                           .Help("Sessions refused because as many as allowed were open.")
                           .Register(registry_)
                           .Add({});
  sessions_ended_for_shapes_ =
      &BuildCounter()
           .Name("clearance_sessions_ended_for_deleted_shapes_total")
           .Help("Sessions ended because they held most of the shapes that were deleted.")
           .Register(registry_)
           .Add({});
  auto& silence = BuildGauge()
                      .Name("clearance_loop_silence_seconds")
                      .Help("Time for which a loop was asked to turn and did not.")
                      .Register(registry_);
  for (std::size_t kind = 0; kind < kLoopKinds; ++kind) {
    loop_silence_[kind] = &silence.Add({{"loop", kLoopNames[kind]}});
  }
  connections_ = MakeConnectionSeries(&registry_);
  tls_ = MakeTlsSeries(&registry_);
}

void Metrics::MakeSceneSeries() {
  const auto gauge = [this](const char* name, const char* help) {
    return &BuildGauge().Name(name).Help(help).Register(registry_).Add({});
  };
  scenes_ = gauge("clearance_scenes", "Scenes held.");
  scene_revisions_ =
      gauge("clearance_scene_revisions", "Revisions of all scenes that can be asked for.");
  scene_bytes_ = gauge("clearance_scene_bytes", "Bytes of all scenes and their revisions, about.");
  scene_tree_depth_ = gauge("clearance_scene_tree_depth",
                            "Nodes from root to body in the deepest tree of boxes of a scene.");
  scene_bytes_detached_ =
      gauge("clearance_scene_bytes_detached",
            "Bytes of revisions of scenes that only sessions still hold, about.");
  scene_bytes_rewound_ = gauge("clearance_scene_bytes_rewound",
                               "Bytes of what sessions have rewound, whatever it shares.");
  scenes_expired_ = &BuildCounter()
                         .Name("clearance_scenes_expired_total")
                         .Help("Scenes that went because their ttl was over.")
                         .Register(registry_)
                         .Add({});
}

void Metrics::MakeWatchSeries() {
  const auto counter = [this](const char* name, const char* help) {
    return &BuildCounter().Name(name).Help(help).Register(registry_).Add({});
  };
  watches_ = &BuildGauge()
                  .Name("clearance_scene_watches")
                  .Help("Watches of scenes open now.")
                  .Register(registry_)
                  .Add({});
  watches_refused_ = counter("clearance_scene_watches_refused_total",
                             "Watches refused because as many as allowed were open.");
  watch_revisions_merged_ =
      counter("clearance_scene_watch_merged_revisions_total",
              "Revisions that a watcher was told of together with a later one.");
  watch_reloads_ = counter("clearance_scene_watch_reloads_total",
                           "Times that a watcher was told to read its scene anew.");
}

void Metrics::MakeTrackSeries() {
  const auto counter = [this](const char* name, const char* help) {
    return &BuildCounter().Name(name).Help(help).Register(registry_).Add({});
  };
  tracks_ = &BuildGauge()
                 .Name("clearance_tracks")
                 .Help("Tracks that sessions publish now.")
                 .Register(registry_)
                 .Add({});
  track_ticks_ = counter("clearance_track_ticks_total", "Ticks of tracks published.");
  tracks_refused_ = counter("clearance_tracks_refused_total",
                            "Tracks refused because as many as allowed were open.");
  auto& rewinds = BuildCounter()
                      .Name("clearance_rewinds_total")
                      .Help("Tracks rewound, by whether the time was clamped to those held.")
                      .Register(registry_);
  rewinds_ = {&rewinds.Add({{"clamped", "no"}}), &rewinds.Add({{"clamped", "yes"}})};
}

void Metrics::MakeWorkSeries() {
  pending_work_ = &BuildGauge()
                       .Name("clearance_pending_work_seconds")
                       .Help(
                           "Estimated processor time of messages that wait for workers or are at "
                           "them.")
                       .Register(registry_)
                       .Add({});
  auto& shed = BuildCounter()
                   .Name("clearance_shed_messages_total")
                   .Help("Messages that were not worked on, by reason.")
                   .Register(registry_);
  shed_ = {&shed.Add({{"reason", "full"}}), &shed.Add({{"reason", "share"}}),
           &shed.Add({{"reason", "over"}}), &shed.Add({{"reason", "bytes"}})};
  const auto histogram = [this](const char* name, const char* help) {
    return &BuildHistogram().Name(name).Help(help).Register(registry_).Add({},
                                                                           WorkSecondsBuckets());
  };
  queue_seconds_ =
      histogram("clearance_queue_seconds", "Time of a message until a worker came to it.");
  work_seconds_ = histogram("clearance_work_seconds", "Time of all workers on a message.");
}

void Metrics::MakeAccessSeries() {
  auto& reloads = BuildCounter()
                      .Name("clearance_access_reloads_total")
                      .Help("Changes of the token or policy file, by what became of them.")
                      .Register(registry_);
  access_reloads_ = {&reloads.Add({{"outcome", "refused"}}),
                     &reloads.Add({{"outcome", "applied"}})};
  audit_lines_lost_ = &BuildCounter()
                           .Name("clearance_audit_lines_lost_total")
                           .Help("Audit lines that could not be written.")
                           .Register(registry_)
                           .Add({});
  log_lines_lost_ = &BuildCounter()
                         .Name("clearance_log_lines_lost_total")
                         .Help("Other lines of the log that could not be written.")
                         .Register(registry_)
                         .Add({});
  auto& refusals = BuildCounter()
                       .Name("clearance_principal_refusals_total")
                       .Help(
                           "Sessions, messages and changes of the registry refused because of a "
                           "limit of their principal.")
                       .Register(registry_);
  std::size_t limit = 0;
  for (const char* name :
       {"sessions", "cores", "shapes", "registry_bytes", "scenes", "scene_bytes"}) {
    principal_refusals_[limit++] = &refusals.Add({{"limit", name}});
  }
}

void Metrics::MakeStoreSeries() {
  const auto counter = [this](const char* name, const char* help) {
    return &BuildCounter().Name(name).Help(help).Register(registry_).Add({});
  };
  const auto histogram = [this](const char* name, const char* help, const Buckets& buckets) {
    return &BuildHistogram().Name(name).Help(help).Register(registry_).Add({}, buckets);
  };
  store_ = {
      .commits = counter("clearance_store_commits_total",
                         "Transactions of registrations and deletions made durable."),
      .commit_seconds = histogram("clearance_store_commit_seconds",
                                  "Time to make one transaction durable.", CommitSecondsBuckets()),
      .commit_names = histogram("clearance_store_commit_names",
                                "Names that one transaction changed.", RowBuckets()),
      .failures = counter("clearance_store_failures_total",
                          "Writes to the store that failed, trials included."),
      .bytes = &BuildGauge()
                    .Name("clearance_store_bytes")
                    .Help("Bytes on disk, with the log that is not folded in yet.")
                    .Register(registry_)
                    .Add({}),
      .is_shared = &BuildGauge()
                        .Name("clearance_store_shared")
                        .Help("1 where the store is shared (--store), 0 else.")
                        .Register(registry_)
                        .Add({}),
      .is_reached = &BuildGauge()
                         .Name("clearance_store_reached")
                         .Help("1 while a shared store answers, 0 else and without one.")
                         .Register(registry_)
                         .Add({}),
      .round_trip_seconds =
          histogram("clearance_store_round_trip_seconds",
                    "Time of one question to the shared store.", CommitSecondsBuckets()),
      .watch_lag_seconds =
          histogram("clearance_store_watch_lag_seconds",
                    "Time from knowing of another server's commit to having applied it.",
                    CommitSecondsBuckets()),
      .conflicts = counter("clearance_store_conflicts_total",
                           "Commits that another server's was faster than; made anew."),
      .reloads = counter("clearance_store_reloads_total",
                         "Times that the whole shared registry was read anew.")};
}

void Metrics::Record(const BatchTally& tally, absl::Duration compute_time) {
  KindSeries& series = kinds_[static_cast<std::size_t>(tally.kind())];
  AddTo(series.states, tally.states());
  AddTo(series.undecided, tally.undecided());
  if (series.iterations != nullptr) AddTo(series.iterations, tally.iterations());
  if (tally.refused() != 0) series.refused->Increment(tally.refused());
  series.rows->Observe(static_cast<double>(tally.rows()));
  series.compute_seconds->Observe(absl::ToDoubleSeconds(compute_time));
  if (tally.kind() == QueryKind::kDistance) AddTo(bracket_ratios_, tally.bracket_ratios());
  if (series.scene_nodes == nullptr) return;
  series.scene_nodes->Increment(static_cast<double>(tally.scene_work().nodes));
  series.scene_candidates->Increment(static_cast<double>(tally.scene_work().candidates));
  series.scene_exact->Increment(static_cast<double>(tally.scene_work().exact));
}

void Metrics::ShowLimits(const ServerConfig& config) {
  for (const Setting& setting : AllSettings()) {
    if (!setting.has(kShown)) continue;
    BuildGauge()
        .Name(absl::StrCat("clearance_", setting.name, setting.is_time ? "_seconds" : ""))
        .Help(setting.help)
        .Register(registry_)
        .Add({})
        .Set(setting.number(config));
  }
}

std::string Metrics::Scrape() const {
  std::vector<prometheus::MetricFamily> families = registry_.Collect();
  std::ranges::move(ProcessMetrics().Collect(), std::back_inserter(families));
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, families);
  return std::move(text).str();
}

}  // namespace clearance::server
