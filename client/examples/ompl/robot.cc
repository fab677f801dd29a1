// SPDX-License-Identifier: Apache-2.0

#include "client/examples/ompl/robot.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace clearance::plan {
namespace {

// Far above the rounding error of any of the sums here.
constexpr double kRoundingUp = 1 + 1e-9;

Vec3 Sum(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }

Vec3 Cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

double Length(const Vec3& v) { return std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z); }

Vec3 Origin(const Pose& pose) { return {pose.x, pose.y, pose.z}; }

Vec3 Rotate(const Pose& pose, const Vec3& v) {
  const Vec3 q = {pose.qx, pose.qy, pose.qz};
  const Vec3 t = Cross(q, v);
  const Vec3 u = Cross(q, t);
  return {v.x + 2 * (pose.qw * t.x + u.x), v.y + 2 * (pose.qw * t.y + u.y),
          v.z + 2 * (pose.qw * t.z + u.z)};
}

Pose TurnAbout(const Vec3& axis, double angle_rad) {
  const double sine = std::sin(angle_rad / 2);
  return {
      .qx = axis.x * sine, .qy = axis.y * sine, .qz = axis.z * sine, .qw = std::cos(angle_rad / 2)};
}

std::size_t IndexOf(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) std::abort();
  return static_cast<std::size_t>(found - names.begin());
}

std::vector<Vec3> VerticesOf(const RobotBody& body) {
  const std::vector<double> xyz = BodyVertices(body.shape);
  if (xyz.empty()) std::abort();
  std::vector<Vec3> vertices;
  for (std::size_t i = 0; i < xyz.size(); i += 3)
    vertices.push_back(Apply(body.X_LB, {xyz[i], xyz[i + 1], xyz[i + 2]}));
  return vertices;
}

bool Holds(const LinkPairs& pairs, const RobotBody& a, const RobotBody& b) {
  return std::any_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
    return (pair.first == a.link && pair.second == b.link) ||
           (pair.first == b.link && pair.second == a.link);
  });
}

// The parts that hang on a link, seen from the root's side: the places they can be at once joints
// have turned.
class Hanging {
 public:
  explicit Hanging(const RobotBody& body)
      : points_(VerticesOf(body)), around_(client::BodyRadius(body.shape)) {}

  // Returns the greatest distance from an axis through the origin.
  double FarthestFrom(const Vec3& axis) const {
    double farthest = 0;
    for (const Vec3& point : points_)
      farthest = std::fmax(farthest, Length(Cross(axis, point)) / Length(axis));
    return kRoundingUp * (farthest + around_);
  }

  // Allows any turn about the origin.
  void Turn() {
    double farthest = 0;
    for (const Vec3& point : points_) farthest = std::fmax(farthest, Length(point));
    around_ += farthest;
    points_ = {Vec3{}};
  }

  // Moves the points to the frame that B is fixed in.
  void MoveTo(const Pose& X_AB) {
    for (Vec3& point : points_) point = Apply(X_AB, point);
  }

 private:
  std::vector<Vec3> points_;
  double around_;  // how far from points_ it can be
};

}  // namespace

Pose Compose(const Pose& a, const Pose& b) {
  const Vec3 p = Apply(a, Origin(b));
  const double x = a.qw * b.qx + a.qx * b.qw + a.qy * b.qz - a.qz * b.qy;
  const double y = a.qw * b.qy - a.qx * b.qz + a.qy * b.qw + a.qz * b.qx;
  const double z = a.qw * b.qz + a.qx * b.qy - a.qy * b.qx + a.qz * b.qw;
  const double w = a.qw * b.qw - a.qx * b.qx - a.qy * b.qy - a.qz * b.qz;
  const double length = std::sqrt(x * x + y * y + z * z + w * w);
  return {p.x, p.y, p.z, x / length, y / length, z / length, w / length};
}

Vec3 Apply(const Pose& X_AB, const Vec3& p_B) { return Sum(Rotate(X_AB, p_B), Origin(X_AB)); }

