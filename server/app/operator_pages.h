// SPDX-License-Identifier: Apache-2.0
//
// What the HTTP port answers: /metrics for Prometheus, /livez and /readyz for whoever runs the
// container and, with --page_dir, the files of a page and, below /call/, what it asks.

#ifndef CLEARANCE_SERVER_APP_OPERATOR_PAGES_H_
#define CLEARANCE_SERVER_APP_OPERATOR_PAGES_H_

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "server/observe/http_server.h"
#include "server/observe/liveness.h"
#include "server/observe/metrics.h"
#include "server/page/page_calls.h"
#include "server/page/page_files.h"

namespace clearance::server {

// Thread-safe.
class OperatorPages {
 public:
  // Both outlive this.
  OperatorPages(const Metrics* metrics, Liveness* liveness)
      : metrics_(metrics), liveness_(liveness) {}

  // Before the first request.
  void Show(PageFiles files, PageCalls calls) { page_.emplace(std::move(files), std::move(calls)); }

  // Refuses requests to a name that is not localhost: on a port that only this machine reaches it
  // can only be a page of somebody else's that made its own name mean this machine. Before the
  // first request.
  void AnswerAddressesOnly() { answers_addresses_only_ = true; }

  // Not ready until told so, and then only while what is asked, if anything, says so too.
  void SetReady(bool ready) { ready_ = ready; }
  // Before that.
  void ReadyWhile(std::function<bool()> is_ready) { is_ready_ = std::move(is_ready); }

  HttpReply Answer(const HttpRequest& request);

  // Whether a POST there is more than refused.
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
  std::atomic<int> calls_ = 0;  // of the page, being answered
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_APP_OPERATOR_PAGES_H_
