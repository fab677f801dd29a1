// SPDX-License-Identifier: Apache-2.0
//
// Numbers of binary mesh files.

#pragma once

#include <algorithm>
#include <bit>
#include <cstring>

namespace clearance::client::internal {

// A number as it stands at `bytes`, in the byte order that is given.
template <typename T>
T NumberAt(const char* bytes, std::endian order) {
  char copy[sizeof(T)];
  std::memcpy(copy, bytes, sizeof(T));
  if (order != std::endian::native) std::reverse(copy, copy + sizeof(T));
  return std::bit_cast<T>(copy);
}

}  // namespace clearance::client::internal