Robot::Robot(RobotParts parts) : parts_(std::move(parts)), links_(parts_.roots) {
  for (const RobotJoint& joint : parts_.joints) {
    parents_.push_back(IndexOf(links_, joint.parent));
    links_.push_back(joint.child);
    turning_.push_back(ranges_.size());
    if (joint.turns) ranges_.push_back({joint.lower, joint.upper});
  }
  for (const RobotBody& body : parts_.bodies) {
    body_links_.push_back(IndexOf(links_, body.link));
    reaches_.push_back(ReachesOf(reaches_.size()));
  }
  for (const RobotBody& a : parts_.bodies) {
    for (const RobotBody& b : parts_.bodies) may_touch_.push_back(Holds(parts_.may_touch, a, b));
  }
}

JointVector Robot::JointsOf(const JointValues& values) const {
  JointVector joints;
  for (const RobotJoint& joint : parts_.joints) {
    if (joint.turns) joints.push_back(values.at(joint.name));
  }
  return joints;
}

std::vector<Pose> Robot::LinkFrames(const JointVector& joints) const {
  std::vector<Pose> frames(parts_.roots.size());
  for (std::size_t i = 0; i < parts_.joints.size(); ++i) {
    const RobotJoint& joint = parts_.joints[i];
    Pose frame = Compose(frames[parents_[i]], joint.X_PJ);
    if (joint.turns) frame = Compose(frame, TurnAbout(joint.axis, joints[turning_[i]]));
    frames.push_back(frame);
  }
  return frames;
}

std::vector<Pose> Robot::BodyPosesAt(const JointVector& joints) const {
  const std::vector<Pose> frames = LinkFrames(joints);
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < parts_.bodies.size(); ++i)
    poses.push_back(Compose(frames[body_links_[i]], parts_.bodies[i].X_LB));
  return poses;
}

std::map<std::string, Pose> Robot::LinkPosesAt(const JointVector& joints) const {
  const std::vector<Pose> frames = LinkFrames(joints);
  std::map<std::string, Pose> poses;
  for (std::size_t i = 0; i < links_.size(); ++i) poses[links_[i]] = frames[i];
  return poses;
}

std::vector<Robot::Reach> Robot::ReachesOf(std::size_t body) const {
  std::vector<Reach> reaches;
  Hanging hanging(parts_.bodies[body]);
  const std::size_t roots = parts_.roots.size();
  for (std::size_t link = body_links_[body]; link >= roots; link = parents_[link - roots]) {
    const RobotJoint& joint = parts_.joints[link - roots];
    if (joint.turns) {
      reaches.push_back({turning_[link - roots], hanging.FarthestFrom(joint.axis)});
      hanging.Turn();
    }
    hanging.MoveTo(joint.X_PJ);
  }
  return reaches;
}

double Robot::MotionBound(std::size_t body, const JointVector& turn) const {
  double sum = 0;
  for (const Reach& reach : reaches_[body]) sum += std::fabs(turn[reach.joint]) * reach.metres;
  return kRoundingUp * sum;
}

double Robot::MotionBound(const JointVector& turn) const {
  double farthest = 0;
  for (std::size_t i = 0; i < reaches_.size(); ++i)
    farthest = std::fmax(farthest, MotionBound(i, turn));
  return farthest;
}

double Robot::MotionBound(std::size_t body_a, std::size_t body_b, const JointVector& turn) const {
  JointVector apart = turn;
  for (const Reach& a : reaches_[body_a]) {
    for (const Reach& b : reaches_[body_b]) {
      if (a.joint == b.joint) apart[a.joint] = 0;
    }
  }
  return kRoundingUp * (MotionBound(body_a, apart) + MotionBound(body_b, apart));
}

JointVector TurnBetween(const JointVector& from, const JointVector& to) {
  JointVector turn(from.size());
  for (std::size_t i = 0; i < turn.size(); ++i) turn[i] = to[i] - from[i];
  return turn;
}

JointVector Between(const JointVector& from, const JointVector& to, double t) {
  JointVector joints(from.size());
  for (std::size_t i = 0; i < joints.size(); ++i) joints[i] = (1 - t) * from[i] + t * to[i];
  return joints;
}

}  // namespace clearance::plan
