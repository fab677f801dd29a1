// SPDX-License-Identifier: Apache-2.0
//
// The log of answers about scenes that contradict their pairs has enough to ask them again. The
// judge objects to all of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "tests/integration/service/scene_world.h"

namespace clearance::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

Checking ObjectingToScenes() {
  Checking checking = {.one_in = 1, .judges = {}};
  checking.judges.scene = [](const server::SceneFinding&) {
    return server::MaybeSceneContradiction(
        {.pair = {.a = 2, .b = 17}, .claim = Claim::kUpper, .claimed = 1, .found = 0.5});
  };
  return checking;
}

v1::SessionRequest MotionOfAll() {
  v1::SessionRequest request;
  v1::SweepBatch& batch = *request.mutable_sweep();
  *batch.mutable_configurations() = OneRow();
  batch.set_ignore_initial_contact(true);
  for (std::uint32_t k = 0; k < kOwnCount; ++k)
    AddNumbers({-0.5 * (k + 1), 0, 0.25}, batch.mutable_displacements());
  return request;
}

v1::SessionRequest OneRay() {
  v1::SessionRequest request;
  v1::RayBatch& batch = *request.mutable_ray();
  batch.set_count(1);
  batch.set_scene_slot(2);
  batch.set_any(true);
  AddNumbers({8, 0, 0}, batch.mutable_origins());
  AddNumbers({-16, 0, 0}, batch.mutable_displacements());
  batch.add_radii(0.125);
  batch.add_groups(6);
  batch.add_masks(5);
  return request;
}

// Returns whether a line is about how the world was made.
bool IsAudit(const std::string& line) { return line.find(" AUDIT ") != std::string::npos; }

TEST(SceneContradiction, IsLoggedWithAllThatTheMessageAsked) {
  World world(ObjectingToScenes());
  {
    WorldSession session(world);
    v1::SessionRequest check;
    *check.mutable_check()->mutable_configurations() = OneRow();
    check.mutable_check()->mutable_detail()->set_free_radii(true);
    v1::SessionRequest minimum;
    *minimum.mutable_minimum_distance()->mutable_configurations() = OneRow();
    minimum.mutable_minimum_distance()->add_max_distances(1024);
    minimum.mutable_minimum_distance()->set_tolerance(0.25);
    for (const v1::SessionRequest& request : {check, minimum, MotionOfAll(), OneRay()})
      EXPECT_EQ(session.Ask(request).status().code(), 0);
    EXPECT_TRUE(session.Finish().ok());
  }
  world.server.grpc->Shutdown(absl::InfiniteDuration());
  std::vector<std::string>& lines = world.server.log_lines;
  lines.erase(std::remove_if(lines.begin(), lines.end(), IsAudit), lines.end());
  ASSERT_THAT(lines, SizeIs(4));
  for (const std::string& line : lines) {
    EXPECT_THAT(line, AllOf(HasSubstr(" ERROR "), HasSubstr(" claimed=0x1p+0 found=0x1p-1 "),
                            HasSubstr(" scene=world scene_revision=1 row=0 body_a=2 body_b=17 ")));
  }
  const auto has_poses = HasSubstr(
      " poses=\"1: 0x1.9p+6 0x0p+0 0x0p+0 0x0p+0 0x0p+0 0x0p+0 0x1p+0; 2: 0x1.94p+6 0x0p+0 ");
  EXPECT_THAT(lines[0], AllOf(HasSubstr("question=\"check wants_free_radius 1\""), has_poses,
                              HasSubstr(" motions=\"\" ")));
  EXPECT_THAT(
      lines[1],
      AllOf(
          HasSubstr("question=\"minimum_distance max_distance 0x1p+10 tolerance 0x1p-2 exact 0\""),
          has_poses));
  EXPECT_THAT(lines[2],
              AllOf(HasSubstr("question=\"sweep ignore_initial_contact 1\""), has_poses,
                    HasSubstr(" motions=\"1: displacement -0x1p-1 0x0p+0 0x1p-2 rotation "),
                    HasSubstr("; 2: displacement -0x1p+0 0x0p+0 0x1p-2 rotation ")));
  EXPECT_THAT(lines[3],
              HasSubstr("question=\"ray any 1 origin 0x1p+3 0x0p+0 0x0p+0 displacement -0x1p+4 "
                        "0x0p+0 0x0p+0 radius 0x1p-3 group 6 mask 5\""));
}

TEST(SceneContradiction, IsTheSameLineWithinItsLengthHoweverManyBodiesAsk) {
  server::Metrics metrics("1");
  std::string line;
  server::Log log(server::LogFormat::kHuman, server::LogLevel::kInfo,
                  [&](absl::string_view text) { line = std::string(text); });
  server::AnswerChecker checker(1, metrics, log, ObjectingToScenes().judges);
  const double odd = -1.0 / 3;  // as many digits as a number can have
  std::vector<SceneBody> bodies;
  std::vector<Motion> motions;
  for (BodyId id = 0; id < 1000; ++id) {
    bodies.push_back({id + 1'000'000, nullptr, {{odd, odd, odd}, {odd, odd, odd, odd}}, {}, 0});
    motions.push_back({{odd, odd, odd}, {odd, odd, odd}, {odd, odd, odd}});
  }
  bodies[500].id = 2;
  const std::string name(128, 'n');
  checker.Report({.kind = server::QueryKind::kSweep,
                  .scene = name,
                  .question = "sweep",
                  .bodies = bodies,
                  .motions = motions},
                 {});
  EXPECT_THAT(line, AllOf(HasSubstr(name), HasSubstr("1000007: displacement -0x1.5555555555555p-2"),
                          HasSubstr("; 2: displacement "), Not(HasSubstr("1000008: "))));
  EXPECT_LT(line.size(), 6000u);
}

}  // namespace
}  // namespace clearance::testing
