// SPDX-License-Identifier: Apache-2.0

#include "tests/fuzz/session_replies.h"

#include <google/protobuf/repeated_field.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "absl/time/time.h"
#include "core/scene/scene.h"
#include "core/shape/make_shape.h"
#include "server/convert/batch_form.h"
#include "server/convert/shape_content.h"
#include "server/session/session_state.h"
#include "tests/fuzz/fuzz_check.h"

namespace clearance::fuzz {
namespace {

using google::protobuf::RepeatedField;

void CheckColumn(const RepeatedField<double>& column, std::size_t numbers) {
  Require(column.empty() || static_cast<std::size_t>(column.size()) == numbers,
          "a column of a reply is absent or has all rows");
}

// Entries of rows, one row after another.
void CheckOffsets(const RepeatedField<std::uint32_t>& offsets, std::size_t rows,
                  std::size_t entries) {
  Require(static_cast<std::size_t>(offsets.size()) == rows + 1,
          "an offset before each row and one");
  Require(offsets[0] == 0 && std::is_sorted(offsets.begin(), offsets.end()) &&
              offsets[static_cast<int>(rows)] == entries,
          "offsets ascend from 0 to the number of entries");
}

void CheckLists(const v1::DistanceBatchResult& result) {
  const std::size_t rows = result.count();
  if (result.has_witnesses())
    CheckOffsets(result.witnesses().offsets(), rows, result.witnesses().weights_size());
  if (result.has_contacts()) {
    const v1::ContactColumns& contacts = result.contacts();
    CheckOffsets(contacts.offsets(), rows, contacts.distances_size());
    Require(contacts.points_a_size() == 3 * contacts.distances_size() &&
                contacts.features_b_size() == 2 * contacts.distances_size(),
            "every contact has its points and features");
  }
  if (!result.has_depth_proofs()) return;
  const v1::DepthProofColumns& proofs = result.depth_proofs();
  CheckOffsets(proofs.offsets(), rows, proofs.vertices_a_size());
  CheckOffsets(proofs.facet_offsets(), rows, proofs.facets_size() / 3);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row = static_cast<int>(i);
    const std::uint32_t corners = proofs.offsets(row + 1) - proofs.offsets(row);
    for (std::uint32_t k = 3 * proofs.facet_offsets(row); k < 3 * proofs.facet_offsets(row + 1);
         ++k)
      Require(proofs.facets(static_cast<int>(k)) < corners, "a triangle's corners are the row's");
  }
}

// What holds of every kind of result: `refused` and `undecided` are the numbers of these states.
template <class Result>
void CheckRows(const Result& result, int refused, int undecided) {
  Require(static_cast<std::size_t>(result.states_size()) == result.count(), "a state for each row");
  Require(
      std::count(result.states().begin(), result.states().end(), refused) == result.errors_size(),
      "an Error for each refused row");
  Require(std::count(result.states().begin(), result.states().end(), undecided) ==
              result.undecided_size(),
          "a reason for each undecided row");
  for (const v1::UndecidedRow& row : result.undecided())
    Require(row.reason() != v1::UNDECIDED_REASON_BUDGET, "no row runs out of time that it has");
  for (const int state : result.states()) Require(state > 0 && state <= refused, "a known state");
}

// Distances and intersections.
template <class Result>
void CheckBounds(const Result& result) {
  CheckColumn(result.lower_bounds(), result.count());
  CheckColumn(result.upper_bounds(), result.count());
  for (int i = 0; i < result.lower_bounds_size(); ++i) {
    const double lower = result.lower_bounds(i);
    const double upper = result.upper_bounds(i);
    Require(lower <= upper, "lower <= upper");
    Require(result.states(i) != v1::STATE_SEPARATED || lower > 0, "SEPARATED: lower > 0");
    Require(result.states(i) != v1::STATE_PENETRATING || upper < 0, "PENETRATING: upper < 0");
  }
}

void CheckResult(const v1::DistanceBatchResult& result) {
  CheckRows(result, v1::STATE_REFUSED, v1::STATE_UNDECIDED);
  CheckBounds(result);
  CheckColumn(result.distances(), result.count());
  CheckColumn(result.points_a(), 3 * std::size_t{result.count()});
  CheckColumn(result.normals(), 3 * std::size_t{result.count()});
  CheckLists(result);
  if (result.lower_bounds_size() != result.distances_size()) return;
  for (int i = 0; i < result.distances_size(); ++i) {
    const int state = result.states(i);
    if (state != v1::STATE_SEPARATED && state != v1::STATE_TOUCHING &&
        state != v1::STATE_PENETRATING)
      continue;
    Require(result.lower_bounds(i) <= result.distances(i) &&
                result.distances(i) <= result.upper_bounds(i),
            "a distance lies in its bracket");
  }
}

void CheckResult(const v1::IntersectionBatchResult& result) {
  CheckRows(result, v1::STATE_REFUSED, v1::STATE_UNDECIDED);
  CheckBounds(result);
}

void CheckResult(const v1::TimeOfCollisionBatchResult& result) {
  CheckRows(result, v1::MOTION_STATE_REFUSED, v1::MOTION_STATE_UNDECIDED);
  CheckColumn(result.t_free(), result.count());
  CheckColumn(result.distances(), result.count());
  if (result.has_proofs()) {
    const v1::MotionProofColumns& proofs = result.proofs();
    CheckOffsets(proofs.offsets(), result.count(), proofs.t_begin_size());
    Require(proofs.normals_size() == 3 * proofs.t_end_size() &&
                proofs.t_end_size() == proofs.t_begin_size(),
            "every interval has its ends and its normal");
  }
  for (int i = 0; i < result.t_free_size(); ++i) {
    const double t_free = result.t_free(i);
    const double t_hit = result.t_hit(i);
    Require(t_free >= 0 && t_free <= 1, "0 <= t_free <= 1");
    if (result.states(i) == v1::MOTION_STATE_FREE) Require(t_free == 1, "FREE: t_free = 1");
    if (result.states(i) == v1::MOTION_STATE_HIT)
      Require(t_free <= t_hit && t_hit <= 1, "HIT: t_free <= t_hit <= 1");
  }
}

// That a state is told of every row, an Error of each refused one and a name of every pair.
template <class Result>
void CheckSceneRows(const Result& result, const RepeatedField<int>& states, int refused) {
  Require(static_cast<std::size_t>(states.size()) == result.count(), "a state for each row");
  Require(std::count(states.begin(), states.end(), refused) == result.errors_size(),
          "an Error for each refused row");
  for (const int state : states) Require(state > 0 && state <= refused, "a known state");
  Require(result.bodies_a_size() == result.bodies_b_size() &&
              result.bodies_a_size() == result.is_self_size(),
          "a pair has two bodies");
}

// That every listed pair has its bodies and a state, and no row lists more than the limit.
template <class Pairs>
void CheckPairs(const Pairs& pairs, std::size_t rows, const RepeatedField<int>& states) {
  CheckOffsets(pairs.offsets(), rows, static_cast<std::size_t>(states.size()));
  Require(pairs.bodies_a_size() == states.size() && pairs.bodies_b_size() == states.size() &&
              pairs.is_self_size() == states.size(),
          "a listed pair has two bodies and a state");
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row = static_cast<int>(i);
    Require(pairs.offsets(row + 1) - pairs.offsets(row) <= kLimits.max_row_pairs,
            "no row lists more pairs than the limit");
  }
}

