// SPDX-License-Identifier: Apache-2.0
//
// Hits of many translating pairs whose rays enter a facet (portal.h), side by side in vector
// instructions: the contact's plane in double-double (contact_plane.h) and all that TimeOfCollision
// proves and answers by it, bit for bit, on any vector unit.

#pragma once

#include <cstddef>

#include "absl/types/span.h"
#include "core/math/rotation.h"
#include "core/math/vec3.h"
#include "core/narrow/minkowski_difference.h"
#include "core/narrow/portal.h"
#include "core/query/contact_plane.h"
#include "core/query/time_of_collision.h"

namespace clearance {

// One pair and the facet that its ray meets. Borrows everything.
struct FacetTask {
  const TranslatingPair* moving = nullptr;
  const MinkowskiDifference<double>* difference = nullptr;  // at the start
  const Mat3<double>* R_AW = nullptr;
  const PortalResult* cast = nullptr;
  Vec3d ray_A;
  Vec3d displacement_a;  // metres
  Vec3d center_a;        // from A's origin, metres, world axes
  double tolerance = 0;  // units
  TimeOfCollisionAnswer* answer = nullptr;
};

// True for polytopes without radius whose units are in a range in which powers of two change no
// digit.
bool IsForFacetContacts(const ShapePair& pair);

// Sets is_answered[i], and *tasks[i].answer if it is true: then the bodies are proved to hit as it
// says. If it is false, nothing is known, and *tasks[i].answer is left as it is. Requires: equal
// lengths of at most kTimesOfCollisionAtOnce, IsForFacetContacts of every pair, casts that end in a
// facet, no shape that is turned inside of its body.
void AnswerFromFacets(absl::Span<const FacetTask> tasks, absl::Span<bool> is_answered);

}  // namespace clearance
