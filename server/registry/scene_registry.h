// SPDX-License-Identifier: Apache-2.0
//
// The scenes that are held, by name, each with its newest revisions. A revision is immutable and
// shared by all that found it. The lock is held for a look-up or to put the next revision in place,
// never while one is made.
//
// There are two kinds. A scene with a ttl lives in memory alone: each change makes the next
// revision and puts it in place itself, again if another change was faster. A kept scene is changed
// only by the ledger, which stores what it drafted (SceneDraft) before others see it. Names of
// both kinds are given by the ledger alone, so that two scenes never take one name.

#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <set>
#include <shared_mutex>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "core/scene/scene.h"
#include "server/config/limits.h"
#include "server/guard/holding_quotas.h"
#include "server/guard/share_ledger.h"
#include "server/observe/metrics.h"
#include "server/observe/steady_clock.h"
#include "server/registry/holders.h"
#include "server/registry/registry.h"

namespace clearance::server {

using TimeToLive = std::optional<std::chrono::nanoseconds>;  // unset: kept

// A scene as of one revision.
struct SceneState {
  std::string name;
  ScenePtr scene;
  std::uint64_t incarnation = 0;  // tells it from other scenes that had its name
  std::uint64_t revision = 0;
  std::uint64_t oldest_revision = 0;  // of those that are held
  std::uint64_t bytes = 0;            // of all revisions held
  TimeToLive ttl;
  HeldRevision held = {};  // for a session that keeps the revision

  std::string etag() const;
};

// A change of the scene of a name.
struct NamedSceneChange {
  enum class Kind : std::uint8_t { kCreate, kUpdate, kDelete };
  Kind kind = Kind::kUpdate;
  std::string name;
  // For an update or a deletion: only if the scene still has this etag; may be empty.
  std::string etag;
  TimeToLive ttl;     // for a creation, as is the owner
  std::string owner;  // of the new scene
  // The scene's next revision. For an update it holds while the scene is `base`; otherwise
  // `make_next` makes it from the newer one.
  ScenePtr next;
  ScenePtr base;
  std::function<absl::StatusOr<ScenePtr>(const ScenePtr&)> make_next;
  std::uint64_t bytes = 0;  // that an update makes the old revision take beside the new one
  // The stored form: the change and, if it is time to write the scene again, the whole of `next`. A
  // scene with a ttl has neither.
  std::string record;
  std::string whole;
  // Digests of the contents that it brings in, which must be registered when it is made.
  std::vector<std::string> digests;
};

enum class SceneEnd : std::uint8_t { kDeleted, kExpired };

// Receives the changes of one name's scene. Called by any thread, with the registry's lock held:
// the methods must not wait, nor call the registry.
class SceneObserver {
 public:
  virtual void SceneChanged() = 0;
  // The scene of this incarnation has ended; another may have its name.
  virtual void SceneEnded(std::uint64_t incarnation, SceneEnd end) = 0;

 protected:
  ~SceneObserver() = default;
};

// Thread-safe. A scene with all its revisions belongs to the owner that made it, regardless of who
// changes it: if it grows, the owner's limits must hold.
class SceneRegistry {
 public:
  // `metrics` and `quotas` may be null. The clock is used for times to live alone.
  SceneRegistry(const Limits& limits, Metrics* metrics, const HoldingQuotas* quotas = nullptr,
                SteadyClock clock = SteadyNow);

  // INVALID_ARGUMENT if the text is not a name, NOT_FOUND if no scene has it, FAILED_PRECONDITION
  // if the revision is not held. Revision 0 is the newest.
  absl::StatusOr<SceneState> Find(std::string_view name, std::uint64_t revision = 0) const;

  // Tells the observer of the scenes of this name, until it is removed. Removal waits until no
  // thread calls it.
  void AddObserver(const std::string& name, SceneObserver* observer);
  void RemoveObserver(const std::string& name, SceneObserver* observer);

  struct Page {
    std::vector<SceneState> scenes;
    bool is_last = true;
  };
  // Returns at most `size` scenes whose names begin with `prefix` and come after `after`, in the
  // order of their bytes.
  Page List(std::string_view prefix, std::string_view after, std::size_t size) const;

  // Changes a scene with a ttl, and renews that. An update whose `next` is its `base` only renews.
  // Fails with NOT_FOUND, ABORTED (also if the scene is kept) or RESOURCE_EXHAUSTED, and as
  // `make_next` does. Requires: not a creation.
  absl::StatusOr<SceneState> ChangeInMemory(const NamedSceneChange& change);

  void Expire();

  // A kept scene as it was stored, or as another server has made it.
  struct Kept {
    std::string name;
    ScenePtr scene;  // null: it is deleted
    std::uint64_t incarnation = 0;
    std::uint64_t revision = 0;
    std::string owner = {};
    std::uint64_t bytes = 0;                                  // see NamedSceneChange
    std::optional<std::uint64_t> whole_bytes = std::nullopt;  // of a new record of the whole
    std::uint64_t record_bytes = 0;                           // of the records after the whole
  };
  // Takes these over, in their order, regardless of the limits: they held when the scenes were
  // made. A scene with a ttl, which is this server's alone, gives its name to a kept one.
  void Follow(const std::vector<Kept>& scenes);

  // Returns whether the next record of a kept scene should come with the whole, so that a scene's
  // records stay in proportion to its size.
  bool IsTimeForWhole(std::string_view name, std::uint64_t record_bytes) const;

