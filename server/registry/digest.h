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

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace clearance::server {

// Gathers the canonical bytes of one content. Thread-compatible.
class CanonicalContent {
 public:
  CanonicalContent(std::uint8_t kind, double radius);

  // Adds the beginning of every shape. The constructor has written that of the whole.
  void AddKind(std::uint8_t kind, double radius);
  void Add(double number);
  void AddCount(std::uint64_t count);
  void AddList(absl::Span<const double> numbers);
  void AddList(absl::Span<const std::uint32_t> indices);

  const std::string& bytes() const { return bytes_; }
  std::string Digest() const;

 private:
  std::string bytes_;
};

// INVALID_ARGUMENT naming `field` unless it is `v1-sha256-` and 64 digits of 0-9 and a-f.
absl::Status CheckDigest(std::string_view digest, std::string_view field);

}  // namespace clearance::server
