// SPDX-License-Identifier: Apache-2.0

#include "server/engine/shape_table.h"

#include <algorithm>
#include <utility>

namespace clearance::server {

void ShapeTable::Open(std::uint32_t slot, ConvexShapePtr shape, std::uint64_t owned_bytes) {
  max_vertex_count_ = std::max(max_vertex_count_, shape->vertex_count());
  Put(slot, {std::move(shape), nullptr, owned_bytes, SlotState::kOpen});
}

void ShapeTable::Poison(std::uint32_t slot, const std::string& reason) {
  if (state(slot) == SlotState::kPoisoned) return;
  Put(slot, {nullptr, std::make_unique<const std::string>(reason), 0, SlotState::kPoisoned});
}

bool ShapeTable::Close(std::uint32_t slot) {
  const SlotState before = state(slot);
  if (before != SlotState::kOpen && before != SlotState::kPoisoned) return false;
  Put(slot, {nullptr, nullptr, 0, SlotState::kClosed});
  return true;
}

void ShapeTable::Put(std::uint32_t slot, Slot content) {
  if (slot >= slots_.size()) slots_.resize(std::size_t{slot} + 1);
  owned_bytes_ += content.owned_bytes - slots_[slot].owned_bytes;
  slots_[slot] = std::move(content);
}

}  // namespace clearance::server
