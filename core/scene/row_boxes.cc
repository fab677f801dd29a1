// SPDX-License-Identifier: Apache-2.0

#include "core/scene/row_boxes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/math/assert.h"
#include "core/math/tolerance.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/scene/row_boxes.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "core/math/lanes-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace clearance {
namespace HWY_NAMESPACE {

using L = Lanes<8>;
static_assert(L::kSize <= RowBoxes::kMaxLanes);
using V = L::V;
using V3 = L::V3;
using FloatTag = hn::Rebind<float, L::Tag>;
using Word = hn::Rebind<std::int32_t, L::Tag>;

struct FloatRows {
  alignas(64) float low[3][L::kSize];
  alignas(64) float high[3][L::kSize];
};

inline V SumOfSizes(const V3& v) {
  return hn::Add(hn::Add(hn::Abs(v.x), hn::Abs(v.y)), hn::Abs(v.z));
}

// RoundUpToFloat.
inline hn::Vec<FloatTag> RoundUp(V x) {
  constexpr FloatTag kTag;
  constexpr Word kWord;
  const auto nearest = hn::DemoteTo(kTag, x);
  const V back = hn::PromoteTo(L::kTag, nearest);
  const V towards = L::Select(hn::Lt(back, L::Set(0)), L::Set(-1), L::Set(1));
  const V step = hn::IfThenElseZero(hn::Lt(back, x), towards);
  // Adding 0 leaves no negative one.
  const auto bits = hn::BitCast(kWord, hn::Add(nearest, hn::Zero(kTag)));
  const auto up = hn::BitCast(kTag, hn::Add(bits, hn::DemoteTo(kWord, step)));
  return hn::Max(up, hn::Set(kTag, -std::numeric_limits<float>::max()));
}

inline void Round(V low, V high, float* low_row, float* high_row) {
  constexpr FloatTag kTag;
  hn::Store(hn::Neg(RoundUp(hn::Neg(low))), kTag, low_row);
  hn::Store(RoundUp(high), kTag, high_row);
}

// A vector of poses, read one number of all of them at a time.
class LanePoses {
 public:
  explicit LanePoses(const Pose* poses) : numbers_(&poses->p_WS.x) {}

  V3 Position() const { return {Number(0), Number(1), Number(2)}; }

  L::Mat3 Rotation() const { return L::RotationMatrix(Number(3), Number(4), Number(5), Number(6)); }

 private:
  // The offsets at which the lanes' poses begin.
  static_assert(sizeof(Pose) == 7 * sizeof(double));
  alignas(64) static constexpr std::int64_t kBegin[8] = {0, 7, 14, 21, 28, 35, 42, 49};

  V Number(std::int64_t i) const {
    constexpr hn::Rebind<std::int64_t, L::Tag> kIndex;
    return hn::GatherIndex(L::kTag, numbers_ + i, hn::Load(kIndex, kBegin));
  }

  const double* const numbers_;
};

inline V Column(const RowBoxes& bodies, RowBoxes::Column column, std::size_t k) {
  return hn::LoadU(L::kTag, bodies.Of(column, k));
}

// Finds the boxes of the bodies from k on, with the operations of BoxAt one by one.
inline void FindVector(const RowBoxes& bodies, std::size_t k, const Pose* poses, FloatRows* boxes) {
  const LanePoses lane(poses);
  const V3 p_WS = lane.Position();
  const L::Mat3 R_WS = lane.Rotation();
  const V3 center = {Column(bodies, RowBoxes::kCenterX, k), Column(bodies, RowBoxes::kCenterY, k),
                     Column(bodies, RowBoxes::kCenterZ, k)};
  const V3 half = {Column(bodies, RowBoxes::kHalfX, k), Column(bodies, RowBoxes::kHalfY, k),
                   Column(bodies, RowBoxes::kHalfZ, k)};
  const V margin = Column(bodies, RowBoxes::kMargin, k);
  const V sizes = hn::Add(hn::Add(SumOfSizes(p_WS), Column(bodies, RowBoxes::kCenterSize, k)),
                          Column(bodies, RowBoxes::kHalfSize, k));
  const V lengths = hn::Add(sizes, margin);
  const V error = hn::Add(hn::Mul(L::Set(kBoxPlacementError), lengths), L::Set(kBoxUnderflow));
  const V widening = hn::Add(margin, error);
  const V at[3] = {p_WS.x, p_WS.y, p_WS.z};
  for (int i = 0; i < 3; ++i) {
    const V3& row = R_WS.row[i];
    const V3 size = L::Abs(row);
    const V middle = hn::Add(at[i], L::Dot(row, center));
    const V reach = hn::Add(L::Dot(size, half), widening);
    Round(hn::Sub(middle, reach), hn::Add(middle, reach), boxes->low[i], boxes->high[i]);
  }
}

inline FloatBox BoxOf(const FloatRows& rows, std::size_t lane) {
  return {{rows.low[0][lane], rows.low[1][lane], rows.low[2][lane]},
          {rows.high[0][lane], rows.high[1][lane], rows.high[2][lane]}};
}

void FindHere(const RowBoxes& bodies, absl::Span<const Pose> poses, absl::Span<FloatBox> boxes) {
  FloatRows rows;
  std::size_t k = 0;
  for (std::size_t first = 0; first < poses.size(); first += L::kSize) {
    const std::size_t count = std::min(L::kSize, poses.size() - first);
    std::array<Pose, L::kSize> last;
    const Pose* from = &poses[first];
    if (count < L::kSize) {
      std::copy_n(from, count, last.begin());
      from = last.data();
    }
    FindVector(bodies, k, from, &rows);
    for (std::size_t lane = 0; lane < count; ++lane) boxes[first + lane] = BoxOf(rows, lane);
    k = (k + L::kSize) % bodies.size();
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace clearance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace clearance {
namespace {

HWY_EXPORT(FindHere);

double SumOfSizes(const Vec3d& v) { return std::fabs(v.x) + std::fabs(v.y) + std::fabs(v.z); }

}  // namespace

void RowBoxes::Add(const RigidBody& body, double margin) {
  const CenteredBox& box = body.box();
  const std::array<double, kColumns> numbers = {
      box.center.x, box.center.y,           box.center.z,         box.half.x, box.half.y,
      box.half.z,   SumOfSizes(box.center), SumOfSizes(box.half), margin};
  for (std::size_t i = 0; i < kColumns; ++i) {
    columns_[i].resize(count_);
    columns_[i].push_back(numbers[i]);
  }
  ++count_;
}

void RowBoxes::Find(absl::Span<const Pose> poses, absl::Span<FloatBox> boxes) {
  CLEARANCE_ASSERT(count_ > 0 && poses.size() == boxes.size());
  for (std::vector<double>& column : columns_) {
    while (column.size() < count_ + kMaxLanes) column.push_back(column[column.size() - count_]);
  }
  HWY_DYNAMIC_DISPATCH(FindHere)(*this, poses, boxes);
}

}  // namespace clearance

#endif  // HWY_ONCE
