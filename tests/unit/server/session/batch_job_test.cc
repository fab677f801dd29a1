// SPDX-License-Identifier: Apache-2.0

#include "server/session/batch_job.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <variant>
#include <vector>

#include "core/shape/make_shape.h"

namespace clearance::server {
namespace {

// Two balls of the slots 0 and 1, three metres apart.
v1::DistanceBatch BatchOf(std::uint32_t rows) {
  v1::DistanceBatch batch;
  batch.mutable_pairs()->set_count(rows);
  batch.mutable_pairs()->add_slots_a(0);
  batch.mutable_pairs()->add_slots_b(1);
  for (const double number : {3., 0., 0., 0., 0., 0., 1.}) {
    batch.mutable_pairs()->add_poses_b(number);
  }
  return batch;
}

// A reply in parts is paid for once: each of them with its share.
TEST(BatchJob, ThePartsOfAReplyCostWhatTheirRowsDo) {
  const Limits limits;
  ShapeTable table;
  for (const std::uint32_t slot : {0U, 1U}) {
    table.Open(slot, MakeBody(std::get<ConvexShapePtr>(MakePoint(1))), 0);
  }
  v1::DistanceBatch batch = BatchOf(5000);
  batch.mutable_options()->set_max_reply_bytes(20'000);
  Metrics metrics("test");
  Registry registry(limits, &metrics);
  WorkerPool workers(2);
  SceneRegistry scenes(limits, &metrics);
  ShapeLedger ledger({.registry = registry, .store = nullptr, .scenes = scenes});
  const ServerParts parts_of_server{limits, registry, metrics, workers, ledger};
  const Caller caller;
  CallerRegistry caller_registry(registry, caller, nullptr);
  const CallScope call{parts_of_server, caller, caller_registry};
  auto job = BatchJob<DistanceKind>::Start({.call = call, .table = table}, batch);
  ASSERT_TRUE(job.ok());
  const std::uint64_t batch_cost = job->CostLeft();
  ASSERT_GT(batch_cost, kMaxCheapCost);
  const std::atomic<bool> is_in_vain = false;
  const StopRule stop(is_in_vain, SteadyNow(), SteadyTime::InfiniteFuture());
  std::uint64_t cost = 0;
  int parts = 0;
  for (; !job->is_done(); ++parts) {
    v1::DistanceBatchResult result;
    Parts left;
    job->AnswerPart(stop, &result, &left);
    for (std::size_t i = 0; i < left.count; ++i)
      EXPECT_TRUE(left.part(i, SteadyTime::InfiniteFuture()));
    if (left.count > 0) left.finish();
    EXPECT_EQ(left.cost, batch_cost * result.count() / 5000);
    cost += left.cost;
    EXPECT_EQ(job->CostLeft(),
              batch_cost - batch_cost * (result.first_row() + result.count()) / 5000);
  }
  EXPECT_GT(parts, 3);
  EXPECT_LE(cost, batch_cost);
  EXPECT_GE(cost + static_cast<std::uint64_t>(parts), batch_cost);
}

// Only what is asked side by side costs less than its rows one by one.
TEST(SideBySideIn, IsWhatTheCoreTakesSideBySide) {
  std::vector<SceneBody> bodies(kMostBodiesSideBySide + 1);
  const std::array<double, kPoseNumbers> pose = {0, 0, 0, 0, 0, 0, 1};
  const PairRule touching = {.a = 1, .b = 2},
                 near = {.a = 1, .b = 2, .is_allowed = false, .margin = 0.01};
  const PairRules without_margin({touching}), with_margin({near});
  const ScenePtr scene = Scene::MakeEmpty();
  const ScenePtr wide_scene = std::get<ScenePtr>(scene->Apply({.rules = &with_margin}));
  const SceneBody wide_body = {.id = 1,
                               .body = MakeBody(std::get<ConvexShapePtr>(MakePoint(1))),
                               .X_WB = {},
                               .margin = 0.01};
  const ScenePtr scene_of_wide = std::get<ScenePtr>(scene->Apply({.put = {&wide_body, 1}}));
  CheckQuestions few;
  few.configurations.count = 1000;
  few.configurations.asked.scene = scene.get();
  few.configurations.asked.rules = &without_margin;
  few.configurations.asked.bodies = absl::MakeSpan(bodies).first(kMostBodiesSideBySide);
  few.configurations.poses = {pose.data(), 0};
  EXPECT_EQ(SideBySideIn(few).rows, kChecksAtOnce);
  EXPECT_GT(SideBySideIn(few).gain, 1U);

  std::vector<SceneBody> wide(1);
  wide[0].margin = 0.01;
  const std::vector<std::function<void(CheckQuestions*)>> changes = {
      [&](CheckQuestions* questions) { questions->configurations.asked.bodies = bodies; },
      [&](CheckQuestions* questions) { questions->configurations.asked.bodies = wide; },
      [&](CheckQuestions* questions) { questions->configurations.asked.rules = &with_margin; },
      [&](CheckQuestions* questions) { questions->configurations.asked.scene = wide_scene.get(); },
      [&](CheckQuestions* questions) {
        questions->configurations.asked.scene = scene_of_wide.get();
      },
      [](CheckQuestions* questions) { questions->configurations.poses = {}; },
      [](CheckQuestions* questions) { questions->wants_free_radii = true; },
      [](CheckQuestions* questions) { questions->max_pairs = 1; }};
  for (const auto& change : changes) {
    CheckQuestions questions = few;
    change(&questions);
    EXPECT_EQ(SideBySideIn(questions).gain, 1U);
  }
}

}  // namespace
}  // namespace clearance::server
