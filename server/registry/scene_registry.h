// SPDX-License-Identifier: Apache-2.0
//
// The scenes that are held, by name, each with its newest revisions. A revision is immutable and
// shared by whoever found it; the lock is held for a look-up or to put the next revision in place,
// never while one is made.
//
// There are two kinds. A scene with a ttl lives in memory alone: whoever changes it makes the next
// revision and puts it in place by itself, again if somebody was faster. A kept scene changes only
// by the ledger, which stores what it drafted (scene_draft.h) before anybody sees it. Names are
// given by the ledger alone, whatever the kind, so that two never take one name.

#ifndef CLEARANCE_SERVER_REGISTRY_SCENE_REGISTRY_H_
#define CLEARANCE_SERVER_REGISTRY_SCENE_REGISTRY_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/scene/scene.h"
#include "server/config/limits.h"
#include "server/guard/holding_quotas.h"
#include "server/guard/holdings.h"
#include "server/observe/metrics.h"
#include "server/observe/steady_clock.h"
#include "server/registry/held_revisions.h"
#include "server/registry/scene_contents.h"
#include "server/registry/shared_bytes.h"

namespace clearance::server {

using TimeToLive = std::optional<std::chrono::nanoseconds>;  // unset: kept

// A scene as of one revision.
struct SceneState {
  std::string name;
  ScenePtr scene;
  std::uint64_t incarnation = 0;  // tells it from other scenes that had its name
  std::uint64_t revision = 0;
  std::uint64_t oldest_revision = 0;  // that is held
  std::uint64_t bytes = 0;            // with the revisions held
  TimeToLive ttl;
  HeldRevision held = {};  // for whoever keeps the revision in a session

  std::string etag() const;
};

// What is to happen to the scene of a name.
struct NamedSceneChange {
  enum class Kind : std::uint8_t { kCreate, kUpdate, kDelete };
  Kind kind = Kind::kUpdate;
  std::string name;
  // Of an update or a deletion: only if the scene still has this; may be empty.
  std::string etag;
  TimeToLive ttl;     // of a creation, as is the owner
  std::string owner;  // whose the scene becomes
  // What the scene becomes; of an update as long as it is `base`, else what `make_next` makes of
  // it then.
  ScenePtr next;
  ScenePtr base;
  std::function<absl::StatusOr<ScenePtr>(const ScenePtr&)> make_next;
  std::uint64_t bytes = 0;  // that an update makes the old revision take beside the new one
  // How it is stored: what makes the scene of what it was and, where it is time to write it all
  // anew, the whole of `next`. Of a scene with a ttl neither.
  std::string record;
  std::string whole;
  // Of the contents that it brings in: they must be registered when it is made.
  std::vector<std::string> digests;
};

// Why a scene is no more.
enum class SceneEnd : std::uint8_t { kDeleted, kExpired };

// Who is told of what becomes of one scene's name. Called by any thread, with the registry's lock
// held: neither may wait, nor call the registry.
class SceneObserver {
 public:
  // There is a newer revision.
  virtual void SceneChanged() = 0;
  // The scene of this incarnation is no more; another may have its name.
  virtual void SceneEnded(std::uint64_t incarnation, SceneEnd end) = 0;

 protected:
  ~SceneObserver() = default;
};

// Thread-safe. A scene is its owner's, who made it, with all its revisions, whoever changes it: if
// it grows, it is the owner's limits that must hold.
class SceneRegistry {
 public:
  // `metrics` and `quotas` may be null. The clock is asked for times to live alone.
  SceneRegistry(const Limits& limits, Metrics* metrics, const HoldingQuotas* quotas = nullptr,
                SteadyClock clock = SteadyNow);

  SceneRegistry(const SceneRegistry&) = delete;
  SceneRegistry& operator=(const SceneRegistry&) = delete;

  // INVALID_ARGUMENT where the text is no name, NOT_FOUND where no scene has it,
  // FAILED_PRECONDITION where the revision is not held. Revision 0 is the newest.
  absl::StatusOr<SceneState> Find(std::string_view name, std::uint64_t revision = 0) const;

  // From here on the observer is told of the scenes of this name, until it is removed, which waits
  // until nobody tells it anything.
  void AddObserver(const std::string& name, SceneObserver* observer);
  void RemoveObserver(const std::string& name, SceneObserver* observer);

  struct Page {
    std::vector<SceneState> scenes;
    bool is_last = true;
  };
  // At most `size` scenes whose names begin with `prefix` and come after `after`, in the order of
  // their bytes.
  Page List(std::string_view prefix, std::string_view after, std::size_t size) const;

  // Makes the change where the scene has a ttl, and renews that; none where it is kept: then the
  // ledger has to. An update whose `next` is its `base` only renews. Fails with NOT_FOUND, ABORTED
  // or RESOURCE_EXHAUSTED, and as `make_next` does. Requires: not a creation.
  absl::StatusOr<std::optional<SceneState>> ChangeInMemory(const NamedSceneChange& change);

  // Takes away the scenes whose time is over.
  void Expire();

  // A scene as it was stored.
  struct Stored {
    std::string name;
    ScenePtr scene;
    std::uint64_t incarnation = 0;
    std::uint64_t revision = 0;
    std::string owner = {};
    std::uint64_t whole_bytes = 0;   // of the record of the whole
    std::uint64_t record_bytes = 0;  // of those after it
  };
  // Fills the registry with what was stored, whatever the limits are. Requires: it is empty.
  void Restore(std::vector<Stored> scenes);

