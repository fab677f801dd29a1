// SPDX-License-Identifier: Apache-2.0
#include "server/app/operator_pages.h"

namespace clearance::server {

HttpReply OperatorPages::Answer(absl::string_view path) const {
  if (path == "/metrics") {
    return {.content_type = "text/plain; version=0.0.4; charset=utf-8", .body = metrics_->Scrape()};
  }
  if (path == "/livez") return {.body = "alive\n"};
  if (path == "/readyz") {
    return ready_ ? HttpReply{.body = "ready\n"}
                  : HttpReply{.status = 503, .body = "not ready: starting or draining\n"};
  }
  return {.status = 404, .body = "not here: try /metrics, /livez or /readyz\n"};
}

}  // namespace clearance::server
