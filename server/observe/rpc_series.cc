// SPDX-License-Identifier: Apache-2.0
#include "server/observe/rpc_series.h"

namespace clearance::server {
namespace {

using prometheus::Labels;

constexpr const char* kShapeService = "clearance.v1.ShapeService";
constexpr const char* kQueryService = "clearance.v1.QueryService";
constexpr const char* kSceneService = "clearance.v1.SceneService";
constexpr const char* kSceneQueryService = "clearance.v1.SceneQueryService";
constexpr const char* kServerService = "clearance.v1.ServerService";

constexpr std::array<RpcMethodInfo, kRpcMethods> kMethodInfos = {{
    {kShapeService, "RegisterShape", "unary"},
    {kShapeService, "BatchRegisterHulls", "unary"},
    {kShapeService, "GetShape", "unary"},
    {kShapeService, "ListShapes", "unary"},
    {kShapeService, "DeleteShape", "unary"},
    {kQueryService, "PairDistance", "unary"},
    {kQueryService, "Distance", "unary"},
    {kQueryService, "Intersection", "unary"},
    {kQueryService, "TimeOfCollision", "unary"},
    {kQueryService, "Session", "bidi_stream"},
    {kSceneService, "CreateScene", "unary"},
    {kSceneService, "GetScene", "unary"},
    {kSceneService, "ListScenes", "unary"},
    {kSceneService, "UpdateScene", "unary"},
    {kSceneService, "ForkScene", "unary"},
    {kSceneService, "DeleteScene", "unary"},
    {kSceneService, "WatchScene", "server_stream"},
    {kServerService, "GetServerInfo", "unary"},
    {kSceneQueryService, "Check", "unary"},
    {kSceneQueryService, "MinimumDistance", "unary"},
    {kSceneQueryService, "Nearest", "unary"},
    {kSceneQueryService, "Overlap", "unary"},
    {kSceneQueryService, "Sweep", "unary"},
    {kSceneQueryService, "Ray", "unary"},
}};

// By number.
constexpr std::array<const char*, kGrpcCodes> kCodeNames = {
    "OK",       "Canceled",       "Unknown",          "InvalidArgument",   "DeadlineExceeded",
    "NotFound", "AlreadyExists",  "PermissionDenied", "ResourceExhausted", "FailedPrecondition",
    "Aborted",  "OutOfRange",     "Unimplemented",    "Internal",          "Unavailable",
    "DataLoss", "Unauthenticated"};
constexpr std::size_t kUnknownCode = 2;

}  // namespace

const RpcMethodInfo& InfoOf(RpcMethod method) {
  return kMethodInfos[static_cast<std::size_t>(method)];
}

void RpcSeries::Handled(int grpc_code, absl::Duration taken) {
  const auto code = static_cast<std::size_t>(grpc_code);
  handled_[code < kGrpcCodes ? code : kUnknownCode]->Increment();
  seconds_->Observe(absl::ToDoubleSeconds(taken));
}

std::array<RpcSeries, kRpcMethods> MakeRpcSeries(const RpcFamilies& families) {
  std::array<RpcSeries, kRpcMethods> all;
  for (std::size_t i = 0; i < kRpcMethods; ++i) {
    const RpcMethodInfo& info = kMethodInfos[i];
    const Labels labels = {
        {"grpc_type", info.type}, {"grpc_service", info.service}, {"grpc_method", info.method}};
    RpcSeries& series = all[i];
    series.started_ = &families.started.Add(labels);
    series.received_ = &families.received.Add(labels);
    series.sent_ = &families.sent.Add(labels);
    series.seconds_ = &families.seconds.Add(labels);
    for (std::size_t code = 0; code < kGrpcCodes; ++code) {
      Labels with_code = labels;
      with_code["grpc_code"] = kCodeNames[code];
      series.handled_[code] = &families.handled.Add(with_code);
    }
  }
  return all;
}

}  // namespace clearance::server
