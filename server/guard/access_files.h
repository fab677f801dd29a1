// SPDX-License-Identifier: Apache-2.0
//
// The token file and the policy file on disk, and the rules that they make. Changes of either are
// taken over as they are seen, by what is in them; a file that is wrong changes nothing, is told in
// the log and counted.

#ifndef CLEARANCE_SERVER_GUARD_ACCESS_FILES_H_
#define CLEARANCE_SERVER_GUARD_ACCESS_FILES_H_

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

// Where the policy's limits for what principals hold go to, and what it may leave out of all
// limits.
struct HoldingRules {
  PrincipalLimits defaults = {};
  HoldingQuotas* quotas = nullptr;  // null: nowhere
};

// Thread-compatible, but for the authenticator.
class AccessFiles {
 public:
  // INVALID_ARGUMENT naming file and place where one of them is wrong. Log, metrics and quotas
  // outlive this.
  static absl::StatusOr<std::unique_ptr<AccessFiles>> Load(const AccessPaths& paths, Log& log,
                                                           Metrics& metrics,
                                                           const HoldingRules& holding = {});
  ~AccessFiles();
  AccessFiles(const AccessFiles&) = delete;
  AccessFiles& operator=(const AccessFiles&) = delete;

  Authenticator& authenticator() { return *authenticator_; }

  // Looks at the files, once a second, on a thread of its own.
  void Watch();

  // Looks once. Requires: Watch was not called.
  void Look();

  // Lets the thread of Watch read the files again at once, changed or not. Thread-safe.
  void ReadSoon();

 private:
  // Of what is in a file: its time, size and number stay the same where somebody sees to that. All
  // 0 where it cannot be read.
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

#endif  // CLEARANCE_SERVER_GUARD_ACCESS_FILES_H_
