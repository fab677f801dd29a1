// SPDX-License-Identifier: Apache-2.0
//
// A vector whose copies share their common parts. A copy costs its table of chunks. A change costs
// the page that it touches and the pages' pointers beside it; copies do not see it.

#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "core/broad/recycling_allocator.h"
#include "core/math/assert.h"
#include "hwy/cache_control.h"

namespace clearance {

// A vector in pages. kPage items lie together, and kPagesAChunk pointers to pages. Any number of
// threads may read a vector that no thread changes. A page that only this vector refers to is
// changed in place. So a vector may be changed while others read copies of it only if one of the
// copies outlives the change.
template <class T, std::size_t kPage, std::size_t kPagesAChunk = 64>
class PagedVector {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Requires: i < size().
  const T& operator[](std::size_t i) const {
    CLEARANCE_ASSERT(i < size_);
    return (*chunks_[i / kChunk]->pages[i / kPage % kPagesAChunk])[i % kPage];
  }

  // The same, mutable; valid until the next copy of the vector.
  T& Mutable(std::size_t i) { return MutablePage(i / kPage)[i % kPage]; }

  // Prefetches the page of item i, because it will be changed soon. Requires: i < size().
  void Prefetch(std::size_t i) const {
    CLEARANCE_ASSERT(i < size_);
    const Page& page = *chunks_[i / kChunk]->pages[i / kPage % kPagesAChunk];
    for (std::size_t offset = 0; offset < sizeof(Page); offset += kCacheLine)
      hwy::Prefetch(reinterpret_cast<const char*>(&page) + offset);
  }

  void PushBack(const T& item) {
    if (size_ % kChunk == 0) chunks_.push_back(Make<Chunk>());
    ++size_;
    Mutable(size_ - 1) = item;
  }

  // The items that are dropped may be kept until their page goes. Requires: not empty.
  void PopBack() {
    CLEARANCE_ASSERT(size_ > 0);
    Mutable(size_ - 1) = T();
    --size_;
    if (size_ % kChunk == 0) chunks_.pop_back();
  }

  void Resize(std::size_t size) {
    while (size_ > size) PopBack();
    while (size_ < size) PushBack(T());
  }

  // Returns whether the other vector has the same page, shared, at the place of item i. Requires: i
  // < size().
  bool SharesPage(const PagedVector& other, std::size_t i) const {
    CLEARANCE_ASSERT(i < size_);
    if (i >= other.size_) return false;
    const std::shared_ptr<Chunk>& chunk = chunks_[i / kChunk];
    const std::shared_ptr<Chunk>& others = other.chunks_[i / kChunk];
    const std::size_t page = i / kPage % kPagesAChunk;
    return chunk == others || chunk->pages[page] == others->pages[page];
  }

  // Returns the allocated bytes, including those that copies share, without those that items own.
  std::size_t byte_size() const {
    const std::size_t pages = (size_ + kPage - 1) / kPage;
    return pages * sizeof(Page) + chunks_.size() * sizeof(Chunk) +
           chunks_.capacity() * sizeof(chunks_[0]);
  }

  // The part of byte_size() that the other vector does not share.
  std::size_t BytesBeside(const PagedVector& other) const {
    std::size_t bytes = chunks_.capacity() * sizeof(chunks_[0]);
    for (std::size_t c = 0; c < chunks_.size(); ++c) {
      const bool has_place = c < other.chunks_.size();
      if (has_place && chunks_[c] == other.chunks_[c]) continue;
      bytes += sizeof(Chunk);
      for (std::size_t p = 0; p < kPagesAChunk; ++p) {
        const std::shared_ptr<Page>& page = chunks_[c]->pages[p];
        const bool is_shared = has_place && page == other.chunks_[c]->pages[p];
        if (page != nullptr && !is_shared) bytes += sizeof(Page);
      }
    }
    return bytes;
  }

 private:
  using Page = std::array<T, kPage>;
  static constexpr std::size_t kCacheLine = 64;

  // Copying a chunk, or releasing the last reference to it, changes the reference count of each of
  // its pages. These lie anywhere, and the counts would wait for one page after another, unless all
  // are prefetched.
  struct Chunk {
    std::array<std::shared_ptr<Page>, kPagesAChunk> pages;

    Chunk() = default;
    Chunk(const Chunk& other) : pages(other.PrefetchedPages()) {}
    Chunk& operator=(const Chunk&) = delete;
    ~Chunk() { PrefetchedPages(); }

    const std::array<std::shared_ptr<Page>, kPagesAChunk>& PrefetchedPages() const {
      // The count is right before the page.
      constexpr std::size_t kBytesOfCount = 16;
      for (const std::shared_ptr<Page>& page : pages) {
        if (page != nullptr)
          hwy::Prefetch(reinterpret_cast<const char*>(page.get()) - kBytesOfCount);
      }
      return pages;
    }
  };
  static constexpr std::size_t kChunk = kPage * kPagesAChunk;

  template <class Part, class... Arguments>
  static std::shared_ptr<Part> Make(const Arguments&... arguments) {
    return std::allocate_shared<Part>(RecyclingAllocator<Part>(), arguments...);
  }

  Page& MutablePage(std::size_t i) {
    std::shared_ptr<Chunk>& chunk = chunks_[i / kPagesAChunk];
    if (chunk.use_count() != 1) chunk = Make<Chunk>(*chunk);
    std::shared_ptr<Page>& page = chunk->pages[i % kPagesAChunk];
    if (page == nullptr) {
      page = Make<Page>();
    } else if (page.use_count() != 1) {
      page = Make<Page>(*page);
    }
    return *page;
  }

  std::vector<std::shared_ptr<Chunk>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace clearance
