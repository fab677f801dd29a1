// SPDX-License-Identifier: Apache-2.0
//
// Reports when the registry in memory is as new as the shared one was.

#pragma once

#include <functional>

#include "absl/status/status.h"

namespace clearance::server {

// Thread-safe.
class Freshness {
 public:
  // Calls `done` once, on another thread; it must not block. OK once the registry has everything
  // that any server had acknowledged before this call. UNAVAILABLE, a refusal, if that cannot be
  // known in time.
  using Done = std::function<void(absl::Status)>;
  virtual void Await(Done done) = 0;

 protected:
  ~Freshness() = default;
};

}  // namespace clearance::server