void CheckVerdictPairs(const v1::VerdictPairColumns& pairs, std::size_t rows) {
  CheckPairs(pairs, rows, pairs.verdicts());
  CheckColumn(pairs.lower_bounds(), static_cast<std::size_t>(pairs.verdicts_size()));
  Require(static_cast<std::size_t>(pairs.truncated_size()) == rows, "truncated: 1 a row");
  for (const int verdict : pairs.verdicts())
    Require(verdict == v1::VERDICT_TOUCHING || verdict == v1::VERDICT_UNDECIDED,
            "a listed pair is not free");
}

void CheckResult(const v1::NearestBatchResult& result) {
  CheckRows(result, v1::STATE_REFUSED, v1::STATE_UNDECIDED);
  const v1::NearestPairColumns& pairs = result.pairs();
  const auto listed = static_cast<std::size_t>(pairs.states_size());
  CheckPairs(pairs, result.count(), pairs.states());
  CheckColumn(pairs.distances(), listed);
  CheckColumn(pairs.normals(), 3 * listed);
  for (int i = 0; i < pairs.lower_bounds_size(); ++i)
    Require(pairs.lower_bounds(i) <= pairs.upper_bounds(i), "lower <= upper");
}

void CheckResult(const v1::OverlapBatchResult& result) {
  Require(static_cast<std::size_t>(result.verdicts_size()) == result.count(),
          "a verdict for each row");
  Require(std::count(result.verdicts().begin(), result.verdicts().end(), v1::VERDICT_REFUSED) ==
              result.errors_size(),
          "an Error for each refused row");
  if (result.has_pairs()) CheckVerdictPairs(result.pairs(), result.count());
}

