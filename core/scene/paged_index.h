// SPDX-License-Identifier: Apache-2.0
//
// Numbers by key: a hash table with open addressing in pages, so that copies share them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "absl/hash/hash.h"
#include "core/broad/paged_vector.h"
#include "core/math/assert.h"

namespace clearance {

// A value whose copies share what they have in common (paged_vector.h). The hash has another seed
// in each process: keys may be the caller's, who shall not choose where they meet.
template <class Key>
class PagedIndex {
 public:
  std::optional<std::uint32_t> Find(const Key& key) const {
    if (entries_.empty()) return std::nullopt;
    const std::uint32_t found = entries_[PlaceOf(key)].number_plus_one;
    if (found == 0) return std::nullopt;
    return found - 1;
  }

  // Adds the key, or changes its number. Requires: the number is not the greatest there is.
  void Set(const Key& key, std::uint32_t number) {
    CLEARANCE_ASSERT(number < std::numeric_limits<std::uint32_t>::max());
    if (2 * (size_ + 1) > entries_.size()) Grow();
    const std::size_t place = PlaceOf(key);
    if (entries_[place].number_plus_one == 0) ++size_;
    entries_.Mutable(place) = {key, number + 1};
  }

  // Requires: it is there.
  void Erase(const Key& key) {
    CLEARANCE_ASSERT(Find(key).has_value());
    // Entries behind it that would not be found across the hole move into it.
    std::size_t hole = PlaceOf(key);
    const std::size_t mask = entries_.size() - 1;
    for (std::size_t place = Next(hole); entries_[place].number_plus_one != 0;
         place = Next(place)) {
      const std::size_t from_home = (place - HomeOf(entries_[place].key)) & mask;
      if (from_home < ((place - hole) & mask)) continue;
      entries_.Mutable(hole) = entries_[place];
      hole = place;
    }
    entries_.Mutable(hole) = {};
    --size_;
  }

  std::size_t byte_size() const { return entries_.byte_size(); }
  // As PagedVector has it.
  std::size_t BytesBeside(const PagedIndex& other) const {
    return entries_.BytesBeside(other.entries_);
  }

 private:
  static constexpr std::size_t kPage = 16;
  static constexpr std::size_t kMinEntries = 16;

  struct Entry {
    Key key = {};
    std::uint32_t number_plus_one = 0;  // 0: nobody here
  };

  // The entry of the key, or the empty one where it belongs. Requires: there is a table.
  std::size_t PlaceOf(const Key& key) const {
    std::size_t place = HomeOf(key);
    while (entries_[place].number_plus_one != 0 && entries_[place].key != key) place = Next(place);
    return place;
  }
  std::size_t HomeOf(const Key& key) const { return absl::HashOf(key) & (entries_.size() - 1); }
  std::size_t Next(std::size_t place) const { return (place + 1) & (entries_.size() - 1); }

  void Grow() {
    const PagedVector<Entry, kPage> before = entries_;
    entries_ = {};
    entries_.Resize(before.empty() ? kMinEntries : 2 * before.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (before[i].number_plus_one != 0) entries_.Mutable(PlaceOf(before[i].key)) = before[i];
    }
  }

  PagedVector<Entry, kPage> entries_;  // a power of two of them, or none
  std::size_t size_ = 0;
};

}  // namespace clearance
