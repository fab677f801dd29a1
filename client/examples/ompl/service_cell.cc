// SPDX-License-Identifier: Apache-2.0

#include "client/examples/ompl/service_cell.h"

#include <cstddef>
#include <utility>

#include "absl/time/time.h"
#include "clearance/query.h"
#include "clearance/scene.h"
#include "clearance/scene_query.h"

namespace clearance::plan {
namespace {

// Ids of the scene's obstacles begin here; bodies of the arm, base or not, have their index as id.
constexpr std::uint32_t kFirstObstacle = 1'000'000;
// A scene that a killed planner left behind expires by itself.
constexpr absl::Duration kTimeToLive = absl::Hours(1);
// More than a configuration of these arms has.
constexpr std::uint32_t kMostPairs = 1024;

void AddBody(std::uint32_t id, const Pose& pose, client::SceneBodies* bodies) {
  ++bodies->count;
  bodies->ids.push_back(id);
  client::AppendPose(pose, &bodies->poses);
}

client::ScenePairRules RulesOf(const Robot& robot) {
  client::ScenePairRules rules;
  rules.kinds = {client::PairRuleKind::kMayTouch};
  for (std::uint32_t a = 0; a < robot.bodies().size(); ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      if (!robot.MayTouch(a, b)) continue;
      ++rules.count;
      rules.bodies_a.push_back(a);
      rules.bodies_b.push_back(b);
    }
  }
  if (rules.count == 0) rules.kinds.clear();
  return rules;
}

// A row is not free if it is refused or undecided, or if its list is as long as it may be (so that
// there may be more pairs).
Surroundings SurroundingsOf(const client::NearestResult& result, std::size_t row) {
  const client::State state = result.states[row];
  const client::NearestPairs& pairs = result.pairs;
  const std::uint32_t begin = pairs.offsets[row];
  const std::uint32_t end = pairs.offsets[row + 1];
  Surroundings found;
  found.is_free = (state == client::State::kSeparated || state == client::State::kBeyond) &&
                  end - begin < kMostPairs;
  for (std::uint32_t i = begin; i < end && found.is_free; ++i) {
    found.is_free = pairs.lower_bounds[i] > 0;
    found.pairs.push_back({pairs.ids.bodies_a[i], pairs.ids.bodies_b[i], pairs.ids.is_self[i],
                           pairs.lower_bounds[i]});
  }
  return found;
}

}  // namespace

ServiceCell::ServiceCell(const client::Client& client, const Robot& robot,
                         const std::string& prefix)
    : client_(client), robot_(robot), prefix_(prefix), session_(client.OpenSession()) {}

// Data left at a server that is gone, or not reached, expires with its time to live.
ServiceCell::~ServiceCell() {
  DropScene();
  for (const std::string& name : registered_) client_.Delete(name).status().IgnoreError();
}

absl::StatusOr<std::unique_ptr<ServiceCell>> ServiceCell::Make(const client::Client& client,
                                                               const Robot& robot,
                                                               const std::string& prefix) {
  std::unique_ptr<ServiceCell> cell(new ServiceCell(client, robot, prefix));
  if (absl::Status status = cell->Attach(); !status.ok()) return status;
  return cell;
}

absl::Status ServiceCell::Attach() {
  client::ChangeBodies attach{.reset = true};
  for (std::uint32_t i = 0; i < robot_.bodies().size(); ++i) {
    if (!robot_.Moves(i)) continue;
    const auto opened = session_->Open(i, robot_.bodies()[i].shape);
    if (!opened.ok()) return opened.status();
    AddBody(i, {}, &attach.change.bodies);
    attach.change.bodies.shape_slots.push_back(i);
  }
  attach.change.rules = RulesOf(robot_);
  return session_->Change(attach).status();
}

absl::StatusOr<client::ShapeKey> ServiceCell::Register(const Shape& shape) {
  const std::string name = prefix_ + "/" + std::to_string(registered_.size());
  const auto registered = client_.Register(name, shape, {.replace = true});
  if (!registered.ok()) return registered.status();
  registered_.push_back(name);
  return client::ByDigest{registered->info.digest};
}

void ServiceCell::DropScene() {
  if (!scene_.empty()) client::SceneClient(client_).Delete(scene_).IgnoreError();
  scene_.clear();
}

absl::Status ServiceCell::Load(const std::vector<Obstacle>& obstacles) {
  client::SceneChange content;
  const auto add = [&](std::uint32_t id, const Shape& shape, const Pose& pose) -> absl::Status {
    absl::StatusOr<client::ShapeKey> key = Register(shape);
    if (!key.ok()) return key.status();
    AddBody(id, pose, &content.bodies);
    content.bodies.shape_slots.push_back(static_cast<std::uint32_t>(content.bodies.shapes.size()));
    content.bodies.shapes.push_back(*std::move(key));
    return absl::OkStatus();
  };
  absl::Status status;
  const std::vector<Pose> base = robot_.BodyPosesAt(JointVector(robot_.ranges().size()));
  for (std::uint32_t i = 0; i < base.size(); ++i) {
    if (!robot_.Moves(i)) status.Update(add(i, robot_.bodies()[i].shape, base[i]));
  }
  for (std::uint32_t i = 0; i < obstacles.size(); ++i)
    status.Update(add(kFirstObstacle + i, obstacles[i].shape, obstacles[i].X_WO));
  if (!status.ok()) return status;
  DropScene();
  const std::string name = prefix_ + "/scene-" + std::to_string(scenes_made_++);
  const auto made = client::SceneClient(client_).Create(name, content, kTimeToLive);
  if (!made.ok()) return made.status();
  scene_ = name;
  return session_->Open(client::OpenScene{.name = name, .revision = made->revision}).status();
}

client::Configurations ServiceCell::ConfigurationsOf(const std::vector<JointVector>& rows) const {
  client::Configurations configurations;
  configurations.count = static_cast<std::uint32_t>(rows.size());
  configurations.scene_slot = 0;
  for (const JointVector& row : rows) {
    const std::vector<Pose> poses = robot_.BodyPosesAt(row);
    for (std::size_t i = 0; i < poses.size(); ++i) {
      if (robot_.Moves(i)) client::AppendPose(poses[i], &configurations.poses);
    }
  }
  return configurations;
}

absl::StatusOr<std::vector<bool>> ServiceCell::AreFree(const std::vector<JointVector>& rows) {
  const absl::StatusOr<client::CheckResult> result =
      session_->Ask(client::CheckBatch{.configurations = ConfigurationsOf(rows)});
  if (!result.ok()) return result.status();
  std::vector<bool> free;
  for (std::size_t i = 0; i < rows.size(); ++i) free.push_back(client::ProvedFree(*result, i));
  return free;
}

absl::StatusOr<std::vector<Surroundings>> ServiceCell::Near(const std::vector<JointVector>& rows,
                                                            double max_distance) {
  const absl::StatusOr<client::NearestResult> result =
      session_->Ask(client::NearestBatch{.configurations = ConfigurationsOf(rows),
                                         .max_pairs = kMostPairs,
                                         .max_distances = {max_distance},
                                         .detail = {.distances = false}});
  if (!result.ok()) return result.status();
  std::vector<Surroundings> found;
  for (std::size_t i = 0; i < rows.size(); ++i) found.push_back(SurroundingsOf(*result, i));
  return found;
}

}  // namespace clearance::plan
