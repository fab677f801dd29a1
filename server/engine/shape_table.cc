// SPDX-License-Identifier: Apache-2.0

#include "server/engine/shape_table.h"

#include <algorithm>
#include <utility>

namespace clearance::server {

// A support of a curved piece is a few square roots, which cost as much as a scan of
// some vertices.
std::uint64_t VerticesAPiece(const RigidBody& body) {
  constexpr std::uint64_t kCurved = 32;
  std::uint64_t vertices = body.vertex_count();
  for (const Piece& piece : body.pieces()) vertices += piece.shape->is_curved() ? kCurved : 0;
  const std::uint64_t pieces = body.pieces().size();
  return (vertices + pieces - 1) / pieces;
}

void ShapeTable::Open(std::uint32_t slot, RigidBodyPtr body, std::uint64_t owned_bytes,
                      std::string_view digest) {
  const std::uint64_t vertices = VerticesAPiece(*body);
  max_vertices_a_step_ = std::max(max_vertices_a_step_, vertices);
  max_piece_count_ = std::max<std::uint64_t>(max_piece_count_, body->pieces().size());
  const double bounding_radius = body->bounding_radius();
  Put(slot, {.body = std::move(body),
             .text = std::make_unique<const std::string>(digest),
             .owned_bytes = owned_bytes,
             .vertices_a_step = vertices,
             .bounding_radius = bounding_radius,
             .state = SlotState::kOpen});
}

void ShapeTable::Poison(std::uint32_t slot, const std::string& reason) {
  if (state(slot) == SlotState::kPoisoned) return;
  Put(slot, {.text = std::make_unique<const std::string>(reason), .state = SlotState::kPoisoned});
}

void ShapeTable::PoisonOpen(const std::string& reason) {
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    if (slots_[slot].state == SlotState::kOpen) Poison(slot, reason);
  }
}

bool ShapeTable::Close(std::uint32_t slot) {
  const SlotState before = state(slot);
  if (before != SlotState::kOpen && before != SlotState::kPoisoned) return false;
  Put(slot, {.state = SlotState::kClosed});
  return true;
}

void ShapeTable::Put(std::uint32_t slot, Slot content) {
  if (slot >= slots_.size()) slots_.resize(std::size_t{slot} + 1);
  owned_bytes_ += content.owned_bytes - slots_[slot].owned_bytes;
  slots_[slot] = std::move(content);
}

}  // namespace clearance::server
