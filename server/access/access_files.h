// SPDX-License-Identifier: Apache-2.0
//
// The token file and the policy file on disk, and the rules that they make.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/access/authenticator.h"
#include "server/config/server_config.h"
#include "server/guard/holding_quotas.h"
#include "server/observe/log.h"
#include "server/observe/metrics.h"
#include "server/observe/periodic_thread.h"

namespace clearance::server {

// Keeps the rules of the files up to date. A change of either is applied when its content is seen
// to differ. A file that is wrong changes nothing; it is logged and counted. Thread-compatible,
// except for the authenticator.
class AccessFiles {
 public:
  // Reads the files that the settings name. Without a token file no token is accepted. Returns
  // INVALID_ARGUMENT, naming file and place, if one of them is wrong. The quotas take the policy's
  // limits of holdings; null: nothing does. All outlive this.
  static absl::StatusOr<std::unique_ptr<AccessFiles>> Load(const ServerConfig& config, Log& log,
                                                           Metrics& metrics,
                                                           HoldingQuotas* quotas = nullptr);

  Authenticator& authenticator() { return *authenticator_; }

  // Looks at the files, once a second, on a separate thread.
  void Watch();

  // Looks once; `is_asked`: applies the files, changed or not. Requires: Watch was not called.
  void Look(bool is_asked = false);

  // Lets the thread of Watch read the files again at once, changed or not. Thread-safe.
  void ReadSoon() { thread_->Ask(); }

 private:
  // The contents of both files, or why one cannot be read. They are compared as a whole: a file's
  // time, size and number can be kept the same on purpose.
  struct Texts {
    absl::StatusOr<std::string> policy, tokens;

    friend bool operator==(const Texts&, const Texts&) = default;
  };

  AccessFiles(const ServerConfig& config, Log& log, Metrics& metrics, HoldingQuotas* quotas)
      : config_(config), log_(log), metrics_(metrics), quotas_(quotas) {}

  Texts Read() const;
  // Makes the rules of the texts that were seen last.
  absl::Status Apply();

  const ServerConfig& config_;
  Log& log_;
  Metrics& metrics_;
  HoldingQuotas* const quotas_;
  std::unique_ptr<Authenticator> authenticator_;
  Texts seen_;
  std::optional<PeriodicThread> thread_;  // the last member: it ends before the others do
};

}  // namespace clearance::server
