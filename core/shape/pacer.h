// SPDX-License-Identifier: Apache-2.0
//
// Decides when a long piece of work is given up. The work reports its progress; the clock is looked
// at only after so much of it that the look costs nothing beside it.

#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"

namespace clearance {

// Counts in vertices scanned, some 0.4 ns each; other work counts as so many. Thread-compatible.
class Pacer {
 public:
  // The work done since the last look.
  class Cost {
   public:
    void Add(std::uint64_t vertices) { spent_ += vertices; }
    bool IsHigh() const { return spent_ >= kVerticesALook; }

   private:
    static constexpr std::uint64_t kVerticesALook = std::uint64_t{1} << 17;  // some 50 microseconds
    std::uint64_t spent_ = 0;
  };

  // Asks `should_stop` at once, and then now and then until it says so. It outlives this.
  explicit Pacer(absl::FunctionRef<bool()> should_stop)
      : should_stop_(should_stop), has_stopped_(should_stop()) {}

  bool has_stopped() const { return has_stopped_; }

  // Work that is done or about to be. False: give up.
  bool Spend(std::uint64_t vertices) {
    cost_.Add(vertices);
    if (cost_.IsHigh()) LookNow();
    return !has_stopped_;
  }

  // After anything else that may have taken long.
  void LookNow() {
    cost_ = {};
    has_stopped_ = has_stopped_ || should_stop_();
  }

 private:
  absl::FunctionRef<bool()> should_stop_;
  bool has_stopped_;
  Cost cost_;
};

// The same of a pacer that may be null, which never stops.
inline bool HasStopped(const Pacer* pacer) { return pacer != nullptr && pacer->has_stopped(); }
inline bool Spend(Pacer* pacer, std::uint64_t vertices) {
  return pacer == nullptr || pacer->Spend(vertices);
}

}  // namespace clearance
