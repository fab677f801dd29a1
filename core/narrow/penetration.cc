// SPDX-License-Identifier: Apache-2.0

#include "core/narrow/penetration.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "core/math/rotation.h"
#include "core/math/tolerance.h"
#include "core/narrow/expanding_polytope.h"
#include "core/narrow/gjk.h"
#include "core/narrow/simplex.h"

namespace clearance {
namespace {

using Dd = DoubleDouble;

Mat3<double> ToDouble(const Mat3<double>& m) { return m; }
Mat3<double> ToDouble(const Mat3<Dd>& m) {
  return {clearance::ToDouble(m.row_x), clearance::ToDouble(m.row_y), clearance::ToDouble(m.row_z)};
}

template <class T>
MinkowskiVertex<double> Rounded(const MinkowskiVertex<T>& vertex) {
  MinkowskiVertex<double> rounded = {clearance::ToDouble(vertex.w), clearance::ToDouble(vertex.p_A),
                                     vertex.a, vertex.b, vertex.is_swept};
  ExpandingPolytope::PutOnGrid(&rounded.w);
  return rounded;
}

// True if v is the point that the weights make, to a few roundings of a length of this size.
bool IsMadeWell(const SimplexPoints<double>& points, const NearestPoint<double>& nearest,
                double size) {
  Vec3d miss = -nearest.v;
  for (int i = 0; i < 3; ++i) miss = miss + nearest.weight[i] * points[i];
  return Norm(miss) <= kRoundingTolerance * kRoundoff * size;
}

// Returns the point of a triangle nearest to the origin. For a sliver double finds its place, but
// not its weights: these come from double-double.
NearestPoint<double> NearestOnFacet(const SimplexPoints<double>& points, double size) {
  NearestPoint<double> nearest = NearestOnTriangle<double, 0, 1, 2>(points);
  if (IsMadeWell(points, nearest, size)) return nearest;
  SimplexPoints<Dd> precise;
  for (int i = 0; i < 3; ++i) precise[i] = To<Dd>(points[i]);
  const NearestPoint<Dd> better = NearestOnTriangle<Dd, 0, 1, 2>(precise);
  nearest.v = clearance::ToDouble(better.v);
  nearest.mask = better.mask;
  for (int i = 0; i < 3; ++i) nearest.weight[i] = clearance::ToDouble(better.weight[i]);
  return nearest;
}

// One computation of one depth.
template <class T>
class EpaSearch {
 public:
  EpaSearch(MinkowskiDifference<T>& difference, const PenetrationLimits& limits)
      : difference_(difference),
        limits_(limits),
        size_(difference.pair().radius_a + difference.pair().radius_b),
        noise_(kDepthNoise * kRoundoff * size_),
        vertex_error_(difference.rounding_error() + 2 * kRoundoff * size_ + kPolytopeGrid),
        enough_(std::fmax(noise_, limits.good_enough - 4 * vertex_error_)) {
    if (difference.pair().is_curved()) enough_ = std::fmax(enough_, kCurvedDepthGap * size_);
  }

  Penetration Run(const EnclosingSet<T>& set) {
    if (!Start(set)) return {};
    bool is_settled = false;
    while (!is_settled && !HasStopped()) is_settled = !Expand() || Settle();
    if (HasStopped()) return {};
    if (Gap() > std::fmax(noise_, limits_.good_enough)) Polish();
    if (limits_.proof != nullptr && IsProvable()) WriteProof();
    return Result();
  }

 private:
  bool HasStopped() const { return difference_.pair().HasStopped(); }

  using Corners = std::array<std::uint16_t, 3>;

  // A direction and how far A - B reaches along it, and the facet whose normal it is: this gives
  // the point of A that touches then. Polish finds points without facets.
  struct Contact {
    Vec3d n_A;
    T height = T(HUGE_VAL);
    Corners corners{};
    bool has_point = false;
    Vec3d p_A;
  };

