// SPDX-License-Identifier: Apache-2.0
//
// The proof checker. For two bodies with the difference B - A, a direction n, points of either body
// and weights w, with |n| = 1 and sum w = 1:
//     min n·b - max n·a - r_A - r_B  <=  distance  <=  |sum w (b - a)| - r_A - r_B
// If points of the difference hold a ball of radius r about the origin, distance <= -r - r_A - r_B.
// So two scans and one weighted sum are a proof, however the answer was found. For a cylinder, a
// cone or an ellipsoid the scan is a closed form. For these the answer's own point takes the place
// of the weighted sum, once it is seen to lie in the core.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "clearance/proof.h"
#include "internal/proof_geometry.h"

namespace clearance::client {
namespace {

constexpr double kCurvedDirection = 1e-9;      // of the sizes
constexpr std::size_t kMaxWitnesses = 12;      // of one row
constexpr std::size_t kNoVertex = 0xffffffff;  // of a shape that has none

// The witnesses of one row, from A's origin.
struct RowWitnesses {
  std::vector<QuadVec> differences;  // b - a; none of a curved core
  QuadVec p_A, p_B;                  // weighted points of the cores
  // Together the two are within this of points of the cores.
  Quad excess = 0;
};

class RowChecker {
 public:
  RowChecker(const PosedShape& a, const PosedShape& b, const DistanceResult& result,
             std::size_t row)
      : a_(MakeProofBody(a.shape, a.pose, a.pose)),
        b_(MakeProofBody(b.shape, b.pose, a.pose)),
        pose_a_(a.pose),
        result_(result),
        row_(row),
        is_compound_(std::holds_alternative<Compound>(a.shape.kind) ||
                     std::holds_alternative<Compound>(b.shape.kind)) {}

  std::vector<Violation> Check() {
    if (!HasProof() || !ReadBounds() || !ReadWitnesses() || !ReadNormal() || !ReadCurvedPoints())
      return std::move(violations_);
    if (state() == State::kPenetrating) {
      CheckPenetrating();
    } else {
      CheckSeparatedOrTouching();
    }
    CheckDistance();
    CheckPoints();
    return std::move(violations_);
  }

 private:
  State state() const { return result_.states[row_]; }
  bool is_curved() const { return a_.curved.has_value() || b_.curved.has_value(); }

  static bool HasVertex(const ProofBody& body, std::size_t vertex) {
    return body.curved ? vertex == kNoVertex : vertex < body.points.size();
  }

  template <class... Parts>
  bool Fail(ViolationKind kind, const Parts&... parts) {
    violations_.push_back({kind, absl::StrCat("row ", row_, ": ", parts...)});
    return false;
  }

  bool HasProof() {
    using enum ViolationKind;
    if (row_ >= result_.states.size()) return Fail(kMalformed, "the result has no such row");
    if (state() != State::kSeparated && state() != State::kTouching &&
        state() != State::kPenetrating) {
      return Fail(kNoProof, "the state ", Name(state()), " comes without a proof");
    }
    if (is_compound_) return Fail(kNoProof, "the proof of a compound is that of all its pieces");
    for (const ProofBody* body : {&a_, &b_}) {
      if (body->points.empty() && !body->curved) return Fail(kMalformed, "a shape has no points");
    }
    if (result_.lower_bounds.empty() || result_.upper_bounds.empty()) {
      return Fail(kNoProof, "bounds were not asked for");
    }
    if (result_.witnesses.offsets.empty()) return Fail(kNoProof, "witnesses were not asked for");
    return true;
  }

  bool ReadBounds() {
    using enum ViolationKind;
    if (row_ >= result_.lower_bounds.size() || row_ >= result_.upper_bounds.size()) {
      return Fail(kMalformed, "the columns of bounds are too short");
    }
    lower_ = result_.lower_bounds[row_];
    upper_ = result_.upper_bounds[row_];
    if (!std::isfinite(lower_) || !std::isfinite(upper_)) {
      return Fail(kMalformed, "bounds [", lower_, ", ", upper_, "] are not finite");
    }
    if (!(lower_ <= upper_)) return Fail(kState, "lower ", lower_, " > upper ", upper_);
    const auto reach = static_cast<double>(a_.size + b_.size);
    allowance_ = kRoundingAllowance * (reach + std::max(std::abs(lower_), std::abs(upper_)));
    return true;
  }

