// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <limits>

#include "core/math/assert.h"
#include "core/math/tolerance.h"
#include "core/narrow/separation_bounds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/narrow/box_sat_bounds.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "core/math/lanes-inl.h"
#include "core/narrow/lane_pair-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace clearance {
namespace HWY_NAMESPACE {

// Why the bounds hold. Let s be how far B is beyond A along an axis n, made of the exact rotation:
//     s = |n . p_AB| - sum_k h_A[k] |n . e_k| - sum_k h_B[k] |n . b_k|,   0 < |n| <= 1.
// As computed it is off by less than error() (lane_pair-inl.h).
// Apart: the boxes are s / |n| >= s apart if s > 0.
// Overlap: the planes of A - B have the normals e_i, b_j and e_i x b_j, and the plane of n is -s /
// |n| >= -s from the origin. With r the least of -s, A - B holds the ball of radius r about the
// origin, and a translation along a face's normal of length -s parts the boxes. If edges e_i and
// b_j are at an angle of sine d <= 2^-19.9, neither s nor n has digits, and their axis is left out.
// It is orthogonal to e_i: look along e_i. There A is a rectangle, and B holds the parallelogram
// that its other two edges make. The normals of their difference are those of A's other faces and
// of these edges with e_i. Their planes are farther out than r, less h_B[j] d for the edge that is
// left out. So the ball of radius r - h_B[j] d > r - kBoxSlack E + error() is inside all the same.
template <class L>
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): numbers of one vector stand together
class BoxAxes {
 public:
  explicit BoxAxes(LanePair<L>* pair) : pair_(*pair) {
    for (std::size_t lane = 0; lane < L::kSize; ++lane) {
      half_a_.Set(lane, pair_.pair(lane).a->shape.half_extents());
      half_b_.Set(lane, pair_.pair(lane).b->shape.half_extents());
    }
  }

  void Bound() {
    const V3 half_a = L::Load(half_a_), half_b = L::Load(half_b_);
    for (int j = 0; j < 3; ++j) size_b_[j] = L::Abs(pair_.axis_b(j));
    const V faces = BeyondFaces(half_a, half_b);
    const V all = hn::Max(faces, BeyondEdges(half_a, half_b));
    const V error = pair_.error();
    const V lower = hn::Sub(L::Select(hn::Gt(all, error), all, faces), error);
    const V inside = hn::Add(all, hn::Mul(L::Set(kBoxSlack), pair_.extent()));
    const V apart = hn::Add(Between(half_a, half_b), error);
    pair_.Put(lower, L::Select(hn::Lt(inside, L::Set(0)), inside, apart));
  }

 private:
  using V = typename L::V;
  using V3 = typename L::V3;

  // Returns the part of v beyond [-half, half].
  static V Rest(V v, V half) { return hn::Sub(v, hn::Max(hn::Neg(half), hn::Min(v, half))); }
  static V3 Rest(const V3& v, const V3& half) {
    return {Rest(v.x, half.x), Rest(v.y, half.y), Rest(v.z, half.z)};
  }

  // Returns the distance to B from the point of A that is nearest to B's centre.
  V Between(const V3& half_a, const V3& half_b) const {
    const V3 to_b = Rest(pair_.p_AB(), half_a);
    const V3 rest = Rest({L::Dot(pair_.axis_b(0), to_b), L::Dot(pair_.axis_b(1), to_b),
                          L::Dot(pair_.axis_b(2), to_b)},
                         half_b);
    return hn::Sqrt(L::Dot(rest, rest));
  }

