// SPDX-License-Identifier: Apache-2.0
//
// Contents to register: balls, each radius another digest.

#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <variant>

#include "core/shape/make_shape.h"
#include "server/registry/registry.h"
#include "server/registry/shape_name.h"

namespace clearance::server {

inline ShapeContentPtr Ball(double radius) {
  auto content = std::make_shared<ShapeContent>();
  content->digest = CanonicalContent(1, radius).Digest();
  content->body = MakeBody(std::get<ConvexShapePtr>(MakePoint(radius)));
  content->serialized = "ball";
  return content;
}

// Makes one registration.
inline absl::StatusOr<Registry::Registration> Register(Registry* registry, std::string_view name,
                                                       const ShapeContentPtr& content,
                                                       const RegisterOptions& options = {}) {
  RegistryDraft draft(registry);
  auto registered = draft.Register(name, content, options);
  draft.Apply();
  return registered;
}

// Makes one deletion.
inline absl::StatusOr<std::uint64_t> Delete(Registry* registry, std::string_view name,
                                            std::string_view etag) {
  RegistryDraft draft(registry);
  const auto deleted = draft.Delete(name, etag);
  draft.Apply();
  if (!deleted.ok()) return deleted.status();
  return deleted->revision;
}

}  // namespace clearance::server
