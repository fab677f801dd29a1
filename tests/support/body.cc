// SPDX-License-Identifier: Apache-2.0
#include "tests/support/body.h"

#include <cstdio>

namespace clearance::testing {
namespace {

std::string Hex(const char* format, const Vec3d& v) {
  char text[128];
  std::snprintf(text, sizeof(text), format, v.x, v.y, v.z);
  return text;
}

}  // namespace

Body MakeBoxBody(const Vec3d& half_extents) {
  Body body{.kind = BodyKind::kBox, .points = {}, .radius = 0, .pose = {}};
  for (int i = 0; i < 8; ++i) {
    body.points.push_back({(i & 1) != 0 ? half_extents.x : -half_extents.x,
                           (i & 2) != 0 ? half_extents.y : -half_extents.y,
                           (i & 4) != 0 ? half_extents.z : -half_extents.z});
  }
  return body;
}

Body MakePointBody(double radius) {
  return {.kind = BodyKind::kPoint, .points = {Vec3d{}}, .radius = radius, .pose = {}};
}

std::string Describe(const Body& body) {
  char text[256];
  std::snprintf(text, sizeof(text), "kind %d radius %a q(xyzw) %a %a %a %a p",
                static_cast<int>(body.kind), body.radius, body.pose.q_WS.x, body.pose.q_WS.y,
                body.pose.q_WS.z, body.pose.q_WS.w);
  std::string result = text + Hex(" %a %a %a points", body.pose.p_WS);
  for (const Vec3d& p : body.points) result += Hex(" {%a, %a, %a}", p);
  return result;
}

std::string Describe(const BodyPair& pair) {
  return "A: " + Describe(pair.a) + "\nB: " + Describe(pair.b) + "\n";
}

}  // namespace clearance::testing