void CheckResult(const v1::CheckBatchResult& result) {
  CheckSceneRows(result, result.verdicts(), v1::VERDICT_REFUSED);
  if (result.has_pairs()) CheckVerdictPairs(result.pairs(), result.count());
  CheckColumn(result.free_radii(), result.count());
  for (int i = 0; i < result.free_radii_size(); ++i)
    Require(result.free_radii(i) >= 0, "a body may move by something or nothing");
}

void CheckResult(const v1::MinimumDistanceBatchResult& result) {
  CheckSceneRows(result, result.states(), v1::STATE_REFUSED);
  CheckBounds(result);
  CheckColumn(result.points_a(), 3 * std::size_t{result.count()});
}

void CheckResult(const v1::SweepBatchResult& result) {
  CheckSceneRows(result, result.states(), v1::MOTION_STATE_REFUSED);
  CheckColumn(result.t_free(), result.count());
  if (result.has_pairs()) {
    CheckPairs(result.pairs(), result.count(), result.pairs().states());
    for (const int state : result.pairs().states())
      Require(state != v1::MOTION_STATE_FREE, "a listed pair is not free");
  }
  for (int i = 0; i < result.t_free_size(); ++i) {
    Require(result.t_free(i) >= 0 && result.t_free(i) <= 1, "0 <= t_free <= 1");
    if (result.states(i) == v1::MOTION_STATE_HIT)
      Require(result.t_free(i) <= result.t_hit(i), "HIT: t_free <= t_hit");
  }
}

void CheckRewound(const v1::RewindTrack& rewind, const v1::RewindTrackResult& result) {
  Require(result.scene_slot() == rewind.scene_slot(), "the slot is the one that was named");
  Require(result.oldest_tick() <= result.earlier_tick() &&
              result.earlier_tick() <= result.later_tick() &&
              result.later_tick() <= result.newest_tick(),
          "the ticks that were used are held");
  Require(result.weight() >= 0 && result.weight() <= 1, "0 <= weight <= 1");
  Require(result.earlier_tick() < result.later_tick() || result.weight() == 0,
          "one tick alone has no weight");
  const bool is_as_asked = result.tick() == rewind.tick() && result.fraction() == rewind.fraction();
  Require((result.clamp() == v1::TRACK_CLAMP_NONE) == is_as_asked,
          "a time that was clamped differs");
  Require(result.body_count() <= kLimits.max_track_bodies, "no tick has more bodies");
}

// One part of the answer to a batch; `next_row` is where the part before ended.
template <class Batch, class Result>
void CheckPart(const Batch& batch, const Result& result, std::uint32_t* next_row) {
  Require(result.ByteSizeLong() <= server::MaxReplyBytesOf(batch.options(), kLimits),
          "a part keeps within the reply's limit");
  Require(result.total_count() == server::RowCountOf(batch), "total_count is the request's count");
  Require(result.first_row() == *next_row && result.count() > 0, "parts follow each other");
  *next_row += result.count();
  CheckResult(result);
}

