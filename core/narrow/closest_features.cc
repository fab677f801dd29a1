// SPDX-License-Identifier: Apache-2.0

#include "core/narrow/closest_features.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>

#include "core/math/assert.h"
#include "core/math/rotation.h"
#include "core/math/tolerance.h"
#include "core/narrow/gjk.h"
#include "core/narrow/simplex.h"
#include "core/narrow/static_vector.h"
#include "core/support/vertex_scan.h"

namespace clearance {
namespace {

// Faces with more corners are left to the search.
constexpr std::size_t kMaxCorners = 16;

// Up to this count it is faster to look at all vertices, side by side, than at a few one by one.
constexpr std::uint32_t kMaxCounted = 128;

using Corners = absl::Span<const VertexIndex>;

bool Contains(Corners feature, VertexIndex candidate) {
  for (const VertexIndex vertex : feature) {
    if (vertex == candidate) return true;
  }
  return false;
}

bool IsFaceOfAll(const HullFaces& faces, std::uint32_t face, Corners vertices) {
  for (const VertexIndex vertex : vertices) {
    if (!Contains(faces.FacesOf(vertex), face)) return false;
  }
  return true;
}

constexpr std::uint32_t kNoFace = std::numeric_limits<std::uint32_t>::max();

// Returns the one face that has all vertices; kNoFace if there are more, or none.
std::uint32_t OneFaceOf(const HullFaces& faces, Corners vertices) {
  std::uint32_t common = kNoFace;
  for (const std::uint32_t face : faces.FacesOf(vertices[0])) {
    if (!IsFaceOfAll(faces, face, vertices.subspan(1))) continue;
    if (common != kNoFace) return kNoFace;
    common = face;
  }
  return common;
}

// The same by ConvexShape::face_masks.
std::uint32_t OneFaceOf(const std::vector<std::uint64_t>& masks, Corners vertices) {
  std::uint64_t common = ~std::uint64_t{0};
  for (const VertexIndex vertex : vertices) common &= masks[vertex];
  // std::has_single_bit counts all bits, by a call if the processor is not known to do so.
  const bool is_one = common != 0 && (common & (common - 1)) == 0;
  return is_one ? static_cast<std::uint32_t>(std::countr_zero(common)) : kNoFace;
}

// Returns the corners of the one face inside which the vertices lie, if it has more than three:
// three of its corners, or two that a diagonal joins. Else none. An edge is a side of two faces.
Corners PolygonOf(const ConvexShape& shape, Corners feature) {
  const HullFaces& faces = shape.faces();
  if (feature.size() == 1 || !faces.HasPolygons()) return {};
  const std::uint32_t face = shape.face_masks().empty() ? OneFaceOf(faces, feature)
                                                        : OneFaceOf(shape.face_masks(), feature);
  if (face == kNoFace) return {};
  const Corners polygon = faces.CornersOf(face);
  return polygon.size() > 3 && polygon.size() <= kMaxCorners ? polygon : Corners();
}

// Nothing for more than three vertices that are not of one face.
Corners WholeOf(const ConvexShape& shape, const FeatureVertices& feature) {
  const Corners polygon = PolygonOf(shape, feature.vertices());
  if (!polygon.empty()) return polygon;
  return feature.size > 3 ? Corners() : feature.vertices();
}

// The nearest point v of the features' difference as a combination of vertex pairs.
class Nearest {
 public:
  explicit Nearest(const MinkowskiDifference<double>& difference) : difference_(difference) {}

  // False if the features are of no kind that has one nearest point.
  bool Find(const Features& features) {
    const std::size_t size_a = features.a.size(), size_b = features.b.size();
    if (size_a == 2 && size_b == 2) return FindBetweenEdges(features);
    if (std::min(size_a, size_b) != 1) return false;
    const std::size_t corners = std::max(size_a, size_b);
    if (corners > 3) return FindInPolygon(features);
    AppendAll(features);
    if (corners == 3) return FindInTriangle();
    return corners == 2 ? FindOnSegment() : FindPoint();
  }

  const GjkResult<double>& found() const { return found_; }
  GjkResult<double>* mutable_found() { return &found_; }
  // The square of how far v lies inside the features: the least distance from their boundary.
  double inside_sq() const { return inside_sq_; }

 private:
  // Returns this feature's vertex in pair i of a vertex and a feature: its only one, or its corner
  // i.
  static VertexIndex CornerOf(Corners feature, std::size_t i) {
    return feature[feature.size() > 1 ? i : 0];
  }
  // Construct in place: a copy followed by a wider load defeats store-to-load forwarding.
  void Append(const Vec3d& w, const Vec3d& p_A, VertexIndex a, VertexIndex b) {
    new (&found_.simplex.vertex[found_.simplex.size++])
        MinkowskiVertex<double>{w, p_A, a, b, false};
  }

