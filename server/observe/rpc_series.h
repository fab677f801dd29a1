// SPDX-License-Identifier: Apache-2.0
//
// The `grpc_server_` series of the ecosystem (names, labels and codes as go-grpc-prometheus spells
// them, so that its dashboards and alerts fit), one set of handles for every rpc.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"
#include "prometheus/counter.h"
#include "prometheus/family.h"
#include "prometheus/histogram.h"
#include "server/observe/families.h"

namespace clearance::server {

// Every rpc of the five services.
enum class RpcMethod : std::uint8_t {
  kRegisterShape,
  kBatchRegisterHulls,
  kGetShape,
  kListShapes,
  kDeleteShape,
  kPairDistance,
  kDistance,
  kIntersection,
  kTimeOfCollision,
  kSession,
  kCreateScene,
  kGetScene,
  kListScenes,
  kUpdateScene,
  kForkScene,
  kDeleteScene,
  kWatchScene,
  kGetServerInfo,
  kCheck,
  kMinimumDistance,
  kNearest,
  kOverlap,
  kSweep,
  kRay,
};
inline constexpr std::size_t kRpcMethods = 24;
inline constexpr std::size_t kGrpcCodes = 17;

struct RpcMethodInfo {
  const char* service;  // "clearance.v1.ShapeService"
  const char* method;   // "RegisterShape"
  const char* type;     // "unary", "server_stream" or "bidi_stream"
};
const RpcMethodInfo& InfoOf(RpcMethod method);

struct RpcFamilies {
  prometheus::Family<prometheus::Counter>& started;
  prometheus::Family<prometheus::Counter>& received;
  prometheus::Family<prometheus::Counter>& sent;
  prometheus::Family<prometheus::Counter>& handled;
  const HistogramFamily& seconds;
};

// Thread-safe.
class RpcSeries {
 public:
  void Started() { started_->Increment(); }
  void MessageReceived() { received_->Increment(); }
  void MessageSent() { sent_->Increment(); }
  // Once a call; `grpc_code` by its number, anything unknown counts as 2 (Unknown).
  void Handled(int grpc_code, absl::Duration taken);

 private:
  friend std::array<RpcSeries, kRpcMethods> MakeRpcSeries(const RpcFamilies& families);

  prometheus::Counter* started_ = nullptr;
  prometheus::Counter* received_ = nullptr;
  prometheus::Counter* sent_ = nullptr;
  prometheus::Histogram* seconds_ = nullptr;
  std::array<prometheus::Counter*, kGrpcCodes> handled_{};
};

// By RpcMethod, all at 0. The families own what the handles point to.
std::array<RpcSeries, kRpcMethods> MakeRpcSeries(const RpcFamilies& families);

}  // namespace clearance::server
