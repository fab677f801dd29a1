// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/math/assert.h"
#include "core/math/power_of_two.h"
#include "core/math/tolerance.h"
#include "core/narrow/gjk_batch.h"
#include "core/narrow/separation_bounds.h"
#include "core/support/support.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/narrow/hull_bounds.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "core/math/lanes-inl.h"
#include "core/narrow/lane_pair-inl.h"
#include "core/support/block_scan-inl.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

#ifndef CLEARANCE_CORE_NARROW_HULL_BOUNDS_CC_
#define CLEARANCE_CORE_NARROW_HULL_BOUNDS_CC_

namespace clearance {

inline constexpr std::size_t kMaxSearches = 64;

// The searches of at most kMaxSearches pairs.
struct HullSearches {
  absl::InlinedVector<SignTask, kMaxSearches> tasks;
  std::array<std::size_t, kMaxSearches> of;  // which pair
  std::array<double, kMaxSearches> radii;    // of both bodies together
};

}  // namespace clearance

#endif  // CLEARANCE_CORE_NARROW_HULL_BOUNDS_CC_

HWY_BEFORE_NAMESPACE();
namespace clearance {
namespace HWY_NAMESPACE {

// Returns the metres of one normalised coordinate. A single point has no coordinate but 0.
inline double ScaleOf(const ConvexShape& shape) {
  return shape.core_radius() > 0 ? TimesPowerOfTwo(1.0, shape.exponent()) : 1;
}

// As many pairs as there are lanes, from their poses to their searches.
template <class L>
class HullGroup {
 public:
  HullGroup(absl::Span<const SeparationPair> pairs, std::size_t first)
      : pair_(pairs, first), first_(first), count_(std::min(pairs.size() - first, L::kSize)) {}

  // Sets the bounds of the balls. The pairs that they do not settle are to be searched, except
  // those that are out of range.
  void Begin(absl::Span<SeparationBounds> bounds, HullSearches* searches) {
    pair_.PutFar();
    for (std::size_t lane = 0; lane < count_; ++lane) bounds[first_ + lane] = pair_.Get(lane);
    if (pair_.IsFarEverywhere()) return;
    pair_.Turn();
    for (int j = 0; j < 3; ++j) L::Store(pair_.axis_b(j), &axis_b_[j]);
    L::Store(pair_.p_AB(), &p_AB_);
    L::Store(pair_.extent(), &extent_);
    L::Store(pair_.radii(), &radii_);
    LaneBits open = 0;
    for (std::size_t lane = 0; lane < count_; ++lane) {
      const SeparationBounds& known = bounds[first_ + lane];
      if (!known.IsSettled() && std::isfinite(known.upper)) open |= LaneBits{1} << lane;
    }
    open &= ~PartByHints(open, bounds);
    for (; open != 0; open &= open - 1) {
      Add(static_cast<std::size_t>(std::countr_zero(open)), searches);
    }
  }

 private:
  using V = typename L::V;
  using V3 = typename L::V3;
  using Row3 = typename L::Row3;
  using LaneBits = std::uint32_t;

  static Vec3d SupportPoint(const ConvexShape& shape, const Vec3d& d) {
    const std::vector<ScanBlock>& blocks = shape.scan_blocks();
    if (blocks.empty()) return shape.vertex(SupportVertex(shape, d, 0));
    const VertexIndex i = HighestInFloats(shape, d);
    return blocks[i / ScanBlock::kSize].vertex(i % ScanBlock::kSize);
  }

  // Returns those of these lanes that have a hint. Sets the direction from B to A of each hint, and
  // any for the others.
  LaneBits GetHints(LaneBits open, Row3* towards_a) const {
    LaneBits hinted = 0;
    for (std::size_t lane = 0; lane < L::kSize; ++lane) {
      towards_a->Set(lane, {1, 0, 0});
      const Vec3d* const separating_axis = pair_.pair(lane).separating_axis;
      if ((open >> lane & 1U) == 0 || separating_axis == nullptr ||
          !(NormSquared(*separating_axis) > 0))
        continue;
      towards_a->Set(lane, -*separating_axis);
      hinted |= LaneBits{1} << lane;
    }
    return hinted;
  }

  // Returns those of these lanes that their hints part. The bounds are those of Conclude for a
  // search that ends at its first vertices. But the lower one must exceed their error a second
  // time, which is far above what counts as touching. So a search from the beginning would have
  // parted these, too.
  LaneBits PartByHints(LaneBits open, absl::Span<SeparationBounds> bounds) {
    Row3 row;
    const LaneBits hinted = GetHints(open, &row);
    if (hinted == 0) return 0;
    V3 n = L::Load(row);
    n = L::Times(hn::Div(L::Set(1), hn::Sqrt(L::Dot(n, n))), n);
    Row3 d_a, d_b, a = {}, b = {};
    L::Store(L::Times(L::Set(-1), n), &d_a);
    L::Store({L::Dot(pair_.axis_b(0), n), L::Dot(pair_.axis_b(1), n), L::Dot(pair_.axis_b(2), n)},
             &d_b);
    for (LaneBits left = hinted; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      const SeparationPair& pair = pair_.pair(lane);
      const ConvexShape &shape_a = pair.a->shape, &shape_b = pair.b->shape;
      a.Set(lane, ScaleOf(shape_a) * SupportPoint(shape_a, d_a.Get(lane)));
      b.Set(lane, ScaleOf(shape_b) * SupportPoint(shape_b, d_b.Get(lane)));
    }
    return PutParted(hinted, n, Difference(L::Load(a), L::Load(b)), bounds);
  }

