// SPDX-License-Identifier: Apache-2.0

#include "core/narrow/origin_certificate.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "core/math/tolerance.h"
#include "core/narrow/tetrahedron_faces.h"

namespace clearance {
namespace {

using Dd = DoubleDouble;

Vec3<Dd> Normalized(const Vec3<Dd>& v) { return (Dd(1) / Sqrt(NormSquared(v))) * v; }

// A unit vector orthogonal to `u`, the same for the same u.
Vec3<Dd> AnyOrthogonal(const Vec3<Dd>& u) {
  const Vec3d c = ToDouble(u);
  const double x = std::fabs(c.x), y = std::fabs(c.y), z = std::fabs(c.z);
  const Vec3d axis = x <= y && x <= z ? Vec3d{1, 0, 0} : (y <= z ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1});
  return Normalized(Cross(u, To<Dd>(axis)));
}

// The linear span of the vertices found so far; a basis is kept while it has a normal.
struct Span {
  int rank = 0;
  std::array<Vec3<Dd>, 2> basis;

  void Add(const Vec3<Dd>& w) {
    Vec3<Dd> rest = w;
    for (int i = 0; i < rank && rank < 2; ++i) rest = rest - Dot(basis[i], rest) * basis[i];
    const bool is_lost = ToDouble(NormSquared(rest)) == 0;  // to underflow
    if (rank < 2) basis[rank] = is_lost ? Normal() : Normalized(rest);
    ++rank;
  }

  // Requires: rank < 3.
  Vec3<Dd> Normal() const {
    if (rank == 0) return To<Dd>(Vec3d{1, 0, 0});
    return rank == 1 ? AnyOrthogonal(basis[0]) : Normalized(Cross(basis[0], basis[1]));
  }
};

// A simplex around the origin spans what its vertices but the shortest do.
Span SpanOf(Simplex<Dd> simplex) {
  for (int i = 1; i < simplex.size; ++i) {
    const bool is_shorter = NormSquared(simplex.vertex[i].w) < NormSquared(simplex.vertex[0].w);
    if (is_shorter) std::swap(simplex.vertex[0], simplex.vertex[i]);
  }
  Span span;
  for (int i = 1; i < simplex.size; ++i) span.Add(simplex.vertex[i].w);
  return span;
}

template <class T>
double LargestNorm(const EnclosingSet<T>& set) {
  double largest_sq = 0;
  for (int i = 0; i < set.size; ++i) {
    largest_sq = std::max(largest_sq, NormSquared(ToDouble(set.vertex[i].w)));
  }
  return std::sqrt(largest_sq);
}

// The height of the plane of three vertices over the origin, where no other vertex is above it.
template <class T>
class FacetFinder {
 public:
  explicit FacetFinder(const EnclosingSet<T>& set)
      : set_(set), size_(LargestNorm(set)), cube_error_(64 * kUnit * size_ * size_ * size_) {}

  // By how much the hull shrinks where a triple thinner than this is left out.
  double thin() const { return 16 * kUnit * size_; }

  void VisitAll() {
    if constexpr (std::is_same_v<T, double>) {
      if (set_.size == TetrahedronFaces::kCount) return VisitTetrahedron();
    }
    for (int i = 0; i < set_.size; ++i) {
      for (int j = i + 1; j < set_.size; ++j) {
        for (int k = j + 1; k < set_.size; ++k) Visit(i, j, k);
      }
    }
  }

  double least() const { return least_; }
  // Requires: least() is not infinite.
  Vec3<T> n_A() const { return (T(1) / Sqrt(NormSquared(n_A_))) * n_A_; }

 private:
  static constexpr double kUnit = std::is_same_v<T, double> ? kRoundoff : kDoubleDoubleRoundoff;

  // Visit of all, side by side.
  void VisitTetrahedron() {
    const auto w = [this](int i) { return &set_.vertex[static_cast<std::size_t>(i)].w; };
    const TetrahedronFaces faces =
        MeasureFaces({w(0), w(1), w(2), w(3)}, {thin() * size_, cube_error_});
    for (int i = 0; i < TetrahedronFaces::kCount; ++i) {
      if (faces.height.of[i] >= least_) continue;
      least_ = faces.height.of[i];
      n_A_ = {faces.n[0].of[i], faces.n[1].of[i], faces.n[2].of[i]};
    }
  }

  // The triangle seen from either side.
  void Visit(int i, int j, int k) {
    const Vec3<T>& p = set_.vertex[i].w;
    const Vec3<T> n = Cross(set_.vertex[j].w - p, set_.vertex[k].w - p);
    const double area = std::sqrt(ToDouble(NormSquared(n)));
    if (area <= thin() * size_) return;
    bool is_front = true, is_back = true;
    for (int l = 0; l < set_.size; ++l) {
      if (l == i || l == j || l == k) continue;
      const double above = ToDouble(Dot(set_.vertex[l].w - p, n));
      if (above > cube_error_) is_front = false;
      if (-above > cube_error_) is_back = false;
    }
    if (is_front) Offer(p, n, area);
    if (is_back) Offer(p, -n, area);
  }

  void Offer(const Vec3<T>& p, const Vec3<T>& n, double area) {
    const double height = (ToDouble(Dot(p, n)) - cube_error_) / area;
    if (height >= least_) return;
    least_ = height;
    n_A_ = n;
  }

  const EnclosingSet<T>& set_;
  double size_;
  double cube_error_;
  double least_ = HUGE_VAL;
  Vec3<T> n_A_;  // any length
};

}  // namespace

