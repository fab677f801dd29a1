// SPDX-License-Identifier: Apache-2.0
#include "server/observe/metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "prometheus/text_serializer.h"
#include "server/config/settings.h"

namespace clearance::server {
namespace {

using prometheus::Counter;
using prometheus::Histogram;

// By the number of UndecidedReason.
constexpr std::array<const char*, kUndecidedReasons> kReasonNames = {
    nullptr, "budget", "iterations", "precision", "work"};

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

std::optional<double> CountEntries(const char* directory) {
  std::error_code error;
  const std::filesystem::directory_iterator entries(directory, error);
  if (error) return std::nullopt;
  return static_cast<double>(std::distance(begin(entries), end(entries)));
}

// Adds the `process_` series of Prometheus' own client libraries: CPU, memory, descriptors and
// threads of this process, which began at `start`. Values that cannot be read (no /proc) have no
// series.
void AddProcessMetrics(absl::Time start, std::vector<prometheus::MetricFamily>* families) {
  using prometheus::MetricType;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const absl::Duration cpu =
      absl::DurationFromTimeval(usage.ru_utime) + absl::DurationFromTimeval(usage.ru_stime);
  std::optional<double> open_files = CountEntries("/proc/self/fd");
  if (open_files.has_value()) --*open_files;  // the descriptor of the listing itself
  std::optional<double> total_bytes, resident_bytes;
  std::ifstream statm("/proc/self/statm");
  const auto page_bytes = static_cast<double>(sysconf(_SC_PAGESIZE));
  if (double total = 0, resident = 0; statm >> total >> resident) {
    total_bytes = total * page_bytes;
    resident_bytes = resident * page_bytes;
  }
  const struct {
    const char* name;  // of a counter, it ends with _total
    const char* help;
    std::optional<double> value;
  } series[] = {
      {"process_cpu_seconds_total", "User and system CPU time spent.", absl::ToDoubleSeconds(cpu)},
      {"process_resident_memory_bytes", "Resident memory size.", resident_bytes},
      {"process_virtual_memory_bytes", "Virtual memory size.", total_bytes},
      {"process_threads", "Threads of the process.", CountEntries("/proc/self/task")},
      {"process_start_time_seconds", "Start time since the epoch.",
       absl::ToDoubleSeconds(start - absl::UnixEpoch())},
      {"process_open_fds", "Open file descriptors.", open_files},
      {"process_max_fds", "Largest number of open file descriptors.",
       static_cast<double>(files.rlim_cur)}};
  for (const auto& [name, help, value] : series) {
    if (!value.has_value()) continue;
    const bool is_counter = absl::EndsWith(name, "_total");
    prometheus::ClientMetric metric;
    (is_counter ? metric.counter.value : metric.gauge.value) = *value;
    families->push_back(
        {name, help, is_counter ? MetricType::Counter : MetricType::Gauge, {metric}});
  }
}

}  // namespace

Metrics::Metrics(absl::string_view version) {
  for (std::size_t method = 0; method < kRpcMethods; ++method)
    rpcs_[method] = MakeRpcSeries(static_cast<RpcMethod>(method));
  for (std::size_t kind = 0; kind < kQueryKinds; ++kind)
    kinds_[kind] = MakeKindSeries(static_cast<QueryKind>(kind));
  const auto add_limit = [this](const char* name) {
    refusals_by_limit_[name] = &limit_refusals_.Add({{"limit", name}});
  };
  for (const Setting& setting : AllSettings()) {
    if (setting.has(kRefuses)) add_limit(setting.name);
  }
  add_limit("principal");
  add_limit("other");
  const auto refused = AddEach(connections_refused_, "reason", "total address cut descriptors");
  const auto cut = AddEach(connections_cut_, "reason", "streams resets flood");
  connections_ = {.open = &connections_open_,
                  .refused_total = refused[0],
                  .refused_address = refused[1],
                  .refused_cut = refused[2],
                  .refused_descriptors = refused[3],
                  .cut_streams = cut[0],
                  .cut_resets = cut[1],
                  .cut_flood = cut[2]};
  build_info_.Add({{"version", std::string(version)}, {"compiler", CLEARANCE_COMPILER}}).Set(1);
}

RpcSeries Metrics::MakeRpcSeries(RpcMethod method) {
  const RpcMethodInfo& info = InfoOf(method);
  prometheus::Labels labels = {
      {"grpc_type", info.type}, {"grpc_service", info.service}, {"grpc_method", info.method}};
  RpcSeries series;
  series.started_ = &rpcs_started_.Add(labels);
  series.received_ = &rpc_messages_received_.Add(labels);
  series.sent_ = &rpc_messages_sent_.Add(labels);
  series.seconds_ = &rpc_seconds_.Add(labels, ToBuckets(kHandlingSecondsBuckets));
  for (std::size_t code = 0; code < kGrpcCodeNames.size(); ++code) {
    labels["grpc_code"] = kGrpcCodeNames[code];
    series.handled_[code] = &rpcs_handled_.Add(labels);
  }
  return series;
}

Metrics::KindSeries Metrics::MakeKindSeries(QueryKind kind) {
  const QueryKindInfo& info = InfoOf(kind);
  const prometheus::Labels labels = {{"kind", info.label}};
  KindSeries series;
  for (std::size_t state = 0; state < kRowStates; ++state) {
    if (const char* const label = info.states[state])
      series.states[state] = &queries_.Add({{"kind", info.label}, {"state", label}});
  }
  for (std::size_t reason = 0; reason < kReasonNames.size(); ++reason) {
    if (const char* const label = kReasonNames[reason])
      series.undecided[reason] = &undecided_.Add({{"kind", info.label}, {"reason", label}});
  }
  series.refused = &refused_rows_.Add(labels);
  series.compute_seconds = &batch_seconds_.Add(labels, ToBuckets(kComputeSecondsBuckets));
  series.rows = &batch_rows_.Add(labels, ToBuckets(kRowBuckets));
  series.checks = {
      .checked = &checked_.Add(labels),
      .unchecked_undecided = &unchecked_.Add({{"kind", info.label}, {"reason", "undecided"}}),
      .unchecked_too_large = &unchecked_.Add({{"kind", info.label}, {"reason", "too_large"}}),
      .contradicted = &contradicted_.Add(labels)};
  if (info.is_about_scenes) {
    series.scene_nodes = &scene_nodes_.Add(labels);
    series.scene_candidates = &scene_candidates_.Add(labels);
    series.scene_exact = &scene_exact_.Add(labels);
  } else {
    series.iterations = &iterations_.Add(labels, ToBuckets(kIterationBuckets));
  }
  return series;
}

void Metrics::Record(const BatchTally& tally, absl::Duration compute_time) {
  KindSeries& series = kinds_[static_cast<std::size_t>(tally.kind())];
  AddTo(series.states, tally.states());
  AddTo(series.undecided, tally.undecided());
  if (series.iterations != nullptr) AddTo(series.iterations, tally.iterations());
  if (tally.refused() != 0) series.refused->Increment(tally.refused());
  series.rows->Observe(static_cast<double>(tally.rows()));
  series.compute_seconds->Observe(absl::ToDoubleSeconds(compute_time));
  if (tally.kind() == QueryKind::kDistance) AddTo(&bracket_ratios_, tally.bracket_ratios());
  if (series.scene_nodes == nullptr) return;
  series.scene_nodes->Increment(static_cast<double>(tally.scene_work().nodes));
  series.scene_candidates->Increment(static_cast<double>(tally.scene_work().candidates));
  series.scene_exact->Increment(static_cast<double>(tally.scene_work().exact));
}

prometheus::Counter& Metrics::limit_refusals(absl::string_view limit) {
  if (absl::StrContains(limit, " of principal ")) return *refusals_by_limit_.at("principal");
  for (const absl::string_view word : absl::StrSplit(limit, absl::ByAnyChar(" .,:;<>='`-()"))) {
    const auto found = refusals_by_limit_.find(word);
    if (absl::StartsWith(word, "max_") && found != refusals_by_limit_.end()) return *found->second;
  }
  return *refusals_by_limit_.at("other");
}

void Metrics::ShowLimits(const ServerConfig& config) {
  for (const Setting& setting : AllSettings()) {
    if (!setting.has(kShown) || !IsInEffect(setting)) continue;
    prometheus::BuildGauge()
        .Name(absl::StrCat("clearance_", setting.name, setting.is_time ? "_seconds" : ""))
        .Help(setting.help)
        .Register(registry_)
        .Add({})
        .Set(setting.number(config));
  }
}

std::string Metrics::Scrape() const {
  std::vector<prometheus::MetricFamily> families = registry_.Collect();
  AddProcessMetrics(start_, &families);
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, families);
  return std::move(text).str();
}

}  // namespace clearance::server
