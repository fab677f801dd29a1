// SPDX-License-Identifier: Apache-2.0
#ifndef CLEARANCE_SERVER_APP_WAITING_NOTICE_H_
#define CLEARANCE_SERVER_APP_WAITING_NOTICE_H_

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "server/observe/log.h"

namespace clearance::server {

// Logs every second, while it lives, that the server waits for the shared store. Thread-safe.
class WaitingNotice {
 public:
  // `endpoints` are those of the store, as the log shows them. `log` outlives this.
  WaitingNotice(std::string endpoints, Log* log);

  WaitingNotice(const WaitingNotice&) = delete;
  WaitingNotice& operator=(const WaitingNotice&) = delete;

  // The last try came to nothing for this reason.
  void Failed(const absl::Status& reason);

 private:
  void Tell(const std::stop_token& stopped);

  const std::string endpoints_;
  Log* const log_;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::string reason_;
  std::jthread teller_;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_APP_WAITING_NOTICE_H_
