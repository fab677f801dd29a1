// SPDX-License-Identifier: Apache-2.0
//
// Where the servers of a fleet are just now, for callers that go to the next when one is gone.

#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "clearance/v1/query_service.grpc.pb.h"
#include "clearance/v1/shape_service.grpc.pb.h"

namespace clearance::fleet {

// How long one server may take for one call: longer than a server waits for etcd. Who gives up
// before it does may find what he asked for made after what he asked for later.
inline constexpr std::chrono::milliseconds kCallPatience{10'000};

// Who waits longer for an answer notices.
inline constexpr std::chrono::milliseconds kNoticed{100};
// Who waits so long gives up; that is as bad as a wrong answer.
inline constexpr std::chrono::seconds kEndless{60};

// One server, under an address that it keeps: who calls it finds it again by himself once it is
// back.
struct Site {
  explicit Site(const std::string& address)
      : channel(grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(),
                                          ReconnectSoon())),
        shapes(v1::ShapeService::NewStub(channel)),
        queries(v1::QueryService::NewStub(channel)) {}

  // As the client libraries do. gRPC's own defaults begin at 1 s and go up to 2 minutes.
  static grpc::ChannelArguments ReconnectSoon();

  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<v1::ShapeService::Stub> shapes;
  std::unique_ptr<v1::QueryService::Stub> queries;
};
using SitePtr = std::shared_ptr<Site>;

// Thread-safe.
class Sites {
 public:
  explicit Sites(std::size_t count) : sites_(count) {}

  void Set(std::size_t index, const std::string& address);
  SitePtr Get(std::size_t index);
  std::size_t size() const { return sites_.size(); }

 private:
  std::mutex mutex_;
  std::vector<SitePtr> sites_;
};

}  // namespace clearance::fleet
