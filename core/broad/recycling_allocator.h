// SPDX-License-Identifier: Apache-2.0
//
// An allocator that keeps some of the blocks that a thread gave back, for its next allocations. A
// revision that ends gives back some thousand small blocks, and the next one takes as many. The
// general allocator joins each with its neighbours and cuts it off again. All of these lie in cold
// memory, and that was more than a third of a change.

#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/base/config.h"

namespace clearance {

// 0 under the address sanitizer, which otherwise would not see a use of a block that was given
// back.
#ifdef ABSL_HAVE_ADDRESS_SANITIZER
inline constexpr std::size_t kMaxKeptBytes = 0;
#else
inline constexpr std::size_t kMaxKeptBytes = std::size_t{1} << 20;
#endif

// A stateless allocator: any thread may give back a block that another took. A thread keeps at most
// kMaxKeptBytes of each type, until it ends.
template <class T>
class RecyclingAllocator {
 public:
  // NOLINTNEXTLINE(readability-identifier-naming): the name of the language
  using value_type = T;
  static constexpr std::size_t kMaxKept = kMaxKeptBytes / sizeof(T);

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
    if (count != 1 || is_over || KeptHere().blocks.size() == kMaxKept)
      return std::allocator<T>().deallocate(block, count);
    KeptHere().blocks.push_back(block);
  }
  // NOLINTEND(readability-identifier-naming)

  // The number of blocks of this type that this thread keeps.
  static std::size_t kept() { return is_over ? 0 : KeptHere().blocks.size(); }

  friend bool operator==(const RecyclingAllocator&, const RecyclingAllocator&) { return true; }

 private:
  struct Kept {
    Kept() { blocks.reserve(kMaxKept); }
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

  // True when the thread's blocks are gone: objects that outlive them, as static ones do, bypass
  // them.
  static inline thread_local bool is_over = false;
};

}  // namespace clearance
