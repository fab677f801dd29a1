// SPDX-License-Identifier: Apache-2.0

#include "core/narrow/placement_rows.h"

#include <algorithm>
#include <cstddef>

#include "core/math/assert.h"
#include "core/math/double_double.h"
#include "core/math/tolerance.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/narrow/placement_rows.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "core/math/lanes-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace clearance {
namespace HWY_NAMESPACE {

// The placements of the pairs from `first` on, one in a lane.
template <class L>
class LanePlacement {
 public:
  using Row = PlacementRows::Row;

  LanePlacement(const PlacementRows::Given& given, std::size_t first)
      : given_(given), first_(first) {}

  void Place(PlacementRows::Found* found) const {
    const Mat3 R_AW = L::Transpose(Rotation(given_.q_a));
    const Mat3 columns_b = L::Transpose(Rotation(given_.q_b));
    const auto& [x_b, y_b, z_b] = columns_b.row;
    const V3 p_W = {Load(given_.p_W[0]), Load(given_.p_W[1]), Load(given_.p_W[2])};
    for (std::size_t i = 0; i < 3; ++i) {
      const V3& row = R_AW.row[i];
      Store(row, &found->R_AW[3 * i]);
      Store({L::Dot(x_b, row), L::Dot(y_b, row), L::Dot(z_b, row)}, &found->R_AB[3 * i]);
      Store(L::Dot(row, p_W), &found->p_AB[i]);
    }
    const V reach = hn::Sqrt(L::Dot(p_W, p_W));
    const V rounding = hn::Mul(L::Set(kUnitRoundoff<double>), reach);
    const V centers =
        hn::Add(hn::Add(rounding, Load(given_.center_error_a)), Load(given_.center_error_b));
    const V offset_error = hn::Add(centers, Load(given_.least_places));
    const V farthest = hn::Add(Load(given_.radius_b), reach);
    Store(hn::Add(hn::Mul(Load(given_.rotation_error), farthest), offset_error), &found->error);
  }

 private:
  using V = typename L::V;
  using V3 = typename L::V3;
  using Mat3 = typename L::Mat3;

  V Load(const Row& row) const { return hn::Load(L::kTag, row.of + first_); }
  void Store(V v, Row* row) const { hn::Store(v, L::kTag, row->of + first_); }
  void Store(const V3& v, Row* rows) const {
    Store(v.x, rows);
    Store(v.y, rows + 1);
    Store(v.z, rows + 2);
  }

  Mat3 Rotation(const std::array<Row, 4>& q) const {
    return L::RotationMatrix(Load(q[0]), Load(q[1]), Load(q[2]), Load(q[3]));
  }

  const PlacementRows::Given& given_;
  const std::size_t first_;
};

void PlaceHere(const PlacementRows::Given& given, std::size_t count, PlacementRows::Found* found) {
  using L = Lanes<PlacementRows::kAtOnce>;
  static_assert(PlacementRows::kMax % L::kSize == 0);
  for (std::size_t first = 0; first < count; first += L::kSize) {
    LanePlacement<L>(given, first).Place(found);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace clearance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace clearance {
namespace {

HWY_EXPORT(PlaceHere);

void SetQuaternion(const Quaternion& q, std::size_t i, std::array<PlacementRows::Row, 4>* rows) {
  (*rows)[0].of[i] = q.x;
  (*rows)[1].of[i] = q.y;
  (*rows)[2].of[i] = q.z;
  (*rows)[3].of[i] = q.w;
}

}  // namespace

std::size_t PlacementRows::Add(const ShapePair& pair, const PosedShape& a, const PosedShape& b,
                               const CenterOffset& offset) {
  CLEARANCE_ASSERT(IsFor(a, b) && size_ < kMax);
  const std::size_t i = size_++;
  const int shift = offset.exponent - pair.exponent;
  const Vec3d p_W = ToDouble(Scaled(offset.p_AcBc_W, shift));
  SetQuaternion(a.pose.q_WS, i, &given_.q_a);
  SetQuaternion(b.pose.q_WS, i, &given_.q_b);
  given_.p_W[0].of[i] = p_W.x;
  given_.p_W[1].of[i] = p_W.y;
  given_.p_W[2].of[i] = p_W.z;
  given_.radius_b.of[i] = pair.radius_b;
  given_.rotation_error.of[i] = CoarseRotationError(a, b);
  given_.center_error_a.of[i] = CenterError(a, pair.exponent);
  given_.center_error_b.of[i] = CenterError(b, pair.exponent);
  given_.least_places.of[i] = LeastPlaces(shift);
  return i;
}

void PlacementRows::FillLastLanes() {
  const std::size_t end = (size_ + kAtOnce - 1) / kAtOnce * kAtOnce;
  if (end == size_) return;
  const auto fill = [this, end](Row* row) {
    std::fill(row->of + size_, row->of + end, row->of[size_ - 1]);
  };
  for (Row& row : given_.q_a) fill(&row);
  for (Row& row : given_.q_b) fill(&row);
  for (Row& row : given_.p_W) fill(&row);
  for (Row* const row : {&given_.radius_b, &given_.rotation_error, &given_.center_error_a,
                         &given_.center_error_b, &given_.least_places}) {
    fill(row);
  }
}

void PlacementRows::Place() {
  FillLastLanes();
  HWY_DYNAMIC_DISPATCH(PlaceHere)(given_, size_, &found_);
}

}  // namespace clearance

#endif  // HWY_ONCE