  // All pairs of the vertices, as difference_.At has them. Requires: at most 3 vertices each.
  void AppendAll(const Features& features) {
    StaticVector<Vec3d, 3> points_b;
    for (const VertexIndex b : features.b) points_b.Append(difference_.PointOfB(b));
    for (const VertexIndex a : features.a) {
      const Vec3d a_A = difference_.PointOfA(a);
      for (int i = 0; i < points_b.size(); ++i) {
        Append(a_A - points_b[i], a_A, a, features.b[static_cast<std::size_t>(i)]);
      }
    }
  }

  const Vec3d& w(int i) const { return found_.simplex.vertex[i].w; }

  bool FindPoint() {
    found_.v = w(0);
    found_.simplex.weight[0] = 1;
    inside_sq_ = HUGE_VAL;
    return true;
  }

  bool FindOnSegment() {
    const NearestPoint<double> nearest = NearestOnSegment<double, 0, 1>({w(0), w(1)});
    const double shorter = std::min(nearest.weight[0], nearest.weight[1]);
    found_.v = nearest.v;
    found_.simplex.weight = nearest.weight;
    inside_sq_ = shorter * shorter * NormSquared(w(1) - w(0));
    return nearest.mask == 0b11;
  }

  // Sets v and the weights.
  bool FindFoot(const Vec3d& w0, const Vec3d& w1, const Vec3d& w2) {
    NearestPoint<double> nearest;
    if (!FindFootInTriangle<double, 0, 1, 2>({w0, w1, w2}, &nearest)) return false;
    found_.v = nearest.v;
    found_.simplex.weight = nearest.weight;
    return true;
  }

  bool FindInTriangle() {
    if (!FindFoot(w(0), w(1), w(2))) return false;
    const double area_sq = NormSquared(Cross(w(1) - w(0), w(2) - w(0)));
    inside_sq_ = HUGE_VAL;
    for (int i = 0; i < 3; ++i) {
      const double share = found_.simplex.weight[i];
      const double side_sq = NormSquared(w((i + 1) % 3) - w((i + 2) % 3));
      inside_sq_ = std::min(inside_sq_, share * share * area_sq / side_sq);
    }
    return true;
  }

  // Finds the triangle of the face's fan that the point is in, and how far it is from the sides of
  // the face.
  bool FindInPolygon(const Features& features) {
    const CornerList corners = CornersOf(features);
    for (int k = 1; k + 1 < corners.size(); ++k) {
      if (!FindFoot(corners[0], corners[k], corners[k + 1])) continue;
      for (const int i : {0, k, k + 1}) AppendCorner(features, i, corners[i]);
      inside_sq_ = HUGE_VAL;
      Vec3d from = corners[corners.size() - 1];
      for (int i = 0; i < corners.size(); ++i) {
        const Vec3d side = corners[i] - from;
        const double area_sq = NormSquared(Cross(side, found_.v - from));
        inside_sq_ = std::min(inside_sq_, area_sq / NormSquared(side));
        from = corners[i];
      }
      return true;
    }
    return false;
  }

  void AppendCorner(const Features& features, int i, const Vec3d& w) {
    const VertexIndex a = CornerOf(features.a, static_cast<std::size_t>(i));
    Append(w, difference_.PointOfA(a), a, CornerOf(features.b, static_cast<std::size_t>(i)));
  }

  // Returns the corners of the difference of a vertex and a face, as difference_.At computes them.
  using CornerList = StaticVector<Vec3d, static_cast<int>(kMaxCorners)>;
  CornerList CornersOf(const Features& features) const {
    CornerList corners;
    if (features.a.size() == 1) {
      const Vec3d a_A = difference_.PointOfA(features.a[0]);
      for (const VertexIndex b : features.b) corners.Append(a_A - difference_.PointOfB(b));
    } else {
      const Vec3d b_A = difference_.PointOfB(features.b[0]);
      for (const VertexIndex a : features.a) corners.Append(difference_.PointOfA(a) - b_A);
    }
    return corners;
  }

  // The normal equations of |w00 + s e - t f|^2.
  bool FindBetweenEdges(const Features& features) {
    AppendAll(features);
    const Vec3d e = w(2) - w(0);
    const Vec3d f = w(0) - w(1);
    const double ee = NormSquared(e), ff = NormSquared(f), ef = Dot(e, f);
    const double ew = Dot(e, w(0)), fw = Dot(f, w(0));
    const double determinant = ee * ff - ef * ef;
    if (!(determinant > kMinSineSquared * ee * ff)) return false;
    const double s = (ef * fw - ff * ew) / determinant;
    const double t = (ee * fw - ef * ew) / determinant;
    if (!(s > 0 && s < 1 && t > 0 && t < 1)) return false;
    found_.simplex.weight = {(1 - s) * (1 - t), (1 - s) * t, s * (1 - t), s * t};
    // v is along the common normal, which w00 + s e - t f loses by rounding if it is short.
    const Vec3d n = Cross(e, f);
    found_.v = (Dot(w(0), n) / NormSquared(n)) * n;
    const double from_ends = std::min(s, 1 - s), from_ends_b = std::min(t, 1 - t);
    inside_sq_ = determinant * std::min(from_ends * from_ends / ff, from_ends_b * from_ends_b / ee);
    return true;
  }

