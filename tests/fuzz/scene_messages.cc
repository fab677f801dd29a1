// SPDX-License-Identifier: Apache-2.0

#include "tests/fuzz/scene_messages.h"

#include <cstddef>

#include "tests/fuzz/fuzz_check.h"
#include "tests/fuzz/message_parts.h"

namespace clearance::fuzz {
namespace {

// One of each is beyond the limits.
constexpr int kSceneSlots = static_cast<int>(kLimits.max_session_scenes) + 1;
constexpr int kShapeSlots = static_cast<int>(kLimits.max_slots_per_session) + 1;
constexpr int kBodyCounts = static_cast<int>(kLimits.max_session_bodies) + 2;
constexpr int kRows = static_cast<int>(kLimits.max_batch_rows) + 2;
constexpr int kListed = static_cast<int>(kLimits.max_row_pairs) + 2;
constexpr std::uint32_t kFirstQueryBody = 3;  // which the scene has as well

std::uint32_t TakeNumberBelow(int bound, ByteReader& data) {
  return static_cast<std::uint32_t>(data.TakeBelow(bound));
}

void TakeOpenScene(ByteReader& data, v1::OpenScene* open) {
  open->set_scene_slot(TakeNumberBelow(kSceneSlots, data));
  constexpr std::array<const char*, 4> kNames = {"w", "w", "w", "unknown"};
  open->set_name(kNames[static_cast<std::size_t>(data.TakeBelow(kNames.size()))]);
  open->set_revision(data.TakeBelow(8) == 0 ? 7 : 0);
}

void TakeBodies(ByteReader& data, v1::BodyColumns* bodies) {
  const int count = data.TakeBelow(kBodyCounts);
  bodies->set_count(static_cast<std::uint32_t>(count));
  for (int i = 0; i < count; ++i) {
    bodies->add_ids(kFirstQueryBody + TakeNumberBelow(6, data));
    bodies->add_shape_slots(TakeNumberBelow(kShapeSlots, data));
  }
  for (int i = TakeLength(count, data); i > 0; --i) AddPose(data, bodies->mutable_poses());
  for (int i = TakeLength(count, data); i > 0; --i)
    bodies->add_masks(data.TakeBelow(2) == 0 ? 0 : ~0U);
  if (data.TakeBelow(4) == 0) bodies->add_margins(0.25 * data.Take<std::int8_t>());
}

void TakeChangeBodies(ByteReader& data, v1::ChangeBodies* change) {
  change->set_reset(data.TakeBelow(2) == 0);
  TakeBodies(data, change->mutable_change()->mutable_bodies());
  if (data.TakeBelow(4) == 0)
    change->mutable_change()->add_removed_bodies(kFirstQueryBody + TakeNumberBelow(6, data));
  if (data.TakeBelow(4) == 0) {
    v1::PairRuleColumns* const rules = change->mutable_change()->mutable_rules();
    rules->set_count(1);
    rules->add_bodies_a(1 + TakeNumberBelow(6, data));
    rules->add_bodies_b(1 + TakeNumberBelow(6, data));
  }
}

// Poses of so many bodies as there may be.
template <class Batch>
void TakeConfigurations(ByteReader& data, Batch* batch) {
  v1::ConfigurationColumns* const columns = batch->mutable_configurations();
  const int rows = data.TakeBelow(kRows);
  columns->set_count(static_cast<std::uint32_t>(rows));
  if (data.TakeBelow(4) != 0) columns->set_scene_slot(TakeNumberBelow(kSceneSlots, data));
  columns->set_pair_scope(static_cast<v1::PairScope>(data.TakeBelow(4)));
  const int bodies = data.TakeBelow(kBodyCounts);
  for (int i = bodies * TakeLength(rows, data); i > 0; --i) AddPose(data, columns->mutable_poses());
  TakeReplyLimit(data, batch->mutable_options());
}

void TakeCheck(ByteReader& data, v1::CheckBatch* batch) {
  TakeConfigurations(data, batch);
  const int detail = data.Take<std::uint8_t>();
  batch->mutable_detail()->set_pairs((detail & 1) != 0);
  batch->mutable_detail()->set_bounds((detail & 2) != 0);
  batch->mutable_detail()->set_free_radii((detail & 4) != 0);
  batch->set_max_pairs(TakeNumberBelow(kListed, data));
}

void TakeMinimumDistance(ByteReader& data, v1::MinimumDistanceBatch* batch) {
  TakeConfigurations(data, batch);
  const int detail = data.Take<std::uint8_t>();
  batch->mutable_detail()->set_distances((detail & 1) != 0);
  batch->mutable_detail()->set_bounds((detail & 2) != 0);
  batch->mutable_detail()->set_pairs((detail & 4) != 0);
  batch->mutable_detail()->set_points((detail & 8) != 0);
  batch->mutable_detail()->set_free_radii((detail & 16) != 0);
  if ((detail & 32) != 0) batch->add_max_distances(0.25 * data.Take<std::int8_t>());
}

void TakeNearest(ByteReader& data, v1::NearestBatch* batch) {
  TakeConfigurations(data, batch);
  batch->set_max_pairs(TakeNumberBelow(kListed, data));
  if (data.TakeBelow(4) == 0) batch->add_max_distances(0.25 * data.Take<std::int8_t>());
}

void TakeOverlap(ByteReader& data, v1::OverlapBatch* batch) {
  const int rows = data.TakeBelow(kRows);
  batch->set_count(static_cast<std::uint32_t>(rows));
  batch->set_scene_slot(TakeNumberBelow(kSceneSlots, data));
  for (int i = TakeLength(rows, data); i > 0; --i)
    batch->add_shape_slots(TakeNumberBelow(kShapeSlots, data));
  for (int i = TakeLength(rows, data); i > 0; --i) AddPose(data, batch->mutable_poses());
  AddNumbers(TakeLength(rows, data), data, batch->mutable_margins());
  batch->set_max_pairs(TakeNumberBelow(kListed, data));
  batch->set_bounds(data.TakeBelow(2) == 0);
  TakeReplyLimit(data, batch->mutable_options());
}

void TakeSweep(ByteReader& data, v1::SweepDetail* detail) {
  const int bits = data.Take<std::uint8_t>();
  detail->set_times((bits & 1) != 0);
  detail->set_pairs((bits & 2) != 0);
  detail->set_points((bits & 4) != 0);
  detail->set_distances((bits & 8) != 0);
}

void TakeMotion(ByteReader& data, v1::SweepBatch* batch) {
  TakeConfigurations(data, batch);
  const int bodies = data.TakeBelow(kBodyCounts);
  AddNumbers(3 * bodies * static_cast<int>(batch->configurations().count()), data,
             batch->mutable_displacements());
  batch->set_ignore_initial_contact(data.TakeBelow(4) == 0);
  TakeSweep(data, batch->mutable_detail());
  batch->set_max_pairs(TakeNumberBelow(kListed, data));
}

void TakeRays(ByteReader& data, v1::RayBatch* batch) {
  const int rows = data.TakeBelow(kRows);
  batch->set_count(static_cast<std::uint32_t>(rows));
  batch->set_scene_slot(TakeNumberBelow(kSceneSlots, data));
  AddNumbers(3 * TakeLength(rows, data), data, batch->mutable_origins());
  AddNumbers(3 * TakeLength(rows, data), data, batch->mutable_displacements());
  AddNumbers(TakeLength(rows, data), data, batch->mutable_radii());
  batch->set_any(data.TakeBelow(2) == 0);
  TakeSweep(data, batch->mutable_detail());
  batch->set_max_pairs(TakeNumberBelow(kListed, data));
  TakeReplyLimit(data, batch->mutable_options());
}

void TakeTick(ByteReader& data, v1::PublishTick* publish) {
  publish->set_tick(data.Take<std::uint8_t>());
  for (int i = data.TakeBelow(kBodyCounts); i > 0; --i) AddPose(data, publish->mutable_poses());
}

void TakeRewind(ByteReader& data, v1::RewindTrack* rewind) {
  rewind->set_scene_slot(TakeNumberBelow(kSceneSlots, data));
  if (data.TakeBelow(2) == 0) rewind->set_base_scene_slot(TakeNumberBelow(kSceneSlots, data));
  rewind->set_track(data.TakeBelow(8) == 0 ? "unknown" : "t");
  rewind->set_tick(data.Take<std::uint8_t>());
  rewind->set_fraction(0.25 * data.TakeBelow(5));
  for (int i = data.TakeBelow(kBodyCounts); i > 0; --i)
    rewind->add_left_out_bodies(1 + TakeNumberBelow(6, data));
}

}  // namespace

void TakeSceneMessage(int kind, ByteReader& data, v1::SessionRequest* message) {
  switch (kind) {
    case 0:
      return TakeRays(data, message->mutable_ray());
    case 1:
      return message->mutable_close_scene()->set_scene_slot(TakeNumberBelow(kSceneSlots, data));
    case 2:
      return TakeCheck(data, message->mutable_check());
    case 3:
      return TakeMinimumDistance(data, message->mutable_minimum_distance());
    case 4:
      return TakeNearest(data, message->mutable_nearest());
    case 5:
      return TakeOverlap(data, message->mutable_overlap());
    case 6:
      return TakeMotion(data, message->mutable_sweep());
    case 7:
      return message->mutable_open_track()->set_name(data.TakeBelow(8) == 0 ? "No Name" : "t");
    case 8:
    case 9:
      return TakeTick(data, message->mutable_publish_tick());
    case 10:
      message->mutable_close_track();
      return;
    case 11:
      return TakeRewind(data, message->mutable_rewind_track());
    case 12:
    case 13:
      return TakeOpenScene(data, message->mutable_open_scene());
    default:
      return TakeChangeBodies(data, message->mutable_change_bodies());
  }
}

void SceneTable::Follow(const v1::SessionRequest& request, const v1::SessionResponse& response) {
  FollowSlots(request, response);
  FollowTrack(request, response);
  if (request.has_change_bodies()) {
    Require(!are_bodies_in_doubt_ || request.change_bodies().reset() || response.has_status(),
            "bodies in doubt are not changed but anew");
    are_bodies_in_doubt_ = response.has_status();
    Require(response.change_bodies().body_count() <= kLimits.max_session_bodies &&
                response.change_bodies().rule_count() <= kLimits.max_session_rules,
            "no more bodies and rules than the limits");
  }
  if (!response.has_status()) CheckQuestion(request);
}

void SceneTable::FollowSlots(const v1::SessionRequest& request,
                             const v1::SessionResponse& response) {
  const bool is_done = !response.has_status();
  if (request.has_open_scene()) Fill(request.open_scene().scene_slot(), is_done);
  if (request.has_rewind_track()) {
    const v1::RewindTrack& rewind = request.rewind_track();
    const bool has_base = !rewind.has_base_scene_slot() || HasScene(rewind.base_scene_slot());
    Require(!is_done || has_base, "bodies are put into a scene that is there");
    Fill(rewind.scene_slot(), is_done);
  }
  if (!request.has_close_scene()) return;
  const std::uint32_t slot = request.close_scene().scene_slot();
  const bool had_something = slot < slots_.size() && slots_[slot] != Content::kNothing;
  Require(is_done == had_something, "a close finds the scene that was opened or poisoned");
  if (had_something) slots_[slot] = Content::kNothing;
}

void SceneTable::FollowTrack(const v1::SessionRequest& request,
                             const v1::SessionResponse& response) {
  const bool is_done = !response.has_status();
  if (request.has_open_track()) {
    Require(!is_done || !has_track_, "a session has one track");
    if (is_done) last_tick_ = 0;
    has_track_ = has_track_ || is_done;
  }
  if (request.has_publish_tick() && is_done) {
    Require(has_track_ && !are_bodies_in_doubt_, "a tick is of a track, and of the query bodies");
    Require(last_tick_ == 0 || request.publish_tick().tick() > last_tick_, "ticks rise");
    last_tick_ = request.publish_tick().tick();
  }
  if (request.has_rewind_track() && is_done)
    Require(has_track_ && request.rewind_track().track() == "t", "only a track is rewound");
  if (request.has_close_track()) {
    Require(is_done == has_track_, "a close finds the track");
    has_track_ = false;
  }
}

void SceneTable::Fill(std::uint32_t slot, bool is_done) {
  if (slot >= slots_.size()) return Require(!is_done, "there is no such slot of scenes");
  slots_[slot] = is_done ? Content::kScene : Content::kPoison;
}

bool SceneTable::HasScene(std::uint32_t slot) const {
  return slot < slots_.size() && slots_[slot] == Content::kScene;
}

// Of a question that was answered.
void SceneTable::CheckQuestion(const v1::SessionRequest& request) const {
  const auto check = [this](const auto& batch) {
    if constexpr (requires { batch.configurations(); }) {
      CheckOwn(batch.configurations());
    } else if constexpr (requires { batch.scene_slot(); }) {
      Require(HasScene(batch.scene_slot()), "a scene that is not there is not answered about");
    }
  };
#define QUERY(name, field, service, label, states) \
  if (request.has_##field()) check(request.field());
#include "proto/methods.def"
}

void SceneTable::CheckOwn(const v1::ConfigurationColumns& columns) const {
  Require(!are_bodies_in_doubt_, "nothing is said of bodies in doubt");
  Require(!columns.has_scene_slot() || HasScene(columns.scene_slot()),
          "a scene that is not there is not answered about");
}

}  // namespace clearance::fuzz
