// SPDX-License-Identifier: Apache-2.0
//
// Distances of bodies of every kind, compounds too, anywhere: what an answer claims is proved by
// the independent checker, B to A and the intersection query do not contradict it, a warm start
// changes no bit, and nor does being asked together with others.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/proof/check_body.h"
#include "core/query/body_query.h"
#include "tests/fuzz/any_body.h"
#include "tests/fuzz/byte_reader.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/support/same_bits.h"

namespace clearance::fuzz {
namespace {

DistanceOptions TakeOptions(ByteReader& data) {
  DistanceOptions options;
  const int which = data.TakeBelow(16);
  const double number = std::abs(TakeNumber(data));
  if (which == 1 && !std::isnan(number)) options.max_distance = number;
  if (which == 2 && std::isfinite(number)) options.tolerance = number;
  options.exact = which == 3;
  return options;
}

// Any vertices of the shapes.
Witness TakeStart(const ConvexShape& a, const ConvexShape& b, ByteReader& data) {
  Witness start;
  start.size = 1 + data.TakeBelow(4);
  for (int i = 0; i < start.size; ++i) {
    const auto at = static_cast<std::size_t>(i);
    start.vertices_a[at] = data.Take<std::uint16_t>() % a.vertex_count();
    start.vertices_b[at] = data.Take<std::uint16_t>() % b.vertex_count();
  }
  return start;
}

void CheckBackwards(const PosedBody& a, const PosedBody& b, const DistanceAnswer& answer) {
  const DistanceAnswer back = Distance(b, a, {});
  const IntersectionAnswer touch = Intersection(a, b);
  RequireState(back.state, back.bracket, back.tolerance, false);
  // Of compounds each pair that touches is judged by its own tolerance.
  const bool is_compound = a.body.is_compound() || b.body.is_compound();
  RequireState(touch.state, touch.bracket,
               is_compound ? std::numeric_limits<double>::infinity() : answer.tolerance, false);
  RequireOverlap(answer.bracket, back.bracket);
  RequireOverlap(answer.bracket, touch.bracket);
}

void CheckWarm(const PosedBody& a, const PosedBody& b, const DistanceAnswer& cold,
               ByteReader& data) {
  const ConvexShape& shape_a = *a.body.pieces()[0].shape;
  const ConvexShape& shape_b = *b.body.pieces()[0].shape;
  if (a.body.is_compound() || b.body.is_compound()) return;
  if (shape_a.is_curved() || shape_b.is_curved()) return;
  const Witness start = TakeStart(shape_a, shape_b, data);
  DistanceOptions options;
  options.start = &start;
  Require(testing::SameBits(Distance(a, b, options), cold), "a warm start changes no bit");
}

void CheckTogether(const PosedBody& a, const PosedBody& b, const DistanceOptions& options,
                   const DistanceAnswer& alone) {
  const std::array<BodyDistanceQuestion, 3> questions = {
      {{a, b, options}, {b, a, options}, {a, b, options}}};
  std::array<DistanceAnswer, 3> answers;
  Distances(questions, absl::MakeSpan(answers));
  Require(testing::SameBits(answers[0], alone) && testing::SameBits(answers[2], alone),
          "together, the same bits");
  Require(testing::SameBits(answers[1], Distance(b, a, options)), "together, the same bits");
}

void FuzzDistance(ByteReader& data) {
  const DistanceOptions options = TakeOptions(data);
  const int what = data.TakeBelow(4);
  const RigidBodyPtr body_a = TakeBody(data);
  const RigidBodyPtr body_b = TakeBody(data);
  if (body_a == nullptr || body_b == nullptr) return;
  const Pose pose_a = TakePose(data);
  const Pose pose_b = TakePose(data);
  if (!IsRepresentable(body_a->bounding_radius(), pose_a)) return;
  if (!IsRepresentable(body_b->bounding_radius(), pose_b)) return;
  const PosedBody a = {*body_a, pose_a};
  const PosedBody b = {*body_b, pose_b};

  const DistanceAnswer answer = Distance(a, b, options);
  RequireState(answer.state, answer.bracket, answer.tolerance, std::isfinite(options.max_distance));
  const bool is_plain = std::isinf(options.max_distance) && options.tolerance == 0;
  const bool is_checkable = IsCheckable(*body_a) && IsCheckable(*body_b);
  if (what == 1 && is_checkable && IsHeldToProof(answer)) {
    const Check check = CheckDistance(a, b, options, answer);
    Require(!check.contradiction,
            check.contradiction ? Name(check.contradiction->claim) : "every claim is proved");
  }
  if (what == 2 && is_plain) CheckBackwards(a, b, answer);
  if (what == 3 && is_plain && !options.exact) CheckWarm(a, b, answer, data);
  if (what == 0) CheckTogether(a, b, options, answer);
}

}  // namespace
}  // namespace clearance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  clearance::fuzz::ByteReader data(bytes, size);
  clearance::fuzz::FuzzDistance(data);
  return 0;
}
