// SPDX-License-Identifier: Apache-2.0
//
// A robot's arm: bodies on links, and joints that turn between them. Metres, radians; poses are in
// the frame of the roots. Forward kinematics is in double precision: poses are right to some 1e-15
// metres.

#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "clearance/shape.h"

namespace clearance::plan {

using client::Pose;
using client::Shape;
using client::Vec3;

// The angle of each joint that turns, in the order of the description.
using JointVector = std::vector<double>;
using JointValues = std::map<std::string, double>;

Pose Compose(const Pose& X_AB, const Pose& X_BC);
Vec3 Apply(const Pose& X_AB, const Vec3& p_B);

struct RobotBody {
  std::string link;
  Shape shape;
  Pose X_LB;  // in the frame of its link
};

// A joint that does not turn is fixed.
struct RobotJoint {
  std::string name, parent, child;
  Pose X_PJ;
  Vec3 axis = {};
  bool turns = false;
  double lower = 0;
  double upper = 0;
};

// Pairs of links, in either order.
using LinkPairs = std::vector<std::pair<std::string, std::string>>;

// The parts of a robot; joints come after those that they hang on.
struct RobotParts {
  std::vector<std::string> roots;
  std::vector<RobotBody> bodies;
  std::vector<RobotJoint> joints;
  LinkPairs may_touch;  // each other
};

struct Range {
  double lower = 0;
  double upper = 0;
};

class Robot {
 public:
  // Requires: every name is known, shapes are polytopes (with or without a radius).
  explicit Robot(RobotParts parts);

  const std::vector<RobotBody>& bodies() const { return parts_.bodies; }
  // Returns whether a joint turns the body, so that it is not part of the base.
  bool Moves(std::size_t body) const { return !reaches_[body].empty(); }
  bool MayTouch(std::size_t body_a, std::size_t body_b) const {
    return may_touch_[body_a * bodies().size() + body_b];
  }
  // The ranges of the joints that turn.
  const std::vector<Range>& ranges() const { return ranges_; }

  // Returns the values of the joints that turn, by name; others are ignored. Requires: each is
  // there.
  JointVector JointsOf(const JointValues& values) const;

  // Returns one pose a body, in their order.
  std::vector<Pose> BodyPosesAt(const JointVector& joints) const;
  // Returns the poses of the links themselves.
  std::map<std::string, Pose> LinkPosesAt(const JointVector& joints) const;

  // Returns a bound of the motion of the body's points, metres: none moves farther while each joint
  // turns evenly by its angle of `turn`, whatever the arm's configuration. It is a norm: half the
  // turn, half as far.
  //
  // Proof: a point's speed is at most the sum of the contributions of the joints below it, each of
  // which is the joint's rate times the point's distance from its axis. That distance is at most
  // the sum of the lengths from there to the point (of the first the part across the axis),
  // whatever the angles of the joints between. Rounded up by far more than the error of double
  // precision.
  double MotionBound(std::size_t body, const JointVector& turn) const;
  // Returns the same for the farthest of all bodies.
  double MotionBound(const JointVector& turn) const;
  // Returns a bound of the change of two bodies' distance: joints that carry both do not matter.
  double MotionBound(std::size_t body_a, std::size_t body_b, const JointVector& turn) const;

 private:
  // A bound of a body's distance from a joint's axis.
  struct Reach {
    std::size_t joint = 0;  // of those that turn
    double metres = 0;
  };

  std::vector<Pose> LinkFrames(const JointVector& joints) const;
  std::vector<Reach> ReachesOf(std::size_t body) const;

  RobotParts parts_;
  std::vector<std::string> links_;    // the roots, then each joint's child
  std::vector<std::size_t> parents_;  // of each joint's child
  std::vector<std::size_t> turning_;  // of each joint that turns: its number among them
  std::vector<std::size_t> body_links_;
  std::vector<Range> ranges_;
  std::vector<std::vector<Reach>> reaches_;  // of each body
  std::vector<bool> may_touch_;              // of each body with each
};

// Returns the vector from one configuration to another.
JointVector TurnBetween(const JointVector& from, const JointVector& to);
// Returns the configuration at t in [0, 1] on the straight path; its ends exactly.
JointVector Between(const JointVector& from, const JointVector& to, double t);

}  // namespace clearance::plan
