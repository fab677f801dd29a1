// SPDX-License-Identifier: Apache-2.0
//
// Well-formed messages of a session in any order: opens of inline and registered shapes, closes and
// batches of all kinds, and those of scenes and tracks. Beside what session_replies.h and
// scene_messages.h say of every reply, a row is refused where one of its slots is not open, a close
// finds what was opened or poisoned, and a session in which nothing starts warm gives the same
// bytes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "clearance/v1/query_service.pb.h"
#include "tests/fuzz/byte_reader.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/fuzz/message_parts.h"
#include "tests/fuzz/quiet_protobuf.h"
#include "tests/fuzz/scene_messages.h"
#include "tests/fuzz/session_replies.h"

namespace clearance::fuzz {
namespace {

constexpr std::size_t kMaxMessages = 16;
constexpr int kShapeKinds = 8;
// One of each is beyond the limits.
constexpr int kSlotNumbers = static_cast<int>(kLimits.max_slots_per_session) + 1;
constexpr int kRowCounts = static_cast<int>(kLimits.max_batch_rows) + 2;

v1::Shape TakeShape(ByteReader& data) {
  v1::Shape shape;
  const double size = 0.25 * data.TakeBelow(16);
  switch (data.TakeBelow(5)) {
    case 0:
      shape.mutable_sphere()->set_radius(size);
      break;
    case 1:
      shape.mutable_capsule()->set_radius(size);
      shape.mutable_capsule()->set_half_length(1);
      break;
    case 2:
      shape.mutable_box()->mutable_half_extents()->set_x(size);
      shape.mutable_box()->mutable_half_extents()->set_y(1);
      shape.mutable_box()->mutable_half_extents()->set_z(1);
      break;
    default:
      AddNumbers(3 * data.TakeBelow(26), data, shape.mutable_hull()->mutable_vertices());
  }
  return shape;
}

void TakeOpen(ByteReader& data, v1::OpenShape* open) {
  open->set_slot(static_cast<std::uint32_t>(data.TakeBelow(kSlotNumbers)));
  switch (data.TakeBelow(8)) {
    case 0:
      open->mutable_shape()->set_name("registered");
      break;
    case 1:
      open->mutable_shape()->set_name("unknown");
      break;
    case 2:
      open->mutable_shape()->set_digest("v1-sha256-none");
      break;
    case 3:
      break;
    default:
      *open->mutable_shape()->mutable_inline_shape() = TakeShape(data);
  }
  if (data.TakeBelow(8) == 0) open->set_min_revision(static_cast<std::uint64_t>(data.TakeBelow(4)));
}

void TakePairs(int rows, ByteReader& data, v1::PairColumns* pairs) {
  pairs->set_count(static_cast<std::uint32_t>(rows));
  for (auto* const slots : {pairs->mutable_slots_a(), pairs->mutable_slots_b()}) {
    for (int i = TakeLength(rows, data); i > 0; --i)
      slots->Add(static_cast<std::uint32_t>(data.TakeBelow(kSlotNumbers)));
  }
  for (auto* const poses : {pairs->mutable_poses_a(), pairs->mutable_poses_b()}) {
    for (int i = TakeLength(rows, data); i > 0; --i) AddPose(data, poses);
  }
}

void TakeDistances(int rows, ByteReader& data, v1::DistanceBatch* batch) {
  TakePairs(rows, data, batch->mutable_pairs());
  TakeReplyLimit(data, batch->mutable_options());
  const int detail = data.Take<std::uint8_t>();
  batch->mutable_detail()->set_distances((detail & 1) != 0);
  batch->mutable_detail()->set_bounds((detail & 2) != 0);
  batch->mutable_detail()->set_points((detail & 4) != 0);
  batch->mutable_detail()->set_normals((detail & 4) != 0);
  batch->mutable_detail()->set_witnesses((detail & 8) != 0);
  batch->mutable_detail()->set_contacts((detail & 16) != 0);
  batch->mutable_detail()->set_depth_proofs((detail & 32) != 0);
  batch->set_exact((detail & 192) == 64);
  batch->set_warm_start((detail & 128) != 0);
}

void TakeMotions(int rows, ByteReader& data, v1::TimeOfCollisionBatch* batch) {
  TakePairs(rows, data, batch->mutable_pairs());
  TakeReplyLimit(data, batch->mutable_options());
  AddNumbers(3 * TakeLength(rows, data), data, batch->mutable_displacements_b());
  AddNumbers(3 * TakeLength(rows, data), data, batch->mutable_rotations_a());
  const int detail = data.Take<std::uint8_t>();
  batch->mutable_detail()->set_times((detail & 1) != 0);
  batch->mutable_detail()->set_points((detail & 2) != 0);
  batch->mutable_detail()->set_proofs((detail & 12) == 4);
  batch->set_ignore_initial_contact((detail & 16) != 0);
}

// `kind` is below kShapeKinds.
void TakeShapeMessage(int kind, ByteReader& data, v1::SessionRequest* message) {
  const int rows = data.TakeBelow(kRowCounts);
  if (kind < 3) TakeOpen(data, message->mutable_open());
  if (kind == 3) {
    message->mutable_close()->set_slot(static_cast<std::uint32_t>(data.TakeBelow(kSlotNumbers)));
  }
  if (kind == 4 || kind == 5) TakeDistances(rows, data, message->mutable_distance());
  if (kind == 6) {
    TakePairs(rows, data, message->mutable_intersection()->mutable_pairs());
    message->mutable_intersection()->mutable_detail()->set_bounds(true);
  }
  if (kind == 7) TakeMotions(rows, data, message->mutable_time_of_collision());
}

std::vector<v1::SessionRequest> TakeMessages(ByteReader& data) {
  std::vector<v1::SessionRequest> messages;
  while (!data.empty() && messages.size() < kMaxMessages) {
    v1::SessionRequest& message = messages.emplace_back();
    message.set_tag(messages.size());
    const int kind = data.TakeBelow(kShapeKinds + kSceneKinds);
    if (kind < kShapeKinds) {
      TakeShapeMessage(kind, data, &message);
    } else {
      TakeSceneMessage(kind - kShapeKinds, data, &message);
    }
  }
  return messages;
}

// What is in each slot, by the messages and by whether they were answered well.
class Table {
 public:
  void Follow(const v1::SessionRequest& request, const v1::SessionResponse& response) {
    if (request.has_open()) FollowOpen(request.open(), response);
    if (request.has_close()) FollowClose(request.close(), response);
    const auto check = [this](const auto& batch, const auto& result) {
      if constexpr (requires { batch.pairs(); }) CheckRows(batch.pairs(), result);
    };
#define QUERY(name, field, service, label, states) \
  if (response.has_##field()) check(request.field(), response.field());
#include "proto/methods.def"
  }

 private:
  enum class Content { kNothing, kShape, kPoison };

  void FollowOpen(const v1::OpenShape& open, const v1::SessionResponse& response) {
    Require(response.has_status() != response.has_open(), "an open is done or refused");
    if (open.slot() >= slots_.size()) return Require(!response.has_open(), "there is no such slot");
    slots_[open.slot()] = response.has_open() ? Content::kShape : Content::kPoison;
    Require(!response.has_open() || response.open().slot() == open.slot(), "the slot is echoed");
  }

  void FollowClose(const v1::CloseShape& close, const v1::SessionResponse& response) {
    const bool had_something =
        close.slot() < slots_.size() && slots_[close.slot()] != Content::kNothing;
    Require(response.has_close() == had_something, "a close finds what was opened or poisoned");
    if (had_something) slots_[close.slot()] = Content::kNothing;
  }

  bool IsOpen(const Slots& slots, std::uint32_t default_slot, std::uint32_t row) const {
    if (slots.empty()) return slots_[default_slot] == Content::kShape;
    const std::uint32_t slot = slots.size() == 1 ? slots[0] : slots[static_cast<int>(row)];
    return slot < slots_.size() && slots_[slot] == Content::kShape;
  }

  template <class Result>
  void CheckRows(const v1::PairColumns& pairs, const Result& result) const {
    std::vector<bool> is_refused(result.count());
    for (const v1::Error& error : result.errors()) {
      const std::uint32_t row = error.index() - result.first_row();
      Require(row < result.count(), "an error is of a row of its part");
      is_refused[row] = true;
    }
    for (std::uint32_t i = 0; i < result.count(); ++i) {
      const std::uint32_t row = result.first_row() + i;
      const bool can_be_asked = IsOpen(pairs.slots_a(), 0, row) && IsOpen(pairs.slots_b(), 1, row);
      Require(can_be_asked || is_refused[i], "what is not open is not answered about");
    }
  }

  std::array<Content, kLimits.max_slots_per_session> slots_{};
};

void FollowAll(const std::vector<v1::SessionRequest>& messages,
               const std::vector<v1::SessionResponse>& replies) {
  Table table;
  SceneTable scenes;
  std::size_t next = 0;
  for (const v1::SessionResponse& reply : replies) {
    while (next < messages.size() && messages[next].tag() != reply.tag()) ++next;
    Require(next < messages.size(), "replies keep the order of the messages");
    table.Follow(messages[next], reply);
    // Of an answer in parts each is of the same message, and changes nothing.
    scenes.Follow(messages[next], reply);
  }
  Require(messages.empty() || next + 1 == messages.size(), "every message has its reply");
}

Server& TheServer() {
  static Server& server = *new Server;
  return server;
}

void FuzzSequence(ByteReader& data) {
  std::vector<v1::SessionRequest> messages = TakeMessages(data);
  const auto replies = RunSession(messages, TheServer().parts);
  FollowAll(messages, replies);
  for (v1::SessionRequest& message : messages) {
    if (message.has_distance()) message.mutable_distance()->clear_warm_start();
  }
  Require(BytesOf(replies) == BytesOf(RunSession(messages, TheServer().parts)),
          "begun warm or cold, the same bytes");
}

}  // namespace
}  // namespace clearance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  clearance::fuzz::ByteReader data(bytes, size);
  clearance::fuzz::FuzzSequence(data);
  return 0;
}
