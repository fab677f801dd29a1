// SPDX-License-Identifier: Apache-2.0
//
// When the registry in memory is as new as the shared one was.

#ifndef CLEARANCE_SERVER_STORAGE_FRESHNESS_H_
#define CLEARANCE_SERVER_STORAGE_FRESHNESS_H_

#include <functional>

#include "absl/status/status.h"

namespace clearance::server {

// Thread-safe.
class Freshness {
 public:
  // `done` is called once, on another thread, and must not block: OK once everything is in the
  // registry that any server had acknowledged before this call; UNAVAILABLE, a refusal, where that
  // cannot be known in time.
  using Done = std::function<void(absl::Status)>;
  virtual void Await(Done done) = 0;

 protected:
  ~Freshness() = default;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_STORAGE_FRESHNESS_H_
