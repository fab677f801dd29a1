// SPDX-License-Identifier: Apache-2.0
//
// The shapes that a session, or one unary call, refers to by slot. The hot path reads a slot
// without a lock or a look-up by name. A slot whose opening failed keeps the reason, so that
// queries on it can be refused with it.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/shape/rigid_body.h"

namespace clearance::server {

enum class SlotState : std::uint8_t { kNeverOpened, kOpen, kClosed, kPoisoned };

// Returns the vertices of one piece on average, rounded up. A curved one counts as some vertices:
// its support is a few square roots.
inline std::uint64_t VerticesAPiece(const RigidBody& body) {
  constexpr std::uint64_t kCurved = 32;
  std::uint64_t vertices = body.vertex_count();
  for (const Piece& piece : body.pieces()) vertices += piece.shape->is_curved() ? kCurved : 0;
  const std::uint64_t pieces = body.pieces().size();
  return (vertices + pieces - 1) / pieces;
}

// Holds the shapes by slot. Thread-compatible.
class ShapeTable {
 public:
  // `owned_bytes` is the cost of the shape for the table's owner: 0 for one that the registry
  // holds. The digest is kept to report which shape it was.
  void Open(std::uint32_t slot, RigidBodyPtr body, std::uint64_t owned_bytes,
            std::string_view digest = "") {
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
  // `reason` is kept until the slot is opened or closed; a slot that is poisoned already keeps its
  // first reason.
  void Poison(std::uint32_t slot, const std::string& reason) {
    if (state(slot) == SlotState::kPoisoned) return;
    Put(slot, {.text = std::make_unique<const std::string>(reason), .state = SlotState::kPoisoned});
  }
  // Returns false if the slot was neither open nor poisoned.
  bool Close(std::uint32_t slot) {
    const SlotState before = state(slot);
    if (before != SlotState::kOpen && before != SlotState::kPoisoned) return false;
    Put(slot, {.state = SlotState::kClosed});
    return true;
  }

  SlotState state(std::uint32_t slot) const {
    return slot < slots_.size() ? slots_[slot].state : SlotState::kNeverOpened;
  }
  // Returns null unless the slot is open.
  const RigidBody* body(std::uint32_t slot) const {
    return slot < slots_.size() ? slots_[slot].body.get() : nullptr;
  }
  // Returns the same body, to be kept beyond the slot.
  RigidBodyPtr shared_body(std::uint32_t slot) const {
    return slot < slots_.size() ? slots_[slot].body : nullptr;
  }
  // No slot from here on was ever opened.
  std::size_t size() const { return slots_.size(); }
  // Returns the vertices that one step of a solver scans of the body: those of a piece, on average.
  // Requires: the slot is open.
  std::uint64_t vertices_a_step(std::uint32_t slot) const { return slots_[slot].vertices_a_step; }
  // Returns the body's own radius without reading the body: rows that are not asked yet would wait
  // for the memory. Requires: the slot is open.
  double bounding_radius(std::uint32_t slot) const { return slots_[slot].bounding_radius; }
  // Requires: the slot is poisoned.
  const std::string& failure(std::uint32_t slot) const { return *slots_[slot].text; }
  // Requires: the slot is open.
  const std::string& digest(std::uint32_t slot) const { return *slots_[slot].text; }

  std::uint64_t owned_bytes() const { return owned_bytes_; }
  std::uint64_t owned_bytes(std::uint32_t slot) const {
    return slot < slots_.size() ? slots_[slot].owned_bytes : 0;
  }
  // No body that was ever opened has more of these: they limit the cost of a row.
  std::uint64_t max_vertices_a_step() const { return max_vertices_a_step_; }
  std::uint64_t max_piece_count() const { return max_piece_count_; }

 private:
  struct Slot {
    RigidBodyPtr body = nullptr;
    // The reason of a poisoned slot, or the digest of an open one.
    std::unique_ptr<const std::string> text = nullptr;
    std::uint64_t owned_bytes = 0;
    std::uint64_t vertices_a_step = 0;
    double bounding_radius = 0;
    SlotState state = SlotState::kNeverOpened;
  };

  void Put(std::uint32_t slot, Slot content) {
    if (slot >= slots_.size()) slots_.resize(std::size_t{slot} + 1);
    owned_bytes_ += content.owned_bytes - slots_[slot].owned_bytes;
    slots_[slot] = std::move(content);
  }

  std::vector<Slot> slots_;
  std::uint64_t owned_bytes_ = 0;
  std::uint64_t max_vertices_a_step_ = 0;
  std::uint64_t max_piece_count_ = 0;
};

}  // namespace clearance::server