  // Returns the most that B is beyond A along a normal of a face.
  V BeyondFaces(const V3& half_a, const V3& half_b) const {
    const V3 b_size = L::Add(L::Add(L::Times(half_b.x, size_b_[0]), L::Times(half_b.y, size_b_[1])),
                             L::Times(half_b.z, size_b_[2]));
    const V3 along_a = L::Sub(L::Sub(L::Abs(pair_.p_AB()), half_a), b_size);
    V beyond = hn::Max(hn::Max(along_a.x, along_a.y), along_a.z);
    const V half[3] = {half_b.x, half_b.y, half_b.z};
    for (int j = 0; j < 3; ++j) {
      const V along_b = hn::Sub(hn::Abs(L::Dot(pair_.axis_b(j), pair_.p_AB())), half[j]);
      beyond = hn::Max(beyond, hn::Sub(along_b, L::Dot(size_b_[j], half_a)));
    }
    return beyond;
  }

  // Returns the most that B is beyond A along e_i x b_j, times the sine of the angle between them.
  V BeyondEdges(const V3& half_a, const V3& half_b) const {
    const V half[3] = {half_b.x, half_b.y, half_b.z};
    V beyond = L::Set(-std::numeric_limits<double>::infinity());
    for (int j = 0; j < 3; ++j) {
      const int j_1 = (j + 1) % 3, j_2 = (j + 2) % 3;
      const V3& size = size_b_[j];
      // A reaches by its two edges that are not e_i, B by its two that are not b_j.
      const V3 a_size = {hn::Add(hn::Mul(half_a.y, size.z), hn::Mul(half_a.z, size.y)),
                         hn::Add(hn::Mul(half_a.z, size.x), hn::Mul(half_a.x, size.z)),
                         hn::Add(hn::Mul(half_a.x, size.y), hn::Mul(half_a.y, size.x))};
      const V3 b_size =
          L::Add(L::Times(half[j_1], size_b_[j_2]), L::Times(half[j_2], size_b_[j_1]));
      const V3 across = L::Cross(pair_.axis_b(j), pair_.p_AB());
      const V3 along = L::Sub(L::Sub(L::Abs(across), a_size), b_size);
      beyond = hn::Max(beyond, UnlessParallel(size.x, along.x));
      beyond = hn::Max(beyond, UnlessParallel(size.y, along.y));
      beyond = hn::Max(beyond, UnlessParallel(size.z, along.z));
    }
    return beyond;
  }

  static V UnlessParallel(V cosine, V along) {
    const V nothing = L::Set(-std::numeric_limits<double>::infinity());
    return L::Select(hn::Gt(cosine, L::Set(kBoxParallel)), nothing, along);
  }

  LanePair<L>& pair_;
  typename L::Row3 half_a_, half_b_;
  V3 size_b_[3];  // the coordinates of B's axes without signs
};

template <class L>
void BoundGroups(absl::Span<const SeparationPair> pairs, absl::Span<SeparationBounds> bounds) {
  for (std::size_t first = 0; first < pairs.size(); first += L::kSize) {
    LanePair<L> pair(pairs, first);
    if (pair.IsFarEverywhere()) {
      pair.PutFar();
    } else {
      pair.Turn();
      BoxAxes<L>(&pair).Bound();
    }
    const std::size_t count = std::min(pairs.size() - first, L::kSize);
    for (std::size_t lane = 0; lane < count; ++lane) bounds[first + lane] = pair.Get(lane);
  }
}

void BoundBoxesHere(absl::Span<const SeparationPair> pairs, absl::Span<SeparationBounds> bounds) {
  if (pairs.size() == 1) return BoundGroups<Lanes<1>>(pairs, bounds);
  BoundGroups<Lanes<8>>(pairs, bounds);
}

}  // namespace HWY_NAMESPACE
}  // namespace clearance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace clearance {
namespace {
HWY_EXPORT(BoundBoxesHere);
}  // namespace

void BoundBoxes(absl::Span<const SeparationPair> pairs, absl::Span<SeparationBounds> bounds) {
  CLEARANCE_ASSERT(pairs.size() == bounds.size());
  HWY_DYNAMIC_DISPATCH(BoundBoxesHere)(pairs, bounds);
}

}  // namespace clearance

#endif  // HWY_ONCE
