// SPDX-License-Identifier: Apache-2.0
//
// OMPL's planners with a judge as their state and motion validators.

#pragma once

#include <cstdint>
#include <vector>

#include "client/examples/ompl/judge.h"
#include "client/examples/ompl/robot.h"

namespace clearance::plan {

enum class PlannerKind { kRrtConnect, kBiEst };

const char* Name(PlannerKind kind);

struct Task {
  const Robot& robot;
  JointVector start, goal;
};

struct PlanOptions {
  PlannerKind planner = PlannerKind::kRrtConnect;
  std::uint32_t seed = 1;         // the same random numbers each time
  std::uint64_t most_checks = 0;  // of configurations by the judge; then it gives up
};

struct Plan {
  double seconds = 0;
  std::vector<JointVector> path;  // straight ways between these; empty: none was found
};

Plan MakePlan(const Task& task, const PlanOptions& options, Judge* judge);

}  // namespace clearance::plan
