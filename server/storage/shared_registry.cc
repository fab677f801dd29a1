// SPDX-License-Identifier: Apache-2.0

#include "server/storage/shared_registry.h"

#include <algorithm>

#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

// Maximum bytes of commits that came and are not applied yet.
constexpr std::uint64_t kMostNewsBytes = 64 * kMebibyte;
// Between two questions without a waiter, which show whether the store answers and whether commits
// are missed.
constexpr std::chrono::milliseconds kQuestionInterval{1000};
// Between two looks at the waiters.
constexpr std::chrono::milliseconds kLookInterval{50};
// Maximum time for which following is left alone.
constexpr absl::Duration kLongestLag = absl::Seconds(20);
// Between two tries to follow, and between two to read everything again.
constexpr std::chrono::milliseconds kFollowInterval{50};
constexpr std::chrono::milliseconds kReloadInterval{1000};

absl::Status NotKnown(const absl::Status& reason) {
  return Refuse(absl::StatusCode::kUnavailable,
                {.reason = Reason::kStoreUnavailable,
                 .field = "store",
                 .value = std::string(reason.message()),
                 .limit = "a store that answers",
                 .message = "What the names mean now cannot be found out; repeat with back-off. "
                            "Digests and open slots need no store."});
}

void Finish(const std::vector<std::pair<SharedRegistry::Done, absl::Status>>& ends) {
  for (const auto& [done, status] : ends) done(status);
}

}  // namespace

SharedRegistry::SharedRegistry(Parts parts)
    : parts_(std::move(parts)), place_(parts_.store->place()), most_lag_(parts_.most_lag) {
  if (parts_.series == nullptr) return;
  parts_.series->is_shared->Set(1);
  parts_.series->is_reached->Set(1);
}

SharedRegistry::~SharedRegistry() { Stop(); }

void SharedRegistry::Start(Hooks hooks) {
  hooks_ = std::move(hooks);
  follower_ = std::thread([this] { FollowAll(); });
  asker_ = std::thread([this] { AskAll(); });
}

void SharedRegistry::Stop() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  if (!follower_.joinable()) return;
  asker_.join();
  // The follower may be about to begin the call that is interrupted.
  while (true) {
    parts_.store->Interrupt();
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, kLookInterval, [this] { return has_followed_; })) break;
  }
  follower_.join();
}

void SharedRegistry::Await(Done done) {
  {
    const std::lock_guard lock(mutex_);
    if (!is_ending_) {
      asking_.push_back({std::move(done), SteadyNow()});
      changed_.notify_all();
      return;
    }
  }
  done(NotKnown(absl::UnavailableError("the server goes")));
}

void SharedRegistry::FollowAll() {
  std::unique_lock lock(mutex_);
  while (true) {
    // After a reload, following begins again.
    changed_.wait(lock, [this] { return is_ending_ || !is_reload_wanted_; });
    if (is_ending_) break;
    const CommitPlace after = news_.empty() ? place_ : news_.back().place;
    lock.unlock();
    const absl::Status status = parts_.store->Follow(
        after, [this](FollowedCommit commit) { return Take(std::move(commit)); });
    if (parts_.log != nullptr && !status.ok())
      parts_.log->Debug("following the store was interrupted", {{"reason", status.message()}});
    lock.lock();
    const bool is_gone = absl::IsOutOfRange(status) || absl::IsDataLoss(status);
    if (is_gone) RequestReload();
    if (absl::IsDataLoss(status)) damage_ = status;
    changed_.wait_for(lock, kFollowInterval, [this] { return is_ending_; });
    if (is_ending_) break;
    if (!is_gone) continue;
    lock.unlock();
    hooks_.wake();
    lock.lock();
  }
  has_followed_ = true;
  changed_.notify_all();
}

bool SharedRegistry::Take(FollowedCommit commit) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(
        lock, [this] { return is_ending_ || is_reload_wanted_ || news_bytes_ <= kMostNewsBytes; });
    if (is_ending_ || is_reload_wanted_) return false;
    most_lag_ = parts_.most_lag;
    if (commit.place <= place_) return true;  // this server's own commit
    news_bytes_ += commit.bytes;
    news_.push_back(std::move(commit));
    has_news_ = true;
    changed_.notify_all();
  }
  hooks_.wake();
  return true;
}

void SharedRegistry::RequestReload() {
  is_reload_wanted_ = true;
  has_news_ = true;
  news_.clear();
  news_bytes_ = 0;
  changed_.notify_all();
}

void SharedRegistry::AskAll() {
  std::vector<Waiter> asked;
  while (NextAsked(&asked)) {
    CommitPlace before = 0;
    {
      const std::lock_guard lock(mutex_);
      before = place_;
    }
    const absl::StatusOr<CommitPlace> newest = parts_.store->Newest();
    const bool is_settled = Asked(std::exchange(asked, {}), before, newest);
    ProbeCommits();
    if (is_settled) continue;
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kLookInterval, [this] { return is_ending_; });
  }
  Ends ends;
  {
    const std::lock_guard lock(mutex_);
    const absl::Status status = NotKnown(absl::UnavailableError("the server goes"));
    for (Waiter& waiter : asking_) ends.emplace_back(std::move(waiter.done), status);
    for (Waiters& waiters : waiting_) {
      for (Waiter& waiter : waiters.all) ends.emplace_back(std::move(waiter.done), status);
    }
    asking_.clear();
    waiting_.clear();
  }
  Finish(ends);
}