template <class T>
bool EnclosingSet<T>::Contains(const MinkowskiVertex<T>& candidate) const {
  for (int i = 0; i < size; ++i) {
    if (vertex[i].IsSameAs(candidate)) return true;
  }
  return false;
}

// The hull of the set is the intersection of the half-spaces of its facets. Every triple with all
// points on or below its plane, to rounding, is taken for a facet: all facets are among them, so
// the least of their heights over the origin is a lower bound. A triple of negligible area is left
// out. If it is thin, the hull shrinks by less than thin() without its middle corner, which is
// taken off. If it is small all around, the facets beyond its edges are at most an edge times the
// set's size in area, so that cube_error_ over that area has taken more off their heights than the
// small triple is high.
template <class T>
InnerBall<T> ComputeInnerBall(const EnclosingSet<T>& set, double vertex_error) {
  FacetFinder<T> finder(set);
  finder.VisitAll();
  if (finder.least() == HUGE_VAL) return {};
  const double radius = finder.least() * (1 - 8 * kRoundoff) - finder.thin() - vertex_error;
  return {radius, finder.n_A()};
}

namespace {

class OriginCertifier {
 public:
  OriginCertifier(MinkowskiDifference<Dd>& difference, const Simplex<Dd>& simplex)
      : difference_(difference), error_(difference.rounding_error()), span_(SpanOf(simplex)) {
    // A simplex of one vertex is the origin itself and helps no hull.
    for (int i = 0; i < simplex.size && simplex.size > 1; ++i) Add(simplex.vertex[i]);
  }

  OriginCertificate Run() {
    if (RaiseDimension() || Refine() || HasStopped()) return certificate_;
    // The simplex was too flat to be the start of a hull: start from the axes.
    span_ = {};
    certificate_.set = {};
    if (!RaiseDimension()) Refine();
    return certificate_;
  }

 private:
  bool HasStopped() const { return difference_.pair().HasStopped(); }

  // Finds room: a simplex and what it lacks are six, and Refine makes room before it adds.
  void Add(const MinkowskiVertex<Dd>& w) {
    EnclosingSet<Dd>& set = certificate_.set;
    if (!set.Contains(w)) set.vertex[set.size++] = w;
  }

  // The highest vertex along n; remembers the lowest such plane. True if the plane passes through
  // the origin.
  bool Touches(const Vec3<Dd>& n_A, MinkowskiVertex<Dd>* w) {
    *w = difference_.Support(n_A);
    const Dd height = Dot(n_A, w->w);
    if (!has_plane_ || height < certificate_.plane_height) {
      has_plane_ = true;
      certificate_.plane_height = height;
      certificate_.n_A = n_A;
    }
    if (ToDouble(height) > 4 * error_) return false;
    certificate_.kind = OriginCertificate::Kind::kTouching;
    // A flat difference has a plane on either side.
    const Dd below = Dot(-n_A, difference_.Support(-n_A).w);
    certificate_.normal_is_unique = span_.rank >= 2 && ToDouble(below) > 4 * error_;
    return true;
  }

  // Steinitz's step until the set spans space. True if the shapes touch.
  bool RaiseDimension() {
    while (span_.rank < 3) {
      const Vec3<Dd> n_A = span_.Normal();
      MinkowskiVertex<Dd> above, below;
      if (Touches(n_A, &above) || Touches(-n_A, &below)) return true;
      Add(above);
      Add(below);
      span_.Add(above.w);
    }
    return false;
  }

  // Pushes the facet nearest to the origin outwards until the ball about the origin is proved, or
  // the facet's plane turns out to support A - B. True if one of these came about. Around a corner
  // of many faces that takes more vertices than there is room for; what is claimed in the end does
  // not depend on those that were given up.
  bool Refine() {
    for (int step = 0; step < kMaxIterations && !HasStopped(); ++step) {
      const InnerBall<Dd> ball = ComputeInnerBall(certificate_.set, error_);
      certificate_.inner_radius = ball.radius;
      if (ToDouble(NormSquared(ball.n_A)) == 0) return false;
      MinkowskiVertex<Dd> w;
      if (Touches(ball.n_A, &w)) return true;
      if (ball.radius > 0) {
        certificate_.kind = OriginCertificate::Kind::kEnclosed;
        return true;
      }
      EnclosingSet<Dd>& set = certificate_.set;
      if (set.Contains(w)) return false;
      if (set.size == set.kCapacity) DropLowest(ball.n_A);
      Add(w);
    }
    return false;
  }

  // The vertex that is least likely to be a corner of the facet to come.
  void DropLowest(const Vec3<Dd>& n_A) {
    EnclosingSet<Dd>& set = certificate_.set;
    int lowest = 0;
    for (int i = 1; i < set.size; ++i) {
      if (Dot(n_A, set.vertex[i].w) < Dot(n_A, set.vertex[lowest].w)) lowest = i;
    }
    set.vertex[lowest] = set.vertex[--set.size];
  }

  MinkowskiDifference<Dd>& difference_;
  const double error_;
  Span span_;
  bool has_plane_ = false;
  OriginCertificate certificate_;
};

}  // namespace

OriginCertificate CertifyOrigin(MinkowskiDifference<Dd>& difference, const Simplex<Dd>& simplex) {
  return OriginCertifier(difference, simplex).Run();
}

template struct EnclosingSet<double>;
template struct EnclosingSet<DoubleDouble>;
template InnerBall<double> ComputeInnerBall(const EnclosingSet<double>&, double);
template InnerBall<DoubleDouble> ComputeInnerBall(const EnclosingSet<DoubleDouble>&, double);

}  // namespace clearance
