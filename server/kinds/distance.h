// SPDX-License-Identifier: Apache-2.0
//
// Distances of pairs.

#pragma once

#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "clearance/v1/query.pb.h"
#include "core/query/contact_manifold.h"
#include "core/query/distance.h"
#include "server/engine/answer.h"
#include "server/kinds/pairs.h"
#include "server/kinds/reply_columns.h"

namespace clearance::server {

struct DistanceQuestions {
  PairRows pairs;
  Rows<double> max_distances;
  double tolerance = 0;  // finite, >= 0
  bool exact = false;
  bool warm_start = false;
  double max_contact_separation = std::numeric_limits<double>::infinity();  // no NaN
};

struct DistanceKind {
  using Batch = v1::DistanceBatch;
  using Result = v1::DistanceBatchResult;
  using Questions = DistanceQuestions;
  using Detail = v1::DistanceDetail;

  static constexpr std::uint64_t kUnitsARow = 1;

  static constexpr auto kFlags = [](const Detail& d) { return d.normals() || d.pieces(); };
  static constexpr auto kWitnessBytes = [](const Detail&) {
    return Witness::kCapacity * (2 * kIndexBytes + kNumberBytes);
  };
  static constexpr auto kContactBytes = [](const Detail&) {
    return ContactManifold::kCapacity * (7 * kNumberBytes + 4 * kIndexBytes);
  };
  static constexpr auto kDepthProofs = [](Result* result) {
    result->mutable_depth_proofs()->add_facet_offsets(0);
    return result->mutable_depth_proofs();
  };
  static constexpr auto kDepthProofBytes = [](const Detail&) {  // with an offset of the facets
    return kIndexBytes *
           (1 + 2 * DepthProof::kVertexCapacity + std::uint64_t{3} * DepthProof::kFacetCapacity);
  };

  static constexpr auto kColumns = std::tuple(
      Numbers{&Columns::states, &Result::mutable_states, kAlways},
      Numbers{&Columns::distances, &Result::mutable_distances, &Detail::distances}.Or(kNoDistance),
      Numbers{&Columns::lower_bounds, &Result::mutable_lower_bounds, &Detail::bounds}.Or(-kNoBound),
      Numbers{&Columns::upper_bounds, &Result::mutable_upper_bounds, &Detail::bounds}.Or(kNoBound),
      Numbers{&Columns::points_a, &Result::mutable_points_a, &Detail::points, kVector},
      Numbers{&Columns::points_b, &Result::mutable_points_b, &Detail::points, kVector},
      Numbers{&Columns::normals, &Result::mutable_normals, &Detail::normals, kVector},
      Numbers{&Columns::relative_points_a, &Result::mutable_relative_points_a,
              &Detail::relative_points, kVector},
      Numbers{&Columns::relative_points_b, &Result::mutable_relative_points_b,
              &Detail::relative_points, kVector},
      Numbers{&Columns::tolerances, &Result::mutable_tolerances, &Detail::tolerances},
      Numbers{&Columns::iterations, &Result::mutable_iterations, &Detail::iterations, 1,
              kVarintBytes},
      Numbers{&Columns::flags, &Result::mutable_flags, kFlags, 1, 1},
      Numbers{&Columns::pieces_a, &Result::mutable_pieces_a, &Detail::pieces},
      Numbers{&Columns::pieces_b, &Result::mutable_pieces_b, &Detail::pieces},
      Entries{&Columns::witnesses, &Result::mutable_witnesses, &Detail::witnesses, kWitnessBytes},
      Entries{&Columns::contacts, &Result::mutable_contacts, &Detail::contacts, kContactBytes},
      Numbers{&Columns::contacts_truncated,
              [](Result* result) { return result->mutable_contacts()->mutable_truncated(); },
              &Detail::contacts},
      Entries{&Columns::depth_proofs, kDepthProofs, &Detail::depth_proofs, kDepthProofBytes},
      Numbers{&Columns::proofs_truncated,
              [](Result* result) { return result->mutable_depth_proofs()->mutable_truncated(); },
              &Detail::depth_proofs});

  static Detail DetailOf(const Batch& batch) {
    return DetailOr(batch, &Detail::set_distances, &Detail::set_bounds);
  }
  static bool MayBeDear(const Batch& batch) { return batch.exact(); }
};

void ReadQuestions(const v1::DistanceBatch& batch, ColumnReader* reader,
                   DistanceQuestions* questions);
std::vector<RowFault> FindFaults(const DistanceQuestions& questions, const ShapeTable& table);
std::uint32_t AnswerRows(const DistanceQuestions& questions, const Work& work,
                         const Columns& columns);

}  // namespace clearance::server
