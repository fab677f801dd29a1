// SPDX-License-Identifier: Apache-2.0
//
// Asks for memory before it is read: the shapes of a large pool come from far away, and a batch
// knows them before their turn. It changes nothing but how long that takes.

#pragma once

#include <cstddef>

#include "core/shape/convex_shape.h"

namespace clearance {

enum class Use { kRead = 0, kWrite = 1 };

// Every cache line that holds a part of it, but for the last one where it begins inside of one.
template <Use kUse = Use::kRead, class T>
void Prefetch(const T& thing) {
  constexpr std::size_t kCacheLine = 64;
  const auto* const bytes = static_cast<const char*>(static_cast<const void*>(&thing));
  for (std::size_t i = 0; i < sizeof(T); i += kCacheLine)
    __builtin_prefetch(bytes + i, static_cast<int>(kUse));
}

// The first vertices and faces, of small shapes all. Reads the shape.
inline void PrefetchSurface(const ConvexShape& shape) {
  const HullFaces& faces = shape.faces();
  __builtin_prefetch(shape.x());
  __builtin_prefetch(shape.y());
  __builtin_prefetch(shape.z());
  __builtin_prefetch(faces.corner_offsets.data());
  __builtin_prefetch(faces.corners.data());
  __builtin_prefetch(shape.face_masks().data());
}

// The shapes of questions[i], where there is one.
template <class Questions>
void PrefetchShapesOf(const Questions& questions, std::size_t i) {
  if (i >= questions.size()) return;
  Prefetch(questions[i].a.shape);
  Prefetch(questions[i].b.shape);
}

// How many questions before its own turn a question's shapes are asked for.
inline constexpr std::size_t kPrefetchAhead = 4;

}  // namespace clearance
