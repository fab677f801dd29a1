// SPDX-License-Identifier: Apache-2.0
//
// The real server in this process, on a free port, with an empty registry in memory.

#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "clearance/client.h"
#include "server/observe/metrics.h"
#include "server/registry/registry.h"
#include "server/transport/grpc_server.h"
#include "tests/support/local_config.h"

namespace clearance::client {

class RealServer {
 public:
  explicit RealServer(const server::Limits& limits = {},
                      server::Authenticator* authenticator = nullptr)
      : metrics_("test"), registry_(limits, &metrics_) {
    auto started = server::GrpcServer::Start(
        {.config = server::LocalConfig(limits), .authenticator = authenticator}, registry_,
        metrics_);
    EXPECT_TRUE(started.ok()) << started.status();
    server_ = *std::move(started);
  }

  ~RealServer() { server_->Shutdown(absl::ZeroDuration()); }

  std::string address() const { return "127.0.0.1:" + std::to_string(server_->port()); }

  Client Connect() const {
    const absl::StatusOr<Client> client = Client::Connect(address());
    EXPECT_TRUE(client.ok()) << client.status();
    return *client;
  }

  server::GrpcServer& server() { return *server_; }

  // Its metrics once it is down, when the books are complete.
  std::string ShutdownAndScrape() const {
    server_->Shutdown(absl::InfiniteDuration());
    return metrics_.Scrape();
  }

 private:
  server::Metrics metrics_;
  server::Registry registry_;
  std::unique_ptr<server::GrpcServer> server_;
};

inline const Shape kUnitBox{Box{{0.5, 0.5, 0.5}}, 0};

// Two unit cubes of slots 0 and 1: row i has them first + i metres apart along x.
inline DistanceBatch BoxesApart(std::uint32_t count, double first) {
  DistanceBatch batch;
  batch.pairs.count = count;
  for (std::uint32_t row = 0; row < count; ++row) {
    AppendPose({.x = 1 + first + row}, &batch.pairs.poses_b);
  }
  return batch;
}

}  // namespace clearance::client