bool SharedRegistry::NextAsked(std::vector<Waiter>* asked) {
  const SteadyTime began = SteadyNow();
  while (true) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, waiting_.empty() ? kQuestionInterval : kLookInterval,
                        [this] { return is_ending_ || !asking_.empty(); });
      if (is_ending_) return false;
      *asked = std::exchange(asking_, {});
    }
    LookAtLate();
    if (!asked->empty() || SteadyNow() - began >= absl::FromChrono(kQuestionInterval)) return true;
  }
}

void SharedRegistry::AskAgain(std::vector<Waiter> asked, const absl::Status& failure, Ends* ends) {
  const SteadyTime now = SteadyNow();
  for (Waiter& waiter : asked) {
    if (now - waiter.since >= parts_.patience) {
      ends->emplace_back(std::move(waiter.done), NotKnown(failure));
    } else {
      asking_.push_back(std::move(waiter));
    }
  }
}

bool SharedRegistry::Asked(std::vector<Waiter> asked, CommitPlace before,
                           const absl::StatusOr<CommitPlace>& newest) {
  Ends ends;
  bool is_behind = false;
  {
    const std::lock_guard lock(mutex_);
    const SteadyTime now = SteadyNow();
    if (!newest.ok()) {
      AskAgain(std::move(asked), newest.status(), &ends);
    } else if (*newest < std::min(before, place_)) {
      RequestReload();
      is_behind = true;
      const absl::Status reason =
          damage_.ok() ? absl::UnavailableError("it was put back to an earlier state") : damage_;
      AskAgain(std::move(asked), reason, &ends);
    } else if (*newest <= place_ && !is_reload_wanted_) {
      for (Waiter& waiter : asked) ends.emplace_back(std::move(waiter.done), absl::OkStatus());
    } else {
      waiting_.push_back({*newest, now, std::move(asked)});
    }
  }
  if (is_behind) hooks_.wake();
  SetStatus(newest.status(), &reads_);
  Finish(ends);
  return newest.ok() && !is_behind;
}

bool SharedRegistry::IsLagging(SteadyTime since) {
  return news_.empty() && !is_reload_wanted_ &&
         SteadyNow() - std::max(since, interrupted_) >= most_lag_;
}

// Gives a store that is slow, but not silent, more time the next time.
void SharedRegistry::NoteInterruption() {
  interrupted_ = SteadyNow();
  most_lag_ = std::min(2 * most_lag_, kLongestLag);
}

void SharedRegistry::LookAtLate() {
  Ends ends;
  bool is_lagging = false;
  {
    const std::lock_guard lock(mutex_);
    const SteadyTime now = SteadyNow();
    for (Waiters& waiters : waiting_) {
      is_lagging = is_lagging || IsLagging(waiters.since);
      const auto late = std::partition(
          waiters.all.begin(), waiters.all.end(),
          [&](const Waiter& waiter) { return now - waiter.since < parts_.patience; });
      const absl::Status reason =
          damage_.ok() ? absl::UnavailableError("its last commit has not come yet") : damage_;
      std::for_each(late, waiters.all.end(), [&](Waiter& waiter) {
        ends.emplace_back(std::move(waiter.done), NotKnown(reason));
      });
      waiters.all.erase(late, waiters.all.end());
    }
    if (is_lagging) NoteInterruption();
    std::erase_if(waiting_, [&](const Waiters& waiters) {
      return waiters.all.empty() &&
             now - waiters.since >= std::max(parts_.patience, 2 * parts_.most_lag);
    });
  }
  if (is_lagging) parts_.store->Interrupt();
  Finish(ends);
}

void SharedRegistry::ApplyNews() {
  while (has_news()) {
    FollowedCommit commit;
    {
      std::unique_lock lock(mutex_);
      if (is_reload_wanted_) {
        lock.unlock();
        Reload();
        return;
      }
      if (news_.empty()) {
        has_news_ = false;
        return;
      }
      commit = std::move(news_.front());
      news_.pop_front();
      news_bytes_ -= commit.bytes;
      changed_.notify_all();
      if (commit.place <= place_) continue;
      if (commit.after != place_) {
        RequestReload();
        continue;
      }
    }
    const absl::Status status = parts_.mirror->Apply(commit);
    if (status.ok()) {
      Made(commit.place);
      continue;
    }
    const std::lock_guard lock(mutex_);
    damage_ = status;
    RequestReload();
  }
}

