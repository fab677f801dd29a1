// SPDX-License-Identifier: Apache-2.0

#include "client/examples/ompl/block_arm.h"

#include <string>

namespace clearance::plan {
namespace {

// From a link's joint: its axis, how far along z the next one is, and how thick the block is.
struct Block {
  Vec3 axis;
  double length = 0;
  double half_width = 0;
};

constexpr Vec3 kAlong = {0, 0, 1};
constexpr Vec3 kAcross = {0, 1, 0};
constexpr Block kBlocks[] = {{kAlong, 0.2, 0.08},  {kAcross, 0.4, 0.06}, {kAcross, 0.35, 0.05},
                             {kAlong, 0.1, 0.045}, {kAcross, 0.1, 0.04}, {kAlong, 0.12, 0.03}};
constexpr double kBaseHeight = 0.15;
constexpr double kRange = 2.6;

Obstacle BoxAt(const Vec3& center, const Vec3& half) {
  return {{.kind = client::Box{half}}, {.x = center.x, .y = center.y, .z = center.z}};
}

}  // namespace

Robot BlockArm() {
  RobotParts parts;
  parts.roots = {"base"};
  parts.bodies.push_back(
      {"base", {.kind = client::Box{{0.1, 0.1, kBaseHeight / 2}}}, {.z = kBaseHeight / 2}});
  std::string parent = "base";
  double height = kBaseHeight;
  for (const Block& block : kBlocks) {
    const std::string number = std::to_string(parts.joints.size() + 1);
    const std::string link = "link" + number;
    parts.joints.push_back({.name = "joint" + number,
                            .parent = parent,
                            .child = link,
                            .X_PJ = {.z = height},
                            .axis = block.axis,
                            .turns = true,
                            .lower = -kRange,
                            .upper = kRange});
    const Vec3 half = {block.half_width, block.half_width / 2, block.length / 2};
    parts.bodies.push_back({link, {.kind = client::Box{half}}, {.z = block.length / 2}});
    parts.may_touch.emplace_back(parent, link);
    parent = link;
    height = block.length;
  }
  return Robot(std::move(parts));
}

Problem PostProblem() {
  Problem problem;
  problem.name = "post";
  problem.obstacles = {BoxAt({0.55, 0, 0.5}, {0.05, 0.05, 0.5}),
                       BoxAt({0.3, 0, -0.06}, {0.9, 0.9, 0.05}),
                       BoxAt({0.3, 0, 1.35}, {0.6, 0.6, 0.05})};
  problem.start = {{"joint1", -0.9}, {"joint2", 1.1}, {"joint3", 0.6},
                   {"joint4", 0},    {"joint5", 0.3}, {"joint6", 0}};
  problem.goal = problem.start;
  problem.goal["joint1"] = 0.9;
  problem.goal["joint6"] = 1;
  return problem;
}

}  // namespace clearance::plan
