// SPDX-License-Identifier: Apache-2.0
//
// The registered shapes: names for immutable contents, held in memory. Whoever finds a shape shares
// its content, so nothing that happens to the name later can hurt them; the lock is held for a
// look-up, never for building a hull.

#ifndef CLEARANCE_SERVER_REGISTRY_REGISTRY_H_
#define CLEARANCE_SERVER_REGISTRY_REGISTRY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/shape/rigid_body.h"
#include "server/config/limits.h"
#include "server/observe/metrics.h"

namespace clearance::server {

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

// A content under a name; `revision` is the one at which the name took it.
struct NamedShape {
  std::string name;
  ShapeContentPtr content;
  std::uint64_t revision = 0;
};

struct RegisterOptions {
  bool replace = false;        // the name may have other content
  bool validate_only = false;  // check everything, change nothing
};

// Thread-safe. Every change counts the revision up by one, from 0 of the empty registry.
class Registry {
 public:
  // `metrics` may be null.
  Registry(const Limits& limits, Metrics* metrics);

  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  struct Registration {
    NamedShape shape;
    std::uint64_t revision = 0;  // of the registry, after this
    bool created = false;  // false where the name had this content already, or with validate_only
  };
  // Fails with INVALID_ARGUMENT, ALREADY_EXISTS or RESOURCE_EXHAUSTED, and then changes nothing.
  absl::StatusOr<Registration> Register(std::string_view name, const ShapeContentPtr& content,
                                        const RegisterOptions& options);

  struct Found {
    NamedShape shape;
    std::uint64_t revision = 0;  // of the registry, at which this was found
  };
  // INVALID_ARGUMENT where the text is no name or digest, NOT_FOUND where nothing has it. A content
  // with several names is found by digest under the first of them.
  absl::StatusOr<Found> FindByName(std::string_view name) const;
  absl::StatusOr<Found> FindByDigest(std::string_view digest) const;

  // The content with this digest or null: what is held already need not be built again.
  ShapeContentPtr FindContent(std::string_view digest) const;

  struct Page {
    std::vector<NamedShape> shapes;
    bool is_last = true;
    std::uint64_t revision = 0;
  };
  // At most `size` names that begin with `prefix` and come after `after`, in the order of their
  // bytes.
  Page List(std::string_view prefix, std::string_view after, std::size_t size) const;

  // The registry's revision after it. `expected_digest` may be empty. Fails with INVALID_ARGUMENT,
  // NOT_FOUND or FAILED_PRECONDITION.
  absl::StatusOr<std::uint64_t> Delete(std::string_view name, std::string_view expected_digest);

  std::uint64_t revision() const;
  // FAILED_PRECONDITION unless the registry has reached `min_revision`.
  absl::Status RequireRevision(std::uint64_t min_revision) const;

 private:
  struct Named {
    ShapeContentPtr content;
    std::uint64_t revision = 0;
  };
  struct Held {
    ShapeContentPtr content;
    absl::btree_set<std::string> names;
  };
  using NameMap = absl::btree_map<std::string, Named, std::less<>>;

  // Require: mutex_ is held, for Hold and Release exclusively.
  absl::Status CheckRoom(const Named* replaced, const ShapeContent& content) const;
  // Bytes that taking one name from this content gives back.
  std::uint64_t FreedBy(const ShapeContent& content) const;
  ShapeContentPtr Hold(std::string_view name, const ShapeContentPtr& content);
  void Release(std::string_view name, const ShapeContent& content);
  void ReportSize() const;

  const Limits limits_;
  Metrics* const metrics_;
  // Guards what follows. The standard library's: the thread sanitizer sees through it, not through
  // the absl::Mutex of an Abseil that was built without it.
  mutable std::shared_mutex mutex_;
  NameMap by_name_;
  absl::flat_hash_map<std::string, Held> by_digest_;
  std::uint64_t bytes_ = 0;
  std::uint64_t revision_ = 0;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_REGISTRY_REGISTRY_H_