  // Makes a polytope around the origin. The set may be around it too narrowly for double. Then the
  // polytope grows until it is, or until A - B itself proves too shallow there: then its nearest
  // facet, through the origin to rounding, is the contact all the same. Returns false if A - B is
  // flat.
  bool Start(const EnclosingSet<T>& set) {
    EnclosingSet<double> rounded;
    rounded.size = set.size;
    for (int i = 0; i < set.size; ++i) rounded.vertex[i] = Rounded(set.vertex[i]);
    if (!polytope_.Start(rounded) && !polytope_.Start(AlongTheAxes())) return false;
    while (!polytope_.HoldsOrigin() && !HasStopped() && Push(polytope_.Nearest(), enough_)) {
    }
    return true;
  }

  EnclosingSet<double> AlongTheAxes() {
    EnclosingSet<double> set;
    for (const double sign : {1.0, -1.0}) {
      for (const Vec3d& axis : {Vec3d{sign, 0, 0}, Vec3d{0, sign, 0}, Vec3d{0, 0, sign}}) {
        T height;
        set.vertex[set.size++] = Rounded(Support(axis, &height));
      }
    }
    return set;
  }

  double Gap() { return GapAt(polytope_.Nearest()); }

  double GapAt(int facet) const {
    return clearance::ToDouble(contact_.height) - polytope_.facet(facet).offset;
  }

  // Returns the highest vertex along n, and its height: an upper bound of the depth.
  MinkowskiVertex<T> Support(const Vec3d& n_A, T* height) {
    const Vec3<T> n = To<T>(n_A);
    const MinkowskiVertex<T> w = difference_.Support(n);
    *height = Dot(n, w.w) / Sqrt(NormSquared(n));
    return w;
  }

  MinkowskiVertex<T> RoughSupport(const Vec3d& n_A) {
    if constexpr (std::is_same_v<T, double>) return difference_.RoughSupport(n_A);
    return difference_.Support(To<T>(n_A));
  }

  NearestPoint<double> NearestOn(const Corners& corners) const {
    SimplexPoints<double> points;
    for (int i = 0; i < 3; ++i) points[i] = polytope_.vertex(corners[i]).w;
    return NearestOnFacet(points, size_);
  }

  // Returns the point of A's core that is deepest: that of the facet's point nearest to the origin,
  // as a combination of points of A.
  Vec3d PointOfContact() const {
    if (contact_.has_point) return contact_.p_A;
    const NearestPoint<double> nearest = NearestOn(contact_.corners);
    Vec3d p_A;
    for (int i = 0; i < 3; ++i) {
      p_A = p_A + nearest.weight[i] * polytope_.vertex(contact_.corners[i]).p_A;
    }
    return p_A;
  }

  // Looks along the facet's normal. Returns true if a vertex found there was inserted, which it is
  // if it lies farther out than `least_gain`. One that is nearly the highest makes the polytope
  // grow as well; the highest must be known if the contact may be there.
  bool Push(int facet, double least_gain) {
    const Vec3d n_A = polytope_.facet(facet).n_A;
    if (CanLookRoughly()) {
      const MinkowskiVertex<double> w = Rounded(RoughSupport(n_A));
      if (Dot(n_A, w.w) - polytope_.facet(facet).offset > least_gain && Insert(facet, w))
        return true;
    }
    T height;
    const MinkowskiVertex<double> w = Rounded(Support(n_A, &height));
    if (height < contact_.height) {
      contact_ = {n_A, height, polytope_.facet(facet).corner, false, {}};
    }
    const double gain = clearance::ToDouble(height) - polytope_.facet(facet).offset;
    return gain > least_gain && Insert(facet, w);
  }

  // Inserts the vertex if there is room and the facet sees it.
  bool Insert(int facet, const MinkowskiVertex<double>& w) {
    if (polytope_.is_full() || !polytope_.Sees(facet, w.w)) return false;
    polytope_.Insert(facet, w);
    return true;
  }

  // True if a rough look is a scan of half as many bytes.
  bool CanLookRoughly() const {
    const ShapePair& pair = difference_.pair();
    return std::is_same_v<T, double> && HasScan(pair.a) && HasScan(pair.b);
  }
  static bool HasScan(const ConvexShape& shape) { return !shape.scan_blocks().empty(); }

