// SPDX-License-Identifier: Apache-2.0
//
// The plane in which a vertex meets a face, or an edge an edge, while two polytopes move towards
// each other without turning. Its normal n is fixed, so their gap along n is linear in time,
//     gap(t) = n . (o + t c) + n . b - n . a,
// with o the offset of the centres, c the closing displacement, and a, b any corners of the two
// features from their centres, all world axes: the time of contact is one quotient, whatever search
// found the features. In double-double, once.
//
// How far rounding is off, with sums within 3u^2 and products within 5u^2, and with every length
// taken for 1. Differences of doubles and products of a quaternion's components are exact, so the
// entries of a turn err by 9u^2, and the turn as an operator by 27u^2; two of them after each other
// by 27 + 27 + 33 = 87u^2. A turned vector errs by another 33u^2, a cross product by 14u^2, a dot
// product by 11u^2. So a normal of two turned edges errs by 2 (87 + 33) + 14 = 254u^2 and one of a
// face by less. The height of a turned corner over it errs by another 87 + 33 + 11, the squares of
// the quaternions' lengths by 14u^2 each, and the two last sums by 6u^2. That is 419u^2 < 2^-97 in
// all, of the lengths |e| |f| of the edges that span the plane times |o| + |a| + |b|, or of the
// slope |c|. The error of o itself counts |n| times.

#pragma once

#include "core/math/double_double.h"
#include "core/math/vec3.h"
#include "core/narrow/closest_features.h"
#include "core/narrow/minkowski_difference.h"
#include "core/shape/posed_shape.h"

namespace clearance {

// Two bodies that move but do not turn; units of the pair, world axes.
struct TranslatingPair {
  const ShapePair& pair;
  PosedShape start_a;
  PosedShape start_b;
  Vec3<DoubleDouble> offset;  // from A's centre to B's at the start
  double offset_error = 0;
  Vec3d displacement_a;
  Vec3d displacement_b;
};

// gap - t * speed is the features' gap at t along n_W, with lengths scaled by `scale`.
struct ContactPlane {
  Vec3d n_W;  // unit to rounding, from A to B
  DoubleDouble gap = 0.0;
  DoubleDouble speed = 0.0;  // > 0
  double gap_error = 0;
  double speed_error = 0;
  double scale = 1;

  // The bodies are apart along the plane's normal in [0, t] if they are on this side of it. 1 at
  // most; not positive if they need not be so at the start.
  double FreeUntil() const;
  // Units.
  double GapAt(double t) const;
};

// Finds the plane. Returns false if the pairs (three of them) are not of features that span a
// plane, or of one that is uncertain, or if the bodies do not approach each other along its normal.
// Proves nothing of the other vertices.
bool FindContactPlane(const TranslatingPair& translating, const FeaturePair& features,
                      ContactPlane* plane);

}  // namespace clearance