  V3 Difference(const V3& a_A, const V3& b_B) const {
    const V3 x = L::Times(b_B.x, pair_.axis_b(0));
    const V3 y = L::Times(b_B.y, pair_.axis_b(1));
    const V3 z = L::Times(b_B.z, pair_.axis_b(2));
    return L::Sub(a_A, L::Add(L::Add(L::Add(x, y), z), pair_.p_AB()));
  }

  // Sets the bounds by the lowest points of A - B along n.
  LaneBits PutParted(LaneBits hinted, const V3& n, const V3& lowest,
                     absl::Span<SeparationBounds> bounds) const {
    const V error = hn::Mul(L::Set(kScanSlack), pair_.extent());
    typename L::Row lower, upper, spare;
    L::Store(hn::Sub(hn::Sub(L::Dot(n, lowest), error), pair_.radii()), &lower);
    L::Store(hn::Sub(hn::Add(hn::Sqrt(L::Dot(lowest, lowest)), error), pair_.radii()), &upper);
    L::Store(error, &spare);
    LaneBits parted = 0;
    for (; hinted != 0; hinted &= hinted - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(hinted));
      if (!(lower.at[lane] > spare.at[lane])) continue;
      bounds[first_ + lane] = {lower.at[lane], upper.at[lane]};
      parted |= LaneBits{1} << lane;
    }
    return parted;
  }

  void Add(std::size_t lane, HullSearches* searches) {
    const std::size_t k = searches->tasks.size();
    searches->of[k] = first_ + lane;
    searches->radii[k] = radii_.at[lane];
    SignTask& task = searches->tasks.emplace_back();
    task.a = &pair_.pair(lane).a->shape;
    task.b = &pair_.pair(lane).b->shape;
    task.scale_a = ScaleOf(*task.a);
    task.scale_b = ScaleOf(*task.b);
    task.R_AB =
        Transpose(Mat3<double>{axis_b_[0].Get(lane), axis_b_[1].Get(lane), axis_b_[2].Get(lane)});
    task.p_AB = p_AB_.Get(lane);
    task.extent = extent_.at[lane];
    task.stop_above = radii_.at[lane] + kScanSlack * task.extent;
    hwy::Prefetch(task.a->scan_blocks().data());
    hwy::Prefetch(task.b->scan_blocks().data());
  }

  LanePair<L> pair_;
  const std::size_t first_;
  const std::size_t count_;
  typename L::Row3 axis_b_[3], p_AB_;
  typename L::Row extent_, radii_;
};

// Requires: at most kMaxSearches pairs.
void BeginHere(absl::Span<const SeparationPair> pairs, absl::Span<SeparationBounds> bounds,
               HullSearches* searches) {
  if (pairs.size() == 1) return HullGroup<Lanes<1>>(pairs, 0).Begin(bounds, searches);
  using Wide = Lanes<8>;
  for (std::size_t first = 0; first < pairs.size(); first += Wide::kSize) {
    HullGroup<Wide>(pairs, first).Begin(bounds, searches);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace clearance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace clearance {
namespace {

HWY_EXPORT(BeginHere);

// Sets the bounds that a search shows of the bodies. If it scans in single precision, the highest
// vertex of a shape is higher than the one that it finds by less than 2^-20 of the shape's reach.
// (Each of six roundings, of heights no larger than the reach, counts at most twice.) The point of
// the one that it finds is off by less than 2^-22 of the reach; everything else is off by less than
// kPairRounding E. So all of A - B is above `plane` less `error` = kScanSlack E, a point of it is
// nearer than `nearest` and `error`, and it holds the ball of radius `ball` less `error`.
void Conclude(const SignGuess& found, const SignTask& task, double radii,
              SeparationBounds* bounds) {
  const double error = kScanSlack * task.extent;
  bounds->iterations = found.iterations;
  const bool is_apart = found.end == FeatureGuess::End::kBeyond;
  const bool is_inside = found.end == FeatureGuess::End::kEncloses && found.ball > error;
  if (!is_apart && !is_inside) return;
  bounds->lower = found.plane - error - radii;
  bounds->upper = (is_apart ? found.nearest : -found.ball) + error - radii;
}

void BoundFew(absl::Span<const SeparationPair> pairs, absl::Span<SeparationBounds> bounds) {
  HullSearches searches;
  HWY_DYNAMIC_DISPATCH(BeginHere)(pairs, bounds, &searches);
  if (searches.tasks.empty()) return;
  absl::InlinedVector<SignGuess, kMaxSearches> found(searches.tasks.size());
  GjkSignBatch(searches.tasks, absl::MakeSpan(found));
  for (std::size_t k = 0; k < found.size(); ++k) {
    Conclude(found[k], searches.tasks[k], searches.radii[k], &bounds[searches.of[k]]);
    Vec3d* const separating_axis = pairs[searches.of[k]].separating_axis;
    if (separating_axis != nullptr) *separating_axis = -found[k].direction;
  }
}

}  // namespace

void BoundHulls(absl::Span<const SeparationPair> pairs, absl::Span<SeparationBounds> bounds) {
  CLEARANCE_ASSERT(pairs.size() == bounds.size());
  for (std::size_t first = 0; first < pairs.size(); first += kMaxSearches) {
    BoundFew(pairs.subspan(first, kMaxSearches), bounds.subspan(first, kMaxSearches));
  }
}

}  // namespace clearance

#endif  // HWY_ONCE
