// SPDX-License-Identifier: Apache-2.0
//
// This server's part in a registry that several share. One thread follows the commits of all, one
// asks which is the last; the ledger's thread applies what came, between its own. Who asks for a
// name waits until the registry in memory has reached the commit that was the last when he asked:
// all who wait ask together.

#ifndef CLEARANCE_SERVER_STORAGE_SHARED_REGISTRY_H_
#define CLEARANCE_SERVER_STORAGE_SHARED_REGISTRY_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/observe/log.h"
#include "server/observe/metrics.h"
#include "server/observe/steady_clock.h"
#include "server/storage/freshness.h"
#include "server/storage/registry_mirror.h"
#include "server/storage/shared_store.h"

namespace clearance::server {

class SharedRegistry final : public Freshness {
 public:
  struct Parts {
    std::unique_ptr<SharedStore> store;
    std::unique_ptr<RegistryMirror> mirror;
    absl::Duration patience = absl::Seconds(3);  // of who waits for the store
    // A commit that is known and does not come for so long is looked for elsewhere; each time that
    // it does not help, for twice as long.
    absl::Duration most_lag = absl::Milliseconds(300);
    // Between two tries of a write while the store takes no commits.
    absl::Duration probe_interval = absl::Seconds(1);
    StoreSeries* series = nullptr;  // may be null, as may the log
    Log* log = nullptr;
  };
  // Requires: the registry is what the store's last ReadNames() has read.
  explicit SharedRegistry(Parts parts);
  // Refuses whoever waits.
  ~SharedRegistry();
  SharedRegistry(const SharedRegistry&) = delete;
  SharedRegistry& operator=(const SharedRegistry&) = delete;

  // Starts the threads. `wake` is called whenever has_news() becomes true, `tell`, often, with
  // whether the store answers and takes commits.
  struct Hooks {
    std::function<void()> wake;
    std::function<void(const absl::Status&)> tell;
  };
  void Start(Hooks hooks);
  // Ends them.
  void Stop();

  void Await(Done done) override;

  // OK unless the store has not answered for as long as the patience, or cannot be read. One that
  // takes no commits still may.
  absl::Status status();

  // Whether ApplyNews() has something to do.
  bool has_news() const { return has_news_.load(); }

  // The rest is the ledger's thread's alone.

  // Applies all that has come.
  void ApplyNews();
  // Waits until this commit is applied. UNAVAILABLE where it does not come.
  absl::Status CatchUp(CommitPlace place);
  // Commits after what is applied; a commit that is made counts as applied once Made() is called.
  absl::StatusOr<SharedStore::Outcome> Commit(const RegistryChanges& changes);
  void Made(CommitPlace place);
  std::size_t most_changes() const { return store_->most_changes(); }
  absl::Duration patience() const { return patience_; }

 private:
  struct Waiter {
    Done done;
    SteadyTime since;
  };
  struct Waiters {
    CommitPlace place = 0;  // that they wait for
    SteadyTime since;       // it is known
    std::vector<Waiter> all;
  };

  // Who is told what, once the mutex is free.
  using Ends = std::vector<std::pair<Done, absl::Status>>;

  void FollowAll();
  bool Take(FollowedCommit commit);
  // Of a Follow() that ended; whether to go on.
  bool AfterFollow(const absl::Status& status);
  void AskAll();
  // What is asked next; waits for it. False: it is the end.
  bool NextAsked(std::vector<Waiter>* asked);
  // False: whoever still waits is asked for again, after a pause. The store does not answer, or it
  // was put back to an earlier state and is not read anew yet.
  bool Asked(std::vector<Waiter> asked, CommitPlace before,
             const absl::StatusOr<CommitPlace>& newest);
  // With the mutex. As long as there is time.
  void AskAgain(std::vector<Waiter> asked, const absl::Status& failure, Ends* ends);
  // Lets go of who has waited too long, and has the store followed at another place where it lags.
  void LookAtLate();

  void Reload();
  void SetPlace(CommitPlace place);
  // Of one way to use the store: what it came to last.
  struct Use {
    SteadyTime failing_since = SteadyTime::InfiniteFuture();
    absl::Status status;
  };
  void SetStatus(const absl::Status& status, Use* use);
  // With the mutex. OK until it has failed for the patience.
  absl::Status Lasting(const Use& use) const;
  // Of commits that fail, whether they still do; not more often than once in its interval.
  void ProbeCommits();
  // With the mutex. Whether it is time to look elsewhere, after nothing has come since then.
  bool IsLagging(SteadyTime since);
  void NoteInterruption();
  // With the mutex.
  void RequestReload();

  const std::unique_ptr<SharedStore> store_;
  const std::unique_ptr<RegistryMirror> mirror_;
  const absl::Duration patience_;
  const absl::Duration least_lag_;
  const absl::Duration probe_interval_;
  StoreSeries* const series_;
  Log* const log_;
  Hooks hooks_;

  std::atomic<bool> has_news_ = false;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  bool is_ending_ = false;
  bool has_followed_ = false;  // for the last time
  CommitPlace place_ = 0;      // is applied
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
  absl::Status damage_;  // of what came and cannot be applied

  std::mutex tell_mutex_;  // held while hooks_.tell is called
  std::thread follower_;
  std::thread asker_;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_STORAGE_SHARED_REGISTRY_H_
