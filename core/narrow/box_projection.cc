// SPDX-License-Identifier: Apache-2.0

#include "core/narrow/box_projection.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/math/assert.h"
#include "core/math/tolerance.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/narrow/box_projection.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "core/math/lanes-inl.h"
#include "hwy/highway.h"

#ifndef CLEARANCE_CORE_NARROW_BOX_PROJECTION_CC_
#define CLEARANCE_CORE_NARROW_BOX_PROJECTION_CC_

namespace clearance {

// The place of a point on a box, a digit an axis (1 of x, 4 of y, 16 of z): between both sides, or
// on the lower or the upper one.
inline constexpr int kLowerSide = 1, kUpperSide = 2;
inline constexpr int kOnY = 4, kOnZ = 16, kPlaces = 64;
// Added for each side that a point is on. Features of A and B have one nearest point each only if
// no more than two of the points' six coordinates are between sides.
inline constexpr int kOnSide = kPlaces * kPlaces, kMinSides = 4;

// Names the corners of the features of A and B that the points are on, A's place counted kPlaces
// times.
void SetGuess(const MinkowskiDifference<double>& difference, int places, FeatureGuess* found);

}  // namespace clearance

#endif  // CLEARANCE_CORE_NARROW_BOX_PROJECTION_CC_

HWY_BEFORE_NAMESPACE();
namespace clearance {
namespace HWY_NAMESPACE {

// As many pairs as there are lanes, with the nearest points of each so far.
template <class L>
class BoxPoints {
 public:
  // Lanes that are left repeat the last one. Requires: at least one task.
  explicit BoxPoints(absl::Span<const GuessTask> tasks)
      : tasks_(tasks.first(std::min(tasks.size(), L::kSize))) {
    for (std::size_t lane = 0; lane < L::kSize; ++lane) {
      SetLane(lane, tasks_[std::min(lane, tasks_.size() - 1)]);
    }
    // Starts at the point of A that is nearest to B's centre.
    V places;
    L::Store(Clamped(L::Load(p_AB_), L::Load(half_a_), 0, &places), &point_a_);
    for (Row* row : {&places_, &distance_sq_, &rounds_, &is_settled_}) L::Store(L::Set(0), row);
  }

  // Goes twice from A to B and back, and on by as much as all further steps would add if they
  // shrank as the second did. Returns whether a pair is not settled yet.
  bool Go() {
    const V3 start = L::Load(point_a_);
    const V3 once = BackFromB(start), twice = BackFromB(once);
    const V3 first = L::Sub(once, start), second = L::Sub(twice, once);
    const V least = L::Set(kUnderflowSlack);
    const V ratio = hn::Div(L::Dot(first, second), hn::Max(L::Dot(first, first), least));
    const V shrinks = hn::Min(hn::Max(ratio, L::Set(0)), L::Set(kMaxBoxRatio));
    const V more = hn::Div(shrinks, hn::Sub(L::Set(1), shrinks));
    V place;
    const V3 beyond = L::Add(twice, L::Times(more, second));
    L::Store(Clamped(beyond, L::Load(half_a_), 0, &place), &point_a_);
    return !hn::AllTrue(L::kTag, hn::Gt(L::Load(is_settled_), L::Set(0)));
  }

  void SetGuesses(absl::Span<FeatureGuess> found) const {
    for (std::size_t lane = 0; lane < tasks_.size(); ++lane) {
      found[lane].end = FeatureGuess::End::kLost;
      const double distance_sq = distance_sq_.at[lane];
      const double most = tasks_[lane].stop_above;
      if (is_settled_.at[lane] == 0 ||
          !(distance_sq > least_sq_.at[lane] && distance_sq <= most * most))
        continue;
      SetGuess(*tasks_[lane].difference, static_cast<int>(places_.at[lane]) % kOnSide,
               &found[lane]);
      found[lane].iterations = static_cast<std::uint32_t>(rounds_.at[lane]);
    }
  }

 private:
  using V = typename L::V;
  using V3 = typename L::V3;
  using Mask = typename L::Mask;
  using Row = typename L::Row;
  using Row3 = typename L::Row3;

