// SPDX-License-Identifier: Apache-2.0
//
// The texts that stand for things: names of shapes and scenes, digests of contents, and tokens of
// pages.
//
// A digest is the identity of a shape's content: `v1-sha256-` and the SHA-256, in hexadecimal, of a
// canonical byte string of the content as the caller gave it. The hull that is built is no part of
// it, so every replica computes the same digest.
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
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace clearance::server {

// INVALID_ARGUMENT naming `field` unless the text is a name: 1 to 128 characters of
// `[a-z0-9][a-z0-9._/-]*`.
absl::Status CheckShapeName(std::string_view name, std::string_view field);

// INVALID_ARGUMENT naming `field` unless it is `v1-sha256-` and 64 digits of 0-9 and a-f.
absl::Status CheckDigest(std::string_view digest, std::string_view field);

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
  void AddList(absl::Span<const double> numbers) { AppendList(numbers); }
  void AddList(absl::Span<const std::uint32_t> indices) { AppendList(indices); }

  const std::string& bytes() const { return bytes_; }
  std::string Digest() const;

 private:
  template <class Number>
  void AppendList(absl::Span<const Number> numbers) {
    AddCount(numbers.size());
    Append(numbers.data(), numbers.size() * sizeof(Number));
  }
  void Append(const void* data, std::size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
  }

  std::string bytes_;
};

// The start of the next page of a listing, as a text that is opaque to clients. It carries the
// listed prefix and the last name shown. So the next page is right on any replica, whatever was
// registered or deleted meanwhile.
std::string MakePageToken(std::string_view prefix, std::string_view last_name);

// Returns the last name shown. INVALID_ARGUMENT naming `page_token` if MakePageToken did not make
// the token for this prefix.
absl::StatusOr<std::string> ParsePageToken(std::string_view token, std::string_view prefix);

// A page of a scene's bodies: the revision that all pages show, and the first id of the page.
struct ScenePage {
  std::uint64_t incarnation = 0;
  std::uint64_t revision = 0;
  std::uint64_t first_id = 0;
};

std::string MakeScenePageToken(const ScenePage& page);
// INVALID_ARGUMENT naming `page_token`.
absl::StatusOr<ScenePage> ParseScenePageToken(std::string_view token);

}  // namespace clearance::server