void CheckResponse(const v1::SessionRequest& request, const v1::SessionResponse& response,
                   std::uint32_t* next_row) {
  Require(response.tag() == request.tag(), "the tag is echoed");
  if (response.has_status()) {
    Require(response.status().code() != 0, "an error has a code");
    Require(response.kind_case() == v1::SessionResponse::KIND_NOT_SET, "an error comes alone");
  }
  if (response.has_distance()) CheckPart(request.distance(), response.distance(), next_row);
  if (response.has_intersection())
    CheckPart(request.intersection(), response.intersection(), next_row);
  if (response.has_time_of_collision())
    CheckPart(request.time_of_collision(), response.time_of_collision(), next_row);
  if (response.has_check()) CheckPart(request.check(), response.check(), next_row);
  if (response.has_minimum_distance())
    CheckPart(request.minimum_distance(), response.minimum_distance(), next_row);
  if (response.has_sweep()) CheckPart(request.sweep(), response.sweep(), next_row);
  if (response.has_ray()) CheckPart(request.ray(), response.ray(), next_row);
  if (response.has_nearest()) CheckPart(request.nearest(), response.nearest(), next_row);
  if (response.has_overlap()) CheckPart(request.overlap(), response.overlap(), next_row);
  if (response.has_rewind_track()) CheckRewound(request.rewind_track(), response.rewind_track());
}

// Three bodies in a row, with the ids 1, 2 and 3.
ScenePtr MakeWorld() {
  const RigidBodyPtr ball = MakeBody(std::get<ConvexShapePtr>(MakeSphere(0.5, 0)));
  std::vector<SceneBody> bodies;
  for (BodyId id = 1; id <= 3; ++id)
    bodies.push_back({.id = id, .body = ball, .X_WB = {{1.0 * id, 0, 0}, {}}});
  return std::get<ScenePtr>(Scene::MakeEmpty()->Apply({.put = bodies}));
}

std::vector<v1::SessionResponse> RunWith(const std::vector<v1::SessionRequest>& messages,
                                         const server::ServerParts& parts) {
  const std::atomic<bool> is_in_vain = false;
  const auto future = server::SteadyTime::InfiniteFuture();
  const server::StopRule never(is_in_vain, future, future);
  const server::Caller caller;
  server::CallerRegistry registry(parts.registry, caller, nullptr);
  const server::CallScope scope{parts, caller, registry};
  server::SessionState session(scope);
  std::vector<v1::SessionResponse> replies;
  for (const v1::SessionRequest& message : messages) {
    std::uint32_t next_row = 0;
    do {
      v1::SessionResponse& response = replies.emplace_back();
      server::Parts left;  // of what takes too long for a polling thread
      session.Answer(message, never, &response, &left);
      for (std::size_t i = 0; i < left.count; ++i)
        Require(left.part(i, future), "a part with all the time there is ends");
      if (left.count > 0) left.finish();
      CheckResponse(message, response, &next_row);
    } while (!session.is_complete());
  }
  return replies;
}

}  // namespace

Server::Server() {
  scenes.Follow({{.name = "w", .scene = MakeWorld(), .incarnation = 1, .revision = 1}});
  v1::Shape ball;
  ball.mutable_sphere()->set_radius(1);
  const auto content = server::BuildContent(ball, kLimits, registry);
  Require(content.ok(), "a ball is built");
  registry.Follow({{"registered", *content, 1}}, 1);
}

std::vector<v1::SessionResponse> RunSession(const std::vector<v1::SessionRequest>& messages,
                                            server::ServerParts& parts) {
  server::TrackRegistry tracks;
  parts.tracks = &tracks;
  std::vector<v1::SessionResponse> replies = RunWith(messages, parts);
  parts.tracks = nullptr;
  return replies;
}

std::string BytesOf(const std::vector<v1::SessionResponse>& replies) {
  std::string bytes;
  for (const v1::SessionResponse& reply : replies) reply.AppendToString(&bytes);
  return bytes;
}

}  // namespace clearance::fuzz
