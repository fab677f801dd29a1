// SPDX-License-Identifier: Apache-2.0
//
// All in frame N: its origin is A's centre, its z axis n_AB, its unit that of the pair.

#include "core/query/contact_manifold.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/math/power_of_two.h"
#include "core/math/rotation.h"
#include "core/math/tolerance.h"
#include "core/narrow/patch_overlap.h"
#include "core/narrow/placement.h"
#include "core/query/pair_solver.h"

namespace clearance {
namespace {

// Rows are the axes of N: n itself and two across it, the first as near as can be to the world axis
// that is farthest from n.
Mat3<double> AxesAlong(const Vec3d& n_W) {
  const double x = std::fabs(n_W.x), y = std::fabs(n_W.y), z = std::fabs(n_W.z);
  Vec3d axis = {0, 0, 1};
  if (x <= y && x <= z) {
    axis = {1, 0, 0};
  } else if (y <= z) {
    axis = {0, 1, 0};
  }
  const Vec3d x_W = Normalized(axis - Dot(axis, n_W) * n_W);
  return {x_W, Cross(n_W, x_W), n_W};
}

// One of the two bodies as seen from frame N.
struct View {
  const ConvexShape& shape;
  Mat3<double> R_NS;
  Vec3d p_NSc;        // the centre of the shape
  double scale = 1;   // units of one normalised coordinate
  double facing = 1;  // 1: the body's top along z is in contact, -1: its bottom
};

FacingPatch PatchOf(const View& view, VertexIndex start) {
  const Vec3d up_S = Transpose(view.R_NS) * Vec3d{0, 0, view.facing};
  const SupportPatch patch = FindSupportPatch(view.shape, up_S, start);
  FacingPatch facing;
  facing.size = patch.size;
  facing.feature = patch.feature;
  for (int i = 0; i < patch.size; ++i) {
    const int from = view.facing > 0 ? i : patch.size - 1 - i;
    facing.corner_N[i] = view.scale * (view.R_NS * patch.corner[from]) + view.p_NSc;
    facing.name[i] = patch.name[from];
  }
  if (patch.size > 2) {
    const Vec3d normal_N = view.R_NS * patch.normal;
    facing.slope_x = -normal_N.x / normal_N.z;
    facing.slope_y = -normal_N.y / normal_N.z;
  }
  facing.is_thinned = patch.is_thinned;
  return facing;
}

// The transform from points of N to points of the world.
struct WorldFrame {
  Mat3<double> R_WN;
  Vec3d p_AoAc;  // from the origin of A's body to A's centre, metres, world axes
  Vec3d p_WAo;
  Vec3d n_W;
  int exponent = 0;
  double radius_a = 0;  // of the spherical extension, units
  double radii = 0;     // the sum of both
};

double Separation(const OverlapPoint& point, const WorldFrame& frame) {
  return TimesPowerOfTwo(point.z_b - point.z_a - frame.radii, frame.exponent);
}

ContactPoint InWorld(const OverlapPoint& point, const WorldFrame& frame) {
  ContactPoint contact;
  const Vec3d p_N = {point.x, point.y, point.z_a + frame.radius_a};
  contact.distance = Separation(point, frame);
  contact.p_AoA = frame.p_AoAc + Scaled(frame.R_WN * p_N, frame.exponent);
  contact.p_AoB = contact.p_AoA + contact.distance * frame.n_W;
  contact.p_WA = frame.p_WAo + contact.p_AoA;
  contact.p_WB = frame.p_WAo + contact.p_AoB;
  contact.feature_a = point.feature_a;
  contact.feature_b = point.feature_b;
  return contact;
}

template <class Test>
void RemoveIf(Overlap* overlap, Test test) {
  const auto end = overlap->points.begin() + overlap->size;
  overlap->size = static_cast<int>(std::remove_if(overlap->points.begin(), end, test) -
                                   overlap->points.begin());
}

auto NameOf(const OverlapPoint& p) {
  return std::tuple(p.feature_a.first, p.feature_a.second, p.feature_b.first, p.feature_b.second);
}

// Rises from 0 to 4 with the angle of (x, y) from the x axis, by divisions alone.
double PseudoAngle(double x, double y) {
  const double sum = std::fabs(x) + std::fabs(y);
  if (!(sum > 0)) return 0;
  const double t = x / sum;
  return y < 0 ? 3 + t : 1 - t;
}

// Sorts the points around their mean, beginning with the least name.
void SortAround(Overlap* overlap) {
  const auto begin = overlap->points.begin(), end = begin + overlap->size;
  double x = 0, y = 0;
  for (auto p = begin; p != end; ++p) {
    x += p->x / overlap->size;
    y += p->y / overlap->size;
  }
  const auto key = [&](const OverlapPoint& p) {
    return std::tuple(PseudoAngle(p.x - x, p.y - y), NameOf(p));
  };
  std::sort(begin, end, [&](const auto& p, const auto& q) { return key(p) < key(q); });
  std::rotate(begin,
              std::min_element(begin, end,
                               [](const auto& p, const auto& q) { return NameOf(p) < NameOf(q); }),
              end);
}

// Returns twice the area that is lost with a point of the polygon.
double AreaLost(const Overlap& overlap, int i) {
  const OverlapPoint& p = overlap.points[i];
  const OverlapPoint& previous = overlap.points[(i + overlap.size - 1) % overlap.size];
  const OverlapPoint& next = overlap.points[(i + 1) % overlap.size];
  return std::fabs((p.x - previous.x) * (next.y - previous.y) -
                   (p.y - previous.y) * (next.x - previous.x));
}

bool IsDeeper(const OverlapPoint& p, const OverlapPoint& q) {
  return p.z_b - p.z_a < q.z_b - q.z_a;
}

// Drops the points that cost the least area until the rest fit, but never the deepest.
void Reduce(Overlap* overlap) {
  while (overlap->size > ContactManifold::kCapacity) {
    const auto begin = overlap->points.begin(), end = begin + overlap->size;
    const int deepest = static_cast<int>(std::min_element(begin, end, IsDeeper) - begin);
    int cheapest = deepest == 0 ? 1 : 0;
    for (int i = cheapest + 1; i < overlap->size; ++i) {
      if (i != deepest && AreaLost(*overlap, i) < AreaLost(*overlap, cheapest)) cheapest = i;
    }
    std::move(begin + cheapest + 1, end, begin + cheapest);
    --overlap->size;
  }
}

ContactPoint PointOf(const DistanceAnswer& answer, const Feature& a, const Feature& b) {
  return {answer.p_WA, answer.p_WB, answer.p_AoA, answer.p_AoB, answer.distance, a, b};
}

WorldFrame FrameOf(const ShapePair& pair, const PosedShape& a, const DistanceAnswer& answer) {
  WorldFrame frame;
  frame.R_WN = Transpose(AxesAlong(answer.n_AB));
  frame.p_AoAc = RotationMatrix<double>(a.pose.q_WS) * a.local.p_WS +
                 RotationInWorld<double>(a) * a.shape.center();
  frame.p_WAo = a.pose.p_WS;
  frame.n_W = answer.n_AB;
  frame.exponent = pair.exponent;
  frame.radius_a = TimesPowerOfTwo(a.shape.radius(), -pair.exponent);
  frame.radii = pair.radius_sum.hi;
  return frame;
}

// Bodies as they face each other.
struct Facing {
  FacingPatch a;
  FacingPatch b;
};

Facing FacingOf(const PosedPair& posed, const PosedShape& a, const PosedShape& b,
                const DistanceAnswer& answer) {
  const ShapePair& pair = posed.pair();
  const CenterOffset& offset = posed.offset();
  const Mat3<double> R_NW = AxesAlong(answer.n_AB);
  const Vec3d p_AcBc_N = R_NW * Scaled(ToDouble(offset.p_AcBc_W), offset.exponent - pair.exponent);
  const View view_a = {a.shape, R_NW * RotationInWorld<double>(a), {}, pair.scale_a, 1};
  const View view_b = {b.shape, R_NW * RotationInWorld<double>(b), p_AcBc_N, pair.scale_b, -1};
  return {PatchOf(view_a, answer.witness.vertices_a[0]),
          PatchOf(view_b, answer.witness.vertices_b[0])};
}

// Returns how far apart, metres, the surfaces may be at a point of contact.
double Limit(const ShapePair& pair, const DistanceAnswer& answer, const ManifoldOptions& options) {
  const double size_a = pair.radius_a + TimesPowerOfTwo(pair.a.radius(), -pair.exponent);
  const double size_b = pair.radius_b + TimesPowerOfTwo(pair.b.radius(), -pair.exponent);
  const double spread = kContactSpread * std::fmin(size_a, size_b);
  return std::fmin(answer.distance + TimesPowerOfTwo(spread, pair.exponent),
                   options.max_separation);
}

}  // namespace

ContactManifold ComputeManifold(const PosedShape& a, const PosedShape& b,
                                const DistanceAnswer& answer, const ManifoldOptions& options) {
  ContactManifold manifold;
  if (answer.state == State::kBeyond || answer.state == State::kUndecided) return manifold;
  if (answer.distance > options.max_separation) return manifold;
  const CenteredPair centered(a, b);
  const PosedPair posed(centered);
  const ShapePair& pair = posed.pair();
  const Facing facing = FacingOf(posed, a, b, answer);
  const WorldFrame frame = FrameOf(pair, a, answer);
  Overlap overlap = ComputeOverlap(facing.a, facing.b);
  const double limit = Limit(pair, answer, options);
  RemoveIf(&overlap, [&](const OverlapPoint& p) { return !(Separation(p, frame) <= limit); });
  if (overlap.size == 0) {
    manifold.points[0] = PointOf(answer, facing.a.feature, facing.b.feature);
    manifold.size = 1;
    return manifold;
  }
  SortAround(&overlap);
  manifold.is_truncated =
      facing.a.is_thinned || facing.b.is_thinned || overlap.size > ContactManifold::kCapacity;
  Reduce(&overlap);
  manifold.size = overlap.size;
  for (int i = 0; i < overlap.size; ++i) manifold.points[i] = InWorld(overlap.points[i], frame);
  return manifold;
}

}  // namespace clearance