  bool ReadWitnesses() {
    using enum ViolationKind;
    const Witnesses& all = result_.witnesses;
    if (row_ + 1 >= all.offsets.size()) return Fail(kMalformed, "no offsets of witnesses");
    const std::size_t first = all.offsets[row_];
    const std::size_t last = all.offsets[row_ + 1];
    const std::size_t held =
        std::min({all.vertices_a.size(), all.vertices_b.size(), all.weights.size()});
    if (first >= last || last - first > kMaxWitnesses || last > held) {
      return Fail(kMalformed, "witnesses ", first, " to ", last, " of ", held);
    }
    Quad sum = 0;
    for (std::size_t k = first; k < last; ++k) {
      if (!AddWitness(k)) return false;
      sum += all.weights[k];
    }
    // Differences that enclose the origin prove an overlap without weights.
    has_weights_ = sum != 0 || state() != State::kPenetrating;
    if (!has_weights_) return true;
    if (!(Abs(sum - 1) <= kUnitSlack)) {
      return Fail(kMalformed, "the weights' sum is ", static_cast<double>(sum));
    }
    witnesses_.p_A = (1 / sum) * witnesses_.p_A;
    witnesses_.p_B = (1 / sum) * witnesses_.p_B;
    return true;
  }

  bool AddWitness(std::size_t k) {
    using enum ViolationKind;
    const Witnesses& all = result_.witnesses;
    const std::size_t vertex_a = all.vertices_a[k];
    const std::size_t vertex_b = all.vertices_b[k];
    if (!HasVertex(a_, vertex_a) || !HasVertex(b_, vertex_b)) {
      return Fail(kWitnessId, "vertices ", vertex_a, " and ", vertex_b, " of ", a_.points.size(),
                  " and ", b_.points.size());
    }
    const double weight = all.weights[k];
    const bool may_be_zero = state() == State::kPenetrating;
    if (!(weight > 0 || (weight == 0 && may_be_zero)) || !std::isfinite(weight)) {
      return Fail(kMalformed, "the weight ", weight);
    }
    const QuadVec p_A = a_.curved ? QuadVec{} : a_.points[vertex_a];
    const QuadVec p_B = b_.curved ? QuadVec{} : b_.points[vertex_b];
    if (!is_curved()) witnesses_.differences.push_back(p_B - p_A);
    witnesses_.p_A = witnesses_.p_A + Quad(weight) * p_A;
    witnesses_.p_B = witnesses_.p_B + Quad(weight) * p_B;
    return true;
  }

  bool ReadNormal() {
    using enum ViolationKind;
    if (result_.normals.empty()) return Fail(kNoProof, "normals were not asked for");
    if (result_.normals.size() < 3 * (row_ + 1)) return Fail(kMalformed, "no normal of this row");
    normal_ = ToQuad(&result_.normals[3 * row_]);
    const Quad length = Length(normal_);
    if (Abs(length - 1) <= kUnitSlack) return true;  // false for NaN too
    return Fail(kNormal, "the normal's length is ", static_cast<double>(length));
  }

  // Reads the answer's points of curved cores, moved back along the normal onto the core; they
  // prove nothing if the cores overlap.
  bool ReadCurvedPoints() {
    if (!has_weights_) return true;
    return ReadCurvedPoint(a_, result_.relative_points_a, a_.radius, &witnesses_.p_A) &&
           ReadCurvedPoint(b_, result_.relative_points_b, -b_.radius, &witnesses_.p_B);
  }

  bool ReadCurvedPoint(const ProofBody& body, const std::vector<double>& column, double radius,
                       QuadVec* p) {
    using enum ViolationKind;
    if (!body.curved) return true;
    if (column.empty()) return Fail(kNoProof, "relative points were not asked for");
    if (column.size() < 3 * (row_ + 1)) return Fail(kMalformed, "no relative points of this row");
    *p = ToQuad(&column[3 * row_]) - Quad(radius) * normal_;
    const Quad excess = DistanceToCore(*body.curved, *p);
    witnesses_.excess += excess;
    if (excess <= allowance_ + kRoundingAllowance * Length(*p)) return true;  // false for NaN too
    return Fail(kPoint, "a point is ", static_cast<double>(excess), " m outside of its shape");
  }

  // Returns a rigorous bound: no rounding makes it less than the distance.
  Quad UpperByWitnesses() const {
    const Quad reach = a_.reach + b_.reach;
    return Length(witnesses_.p_B - witnesses_.p_A) + witnesses_.excess - a_.radius - b_.radius +
           kQuadSlack * reach;
  }

