// SPDX-License-Identifier: Apache-2.0
#include "server/observe/metrics.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>
#include <vector>

#include "prometheus/text_serializer.h"
#include "server/observe/process_metrics.h"

namespace clearance::server {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;
using prometheus::Counter;
using prometheus::Histogram;
using Buckets = Histogram::BucketBoundaries;

// Indexed by QueryKind, State or MotionState, and UndecidedReason; nullptr where there is nothing
// of that number.
constexpr std::array<const char*, kQueryKinds> kKindNames = {"distance", "intersection",
                                                             "time_of_collision"};
constexpr std::array<std::array<const char*, BatchTally::kStates>, kQueryKinds> kStateNames = {{
    {nullptr, "separated", "touching", "penetrating", "beyond", "undecided"},
    {nullptr, "separated", "touching", "penetrating", nullptr, "undecided"},
    {nullptr, "free", "hit", "initially_overlapping", "undecided", nullptr},
}};
constexpr std::array<const char*, 4> kReasonNames = {nullptr, "budget", "iterations", "precision"};

Buckets ComputeSecondsBuckets() {
  return {1e-6,   5e-6, 10e-6, 25e-6, 50e-6, 100e-6, 250e-6, 500e-6, 1e-3,
          2.5e-3, 5e-3, 10e-3, 25e-3, 50e-3, 100e-3, 250e-3, 1,      10};
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

Metrics::Metrics(absl::string_view version) : rpcs_(MakeRpcSeries(&registry_)) {
  MakeKindSeries();
  MakeCheckSeries();
  MakeServerSeries();
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
    series.iterations = &iterations.Add({{"kind", name}}, ToBuckets(kIterationBuckets));
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
  registry_revision_ = gauge("clearance_registry_revision", "Revision of the registry.");
  sessions_open_ = gauge("clearance_sessions_open", "Sessions open now.");
  messages_in_flight_ =
      gauge("clearance_messages_in_flight", "Messages of all sessions read and not yet answered.");
  bytes_in_flight_ =
      gauge("clearance_bytes_in_flight", "Bytes of all sessions read and not yet answered.");
  sessions_refused_ = &BuildCounter()
                           .Name("clearance_sessions_refused_total")
                           .Help("Sessions refused because max_sessions were open.")
                           .Register(registry_)
                           .Add({});
}

void Metrics::Record(const BatchTally& tally, absl::Duration compute_time) {
  KindSeries& series = kinds_[static_cast<std::size_t>(tally.kind())];
  AddTo(series.states, tally.states());
  AddTo(series.undecided, tally.undecided());
  AddTo(series.iterations, tally.iterations());
  if (tally.refused() != 0) series.refused->Increment(tally.refused());
  series.rows->Observe(static_cast<double>(tally.rows()));
  series.compute_seconds->Observe(absl::ToDoubleSeconds(compute_time));
  if (tally.kind() == QueryKind::kDistance) AddTo(bracket_ratios_, tally.bracket_ratios());
}

std::string Metrics::Scrape() const {
  std::vector<prometheus::MetricFamily> families = registry_.Collect();
  std::ranges::move(ProcessMetrics().Collect(), std::back_inserter(families));
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, families);
  return std::move(text).str();
}

}  // namespace clearance::server
