// SPDX-License-Identifier: Apache-2.0
//
// Vectors of up to eight doubles, which hold one number of as many pairs side by side, and three of
// them as points. The result of a lane does not depend on the other lanes nor on their number: no
// products and sums are fused, and nothing is summed across lanes.
//
// Compiled once for every instruction set that Highway knows on the platform: include it only from
// sources that foreach_target.h includes, and write nothing in it that another source could see.

#if defined(CLEARANCE_CORE_MATH_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CLEARANCE_CORE_MATH_LANES_INL_H_
#undef CLEARANCE_CORE_MATH_LANES_INL_H_
#else
#define CLEARANCE_CORE_MATH_LANES_INL_H_
#endif

#include <cstddef>

#include "core/math/vec3.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace clearance {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Vectors with as many lanes as fit, at most kMax.
template <std::size_t kMax>
struct Lanes {
  using Tag = hn::CappedTag<double, kMax>;
  using V = hn::Vec<Tag>;
  using Mask = hn::Mask<Tag>;
  static constexpr Tag kTag{};
  static constexpr std::size_t kSize = hn::MaxLanes(kTag);

  // The form in memory, in which single lanes are read and written.
  struct alignas(64) Row {
    double at[kSize];
  };
  struct Row3 {
    Row x, y, z;

    void Set(std::size_t lane, const Vec3d& v) {
      x.at[lane] = v.x;
      y.at[lane] = v.y;
      z.at[lane] = v.z;
    }
    Vec3d Get(std::size_t lane) const { return {x.at[lane], y.at[lane], z.at[lane]}; }
  };

  struct V3 {
    V x, y, z;
  };
  struct Mat3 {
    V3 row[3];
  };

  static V Set(double value) { return hn::Set(kTag, value); }
  static Mask Nowhere() { return hn::FirstN(kTag, 0); }
  static bool IsNowhere(Mask mask) { return hn::AllFalse(kTag, mask); }

  static V Load(const Row& row) { return hn::Load(kTag, row.at); }
  static V3 Load(const Row3& row) { return {Load(row.x), Load(row.y), Load(row.z)}; }
  // Gathers one point a lane, for more than one lane, in registers: a vector load from numbers that
  // were just written one by one would stall.
  static V3 Gather(const Vec3d* const* points) {
#if HWY_TARGET == HWY_SCALAR
    return {Set(points[0]->x), Set(points[0]->y), Set(points[0]->z)};
#else
    static_assert(kSize > 1);
    if constexpr (kSize == 2) {
      const V xy_0 = hn::LoadU(kTag, &points[0]->x), xy_1 = hn::LoadU(kTag, &points[1]->x);
      const V yz_0 = hn::LoadU(kTag, &points[0]->y), yz_1 = hn::LoadU(kTag, &points[1]->y);
      return {hn::InterleaveLower(kTag, xy_0, xy_1), hn::InterleaveUpper(kTag, xy_0, xy_1),
              hn::InterleaveUpper(kTag, yz_0, yz_1)};
    } else {
      using Half = Lanes<kSize / 2>;
      const auto low = Half::Gather(points), high = Half::Gather(points + Half::kSize);
      return {hn::Combine(kTag, high.x, low.x), hn::Combine(kTag, high.y, low.y),
              hn::Combine(kTag, high.z, low.z)};
    }
#endif
  }
  static void Store(V v, Row* row) { hn::Store(v, kTag, row->at); }
  // Stores 1 for the lanes of the mask, 0 for the others.
  static void StoreMask(Mask mask, Row* row) { Store(hn::IfThenElseZero(mask, Set(1)), row); }
  static void Store(const V3& v, Row3* row) {
    Store(v.x, &row->x);
    Store(v.y, &row->y);
    Store(v.z, &row->z);
  }

