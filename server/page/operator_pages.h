// SPDX-License-Identifier: Apache-2.0
//
// The pages of the HTTP port: /metrics for Prometheus, /livez and /readyz for the operator of the
// container. With --page_dir also the files of a page and, below /call/, the calls that it makes.

#pragma once

#include <grpcpp/channel.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/observe/http_server.h"
#include "server/observe/liveness.h"
#include "server/observe/metrics.h"

namespace clearance::server {

// Answers the requests of the HTTP port. Thread-safe, except as the methods say.
class OperatorPages {
 public:
  // Makes a channel to the server; called for each call.
  using MakeChannel = std::function<std::shared_ptr<grpc::Channel>()>;

  // Both outlive this.
  OperatorPages(const Metrics* metrics, Liveness* liveness)
      : metrics_(metrics), liveness_(liveness) {}

  // Shows the page in `directory`, of which every regular file is read now: no request reaches the
  // disk. INVALID_ARGUMENT if there is no index.html, if there are more than 100 files or 16 MiB,
  // or if a file has an ending other than those of a page (html, js, css, svg, png, ico, json).
  // NOT_FOUND if it cannot be read. Call it before the first request.
  absl::Status ShowPage(const std::string& directory);

  // Answers the calls that a page makes: a few read-only methods of the services, as JSON
  // (protobuf's mapping). Each goes through gRPC to the server itself, inside the process, with the
  // credentials that the page sends. So policy, limits, turns, metrics and sampled checks apply to
  // the page as to every other caller. All callers of the page count as one address.
  // `checks_callers`: the server checks credentials. Call it before the first request.
  void AnswerCalls(MakeChannel make_channel, bool checks_callers) {
    make_channel_ = std::move(make_channel);
    checks_callers_ = checks_callers;
  }

  // Refuses requests to a name that is not localhost. On a port that only this machine reaches,
  // such a request can only come from a foreign page that made its own name resolve to this
  // machine. Call it before the first request.
  void AnswerAddressesOnly() { answers_addresses_only_ = true; }

  // Sets whether the server is ready, at first false. /readyz then also asks the function of
  // ReadyWhile, if there is one.
  void SetReady(bool ready) { ready_ = ready; }
  // Call it before SetReady.
  void ReadyWhile(std::function<bool()> is_ready) { is_ready_ = std::move(is_ready); }

  HttpReply Answer(const HttpRequest& request);

  // Returns whether a POST to this path is answered, not merely refused.
  bool TakesBody(const std::string& path) const;

 private:
  HttpReply AnswerCall(const HttpRequest& request);

  // Answers a POST of `Service/Method` with a request's JSON by the response's JSON. The content
  // type must be application/json, so that no page of another origin can send it. Unless
  // credentials are checked, it must be sent to this machine's address or localhost, so that no
  // name of another page's can stand for it. Else returns an HTTP status, and {"message": …} with
  // the field, value and limit of the Error detail. Takes at most three seconds.
  HttpReply Call(absl::string_view name, const HttpRequest& request) const;

  const Metrics* const metrics_;
  Liveness* const liveness_;
  // By path, which begins with `/`; `/` is /index.html. None without a page.
  std::map<std::string, HttpReply, std::less<>> files_;
  MakeChannel make_channel_;  // null: no calls
  bool checks_callers_ = false;
  std::function<bool()> is_ready_;
  bool answers_addresses_only_ = false;
  std::atomic<bool> ready_ = false;
  std::atomic<int> calls_ = 0;  // calls of the page that are being answered
};

}  // namespace clearance::server
