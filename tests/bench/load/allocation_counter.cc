// SPDX-License-Identifier: Apache-2.0
//
// Preloaded into a server, counts its allocations where another process can read them: in the
// first eight bytes of the file that CLEARANCE_ALLOCATION_COUNT names.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace {

using Counter = std::atomic<std::uint64_t>;

Counter* MapCounter() {
  const char* const name = std::getenv("CLEARANCE_ALLOCATION_COUNT");
  const int file = name == nullptr ? -1 : open(name, O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* const page = mmap(nullptr, sizeof(Counter), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return page == MAP_FAILED ? nullptr : static_cast<Counter*>(page);
}

// Set before main; what was allocated until then is of no interest.
Counter* counter = nullptr;
__attribute__((constructor)) void Begin() { counter = MapCounter(); }

void Count() {
  if (counter != nullptr) counter->fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

// The C library's own, under the names by which glibc lets them be replaced.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  Count();
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  Count();
  return __libc_calloc(count, size);
}
void* realloc(void* block, std::size_t size) {
  Count();
  return __libc_realloc(block, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  Count();
  return __libc_memalign(alignment, size);
}
}
