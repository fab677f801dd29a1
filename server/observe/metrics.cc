// SPDX-License-Identifier: Apache-2.0
#include "server/observe/metrics.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "prometheus/text_serializer.h"
#include "server/config/optional_parts.h"
#include "server/config/settings.h"
#include "server/observe/process_metrics.h"

namespace clearance::server {
namespace {

using prometheus::Counter;
using prometheus::Histogram;

// Indexed by QueryKind, State, MotionState or Verdict, and UndecidedReason; nullptr for a number
// without a meaning.
constexpr std::array<const char*, kQueryKinds> kKindNames = {
    "distance",    "intersection", "time_of_collision", "scene_check",  "scene_minimum_distance",
    "scene_sweep", "scene_ray",    "scene_nearest",     "scene_overlap"};
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

}  // namespace

const char* NameOf(LoopKind kind) {
  constexpr std::array kNames = {"accept", "handover", "poll", "work"};
  return kNames[static_cast<std::size_t>(kind)];
}

Metrics::Metrics(absl::string_view version)
    : rpcs_(MakeRpcSeries({.started = rpcs_started_,
                           .received = rpc_messages_received_,
                           .sent = rpc_messages_sent_,
                           .handled = rpcs_handled_,
                           .seconds = rpc_seconds_})) {
  for (std::size_t kind = 0; kind < kQueryKinds; ++kind) {
    kinds_[kind] = MakeKindSeries(static_cast<QueryKind>(kind));
    checks_[kind] = MakeCheckSeries(static_cast<QueryKind>(kind));
  }
#define STORE_GAUGE(handle, name, help, more) \
  store_.handle = &prometheus::BuildGauge().Name(#name).Help(help).Register(registry_).Add({});
#define STORE_COUNTER(handle, name, help, more) \
  store_.handle = &prometheus::BuildCounter().Name(#name).Help(help).Register(registry_).Add({});
#define STORE_HISTOGRAM(handle, name, buckets, help, more)                                      \
  store_.handle = &prometheus::BuildHistogram().Name(#name).Help(help).Register(registry_).Add( \
      {}, ToBuckets(buckets));
#include "server/observe/metrics.def"
  const auto refused = [this](const char* reason) {
    return &connections_refused_.Add({{"reason", reason}});
  };
  const auto cut = [this](const char* reason) {
    return &connections_cut_.Add({{"reason", reason}});
  };
  connections_ = {.open = &connections_open_,
                  .refused_total = refused("total"),
                  .refused_address = refused("address"),
                  .refused_cut = refused("cut"),
                  .refused_descriptors = refused("descriptors"),
                  .cut_streams = cut("streams"),
                  .cut_resets = cut("resets"),
                  .cut_flood = cut("flood")};
  tls_ = {
      .expiry = &tls_expiry_, .reloaded = &tls_reloads(true), .not_reloaded = &tls_reloads(false)};
  build_info_.Add({{"version", std::string(version)}, {"compiler", CLEARANCE_COMPILER}}).Set(1);
}

Metrics::KindSeries Metrics::MakeKindSeries(QueryKind query_kind) {
  const auto kind = static_cast<std::size_t>(query_kind);
  const prometheus::Labels labels = {{"kind", kKindNames[kind]}};
  KindSeries series;
  for (std::size_t state = 0; state < BatchTally::kStates; ++state) {
    if (const char* const label = kStateNames[kind][state]) {
      series.states[state] = &queries_.Add({{"kind", kKindNames[kind]}, {"state", label}});
    }
  }
  for (std::size_t reason = 0; reason < kReasonNames.size(); ++reason) {
    if (const char* const label = kReasonNames[reason]) {
      series.undecided[reason] = &undecided_.Add({{"kind", kKindNames[kind]}, {"reason", label}});
    }
  }
  series.refused = &refused_rows_.Add(labels);
  series.compute_seconds = &batch_seconds_.Add(labels);
  series.rows = &batch_rows_.Add(labels);
  if (kind < kFirstSceneKind) {
    series.iterations = &iterations_.Add(labels);
  } else {
    series.scene_nodes = &scene_nodes_.Add(labels);
    series.scene_candidates = &scene_candidates_.Add(labels);
    series.scene_exact = &scene_exact_.Add(labels);
  }
  return series;
}

CheckSeries Metrics::MakeCheckSeries(QueryKind query_kind) {
  const char* const kind = kKindNames[static_cast<std::size_t>(query_kind)];
  return {.checked = &checked_.Add({{"kind", kind}}),
          .unchecked_undecided = &unchecked_.Add({{"kind", kind}, {"reason", "undecided"}}),
          .unchecked_too_large = &unchecked_.Add({{"kind", kind}, {"reason", "too_large"}}),
          .contradicted = &contradicted_.Add({{"kind", kind}})};
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

void Metrics::ShowLimits(const ServerConfig& config) {
  for (const Setting& setting : AllSettings()) {
    if (!setting.has(kShown) || !IsInEffect(setting.name)) continue;
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
  std::ranges::move(ProcessMetrics().Collect(), std::back_inserter(families));
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, families);
  return std::move(text).str();
}

}  // namespace clearance::server
