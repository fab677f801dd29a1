// SPDX-License-Identifier: Apache-2.0
//
// The memory that sessions hold of the registries: deleted shapes, and old revisions of scenes.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/scene/scene.h"
#include "core/shape/rigid_body.h"
#include "prometheus/gauge.h"

namespace clearance::server {

// Maps the addresses of things to their bytes.
using DetachedMap = absl::flat_hash_map<const void*, std::uint64_t>;
// The addresses of bodies, and those of scenes.
using BodySet = absl::flat_hash_set<const void*>;
using SceneBodies = absl::flat_hash_map<const Scene*, BodySet>;

// Counts things that a registry has released and others still hold: a shape that was deleted or
// replaced, and that a scene, one of its old revisions or a session has. Such things end unnoticed
// with their last holder, so they are looked at from time to time. Thread-safe.
class DetachedBytes {
 public:
  // `gauge` shows the result of the last look. It may be null; otherwise it outlives this.
  explicit DetachedBytes(prometheus::Gauge* gauge) : gauge_(gauge) {}

  // The registry releases `thing`.
  void Add(const std::shared_ptr<const void>& thing, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    things_.insert_or_assign(thing.get(), Thing{thing, bytes});
  }

  // The registry holds `thing` again.
  void Forget(const void* thing) {
    const std::lock_guard lock(mutex_);
    things_.erase(thing);
  }

  // Returns the bytes of the things that others still hold. Takes time linear in the things
  // released since the last look and the things still held.
  std::uint64_t Look() {
    std::uint64_t sum = 0;
    for (const auto& [address, bytes] : Held()) sum += bytes;
    if (gauge_ != nullptr) gauge_->Set(static_cast<double>(sum));
    return sum;
  }

  // Returns the things that Look() counts.
  DetachedMap Held() {
    const std::lock_guard lock(mutex_);
    absl::erase_if(things_, [](const auto& entry) { return entry.second.thing.expired(); });
    DetachedMap held;
    for (const auto& [address, thing] : things_) held.emplace(address, thing.bytes);
    return held;
  }

 private:
  struct Thing {
    std::weak_ptr<const void> thing;
    std::uint64_t bytes = 0;
  };

  prometheus::Gauge* const gauge_;
  std::mutex mutex_;
  absl::flat_hash_map<const void*, Thing> things_;  // guarded by mutex_
};

// The shapes that each session holds, in slots, query bodies and the scenes in its slots. If
// deleted shapes that are still held take too much memory, the sessions that hold most of it are
// told to go, so that no other caller need wait for them. Thread-safe.
class ShapeHolders {
 public:
  // The holdings of one session from the registry. Thread-safe; ends with the session, before the
  // registry.
  class Session {
   public:
    // `holder` owns the session; `tell` is called, on any thread and with locks held, when the
    // session is told to go.
    Session(ShapeHolders* all, std::string holder, std::function<void()> tell)
        : all_(all), holder_(std::move(holder)), tell_(std::move(tell)) {
      const std::lock_guard lock(all_->mutex_);
      all_->sessions_.insert(this);
    }
    ~Session() {
      const std::lock_guard lock(all_->mutex_);
      all_->sessions_.erase(this);
    }

    // Null: it holds nothing from the registry any more.
    void PutShape(std::uint32_t slot, RigidBodyPtr body) { Put(slot, std::move(body), &shapes_); }
    void PutScene(std::uint32_t slot, ScenePtr scene) { Put(slot, std::move(scene), &scenes_); }
    void PutOwn(std::shared_ptr<const std::vector<SceneBody>> bodies) {
      const std::lock_guard lock(all_->mutex_);
      own_ = std::move(bodies);
    }

    bool is_told() const { return is_told_; }

   private:
    friend class ShapeHolders;
    template <class Held>
    using Slots = absl::flat_hash_map<std::uint32_t, std::shared_ptr<const Held>>;

    // Looks at each scene once, however many sessions hold it.
    BodySet DetachedBodies(const DetachedMap& detached, SceneBodies* of_scenes) const;

