// SPDX-License-Identifier: Apache-2.0
#include "internal/server_info_convert.h"

namespace clearance::client {
namespace {

Limits FromProto(const v1::Limits& proto) {
  Limits limits;
#define CLEARANCE_COPY_LIMIT(name) limits.name = proto.name();
  CLEARANCE_LIMITS(CLEARANCE_COPY_LIMIT)
#undef CLEARANCE_COPY_LIMIT
  return limits;
}

Tolerances FromProto(const v1::Tolerances& proto) {
  return {.relative = proto.relative(),
          .rounding = proto.rounding(),
          .max_iterations = proto.max_iterations(),
          .max_motion_steps = proto.max_motion_steps(),
          .max_rotation = proto.max_rotation(),
          .quaternion_slack = proto.quaternion_slack()};
}

std::optional<absl::Time> ServerTime(const v1::GetServerInfoResponse& proto) {
  if (!proto.has_server_time()) return std::nullopt;
  return absl::FromUnixSeconds(proto.server_time().seconds()) +
         absl::Nanoseconds(proto.server_time().nanos());
}

}  // namespace

ServerInfo FromProto(const v1::GetServerInfoResponse& proto) {
  return {.version = proto.version(),
          .limits = FromProto(proto.limits()),
          .tolerances = FromProto(proto.tolerances()),
          .revision = proto.revision(),
          .server_time = ServerTime(proto)};
}

}  // namespace clearance::client
