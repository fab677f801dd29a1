// SPDX-License-Identifier: Apache-2.0
//
// The token file and the policy file on disk, and the rules that they make. A change of either is
// applied when its content is seen to differ. A file that is wrong changes nothing; it is logged
// and counted.

#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/guard/authenticator.h"
#include "server/guard/holding_quotas.h"
#include "server/observe/log.h"
#include "server/observe/metrics.h"

namespace clearance::server {

struct AccessPaths {
  std::string policy;
  std::string tokens;       // empty: no token is accepted
  std::string client_ca{};  // empty: no client certificate is accepted
};

// Holds the defaults of all limits that the policy leaves out, and the quotas that take its limits
// of holdings.
struct HoldingRules {
  PrincipalLimits defaults = {};
  HoldingQuotas* quotas = nullptr;  // null: nowhere
};

// Keeps the rules of the files up to date. Thread-compatible, except for the authenticator.
class AccessFiles {
 public:
  // Returns INVALID_ARGUMENT, naming file and place, if one of them is wrong. Log, metrics and
  // quotas outlive this.
  static absl::StatusOr<std::unique_ptr<AccessFiles>> Load(const AccessPaths& paths, Log& log,
                                                           Metrics& metrics,
                                                           const HoldingRules& holding = {});
  ~AccessFiles();
  AccessFiles(const AccessFiles&) = delete;
  AccessFiles& operator=(const AccessFiles&) = delete;

  Authenticator& authenticator() { return *authenticator_; }

  // Looks at the files, once a second, on a separate thread.
  void Watch();

  // Looks once. Requires: Watch was not called.
  void Look();

  // Lets the thread of Watch read the files again at once, changed or not. Thread-safe.
  void ReadSoon();

 private:
  // Depends on the content of a file, whose time, size and number can be kept the same on purpose.
  // All 0 if the file cannot be read.
  using Fingerprint = std::array<std::uint8_t, 32>;
  using Fingerprints = std::vector<Fingerprint>;

  AccessFiles(AccessPaths paths, Log& log, Metrics& metrics, const HoldingRules& holding);

  static Fingerprint FingerprintOf(const std::string& path);
  Fingerprints Take() const;
  absl::Status Read();
  void Run();

  const AccessPaths paths_;
  Log& log_;
  Metrics& metrics_;
  const HoldingRules holding_;
  std::unique_ptr<Authenticator> authenticator_;
  Fingerprints seen_;
  std::mutex mutex_;
  std::condition_variable ending_;
  bool is_ending_ = false;  // guarded by mutex_
  bool is_asked_ = false;   // guarded by mutex_: to read the files whatever is in them
  std::thread thread_;
};

}  // namespace clearance::server
