// SPDX-License-Identifier: Apache-2.0
//
// One Session stream as a load: messages made beforehand, a window of them in flight, every reply
// handed to a judge. It speaks through the generated stubs, so that what is sent is exactly known.

#pragma once

#include <grpcpp/grpcpp.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "clearance/v1/query_service.grpc.pb.h"

namespace clearance::bench {

// Thread-compatible.
class SessionClient {
 public:
  explicit SessionClient(const std::string& address);
  // Ends the session.
  ~SessionClient();
  SessionClient(const SessionClient&) = delete;
  SessionClient& operator=(const SessionClient&) = delete;

  struct Load {
    const std::vector<v1::SessionRequest>& messages;  // message i has tag i
    int window = 1;                                   // messages in flight, at most
    absl::Duration duration;  // then it ends, after at least one pass over the messages
  };
  // Judges the reply to message i; false ends the load.
  using Judge = absl::FunctionRef<bool(std::size_t i, const v1::SessionResponse&)>;

  // Sends the messages in turn, again and again. Returns the number of replies, all of them judged;
  // 0 if the stream broke, a reply came out of turn or the judge returned false.
  std::uint64_t Run(const Load& load, Judge judge);

  // Sends one message and waits for its reply; false if the stream broke.
  bool Ask(const v1::SessionRequest& message, v1::SessionResponse* reply);

 private:
  class Window;

  void WriteAll(const Load& load, Window& window);
  bool ReadAll(const Load& load, Window& window, Judge judge);

  grpc::ClientContext context_;
  std::unique_ptr<v1::QueryService::Stub> stub_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::SessionRequest, v1::SessionResponse>> stream_;
};

}  // namespace clearance::bench
