// SPDX-License-Identifier: Apache-2.0
//
// What the motion planning example (client/examples/ompl) concludes from answers, without a server:
// forward kinematics against sums of sines, bounds of motion against where points really go, and
// judgements against a world whose distances are known in closed form.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/examples/ompl/block_arm.h"
#include "client/examples/ompl/coverage.h"
#include "client/examples/ompl/robot.h"
#include "client/examples/ompl/service_judges.h"

namespace clearance::plan {
namespace {

constexpr unsigned kSeed = 20261123;

class RandomJoints {
 public:
  JointVector Next(const Robot& robot, double scale) {
    JointVector joints;
    for (const Range& range : robot.ranges())
      joints.push_back(scale * (range.lower + unit_(engine_) * (range.upper - range.lower)));
    return joints;
  }
  int Integer(int most) { return static_cast<int>(unit_(engine_) * (most + 1)); }

 private:
  std::mt19937 engine_{kSeed};
  std::uniform_real_distribution<double> unit_;
};

double DistanceOf(const Vec3& a, const Vec3& b) {
  return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z);
}

// Of a body, in the frame of the roots.
std::vector<Vec3> CornersAt(const Robot& robot, std::size_t body, const JointVector& joints) {
  const std::vector<double> xyz = client::BodyVertices(robot.bodies()[body].shape);
  const Pose pose = robot.BodyPosesAt(joints)[body];
  std::vector<Vec3> corners;
  for (std::size_t i = 0; i < xyz.size(); i += 3)
    corners.push_back(Apply(pose, {xyz[i], xyz[i + 1], xyz[i + 2]}));
  return corners;
}

Vec3 InFrame(const Pose& X_WA, const Vec3& p_W) {
  const Pose turned_back = {0, 0, 0, -X_WA.qx, -X_WA.qy, -X_WA.qz, X_WA.qw};
  return Apply(turned_back, {p_W.x - X_WA.x, p_W.y - X_WA.y, p_W.z - X_WA.z});
}

TEST(PlanRobot, StandsWhereSumsOfSinesPutIt) {
  const Robot robot = BlockArm();
  RandomJoints random;
  for (int round = 0; round < 100; ++round) {
    JointVector q = random.Next(robot, 1);
    q[3] = 0;  // then the arm stays in one plane, which the first joint turns
    const double forearm = q[1] + q[2];
    const double tool = forearm + q[4];
    const double out = 0.4 * std::sin(q[1]) + 0.45 * std::sin(forearm) + 0.1 * std::sin(tool);
    const double up = 0.35 + 0.4 * std::cos(q[1]) + 0.45 * std::cos(forearm) + 0.1 * std::cos(tool);
    const Pose found = robot.LinkPosesAt(q).at("link6");
    EXPECT_NEAR(found.x, out * std::cos(q[0]), 1e-14);
    EXPECT_NEAR(found.y, out * std::sin(q[0]), 1e-14);
    EXPECT_NEAR(found.z, up, 1e-14);
  }
}

TEST(PlanRobot, NoPointMovesFartherThanItsBound) {
  const Robot robot = BlockArm();
  RandomJoints random;
  double nearest_to_bound = 0;
  for (int round = 0; round < 2000; ++round) {
    const JointVector from = random.Next(robot, 1);
    const JointVector to = Between(from, random.Next(robot, 1), 0.01);
    for (std::size_t body = 0; body < robot.bodies().size(); ++body) {
      const double bound = robot.MotionBound(body, TurnBetween(from, to));
      EXPECT_EQ(bound > 0, robot.Moves(body));
      EXPECT_LE(bound, robot.MotionBound(TurnBetween(from, to)));
      const std::vector<Vec3> before = CornersAt(robot, body, from);
      const std::vector<Vec3> after = CornersAt(robot, body, to);
      for (std::size_t i = 0; i < before.size(); ++i) {
        const double moved = DistanceOf(before[i], after[i]);
        ASSERT_LE(moved, bound + 1e-15) << "seed " << kSeed << " round " << round;
        if (bound > 0) nearest_to_bound = std::fmax(nearest_to_bound, moved / bound);
      }
    }
  }
  EXPECT_GT(nearest_to_bound, 0.9) << "the bound is hardly more than what happens";
}

TEST(PlanRobot, NoTwoBodiesMoveFartherFromEachOtherThanTheirBound) {
  const Robot robot = BlockArm();
  RandomJoints random;
  double nearest_to_bound = 0;
  for (int round = 0; round < 500; ++round) {
    const JointVector from = random.Next(robot, 1);
    const JointVector to = Between(from, random.Next(robot, 1), 0.01);
    for (std::size_t b = 0; b < robot.bodies().size(); ++b) {
      const std::vector<Vec3> before = CornersAt(robot, b, from);
      const std::vector<Vec3> after = CornersAt(robot, b, to);
      // As seen from a body nearer to the base.
      for (std::size_t a = 0; a < b; ++a) {
        const double bound = robot.MotionBound(a, b, TurnBetween(from, to));
        EXPECT_EQ(bound, robot.MotionBound(b, a, TurnBetween(from, to)));
        for (std::size_t i = 0; i < before.size(); ++i) {
          const double moved = DistanceOf(InFrame(robot.BodyPosesAt(from)[a], before[i]),
                                          InFrame(robot.BodyPosesAt(to)[a], after[i]));
          ASSERT_LE(moved, bound + 1e-15) << "seed " << kSeed << " round " << round;
          nearest_to_bound = std::fmax(nearest_to_bound, moved / bound);
        }
      }
    }
  }
  EXPECT_GT(nearest_to_bound, 0.9);
}

// Sixteenths of the way, so that nothing is rounded; between two of them all is alike.
TEST(PlanCoverage, IsWholeIfEveryPointLiesInAnInterval) {
  RandomJoints random;
  int whole = 0;
  for (int round = 0; round < 20000; ++round) {
    Coverage coverage;
    bool is_covered[2 * 16 + 1] = {};
    const int count = 1 + random.Integer(7);
    for (int k = 0; k < count; ++k) {
      const int at = random.Integer(16);
      const int half_width = 1 + random.Integer(4);
      coverage.Add(at / 16.0, half_width / 16.0);
      for (int i = 0; i <= 2 * 16; ++i)
        is_covered[i] = is_covered[i] || std::abs(i - 2 * at) < 2 * half_width;
    }
    const bool is_whole =
        std::all_of(std::begin(is_covered), std::end(is_covered), [](bool is) { return is; });
    ASSERT_EQ(coverage.IsWhole(), is_whole) << "seed " << kSeed << " round " << round;
    whole += is_whole ? 1 : 0;
    for (const double t : coverage.NextTimes(3))
      EXPECT_FALSE(is_covered[static_cast<int>(std::floor(2 * 16 * t))] &&
                   is_covered[static_cast<int>(std::ceil(2 * 16 * t))])
          << t;
    EXPECT_EQ(coverage.NextTimes(3).empty(), is_whole);
  }
  EXPECT_GT(whole, 1000) << "of 20,000";
}

// The arm's last link is as far from a wall as its first joint is from an angle, times the length
// that it may move by for it.
class Wall final : public ConfigurationAsker {
 public:
  explicit Wall(const Robot& robot) : last_(static_cast<std::uint32_t>(robot.bodies().size()) - 1) {
    const JointVector turn = {1, 0, 0, 0, 0, 0};
    metres_ = robot.MotionBound(last_, turn);
  }

