// SPDX-License-Identifier: Apache-2.0
#include "tests/support/depth_proof_checker.h"

#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace clearance::testing {
namespace {

constexpr double kU = 0x1p-53;
constexpr double kSliver = 1e-4;  // the least sine of a facet whose plane is judged

double Length(const Vec3d& v) { return std::hypot(v.x, v.y, v.z); }

class ProofChecker {
 public:
  ProofChecker(const CheckedPair& pair, const DistanceAnswer& answer, const DepthProof& proof)
      : pair_(pair), answer_(answer), proof_(proof), slack_(64 * kU * pair.Size()) {}

  std::string Find() {
    if (!IsReadable()) return "the proof has ids out of range\n";
    for (int i = 0; i < proof_.vertex_count; ++i) {
      const auto& a = pair_.exact.a[pair_.shape_a->original_index(proof_.vertices_a[i])];
      const auto& b = pair_.exact.b[pair_.shape_b->original_index(proof_.vertices_b[i])];
      corners_.push_back(a - b);
      metres_.push_back(Metres(corners_.back()));
    }
    if (!IsClosed()) return "the surface is not closed\n";
    if (!IsAroundTheOrigin()) return "the surface is not around the origin\n";
    if (!IsConvex()) return "a corner is above a facet\n";
    return IsDeep() ? "" : "a facet is nearer to the origin than the bracket says\n";
  }

 private:
  bool IsReadable() const {
    if (proof_.vertex_count > DepthProof::kVertexCapacity) return false;
    if (proof_.facet_count > DepthProof::kFacetCapacity) return false;
    for (int i = 0; i < proof_.vertex_count; ++i) {
      if (proof_.vertices_a[i] >= pair_.shape_a->vertex_count()) return false;
      if (proof_.vertices_b[i] >= pair_.shape_b->vertex_count()) return false;
    }
    for (int f = 0; f < proof_.facet_count; ++f) {
      for (const int corner : proof_.facets[f]) {
        if (corner >= proof_.vertex_count) return false;
      }
    }
    return true;
  }

  Vec3d Metres(const ExactVector& v) const {
    const auto metres = [&](const mpz_class& c) { return mpq_class(c * pair_.exact.unit).get_d(); };
    return {metres(v.x), metres(v.y), metres(v.z)};
  }

  bool IsClosed() const {
    std::map<std::pair<int, int>, int> uses;
    for (int f = 0; f < proof_.facet_count; ++f) {
      const auto& corner = proof_.facets[f];
      for (int i = 0; i < 3; ++i) ++uses[{corner[i], corner[(i + 1) % 3]}];
    }
    for (const auto& [edge, count] : uses) {
      const auto back = uses.find({edge.second, edge.first});
      if (count != 1 || back == uses.end() || back->second != 1) return false;
    }
    return proof_.facet_count >= 4;
  }

  // A ray from the origin in a direction that is in no plane with an edge passes a closed surface
  // outwards once more often than inwards if the origin is inside.
  bool IsAroundTheOrigin() const {
    const ExactVector ray = {982451653, -573259391, 756065179};
    int passes = 0;
    for (int f = 0; f < proof_.facet_count; ++f) {
      const auto [i, j, k] = proof_.facets[f];
      const ExactVector &a = corners_[i], &b = corners_[j], &c = corners_[k];
      const int side = sgn(Dot(a, Cross(b, c)));
      const bool is_hit = sgn(Dot(ray, Cross(a, b))) == side &&
                          sgn(Dot(ray, Cross(b, c))) == side && sgn(Dot(ray, Cross(c, a))) == side;
      if (is_hit) passes += side;
    }
    return passes == 1;
  }

  bool IsConvex() const {
    for (int f = 0; f < proof_.facet_count; ++f) {
      const auto [i, j, k] = proof_.facets[f];
      const ExactVector n = Cross(corners_[j] - corners_[i], corners_[k] - corners_[i]);
      const double area = Length(Cross(metres_[j] - metres_[i], metres_[k] - metres_[i]));
      const double edges = Length(metres_[j] - metres_[i]) * Length(metres_[k] - metres_[i]);
      if (area <= kSliver * edges) continue;
      const mpq_class unit_cube = pair_.exact.unit * pair_.exact.unit * pair_.exact.unit;
      for (const ExactVector& corner : corners_) {
        const mpq_class volume = Dot(n, corner - corners_[i]) * unit_cube;
        // The error by a tilt of the plane, from the rounding of its corners, grows as the facet
        // gets smaller.
        const double reach = 1 + pair_.Size() * std::sqrt(edges) / area;
        if (volume.get_d() / area > slack_ * reach) return false;
      }
    }
    return true;
  }

  bool IsDeep() const {
    const mpq_class radii = pair_.exact.radii;
    const double depth = -answer_.bracket.upper - radii.get_d() - slack_;
    for (int f = 0; f < proof_.facet_count; ++f) {
      const auto [i, j, k] = proof_.facets[f];
      const ExactPair facet = {
          {corners_[i], corners_[j], corners_[k]}, {{0, 0, 0}}, pair_.exact.unit, 0};
      if (!ComputeExactDistance(facet).IsAtLeast(depth)) return false;
    }
    return true;
  }

  const CheckedPair& pair_;
  const DistanceAnswer& answer_;
  const DepthProof& proof_;
  const double slack_;
  std::vector<ExactVector> corners_;
  std::vector<Vec3d> metres_;
};

}  // namespace

std::string FindProofFault(const CheckedPair& pair, const DistanceAnswer& answer,
                           const DepthProof& proof) {
  return ProofChecker(pair, answer, proof).Find();
}

}  // namespace clearance::testing