  void CheckLower(Quad proved) {
    if (proved < lower_ - allowance_) {
      Fail(ViolationKind::kLowerBound, "lower bound ", lower_, ", but the normal proves ",
           static_cast<double>(proved), " only");
    }
    if (upper_ < proved) {
      Fail(ViolationKind::kUpperBound, "upper bound ", upper_,
           ", but the normal proves more: ", static_cast<double>(proved));
    }
  }

  void CheckUpper(Quad proved) {
    if (proved > upper_ + allowance_) {
      Fail(ViolationKind::kUpperBound, "upper bound ", upper_, ", but the witnesses prove ",
           static_cast<double>(proved), " only");
    }
    if (lower_ > proved) {
      Fail(ViolationKind::kLowerBound, "lower bound ", lower_,
           ", but the witnesses prove less: ", static_cast<double>(proved));
    }
  }

  void CheckSeparatedOrTouching() {
    const Quad gap = ProvedGap(a_, b_, normal_);
    CheckLower(gap);
    CheckUpper(UpperByWitnesses());
    if (state() == State::kTouching) return CheckTouching();
    if (!(lower_ > 0)) Fail(ViolationKind::kState, "SEPARATED with lower bound ", lower_);
    if (gap > 0) return;
    // A gap at the size of the normal's own rounding needs the direction that the vertices give.
    if (is_curved()) {
      if (gap > -allowance_)
        Fail(ViolationKind::kNoProof, "the gap is lost in the normal's rounding");
      return;  // otherwise the lower bound is not proved either
    }
    const std::optional<QuadVec> exact = FeatureNormal(witnesses_.differences);
    if (exact && ProvedGap(a_, b_, *exact) > 0) return;
    Fail(ViolationKind::kState, "SEPARATED, but the supports prove ", static_cast<double>(gap));
  }

  void CheckTouching() {
    if (!(lower_ <= 0 && 0 <= upper_)) {
      Fail(ViolationKind::kState, "TOUCHING with bounds [", lower_, ", ", upper_, "]");
    }
    if (row_ >= result_.tolerances.size()) return;
    const double tolerance = result_.tolerances[row_];
    if (lower_ >= -tolerance && upper_ <= tolerance) return;
    Fail(ViolationKind::kState, "TOUCHING with bounds [", lower_, ", ", upper_,
         "] beyond the tolerance ", tolerance);
  }

  void CheckPenetrating() {
    CheckLower(ProvedGap(a_, b_, normal_));
    if (!(upper_ < 0)) Fail(ViolationKind::kState, "PENETRATING with upper bound ", upper_);
    if (is_curved() && !has_weights_) {
      Fail(ViolationKind::kNoProof, "the overlap of curved cores comes without a proof");
      return;
    }
    // Without either proof nothing is known: the bodies are no farther apart than they reach.
    Quad proved = has_weights_ ? UpperByWitnesses() : a_.reach + b_.reach;
    const Quad inner = is_curved() ? Quad(0) : InnerRadius(witnesses_.differences);
    encloses_origin_ = inner > 0;  // then the points are the deepest, not those of the witnesses
    if (encloses_origin_) proved = std::min(proved, -inner - a_.radius - b_.radius);
    if (!(proved < 0)) {
      Fail(ViolationKind::kState, "PENETRATING, but the witnesses do not hold the origin inside");
    }
    if (!(inner > 0)) return CheckUpper(proved);
    if (lower_ > proved) {
      Fail(ViolationKind::kLowerBound, "lower bound ", lower_,
           ", but the witnesses prove less: ", static_cast<double>(proved));
    }
    CheckDepth();
  }

  // Checks the upper bound of cores that overlap, if its proof was asked for.
  void CheckDepth() {
    const DepthProofs& all = result_.depth_proofs;
    if (all.offsets.empty()) return;
    if (row_ < all.truncated.size() && all.truncated[row_]) return;
    std::vector<QuadVec> corners;
    std::vector<Triangle3> triangles;
    if (!ReadDepthProof(&corners, &triangles) || triangles.empty()) return;
    CheckUpper(-RadiusInside(corners, triangles) - a_.radius - b_.radius);
  }

