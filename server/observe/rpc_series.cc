// SPDX-License-Identifier: Apache-2.0
#include "server/observe/rpc_series.h"

namespace clearance::server {
namespace {

using prometheus::BuildCounter;
using prometheus::Labels;

constexpr const char* kShapeService = "clearance.v1.ShapeService";
constexpr const char* kQueryService = "clearance.v1.QueryService";
constexpr const char* kSceneService = "clearance.v1.SceneService";
constexpr const char* kSceneQueryService = "clearance.v1.SceneQueryService";
constexpr const char* kServerService = "clearance.v1.ServerService";

constexpr std::array<RpcMethodInfo, kRpcMethods> kMethodInfos = {{
    {kShapeService, "RegisterShape", "unary"},  {kShapeService, "BatchRegisterShapes", "unary"},
    {kShapeService, "GetShape", "unary"},       {kShapeService, "ListShapes", "unary"},
    {kShapeService, "DeleteShape", "unary"},    {kQueryService, "Distance", "unary"},
    {kQueryService, "Intersection", "unary"},   {kQueryService, "TimeOfCollision", "unary"},
    {kQueryService, "Session", "bidi_stream"},  {kSceneService, "CreateScene", "unary"},
    {kSceneService, "GetScene", "unary"},       {kSceneService, "ListScenes", "unary"},
    {kSceneService, "UpdateScene", "unary"},    {kSceneService, "ForkScene", "unary"},
    {kSceneService, "DeleteScene", "unary"},    {kSceneService, "WatchScene", "server_stream"},
    {kServerService, "GetServerInfo", "unary"}, {kSceneQueryService, "Check", "unary"},
    {kSceneQueryService, "Clearance", "unary"}, {kSceneQueryService, "Nearest", "unary"},
    {kSceneQueryService, "Overlap", "unary"},   {kSceneQueryService, "Motion", "unary"},
    {kSceneQueryService, "Ray", "unary"},
}};

// By number.
constexpr std::array<const char*, kGrpcCodes> kCodeNames = {
    "OK",       "Canceled",       "Unknown",          "InvalidArgument",   "DeadlineExceeded",
    "NotFound", "AlreadyExists",  "PermissionDenied", "ResourceExhausted", "FailedPrecondition",
    "Aborted",  "OutOfRange",     "Unimplemented",    "Internal",          "Unavailable",
    "DataLoss", "Unauthenticated"};
constexpr std::size_t kUnknownCode = 2;

// The usual defaults start at 5 ms, which is above nearly everything that happens here.
prometheus::Histogram::BucketBoundaries HandlingSecondsBuckets() {
  return {50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3,
          25e-3, 50e-3,  100e-3, 250e-3, 0.5,  1,      2.5,  10};
}

}  // namespace

const RpcMethodInfo& InfoOf(RpcMethod method) {
  return kMethodInfos[static_cast<std::size_t>(method)];
}

void RpcSeries::Handled(int grpc_code, absl::Duration taken) {
  const auto code = static_cast<std::size_t>(grpc_code);
  handled_[code < kGrpcCodes ? code : kUnknownCode]->Increment();
  seconds_->Observe(absl::ToDoubleSeconds(taken));
}

std::array<RpcSeries, kRpcMethods> MakeRpcSeries(prometheus::Registry* registry) {
  auto& started =
      BuildCounter().Name("grpc_server_started_total").Help("Calls started.").Register(*registry);
  auto& received = BuildCounter()
                       .Name("grpc_server_msg_received_total")
                       .Help("Messages received of calls.")
                       .Register(*registry);
  auto& sent = BuildCounter()
                   .Name("grpc_server_msg_sent_total")
                   .Help("Messages sent on calls.")
                   .Register(*registry);
  auto& handled = BuildCounter()
                      .Name("grpc_server_handled_total")
                      .Help("Calls finished, by the status code sent.")
                      .Register(*registry);
  auto& seconds = prometheus::BuildHistogram()
                      .Name("grpc_server_handling_seconds")
                      .Help("Time from a call's start to its status.")
                      .Register(*registry);

  std::array<RpcSeries, kRpcMethods> all;
  for (std::size_t i = 0; i < kRpcMethods; ++i) {
    const RpcMethodInfo& info = kMethodInfos[i];
    const Labels labels = {
        {"grpc_type", info.type}, {"grpc_service", info.service}, {"grpc_method", info.method}};
    RpcSeries& series = all[i];
    series.started_ = &started.Add(labels);
    series.received_ = &received.Add(labels);
    series.sent_ = &sent.Add(labels);
    series.seconds_ = &seconds.Add(labels, HandlingSecondsBuckets());
    for (std::size_t code = 0; code < kGrpcCodes; ++code) {
      Labels with_code = labels;
      with_code["grpc_code"] = kCodeNames[code];
      series.handled_[code] = &handled.Add(with_code);
    }
  }
  return all;
}

}  // namespace clearance::server
