// SPDX-License-Identifier: Apache-2.0
//
// The revisions of scenes that sessions hold in their slots. A revision that its scene has left
// behind takes memory for its holders alone; what it shares with the next one that is held, or with
// the scene as it is, it does not take again. Bytes count for whoever holds them: who holds too
// many opens no more, and stops nobody else.

#ifndef CLEARANCE_SERVER_REGISTRY_HELD_REVISIONS_H_
#define CLEARANCE_SERVER_REGISTRY_HELD_REVISIONS_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "prometheus/gauge.h"

namespace clearance::server {

// How far a scene has come. Written by its registry, read by anybody.
struct SceneProgress {
  std::atomic<std::uint64_t> oldest_revision = 0;  // that the registry holds
  // By which all revisions so far differ from the one after them, bytes, about.
  std::atomic<std::uint64_t> changed_bytes = 0;
  std::atomic<bool> is_gone = false;
};
using SceneProgressPtr = std::shared_ptr<const SceneProgress>;

// One revision, as it is taken hold of.
struct HeldRevision {
  SceneProgressPtr progress;  // of its scene, not null
  std::uint64_t revision = 0;
  std::uint64_t changed_bytes = 0;  // of its scene, when this was the newest
  std::uint64_t byte_size = 0;      // whatever it shares
  bool is_newest = true;
};

// What counts for its holder as long as it lives.
using HeldPtr = std::shared_ptr<const void>;

// Thread-safe.
class HeldRevisions {
 public:
  // `gauge` shows the bytes of what is left behind; may be null. Both it and this outlive what is
  // held.
  HeldRevisions(std::uint64_t most_bytes, prometheus::Gauge* gauge)
      : most_bytes_(most_bytes), gauge_(gauge) {}
  HeldRevisions(const HeldRevisions&) = delete;
  HeldRevisions& operator=(const HeldRevisions&) = delete;

  // RESOURCE_EXHAUSTED naming `revision` where what `holder` holds of what is left behind is more
  // than all others leave free of `most_bytes`. Of the newest revision whoever holds none of that
  // is never refused; of an older one, where there is no room for it as well.
  absl::StatusOr<HeldPtr> Take(const HeldRevision& revision, std::string_view holder);

  // Counts anew what scenes have left behind meanwhile; what is let go counts no more at once. The
  // bytes, each revision once. In time linear in the revisions that are held.
  std::uint64_t Look();

 private:
  using Key = std::pair<const SceneProgress*, std::uint64_t>;  // a scene's in the order they were
  struct Pinned {
    HeldRevision revision;
    std::uint64_t bytes = 0;                             // that count, as of the last look
    absl::flat_hash_map<std::string, std::uint64_t> of;  // how often each holder holds it
  };
  using PinnedMap = std::map<Key, Pinned>;

  // Require: mutex_ is held.
  std::uint64_t BytesOf(PinnedMap::const_iterator pinned) const;
  std::uint64_t LeftBeside(std::uint64_t bytes) const;
  absl::Status CheckRoom(const HeldRevision& revision, const std::string& holder) const;
  void AddTo(const std::string& holder, std::uint64_t before, std::uint64_t after);
  void Report() const;

  void LetGo(const Key& key, const std::string& holder);

  const std::uint64_t most_bytes_;
  prometheus::Gauge* const gauge_;
  std::mutex mutex_;  // guards what follows
  PinnedMap pinned_;
  absl::flat_hash_map<std::string, std::uint64_t> of_holder_;  // bytes; none that are 0
  std::uint64_t bytes_ = 0;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_REGISTRY_HELD_REVISIONS_H_