  std::size_t size() const {
    const std::shared_lock lock(mutex_);
    return entries_.size();
  }
  // The parts that sessions hold: revisions, and scenes that they made of them for themselves. The
  // latter count whole, even if they share memory.
  HeldRevisions& held() { return held_; }
  ShareLedger& own() { return own_; }

  Holding HoldingOf(std::string_view owner) const {
    const std::shared_lock lock(mutex_);
    return holdings_.Of(owner);
  }

  SceneContents& contents() { return contents_; }

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
    TimeToLive ttl = std::nullopt;
    SteadyTime expires = SteadyTime::InfiniteFuture();
    std::uint64_t whole_bytes = 0;  // as stored
    std::uint64_t record_bytes = 0;

    std::uint64_t oldest_revision() const { return revision - held.size() + 1; }
    const ScenePtr& newest() const { return held.back().scene; }
  };
  using Entries = absl::btree_map<std::string, Entry, std::less<>>;
  // Revisions that the registry may no longer hold. Those without another holder end with this,
  // which takes time, so it ends after the lock.
  using LetGo = std::vector<std::deque<Revision>>;

  friend class SceneDraft;

  static SceneState StateOf(std::string_view name, const Entry& entry);
  static HeldRevision HeldOf(const Entry& entry, std::size_t index);
  // Appends the next revision, and releases the oldest beyond the limit.
  void Push(const ScenePtr& next, std::uint64_t replaced_bytes, Entry* entry) const;
  // Returns the entry, or null if there is none or it has expired. Requires: mutex_ is held.
  const Entry* FindEntry(std::string_view name) const;
  // RESOURCE_EXHAUSTED if the entry has more bytes than `before` (null: it is new), and too many
  // beside what its owner holds or the `bytes` of all scenes.
  absl::Status CheckGrowth(const Entry& entry, const Entry* before, const Holdings& holdings,
                           std::uint64_t bytes) const;
  // Require: mutex_ is held exclusively. Entries stay where they are if they are replaced. The
  // revisions of before go to `let_go`.
  absl::Status PushInMemory(const NamedSceneChange& change, const ScenePtr& next, Entry* entry,
                            LetGo* let_go);
  void Put(const std::string& name, Entry entry, LetGo* let_go);
  // Removes a scene that has ended, if it is there.
  void End(std::string_view name, SceneEnd end, LetGo* let_go);
  absl::Span<SceneObserver* const> ObserversOf(std::string_view name) const;
  // Takes an entry out of all counts, before it goes or another one replaces it.
  void Uncount(Entries::iterator named, LetGo* let_go);
  void Renew(const std::string& name, Entry* entry);
  void ReportSize() const;

  const Limits limits_;
  Metrics* const metrics_;
  const HoldingQuotas* const quotas_;
  const SteadyClock clock_;
  HeldRevisions held_;
  ShareLedger own_;
  SceneContents contents_;
  // Guards the members below. It is the standard library's, as in registry.h.
  mutable std::shared_mutex mutex_;
  Entries entries_;
  std::set<std::pair<SteadyTime, std::string>> by_expiry_;
  Holdings holdings_;
  std::uint64_t bytes_ = 0;
  std::uint64_t revisions_ = 0;
  absl::btree_multiset<int> tree_depths_;  // of newest revisions
  absl::btree_map<std::string, std::vector<SceneObserver*>, std::less<>>
      observers_;  // none is empty
};

// Returns NOT_FOUND for a scene.
absl::Status RefuseUnknownScene(std::string_view field, std::string_view name);

// ABORTED unless the scene has this etag or the etag is empty.
absl::Status RequireEtag(std::string_view etag, const SceneState& state);

// Changes of scenes worked out before they are made, like those of names of shapes: every creation,
// and every change of kept scenes. Changes in memory go on beside it. Thread-compatible. A registry
// has one at a time.
class SceneDraft {
 public:
  // `registry` outlives this.
  explicit SceneDraft(SceneRegistry* registry);

  // Returns the scene after the change, or before its deletion. Fails with ALREADY_EXISTS,
  // NOT_FOUND, ABORTED or RESOURCE_EXHAUSTED, and as `make_next` does. A refused change leaves the
  // draft as it was.
  absl::StatusOr<SceneState> Change(const NamedSceneChange& change);

  // The kept scenes in which a body has this content after the changes: the names of some that
  // begin with one of the prefixes (no prefixes: of any), and the number of all of them.
  struct Users {
    std::vector<std::string> names;
    std::size_t count = 0;
  };
  Users UsersOf(std::string_view digest, absl::Span<const std::string> prefixes) const;

  // Returns the records of kept scenes; scenes in memory alone leave none.
  const std::vector<SceneRecord>& records() const { return records_; }
  bool empty() const { return drafted_.empty(); }

  // Makes the changes. Requires: called at most once, and nothing after it.
  void Apply();

 private:
  using Entry = SceneRegistry::Entry;

  absl::StatusOr<SceneState> Create(const NamedSceneChange& change);
  absl::StatusOr<SceneState> ChangeKept(const NamedSceneChange& change);
  absl::StatusOr<SceneState> Update(const NamedSceneChange& change, const Entry& before);
  // Returns the entry after the changes; none: no such scene.
  std::optional<Entry> Find(const std::string& name) const;
  // Notes the scene's new state, and the record to store.
  void Keep(const NamedSceneChange& change, const std::string& record, bool is_whole, Entry entry);

  SceneRegistry* const registry_;
  std::map<std::string, std::optional<Entry>, std::less<>> drafted_;  // none: it is deleted
  std::vector<SceneRecord> records_;
  Holdings holdings_;
  std::uint64_t scenes_;
  std::uint64_t bytes_;
};

}  // namespace clearance::server
