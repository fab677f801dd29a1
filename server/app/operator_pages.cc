// SPDX-License-Identifier: Apache-2.0
#include "server/app/operator_pages.h"

#include <optional>
#include <string>

namespace clearance::server {

HttpReply OperatorPages::Answer(absl::string_view path) const {
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
    return ready_ ? HttpReply{.body = "ready\n"}
                  : HttpReply{.status = 503, .body = "not ready: starting or draining\n"};
  }
  return {.status = 404, .body = "not here: try /metrics, /livez or /readyz\n"};
}

}  // namespace clearance::server
