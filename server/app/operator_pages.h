// SPDX-License-Identifier: Apache-2.0
//
// The pages of the HTTP port: /metrics for Prometheus, /livez and /readyz for the operator of the
// container. With --page_dir also the files of a page and, below /call/, the calls that it makes.

#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "server/observe/http_server.h"
#include "server/observe/liveness.h"
#include "server/observe/metrics.h"
#include "server/page/page.h"

namespace clearance::server {

// Answers the requests of the HTTP port. Thread-safe.
class OperatorPages {
 public:
  // Both outlive this.
  OperatorPages(const Metrics* metrics, Liveness* liveness)
      : metrics_(metrics), liveness_(liveness) {}

  // Call it before the first request.
  void Show(PageFiles files, PageCalls calls) { page_.emplace(std::move(files), std::move(calls)); }

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
  // Requires: a page.
  HttpReply AnswerCall(const HttpRequest& request);

  const Metrics* const metrics_;
  Liveness* const liveness_;
  std::optional<std::pair<PageFiles, PageCalls>> page_;
  std::function<bool()> is_ready_;
  bool answers_addresses_only_ = false;
  std::atomic<bool> ready_ = false;
  std::atomic<int> calls_ = 0;  // calls of the page that are being answered
};

}  // namespace clearance::server
