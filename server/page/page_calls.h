// SPDX-License-Identifier: Apache-2.0
//
// What the page asks: a few read-only methods of the services, as JSON (protobuf's mapping). Each
// goes through gRPC to the server itself, inside the process, with the credentials that the page
// sends: what holds for every other caller, policy, limits, turns, metrics and sampled checks,
// holds for the page, without a line of code about it. All of its callers count as one address.

#ifndef CLEARANCE_SERVER_PAGE_PAGE_CALLS_H_
#define CLEARANCE_SERVER_PAGE_PAGE_CALLS_H_

#include <grpcpp/channel.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "server/observe/http_server.h"

namespace clearance::server {

// Thread-safe.
class PageCalls {
 public:
  // A channel to the server; called for each call.
  using MakeChannel = std::function<std::shared_ptr<grpc::Channel>()>;

  // Whether anybody looks at the credentials of callers.
  enum class Policy : std::uint8_t { kNone, kChecksCallers };

  PageCalls(MakeChannel make_channel, Policy policy)
      : make_channel_(std::move(make_channel)), policy_(policy) {}

  // Answers POST of `Service/Method` with a request's JSON, of content type application/json (so
  // that no page of another origin can send it) and, unless credentials are checked, to this
  // machine's address or localhost (so that no name of another page's can stand for it), by the
  // response's JSON. Else a status of HTTP, and
  // {"message": …} with the field, value and limit of the Error detail. Takes at most three
  // seconds.
  HttpReply Answer(absl::string_view method, const HttpRequest& request) const;

  // What says no as Answer does.
  static HttpReply Refusal(int status, const std::string& message);

 private:
  const MakeChannel make_channel_;
  const Policy policy_;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_PAGE_PAGE_CALLS_H_
