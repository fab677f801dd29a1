// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_shape.h"

#include <cstdio>
#include <cstdlib>
#include <variant>
#include <vector>

#include "core/shape/make_shape.h"

namespace clearance::testing {
namespace {

std::vector<double> Flatten(const std::vector<Vec3d>& points, bool with_z) {
  std::vector<double> numbers;
  for (const Vec3d& p : points) {
    numbers.push_back(p.x);
    numbers.push_back(p.y);
    if (with_z) numbers.push_back(p.z);
  }
  return numbers;
}

ShapeOrError TryMakeShape(const Body& body) {
  const std::vector<Vec3d>& p = body.points;
  switch (body.kind) {
    case BodyKind::kBox:
      return MakeBox(p[7], body.radius);
    case BodyKind::kPoint:
      return MakePoint(body.radius);
    case BodyKind::kSegment:
      return MakeSegment(p[0], p[1], body.radius);
    case BodyKind::kTriangle:
      return MakeTriangle(p[0], p[1], p[2], body.radius);
    case BodyKind::kPolygon:
      return MakePolygon(Flatten(p, false), body.radius);
    case BodyKind::kHull:
      break;
  }
  return MakeHull(Flatten(p, true), body.radius);
}

}  // namespace

ConvexShapePtr MakeShape(const Body& body) {
  ShapeOrError made = TryMakeShape(body);
  if (const auto* error = std::get_if<ShapeError>(&made)) {
    std::fprintf(stderr, "a generated body was refused: %s = %s, limit %s\n%s\n",
                 error->field.c_str(), error->value.c_str(), error->limit.c_str(),
                 Describe(body).c_str());
    std::abort();
  }
  return std::get<ConvexShapePtr>(made);
}

}  // namespace clearance::testing
