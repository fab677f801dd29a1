// SPDX-License-Identifier: Apache-2.0
//
// Converts numbers to bytes and back, little-endian and without gaps, for the store's blobs.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace clearance::server {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie");

// Thread-compatible.
class BlobWriter {
 public:
  template <class T>
  void Put(T value) {
    static_assert(std::is_arithmetic_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  // Writes the numbers alone: the reader knows their count.
  void PutDoubles(absl::Span<const double> values);
  // Writes the count, the bytes of each number (1, 2 or 4: the fewest that hold the largest), then
  // each.
  void PutIndices(absl::Span<const std::uint32_t> values);

  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads the bytes of a BlobWriter. A missing or malformed value is read as 0 or nothing and
// remembered: ok() is checked once, at the end. Never takes more memory than a few times the bytes.
// Thread-compatible.
class BlobReader {
 public:
  // `bytes` outlive this.
  explicit BlobReader(absl::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T Get() {
    T value{};
    if (bytes_.size() < sizeof(T)) {
      Fail();
      return value;
    }
    std::memcpy(&value, bytes_.data(), sizeof(T));
    bytes_.remove_prefix(sizeof(T));
    return value;
  }
  // Fails if a number is not finite.
  double GetFinite();
  std::vector<double> GetFinite(std::size_t count);
  // Fails if an index is not below `bound`.
  std::vector<std::uint32_t> GetIndices(std::uint64_t bound);
  // Returns a count of things that take at least one byte each.
  std::uint32_t GetCount();

  void Require(bool condition) {
    if (!condition) Fail();
  }
  bool ok() const { return ok_; }
  bool at_end() const { return bytes_.empty(); }

 private:
  void Fail() {
    ok_ = false;
    bytes_ = {};
  }

  absl::string_view bytes_;
  bool ok_ = true;
};

}  // namespace clearance::server
