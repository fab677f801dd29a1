// SPDX-License-Identifier: Apache-2.0
//
// The revisions of scenes that sessions hold in their slots. A revision that its scene has left
// behind takes memory for its holders alone. Memory that it shares with the next held revision, or
// with the scene as it is, does not count again. Bytes count for their holder: a holder of too many
// opens no more, and other holders are not affected.

#pragma once

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

// Thread-safe.
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
