// SPDX-License-Identifier: Apache-2.0
//
// Which content a body of a scene has. The core's scenes hold rigid bodies alone; their contents
// live exactly as long as some revision of some scene holds the body.

#ifndef CLEARANCE_SERVER_REGISTRY_SCENE_CONTENTS_H_
#define CLEARANCE_SERVER_REGISTRY_SCENE_CONTENTS_H_

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
  // The content's body as bodies of scenes are to hold it: one object for a digest, as long as a
  // scene holds it, however often the digest was registered.
  RigidBodyPtr Share(const ShapeContentPtr& content);

  // The body that Share() gave for this digest; null once no scene holds it.
  const RigidBody* FindBody(std::string_view digest) const;

  // The content of a body that Share() gave; null once no scene holds it.
  ShapeContentPtr Of(const RigidBody& body) const;

 private:
  // What a shared body keeps alive.
  struct Use {
    ShapeContentPtr content;
  };

  // Requires: mutex_ is held.
  void DropUnused();

  mutable std::mutex mutex_;  // guards what follows
  absl::flat_hash_map<std::string, std::weak_ptr<const Use>> by_digest_;
  absl::flat_hash_map<const RigidBody*, std::weak_ptr<const Use>> by_body_;
  std::size_t size_to_clean_at_ = 1024;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_REGISTRY_SCENE_CONTENTS_H_
