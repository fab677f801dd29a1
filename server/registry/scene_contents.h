// SPDX-License-Identifier: Apache-2.0
//
// Finds the content of a body of a scene. The core's scenes hold only rigid bodies. Their contents
// live exactly as long as some revision of some scene holds the body.

#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "core/shape/rigid_body.h"
#include "server/registry/registry.h"

namespace clearance::server {

// Thread-safe.
class SceneContents {
 public:
  // Returns the content's body as bodies of scenes must hold it: one object for a digest, as long
  // as a scene holds it, however often the digest was registered.
  RigidBodyPtr Share(const ShapeContentPtr& content);

  // Returns the body that Share() gave for this digest; null once no scene holds it.
  const RigidBody* FindBody(std::string_view digest) const;

  // Returns the content of a body that Share() gave; null once no scene holds it.
  ShapeContentPtr Of(const RigidBody& body) const;

 private:
  // Shares the content's ownership with the shared body.
  using Use = std::weak_ptr<const ShapeContentPtr>;

  static ShapeContentPtr ContentOf(const Use& use);
  // Requires: mutex_ is held.
  void DropUnused();

  mutable std::mutex mutex_;  // guards the members below
  absl::flat_hash_map<std::string, Use> by_digest_;
  absl::flat_hash_map<const RigidBody*, Use> by_body_;
  std::size_t size_to_clean_at_ = 1024;
};

}  // namespace clearance::server
