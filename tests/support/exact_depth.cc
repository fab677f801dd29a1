// SPDX-License-Identifier: Apache-2.0
//
// The depth by brute force. A facet of A - B is a face of A, a face of B or carries an edge of
// each, so its normal is among the cross products below. Every other direction that is tried only
// gives a larger offset.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "tests/support/exact_cone.h"
#include "tests/support/exact_distance.h"

namespace clearance::testing {
namespace {

using Points = std::vector<ExactVector>;

Points Edges(const Points& points) {
  Points edges;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) edges.push_back(points[j] - points[i]);
  }
  return edges;
}

void AppendFaceNormals(const Points& p, Points* normals) {
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (std::size_t j = i + 1; j < p.size(); ++j) {
      for (std::size_t k = j + 1; k < p.size(); ++k) {
        normals->push_back(Cross(p[j] - p[i], p[k] - p[i]));
      }
    }
  }
}

Points CandidateNormals(const ExactPair& pair) {
  Points normals;
  AppendFaceNormals(pair.a, &normals);
  AppendFaceNormals(pair.b, &normals);
  for (const ExactVector& e : Edges(pair.a)) {
    for (const ExactVector& f : Edges(pair.b)) normals.push_back(Cross(e, f));
  }
  return normals;
}

// The smaller offset of the two supporting planes across n: min over +-n of max n . (a - b).
mpz_class SmallerOffset(const ExactPair& pair, const ExactVector& n) {
  const ExactVector minus_n = mpz_class(-1) * n;
  const mpz_class along = -SmallestGap(pair, n);
  const mpz_class against = -SmallestGap(pair, minus_n);
  return std::min(along, against);
}

}  // namespace

mpq_class ComputeExactDepthSquare(const ExactPair& pair) {
  mpz_class best_offset_square = 0;
  mpz_class best_norm_square = 0;  // 0: none yet
  for (const ExactVector& direction : CandidateNormals(pair)) {
    const ExactVector n = Reduced(direction);
    const mpz_class norm_square = Dot(n, n);
    if (norm_square == 0) continue;
    const mpz_class offset = SmallerOffset(pair, n);
    const mpz_class offset_square = offset * offset;
    if (best_norm_square == 0 ||
        offset_square * best_norm_square < best_offset_square * norm_square) {
      best_offset_square = offset_square;
      best_norm_square = norm_square;
    }
  }
  mpq_class result(best_offset_square, best_norm_square);
  result.canonicalize();
  return result;
}

}  // namespace clearance::testing
