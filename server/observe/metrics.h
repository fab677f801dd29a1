// SPDX-License-Identifier: Apache-2.0
//
// All series of the server, made once at the start so that they are 0 from the first scrape. Hot
// paths hold handles and never look up a label. No label takes a value from a peer: the number of
// series is fixed.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "prometheus/counter.h"
#include "prometheus/family.h"
#include "prometheus/gauge.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"
#include "server/observe/batch_tally.h"

namespace clearance::server {

struct ServerConfig;

// Buckets of histograms: upper bounds, inclusive. batch_tally.h has those that a BatchTally counts.
// The usual defaults start at 5 ms, which is above nearly everything that happens here.
inline constexpr std::array kHandlingSecondsBuckets = {
    50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3,
    25e-3, 50e-3,  100e-3, 250e-3, 0.5,  1.0,    2.5,  10.0};
inline constexpr std::array kComputeSecondsBuckets = {1e-6,   5e-6,   10e-6,  25e-6,  50e-6, 100e-6,
                                                      250e-6, 500e-6, 1e-3,   2.5e-3, 5e-3,  10e-3,
                                                      25e-3,  50e-3,  100e-3, 250e-3, 1.0,   10.0};
inline constexpr std::array kCommitSecondsBuckets = {1e-3,   2.5e-3, 5e-3,   10e-3, 25e-3, 50e-3,
                                                     100e-3, 250e-3, 500e-3, 1.0,   2.5,   10.0};
// A cheaper message never comes to a worker.
inline constexpr std::array kWorkSecondsBuckets = {
    100e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 50e-3, 100e-3, 250e-3, 1.0, 10.0, 100.0};
inline constexpr std::array kRowBuckets = {1.0,    4.0,    16.0,    64.0,   256.0,
                                           1024.0, 4096.0, 16384.0, 65536.0};

inline prometheus::Histogram::BucketBoundaries ToBuckets(const auto& bounds) {
  return {bounds.begin(), bounds.end()};
}

// Adds a series for each of the values, which are separated by blanks.
template <class Series>
std::vector<Series*> AddEach(prometheus::Family<Series>& family, const char* label,
                             absl::string_view values) {
  std::vector<Series*> series;
  for (const absl::string_view value : absl::StrSplit(values, ' '))
    series.push_back(&family.Add({{label, std::string(value)}}));
  return series;
}

// Handles live as long as the Metrics.
struct ConnectionSeries {
  prometheus::Gauge* open = nullptr;
  prometheus::Counter* refused_total = nullptr;        // as many were open as the server takes
  prometheus::Counter* refused_address = nullptr;      // as many of one address
  prometheus::Counter* refused_cut = nullptr;          // one of the address was cut lately
  prometheus::Counter* refused_descriptors = nullptr;  // the process had no descriptor left
  prometheus::Counter* cut_streams = nullptr;          // open, with more streams than are allowed
  prometheus::Counter* cut_resets = nullptr;           // open, with too many streams given up
  prometheus::Counter* cut_flood = nullptr;            // sending what no honest client sends
};

// Counts the answers of one kind that were drawn to be checked; each counts in one of the first
// three.
struct CheckSeries {
  prometheus::Counter* checked = nullptr;
  prometheus::Counter* unchecked_undecided = nullptr;
  prometheus::Counter* unchecked_too_large = nullptr;
  prometheus::Counter* contradicted = nullptr;  // of those that were checked
};

enum class RpcMethod : std::uint8_t {
#define METHOD(name, service, type, role) k##name,
#include "proto/methods.def"
};

struct RpcMethodInfo {
  const char* service;  // "clearance.v1.ShapeService"
  const char* method;   // "RegisterShape"
  const char* type;     // "unary", "server_stream" or "bidi_stream"
};
inline constexpr RpcMethodInfo kRpcMethodInfos[] = {
#define METHOD(name, service, type, role) {"clearance.v1." #service, #name, #type},
#include "proto/methods.def"
};
inline constexpr std::size_t kRpcMethods = std::size(kRpcMethodInfos);

constexpr const RpcMethodInfo& InfoOf(RpcMethod method) {
  return kRpcMethodInfos[static_cast<std::size_t>(method)];
}

// The status codes of gRPC, by number.
inline constexpr std::array kGrpcCodeNames = {
    "OK",       "Canceled",       "Unknown",          "InvalidArgument",   "DeadlineExceeded",
    "NotFound", "AlreadyExists",  "PermissionDenied", "ResourceExhausted", "FailedPrecondition",
    "Aborted",  "OutOfRange",     "Unimplemented",    "Internal",          "Unavailable",
    "DataLoss", "Unauthenticated"};

// Holds the `grpc_server_` series of one rpc; names, labels and codes as go-grpc-prometheus spells
// them, so that its dashboards and alerts fit. Thread-safe.
class RpcSeries {
 public:
  void Started() { started_->Increment(); }
  void MessageReceived() { received_->Increment(); }
  void MessageSent() { sent_->Increment(); }
  // Once a call; `grpc_code` by its number, anything unknown counts as 2 (Unknown).
  void Handled(int grpc_code, absl::Duration taken) {
    const auto code = static_cast<std::size_t>(grpc_code);
    handled_[code < handled_.size() ? code : 2]->Increment();
    seconds_->Observe(absl::ToDoubleSeconds(taken));
  }

