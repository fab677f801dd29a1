// SPDX-License-Identifier: Apache-2.0
//
// The registered shapes: names for immutable contents, held in memory. A caller that finds a shape
// shares its content, so later changes of the name cannot affect that caller. The lock is held for
// a look-up, never for building a hull or for writing to disk. Changes are worked out beforehand
// (RegistryDraft) and made all at once.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/shape/rigid_body.h"
#include "server/config/limits.h"
#include "server/guard/holding_quotas.h"
#include "server/observe/metrics.h"
#include "server/registry/holders.h"

namespace clearance::server {

struct SceneState;  // scene_registry.h

// One validated content, whatever its names.
struct ShapeContent {
  std::string digest;
  RigidBodyPtr body;
  std::string serialized;  // clearance.v1.Shape, as it was given

  std::size_t byte_size() const {
    return sizeof(*this) + digest.size() + serialized.size() + body->byte_size();
  }
};
using ShapeContentPtr = std::shared_ptr<const ShapeContent>;

// A content under a name. `revision` is the one at which the name took it.
struct NamedShape {
  std::string name;
  ShapeContentPtr content;
  std::uint64_t revision = 0;
  std::string owner = {};  // the id of the principal who gave it this content; empty: none
};

struct RegisterOptions {
  bool replace = false;        // the name may have other content
  bool validate_only = false;  // check everything, change nothing
  std::string owner = {};      // the name's owner with its new content
};

// A stored record of a scene: the whole of one revision, or the change that made a later revision
// from the one before it.
struct SceneRecord {
  std::string name;
  std::uint64_t incarnation = 0;
  std::uint64_t revision = 0;  // 0: the scene is deleted, with all its records
  bool is_whole = false;       // replaces all records before it
  std::string owner = {};      // the id of the principal who made the scene; empty: none
  std::string change;          // clearance.v1.SceneChange, its shapes named by digest
};

// The result of several changes, each name and each content at most once.
struct RegistryChanges {
  std::vector<NamedShape> names;       // without content: the name is deleted
  std::vector<ShapeContentPtr> added;  // contents that had no name before
  std::vector<std::string> dropped;    // digests of those that have none after
  std::vector<SceneRecord> scenes;     // the records of scenes to store, in this order
  std::uint64_t revision = 0;          // the registry's, after them

  bool empty() const { return names.empty() && scenes.empty(); }
};

// Returns NOT_FOUND for a name or digest that nothing has.
absl::Status RefuseUnknown(std::string_view field, std::string_view value);

// FAILED_PRECONDITION naming `min_revision` unless `what` has reached it.
absl::Status RequireReached(std::uint64_t min_revision, std::uint64_t reached,
                            std::string_view what);

// Thread-safe. Every change increments the revision by one, from 0 of the empty registry.
//
// A name belongs to its owner: the principal that gave it its present content. The whole content
// counts for the owner, however many names share it. Registering what is there already changes no
// owner. Replacing a content takes the name over. Deleting a name frees what its owner held.
class Registry {
 public:
  // `metrics` and `quotas` may be null.
  Registry(const Limits& limits, Metrics* metrics, const HoldingQuotas* quotas = nullptr);

  struct Registration {
    NamedShape shape;
    std::uint64_t revision = 0;  // of the registry, after this
    bool created = false;  // false if the name had this content already, or with validate_only
    std::shared_ptr<const SceneState> scene = nullptr;  // for a scene's change; nothing else is set
  };

  struct Found {
    NamedShape shape;
    std::uint64_t revision = 0;  // of the registry, at which this was found
  };
  // INVALID_ARGUMENT if the text is not a name or digest, NOT_FOUND if nothing has it. A content
  // with several names is found by digest under the first of them, of those that begin with one of
  // the prefixes; by default, of all.
  absl::StatusOr<Found> FindByName(std::string_view name) const;
  absl::StatusOr<Found> FindByDigest(std::string_view digest,
                                     absl::Span<const std::string> prefixes = {""}) const;

  // Null: no name has it.
  ShapeContentPtr FindContent(std::string_view digest) const;

  struct Page {
    std::vector<NamedShape> shapes;
    bool is_last = true;
    std::uint64_t revision = 0;
  };
  // Returns at most `size` names that begin with `prefix` and come after `after`, in the order of
  // their bytes.
  Page List(std::string_view prefix, std::string_view after, std::size_t size) const;

  std::uint64_t revision() const {
    const std::shared_lock lock(mutex_);
    return revision_;
  }
  std::size_t size() const {
    const std::shared_lock lock(mutex_);
    return by_name_.size();
  }
  // Returns the number of names of this principal, and the bytes of their contents.
  Holding HoldingOf(std::string_view owner) const {
    const std::shared_lock lock(mutex_);
    return holdings_.Of(owner);
  }

  const HoldingQuotas* quotas() const { return quotas_; }

  // Returns the bytes of contents without a name that scenes or sessions still hold. While they
  // exceed `max_registry_bytes`, no new content is registered. So both together take at most twice
  // that.
  std::uint64_t LookAtDetached() { return detached_.Look(); }
  struct Detached {
    std::uint64_t bytes = 0;
    bool will_have_room = false;  // after too many bytes
  };
  // Looks at them and, if they are too many, tells sessions to go until the others, scenes and
  // tracks will hold no more than that.
  Detached BoundDetached();

  ShapeHolders& holders() { return holders_; }

