// SPDX-License-Identifier: Apache-2.0
//
// A small arm of boxes with six joints, and a problem for it, where no data sets are at hand.

#ifndef CLEARANCE_EXAMPLES_OMPL_BLOCK_ARM_H_
#define CLEARANCE_EXAMPLES_OMPL_BLOCK_ARM_H_

#include "client/examples/ompl/data_files.h"
#include "client/examples/ompl/robot.h"

namespace clearance::plan {

Robot BlockArm();
// From one side of a post to the other; the straight way goes through it.
Problem PostProblem();

}  // namespace clearance::plan

#endif  // CLEARANCE_EXAMPLES_OMPL_BLOCK_ARM_H_
