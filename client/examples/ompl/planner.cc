// SPDX-License-Identifier: Apache-2.0

#include "client/examples/ompl/planner.h"

#include <ompl/base/MotionValidator.h>
#include <ompl/base/ProblemDefinition.h>
#include <ompl/base/ScopedState.h>
#include <ompl/base/SpaceInformation.h>
#include <ompl/base/spaces/RealVectorStateSpace.h>
#include <ompl/geometric/PathGeometric.h>
#include <ompl/geometric/planners/est/BiEST.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

namespace clearance::plan {
namespace {

namespace ob = ompl::base;
namespace og = ompl::geometric;
using Space = ob::RealVectorStateSpace;

JointVector JointsOf(const ob::State* state, std::size_t size) {
  const double* const values = state->as<Space::StateType>()->values;
  return {values, values + size};
}

class JudgedStates final : public ob::StateValidityChecker {
 public:
  JudgedStates(const ob::SpaceInformationPtr& space, Judge* judge)
      : ob::StateValidityChecker(space), judge_(judge) {}

  bool isValid(const ob::State* state) const override {
    return si_->satisfiesBounds(state) && judge_->IsFree(JointsOf(state, si_->getStateDimension()));
  }

 private:
  Judge* judge_;
};

class JudgedMotions final : public ob::MotionValidator {
 public:
  JudgedMotions(const ob::SpaceInformationPtr& space, Judge* judge)
      : ob::MotionValidator(space), judge_(judge) {}

  bool checkMotion(const ob::State* from, const ob::State* to) const override {
    const std::size_t size = si_->getStateDimension();
    return si_->satisfiesBounds(to) &&
           judge_->IsFreeBetween(JointsOf(from, size), JointsOf(to, size));
  }

  // If a path is not free, only its beginning is kept.
  bool checkMotion(const ob::State* from, const ob::State* to,
                   std::pair<ob::State*, double>& last_valid) const override {
    if (checkMotion(from, to)) return true;
    last_valid.second = 0;
    if (last_valid.first != nullptr) si_->copyState(last_valid.first, from);
    return false;
  }

 private:
  Judge* judge_;
};

ob::SpaceInformationPtr MakeSpace(const Robot& robot, Judge* judge) {
  auto space = std::make_shared<Space>();
  for (const Range& range : robot.ranges()) space->addDimension(range.lower, range.upper);
  auto information = std::make_shared<ob::SpaceInformation>(space);
  information->setStateValidityChecker(std::make_shared<JudgedStates>(information, judge));
  information->setMotionValidator(std::make_shared<JudgedMotions>(information, judge));
  information->setup();
  return information;
}

ob::PlannerPtr MakePlanner(PlannerKind kind, const ob::SpaceInformationPtr& space) {
  if (kind == PlannerKind::kRrtConnect) return std::make_shared<og::RRTConnect>(space);
  return std::make_shared<og::BiEST>(space);
}

ob::ScopedState<> StateOf(const ob::SpaceInformationPtr& space, const JointVector& joints) {
  ob::ScopedState<> state(space);
  for (unsigned i = 0; i < joints.size(); ++i) state[i] = joints[i];
  return state;
}

std::vector<JointVector> PathOf(const ob::ProblemDefinitionPtr& problem, std::size_t size) {
  std::vector<JointVector> path;
  if (!problem->hasExactSolution()) return path;
  for (const ob::State* state : problem->getSolutionPath()->as<og::PathGeometric>()->getStates())
    path.push_back(JointsOf(state, size));
  return path;
}

}  // namespace

const char* Name(PlannerKind kind) {
  return kind == PlannerKind::kRrtConnect ? "RRTConnect" : "BiEST";
}

Plan MakePlan(const Task& task, const PlanOptions& options, Judge* judge) {
  ompl::msg::setLogLevel(ompl::msg::LOG_NONE);
  // Seeds the generators that are made from here on: every sampler and planner has its own.
  ompl::RNG::setSeed(options.seed);
  const ob::SpaceInformationPtr space = MakeSpace(task.robot, judge);
  auto problem = std::make_shared<ob::ProblemDefinition>(space);
  problem->setStartAndGoalStates(StateOf(space, task.start), StateOf(space, task.goal));
  const ob::PlannerPtr planner = MakePlanner(options.planner, space);
  planner->setProblemDefinition(problem);
  planner->setup();
  const auto begin = std::chrono::steady_clock::now();
  planner->solve(ob::PlannerTerminationCondition(
      [&] { return judge->counts().checks >= options.most_checks || !judge->status().ok(); }));
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  return {passed.count(), PathOf(problem, task.start.size())};
}

}  // namespace clearance::plan
