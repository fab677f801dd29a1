// SPDX-License-Identifier: Apache-2.0
#include "server/app/operator_pages.h"

#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace clearance::server {
namespace {

constexpr char kCalls[] = "/call/";

// At once: half of the HTTP server's threads, so that probes and scrapes are answered beside them.
constexpr int kMostCalls = 4;

}  // namespace

bool OperatorPages::TakesBody(const std::string& path) const {
  return page_.has_value() && absl::StartsWith(path, kCalls);
}

HttpReply OperatorPages::Answer(const HttpRequest& request) {
  // Probes of proxies name no host, and browsers always name one. Whether the server lives is no
  // secret.
  const bool is_probe = request.path == "/livez" || request.path == "/readyz";
  if (answers_addresses_only_ && !is_probe && !request.host.empty() && !NamesAddress(request))
    return {.status = 403, .body = "not under this name: ask by the address, or localhost\n"};
  if (TakesBody(request.path)) return AnswerCall(request);
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
    if (!ready_) return {.status = 503, .body = "not ready: starting or draining\n"};
    const bool is_ready = !is_ready_ || is_ready_();
    return is_ready ? HttpReply{.body = "ready\n"}
                    : HttpReply{.status = 503, .body = "not ready: the store does not answer\n"};
  }
  const HttpReply* const file = page_.has_value() ? page_->first.Find(path) : nullptr;
  if (file != nullptr) return *file;
  return {.status = 404, .body = "not here: try /metrics, /livez or /readyz\n"};
}

HttpReply OperatorPages::AnswerCall(const HttpRequest& request) {
  if (!ready_) return PageCalls::Refusal(503, "not ready: starting or draining");
  const bool has_room = calls_.fetch_add(1) < kMostCalls;
  HttpReply reply =
      has_room ? page_->second.Answer(absl::StripPrefix(request.path, kCalls), request)
               : PageCalls::Refusal(429, "the server answers as many calls of its page as it will");
  calls_.fetch_sub(1);
  return reply;
}

}  // namespace clearance::server
