// SPDX-License-Identifier: Apache-2.0
//
// What the HTTP port answers: /metrics for Prometheus, /livez and /readyz for whoever runs the
// container.

#ifndef CLEARANCE_SERVER_APP_OPERATOR_PAGES_H_
#define CLEARANCE_SERVER_APP_OPERATOR_PAGES_H_

#include <atomic>

#include "absl/strings/string_view.h"
#include "server/observe/http_server.h"
#include "server/observe/liveness.h"
#include "server/observe/metrics.h"

namespace clearance::server {

// Thread-safe.
class OperatorPages {
 public:
  // Both outlive this.
  OperatorPages(const Metrics* metrics, Liveness* liveness)
      : metrics_(metrics), liveness_(liveness) {}

  // Not ready until told so.
  void SetReady(bool ready) { ready_ = ready; }

  HttpReply Answer(absl::string_view path) const;

 private:
  const Metrics* const metrics_;
  Liveness* const liveness_;
  std::atomic<bool> ready_ = false;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_APP_OPERATOR_PAGES_H_
