// SPDX-License-Identifier: Apache-2.0

#include "tests/bench/load/allocations.h"

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX's
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "tests/bench/load/target.h"

namespace clearance::bench {

AllocationCount::AllocationCount() {
  using Counter = std::atomic<std::uint64_t>;
  const int file =
      memfd_create("allocations", 0);  // not closed by exec: the server opens it by number
  if (file < 0 || ftruncate(file, sizeof(Counter)) != 0) Fail("no memory to count in");
  void* const page = mmap(nullptr, sizeof(Counter), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (page == MAP_FAILED) Fail("no memory to count in");
  counter_ = static_cast<Counter*>(page);
  const std::string name = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file);
  setenv("CLEARANCE_ALLOCATION_COUNT", name.c_str(), 1);
  setenv("LD_PRELOAD", CLEARANCE_ALLOCATION_COUNTER, 1);
}

AllocationCount::~AllocationCount() {
  unsetenv("LD_PRELOAD");
  unsetenv("CLEARANCE_ALLOCATION_COUNT");
}

}  // namespace clearance::bench
