// SPDX-License-Identifier: Apache-2.0
#include "clearance/query.h"

namespace clearance::client {

const char* Name(State state) {
  switch (state) {
    case State::kSeparated:
      return "SEPARATED";
    case State::kTouching:
      return "TOUCHING";
    case State::kPenetrating:
      return "PENETRATING";
    case State::kBeyond:
      return "BEYOND";
    case State::kUndecided:
      return "UNDECIDED";
    case State::kRefused:
      return "REFUSED";
    case State::kUnspecified:
      break;
  }
  return "UNSPECIFIED";
}

const char* Name(MotionState state) {
  switch (state) {
    case MotionState::kFree:
      return "FREE";
    case MotionState::kHit:
      return "HIT";
    case MotionState::kInitiallyOverlapping:
      return "INITIALLY_OVERLAPPING";
    case MotionState::kUndecided:
      return "UNDECIDED";
    case MotionState::kRefused:
      return "REFUSED";
    case MotionState::kUnspecified:
      break;
  }
  return "UNSPECIFIED";
}

const char* Name(UndecidedReason reason) {
  switch (reason) {
    case UndecidedReason::kBudget:
      return "BUDGET";
    case UndecidedReason::kIterations:
      return "ITERATIONS";
    case UndecidedReason::kPrecision:
      return "PRECISION";
    case UndecidedReason::kWork:
      return "WORK";
    case UndecidedReason::kUnspecified:
      break;
  }
  return "UNSPECIFIED";
}

void AppendPose(const Pose& pose, std::vector<double>* column) {
  column->insert(column->end(), {pose.x, pose.y, pose.z, pose.qx, pose.qy, pose.qz, pose.qw});
}

void AppendVec3(const Vec3& vector, std::vector<double>* column) {
  column->insert(column->end(), {vector.x, vector.y, vector.z});
}

Pose PoseOfRow(const std::vector<double>& column, std::size_t row) {
  if (column.empty()) return {};
  const double* at = column.data() + (column.size() == 7 ? 0 : 7 * row);
  return {at[0], at[1], at[2], at[3], at[4], at[5], at[6]};
}

}  // namespace clearance::client
