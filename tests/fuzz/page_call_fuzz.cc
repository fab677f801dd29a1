// SPDX-License-Identifier: Apache-2.0
//
// Any method and any JSON that a page may send, to a server inside the process: it is answered in
// JSON, or refused in it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "server/observe/liveness.h"
#include "server/observe/metrics.h"
#include "server/page/operator_pages.h"
#include "server/registry/registry.h"
#include "server/transport/grpc_server.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/support/local_config.h"

namespace clearance::fuzz {
namespace {

constexpr std::array<const char*, 8> kMethods = {
    "QueryService/Distance",      "QueryService/Intersection", "QueryService/TimeOfCollision",
    "ShapeService/GetShape",      "ShapeService/ListShapes",   "ServerService/GetServerInfo",
    "ShapeService/RegisterShape", "QueryService/PairDistance"};

// One for all inputs, which ends with the process.
server::GrpcServer& TheServer() {
  static server::GrpcServer& server = *[] {
    static const server::Limits limits;
    auto& metrics = *new server::Metrics("fuzz");
    auto& registry = *new server::Registry(limits, &metrics);
    auto started =
        server::GrpcServer::Start({.config = server::LocalConfig(limits)}, registry, metrics);
    Require(started.ok(), "a server starts");
    return started->release();
  }();
  return server;
}

server::OperatorPages& ThePages() {
  static server::OperatorPages& pages = *[] {
    auto& metrics = *new server::Metrics("fuzz");
    auto& liveness = *new server::Liveness(absl::InfiniteDuration(), metrics);
    auto& made = *new server::OperatorPages(&metrics, &liveness);
    made.AnswerCalls([] { return TheServer().ChannelToItself(1 << 20); },
                     /*checks_callers=*/false);
    made.SetReady(true);
    return &made;
  }();
  return pages;
}

}  // namespace
}  // namespace clearance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace clearance;
  if (size < 2) return 0;
  const std::string method = fuzz::kMethods[bytes[0] % fuzz::kMethods.size()];
  // The credentials: as many bytes as the second one says, or all.
  const std::size_t credentials = std::min<std::size_t>(bytes[1], size - 2);
  const server::HttpRequest request{
      .method = "POST",
      .path = "/call/" + method,
      .content_type = "application/json",
      .authorization = std::string(bytes + 2, bytes + 2 + credentials),
      .host = "127.0.0.1:1",
      .body = std::string(bytes + 2 + credentials, bytes + size)};
  const server::HttpReply reply = fuzz::ThePages().Answer(request);
  fuzz::Require(reply.content_type == request.content_type, "every reply is JSON");
  fuzz::Require(nlohmann::json::accept(reply.body), "every reply can be read");
  fuzz::Require(method != "ShapeService/RegisterShape" || reply.status == 404,
                "nothing can be changed");
  return 0;
}