  // One round: returns the point of A that is nearest to the point of B that is nearest to
  // `from_A`.
  V3 BackFromB(const V3& from_A) {
    const V3 axis[] = {L::Load(axis_b_[0]), L::Load(axis_b_[1]), L::Load(axis_b_[2])};
    const V3 p_AB = L::Load(p_AB_);
    const V3 from_b = L::Sub(from_A, p_AB);
    const V3 in_b = {L::Dot(axis[0], from_b), L::Dot(axis[1], from_b), L::Dot(axis[2], from_b)};
    V place_a, place_b;
    const V3 b_B = Clamped(in_b, L::Load(half_b_), kOnSide, &place_b);
    const V3 b_xy = L::Add(L::Times(b_B.x, axis[0]), L::Times(b_B.y, axis[1]));
    const V3 b_A = L::Add(L::Add(b_xy, L::Times(b_B.z, axis[2])), p_AB);
    const V3 a_A = Clamped(b_A, L::Load(half_a_), kOnSide / kPlaces, &place_a);
    const V3 between = L::Sub(b_A, a_A);
    Settle(hn::Add(hn::Mul(L::Set(kPlaces), place_a), place_b), L::Dot(between, between));
    return a_A;
  }

  // Settles pairs that are not settled yet. Those that keep their places have arrived, unless they
  // come nearer still between faces that are not parallel, or a face and an edge.
  void Settle(V places, V distance_sq) {
    const Mask was_settled = hn::Gt(L::Load(is_settled_), L::Set(0));
    const V last = L::Load(places_), last_sq = L::Load(distance_sq_);
    const Mask has_features = hn::Ge(places, L::Set(kMinSides * kOnSide));
    const Mask is_stuck = hn::Ge(distance_sq, hn::Mul(L::Set(kBoxProgress), last_sq));
    const Mask stays = hn::And(hn::Eq(places, last), hn::Or(has_features, is_stuck));
    const Mask is_none =
        hn::Or(hn::Le(distance_sq, L::Load(least_sq_)), hn::Gt(distance_sq, L::Load(most_sq_)));
    const Mask is_settled = hn::Or(was_settled, hn::Or(stays, is_none));
    L::Store(L::Select(was_settled, last_sq, distance_sq), &distance_sq_);
    L::Store(L::Select(was_settled, last, places), &places_);
    const V one = hn::IfThenElseZero(hn::Not(was_settled), L::Set(1));
    L::Store(hn::Add(L::Load(rounds_), one), &rounds_);
    L::Store(hn::IfThenElseZero(is_settled, L::Set(1)), &is_settled_);
  }

  void SetLane(std::size_t lane, const GuessTask& task) {
    const MinkowskiDifference<double>& difference = *task.difference;
    const ShapePair& pair = difference.pair();
    half_a_.Set(lane, pair.scale_a * pair.a.box_corners().half);
    half_b_.Set(lane, pair.scale_b * pair.b.box_corners().half);
    p_AB_.Set(lane, difference.placement().p_AB);
    const Mat3<double>& R_BA = difference.rotation_BA();
    axis_b_[0].Set(lane, R_BA.row_x);
    axis_b_[1].Set(lane, R_BA.row_y);
    axis_b_[2].Set(lane, R_BA.row_z);
    const double least = kMinBoxProjection * difference.extent();
    least_sq_.at[lane] = least * least;
    most_sq_.at[lane] = kMaxBoxProjection * task.stop_above * task.stop_above;
  }

  // Returns the point of a box that is nearest to v, and its place, with `on_side` for every side
  // that it is on.
  static V3 Clamped(const V3& v, const V3& half, int on_side, V* place) {
    const Coordinate x = ClampedTo(v.x, half.x, 1, on_side);
    const Coordinate y = ClampedTo(v.y, half.y, kOnY, on_side);
    const Coordinate z = ClampedTo(v.z, half.z, kOnZ, on_side);
    *place = hn::Add(hn::Add(x.place, y.place), z.place);
    return {x.value, y.value, z.value};
  }
  struct Coordinate {
    V value;
    V place;
  };
  static Coordinate ClampedTo(V v, V half, int unit, int on_side) {
    const V low = hn::Neg(half);
    const V lower = hn::IfThenElseZero(hn::Lt(v, low), L::Set(kLowerSide * unit + on_side));
    const V upper = hn::IfThenElseZero(hn::Gt(v, half), L::Set(kUpperSide * unit + on_side));
    return {hn::Min(hn::Max(v, low), half), hn::Add(lower, upper)};
  }

