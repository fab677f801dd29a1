// SPDX-License-Identifier: Apache-2.0
//
// Columns of replies: what a row of them takes on the wire, and how they are made.

#ifndef CLEARANCE_SERVER_CONVERT_COLUMN_BYTES_H_
#define CLEARANCE_SERVER_CONVERT_COLUMN_BYTES_H_

#include <google/protobuf/repeated_field.h>

#include <cstdint>

#include "absl/types/span.h"

namespace clearance::server {

// Bytes of one row on the wire: packed doubles and fixed32 are what they are, varints at most 5; a
// row that is undecided is listed with a tag of 2 bytes, a length, its index and its reason.
inline constexpr std::uint64_t kStateBytes = 1;
inline constexpr std::uint64_t kNumberBytes = 8;
inline constexpr std::uint64_t kVectorBytes = 3 * kNumberBytes;
inline constexpr std::uint64_t kIndexBytes = 4;
inline constexpr std::uint64_t kUndecidedRowBytes = 12;

inline std::uint64_t BytesIf(bool wanted, std::uint64_t bytes) { return wanted ? bytes : 0; }

// A column of `numbers` zeros, or none.
template <class T>
absl::Span<T> ReplyColumn(bool wanted, std::uint64_t numbers,
                          google::protobuf::RepeatedField<T>* field) {
  if (!wanted) return {};
  field->Resize(static_cast<int>(numbers), T{0});
  return absl::MakeSpan(field->mutable_data(), numbers);
}

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_CONVERT_COLUMN_BYTES_H_
