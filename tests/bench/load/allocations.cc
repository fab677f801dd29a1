// SPDX-License-Identifier: Apache-2.0

#include "tests/bench/load/allocations.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "tests/bench/load/target.h"

namespace clearance::bench {

AllocationCount::AllocationCount() : file_(memfd_create("allocations", MFD_CLOEXEC)) {
  if (file_ < 0 || ftruncate(file_, sizeof(Counter)) != 0) Fail("no memory to count in");
  void* const page = mmap(nullptr, sizeof(Counter), PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (page == MAP_FAILED) Fail("no memory to count in");
  counter_ = static_cast<Counter*>(page);
  // The server opens it as a file of this process.
  const std::string name = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file_);
  setenv("CLEARANCE_ALLOCATION_COUNT", name.c_str(), 1);
  setenv("LD_PRELOAD", CLEARANCE_ALLOCATION_COUNTER, 1);
}

AllocationCount::~AllocationCount() {
  unsetenv("LD_PRELOAD");
  unsetenv("CLEARANCE_ALLOCATION_COUNT");
  munmap(counter_, sizeof(Counter));
  close(file_);
}

}  // namespace clearance::bench