  const MinkowskiDifference<double>& difference_;
  GjkResult<double> found_;
  double inside_sq_ = 0;
};

double Height(const ConvexShape& shape, const Vec3d& d, VertexIndex i) {
  return Dot(d, shape.vertex(i));
}

// True if every neighbour of the feature that is not of it lies below `floor`. On a polytope every
// vertex has a rising path of edges to the top, so that the neighbours suffice.
bool AreNeighborsBelow(const ConvexShape& shape, Corners feature, const Vec3d& d, double floor) {
  const Adjacency& adjacency = shape.adjacency();
  for (const VertexIndex at : feature) {
    for (std::uint32_t k = adjacency.offsets[at]; k < adjacency.offsets[at + 1]; ++k) {
      const VertexIndex neighbor = adjacency.neighbors[k];
      if (!(Height(shape, d, neighbor) < floor) && !Contains(feature, neighbor)) return false;
    }
  }
  return true;
}

}  // namespace

Features Whole(const ShapePair& pair, const FeaturePair& features) {
  if (features.a.size == 2 && features.b.size == 2)
    return {features.a.vertices(), features.b.vertices()};
  return {WholeOf(pair.a, features.a), WholeOf(pair.b, features.b)};
}

bool StandsOut(const ConvexShape& shape, absl::Span<const VertexIndex> feature, const Vec3d& d,
               double margin) {
  double top = -HUGE_VAL;
  for (const VertexIndex i : feature) top = std::max(top, Height(shape, d, i));
  const double floor = top - margin;
  const std::uint32_t count = shape.vertex_count();
  if (shape.has_adjacency() && count > kMaxCounted)
    return AreNeighborsBelow(shape, feature, d, floor);
  const VertexColumns vertices = {shape.x(), shape.y(), shape.z(), count};
  return CountBelow(vertices, d, floor) + feature.size() == count;
}

namespace {

// Checks both margins of the header.
bool IsUnique(const MinkowskiDifference<double>& difference, const Features& features,
              const Nearest& nearest) {
  const ShapePair& pair = difference.pair();
  const double extent = difference.extent();
  const Vec3d& v = nearest.found().v;
  const double distance = Norm(v);
  if (!(distance > kMinFeatureDistance * extent)) return false;
  if (!(nearest.inside_sq() > kFeatureMargin * kFeatureMargin * distance * extent)) return false;
  const double margin = kFeatureMargin * extent * std::sqrt(extent / distance);
  const Vec3d n_A = (-1 / distance) * v;
  const Vec3d n_B = difference.rotation_BA() * -n_A;
  return StandsOut(pair.a, features.a, n_A, margin / pair.scale_a) &&
         StandsOut(pair.b, features.b, n_B, margin / pair.scale_b);
}

// Sets the bracket: the plane through the features below, the point that the weights make above.
void SetBracket(GjkResult<double>* found) {
  found->upper = WeightedNorm(found->simplex);
  double lower = HUGE_VAL;
  for (int i = 0; i < found->simplex.size; ++i) {
    lower = std::min(lower, Dot(found->v, found->simplex.vertex[i].w));
  }
  found->lower = lower / Norm(found->v);
}

}  // namespace

FeaturePair FeaturesOf(const VertexPairs& pairs) {
  if (pairs.size >= 1 && pairs.size <= 3) {
    const auto three = [&pairs](const auto& vertex) {
      const auto last = static_cast<std::size_t>(pairs.size - 1);
      return FeatureVertices::Of(vertex[0], vertex[std::min<std::size_t>(1, last)], vertex[last]);
    };
    return {three(pairs.a), three(pairs.b)};
  }
  FeaturePair features;
  for (int i = 0; i < pairs.size; ++i) features.Add(pairs.a[i], pairs.b[i]);
  return features;
}

FeaturePair FeaturesOf(const Simplex<double>& simplex) {
  FeaturePair features;
  for (int i = 0; i < simplex.size; ++i) {
    features.Add(simplex.vertex[i].a, simplex.vertex[i].b);
  }
  return features;
}

bool FinishFromFeatures(const MinkowskiDifference<double>& difference, const FeaturePair& features,
                        const CoreLimits& limits, CoreAnswer* answer) {
  CLEARANCE_ASSERT(!difference.pair().is_curved());
  const Features whole = Whole(difference.pair(), features);
  Nearest nearest(difference);
  if (!nearest.Find(whole) || !IsUnique(difference, whole, nearest)) return false;
  SetBracket(nearest.mutable_found());
  return SetIfTight(difference, nearest.found(), limits, answer);
}

}  // namespace clearance
