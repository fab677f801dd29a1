// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <type_traits>

namespace clearance {

// Room for a thing that is made once it is known, and that is not cleared before.
template <class T>
union Uninitialized {
  static_assert(std::is_trivially_destructible_v<T>);
  Uninitialized() {}  // NOLINT(modernize-use-equals-default): the room stays as memory has it
  T value;
};

}  // namespace clearance