  absl::StatusOr<std::vector<bool>> AreFree(const std::vector<JointVector>& rows) override {
    std::vector<bool> free;
    for (const JointVector& row : rows) free.push_back(row[0] < kAngle);
    return free;
  }

  absl::StatusOr<std::vector<Surroundings>> Near(const std::vector<JointVector>& rows,
                                                 double max_distance) override {
    if (!status.ok()) return status;
    std::vector<Surroundings> found;
    for (const JointVector& row : rows) {
      asked.push_back(row[0]);
      const double distance = metres_ * (kAngle - row[0]);
      found.push_back({distance > 0, {}});
      if (distance < max_distance) found.back().pairs = {{last_, 1'000'000, false, distance}};
    }
    return found;
  }

  // Radians up to which the first joint is free around an angle, as far as is asked.
  double FreeAround(double angle) const {
    return std::fmin(kAngle - angle, ProofJudge::kMaxDistance / metres_);
  }

  static constexpr double kAngle = 0.5;
  std::vector<double> asked;
  absl::Status status;

 private:
  std::uint32_t last_;
  double metres_ = 0;
};

JointVector FirstJointAt(double angle) { return {angle, 0.1, 0.2, 0, 0.3, 0}; }

TEST(PlanProofJudge, ProvesEveryPointOfAWayThatItFindsFree) {
  const Robot robot = BlockArm();
  std::mt19937 engine(kSeed);
  std::uniform_real_distribution<double> far(-1.5, 0.4);
  std::uniform_real_distribution<double> near(0.4, 0.4999);
  for (int round = 0; round < 200; ++round) {
    Wall wall(robot);
    ProofJudge judge(robot, &wall);
    const double away = far(engine);
    const double close = near(engine);
    const double from = round % 2 == 0 ? away : close;
    const double to = round % 2 == 0 ? close : away;
    ASSERT_TRUE(judge.IsFree(FirstJointAt(from)));
    ASSERT_TRUE(judge.IsFreeBetween(FirstJointAt(from), FirstJointAt(to)));
    for (double t = 0; t <= 1; t += 1e-3) {
      const double angle = from + t * (to - from);
      ASSERT_TRUE(std::any_of(
          wall.asked.begin(), wall.asked.end(),
          [&](double asked) { return std::fabs(angle - asked) < wall.FreeAround(asked); }))
          << "seed " << kSeed << " round " << round << " at " << angle;
    }
    EXPECT_LT(judge.counts().calls, 20);
  }
}

TEST(PlanProofJudge, AsksLessThanEveryState) {
  const Robot robot = BlockArm();
  Wall wall(robot);
  ProofJudge judge(robot, &wall);
  ASSERT_TRUE(judge.IsFree(FirstJointAt(-1.5)));
  ASSERT_TRUE(judge.IsFreeBetween(FirstJointAt(-1.5), FirstJointAt(0.4)));
  EXPECT_LT(judge.counts().checks, judge.counts().states_on_free_ways / 2);
}

TEST(PlanProofJudge, FindsNoWayFreeThatTouches) {
  const Robot robot = BlockArm();
  Wall wall(robot);
  ProofJudge judge(robot, &wall);
  ASSERT_TRUE(judge.IsFree(FirstJointAt(0)));
  EXPECT_FALSE(judge.IsFreeBetween(FirstJointAt(0), FirstJointAt(1)));
  EXPECT_FALSE(judge.IsFree(FirstJointAt(0.5)));
  // Free, but nobody could tell from where.
  EXPECT_FALSE(judge.IsFreeBetween(FirstJointAt(0), FirstJointAt(0.5 - 1e-7)));
  EXPECT_EQ(judge.counts().too_near, 1);
  EXPECT_EQ(judge.counts().free_ways, 0);
}

TEST(PlanProofJudge, AsksNothingOfWhatItKnows) {
  const Robot robot = BlockArm();
  Wall wall(robot);
  ProofJudge judge(robot, &wall);
  ASSERT_TRUE(judge.IsFree(FirstJointAt(0.2)));
  ASSERT_TRUE(judge.IsFreeBetween(FirstJointAt(0.2), FirstJointAt(0.25)));
  const std::uint64_t calls = judge.counts().calls;
  EXPECT_TRUE(judge.IsFree(FirstJointAt(0.25)));
  EXPECT_TRUE(judge.IsFreeBetween(FirstJointAt(0.25), FirstJointAt(0.2)));
  EXPECT_EQ(judge.counts().calls, calls);
}

TEST(PlanProofJudge, FindsNothingFreeOnceTheServiceFails) {
  const Robot robot = BlockArm();
  Wall wall(robot);
  ProofJudge judge(robot, &wall);
  ASSERT_TRUE(judge.IsFree(FirstJointAt(0)));
  wall.status = absl::UnavailableError("gone");
  EXPECT_FALSE(judge.IsFreeBetween(FirstJointAt(0), FirstJointAt(0.3)));
  EXPECT_EQ(judge.status(), wall.status);
}

TEST(PlanStatesJudge, AsksAWayInOneMessage) {
  const Robot robot = BlockArm();
  Wall wall(robot);
  StatesJudge judge(&wall);
  EXPECT_TRUE(judge.IsFreeBetween(FirstJointAt(0), FirstJointAt(0.25)));
  EXPECT_EQ(judge.counts().calls, 1);
  EXPECT_EQ(judge.counts().checks, 8) << "of 1/32 radian each";
  EXPECT_FALSE(judge.IsFreeBetween(FirstJointAt(0), FirstJointAt(0.51)));
}

}  // namespace
}  // namespace clearance::plan
