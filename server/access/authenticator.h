// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "server/access/policy.h"
#include "server/access/token_file.h"
#include "server/guard/caller.h"

namespace clearance::server {

// Holds the credentials that a caller shows. Holds no token: only its hash.
struct Credentials {
  bool is_malformed = false;  // there is authorization metadata, but not one bearer token
  std::optional<TokenHash> token = {};
  std::vector<std::string> certificate_names = {};  // of a client certificate that TLS has verified
};

// Returns the credentials of `authorization` metadata; `values` are all of that name.
Credentials CredentialsFrom(const std::vector<std::string_view>& values);

// Identifies callers by the current rules. These (token file and policy together) are one immutable
// snapshot that is replaced as a whole. Thread-safe.
class Authenticator {
 public:
  Authenticator() = default;  // refuses everybody until Replace() is called
  Authenticator(TokenTable tokens, const Policy& policy) { Replace(std::move(tokens), policy); }

  // Returns UNAUTHENTICATED if there are no credentials, or if they belong to no principal of the
  // policy. A token wins over a certificate.
  absl::StatusOr<PrincipalPtr> Authenticate(const Credentials& credentials) const;

  // Replaces the rules. Principals keep their usage, by their ids.
  void Replace(TokenTable tokens, const Policy& policy);

  // Sets the function that is called after every Replace, on its thread; null: none is. There is
  // one at a time, and the previous one is not called any more once this returns.
  void WatchRules(std::function<void()> watch) {
    const std::lock_guard lock(watch_mutex_);
    watch_ = std::move(watch);
  }

  // Returns the number of calls of Replace, so that a caller that was let in can be checked again
  // after one.
  std::uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

 private:
  struct Rules {
    TokenTable tokens;
    Policy policy;
    absl::flat_hash_map<std::string, PrincipalPtr> principals = {};

    // Null if there is no id, or no principal has it.
    PrincipalPtr Find(const std::string* id) const {
      const auto found = id == nullptr ? principals.end() : principals.find(*id);
      return found == principals.end() ? nullptr : found->second;
    }
  };

  std::shared_ptr<const Rules> rules() const {
    const std::lock_guard lock(mutex_);
    return rules_;
  }

  mutable std::mutex mutex_;
  std::shared_ptr<const Rules> rules_ = std::make_shared<Rules>();  // guarded by mutex_
  std::atomic<std::uint64_t> generation_ = 0;
  std::mutex watch_mutex_;       // held while watch_ is called
  std::function<void()> watch_;  // guarded by watch_mutex_
};

}  // namespace clearance::server