  bool ReadDepthProof(std::vector<QuadVec>* corners, std::vector<Triangle3>* triangles) {
    using enum ViolationKind;
    const DepthProofs& all = result_.depth_proofs;
    if (row_ + 1 >= std::min(all.offsets.size(), all.facet_offsets.size())) {
      return Fail(kMalformed, "no offsets of the proof of depth");
    }
    const std::size_t held = std::min(all.vertices_a.size(), all.vertices_b.size());
    if (all.offsets[row_ + 1] > held || all.facet_offsets[row_ + 1] > all.facets.size() / 3) {
      return Fail(kMalformed, "the columns of the proof of depth are too short");
    }
    for (std::size_t k = all.offsets[row_]; k < all.offsets[row_ + 1]; ++k) {
      if (!HasVertex(a_, all.vertices_a[k]) || !HasVertex(b_, all.vertices_b[k])) {
        return Fail(kWitnessId, "corner of vertices ", all.vertices_a[k], " and ",
                    all.vertices_b[k]);
      }
      corners->push_back(a_.points[all.vertices_a[k]] - b_.points[all.vertices_b[k]]);
    }
    for (std::size_t k = all.facet_offsets[row_]; k < all.facet_offsets[row_ + 1]; ++k) {
      const Triangle3 triangle = {all.facets[3 * k], all.facets[3 * k + 1], all.facets[3 * k + 2]};
      for (const std::uint32_t corner : triangle) {
        if (corner >= corners->size()) return Fail(kWitnessId, "corner ", corner, " of a triangle");
      }
      triangles->push_back(triangle);
    }
    return true;
  }

  void CheckDistance() {
    if (row_ >= result_.distances.size()) return;
    const double distance = result_.distances[row_];
    if (lower_ <= distance && distance <= upper_) return;  // false for NaN too
    Fail(ViolationKind::kDistance, "distance ", distance, " outside [", lower_, ", ", upper_, "]");
  }

  void CheckPoints() {
    CheckPair("relative points", result_.relative_points_a, result_.relative_points_b);
    CheckPair("points", result_.points_a, result_.points_b);
    if (!has_weights_ || encloses_origin_) return;
    const QuadVec origin{pose_a_.x, pose_a_.y, pose_a_.z};
    const QuadVec p_A = witnesses_.p_A + Quad(a_.radius) * normal_;
    const QuadVec p_B = witnesses_.p_B - Quad(b_.radius) * normal_;
    CheckPoint("point_a", result_.points_a, origin + p_A);
    CheckPoint("point_b", result_.points_b, origin + p_B);
    CheckPoint("relative_point_a", result_.relative_points_a, p_A);
    CheckPoint("relative_point_b", result_.relative_points_b, p_B);
  }

  // Checks that both points are the distance apart along the normal.
  void CheckPair(const char* name, const std::vector<double>& column_a,
                 const std::vector<double>& column_b) {
    const std::size_t needed = 3 * (row_ + 1);
    if (column_a.size() < needed || column_b.size() < needed) return;
    if (row_ >= result_.distances.size()) return;
    const QuadVec a = ToQuad(&column_a[3 * row_]);
    const QuadVec b = ToQuad(&column_b[3 * row_]);
    const Quad off = Length(b - a - Quad(result_.distances[row_]) * normal_);
    // The direction of a smooth body's nearest point is known only to the root of the accuracy of
    // its distance.
    const Quad direction = is_curved() ? kCurvedDirection * (a_.reach + b_.reach) : Quad(0);
    if (off <= allowance_ + direction + kRoundingAllowance * (Length(a) + Length(b))) return;
    Fail(ViolationKind::kPoint, name, " are not the distance apart along the normal, by ",
         static_cast<double>(off), " m");
  }

  void CheckPoint(const char* name, const std::vector<double>& column, const QuadVec& expected) {
    if (column.size() < 3 * (row_ + 1)) return;
    const QuadVec given = ToQuad(&column[3 * row_]);
    const Quad off = Length(given - expected);
    if (off <= allowance_ + kRoundingAllowance * Length(expected)) return;  // false for NaN too
    Fail(ViolationKind::kPoint, name, " is ", static_cast<double>(off),
         " m from where the witnesses put it");
  }

  const ProofBody a_;
  const ProofBody b_;
  QuadVec normal_;
  RowWitnesses witnesses_;
  const Pose& pose_a_;
  const DistanceResult& result_;
  const std::size_t row_;
  const bool is_compound_;
  double lower_ = 0;
  double upper_ = 0;
  double allowance_ = 0;
  std::vector<Violation> violations_;
  bool has_weights_ = false;
  bool encloses_origin_ = false;
};

}  // namespace

std::vector<Violation> VerifyDistance(const PosedShape& a, const PosedShape& b,
                                      const DistanceResult& result, std::size_t row) {
  return RowChecker(a, b, result, row).Check();
}

}  // namespace clearance::client
