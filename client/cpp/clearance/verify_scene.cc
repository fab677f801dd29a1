// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "clearance/scene_query.h"
#include "internal/proof_geometry.h"

namespace clearance::client {
namespace {

// Checks one pair of a list; the first fault ends the check.
class SeparationChecker {
 public:
  SeparationChecker(const PosedShape& a, const PosedShape& b, const NearestPairs& pairs,
                    std::size_t i)
      : a_(MakeProofBody(a.shape, a.pose, a.pose)),
        b_(MakeProofBody(b.shape, b.pose, a.pose)),
        origin_(ToQuad(&a.pose.x)),
        is_compound_(std::holds_alternative<Compound>(a.shape.kind) ||
                     std::holds_alternative<Compound>(b.shape.kind)),
        pairs_(pairs),
        i_(i) {}

  std::vector<Violation> Check() {
    if (HasProof() && ReadColumns() && CheckLower() && CheckDistance()) CheckPoints();
    return std::move(violations_);
  }

 private:
  template <class... Parts>
  bool Fail(ViolationKind kind, const Parts&... parts) {
    violations_.push_back({kind, absl::StrCat("pair ", i_, ": ", parts...)});
    return false;
  }

  bool HasProof() {
    using enum ViolationKind;
    if (i_ >= pairs_.states.size()) return Fail(kMalformed, "the list has no such pair");
    if (pairs_.states[i_] != State::kSeparated)
      return Fail(kNoProof, "the state ", Name(pairs_.states[i_]), " comes without a proof");
    if (is_compound_) return Fail(kNoProof, "the proof of a compound is that of all its pieces");
    if (pairs_.lower_bounds.empty()) return Fail(kNoProof, "bounds were not asked for");
    if (pairs_.normals.empty()) return Fail(kNoProof, "normals were not asked for");
    return true;
  }

  bool ReadColumns() {
    using enum ViolationKind;
    if (i_ >= pairs_.lower_bounds.size() || pairs_.normals.size() < 3 * (i_ + 1))
      return Fail(kMalformed, "the columns are too short");
    lower_ = pairs_.lower_bounds[i_];
    if (!std::isfinite(lower_)) return Fail(kMalformed, "lower bound ", lower_);
    if (!(lower_ > 0)) return Fail(kState, "SEPARATED with lower bound ", lower_);
    allowance_ = kRoundingAllowance * (static_cast<double>(a_.size + b_.size) + lower_);
    normal_ = ToQuad(&pairs_.normals[3 * i_]);
    const Quad length = Length(normal_);
    if (Abs(length - 1) <= kUnitSlack) return true;  // false for NaN too
    return Fail(kNormal, "the normal's length is ", static_cast<double>(length));
  }

  bool CheckLower() {
    const Quad proved = ProvedGap(a_, b_, normal_);
    if (proved >= lower_ - allowance_ && proved > 0) return true;  // false for NaN too
    return Fail(ViolationKind::kLowerBound, "lower bound ", lower_, ", but the normal proves ",
                static_cast<double>(proved), " only");
  }

  // Checks that distances, if there are any, are within the bounds.
  bool CheckDistance() {
    using enum ViolationKind;
    if (pairs_.distances.empty()) return true;
    const bool has_upper = !pairs_.upper_bounds.empty();
    if (i_ >= pairs_.distances.size() || (has_upper && i_ >= pairs_.upper_bounds.size()))
      return Fail(kMalformed, "the columns are too short");
    const double distance = pairs_.distances[i_];
    if (!std::isfinite(distance)) return Fail(kMalformed, "distance ", distance);
    const double upper = has_upper ? pairs_.upper_bounds[i_] : distance;
    if (!std::isfinite(upper)) return Fail(kMalformed, "upper bound ", upper);
    if (lower_ <= distance && distance <= upper) return true;
    return Fail(kDistance, "distance ", distance, " outside [", lower_, ", ", upper, "]");
  }

  // Checks point_b = point_a + distance * normal.
  void CheckPoints() {
    if (pairs_.distances.empty() || pairs_.points_a.empty() || pairs_.points_b.empty()) return;
    const std::size_t end = 3 * (i_ + 1);
    if (pairs_.points_a.size() < end || pairs_.points_b.size() < end) {
      Fail(ViolationKind::kMalformed, "the columns of points are too short");
      return;
    }
    const double distance = pairs_.distances[i_];
    const QuadVec p_a = ToQuad(&pairs_.points_a[end - 3]);
    const QuadVec p_b = ToQuad(&pairs_.points_b[end - 3]);
    const Quad off = Length(p_b - p_a - distance * normal_);
    const Quad reach = Length(p_a) + Length(p_b) + Length(origin_);
    if (off <= allowance_ + kRoundingAllowance * reach) return;  // false for NaN too
    Fail(ViolationKind::kPoint, "the points are not the distance apart along the normal, by ",
         static_cast<double>(off), " m");
  }

  const ProofBody a_;
  const ProofBody b_;
  const QuadVec origin_;
  const bool is_compound_;
  const NearestPairs& pairs_;
  const std::size_t i_;
  double lower_ = 0;
  double allowance_ = 0;
  QuadVec normal_;
  std::vector<Violation> violations_;
};

}  // namespace

std::vector<Violation> VerifySeparation(const PosedShape& a, const PosedShape& b,
                                        const NearestPairs& pairs, std::size_t i) {
  return SeparationChecker(a, b, pairs, i).Check();
}

}  // namespace clearance::client
