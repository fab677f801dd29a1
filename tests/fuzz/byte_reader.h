// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a fuzzer as numbers, one after another; zeros where they end. (libFuzzer's own
// FuzzedDataProvider comes with clang only, and the seeds are replayed under g++ too.)

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace clearance::fuzz {

class ByteReader {
 public:
  ByteReader(const std::uint8_t* bytes, std::size_t size) : next_(bytes), left_(size) {}

  bool empty() const { return left_ == 0; }

  // T is a plain number.
  template <class T>
  T Take() {
    T value = 0;
    const std::size_t size = std::min(sizeof value, left_);
    if (size > 0) std::memcpy(&value, next_, size);
    Drop(size);
    return value;
  }

  // A number from 0 up to but without `bound`, which is at most 256.
  int TakeBelow(int bound) { return Take<std::uint8_t>() % bound; }

  // The next `size` bytes, or as many as there are.
  const std::uint8_t* TakeBytes(std::size_t* size) {
    const std::uint8_t* const begin = next_;
    *size = std::min(*size, left_);
    Drop(*size);
    return begin;
  }

 private:
  void Drop(std::size_t size) {
    next_ += size;
    left_ -= size;
  }

  const std::uint8_t* next_;
  std::size_t left_;
};

}  // namespace clearance::fuzz
