// SPDX-License-Identifier: Apache-2.0
//
// Two forms in which a planner uses a service's answers.

#pragma once

#include <map>
#include <vector>

#include "client/examples/ompl/coverage.h"
#include "client/examples/ompl/judge.h"
#include "client/examples/ompl/service_cell.h"

namespace clearance::plan {

// The usual form: a path is free if its states at the resolution are, which go in one message.
// Nothing is said of the states between them.
class StatesJudge final : public Judge {
 public:
  explicit StatesJudge(ConfigurationAsker* asker) : asker_(asker) {}

  bool IsFree(const JointVector& joints) override { return AreFree({joints}); }

 protected:
  bool DoIsFreeBetween(const JointVector& from, const JointVector& to) override;

 private:
  bool AreFree(const std::vector<JointVector>& rows);

  ConfigurationAsker* asker_;
};

// Proves a path free: every configuration on it lies so near to an asked one that no pair which is
// proved apart there can have come together (Robot::MotionBound). It asks at the gaps that the
// known answers leave, a message at a time, until there are none, one configuration is not free, or
// a pair is so near that it does not help. The findings at ends are kept: the next path begins at
// one.
class ProofJudge final : public Judge {
 public:
  // Far more than the error of forward kinematics; taken off every distance. Metres.
  static constexpr double kRoundingSlack = 1e-9;
  static constexpr double kLeastDistance = 1e-5;  // nearer pairs do not help; metres
  static constexpr double kMaxDistance = 0.1;     // of pairs that are looked at; metres

  // Keeps a reference to the robot.
  ProofJudge(const Robot& robot, ConfigurationAsker* asker) : robot_(robot), asker_(asker) {}

  bool IsFree(const JointVector& joints) override;

 protected:
  bool DoIsFreeBetween(const JointVector& from, const JointVector& to) override;

 private:
  struct Way {
    const JointVector& from;
    const JointVector& to;
    JointVector turn;
    Coverage proved = {};
  };

  // Asks at these times; returns false if that ends it.
  bool AskAt(const std::vector<double>& times, Way* way);
  // Returns the surroundings of each row; empty if not all are free.
  std::vector<Surroundings> FreeSurroundings(const std::vector<JointVector>& rows);
  // Returns the part of the path that is free on each side of a configuration; 0 if a pair is too
  // near.
  double HalfWidth(const Way& way, const Surroundings& around) const;
  // Returns false if not even a little of the path is free there.
  bool Cover(double t, const Surroundings& around, Way* way);

  const Robot& robot_;
  ConfigurationAsker* asker_;
  std::map<JointVector, Surroundings> ends_;  // free ones
};

}  // namespace clearance::plan
