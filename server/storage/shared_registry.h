// SPDX-License-Identifier: Apache-2.0
//
// This server's part in a registry that several share. One thread follows the commits of all,
// another asks for the last one. The ledger's thread applies the commits that came, between its
// own. A request for a name waits until the registry in memory has reached the commit that was the
// last when it asked. All waiting requests ask together.

#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "server/observe/log.h"
#include "server/observe/metrics.h"
#include "server/observe/steady_clock.h"
#include "server/storage/shape_store.h"

namespace clearance::server {

// Brings the changes of other servers from the shared registry to the one in memory. Called only by
// the ledger's thread, in the order of the commits, with no change drafted.
class RegistryMirror {
 public:
  virtual ~RegistryMirror() = default;

  // Applies the commit, all of it or nothing: DATA_LOSS if a part of it cannot be read.
  virtual absl::Status Apply(const FollowedCommit& commit) = 0;

  // Makes the registry equal to the store, whatever it was before, by applying only the difference.
  // Reads the store from ReadNames() on. A failure changes nothing.
  virtual absl::Status Reload(SharedStore* store) = 0;
};

// Thread-safe unless a method says otherwise.
class SharedRegistry {
 public:
  struct Parts {
    std::unique_ptr<SharedStore> store;
    std::unique_ptr<RegistryMirror> mirror;
    absl::Duration patience = absl::Seconds(3);  // of a request that waits for the store
    // If a known commit does not come for this long, it is looked for elsewhere. Each time that
    // this does not help, the time doubles.
    absl::Duration most_lag = absl::Milliseconds(300);
    // Between two tries of a write while the store takes no commits.
    absl::Duration probe_interval = absl::Seconds(1);
    StoreSeries& series;
    Log* log = nullptr;  // may be null
  };
  // Requires: the registry equals what the store's last ReadNames() read.
  explicit SharedRegistry(Parts parts);
  // Refuses all waiting requests.
  ~SharedRegistry();

  // Starts the threads. `wake` is called whenever has_news() becomes true. `tell` is called often,
  // with whether the store answers and takes commits.
  struct Hooks {
    std::function<void()> wake;
    std::function<void(const absl::Status&)> tell;
  };
  void Start(Hooks hooks);
  void Stop();

  // Calls `done` once, on another thread; it must not block. OK once the registry in memory has
  // everything that any server had acknowledged before this call. UNAVAILABLE, a refusal, if that
  // cannot be known in time. Any thread.
  using Done = std::function<void(absl::Status)>;
  void Await(Done done);

  // Returns OK unless the store has not answered for the patience, or cannot be read. A store that
  // takes no commits may still be OK.
  absl::Status status();

  // Returns whether ApplyNews() has something to do.
  bool has_news() {
    const std::lock_guard lock(mutex_);
    return is_reload_wanted_ || !news_.empty();
  }

  // The methods below are for the ledger's thread alone.

  void ApplyNews();
  // Waits until this commit is applied. UNAVAILABLE if it does not come.
  absl::Status CatchUp(CommitPlace place);
  // Commits after the applied commits. A commit that is made counts as applied once Made() is
  // called.
  absl::StatusOr<SharedStore::Outcome> Commit(const RegistryChanges& changes);
  void Made(CommitPlace place);
  std::size_t most_changes() const { return parts_.store->most_changes(); }
  absl::Duration patience() const { return parts_.patience; }

 private:
  struct Waiter {
    Done done;
    SteadyTime since;
  };
  struct Waiters {
    CommitPlace place = 0;  // of the commit that they wait for
    SteadyTime since;       // since when it is known
    std::vector<Waiter> all;
  };

  // Calls to make once the mutex is free.
  using Ends = std::vector<std::pair<Done, absl::Status>>;
  static void End(std::vector<Waiter> waiters, const absl::Status& status, Ends* ends) {
    for (Waiter& waiter : waiters) ends->emplace_back(std::move(waiter.done), status);
  }

  CommitPlace place() {
    const std::lock_guard lock(mutex_);
    return place_;
  }
  void FollowAll();
  bool Take(FollowedCommit commit);
  void AskAll();
  // Asks for the last commit. Returns false if the waiters must be asked for again, after a pause:
  // the store does not answer, or it was restored to an earlier state and is not read again yet.
  bool Ask(std::vector<Waiter> asked);
  // Refuses and removes those that have waited too long.
  void RefuseLate(const absl::Status& reason, std::vector<Waiter>* waiters, Ends* ends) const;
  // Does so with all waiters, and has the store followed elsewhere if it lags.
  void LookAtLate();

  void Reload();
  // The last result of one use of the store.
  struct Use {
    SteadyTime failing_since = SteadyTime::InfiniteFuture();
    absl::Status status;
  };
  void SetStatus(const absl::Status& status, Use* use);
  // Returns OK until the use has failed for the patience. Requires: the mutex is held.
  absl::Status Lasting(const Use& use) const;
  // Returns the damage or, if there is none, `status`. Requires: the mutex is held.
  absl::Status DamageOr(const absl::Status& status) const {
    return damage_.ok() ? status : damage_;
  }
  // Checks whether failing commits still fail; at most once per interval.
  void ProbeCommits();
  // Returns whether to look elsewhere, because nothing has come since then. Gives a store that is
  // slow, but not silent, more time the next time. Requires: the mutex is held.
  bool NoteLag(SteadyTime since);
  // Requires: the mutex is held.
  void RequestReload();

  const Parts parts_;
  Hooks hooks_;

  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  bool is_ending_ = false;
  bool has_followed_ = false;  // for the last time
  CommitPlace place_ = 0;      // the applied commit
  std::deque<FollowedCommit> news_;
  std::uint64_t news_bytes_ = 0;
  bool is_reload_wanted_ = false;  // instead of the news
  SteadyTime reloaded_;            // or tried to
  std::vector<Waiter> asking_;
  std::deque<Waiters> waiting_;
  SteadyTime interrupted_;
  absl::Duration most_lag_;  // until the next interruption
  Use reads_;
  Use commits_;
  SteadyTime probed_;
  absl::Status damage_;  // of a commit that came and cannot be applied

  std::mutex tell_mutex_;  // held while hooks_.tell is called
  std::thread follower_;
  std::thread asker_;
};

}  // namespace clearance::server
