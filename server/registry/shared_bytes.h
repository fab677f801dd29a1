// SPDX-License-Identifier: Apache-2.0
//
// Bytes shared by holders. Each may hold as many as all others leave free: one alone half of them,
// so that no holder takes the last bytes from all others.

#ifndef CLEARANCE_SERVER_REGISTRY_SHARED_BYTES_H_
#define CLEARANCE_SERVER_REGISTRY_SHARED_BYTES_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "prometheus/gauge.h"

namespace clearance::server {

// Thread-safe.
class SharedBytes {
 public:
  class Part;

  // `gauge` shows the held bytes; may be null. Both it and this outlive what is held.
  SharedBytes(std::uint64_t most, prometheus::Gauge* gauge) : most_(most), gauge_(gauge) {}
  SharedBytes(const SharedBytes&) = delete;
  SharedBytes& operator=(const SharedBytes&) = delete;

  std::uint64_t most() const { return most_; }

  // Holds the bytes as long as the returned pointer lives. Null if the holder would hold more than
  // is then free.
  std::shared_ptr<const void> Take(std::uint64_t bytes, std::string_view holder) {
    std::string name(holder);
    if (!Add(bytes, name)) return nullptr;
    return {this, [this, bytes, name = std::move(name)](const void*) { GiveBack(bytes, name); }};
  }

 private:
  // Returns false, and changes nothing, if the holder would hold more than is then free.
  bool Add(std::uint64_t bytes, const std::string& holder) {
    const std::lock_guard lock(mutex_);
    std::uint64_t& of_holder = of_holder_[holder];
    const std::uint64_t free = most_ - held_;
    if (bytes > free || of_holder + bytes > free - bytes) {
      if (of_holder == 0) of_holder_.erase(holder);
      return false;
    }
    Set(&of_holder, bytes, /*is_more=*/true);
    return true;
  }

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
  std::mutex mutex_;  // guards the members below
  absl::flat_hash_map<std::string, std::uint64_t> of_holder_;
  std::uint64_t held_ = 0;
};

// The bytes of one thing of a holder, which grows and shrinks. Thread-compatible.
class SharedBytes::Part {
 public:
  // `all` outlives this.
  Part(SharedBytes& all, std::string holder) : all_(all), holder_(std::move(holder)) {}
  ~Part() { Resize(0); }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  // Returns false, and changes nothing, if that is more and the holder would hold more than is then
  // free.
  bool Resize(std::uint64_t bytes) {
    if (bytes > bytes_ && !all_.Add(bytes - bytes_, holder_)) return false;
    if (bytes < bytes_) all_.GiveBack(bytes_ - bytes, holder_);
    bytes_ = bytes;
    return true;
  }

 private:
  SharedBytes& all_;
  const std::string holder_;
  std::uint64_t bytes_ = 0;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_REGISTRY_SHARED_BYTES_H_
