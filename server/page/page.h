// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <grpcpp/channel.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/observe/http_server.h"

namespace clearance::server {

// The files of the page that the HTTP port shows, read once: no request reaches the disk.
// Immutable.
class PageFiles {
 public:
  // Reads every regular file below `directory`. INVALID_ARGUMENT if there is no index.html, if
  // there are more than 100 files or 16 MiB, or if a file has an ending other than those of a page
  // (html, js, css, svg, png, ico, json). NOT_FOUND if it cannot be read.
  static absl::StatusOr<PageFiles> Read(const std::string& directory);

  // Returns null if there is no such file. `/` is /index.html.
  const HttpReply* Find(absl::string_view path) const;

 private:
  explicit PageFiles(std::map<std::string, HttpReply, std::less<>> files)
      : files_(std::move(files)) {}

  std::map<std::string, HttpReply, std::less<>> files_;  // by path, which begins with `/`
};

// Answers the calls that the page makes: a few read-only methods of the services, as JSON
// (protobuf's mapping). Each goes through gRPC to the server itself, inside the process, with the
// credentials that the page sends. So policy, limits, turns, metrics and sampled checks apply to
// the page as to every other caller, without a line of code about it. All callers of the page count
// as one address. Thread-safe.
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