  // A kept scene as another server has made it.
  struct Followed {
    std::string name;
    ScenePtr scene;  // null: it is deleted
    std::uint64_t incarnation = 0;
    std::uint64_t revision = 0;
    std::string owner = {};
    std::uint64_t bytes = 0;  // as NamedSceneChange has it
    bool is_whole = true;     // as its record is
    std::uint64_t record_bytes = 0;
  };
  // Makes them so, in their order, whatever the limits are: they held there. A scene with a ttl,
  // which is this server's alone, gives its name to a kept one.
  void Follow(const std::vector<Followed>& scenes);

  // Whether the next record of a kept scene should come with the whole, so that a scene's records
  // stay in proportion to its size.
  bool IsTimeForWhole(std::string_view name, std::uint64_t record_bytes) const;

  std::size_t size() const;
  // What sessions hold of them: revisions, and scenes that they have made of them for themselves,
  // which count whole, whatever they share.
  HeldRevisions& held() { return held_; }
  SharedBytes& own() { return own_; }

  // Of the principal with this id.
  Holding HoldingOf(std::string_view owner) const;

  // Of the bodies of its scenes.
  SceneContents& contents() { return contents_; }
  const SceneContents& contents() const { return contents_; }

 private:
  struct Revision {
    ScenePtr scene;
    std::uint64_t extra_bytes = 0;    // beside what it shares with the one after it
    std::uint64_t changed_bytes = 0;  // the same, of all before it together
  };
  struct Entry {
    std::string owner;
    std::uint64_t incarnation = 0;
    std::uint64_t revision = 0;  // the newest
    std::deque<Revision> held;   // the newest last
    std::shared_ptr<SceneProgress> progress = std::make_shared<SceneProgress>();
    std::uint64_t bytes = 0;
    TimeToLive ttl;
    SteadyTime expires = SteadyTime::InfiniteFuture();
    std::uint64_t whole_bytes = 0;  // as stored
    std::uint64_t record_bytes = 0;
  };
  using Entries = absl::btree_map<std::string, Entry, std::less<>>;
  // Revisions that the registry may hold no more. Those that nobody else holds end with this, which
  // takes a while: it goes after the lock.
  class LetGo {
   public:
    void Keep(const Entry& entry) {
      for (const Revision& revision : entry.held) Keep(revision.scene);
    }
    void Keep(ScenePtr scene) { scenes_.push_back(std::move(scene)); }

   private:
    std::vector<ScenePtr> scenes_;
  };

  friend class SceneDraft;

  static SceneState StateOf(std::string_view name, const Entry& entry);
  static HeldRevision HeldOf(const Entry& entry, std::size_t index);
  // Of an entry that is in place.
  static void ReportProgress(const Entry& entry);
  // ABORTED unless the scene has this etag; an empty one it has.
  static absl::Status RequireEtag(std::string_view etag, std::string_view name, const Entry& entry);
  // Puts the next revision after the others, and lets go of the oldest.
  void Push(const ScenePtr& next, std::uint64_t replaced_bytes, Entry* entry) const;
  // The entry, unless its time is over. Requires: mutex_ is held.
  const Entry* FindEntry(std::string_view name) const;
  absl::Status CheckBytes(std::uint64_t bytes) const;
  absl::Status CheckQuota(const std::string& owner, const Holding& before,
                          const Holding& after) const;
  // Require: mutex_ is held exclusively.
  absl::Status PushInMemory(const NamedSceneChange& change, const ScenePtr& next, Entry* entry,
                            LetGo* let_go);
  void Put(const std::string& name, Entry entry);
  void FollowOne(const Followed& scene, LetGo* let_go);
  // Of a scene that is no more.
  void Erase(std::string_view name);
  void End(std::string_view name, SceneEnd end);
  void TellOfChange(std::string_view name);
  void TellOfEnd(std::string_view name, std::uint64_t incarnation, SceneEnd end);
  // Of an entry that another one may replace.
  void TakeOut(Entries::iterator entry);
  void Renew(const std::string& name, Entry* entry);
  void CountDepth(const Entry& entry);
  void UncountDepth(const Entry& entry);
  void ReportSize() const;

  const Limits limits_;
  Metrics* const metrics_;
  const HoldingQuotas* const quotas_;
  const SteadyClock clock_;
  HeldRevisions held_;
  SharedBytes own_;
  SceneContents contents_;
  // Guards what follows. The standard library's, as the shapes' is.
  mutable std::shared_mutex mutex_;
  Entries entries_;
  std::set<std::pair<SteadyTime, std::string>> by_expiry_;
  Holdings holdings_;
  std::uint64_t bytes_ = 0;
  std::uint64_t revisions_ = 0;
  absl::btree_map<int, std::size_t> tree_depths_;  // of newest revisions: how many have each
  absl::btree_map<std::string, std::vector<SceneObserver*>, std::less<>>
      observers_;  // none is empty
};

// NOT_FOUND of a scene.
absl::Status RefuseUnknownScene(std::string_view field, std::string_view name);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_REGISTRY_SCENE_REGISTRY_H_
