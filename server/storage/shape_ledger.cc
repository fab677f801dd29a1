// SPDX-License-Identifier: Apache-2.0

#include "server/storage/shape_ledger.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/guard/refusal.h"
#include "server/observe/steady_clock.h"

namespace clearance::server {
namespace {

// Maximum bytes that wait for the disk, and that enter a commit that already has a change.
constexpr std::uint64_t kMostQueuedBytes = 256 * kMebibyte;
constexpr std::uint64_t kMostCommitBytes = 64 * kMebibyte;
// Approximate bytes of a change without content.
constexpr std::uint64_t kBytesOfChange = 256;

constexpr std::chrono::milliseconds kProbeInterval{250};

std::uint64_t BytesOf(const std::vector<ShapeChange>& changes) {
  std::uint64_t bytes = 0;
  for (const ShapeChange& change : changes) {
    const bool has_content = change.content.ok() && *change.content != nullptr;
    bytes += kBytesOfChange + (has_content ? (*change.content)->byte_size() : 0);
    if (change.scene != nullptr) bytes += change.scene->record.size() + change.scene->whole.size();
  }
  return bytes;
}

// A content that kept scenes use must keep a name: after a restart they find it only by the
// registry.
absl::Status RequireUnused(const ShapeChange& change, RegistryDraft* shapes,
                           const SceneDraft& scenes) {
  const ShapeContentPtr old = shapes->ContentOf(change.name);
  if (old == nullptr || !shapes->IsLastName(*old)) return absl::OkStatus();
  const ShapeContentPtr& next = *change.content;
  const bool is_replaced = next != nullptr && next->digest != old->digest && change.options.replace;
  if (next != nullptr && !is_replaced) return absl::OkStatus();
  const SceneDraft::Users users = scenes.UsersOf(old->digest, change.prefixes);
  if (users.count == 0) return absl::OkStatus();
  std::string words = absl::StrJoin(users.names, ", ");
  const std::size_t others = users.count - users.names.size();
  if (others > 0) absl::StrAppend(&words, words.empty() ? "" : " and ", others, " others");
  return Refuse(absl::StatusCode::kFailedPrecondition,
                {.reason = Reason::kShapeInUse,
                 .field = "name",
                 .value = change.name,
                 .limit = "a content that no scene uses, or that another name has as well",
                 .message = "Scenes use this shape: " + words +
                            ". Take it out of them, or give its content a second name first."});
}

// Drafts of changes, which give the outcome of each.
struct Drafts {
  Drafts(Registry& all_shapes, SceneRegistry& all_scenes)
      : shapes(&all_shapes), scenes(&all_scenes) {}

  ShapeOutcome Draft(const ShapeChange& change);
  ShapeOutcome DraftScene(const NamedSceneChange& change);
  RegistryChanges changes() const {
    RegistryChanges changes = shapes.changes();
    changes.scenes = scenes.records();
    return changes;
  }
  bool empty() const { return shapes.changes().empty() && scenes.empty(); }
  void Apply() {
    shapes.Apply();
    scenes.Apply();
  }

