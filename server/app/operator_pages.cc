// SPDX-License-Identifier: Apache-2.0
#include "server/app/operator_pages.h"

#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace clearance::server {
namespace {

HttpReply NotHere() {
  return {.status = 404, .body = "not here: try /metrics, /livez or /readyz\n"};
}

HttpReply NotReady() { return {.status = 503, .body = "not ready: starting or draining\n"}; }

}  // namespace

HttpReply OperatorPages::Answer(const HttpRequest& request) const {
  if (page_.has_value() && absl::StartsWith(request.path, "/call/")) return AnswerCall(request);
  if (request.method == "POST") return {.status = 405, .body = "only GET and HEAD\n"};
  const std::string& path = request.path;
  if (path == "/metrics") {
    liveness_->FindDead();  // for the series that tell of it
    return {.content_type = "text/plain; version=0.0.4; charset=utf-8", .body = metrics_->Scrape()};
  }
  if (path == "/livez") {
    const std::optional<std::string> dead = liveness_->FindDead();
    return dead.has_value() ? HttpReply{.status = 503, .body = "not alive: " + *dead + "\n"}
                            : HttpReply{.body = "alive\n"};
  }
  if (path == "/readyz") {
    return ready_ ? HttpReply{.body = "ready\n"} : NotReady();
  }
  const HttpReply* const file = page_.has_value() ? page_->first.Find(path) : nullptr;
  return file == nullptr ? NotHere() : *file;
}

HttpReply OperatorPages::AnswerCall(const HttpRequest& request) const {
  if (!ready_) return NotReady();
  return page_->second.Answer(absl::StripPrefix(request.path, "/call/"), request);
}

}  // namespace clearance::server
