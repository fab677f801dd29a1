// SPDX-License-Identifier: Apache-2.0
//
// A client that talks gRPC and nothing else: it repeats nothing and hides nothing.

#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "clearance/v1/query_service.pb.h"

namespace clearance::hammer {

// Far off: ends only what hangs.
inline constexpr std::chrono::seconds kHangGuard(300);

// On a connection of its own.
std::shared_ptr<grpc::Channel> NewChannel(int port);

struct Answers {
  std::vector<std::string> replies;
  grpc::Status status;
};

// One session: writes everything, and reads meanwhile.
Answers Converse(const std::shared_ptr<grpc::Channel>& channel,
                 const std::vector<v1::SessionRequest>& requests);

// Well, or of a connection that broke.
bool IsClean(const grpc::Status& status);

// "" where the answers are as they may be: of the right ones the first, and all where they end
// well, or have to.
std::string FaultOf(const Answers& answers, const Answers& right, bool has_to_be_whole);

grpc::Status Register(const std::shared_ptr<grpc::Channel>& channel, const std::string& name,
                      const v1::Shape& shape);

// Whether the name has this content.
bool IsThere(const std::shared_ptr<grpc::Channel>& channel, const std::string& name,
             const v1::Shape& shape);

}  // namespace clearance::hammer
