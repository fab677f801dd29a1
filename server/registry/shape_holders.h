// SPDX-License-Identifier: Apache-2.0
//
// Which sessions hold which shapes, in slots, own bodies and the scenes in their slots: so that,
// where what was deleted and is still held becomes too much, those are told to go that hold most of
// it, and nobody else need wait for them.

#ifndef CLEARANCE_SERVER_REGISTRY_SHAPE_HOLDERS_H_
#define CLEARANCE_SERVER_REGISTRY_SHAPE_HOLDERS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/scene/scene.h"
#include "core/shape/rigid_body.h"
#include "server/registry/detached_bytes.h"

namespace clearance::server {

// Thread-safe.
class ShapeHolders {
 public:
  // What one session holds of what the registry gave it. Thread-safe; ends with the session, before
  // the registry.
  class Session {
   public:
    // `holder` is whose it is; `tell` is called, on any thread and with locks held, when the
    // session is told to go.
    Session(ShapeHolders* all, std::string holder, std::function<void()> tell);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    // Null: nothing of the registry's any more.
    void PutShape(std::uint32_t slot, RigidBodyPtr body);
    void PutScene(std::uint32_t slot, ScenePtr scene);
    void PutOwn(std::shared_ptr<const std::vector<SceneBody>> bodies);

    // Whether it was told to go.
    bool is_told() const { return is_told_; }

   private:
    friend class ShapeHolders;

    ShapeHolders* const all_;
    const std::string holder_;
    const std::function<void()> tell_;
    std::atomic<bool> is_told_ = false;
    // Guarded by all_->mutex_.
    absl::flat_hash_map<std::uint32_t, RigidBodyPtr> shapes_;
    absl::flat_hash_map<std::uint32_t, ScenePtr> scenes_;
    std::shared_ptr<const std::vector<SceneBody>> own_;
  };

  ShapeHolders() = default;
  ShapeHolders(const ShapeHolders&) = delete;
  ShapeHolders& operator=(const ShapeHolders&) = delete;

  // Tells sessions to go until at most `most_bytes` of these are held by others, or by nobody here:
  // of the holder who has most the session that has most, and so on; and those once more that were
  // told before. The bytes that will be held then. In time linear in what sessions hold, and in the
  // sessions for each that it tells.
  std::uint64_t TellToGo(const DetachedMap& detached, std::uint64_t most_bytes);

 private:
  std::mutex mutex_;  // guards the next, and what sessions hold
  absl::flat_hash_set<Session*> sessions_;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_REGISTRY_SHAPE_HOLDERS_H_
