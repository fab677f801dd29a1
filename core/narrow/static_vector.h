// SPDX-License-Identifier: Apache-2.0
//
// A list of at most kCapacity elements that lives on the stack and costs nothing until elements are
// appended: room for thousands is not cleared first.

#pragma once

#include <memory>
#include <type_traits>

#include "core/math/assert.h"

namespace clearance {

// Requires of every call: the index is below size(), and Append finds room.
template <class T, int kCapacity>
class StaticVector {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  StaticVector() {}  // NOLINT(modernize-use-equals-default): the elements stay as memory has them

  int size() const { return size_; }
  bool is_full() const { return size_ == kCapacity; }
  T& operator[](int i) { return items[Checked(i)]; }
  const T& operator[](int i) const { return items[Checked(i)]; }
  const T* data() const { return items; }

  T& Append(const T& item) { return *std::construct_at(AppendRoom(), item); }
  // Returns the place in which the caller makes one more by a new expression.
  T* AppendRoom() {
    CLEARANCE_ASSERT(!is_full());
    return &items[size_++];
  }
  // Appends one whose value is whatever memory holds: write it before it is read.
  void AppendUnset() { AppendRoom(); }
  T TakeLast() {
    CLEARANCE_ASSERT(size_ > 0);
    return items[--size_];
  }
  void Clear() { size_ = 0; }

 private:
  int Checked(int i) const {
    CLEARANCE_ASSERT(0 <= i && i < size_);
    return i;
  }

  int size_ = 0;
  union {
    T items[kCapacity];
  };
};

}  // namespace clearance