 private:
  friend class Metrics;

  prometheus::Counter* started_ = nullptr;
  prometheus::Counter* received_ = nullptr;
  prometheus::Counter* sent_ = nullptr;
  prometheus::Histogram* seconds_ = nullptr;
  std::array<prometheus::Counter*, kGrpcCodeNames.size()> handled_{};
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

// Reasons not to work on a message that could have been answered at another time.
enum class ShedReason : std::uint8_t {
  kFull,   // too much is pending
  kShare,  // of this caller
  kOver,   // the call was cancelled or out of time before a worker came to it
  kBytes,  // too many are held, in all or by this caller
};

// Loops that must turn forever (liveness.h).
enum class LoopKind : std::uint8_t {
  kAccept,    // takes connections
  kHandover,  // gives them to gRPC
  kPoll,      // reads and writes messages
  kWork,      // builds hulls and answers large batches
};
inline constexpr std::size_t kLoopKinds = 4;

#define CLEARANCE_FAMILY(Type, name, help) \
  prometheus::Build##Type().Name(#name).Help(help).Register(registry_)
#define CLEARANCE_SERIES(Type, name, help, ...) \
  CLEARANCE_FAMILY(Type, name, help).Add({} __VA_OPT__(, ToBuckets(__VA_ARGS__)))

// Holds the series of the store that shapes are written to; all stay at 0 if shapes live in memory.
struct StoreSeries {
  prometheus::Registry& registry_;
#define STORE(Type, handle, name, help, more, ...) \
  prometheus::Type* handle = &CLEARANCE_SERIES(Type, name, help, __VA_ARGS__);
#include "server/observe/metrics.def"
};

// Holds all series. Thread-safe. Handles live as long as the Metrics.
class Metrics {
 public:
  explicit Metrics(absl::string_view version);

  RpcSeries& Rpc(RpcMethod method) { return rpcs_[static_cast<std::size_t>(method)]; }

  // Adds what all chunks of a batch counted. Call it once a batch, after its last row.
  void Record(const BatchTally& tally, absl::Duration compute_time);

  CheckSeries& Checks(QueryKind kind) { return kinds_[static_cast<std::size_t>(kind)].checks; }

  StoreSeries& store() { return store_; }

#define SERIES(Type, handle, name, help, more, ...) \
  prometheus::Type& handle() { return handle##_; }
#define SERIES_BY(Type, handle, index, name, label, values, help, more) \
  prometheus::Type& handle(index i) { return *handle##_[static_cast<std::size_t>(i)]; }
#include "server/observe/metrics.def"

  // Sets the gauges of limits, which have the names of their settings.
  void ShowLimits(const ServerConfig& config);
  // Returns the counter for a refusal's text about its limit ("max_batch_rows <= 100"), by the
  // setting that it names. There is one counter for all limits of principals, and one for all
  // texts that name no setting which refuses.
  prometheus::Counter& limit_refusals(absl::string_view limit);
  const ConnectionSeries& connections() const { return connections_; }

  // Returns every series, with those of the process, in Prometheus' text format.
  std::string Scrape() const;

 private:
  // Holds the series of one kind of query; a state or reason that the kind does not have has no
  // series.
  struct KindSeries {
    std::array<prometheus::Counter*, kRowStates> states{};
    std::array<prometheus::Counter*, kUndecidedReasons> undecided{};
    prometheus::Counter* refused = nullptr;
    prometheus::Histogram* compute_seconds = nullptr;
    prometheus::Histogram* rows = nullptr;
    prometheus::Histogram* iterations = nullptr;  // null for scenes
    CheckSeries checks;
    // Null except for scenes.
    prometheus::Counter* scene_nodes = nullptr;
    prometheus::Counter* scene_candidates = nullptr;
    prometheus::Counter* scene_exact = nullptr;
  };

  RpcSeries MakeRpcSeries(RpcMethod method);
  KindSeries MakeKindSeries(QueryKind kind);

  const absl::Time start_ = absl::Now();  // of the process, about
  prometheus::Registry registry_;
#define SERIES(Type, handle, name, help, more, ...) \
  prometheus::Type& handle##_ = CLEARANCE_SERIES(Type, name, help, __VA_ARGS__);
#define SERIES_BY(Type, handle, index, name, label, values, help, more) \
  const std::vector<prometheus::Type*> handle##_ =                      \
      AddEach(CLEARANCE_FAMILY(Type, name, help), #label, values);
#define FAMILY(Type, handle, name, labels, help, more) \
  prometheus::Family<prometheus::Type>& handle##_ = CLEARANCE_FAMILY(Type, name, help);
#include "server/observe/metrics.def"
#undef CLEARANCE_SERIES
#undef CLEARANCE_FAMILY
  std::array<RpcSeries, kRpcMethods> rpcs_;
  std::array<KindSeries, kQueryKinds> kinds_;
  StoreSeries store_{registry_};
  // By the setting; also "principal" and "other".
  absl::flat_hash_map<std::string, prometheus::Counter*> refusals_by_limit_;
  ConnectionSeries connections_;
};

}  // namespace clearance::server
