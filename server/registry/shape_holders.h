// SPDX-License-Identifier: Apache-2.0
//
// The shapes that each session holds, in slots, query bodies and the scenes in its slots. If
// deleted shapes that are still held take too much memory, the sessions that hold most of it are
// told to go, so that no other caller need wait for them.

#pragma once

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
  // The holdings of one session from the registry. Thread-safe; ends with the session, before the
  // registry.
  class Session {
   public:
    // `holder` owns the session; `tell` is called, on any thread and with locks held, when the
    // session is told to go.
    Session(ShapeHolders* all, std::string holder, std::function<void()> tell);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    // Null: it holds nothing from the registry any more.
    void PutShape(std::uint32_t slot, RigidBodyPtr body);
    void PutScene(std::uint32_t slot, ScenePtr scene);
    void PutOwn(std::shared_ptr<const std::vector<SceneBody>> bodies);

    // Returns whether the session was told to go.
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

  // Tells sessions to go until other sessions, or holders unknown here, hold at most `most_bytes`
  // of `detached`. It chooses the largest session of the largest holder, again and again, and tells
  // again those that were told before. Returns the bytes that will be held then. Takes time linear
  // in what sessions hold, and in the number of sessions for each that it tells.
  std::uint64_t TellToGo(const DetachedMap& detached, std::uint64_t most_bytes);

 private:
  std::mutex mutex_;  // guards the next member, and what sessions hold
  absl::flat_hash_set<Session*> sessions_;
};

}  // namespace clearance::server
