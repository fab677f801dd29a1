// SPDX-License-Identifier: Apache-2.0
//
// The one way in which names of shapes and scenes come and go, and kept scenes change: by one
// thread, in order, stored together as far as they wait together (one sync of the disk), and only
// then made in the registry and answered. So queries never see what a crash could take back, and no
// thread that serves calls waits for the disk. Without a store the same happens at once.
//
// Where the registry is shared with other servers, a commit comes after the last of all or not at
// all; then what the others made is made here first, and the same changes are worked out anew.

#ifndef CLEARANCE_SERVER_STORAGE_SHAPE_LEDGER_H_
#define CLEARANCE_SERVER_STORAGE_SHAPE_LEDGER_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/observe/log.h"
#include "server/observe/metrics.h"
#include "server/registry/registry.h"
#include "server/registry/registry_draft.h"
#include "server/registry/scene_draft.h"
#include "server/storage/shape_store.h"
#include "server/storage/shared_registry.h"

namespace clearance::server {

// What is to happen to the name of a shape or, where `scene` is set, to a scene; then nothing else
// is.
struct ShapeChange {
  std::string name;
  // What the name takes; null: the name goes. Of a failure nothing happens: it is the outcome.
  absl::StatusOr<ShapeContentPtr> content = ShapeContentPtr();
  RegisterOptions options;      // of a registration
  std::string expected_digest;  // of a deletion; may be empty
  // Of scenes with these prefixes alone the names may be told; none: of all.
  std::vector<std::string> prefixes = {};
  std::shared_ptr<const NamedSceneChange> scene = nullptr;
};

// As of Registry::Register; of a deletion the content that was deleted, and the revision; of a
// scene what SceneDraft::Change says.
using ShapeOutcome = absl::StatusOr<Registry::Registration>;

// Thread-safe.
class ShapeLedger {
 public:
  struct Parts {
    Registry& registry;
    std::unique_ptr<ShapeStore> store;  // null: shapes live in memory
    Metrics* metrics = nullptr;         // may be null, as may the log
    Log* log = nullptr;
    SceneRegistry* scenes = nullptr;                   // likewise: then no change is of a scene
    std::unique_ptr<SharedRegistry> shared = nullptr;  // instead of the store
  };
  explicit ShapeLedger(Parts parts);
  // Finishes what was submitted.
  ~ShapeLedger();

  ShapeLedger(const ShapeLedger&) = delete;
  ShapeLedger& operator=(const ShapeLedger&) = delete;

  // One outcome a change, in their order. Where the store fails, changes that would have changed
  // something are refused with UNAVAILABLE, or RESOURCE_EXHAUSTED where the disk is full or too
  // much waits for it (field `data_dir`, of a shared one `store`), and nothing has changed, but
  // where the refusal says that nobody knows. Changes submitted together are stored together, in a
  // shared store as far as that takes them; each stands by itself otherwise. `done` is called once,
  // on the ledger's thread or, where too much waits, on this one; it must not block.
  using Done = std::function<void(std::vector<ShapeOutcome>)>;
  void Submit(std::vector<ShapeChange> changes, Done done);

  // By which it is known that a name is as new as any server's; null where there is one server.
  Freshness* freshness() const { return shared_.get(); }

  // What its changes of scenes are made in; may be null.
  SceneRegistry* scenes() const { return scenes_; }

  // Calls `watch` with whether changes can be stored: now, and whenever that changes. While they
  // cannot, a small write is tried four times a second, in a shared store once at most. Null ends
  // that, and waits for a call under way.
  void WatchHealth(std::function<void(bool)> watch);
  // Whether they can, as of now.
  bool is_healthy();

 private:
  struct Order {
    std::vector<ShapeChange> changes;
    Done done;
    std::uint64_t bytes = 0;
  };

  void Run();
  // Those that wait, as far as they make one commit. None: it is time to try a write, or the end.
  std::vector<Order> NextOrders();
  bool is_ending();
  void Settle(std::vector<Order> orders);
  // The same in the shared registry, as many changes at a time as make one commit there.
  void SettleShared(std::vector<Order> orders);
  struct Item {
    const ShapeChange* change;
    ShapeOutcome* outcome;
  };
  // Settles the first of them; so many.
  std::size_t SettleGroup(absl::Span<const Item> items);
  // Works them out and commits. False: others were faster, and what they made is made here.
  absl::StatusOr<bool> TryGroup(absl::Span<const Item> items);
  // Makes the changes; OK, too, of none. Otherwise nothing has changed.
  absl::Status Store(const RegistryChanges& changes);
  void Count(const RegistryChanges& changes, absl::Duration took);
  // The outcome of one change, drafted.
  struct Drafts {
    RegistryDraft shapes;
    std::optional<SceneDraft> scenes;

    RegistryChanges changes() const;
    bool empty() const;
    void Apply();
  };
  Drafts NewDrafts();
  static ShapeOutcome Draft(const ShapeChange& change, Drafts* drafts);
  // What the changes come to where the store fails.
  std::vector<ShapeOutcome> OutcomesUnstored(const Order& order, const absl::Status& failure);
  ShapeOutcome OutcomeUnstored(const ShapeChange& change, const absl::Status& failure);
  void SetHealthy(const absl::Status& status);

  Registry& registry_;
  SceneRegistry* const scenes_;
  const std::unique_ptr<ShapeStore> store_;
  const std::unique_ptr<SharedRegistry> shared_;
  StoreSeries* const series_;
  Log* const log_;

  std::mutex mutex_;  // guards the next three
  std::condition_variable changed_;
  std::deque<Order> queue_;
  std::uint64_t queued_bytes_ = 0;
  bool is_ending_ = false;

  std::mutex watch_mutex_;  // guards the next two
  std::function<void(bool)> watch_;
  bool is_healthy_ = true;  // of a shared store written by another thread

  std::thread thread_;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_STORAGE_SHAPE_LEDGER_H_
