// SPDX-License-Identifier: Apache-2.0
//
// The only path by which names of shapes and scenes come and go, and kept scenes change. One thread
// takes the changes in order and stores those that wait together (one sync of the disk). Only then
// are they made in the registry and answered. So queries never see changes that a crash could
// revert, and no thread that serves calls waits for the disk. Without a store the same happens
// immediately.
//
// If the registry is shared with other servers, a commit follows the last of all or is not made.
// Then the others' changes are made here first, and the same changes are worked out again.

#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "server/observe/log.h"
#include "server/observe/metrics.h"
#include "server/registry/registry.h"
#include "server/registry/scene_registry.h"
#include "server/storage/shape_store.h"
#include "server/storage/shared_registry.h"

namespace clearance::server {

// A change of the name of a shape or, if `scene` is set, only of a scene.
struct ShapeChange {
  std::string name;
  // The new content of the name; null: the name is deleted. If it is a failure, nothing happens:
  // the failure is the outcome.
  absl::StatusOr<ShapeContentPtr> content = ShapeContentPtr();
  RegisterOptions options;  // of a registration
  std::string etag;         // of a deletion; may be empty
  // Only scenes with these prefixes may be named in a refusal; none: all scenes.
  std::vector<std::string> prefixes = {};
  std::shared_ptr<const NamedSceneChange> scene = nullptr;
};

// As of RegistryDraft; for a scene the result of SceneDraft::Change.
using ShapeOutcome = absl::StatusOr<Registry::Registration>;

// Thread-safe.
class ShapeLedger {
 public:
  struct Parts {
    Registry& registry;
    std::unique_ptr<ShapeStore> store;  // null: shapes live in memory
    Metrics* metrics = nullptr;         // may be null, as may the log
    Log* log = nullptr;
    SceneRegistry& scenes;
    std::unique_ptr<SharedRegistry> shared = nullptr;  // instead of the store
  };
  explicit ShapeLedger(Parts parts);
  // Finishes all submitted changes.
  ~ShapeLedger();

  // Passes one outcome per change to `done`, in their order. If the store fails, changes with an
  // effect are refused and nothing changes, unless the refusal says that the outcome is unknown.
  // The code is UNAVAILABLE, or RESOURCE_EXHAUSTED if the disk is full or too much waits for it
  // (field `data_dir`, for a shared store `store`). Changes submitted together are stored together,
  // in a shared store as far as it takes that many; in other respects they are independent. `done`
  // is called once, on the ledger's thread or, if too much waits, on this one; it must not block.
  using Done = std::function<void(std::vector<ShapeOutcome>)>;
  void Submit(std::vector<ShapeChange> changes, Done done);

  // Tells when a name is as new as any server's; null if there is only one server.
  SharedRegistry* freshness() const { return shared_.get(); }

  SceneRegistry& scenes() const { return scenes_; }

  // Calls `watch` with whether changes can be stored: now, and whenever that changes. While they
  // cannot, a small write is tried four times a second, in a shared store at most once. Null ends
  // the calls, and waits for a running one.
  void WatchHealth(std::function<void(bool)> watch);
  bool is_healthy();

 private:
  struct Order {
    std::vector<ShapeChange> changes;
    Done done;
    std::uint64_t bytes = 0;
    std::vector<ShapeOutcome> outcomes;
  };

  void Run();
  // Returns the waiting orders that fit into one commit; none: it is time to try a write. Returns
  // null at the end.
  std::optional<std::vector<Order>> NextOrders();
  void Settle(std::vector<Order> orders);
  struct Item {
    const ShapeChange* change;
    ShapeOutcome* outcome;
  };
  // Settle the items of one commit, unless it fails.
  absl::Status SettleAlone(absl::Span<const Item> items);
  absl::Status SettleShared(absl::Span<const Item> items);
  // Works the items out and commits, unless others were faster.
  absl::StatusOr<SharedStore::Outcome> TryGroup(absl::Span<const Item> items);
  void Count(const RegistryChanges& changes, absl::Duration took);
  // Sets the outcomes of changes that the store has not taken.
  void SetUnstored(absl::Span<const Item> items, const absl::Status& failure);
  void SetHealthy(const absl::Status& status);

  Registry& registry_;
  SceneRegistry& scenes_;
  const std::unique_ptr<ShapeStore> store_;
  const std::unique_ptr<SharedRegistry> shared_;
  StoreSeries* const series_;
  Log* const log_;

  std::mutex mutex_;  // guards queue_, queued_bytes_ and is_ending_
  std::condition_variable changed_;
  std::deque<Order> queue_;
  std::uint64_t queued_bytes_ = 0;
  bool is_ending_ = false;

  std::mutex watch_mutex_;  // guards the next two members
  std::function<void(bool)> watch_;
  bool is_healthy_ = true;  // with a shared store, written by another thread

  std::thread thread_;
};

}  // namespace clearance::server
