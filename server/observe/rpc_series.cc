// SPDX-License-Identifier: Apache-2.0
#include "server/observe/rpc_series.h"

namespace clearance::server {
namespace {

constexpr std::array<RpcMethodInfo, kRpcMethods> kMethodInfos = {{
#define METHOD(name, service, type, role) {"clearance.v1." #service, #name, #type},
#include "server/observe/methods.def"
}};

constexpr std::size_t kUnknownCode = 2;

}  // namespace

const RpcMethodInfo& InfoOf(RpcMethod method) {
  return kMethodInfos[static_cast<std::size_t>(method)];
}

void RpcSeries::Handled(int grpc_code, absl::Duration taken) {
  const auto code = static_cast<std::size_t>(grpc_code);
  handled_[code < handled_.size() ? code : kUnknownCode]->Increment();
  seconds_->Observe(absl::ToDoubleSeconds(taken));
}

}  // namespace clearance::server
