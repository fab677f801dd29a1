// SPDX-License-Identifier: Apache-2.0
//
// Proofs of joint motions against closed forms: a ball that an arm of a metre carries round the
// origin, among balls that rest. (Links of an arm are tested in Python, by sampling.)
#include "clearance/joint_motion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/integration/client/real_server.h"

namespace clearance::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kRadius = 0.1;
constexpr double kReach = 1 + kRadius;

void Carry(absl::Span<const double> joints, std::vector<double>* poses) {
  AppendPose({.x = std::cos(joints[0]), .y = std::sin(joints[0])}, poses);
}

// A session whose query body 1 is a ball, in a scene of a ball at (x, y).
class Carousel {
 public:
  Carousel(double x, double y) {
    EXPECT_TRUE(client_.Register("ball", {.kind = Sphere{kRadius}}).ok());
    SceneChange content;
    content.bodies = {.count = 1, .ids = {10}, .shapes = {ByName{"ball"}}};
    AppendPose({.x = x, .y = y}, &content.bodies.poses);
    EXPECT_TRUE(SceneClient(client_).Create("room", content).ok());
    EXPECT_TRUE(session_->Open(0, ByName{"ball"}).ok());
    EXPECT_TRUE(session_->Open(OpenScene{.name = "room"}).ok());
    EXPECT_TRUE(session_->Change({.change = {.bodies = {.count = 1, .ids = {1}}}}).ok());
  }

  absl::StatusOr<JointMotionProof> Prove(JointMotions motions) {
    motions.joint_count = 1;
    motions.configurations.scene_slot = 0;
    return ProveJointMotions(session_.get(), Carry, motions);
  }

 private:
  RealServer server_;
  Client client_ = server_.Connect();
  std::unique_ptr<Session> session_ = client_.OpenSession();
};

TEST(JointMotion, IsFreeOrTouchesAsTheCircleDoes) {
  Carousel carousel(0, 1);
  // Away from the ball; past it; up to 1e-3 before it touches; no motion at all.
  const double contact = M_PI / 2 - 2 * std::asin(kRadius);
  const auto proof = carousel.Prove(
      {.starts = {0, 0, 0, 0.5}, .ends = {-1.5, 3, contact - 1e-3, 0.5}, .reaches = {kReach}});
  ASSERT_TRUE(proof.ok()) << proof.status();
  EXPECT_THAT(proof->verdicts,
              ElementsAre(Verdict::kFree, Verdict::kTouching, Verdict::kFree, Verdict::kFree));
  EXPECT_TRUE(std::isnan(proof->times[0]));
  EXPECT_GE(3 * proof->times[1], contact);
  EXPECT_LE(3 * proof->times[1], M_PI - contact);
  EXPECT_GT(proof->checks, 4u);
}

TEST(JointMotion, IsUndecidedWhereItGrazes) {
  Carousel carousel(0, 1 + 2 * kRadius + 1e-9);
  const auto proof = carousel.Prove({.starts = {0}, .ends = {M_PI}, .reaches = {kReach}});
  ASSERT_TRUE(proof.ok()) << proof.status();
  EXPECT_THAT(proof->verdicts, ElementsAre(Verdict::kUndecided));
  EXPECT_NEAR(proof->times[0], 0.5, 1e-2);
}

TEST(JointMotion, NamesWhatIsWrong) {
  Carousel carousel(0, 3);
  const auto message = [&carousel](const JointMotions& motions) {
    return std::string(carousel.Prove(motions).status().message());
  };
  EXPECT_THAT(message({.starts = {0}, .ends = {0, 1}, .reaches = {1}}),
              HasSubstr("starts, ends and reaches have 1, 2 and 1 numbers"));
  EXPECT_THAT(message({.starts = {0}, .ends = {1}, .reaches = {-1}}), HasSubstr("at least 0"));
  EXPECT_THAT(message({.starts = {0}, .ends = {NAN}, .reaches = {1}}), HasSubstr("finite"));
  EXPECT_THAT(message({.starts = {1e308}, .ends = {-1e308}, .reaches = {1}}),
              HasSubstr("a configuration was refused"));
}

}  // namespace
}  // namespace clearance::client