  // Puts these names in place, or deletes those without content, regardless of the limits. Those
  // held when the names were stored, or on another server that shares the registry.
  void Follow(const std::vector<NamedShape>& names, std::uint64_t revision);

  absl::Status RequireRevision(std::uint64_t min_revision) const {
    return RequireReached(min_revision, revision(), "registry");
  }

 private:
  struct Held {
    ShapeContentPtr content;
    absl::btree_set<std::string> names;
  };
  struct ByName {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): a name of std
    static std::string_view KeyOf(const NamedShape& shape) { return shape.name; }
    static std::string_view KeyOf(std::string_view name) { return name; }
    bool operator()(const auto& a, const auto& b) const { return KeyOf(a) < KeyOf(b); }
  };

  friend class RegistryDraft;

  // Requires: changing_ is held since the changes were worked out.
  void Make(const std::vector<NamedShape>& names, std::uint64_t revision);
  // Require: mutex_ is held exclusively.
  ShapeContentPtr Hold(std::string_view name, const ShapeContentPtr& content);
  void Release(std::string_view name, const ShapeContent& content);

  const Limits limits_;
  Metrics* const metrics_;
  DetachedBytes detached_;
  ShapeHolders holders_;
  const HoldingQuotas* const quotas_;
  // Held for a change of the registry, from working it out until it is made. The members below are
  // read under this or under mutex_, and changed under both.
  std::mutex changing_;
  // Guards the members below. It is the standard library's because the thread sanitizer sees
  // through it, but not through the absl::Mutex of an Abseil that was built without the sanitizer.
  mutable std::shared_mutex mutex_;
  absl::btree_set<NamedShape, ByName> by_name_;
  absl::flat_hash_map<std::string, Held> by_digest_;
  Holdings holdings_;
  std::uint64_t bytes_ = 0;
  std::uint64_t revision_ = 0;
};

// Changes of the registry worked out before they are made, each on the result of those before it.
// In between they can be written to disk. Until they are made, other threads see nothing of them,
// and a draft that is dropped before has changed nothing. While it lives, other changes of the
// registry wait; queries do not. Thread-compatible.
class RegistryDraft {
 public:
  // `registry` outlives this.
  explicit RegistryDraft(Registry* registry);

  // Fails with INVALID_ARGUMENT, ALREADY_EXISTS or RESOURCE_EXHAUSTED. A refused change leaves the
  // draft as it was.
  absl::StatusOr<Registry::Registration> Register(std::string_view name,
                                                  const ShapeContentPtr& content,
                                                  const RegisterOptions& options);
  // Returns the deleted content and the revision. `etag` may be empty. Fails with INVALID_ARGUMENT,
  // NOT_FOUND or FAILED_PRECONDITION.
  absl::StatusOr<Registry::Registration> Delete(std::string_view name, std::string_view etag);

  // Look at the state after the changes so far. A name may have no content: null. IsLastName
  // requires that a name has the content, and returns whether no other has.
  ShapeContentPtr ContentOf(std::string_view name) const { return Find(name).content; }
  bool IsLastName(const ShapeContent& content) { return UseOf(content).names == 1; }
  bool HasDigest(std::string_view digest) const;

  RegistryChanges changes() const;
  // Makes the changes. Requires: called at most once, and nothing after it.
  void Apply() {
    if (!names_.empty()) registry_->Make(changes().names, revision_);
  }

 private:
  // A content and its number of names, after the changes.
  struct Use {
    ShapeContentPtr content;
    std::size_t names = 0;
  };

  // Returns the name with its content, null if it has none.
  NamedShape Find(std::string_view name) const;
  // Returns the use of a content; a look-up leaves a copy of what the registry holds.
  Use& UseOf(const ShapeContent& content);
  absl::Status CheckRoom(const NamedShape& old, const ShapeContent& content);
  // RESOURCE_EXHAUSTED if that would be too much for `owner`.
  absl::Status CheckQuota(const NamedShape& old, const ShapeContent& content,
                          const std::string& owner);
  // Returns the content that is held under this digest from now on.
  ShapeContentPtr Add(const ShapeContentPtr& content);
  void Remove(const NamedShape& named);

  Registry* const registry_;
  const std::unique_lock<std::mutex> changing_;
  absl::btree_map<std::string, NamedShape, std::less<>> names_;
  absl::btree_map<std::string, Use, std::less<>> uses_;
  Holdings holdings_;
  std::optional<Registry::Detached> detached_;  // as of the first new content
  std::uint64_t shapes_;
  std::uint64_t bytes_;
  std::uint64_t revision_;
};

// The bodies of scenes with their contents: the core's scenes hold only rigid bodies. A content
// lives as long as some revision of some scene holds its body. Thread-safe.
class SceneContents {
 public:
  // Returns the content's body as bodies of scenes must hold it: one object for a digest, as long
  // as a scene holds it, however often the digest was registered.
  RigidBodyPtr Share(const ShapeContentPtr& content);

  // Returns the content of a body that Share() gave; null for any other.
  static const ShapeContent* Of(const RigidBodyPtr& body);

  // Returns the body that Share() gave for this digest; null once no scene holds it.
  RigidBodyPtr FindBody(std::string_view digest) const;

 private:
  mutable std::mutex mutex_;  // guards the members below
  absl::flat_hash_map<std::string, std::weak_ptr<const RigidBody>> by_digest_;
  std::size_t size_to_clean_at_ = 1024;
};

}  // namespace clearance::server