  const absl::Span<const GuessTask> tasks_;
  Row3 half_a_, half_b_;  // units
  Row3 p_AB_;
  Row3 axis_b_[3];          // frame A
  Row least_sq_, most_sq_;  // of a distance: outside of these there is no guess
  Row3 point_a_;
  Row distance_sq_;
  Row places_, rounds_, is_settled_;
};

template <class L>
void GuessAll(absl::Span<const GuessTask> tasks, absl::Span<FeatureGuess> found) {
  for (std::size_t first = 0; first < tasks.size(); first += L::kSize) {
    BoxPoints<L> points(tasks.subspan(first));
    for (int round = 0; round < kMaxBoxRounds && points.Go(); ++round) {
    }
    points.SetGuesses(found.subspan(first));
  }
}

void ProjectBoxesHere(absl::Span<const GuessTask> tasks, absl::Span<FeatureGuess> found) {
  using Few = Lanes<2>;
  if (tasks.size() <= Few::kSize) return GuessAll<Few>(tasks, found);
  GuessAll<Lanes<8>>(tasks, found);
}

}  // namespace HWY_NAMESPACE
}  // namespace clearance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace clearance {
namespace {

HWY_EXPORT(ProjectBoxesHere);

// The corners of the feature of a box that a place is on, three for a face; none inside.
struct PlaceCorners {
  int size = 0;
  std::array<std::uint8_t, 3> octant{};
  std::size_t along = 0;  // of an edge: the axis

  // The last corner stands for missing ones.
  std::size_t OctantOf(int i) const {
    return octant[static_cast<std::size_t>(std::min(i, size - 1))];
  }
};

constexpr PlaceCorners CornersAt(int place) {
  constexpr int kDigits = kOnY;
  const std::array<int, 3> digit = {place % kDigits, place / kOnY % kDigits, place / kOnZ};
  PlaceCorners corners;
  if (digit[0] == 0 && digit[1] == 0 && digit[2] == 0) return corners;
  corners.along = digit[0] == 0 ? 0 : digit[1] == 0 ? 1 : 2;
  for (unsigned octant = 0; octant < 8 && corners.size < 3; ++octant) {
    bool is_of_it = true;
    for (unsigned i = 0; i < 3; ++i) {
      const bool is_upper = (octant >> i & 1U) != 0;
      is_of_it = is_of_it && digit[i] != (is_upper ? kLowerSide : kUpperSide);
    }
    if (is_of_it)
      corners.octant[static_cast<std::size_t>(corners.size++)] = static_cast<std::uint8_t>(octant);
  }
  return corners;
}

constexpr std::array<PlaceCorners, kPlaces> AllCorners() {
  std::array<PlaceCorners, kPlaces> all;
  for (int place = 0; place < kPlaces; ++place)
    all[static_cast<std::size_t>(place)] = CornersAt(place);
  return all;
}
constexpr std::array<PlaceCorners, kPlaces> kCornersAt = AllCorners();

// True if edges of A and B along these axes are so parallel that no single point between them is
// nearest.
bool AreParallel(const Mat3<double>& R_BA, std::size_t axis_a, std::size_t axis_b) {
  const std::array<Vec3d, 3> axes_b = {R_BA.row_x, R_BA.row_y, R_BA.row_z};
  const Vec3d& axis = axes_b[axis_b];
  const double cosine = std::array<double, 3>{axis.x, axis.y, axis.z}[axis_a];
  return !(1 - cosine * cosine > kMinSineSquared);
}

}  // namespace

void SetGuess(const MinkowskiDifference<double>& difference, int places, FeatureGuess* found) {
  const PlaceCorners& a = kCornersAt[static_cast<std::size_t>(places / kPlaces)];
  const PlaceCorners& b = kCornersAt[static_cast<std::size_t>(places % kPlaces)];
  const int least = std::min(a.size, b.size), most = std::max(a.size, b.size);
  if (least == 0 || (least > 1 && most > 2)) return;
  if (least == 2 && AreParallel(difference.rotation_BA(), a.along, b.along)) return;
  const BoxCorners& corners_a = difference.pair().a.box_corners();
  const BoxCorners& corners_b = difference.pair().b.box_corners();
  found->end = FeatureGuess::End::kNearest;
  found->pairs.size = most;
  for (int i = 0; i < most; ++i) {
    found->pairs.a[i] = corners_a.vertex[a.OctantOf(i)];
    found->pairs.b[i] = corners_b.vertex[b.OctantOf(i)];
  }
}

void ProjectBoxes(absl::Span<const GuessTask> tasks, absl::Span<FeatureGuess> found) {
  CLEARANCE_ASSERT(tasks.size() == found.size());
  HWY_DYNAMIC_DISPATCH(ProjectBoxesHere)(tasks, found);
}

}  // namespace clearance

#endif  // HWY_ONCE
