// SPDX-License-Identifier: Apache-2.0
//
// Contents to register: balls, each radius another digest.

#pragma once

#include <memory>
#include <variant>

#include "core/shape/make_shape.h"
#include "server/registry/digest.h"
#include "server/registry/registry.h"

namespace clearance::server {

inline ShapeContentPtr Ball(double radius) {
  auto content = std::make_shared<ShapeContent>();
  content->digest = CanonicalContent(1, radius).Digest();
  content->body = MakeBody(std::get<ConvexShapePtr>(MakePoint(radius)));
  content->serialized = "ball";
  return content;
}

}  // namespace clearance::server
