// SPDX-License-Identifier: Apache-2.0
//
// Calls that the page makes: a few read-only methods of the services, as JSON (protobuf's mapping).
// Each goes through gRPC to the server itself, inside the process, with the credentials that the
// page sends. So policy, limits, turns, metrics and sampled checks apply to the page as to every
// other caller, without a line of code about it. All callers of the page count as one address.

#pragma once

#include <grpcpp/channel.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "server/observe/http_server.h"

namespace clearance::server {

// Answers the calls of the page. Thread-safe.
class PageCalls {
 public:
  // Makes a channel to the server; called for each call.
  using MakeChannel = std::function<std::shared_ptr<grpc::Channel>()>;

  // Whether the credentials of callers are checked.
  enum class Policy : std::uint8_t { kNone, kChecksCallers };

  PageCalls(MakeChannel make_channel, Policy policy)
      : make_channel_(std::move(make_channel)), policy_(policy) {}

  // Answers a POST of `Service/Method` with a request's JSON by the response's JSON. The content
  // type must be application/json, so that no page of another origin can send it. Unless
  // credentials are checked, it must be sent to this machine's address or localhost, so that no
  // name of another page's can stand for it. Else returns an HTTP status, and {"message": …} with
  // the field, value and limit of the Error detail. Takes at most three seconds.
  HttpReply Answer(absl::string_view method, const HttpRequest& request) const;

  // Returns a refusal in the form of Answer.
  static HttpReply Refusal(int status, const std::string& message);

 private:
  const MakeChannel make_channel_;
  const Policy policy_;
};

}  // namespace clearance::server
