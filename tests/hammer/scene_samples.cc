// SPDX-License-Identifier: Apache-2.0

#include "tests/hammer/scene_samples.h"

#include <cstdint>

#include "tests/hammer/conversation.h"

namespace clearance::hammer {
namespace {

constexpr int kSceneBodies = 4;  // with the ids 1 to 4
constexpr std::uint32_t kFirstQueryBody = 101;
constexpr int kTracks = 8;
constexpr std::uint64_t kTicks = 1000;

using Column = google::protobuf::RepeatedField<double>;

void AppendVector(const Vec3d& v, Column* column) {
  for (const double number : {v.x, v.y, v.z}) column->Add(number);
}

void AppendPoses(int count, testing::Random* random, Column* column) {
  for (int i = 0; i < count; ++i) {
    AppendVector(random->InCube(3), column);
    const Quaternion q = random->Rotation();
    for (const double number : {q.x, q.y, q.z, q.w}) column->Add(number);
  }
}

std::string AnyTrack(testing::Random* random) {
  return "t" + std::to_string(random->Below(kTracks));
}

}  // namespace

std::string BaseName(testing::Random* random) { return "base" + std::to_string(random->Below(4)); }

v1::SceneChange AnySceneContent(testing::Random* random) {
  v1::SceneChange content;
  v1::BodyColumns* const bodies = content.mutable_bodies();
  bodies->set_count(kSceneBodies);
  for (int i = 0; i < 2; ++i) bodies->add_shapes()->set_name(BaseName(random));
  for (std::uint32_t id = 1; id <= kSceneBodies; ++id) {
    bodies->add_ids(id);
    bodies->add_shape_slots(id % 2);
  }
  AppendPoses(kSceneBodies, random, bodies->mutable_poses());
  bodies->add_margins(random->Uniform(0, 0.1));
  v1::PairRuleColumns* const rules = content.mutable_rules();
  rules->set_count(1);
  rules->add_bodies_a(1);
  rules->add_bodies_b(random->OneIn(2) ? 2 : kFirstQueryBody);
  rules->add_kinds(v1::PAIR_RULE_KIND_MARGIN);
  rules->add_margins(0.5);
  return content;
}

v1::SceneChange AnySceneChange(testing::Random* random) {
  v1::SceneChange change;
  if (random->OneIn(2)) {
    change.mutable_bodies()->set_count(1);
    change.mutable_bodies()->add_ids(static_cast<std::uint32_t>(1 + random->Below(20)));
    change.mutable_bodies()->add_shapes()->set_name(BaseName(random));
    AppendPoses(1, random, change.mutable_bodies()->mutable_poses());
  }
  change.mutable_poses()->set_count(1);
  change.mutable_poses()->add_ids(static_cast<std::uint32_t>(1 + random->Below(kSceneBodies)));
  AppendPoses(1, random, change.mutable_poses()->mutable_poses());
  if (random->OneIn(5)) {
    change.mutable_removed_rules()->set_count(1);
    change.mutable_removed_rules()->add_bodies_a(1);
    change.mutable_removed_rules()->add_bodies_b(2);
  }
  return change;
}

v1::OpenScene AnyOpenScene(testing::Random* random) {
  v1::OpenScene open;
  open.set_name(random->OneIn(5) ? "s" + std::to_string(random->Below(20)) : BaseName(random));
  return open;
}

v1::ChangeBodies AnyQueryBodies(std::uint32_t first_slot, testing::Random* random) {
  v1::ChangeBodies change;
  change.set_reset(true);
  v1::BodyColumns* const bodies = change.mutable_change()->mutable_bodies();
  bodies->set_count(kQueryBodies);
  for (std::uint32_t i = 0; i < kQueryBodies; ++i) {
    bodies->add_ids(kFirstQueryBody + i);
    bodies->add_shape_slots(first_slot + i);
  }
  AppendPoses(kQueryBodies, random, bodies->mutable_poses());
  bodies->add_margins(random->Uniform(0, 0.1));
  return change;
}

v1::OpenTrack AnyOpenTrack(testing::Random* random) {
  v1::OpenTrack open;
  open.set_name(AnyTrack(random));
  return open;
}

v1::PublishTick AnyTick(testing::Random* random) {
  v1::PublishTick publish;
  publish.set_tick(1 + random->Next() % kTicks);
  AppendPoses(kQueryBodies, random, publish.mutable_poses());
  return publish;
}

v1::RewindTrack AnyRewind(testing::Random* random) {
  v1::RewindTrack rewind;
  rewind.set_track(AnyTrack(random));
  rewind.set_scene_slot(1);
  if (random->OneIn(2)) rewind.set_base_scene_slot(0);
  rewind.set_tick(random->Next() % kTicks);
  rewind.set_fraction(random->Uniform(0, 1));
  if (random->OneIn(2)) rewind.add_left_out_bodies(kFirstQueryBody);
  return rewind;
}

}  // namespace clearance::hammer