  RegistryDraft shapes;
  SceneDraft scenes;
};

ShapeOutcome Drafts::Draft(const ShapeChange& change) {
  if (change.scene != nullptr) return DraftScene(*change.scene);
  if (!change.content.ok()) return change.content.status();
  if (absl::Status status = RequireUnused(change, &shapes, scenes); !status.ok()) return status;
  return *change.content == nullptr ? shapes.Delete(change.name, change.etag)
                                    : shapes.Register(change.name, *change.content, change.options);
}

ShapeOutcome Drafts::DraftScene(const NamedSceneChange& change) {
  for (const std::string& digest : change.digests) {
    if (!change.ttl.has_value() && !shapes.HasDigest(digest))
      return RefuseUnknown("digest", digest);
  }
  absl::StatusOr<SceneState> state = scenes.Change(change);
  if (!state.ok()) return state.status();
  Registry::Registration changed;
  changed.scene = std::make_shared<const SceneState>(*std::move(state));
  return changed;
}

// A store that has failed is tried several times a second.
constexpr absl::Duration kStorePatience = absl::Seconds(1);
// All waiting changes are written at once.
constexpr absl::Duration kQueuePatience = absl::Milliseconds(200);

// Returns the refusal of a change that is not, or only may be, in the store.
absl::Status Unstored(const absl::Status& failure, bool is_shared) {
  const std::string reason(failure.message());
  if (is_shared && absl::IsUnknown(failure)) {
    return Refuse(absl::StatusCode::kUnavailable,
                  {.reason = Reason::kChangeUnknown,
                   .field = "store",
                   .value = reason,
                   .limit = "a store that answers",
                   .message = "The store has not said whether the change is made; it may be, or "
                              "come later. Look before repeating it; to register the same content "
                              "again changes nothing."});
  }
  const bool is_full = absl::IsResourceExhausted(failure);
  return Refuse(
      is_full ? absl::StatusCode::kResourceExhausted : absl::StatusCode::kUnavailable,
      {.reason = is_full ? Reason::kStoreFull : Reason::kStoreFailed,
       .field = is_shared ? "store" : "data_dir",
       .value = is_shared ? reason
                : is_full ? "the disk is full"
                          : "the write failed",
       .limit = "what is acknowledged is stored",
       .message = "The change could not be stored and was not made; repeat it with back-off.",
       .retry_after = kStorePatience});
}

}  // namespace

ShapeLedger::ShapeLedger(Parts parts)
    : registry_(parts.registry),
      scenes_(parts.scenes),
      store_(std::move(parts.store)),
      shared_(std::move(parts.shared)),
      series_(parts.metrics == nullptr ? nullptr : &parts.metrics->store()),
      log_(parts.log),
      thread_([this] { Run(); }) {
  if (shared_ == nullptr) return;
  shared_->Start({.wake =
                      [this] {
                        // Locks so that the news is not missed between a look and the wait.
                        { const std::lock_guard lock(mutex_); }
                        changed_.notify_one();
                      },
                  .tell = [this](const absl::Status& status) { SetHealthy(status); }});
}

ShapeLedger::~ShapeLedger() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
  if (shared_ != nullptr) shared_->Stop();
}

void ShapeLedger::Submit(std::vector<ShapeChange> changes, Done done) {
  const std::uint64_t bytes = BytesOf(changes);
  std::uint64_t waiting = 0;
  {
    const std::lock_guard lock(mutex_);
    waiting = queued_bytes_;
    // A single order is always taken: its own message was small enough.
    if (waiting == 0 || waiting + bytes <= kMostQueuedBytes) {
      queued_bytes_ += bytes;
      queue_.push_back({std::move(changes), std::move(done), bytes, {}});
      changed_.notify_one();
      return;
    }
  }
  const absl::Status refusal =
      Refuse(absl::StatusCode::kResourceExhausted,
             {.reason = Reason::kStoreBusy,
              .field = shared_ == nullptr ? "data_dir" : "store",
              .value = FormatNumber(waiting) + " bytes wait to be stored",
              .limit = "<= " + FormatNumber(kMostQueuedBytes),
              .message = "The store does not keep up with the registrations; repeat with back-off.",
              .retry_after = kQueuePatience});
  done(std::vector<ShapeOutcome>(changes.size(), refusal));
}

void ShapeLedger::WatchHealth(std::function<void(bool)> watch) {
  const std::lock_guard lock(watch_mutex_);
  watch_ = std::move(watch);
  if (watch_) watch_(is_healthy_);
}

bool ShapeLedger::is_healthy() {
  const std::lock_guard lock(watch_mutex_);
  return is_healthy_;
}

void ShapeLedger::Run() {
  while (std::optional<std::vector<Order>> orders = NextOrders()) {
    if (shared_ != nullptr) shared_->ApplyNews();
    if (!orders->empty()) {
      Settle(*std::move(orders));
    } else if (shared_ == nullptr) {
      SetHealthy(store_->Probe());
    }
  }
}

