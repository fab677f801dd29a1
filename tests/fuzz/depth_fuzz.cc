// SPDX-License-Identifier: Apache-2.0
//
// Depths: two shapes, one moved by a part of their size from where both have their centre, so that
// most overlap. Brackets are in order and agree with their states, the surface that proves a depth
// is closed, and the independent checker proves what the answer claims.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "core/proof/check_body.h"
#include "core/query/body_query.h"
#include "tests/fuzz/any_body.h"
#include "tests/fuzz/byte_reader.h"
#include "tests/fuzz/fuzz_check.h"

namespace clearance::fuzz {
namespace {

// Every edge of a closed surface is walked once in each direction.
void CheckSurface(const DepthProof& proof) {
  Require(proof.facet_count == 0 || proof.facet_count == 2 * proof.vertex_count - 4,
          "as many facets as Euler says");
  std::map<std::pair<int, int>, int> edges;
  for (int i = 0; i < proof.facet_count; ++i) {
    const auto& facet = proof.facets[static_cast<std::size_t>(i)];
    for (std::size_t k = 0; k < 3; ++k) {
      const int from = facet[k];
      const int to = facet[(k + 1) % 3];
      Require(from < proof.vertex_count && from != to, "a facet has three corners of its own");
      Require(++edges[{from, to}] == 1, "no edge is walked twice the same way");
    }
  }
  for (const auto& [edge, count] : edges)
    Require(edges.contains({edge.second, edge.first}), "the surface is closed");
}

// Where B stands: at A's place, turned, and moved by 128ths of both sizes.
Pose TakeOverlap(const Pose& pose_a, double size, ByteReader& data) {
  Pose pose = TakePose(data);
  const double x = data.Take<std::int8_t>();
  const double y = data.Take<std::int8_t>();
  const double z = data.Take<std::int8_t>();
  pose.p_WS = pose_a.p_WS + (size / 128) * Vec3d{x, y, z};
  return pose;
}

void FuzzDepth(ByteReader& data) {
  const bool is_checked = data.TakeBelow(4) == 0;
  const RigidBodyPtr body_a = TakeBody(data);
  const RigidBodyPtr body_b = TakeBody(data);
  if (body_a == nullptr || body_b == nullptr) return;
  const Pose pose_a = TakePose(data);
  const double size = body_a->bounding_radius() + body_b->bounding_radius();
  const Pose pose_b = TakeOverlap(pose_a, size, data);
  if (FindPoseFault(pose_b) != PoseFault::kNone) return;
  if (!IsRepresentable(body_a->bounding_radius(), pose_a)) return;
  if (!IsRepresentable(body_b->bounding_radius(), pose_b)) return;
  const PosedBody a = {*body_a, pose_a};
  const PosedBody b = {*body_b, pose_b};

  DepthProof proof;
  DistanceOptions options;
  options.depth_proof = &proof;
  const DistanceAnswer answer = Distance(a, b, options);
  RequireState(answer.state, answer.bracket, answer.tolerance, false);
  CheckSurface(proof);
  RequireOverlap(answer.bracket, Intersection(a, b).bracket);
  if (answer.reason == UndecidedReason::kNone && answer.state != State::kUndecided) {
    Require(answer.bracket.lower <= answer.distance && answer.distance <= answer.bracket.upper,
            "lower <= distance <= upper");
  }
  if (!is_checked || !IsHeldToProof(answer)) return;
  if (!IsCheckable(*body_a) || !IsCheckable(*body_b)) return;
  const Check check = CheckDistance(a, b, options, answer);
  Require(!check.contradiction,
          check.contradiction ? Name(check.contradiction->claim) : "every claim is proved");
}

}  // namespace
}  // namespace clearance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  clearance::fuzz::ByteReader data(bytes, size);
  clearance::fuzz::FuzzDepth(data);
  return 0;
}
