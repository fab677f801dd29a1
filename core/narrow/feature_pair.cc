// SPDX-License-Identifier: Apache-2.0

#include "core/narrow/feature_pair.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/math/rotation.h"
#include "core/math/tolerance.h"
#include "core/narrow/gjk.h"
#include "core/narrow/simplex.h"

namespace clearance {
namespace {

// The nearest point of the features' difference, its combination of vertex pairs, and how far it
// lies inside the features: the least distance from their boundary, infinite for two vertices.
struct Nearest {
  Simplex<double> simplex;
  Vec3d v;
  double inside = 0;
};

Simplex<double> PairsOf(const Difference<double>& difference, const FeaturePair& features) {
  Simplex<double> pairs;
  for (int i = 0; i < features.a.size; ++i) {
    for (int j = 0; j < features.b.size; ++j) {
      pairs.vertex[pairs.size++] = difference.At(features.a.vertex[i], features.b.vertex[j], false);
    }
  }
  return pairs;
}

// A vertex against a vertex, an edge or a triangle.
std::optional<Nearest> NearestOfSimplex(Simplex<double> pairs) {
  SimplexPoints<double> points;
  for (int i = 0; i < pairs.size; ++i) points[i] = pairs.vertex[i].w;
  const NearestPoint<double> nearest = NearestOnSimplex(points, pairs.size);
  if (nearest.mask != (1U << pairs.size) - 1) return std::nullopt;
  pairs.weight = nearest.weight;
  double inside = HUGE_VAL;
  if (pairs.size == 2) {
    inside = std::fmin(nearest.weight[0], nearest.weight[1]) * Norm(points[1] - points[0]);
  } else if (pairs.size == 3) {
    const double area = Norm(Cross(points[1] - points[0], points[2] - points[0]));
    for (int i = 0; i < 3; ++i) {
      const double side = Norm(points[(i + 1) % 3] - points[(i + 2) % 3]);
      inside = std::fmin(inside, nearest.weight[i] * area / side);
    }
  }
  return Nearest{pairs, nearest.v, inside};
}

// An edge against an edge: the normal equations of |w00 + s e - t f|^2. `pairs` holds w00 w01 w10
// w11, the first index A's.
std::optional<Nearest> NearestOfEdges(Simplex<double> pairs) {
  const Vec3d& w = pairs.vertex[0].w;
  const Vec3d e = pairs.vertex[2].w - w;
  const Vec3d f = w - pairs.vertex[1].w;
  const double ee = NormSquared(e), ff = NormSquared(f), ef = Dot(e, f);
  const double ew = Dot(e, w), fw = Dot(f, w);
  const double determinant = ee * ff - ef * ef;
  if (!(determinant > kLeastSineSquared * ee * ff)) return std::nullopt;
  const double s = (ef * fw - ff * ew) / determinant;
  const double t = (ee * fw - ef * ew) / determinant;
  if (!(s > 0 && s < 1 && t > 0 && t < 1)) return std::nullopt;
  pairs.weight = {(1 - s) * (1 - t), (1 - s) * t, s * (1 - t), s * t};
  const double sine = std::sqrt(determinant / (ee * ff));
  const double inside =
      sine * std::fmin(std::fmin(s, 1 - s) * std::sqrt(ee), std::fmin(t, 1 - t) * std::sqrt(ff));
  return Nearest{pairs, w + s * e - t * f, inside};
}

std::optional<Nearest> NearestOf(const Difference<double>& difference,
                                 const FeaturePair& features) {
  const int product = features.a.size * features.b.size;
  if (features.a.size == 2 && features.b.size == 2) {
    return NearestOfEdges(PairsOf(difference, features));
  }
  if (product > 3) return std::nullopt;
  return NearestOfSimplex(PairsOf(difference, features));
}

double Height(const ConvexShape& shape, const Vec3d& d, VertexIndex i) {
  return Dot(d, shape.vertex(i));
}

// True if every neighbour of the feature that is not of it lies below `floor`. On a polytope every
// vertex has a rising path of edges to the top, so that neighbours speak for all.
bool AreNeighborsBelow(const ConvexShape& shape, const FeatureVertices& feature, const Vec3d& d,
                       double floor) {
  const Adjacency& adjacency = shape.adjacency();
  for (int i = 0; i < feature.size; ++i) {
    const VertexIndex at = feature.vertex[i];
    for (std::uint32_t k = adjacency.offsets[at]; k < adjacency.offsets[at + 1]; ++k) {
      const VertexIndex neighbor = adjacency.neighbors[k];
      if (!(Height(shape, d, neighbor) < floor) && !feature.Contains(neighbor)) return false;
    }
  }
  return true;
}

// True if every vertex that is not of the feature lies below its highest one along d by more than
// `margin`.
bool StandsOut(const ConvexShape& shape, const FeatureVertices& feature, const Vec3d& d,
               double margin) {
  double top = -HUGE_VAL;
  for (int i = 0; i < feature.size; ++i) top = std::max(top, Height(shape, d, feature.vertex[i]));
  const double floor = top - margin;
  if (shape.has_adjacency()) return AreNeighborsBelow(shape, feature, d, floor);
  for (VertexIndex i = 0; i < shape.vertex_count(); ++i) {
    if (!(Height(shape, d, i) < floor) && !feature.Contains(i)) return false;
  }
  return true;
}

// Both margins of the header.
bool IsUnique(const Difference<double>& difference, const FeaturePair& features,
              const Nearest& nearest) {
  const ShapePair& pair = difference.pair();
  const double extent = difference.extent();
  const double distance = Norm(nearest.v);
  if (!(distance > kLeastFeatureDistance * extent)) return false;
  if (!(nearest.inside > kFeatureMargin * std::sqrt(distance * extent))) return false;
  const double margin = kFeatureMargin * extent * std::sqrt(extent / distance);
  const Vec3d n_A = (-1 / distance) * nearest.v;
  const Vec3d n_B = Transpose(difference.placement().R_AB) * -n_A;
  return StandsOut(pair.a, features.a, n_A, margin / pair.scale_a) &&
         StandsOut(pair.b, features.b, n_B, margin / pair.scale_b);
}

}  // namespace

void FeatureVertices::Add(VertexIndex candidate) {
  if (Contains(candidate)) return;
  int at = size++;
  for (; at > 0 && vertex[at - 1] > candidate; --at) vertex[at] = vertex[at - 1];
  vertex[at] = candidate;
}

bool FeatureVertices::Contains(VertexIndex candidate) const {
  bool is_found = false;
  for (int i = 0; i < size; ++i) is_found |= vertex[i] == candidate;
  return is_found;
}

FeaturePair FeaturesOf(const Simplex<double>& simplex) {
  FeaturePair features;
  for (int i = 0; i < simplex.size; ++i) {
    features.a.Add(simplex.vertex[i].a);
    features.b.Add(simplex.vertex[i].b);
  }
  return features;
}

bool FinishFromFeatures(const Difference<double>& difference, const FeaturePair& features,
                        const CoreLimits& limits, CoreAnswer* answer) {
  const std::optional<Nearest> nearest = NearestOf(difference, features);
  if (!nearest || !IsUnique(difference, features, *nearest)) return false;
  GjkResult<double> finish;
  finish.simplex = nearest->simplex;
  finish.v = nearest->v;
  finish.upper = WeightedNorm(nearest->simplex);
  finish.lower = HUGE_VAL;
  const double norm = Norm(nearest->v);
  for (int i = 0; i < finish.simplex.size; ++i) {
    finish.lower = std::fmin(finish.lower, Dot(nearest->v, finish.simplex.vertex[i].w) / norm);
  }
  return SetIfTight(difference, finish, limits, answer);
}

}  // namespace clearance
