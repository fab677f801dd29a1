// SPDX-License-Identifier: Apache-2.0

#include "server/storage/shared_registry.h"

#include <algorithm>
#include <iterator>

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
constexpr absl::Duration kReloadInterval = absl::Seconds(1);

absl::Status NotKnown(const absl::Status& reason) {
  return Refuse(absl::StatusCode::kUnavailable,
                {.reason = Reason::kStoreUnavailable,
                 .field = "store",
                 .value = std::string(reason.message()),
                 .limit = "a store that answers",
                 .message = "What the names mean now cannot be found out; repeat with back-off. "
                            "Digests and open slots need no store."});
}

}  // namespace

SharedRegistry::SharedRegistry(Parts parts)
    : parts_(std::move(parts)), place_(parts_.store->place()), most_lag_(parts_.most_lag) {
  parts_.series.is_shared->Set(1);
  parts_.series.is_reached->Set(1);
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
  while (!is_ending_) {
    const CommitPlace after = news_.empty() ? place_ : news_.back().place;
    lock.unlock();
    const absl::Status status = parts_.store->Follow(
        after, [this](FollowedCommit commit) { return Take(std::move(commit)); });
    if (parts_.log != nullptr && !status.ok())
      parts_.log->Debug("following the store was interrupted", {{"reason", status.message()}});
    lock.lock();
    if (absl::IsDataLoss(status)) damage_ = status;
    if (absl::IsOutOfRange(status) || absl::IsDataLoss(status)) {
      RequestReload();
      lock.unlock();
      hooks_.wake();
      lock.lock();
    }
    changed_.wait_for(lock, kFollowInterval, [this] { return is_ending_; });
    // After a reload, following begins again.
    changed_.wait(lock, [this] { return is_ending_ || !is_reload_wanted_; });
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
    changed_.notify_all();
  }
  hooks_.wake();
  return true;
}

void SharedRegistry::RequestReload() {
  is_reload_wanted_ = true;
  news_.clear();
  news_bytes_ = 0;
  changed_.notify_all();
}

void SharedRegistry::AskAll() {
  SteadyTime asked_at;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait_for(lock, waiting_.empty() ? kQuestionInterval : kLookInterval,
                      [this] { return is_ending_ || !asking_.empty(); });
    if (is_ending_) break;
    std::vector<Waiter> asked = std::exchange(asking_, {});
    lock.unlock();
    LookAtLate();
    bool is_settled = true;
    if (!asked.empty() || SteadyNow() - asked_at >= absl::FromChrono(kQuestionInterval)) {
      asked_at = SteadyNow();
      is_settled = Ask(std::move(asked));
      ProbeCommits();
    }
    lock.lock();
    if (!is_settled) changed_.wait_for(lock, kLookInterval, [this] { return is_ending_; });
  }
  const absl::Status refusal = NotKnown(absl::UnavailableError("the server goes"));
  Ends ends;
  End(std::exchange(asking_, {}), refusal, &ends);
  for (Waiters& waiters : std::exchange(waiting_, {})) End(std::move(waiters.all), refusal, &ends);
  lock.unlock();
  for (const auto& [done, status] : ends) done(status);
}

bool SharedRegistry::Ask(std::vector<Waiter> asked) {
  const CommitPlace before = place();
  const absl::StatusOr<CommitPlace> newest = parts_.store->Newest();
  Ends ends;
  bool is_behind = false;
  {
    const std::lock_guard lock(mutex_);
    is_behind = newest.ok() && *newest < std::min(before, place_);
    if (is_behind) RequestReload();
    if (is_behind || !newest.ok()) {
      const absl::Status put_back = absl::UnavailableError("it was put back to an earlier state");
      RefuseLate(is_behind ? DamageOr(put_back) : newest.status(), &asked, &ends);
      std::move(asked.begin(), asked.end(), std::back_inserter(asking_));
    } else if (*newest <= place_ && !is_reload_wanted_) {
      End(std::move(asked), absl::OkStatus(), &ends);
    } else {
      waiting_.push_back({*newest, SteadyNow(), std::move(asked)});
    }
  }
  if (is_behind) hooks_.wake();
  SetStatus(newest.status(), &reads_);
  for (const auto& [done, status] : ends) done(status);
  return newest.ok() && !is_behind;
}

