// SPDX-License-Identifier: Apache-2.0
//
// Bytes of which each holder may hold as many as all others leave free: one alone half of them, so
// that nobody takes the last from all others.

#ifndef CLEARANCE_SERVER_REGISTRY_SHARED_BYTES_H_
#define CLEARANCE_SERVER_REGISTRY_SHARED_BYTES_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "prometheus/gauge.h"

namespace clearance::server {

// Thread-safe.
class SharedBytes {
 public:
  // `gauge` shows what is held; may be null. Both it and this outlive what is held.
  SharedBytes(std::uint64_t most, prometheus::Gauge* gauge) : most_(most), gauge_(gauge) {}
  SharedBytes(const SharedBytes&) = delete;
  SharedBytes& operator=(const SharedBytes&) = delete;

  // Held as long as what is returned lives; null where the holder would hold more than is free
  // then.
  std::shared_ptr<const void> Take(std::uint64_t bytes, std::string_view holder) {
    std::string name(holder);
    const std::lock_guard lock(mutex_);
    std::uint64_t& of_holder = of_holder_[name];
    const std::uint64_t free = most_ - held_;
    if (bytes > free || of_holder + bytes > free - bytes) {
      if (of_holder == 0) of_holder_.erase(name);
      return nullptr;
    }
    Set(&of_holder, bytes, /*is_more=*/true);
    return {this, [this, bytes, name = std::move(name)](const void*) { GiveBack(bytes, name); }};
  }

 private:
  void GiveBack(std::uint64_t bytes, const std::string& holder) {
    const std::lock_guard lock(mutex_);
    const auto found = of_holder_.find(holder);
    Set(&found->second, bytes, /*is_more=*/false);
    if (found->second == 0) of_holder_.erase(found);
  }

  // Requires: mutex_ is held.
  void Set(std::uint64_t* of_holder, std::uint64_t bytes, bool is_more) {
    *of_holder = is_more ? *of_holder + bytes : *of_holder - bytes;
    held_ = is_more ? held_ + bytes : held_ - bytes;
    if (gauge_ != nullptr) gauge_->Set(static_cast<double>(held_));
  }

  const std::uint64_t most_;
  prometheus::Gauge* const gauge_;
  std::mutex mutex_;  // guards what follows
  absl::flat_hash_map<std::string, std::uint64_t> of_holder_;
  std::uint64_t held_ = 0;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_REGISTRY_SHARED_BYTES_H_
