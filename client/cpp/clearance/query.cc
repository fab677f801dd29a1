// SPDX-License-Identifier: Apache-2.0
#include "clearance/query.h"

#include <cstring>
#include <type_traits>

namespace clearance::client {
namespace {

// The struct is laid out as a row of a column: x y z qx qy qz qw.
constexpr std::size_t kPoseWidth = 7;
static_assert(sizeof(Pose) == kPoseWidth * sizeof(double) && std::is_trivially_copyable_v<Pose>);

}  // namespace

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

std::vector<double> PoseColumn(absl::Span<const Pose> poses) {
  std::vector<double> column;
  AppendPoses(poses, &column);
  return column;
}

void AppendPoses(absl::Span<const Pose> poses, std::vector<double>* column) {
  if (poses.empty()) return;
  const std::size_t size = column->size();
  column->resize(size + kPoseWidth * poses.size());
  std::memcpy(column->data() + size, poses.data(), poses.size() * sizeof(Pose));
}

void AppendPose(const Pose& pose, std::vector<double>* column) { AppendPoses({&pose, 1}, column); }

void AppendVec3(const Vec3& vector, std::vector<double>* column) {
  column->insert(column->end(), {vector.x, vector.y, vector.z});
}

Pose PoseOfRow(const std::vector<double>& column, std::size_t row) {
  if (column.empty()) return {};
  const double* at = column.data() + (column.size() == kPoseWidth ? 0 : kPoseWidth * row);
  return {at[0], at[1], at[2], at[3], at[4], at[5], at[6]};
}

}  // namespace clearance::client