  static V Dot(const V3& a, const V3& b) {
    return hn::Add(hn::Add(hn::Mul(a.x, b.x), hn::Mul(a.y, b.y)), hn::Mul(a.z, b.z));
  }
  static V3 Cross(const V3& a, const V3& b) {
    return {hn::Sub(hn::Mul(a.y, b.z), hn::Mul(a.z, b.y)),
            hn::Sub(hn::Mul(a.z, b.x), hn::Mul(a.x, b.z)),
            hn::Sub(hn::Mul(a.x, b.y), hn::Mul(a.y, b.x))};
  }
  static V3 Add(const V3& a, const V3& b) {
    return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)};
  }
  static V3 Sub(const V3& a, const V3& b) {
    return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
  }
  static V3 Abs(const V3& a) { return {hn::Abs(a.x), hn::Abs(a.y), hn::Abs(a.z)}; }
  static V3 Neg(const V3& a) { return {hn::Neg(a.x), hn::Neg(a.y), hn::Neg(a.z)}; }
  static V3 Times(V s, const V3& a) { return {hn::Mul(s, a.x), hn::Mul(s, a.y), hn::Mul(s, a.z)}; }
  // The matrix of these rows times v, and its transpose times v.
  static V3 Times(const Row3* rows, const V3& v) {
    return {Dot(Load(rows[0]), v), Dot(Load(rows[1]), v), Dot(Load(rows[2]), v)};
  }
  static V3 TransposedTimes(const Row3* rows, const V3& v) {
    const V3 x = Load(rows[0]), y = Load(rows[1]), z = Load(rows[2]);
    return {Dot({x.x, y.x, z.x}, v), Dot({x.y, y.y, z.y}, v), Dot({x.z, y.z, z.z}, v)};
  }
  static Mat3 Transpose(const Mat3& m) {
    const V3& x = m.row[0];
    const V3& y = m.row[1];
    const V3& z = m.row[2];
    return {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
  }
  // RotationMatrix of quaternions, whose plain identity comes out of the products as well.
  static Mat3 RotationMatrix(V x, V y, V z, V w) {
    const V xx = hn::Mul(x, x), yy = hn::Mul(y, y), zz = hn::Mul(z, z), ww = hn::Mul(w, w);
    const V xy = hn::Mul(x, y), xz = hn::Mul(x, z), yz = hn::Mul(y, z);
    const V wx = hn::Mul(w, x), wy = hn::Mul(w, y), wz = hn::Mul(w, z);
    const V norm_sq = hn::Add(hn::Add(hn::Add(xx, yy), zz), ww);
    const V scale = hn::Div(Set(1), norm_sq);
    const V twice = hn::Add(scale, scale);
    const V along_x = hn::Sub(hn::Sub(hn::Add(ww, xx), yy), zz);
    const V along_y = hn::Sub(hn::Add(hn::Sub(ww, xx), yy), zz);
    const V along_z = hn::Add(hn::Sub(hn::Sub(ww, xx), yy), zz);
    return {{{hn::Mul(along_x, scale), hn::Mul(hn::Sub(xy, wz), twice),
              hn::Mul(hn::Add(xz, wy), twice)},
             {hn::Mul(hn::Add(xy, wz), twice), hn::Mul(along_y, scale),
              hn::Mul(hn::Sub(yz, wx), twice)},
             {hn::Mul(hn::Sub(xz, wy), twice), hn::Mul(hn::Add(yz, wx), twice),
              hn::Mul(along_z, scale)}}};
  }
  static V Select(Mask mask, V yes, V no) { return hn::IfThenElse(mask, yes, no); }
  static V3 Select(Mask mask, const V3& yes, const V3& no) {
    return {Select(mask, yes.x, no.x), Select(mask, yes.y, no.y), Select(mask, yes.z, no.z)};
  }
  static Mask IsEqual(const V3& a, const V3& b) {
    return hn::And(hn::And(hn::Eq(a.x, b.x), hn::Eq(a.y, b.y)), hn::Eq(a.z, b.z));
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace clearance
HWY_AFTER_NAMESPACE();

#endif  // CLEARANCE_CORE_MATH_LANES_INL_H_