void SharedRegistry::RefuseLate(const absl::Status& reason, std::vector<Waiter>* waiters,
                                Ends* ends) const {
  const SteadyTime now = SteadyNow();
  const auto late = std::partition(waiters->begin(), waiters->end(), [&](const Waiter& waiter) {
    return now - waiter.since < parts_.patience;
  });
  End({std::move_iterator(late), std::move_iterator(waiters->end())}, NotKnown(reason), ends);
  waiters->erase(late, waiters->end());
}

bool SharedRegistry::NoteLag(SteadyTime since) {
  const SteadyTime now = SteadyNow();
  const bool is_waiting = news_.empty() && !is_reload_wanted_;
  if (!is_waiting || now - std::max(since, interrupted_) < most_lag_) return false;
  interrupted_ = now;
  most_lag_ = std::min(2 * most_lag_, kLongestLag);
  return true;
}

void SharedRegistry::LookAtLate() {
  Ends ends;
  bool is_lagging = false;
  {
    const std::lock_guard lock(mutex_);
    const SteadyTime now = SteadyNow();
    const absl::Status reason =
        DamageOr(absl::UnavailableError("its last commit has not come yet"));
    for (Waiters& waiters : waiting_) {
      is_lagging = NoteLag(waiters.since) || is_lagging;
      RefuseLate(reason, &waiters.all, &ends);
    }
    std::erase_if(waiting_, [&](const Waiters& waiters) {
      return waiters.all.empty() &&
             now - waiters.since >= std::max(parts_.patience, 2 * parts_.most_lag);
    });
  }
  if (is_lagging) parts_.store->Interrupt();
  for (const auto& [done, status] : ends) done(status);
}

void SharedRegistry::ApplyNews() {
  std::unique_lock lock(mutex_);
  while (!is_reload_wanted_ && !news_.empty()) {
    const FollowedCommit commit = std::move(news_.front());
    news_.pop_front();
    news_bytes_ -= commit.bytes;
    changed_.notify_all();
    if (commit.place <= place_) continue;
    if (commit.after != place_) {
      RequestReload();
      break;
    }
    lock.unlock();
    const absl::Status status = parts_.mirror->Apply(commit);
    if (status.ok()) Made(commit.place);
    lock.lock();
    if (status.ok()) continue;
    damage_ = status;
    RequestReload();
  }
  const bool is_reload_wanted = is_reload_wanted_;
  lock.unlock();
  if (is_reload_wanted) Reload();
}

// A failed reload is tried again. Meanwhile nothing is followed, and no name is fresh.
void SharedRegistry::Reload() {
  {
    std::unique_lock lock(mutex_);
    const absl::Duration left = kReloadInterval - (SteadyNow() - reloaded_);
    changed_.wait_for(lock, absl::ToChronoMilliseconds(std::max(left, absl::ZeroDuration())),
                      [this] { return is_ending_; });
    if (is_ending_) return;
  }
  parts_.series.reloads->Increment();
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
    const bool is_lagging = NoteLag(began);
    lock.unlock();
    if (is_lagging) parts_.store->Interrupt();
  }
  parts_.series.watch_lag_seconds->Observe(absl::ToDoubleSeconds(SteadyNow() - began));
  return absl::OkStatus();
}

absl::StatusOr<SharedStore::Outcome> SharedRegistry::Commit(const RegistryChanges& changes) {
  auto outcome = parts_.store->CommitAfter(place(), changes);
  if (outcome.ok() && !outcome->is_made) parts_.series.conflicts->Increment();
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
      parts_.series.watch_lag_seconds->Observe(absl::ToDoubleSeconds(now - waiters->since));
      End(std::move(waiters->all), absl::OkStatus(), &ends);
    }
    waiting_.erase(reached, waiting_.end());
    changed_.notify_all();
  }
  for (const auto& [done, status] : ends) done(status);
}

absl::Status SharedRegistry::status() {
  const std::lock_guard lock(mutex_);
  return DamageOr(Lasting(reads_));
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
    reads = DamageOr(Lasting(reads_));
    commits = Lasting(commits_);
  }
  parts_.series.is_reached->Set(reads.ok() ? 1 : 0);
  if (!reads.ok() || !commits.ok()) parts_.series.failures->Increment();
  hooks_.tell(reads.ok() ? commits : reads);
}

}  // namespace clearance::server
