// SPDX-License-Identifier: Apache-2.0
//
// The identity of a shape's content: `v1-sha256-` and the SHA-256, in hexadecimal, of a canonical
// byte string of the content as the caller gave it. The hull that is built is no part of it, so
// every replica computes the same digest.
//
// The canonical bytes, all numbers little-endian:
//     kind      1 byte: the field number of the kind in clearance.v1.Shape
//     radius    8 bytes: the spherical extension
//     numbers   8 bytes each: the kind's own numbers in the order of their fields
//     indices   4 bytes each: of an adjacency
//     pieces    of a compound: their number (8 bytes), and of each its kind, radius and numbers
//               as above, then its pose as a list
// A list of numbers or indices has its length (8 bytes) before it.
// Doubles keep their bits: -0.0 and 0.0 differ, because equal digests promise equal bits in every
// answer.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace clearance::server {

// Gathers the canonical bytes of one content. Thread-compatible.
class CanonicalContent {
 public:
  CanonicalContent(std::uint8_t kind, double radius) { AddKind(kind, radius); }

  // Adds the beginning of every shape. The constructor has written that of the whole.
  void AddKind(std::uint8_t kind, double radius) {
    bytes_.push_back(static_cast<char>(kind));
    Add(radius);
  }
  void Add(double number) { Append(&number, sizeof(number)); }
  void AddCount(std::uint64_t count) { Append(&count, sizeof(count)); }
  void AddList(absl::Span<const double> numbers) {
    AddCount(numbers.size());
    Append(numbers.data(), numbers.size() * sizeof(double));
  }
  void AddList(absl::Span<const std::uint32_t> indices) {
    AddCount(indices.size());
    Append(indices.data(), indices.size() * sizeof(std::uint32_t));
  }

  const std::string& bytes() const { return bytes_; }
  std::string Digest() const;

 private:
  static_assert(std::endian::native == std::endian::little, "numbers are appended as they lie");

  void Append(const void* data, std::size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
  }

  std::string bytes_;
};

// INVALID_ARGUMENT naming `field` unless it is `v1-sha256-` and 64 digits of 0-9 and a-f.
absl::Status CheckDigest(std::string_view digest, std::string_view field);

}  // namespace clearance::server
