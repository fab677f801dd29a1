// SPDX-License-Identifier: Apache-2.0
//
// The closest features of two separated cores (vertex, edge or face of each), and an answer
// computed from them alone. A search may reach the same features on many paths (from any start, in
// either precision), with as many last bits. If the features are proved to be the only closest
// ones, with a margin, this finish gives all paths the same bits.
//
// Why the features do not depend on the path: let v* be the nearest point of A - B, d = |v*|, E the
// extent of the difference, and let a search end with a bracket no wider than kFastGap u E. Then
// its v has |v|^2 >= d^2 + |v - v*|^2, so |v - v*| <= 2^-23 sqrt(d E), and its normal is off by at
// most 2^-23 sqrt(E / d). A vertex that lies behind the features' plane by more than 2^-23 E sqrt(E
// / d) cannot be in its simplex, whose vertices are all as high along v as v itself. And v cannot
// lie on the features' own boundary if v* is farther than 2^-23 sqrt(d E) from it. Both margins are
// demanded with a factor of 8.

#pragma once

#include <algorithm>
#include <array>

#include "absl/types/span.h"
#include "core/narrow/core_distance.h"
#include "core/narrow/minkowski_difference.h"

namespace clearance {

// Vertices of a simplex that belong to one core, ascending, each once. If they lie inside a face
// with more corners than three, all of its corners are the feature.
struct FeatureVertices {
  int size = 0;
  std::array<VertexIndex, 4> vertex{};

  // Returns those of three, without branches that depend on them.
  static FeatureVertices Of(VertexIndex i, VertexIndex j, VertexIndex k) {
    const VertexIndex least = std::min(std::min(i, j), k), most = std::max(std::max(i, j), k);
    const VertexIndex middle = std::max(std::min(i, j), std::min(std::max(i, j), k));
    const bool has_middle = middle != least, has_most = most != middle;
    FeatureVertices three;
    three.size = 1 + (has_middle ? 1 : 0) + (has_most ? 1 : 0);
    three.vertex = {least, has_middle ? middle : most, most};
    return three;
  }

  void Add(VertexIndex candidate) {
    if (Contains(candidate)) return;
    int at = size++;
    for (; at > 0 && vertex[at - 1] > candidate; --at) vertex[at] = vertex[at - 1];
    vertex[at] = candidate;
  }
  bool Contains(VertexIndex candidate) const {
    bool is_found = false;
    for (int i = 0; i < size; ++i) is_found |= vertex[i] == candidate;
    return is_found;
  }
  absl::Span<const VertexIndex> vertices() const {
    return {vertex.data(), static_cast<std::size_t>(size)};
  }
};

struct FeaturePair {
  FeatureVertices a;
  FeatureVertices b;

  void Add(VertexIndex vertex_a, VertexIndex vertex_b) {
    a.Add(vertex_a);
    b.Add(vertex_b);
  }
};

FeaturePair FeaturesOf(const VertexPairs& pairs);
// Returns the features of a simplex of polytopes.
FeaturePair FeaturesOf(const Simplex<double>& simplex);

// The vertices that those of a simplex stand for: themselves, or all corners of a face. None for
// more than three vertices that are not of one face.
struct Features {
  absl::Span<const VertexIndex> a;
  absl::Span<const VertexIndex> b;
};

// Refers to the pair's shapes and to `features`, which must outlive it.
Features Whole(const ShapePair& pair, const FeaturePair& features);

// True if every vertex that is not of the feature lies below its highest one along d by more than
// `margin`. Its own are equally high: d is across it, to rounding far below the margin.
// Normalised coordinates.
bool StandsOut(const ConvexShape& shape, absl::Span<const VertexIndex> feature, const Vec3d& d,
               double margin);

// Replaces `answer` by the answer that the features alone give, if they are proved to be the only
// closest ones and if double precision brackets the distance tightly between them; otherwise leaves
// it and returns false. A pure function of the features, the placement and the limits. Requires:
// polytopes; no sweep.
bool FinishFromFeatures(const MinkowskiDifference<double>& difference, const FeaturePair& features,
                        const CoreLimits& limits, CoreAnswer* answer);

}  // namespace clearance
