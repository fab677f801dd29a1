// SPDX-License-Identifier: Apache-2.0
//
// A small arm of boxes with six joints, and a problem for it, where no data sets are at hand.

#pragma once

#include "client/examples/ompl/data_files.h"
#include "client/examples/ompl/robot.h"

namespace clearance::plan {

Robot BlockArm();
// From one side of a post to the other; the straight way goes through it.
Problem PostProblem();

}  // namespace clearance::plan
