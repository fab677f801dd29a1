// SPDX-License-Identifier: Apache-2.0
//
// All series of the server, made once at start so that they stand at 0 from the first scrape; hot
// paths hold handles and never look a label up. No label takes a value from a peer: the number of
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
#include "server/observe/rpc_series.h"

namespace clearance::server {

// Of the answers of one kind that were drawn to be checked; each counts in one of the first three.
struct CheckSeries {
  prometheus::Counter* checked = nullptr;
  prometheus::Counter* unchecked_undecided = nullptr;
  prometheus::Counter* unchecked_too_large = nullptr;
  prometheus::Counter* contradicted = nullptr;  // of those that were checked
};

// Thread-safe. Handles live as long as the Metrics.
class Metrics {
 public:
  explicit Metrics(absl::string_view version);

  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  RpcSeries& Rpc(RpcMethod method) { return rpcs_[static_cast<std::size_t>(method)]; }

  // Once a batch, after its last row: adds what all its chunks counted.
  void Record(const BatchTally& tally, absl::Duration compute_time);

  CheckSeries& Checks(QueryKind kind) { return checks_[static_cast<std::size_t>(kind)]; }

  prometheus::Gauge& shapes() { return *shapes_; }
  prometheus::Gauge& shape_bytes() { return *shape_bytes_; }
  prometheus::Gauge& registry_revision() { return *registry_revision_; }
  prometheus::Gauge& sessions_open() { return *sessions_open_; }
  prometheus::Gauge& messages_in_flight() { return *messages_in_flight_; }
  prometheus::Gauge& bytes_in_flight() { return *bytes_in_flight_; }
  prometheus::Counter& sessions_refused() { return *sessions_refused_; }

  // Every series, with those of the process (read from /proc now), in Prometheus' text format.
  std::string Scrape() const;

 private:
  // The series of one kind of query; a state or reason that the kind does not know has no series.
  struct KindSeries {
    std::array<prometheus::Counter*, BatchTally::kStates> states{};
    std::array<prometheus::Counter*, 4> undecided{};
    prometheus::Counter* refused = nullptr;
    prometheus::Histogram* compute_seconds = nullptr;
    prometheus::Histogram* rows = nullptr;
    prometheus::Histogram* iterations = nullptr;
  };

  void MakeKindSeries();
  void MakeCheckSeries();
  void MakeServerSeries();

  prometheus::Registry registry_;
  std::array<RpcSeries, kRpcMethods> rpcs_;
  std::array<KindSeries, kQueryKinds> kinds_;
  std::array<CheckSeries, kQueryKinds> checks_;
  prometheus::Histogram* bracket_ratios_ = nullptr;
  prometheus::Gauge* shapes_ = nullptr;
  prometheus::Gauge* shape_bytes_ = nullptr;
  prometheus::Gauge* registry_revision_ = nullptr;
  prometheus::Gauge* sessions_open_ = nullptr;
  prometheus::Gauge* messages_in_flight_ = nullptr;
  prometheus::Gauge* bytes_in_flight_ = nullptr;
  prometheus::Counter* sessions_refused_ = nullptr;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_OBSERVE_METRICS_H_
