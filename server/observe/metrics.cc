// SPDX-License-Identifier: Apache-2.0
#include "server/observe/metrics.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "prometheus/text_serializer.h"
#include "server/config/settings.h"
#include "server/observe/process_metrics.h"

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

}  // namespace

const char* NameOf(LoopKind kind) {
  constexpr std::array kNames = {"accept", "handover", "poll", "work"};
  return kNames[static_cast<std::size_t>(kind)];
}

Metrics::Metrics(absl::string_view version) {
  for (std::size_t method = 0; method < kRpcMethods; ++method)
    rpcs_[method] = MakeRpcSeries(static_cast<RpcMethod>(method));
  for (std::size_t kind = 0; kind < kQueryKinds; ++kind) {
    kinds_[kind] = MakeKindSeries(static_cast<QueryKind>(kind));
    checks_[kind] = MakeCheckSeries(static_cast<QueryKind>(kind));
  }
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
  if (info.is_about_scenes) {
    series.scene_nodes = &scene_nodes_.Add(labels);
    series.scene_candidates = &scene_candidates_.Add(labels);
    series.scene_exact = &scene_exact_.Add(labels);
  } else {
    series.iterations = &iterations_.Add(labels, ToBuckets(kIterationBuckets));
  }
  return series;
}

CheckSeries Metrics::MakeCheckSeries(QueryKind query_kind) {
  const char* const kind = InfoOf(query_kind).label;
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
  std::ranges::move(CollectProcessMetrics(start_), std::back_inserter(families));
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, families);
  return std::move(text).str();
}

}  // namespace clearance::server
