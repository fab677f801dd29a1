// SPDX-License-Identifier: Apache-2.0
//
// How often a server allocates, counted in the server itself (allocation_counter.cc).

#pragma once

#include <atomic>
#include <cstdint>

namespace clearance::bench {

// Programs that are started while this lives count their allocations here. One at a time.
class AllocationCount {
 public:
  AllocationCount();
  ~AllocationCount();
  AllocationCount(const AllocationCount&) = delete;
  AllocationCount& operator=(const AllocationCount&) = delete;

  std::uint64_t value() const { return counter_->load(); }

 private:
  using Counter = std::atomic<std::uint64_t>;

  const int file_;
  Counter* counter_;
};

}  // namespace clearance::bench