  // Pushes the nearest facet outwards until the bracket is closed, or rounding ends that. Returns
  // false if lack of room does.
  bool Expand() {
    int facet = polytope_.Nearest();
    while (GapAt(facet) > enough_ && !HasStopped() && Push(facet, enough_))
      facet = polytope_.Nearest();
    return !polytope_.is_full();
  }

  // Returns the facet that holds the foot of the perpendicular from the origin, which gives normal
  // and points. Among facets that are equally near to rounding (the triangles of one face) it is
  // the one that misses the foot least: across the face, by far finer than the distances tell. It
  // is none whose plane is farther than the contact's by as much as would not do for a contact.
  int Foot() {
    const double limit = clearance::ToDouble(contact_.height) + noise_ / 2;
    int foot = polytope_.Nearest();
    double least = HUGE_VAL;
    double least_miss = HUGE_VAL;
    polytope_.VisitNear(limit, [&](int f) {
      if (polytope_.facet(f).offset > limit) return;
      const Vec3d v = NearestOn(polytope_.facet(f).corner).v;
      const Vec3d& n_A = polytope_.facet(f).n_A;
      const double distance_sq = NormSquared(v);
      const double miss = NormSquared(v - Dot(v, n_A) * n_A);
      const double slack = 2 * noise_ * std::sqrt(distance_sq);
      const bool is_nearer = distance_sq < least - slack;
      if (!is_nearer && (distance_sq > least + slack || miss >= least_miss)) return;
      least = distance_sq;
      least_miss = miss;
      foot = f;
    });
    return foot;
  }

  // Takes normal and points from the facet at the foot. Returns false if looking along its normal
  // showed that the polytope must grow there first. It must as well if another plane is lower, and
  // its points are those of a facet long gone.
  bool Settle() {
    const int foot = Foot();
    // Looking there once more would show the same.
    if (contact_.corners == polytope_.facet(foot).corner) return true;
    const Contact best = contact_;
    contact_.height = T(HUGE_VAL);
    if (Push(foot, enough_)) {
      if (contact_.height > best.height + T(noise_)) contact_ = best;
      return false;
    }
    if (!(contact_.height > best.height + T(noise_))) return true;
    const bool has_grown = !difference_.pair().is_curved() && Push(foot, noise_);
    contact_ = best;
    return !has_grown;
  }

  // With B moved along n until it is clear of A, take the direction between their nearest points. A
  // - B reaches less far in it, unless n is a local minimum: for x = s n outside of A - B and y its
  // nearest point there, with n' = (x - y) / |x - y|,
  //     h(n') = n' . y = s n . n' - |x - y| <= s - (s - h(n)) = h(n).
  void Polish() {
    const Placement<T>& placement = difference_.placement();
    Placement<double> apart = {ToDouble(placement.R_AB), {}, {}, placement.error};
    GjkLimits limits;
    limits.max_iterations = kMaxIterations;
    for (int step = 0; step < kMaxPolishSteps && !HasStopped(); ++step) {
      const double h = clearance::ToDouble(contact_.height);
      const double shift = h + std::fmax(h, size_) * kPolishMinimumDistance;
      apart.p_AB = clearance::ToDouble(placement.p_AB) + shift * contact_.n_A;
      MinkowskiDifference<double> difference(difference_.pair(), apart);
      const GjkResult<double> gjk = Gjk(difference, Simplex<double>{}, limits);
      Contact next;
      next.n_A = (-1 / Norm(gjk.v)) * gjk.v;  // not 0: A and B are apart by far more than rounding
      Support(next.n_A, &next.height);
      for (int i = 0; i < gjk.simplex.size; ++i) {
        next.p_A = next.p_A + gjk.simplex.weight[i] * gjk.simplex.vertex[i].p_A;
      }
      next.has_point = true;
      contact_.has_point = true;
      contact_.p_A = next.p_A;
      if (clearance::ToDouble(next.height) > h + noise_) return;
      const Vec3d turn = next.n_A - contact_.n_A;
      contact_ = next;
      if (clearance::ToDouble(next.height) >= h - noise_) return;
      Extrapolate(turn);
    }
  }

