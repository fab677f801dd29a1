// SPDX-License-Identifier: Apache-2.0
//
// The `grpc_server_` series of the ecosystem (names, labels and codes as go-grpc-prometheus spells
// them, so that its dashboards and alerts fit), one set of handles for every rpc.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "absl/time/time.h"
#include "prometheus/counter.h"
#include "prometheus/histogram.h"

namespace clearance::server {

enum class RpcMethod : std::uint8_t {
#define METHOD(name, service, type, role) k##name,
#include "server/observe/methods.def"
};
inline constexpr std::size_t kRpcMethods =
    std::initializer_list<RpcMethod>{
#define METHOD(name, service, type, role) RpcMethod::k##name,
#include "server/observe/methods.def"
    }
        .size();

// The status codes of gRPC, by number.
inline constexpr std::array kGrpcCodeNames = {
    "OK",       "Canceled",       "Unknown",          "InvalidArgument",   "DeadlineExceeded",
    "NotFound", "AlreadyExists",  "PermissionDenied", "ResourceExhausted", "FailedPrecondition",
    "Aborted",  "OutOfRange",     "Unimplemented",    "Internal",          "Unavailable",
    "DataLoss", "Unauthenticated"};

struct RpcMethodInfo {
  const char* service;  // "clearance.v1.ShapeService"
  const char* method;   // "RegisterShape"
  const char* type;     // "unary", "server_stream" or "bidi_stream"
};
inline constexpr std::array<RpcMethodInfo, kRpcMethods> kRpcMethodInfos = {{
#define METHOD(name, service, type, role) {"clearance.v1." #service, #name, #type},
#include "server/observe/methods.def"
}};
constexpr const RpcMethodInfo& InfoOf(RpcMethod method) {
  return kRpcMethodInfos[static_cast<std::size_t>(method)];
}

// Thread-safe.
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

}  // namespace clearance::server
