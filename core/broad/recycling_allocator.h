// SPDX-License-Identifier: Apache-2.0
//
// An allocator that keeps some of the blocks that a thread gave back, for those that it needs next.
// A revision that ends gives back some thousand small blocks, and the next one takes as many: the
// general allocator joins each with its neighbours and cuts it off again, all of which lie in cold
// memory, and that was more than a third of a change.

#ifndef CLEARANCE_CORE_BROAD_RECYCLING_ALLOCATOR_H_
#define CLEARANCE_CORE_BROAD_RECYCLING_ALLOCATOR_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/base/config.h"

namespace clearance {

// None under the address sanitizer, which otherwise would not see who uses what he gave back.
#ifdef ABSL_HAVE_ADDRESS_SANITIZER
inline constexpr std::size_t kMostKeptBytes = 0;
#else
inline constexpr std::size_t kMostKeptBytes = std::size_t{1} << 20;
#endif

// Stateless; any thread may give back what another took. A thread keeps at most kMostKeptBytes of
// each type, until it ends.
template <class T>
class RecyclingAllocator {
 public:
  // NOLINTNEXTLINE(readability-identifier-naming): the name of the language
  using value_type = T;
  static constexpr std::size_t kMostKept = kMostKeptBytes / sizeof(T);

  RecyclingAllocator() = default;
  template <class U>
  RecyclingAllocator(const RecyclingAllocator<U>& /*other*/) {}  // NOLINT: allocators convert

  // NOLINTBEGIN(readability-identifier-naming): the names of the language
  T* allocate(std::size_t count) {
    if (count != 1 || is_over || KeptHere().blocks.empty())
      return std::allocator<T>().allocate(count);
    std::vector<T*>& blocks = KeptHere().blocks;
    T* const block = blocks.back();
    blocks.pop_back();
    return block;
  }

  void deallocate(T* block, std::size_t count) {
    if (count != 1 || is_over || KeptHere().blocks.size() == kMostKept)
      return std::allocator<T>().deallocate(block, count);
    KeptHere().blocks.push_back(block);
  }
  // NOLINTEND(readability-identifier-naming)

  // By this thread, of this type.
  static std::size_t kept() { return is_over ? 0 : KeptHere().blocks.size(); }

  friend bool operator==(const RecyclingAllocator&, const RecyclingAllocator&) { return true; }

 private:
  struct Kept {
    Kept() { blocks.reserve(kMostKept); }
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
    ~Kept() {
      is_over = true;
      for (T* const block : blocks) std::allocator<T>().deallocate(block, 1);
    }

    std::vector<T*> blocks;
  };

  static Kept& KeptHere() {
    thread_local Kept kept;
    return kept;
  }

  // What outlives its thread's blocks, as what is static does, is given back past them.
  static inline thread_local bool is_over = false;
};

}  // namespace clearance

#endif  // CLEARANCE_CORE_BROAD_RECYCLING_ALLOCATOR_H_
