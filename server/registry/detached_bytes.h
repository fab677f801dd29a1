// SPDX-License-Identifier: Apache-2.0
//
// Counts things that a registry has released and others still hold: a shape that was deleted or
// replaced, and that a scene, one of its old revisions or a session has. Such things end unnoticed
// with their last holder, so they are looked at from time to time.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "absl/container/flat_hash_map.h"
#include "prometheus/gauge.h"

namespace clearance::server {

// Maps the addresses of things to their bytes.
using DetachedMap = absl::flat_hash_map<const void*, std::uint64_t>;

// Thread-safe.
class DetachedBytes {
 public:
  // `gauge` shows the result of the last look. It may be null; otherwise it outlives this.
  explicit DetachedBytes(prometheus::Gauge* gauge) : gauge_(gauge) {}

  // The registry releases `thing`.
  void Add(const std::shared_ptr<const void>& thing, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    things_.insert_or_assign(thing.get(), Thing{thing, bytes});
  }

  // The registry holds `thing` again.
  void Forget(const void* thing) {
    const std::lock_guard lock(mutex_);
    things_.erase(thing);
  }

  // Returns the bytes of the things that others still hold. Takes time linear in the things
  // released since the last look and the things still held.
  std::uint64_t Look() {
    const std::lock_guard lock(mutex_);
    absl::erase_if(things_, [](const auto& entry) { return entry.second.thing.expired(); });
    std::uint64_t bytes = 0;
    for (const auto& [address, thing] : things_) bytes += thing.bytes;
    if (gauge_ != nullptr) gauge_->Set(static_cast<double>(bytes));
    return bytes;
  }

  // Returns the things that Look() counts.
  DetachedMap Held() {
    const std::lock_guard lock(mutex_);
    DetachedMap held;
    for (const auto& [address, thing] : things_) {
      if (!thing.thing.expired()) held.emplace(address, thing.bytes);
    }
    return held;
  }

 private:
  struct Thing {
    std::weak_ptr<const void> thing;
    std::uint64_t bytes = 0;
  };

  prometheus::Gauge* const gauge_;
  std::mutex mutex_;
  absl::flat_hash_map<const void*, Thing> things_;  // guarded by mutex_
};

}  // namespace clearance::server