    template <class Held>
    void Put(std::uint32_t slot, std::shared_ptr<const Held> held, Slots<Held>* slots) {
      const std::lock_guard lock(all_->mutex_);
      if (held == nullptr) {
        slots->erase(slot);
      } else {
        slots->insert_or_assign(slot, std::move(held));
      }
    }

    ShapeHolders* const all_;
    const std::string holder_;
    const std::function<void()> tell_;
    std::atomic<bool> is_told_ = false;
    // Guarded by all_->mutex_.
    Slots<RigidBody> shapes_;
    Slots<Scene> scenes_;
    std::shared_ptr<const std::vector<SceneBody>> own_;
  };

  // Tells sessions to go until other sessions, or holders unknown here, hold at most `most_bytes`
  // of `detached`. It chooses the largest session of the largest holder, again and again, and tells
  // again those that were told before. Returns the bytes that will be held then. Takes time linear
  // in what sessions hold, and in the number of sessions for each that it tells.
  std::uint64_t TellToGo(const DetachedMap& detached, std::uint64_t most_bytes);

 private:
  std::mutex mutex_;  // guards the next member, and what sessions hold
  absl::flat_hash_set<Session*> sessions_;
};

// Progress of a scene. Written by its registry, read by any thread.
struct SceneProgress {
  std::atomic<std::uint64_t> oldest_revision = 0;  // of those that the registry holds
  // About how many bytes all revisions so far differ, each from the one after it.
  std::atomic<std::uint64_t> changed_bytes = 0;
  std::atomic<bool> is_gone = false;
};
using SceneProgressPtr = std::shared_ptr<const SceneProgress>;

// One revision, as it was when it was taken.
struct HeldRevision {
  SceneProgressPtr progress;  // of its scene, not null
  std::uint64_t revision = 0;
  std::uint64_t changed_bytes = 0;  // of its scene, when this was the newest
  std::uint64_t byte_size = 0;      // with all that it shares
  bool is_newest = true;
};

// A revision counts for its holder as long as this lives.
using HeldPtr = std::shared_ptr<const void>;

// The revisions of scenes that sessions hold in their slots. A revision that its scene has left
// behind takes memory for its holders alone. Memory that it shares with the next held revision, or
// with the scene as it is, does not count again. Bytes count for their holder: a holder of too many
// opens no more, and other holders are not affected. Thread-safe.
class HeldRevisions {
 public:
  // `gauge` shows the bytes that are left behind; may be null. Both it and this outlive what is
  // held.
  HeldRevisions(std::uint64_t most_bytes, prometheus::Gauge* gauge)
      : most_bytes_(most_bytes), gauge_(gauge) {}

  // RESOURCE_EXHAUSTED naming `revision` if the bytes left behind that `holder` holds exceed what
  // all others leave free of `most_bytes`. A holder of none of these is never refused the newest
  // revision. An older revision is also refused if there is no room for it.
  absl::StatusOr<HeldPtr> Take(const HeldRevision& revision, std::string_view holder);

  // Updates the bytes that scenes have left behind, and returns them, each revision once. Released
  // revisions stop counting immediately, without this. Takes time linear in the revisions held.
  std::uint64_t Look();

 private:
  using Key = std::pair<const SceneProgress*, std::uint64_t>;  // revisions of a scene are in order
  struct Pinned {
    HeldRevision revision;
    std::uint64_t bytes = 0;                             // that count as of the last look
    absl::flat_hash_map<std::string, std::uint64_t> of;  // how often each holder holds it
  };
  using PinnedMap = std::map<Key, Pinned>;

  // Require: mutex_ is held.
  std::uint64_t BytesOf(PinnedMap::const_iterator pinned) const;
  absl::Status CheckRoom(const HeldRevision& revision, const std::string& holder) const;
  void AddTo(const std::string& holder, std::uint64_t before, std::uint64_t after);

  void LetGo(const Key& key, const std::string& holder);

  const std::uint64_t most_bytes_;
  prometheus::Gauge* const gauge_;
  std::mutex mutex_;  // guards the members below
  PinnedMap pinned_;
  absl::flat_hash_map<std::string, std::uint64_t> of_holder_;  // bytes; none that are 0
  std::uint64_t bytes_ = 0;
};

}  // namespace clearance::server