// A failed reload is tried again. Meanwhile nothing is followed, and no name is fresh.
void SharedRegistry::Reload() {
  {
    std::unique_lock lock(mutex_);
    const absl::Duration since = SteadyNow() - reloaded_;
    if (since < absl::FromChrono(kReloadInterval)) {
      changed_.wait_for(lock, kReloadInterval - absl::ToChronoMilliseconds(since),
                        [this] { return is_ending_; });
      if (is_ending_) {
        has_news_ = false;
        return;
      }
    }
  }
  if (parts_.series != nullptr) parts_.series->reloads->Increment();
  const absl::Status status = parts_.mirror->Reload(parts_.store.get());
  if (parts_.log != nullptr && status.ok()) parts_.log->Info("shared registry read again");
  if (parts_.log != nullptr && !status.ok())
    parts_.log->Error("the shared registry cannot be read", {{"reason", status.message()}});
  {
    const std::lock_guard lock(mutex_);
    reloaded_ = SteadyNow();
    if (!status.ok()) {
      damage_ = status;
      return;
    }
    damage_ = absl::OkStatus();
    is_reload_wanted_ = false;
    has_news_ = false;
    place_ = parts_.store->place();
    changed_.notify_all();
  }
  Made(parts_.store->place());
}

absl::Status SharedRegistry::CatchUp(CommitPlace place) {
  const SteadyTime began = SteadyNow();
  while (true) {
    ApplyNews();
    std::unique_lock lock(mutex_);
    if (place_ >= place && !is_reload_wanted_) break;
    if (!damage_.ok()) return damage_;
    if (is_ending_ || SteadyNow() - began >= parts_.patience)
      return absl::UnavailableError("the last commit of another server has not come yet");
    changed_.wait_for(lock, kLookInterval,
                      [this] { return is_ending_ || !news_.empty() || is_reload_wanted_; });
    const bool is_lagging = IsLagging(began);
    if (is_lagging) NoteInterruption();
    lock.unlock();
    if (is_lagging) parts_.store->Interrupt();
  }
  if (parts_.series != nullptr)
    parts_.series->watch_lag_seconds->Observe(absl::ToDoubleSeconds(SteadyNow() - began));
  return absl::OkStatus();
}

absl::StatusOr<SharedStore::Outcome> SharedRegistry::Commit(const RegistryChanges& changes) {
  CommitPlace base = 0;
  {
    const std::lock_guard lock(mutex_);
    base = place_;
  }
  auto outcome = parts_.store->CommitAfter(base, changes);
  if (parts_.series != nullptr && outcome.ok() && !outcome->is_made)
    parts_.series->conflicts->Increment();
  // Without changes the store is only asked.
  SetStatus(outcome.status(), changes.empty() ? &reads_ : &commits_);
  return outcome;
}

void SharedRegistry::Made(CommitPlace place) {
  Ends ends;
  {
    const std::lock_guard lock(mutex_);
    place_ = place;
    const SteadyTime now = SteadyNow();
    // Looks at all waiters, because one in front may wait for a place from before a restore of the
    // store.
    const auto reached =
        std::stable_partition(waiting_.begin(), waiting_.end(),
                              [place](const Waiters& waiters) { return waiters.place > place; });
    for (auto waiters = reached; waiters != waiting_.end(); ++waiters) {
      if (parts_.series != nullptr)
        parts_.series->watch_lag_seconds->Observe(absl::ToDoubleSeconds(now - waiters->since));
      for (Waiter& waiter : waiters->all)
        ends.emplace_back(std::move(waiter.done), absl::OkStatus());
    }
    waiting_.erase(reached, waiting_.end());
    changed_.notify_all();
  }
  Finish(ends);
}

absl::Status SharedRegistry::status() {
  const std::lock_guard lock(mutex_);
  return damage_.ok() ? Lasting(reads_) : damage_;
}

void SharedRegistry::ProbeCommits() {
  {
    const std::lock_guard lock(mutex_);
    if (commits_.failing_since == SteadyTime::InfiniteFuture()) return;
    if (SteadyNow() - probed_ < parts_.probe_interval) return;
    probed_ = SteadyNow();
  }
  SetStatus(parts_.store->Probe(), &commits_);
}

// An election is over soon: until then no caller is refused before it has waited.
absl::Status SharedRegistry::Lasting(const Use& use) const {
  return SteadyNow() - use.failing_since >= parts_.patience ? use.status : absl::OkStatus();
}

void SharedRegistry::SetStatus(const absl::Status& status, Use* use) {
  const std::lock_guard telling(tell_mutex_);
  absl::Status reads;
  absl::Status commits;
  {
    const std::lock_guard lock(mutex_);
    use->status = status;
    use->failing_since =
        status.ok() ? SteadyTime::InfiniteFuture() : std::min(use->failing_since, SteadyNow());
    reads = damage_.ok() ? Lasting(reads_) : damage_;
    commits = Lasting(commits_);
  }
  if (parts_.series != nullptr) {
    parts_.series->is_reached->Set(reads.ok() ? 1 : 0);
    if (!reads.ok() || !commits.ok()) parts_.series->failures->Increment();
  }
  hooks_.tell(reads.ok() ? commits : reads);
}

}  // namespace clearance::server