  // Goes on in the same direction, as long as that helps: each step closes in on the minimum by
  // some factor.
  void Extrapolate(const Vec3d& turn) {
    Vec3d step = turn;
    for (int i = 0; i < kMaxPolishSteps; ++i) {
      const Vec3d d = contact_.n_A + step;
      const Vec3d n_A = (1 / Norm(d)) * d;
      T height;
      Support(n_A, &height);
      if (!(height < contact_.height)) return;
      contact_.n_A = n_A;
      contact_.height = height;
      step = 2.0 * step;
    }
  }

  // Returns false if facets as near as the contact have other normals and support A - B as well. A
  // normal tilted by t reaches farther by about size t^2 / 2 at least, so that closer ones are the
  // same to the width of the bracket.
  bool IsUnique() {
    const double reach = clearance::ToDouble(contact_.height) + noise_;
    const double slack = std::fmax(enough_, Gap());
    const double least_cosine = std::fmax(1 - kSameNormal * slack / size_, 0);
    bool is_unique = true;
    polytope_.VisitNear(reach, [&](int f) {
      const Vec3d& n_A = polytope_.facet(f).n_A;
      const bool is_other = Dot(n_A, contact_.n_A) < least_cosine;
      if (!is_unique || !is_other || HasStopped() || polytope_.facet(f).offset > reach) return;
      T height;
      Support(n_A, &height);
      is_unique = clearance::ToDouble(height) > reach + slack;
    });
    return is_unique;
  }

  bool IsProvable() const { return polytope_.HoldsOrigin() && !difference_.pair().is_curved(); }

  void WriteProof() const {
    DepthProof& proof = *limits_.proof;
    proof = {};
    std::array<int, ExpandingPolytope::kMaxVertices> renamed;
    for (int i = 0; i < polytope_.vertex_count(); ++i) renamed[i] = -1;
    polytope_.VisitFacets([&](int f) {
      std::array<std::uint16_t, 3> corners{};
      for (int i = 0; i < 3 && !proof.is_truncated; ++i) {
        int& name = renamed[polytope_.facet(f).corner[i]];
        if (name < 0) name = Named(polytope_.vertex(polytope_.facet(f).corner[i]), &proof);
        corners[i] = static_cast<std::uint16_t>(name);
      }
      if (!proof.is_truncated) proof.facets[proof.facet_count++] = corners;
    });
  }

  // Returns the vertex's number in the proof, to which it is added; if there is no room, the proof
  // is empty from then on.
  static int Named(const MinkowskiVertex<double>& vertex, DepthProof* proof) {
    if (proof->vertex_count == DepthProof::kVertexCapacity) {
      *proof = {};
      proof->is_truncated = true;
      return 0;
    }
    proof->vertices_a[proof->vertex_count] = vertex.a;
    proof->vertices_b[proof->vertex_count] = vertex.b;
    return proof->vertex_count++;
  }

  Penetration Result() {
    Penetration result;
    result.is_known = true;
    result.at_least = polytope_.LeastOffset() - vertex_error_;
    result.normal_is_unique = IsUnique();
    result.at_most = Dd(contact_.height) + Dd(difference_.rounding_error());
    result.height = Dd(contact_.height);
    result.n_A = contact_.n_A;
    result.p_A = PointOfContact();
    return result;
  }

  ExpandingPolytope polytope_;
  MinkowskiDifference<T>& difference_;
  const PenetrationLimits& limits_;
  const double size_;          // half of a bound of |w|
  const double noise_;         // below this a difference of heights is rounding
  const double vertex_error_;  // of the polytope's vertices as points of A - B
  double enough_;              // width of the bracket to stop at, rounding aside
  Contact contact_;
};

}  // namespace

template <class T>
Penetration ComputePenetration(MinkowskiDifference<T>& difference, const EnclosingSet<T>& set,
                               const PenetrationLimits& limits) {
  return EpaSearch<T>(difference, limits).Run(set);
}

template Penetration ComputePenetration(MinkowskiDifference<double>&, const EnclosingSet<double>&,
                                        const PenetrationLimits&);
template Penetration ComputePenetration(MinkowskiDifference<Dd>&, const EnclosingSet<Dd>&,
                                        const PenetrationLimits&);

}  // namespace clearance
