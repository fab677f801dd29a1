// SPDX-License-Identifier: Apache-2.0

#include <google/protobuf/util/time_util.h>

#include "core/math/tolerance.h"
#include "server/observe/steady_clock.h"
#include "server/services/methods.h"

namespace clearance::server {
namespace {

void FillLimits(const Limits& limits, v1::Limits* message) {
#define LIMIT(kind, name, default_value, uses, help, ...) message->set_##name(limits.name);
#include "server/config/settings.def"
}

void FillTolerances(v1::Tolerances* message) {
  message->set_relative(kRelativeTolerance);
  message->set_rounding(kRoundingTolerance);
  message->set_max_iterations(kMaxIterations);
  message->set_max_motion_steps(kMaxMotionSteps);
  message->set_max_rotation(kMaxRotation);
  message->set_quaternion_slack(kQuaternionSlack);
}

}  // namespace

absl::Status GetServerInfo(const CallScope& call, const v1::GetServerInfoRequest& /*request*/,
                           const StopRule& /*stop*/, v1::GetServerInfoResponse* response) {
  response->set_version(CLEARANCE_VERSION);
  FillLimits(call.parts.limits, response->mutable_limits());
  FillTolerances(response->mutable_tolerances());
  response->set_revision(call.registry.nameless().revision());
  *response->mutable_server_time() =
      google::protobuf::util::TimeUtil::NanosecondsToTimestamp(absl::ToUnixNanos(WallNow()));
  return absl::OkStatus();
}

}  // namespace clearance::server
