// SPDX-License-Identifier: Apache-2.0
//
// Any sequence of messages through a session, without the stream: opens, closes and batches as
// bytes, each with its length before it (2 bytes, little-endian). Whatever they are, every message
// is answered: every part keeps within the reply's limit, its columns agree with its states, each
// refused row has its Error, and a second session gives the same bytes.

#include <google/protobuf/repeated_field.h>
#include <grpcpp/server_context.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "clearance/v1/query_service.pb.h"
#include "server/convert/questions.h"
#include "server/observe/metrics.h"
#include "server/registry/registry.h"
#include "server/service/call.h"
#include "server/service/session_state.h"
#include "server/service/worker_pool.h"
#include "tests/fuzz/byte_reader.h"
#include "tests/fuzz/fuzz_check.h"

namespace clearance::fuzz {
namespace {

using google::protobuf::RepeatedField;
using server::SessionState;

// Small enough for thousands of sessions a second, and small enough to be hit.
constexpr server::Limits kLimits = {
    .max_request_bytes = 4096,
    .max_reply_bytes = 16384,
    .max_batch_rows = 8,
    .max_shape_vertices = 24,
    .max_slots_per_session = 4,
    .max_session_shape_bytes = 16384,
    .max_pieces_per_shape = 4,
};
constexpr std::size_t kMaxMessages = 8;

// What every session of this process shares. A pool without threads: nothing here is given to it.
struct Server {
  server::Metrics metrics{"fuzz"};
  server::Registry registry{kLimits, nullptr};
  server::WorkerPool workers{0};
  server::ServerParts parts{kLimits, registry, metrics, workers};
};

// The message's own time is taken away: what is answered within it is not the same twice.
template <class Batch>
void ForgetTime(Batch* batch) {
  if (batch->has_options()) batch->mutable_options()->clear_time_budget();
}

std::vector<v1::SessionRequest> ReadMessages(ByteReader& data) {
  std::vector<v1::SessionRequest> messages;
  while (!data.empty() && messages.size() < kMaxMessages) {
    std::size_t size = data.Take<std::uint16_t>();
    const std::uint8_t* const bytes = data.TakeBytes(&size);
    v1::SessionRequest message;
    if (!message.ParseFromArray(bytes, static_cast<int>(size))) continue;
    if (message.has_distance()) ForgetTime(message.mutable_distance());
    if (message.has_intersection()) ForgetTime(message.mutable_intersection());
    if (message.has_time_of_collision()) ForgetTime(message.mutable_time_of_collision());
    messages.push_back(std::move(message));
  }
  return messages;
}

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

// One part of the answer to a batch; `next_row` is where the part before ended.
template <class Batch, class Result>
void CheckPart(const Batch& batch, const Result& result, std::uint32_t* next_row) {
  Require(result.ByteSizeLong() <= server::MaxReplyBytesOf(batch.options(), kLimits),
          "a part keeps within the reply's limit");
  Require(result.total_count() == batch.pairs().count(), "total_count is the request's count");
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
}

// All replies of one session, as bytes.
std::string RunSession(const std::vector<v1::SessionRequest>& messages,
                       const server::ServerParts& parts) {
  grpc::ServerContext context;
  const server::CallEnd end(context);
  const server::StopRule never(end, absl::InfinitePast(), absl::InfiniteFuture());
  SessionState session(parts);
  std::string replies;
  for (const v1::SessionRequest& message : messages) {
    std::uint32_t next_row = 0;
    for (bool is_done = false; !is_done;) {
      v1::SessionResponse response;
      is_done = session.Answer(message, never, &response);
      CheckResponse(message, response, &next_row);
      replies += response.SerializeAsString();
    }
  }
  return replies;
}

void FuzzSession(ByteReader& data) {
  static Server& server = *new Server;
  const std::vector<v1::SessionRequest> messages = ReadMessages(data);
  const std::string replies = RunSession(messages, server.parts);
  Require(replies == RunSession(messages, server.parts), "the same messages, the same bytes");
}

}  // namespace
}  // namespace clearance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  clearance::fuzz::ByteReader data(bytes, size);
  clearance::fuzz::FuzzSession(data);
  return 0;
}
