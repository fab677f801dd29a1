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
#include "tests/hammer/answer_faults.h"

namespace clearance::fuzz {
namespace {

using google::protobuf::RepeatedField;

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

template <class Columns>
const RepeatedField<int>& StatesOf(const Columns& columns) {
  if constexpr (requires { columns.verdicts(); }) {
    return columns.verdicts();
  } else {
    return columns.states();
  }
}

// The last of the states of such a column is REFUSED, and UNDECIDED is before it.
template <class Columns>
int RefusedOf(const Columns& /*kind*/) {
  constexpr bool kHasVerdicts = requires(const Columns& columns) { columns.verdicts(); };
  const auto* const states =
      Columns::descriptor()->FindFieldByName(kHasVerdicts ? "verdicts" : "states")->enum_type();
  return states->value(states->value_count() - 1)->number();
}

template <class Result>
void CheckRows(const Result& result) {
  const RepeatedField<int>& states = StatesOf(result);
  const int refused = RefusedOf(result);
  Require(std::count(states.begin(), states.end(), refused) == result.errors_size(),
          "an Error for each refused row");
  for (const int state : states) Require(state > 0 && state <= refused, "a known state");
  constexpr bool kHasVerdicts = requires { result.verdicts(); };
  constexpr bool kNamesOnePair = requires { result.bodies_a(); };
  if constexpr (!kHasVerdicts && !kNamesOnePair) {
    Require(std::count(states.begin(), states.end(), refused - 1) == result.undecided_size(),
            "a reason for each undecided row");
    for (const v1::UndecidedRow& row : result.undecided())
      Require(row.reason() != v1::UNDECIDED_REASON_BUDGET, "no row runs out of time that it has");
  }
}

// That no row lists more pairs than the limit, nor any that is free if it lists what is not.
template <class Pairs>
void CheckPairs(const Pairs& pairs, std::uint32_t rows) {
  for (int i = 0; i + 1 < pairs.offsets_size(); ++i) {
    Require(pairs.offsets(i + 1) - pairs.offsets(i) <= kLimits.max_row_pairs,
            "no row lists more pairs than the limit");
  }
  static_assert(int{v1::VERDICT_FREE} == int{v1::MOTION_STATE_FREE});
  int first_listed = 1;
  if constexpr (requires { pairs.truncated(); }) {
    Require(pairs.truncated_size() == static_cast<int>(rows), "truncated: 1 a row");
    first_listed = v1::VERDICT_FREE + 1;
  }
  for (const int state : StatesOf(pairs)) {
    Require(state >= first_listed && state < RefusedOf(pairs), "a listed pair has a listed state");
  }
}

void CheckDistances(const v1::DistanceBatchResult& result) {
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

void CheckProofs(const v1::MotionProofColumns& proofs, std::size_t rows) {
  CheckOffsets(proofs.offsets(), rows, proofs.t_begin_size());
  Require(proofs.normals_size() == 3 * proofs.t_end_size() &&
              proofs.t_end_size() == proofs.t_begin_size(),
          "every interval has its ends and its normal");
}

// What holds of every kind of result, by the columns that it has.
template <class Result>
void CheckResult(const Result& result) {
  const std::string fault = hammer::FaultOfAnswer(result);
  Require(fault.empty(), fault.c_str());
  CheckRows(result);
  if constexpr (requires { result.pairs(); }) {
    if (result.has_pairs()) CheckPairs(result.pairs(), result.count());
  }
  if constexpr (requires { result.free_radii(); }) {
    for (const double radius : result.free_radii())
      Require(radius >= 0, "a body may move by something or nothing");
  }
  if constexpr (requires { result.proofs(); }) {
    if (result.has_proofs()) CheckProofs(result.proofs(), result.count());
  }
  if constexpr (requires { result.witnesses(); }) {
    CheckLists(result);
    CheckDistances(result);
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
#define QUERY(name, field, service, label, states) \
  if (response.has_##field()) CheckPart(request.field(), response.field(), next_row);
#include "proto/methods.def"
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