std::optional<std::vector<ShapeLedger::Order>> ShapeLedger::NextOrders() {
  std::vector<Order> orders;
  std::unique_lock lock(mutex_);
  const auto has_work = [this] {
    return !queue_.empty() || is_ending_ || (shared_ != nullptr && shared_->has_news());
  };
  // is_healthy_ is read only without a shared store, and then only this thread changes it.
  if (shared_ != nullptr || is_healthy_) {
    changed_.wait(lock, has_work);
  } else {
    changed_.wait_for(lock, kProbeInterval, has_work);
  }
  if (is_ending_ && queue_.empty()) return std::nullopt;
  std::uint64_t bytes = 0;
  while (!queue_.empty() && (orders.empty() || bytes + queue_.front().bytes <= kMostCommitBytes)) {
    bytes += queue_.front().bytes;
    orders.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  queued_bytes_ -= bytes;
  return orders;
}

void ShapeLedger::Settle(std::vector<Order> orders) {
  std::vector<Item> items;
  for (Order& order : orders) {
    order.outcomes.resize(order.changes.size(), absl::UnknownError("not settled"));
    for (std::size_t i = 0; i < order.changes.size(); ++i)
      items.push_back({&order.changes[i], &order.outcomes[i]});
  }
  for (absl::Span<const Item> left = items; !left.empty();) {
    const auto group = left.subspan(0, shared_ == nullptr ? left.size() : shared_->most_changes());
    left.remove_prefix(group.size());
    const absl::Status status = shared_ == nullptr ? SettleAlone(group) : SettleShared(group);
    if (!status.ok()) SetUnstored(group, status);
  }
  for (Order& order : orders) order.done(std::move(order.outcomes));
}

absl::Status ShapeLedger::SettleAlone(absl::Span<const Item> items) {
  Drafts drafts(registry_, scenes_);
  for (const Item& item : items) *item.outcome = drafts.Draft(*item.change);
  const RegistryChanges changes = drafts.changes();
  if (store_ != nullptr && !changes.empty()) {
    const SteadyTime began = SteadyNow();
    absl::Status status = store_->Commit(changes);
    if (status.ok()) Count(changes, SteadyNow() - began);
    SetHealthy(status);
    if (!status.ok()) return status;
  }
  drafts.Apply();
  return absl::OkStatus();
}

absl::Status ShapeLedger::SettleShared(absl::Span<const Item> items) {
  const SteadyTime began = SteadyNow();
  absl::Status status = shared_->status();
  while (status.ok()) {
    const absl::StatusOr<SharedStore::Outcome> outcome = TryGroup(items);
    if (outcome.ok() && outcome->is_made) return absl::OkStatus();
    // The others' changes are made here first.
    status = outcome.ok() ? shared_->CatchUp(outcome->place) : outcome.status();
    if (status.ok() && SteadyNow() - began >= shared_->patience())
      status = absl::UnavailableError("other servers were faster all the time");
  }
  if (series_ != nullptr) series_->failures->Increment();
  return status;
}

absl::StatusOr<SharedStore::Outcome> ShapeLedger::TryGroup(absl::Span<const Item> items) {
  Drafts drafts(registry_, scenes_);
  for (const Item& item : items) *item.outcome = drafts.Draft(*item.change);
  const RegistryChanges changes = drafts.changes();
  const SteadyTime began = SteadyNow();
  // Also commits no changes: a refusal, or a change that is made already, must hold for the newest
  // state.
  auto outcome = shared_->Commit(changes);
  if (!outcome.ok() || !outcome->is_made) return outcome;
  drafts.Apply();
  if (!changes.empty()) {
    shared_->Made(outcome->place);
    Count(changes, SteadyNow() - began);
  }
  return outcome;
}

void ShapeLedger::Count(const RegistryChanges& changes, absl::Duration took) {
  if (series_ == nullptr) return;
  series_->commits->Increment();
  series_->commit_seconds->Observe(absl::ToDoubleSeconds(took));
  series_->commit_names->Observe(static_cast<double>(changes.names.size()));
}

// Drafts each change separately: one that was refused with the others may have been so because of
// them. No server can tell by itself which changes to a shared registry change nothing.
void ShapeLedger::SetUnstored(absl::Span<const Item> items, const absl::Status& failure) {
  for (const Item& item : items) {
    const ShapeChange& change = *item.change;
    *item.outcome = Unstored(failure, shared_ != nullptr);
    if (shared_ == nullptr) {
      Drafts drafts(registry_, scenes_);
      ShapeOutcome outcome = drafts.Draft(change);
      if (drafts.empty()) *item.outcome = std::move(outcome);
    } else if (change.scene == nullptr && !change.content.ok()) {
      *item.outcome = change.content.status();
    }
  }
}

void ShapeLedger::SetHealthy(const absl::Status& status) {
  if (series_ != nullptr) {
    if (!status.ok() && shared_ == nullptr) series_->failures->Increment();
    if (store_ != nullptr) series_->bytes->Set(static_cast<double>(store_->byte_size()));
  }
  const std::lock_guard lock(watch_mutex_);
  if (is_healthy_ == status.ok()) return;
  is_healthy_ = status.ok();
  if (log_ != nullptr && is_healthy_) log_->Info("shapes can be stored again");
  if (log_ != nullptr && !is_healthy_) {
    log_->Error("shapes cannot be stored: registrations are refused, queries go on",
                {{"reason", status.message()}});
  }
  if (watch_) watch_(is_healthy_);
}

}  // namespace clearance::server
