// SPDX-License-Identifier: Apache-2.0
//
// Keeps registered shapes and kept scenes beyond the process. Queries still read the registry in
// memory. A store is read once, at the start, and written by one thread.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/registry/registry.h"

namespace clearance::server {

// A content as it is stored.
struct StoredContent {
  absl::string_view digest;
  absl::string_view shape;  // clearance.v1.Shape, as it was given
  absl::string_view body;   // of EncodeBody
};

struct StoredName {
  std::string name;
  std::string digest;
  std::uint64_t revision = 0;
  std::string owner = {};  // as of NamedShape
};

struct StoredNames {
  std::vector<StoredName> names;
  std::uint64_t revision = 0;  // the registry's
};

// Reads the stored state. Thread-compatible, unless a method says otherwise.
class ShapeSource {
 public:
  virtual ~ShapeSource() = default;

  virtual absl::StatusOr<StoredNames> ReadNames() = 0;

  // Visits the contents of part `part` of `parts`, until one visit fails. Views are valid during
  // the visit. DATA_LOSS if the bytes are not those that were written. Thread-safe.
  struct Part {
    std::uint64_t part = 0;
    std::uint64_t parts = 1;
  };
  using Visit = std::function<absl::Status(const StoredContent&)>;
  virtual absl::Status ReadContents(const Part& part, const Visit& visit) const = 0;

  // Visits the records of all scenes, each scene's by revision, until one visit fails. DATA_LOSS as
  // above.
  using VisitRecord = std::function<absl::Status(SceneRecord)>;
  virtual absl::Status ReadScenes(const VisitRecord& visit) = 0;
};

// A store of a single server. Thread-compatible, unless a method says otherwise.
class ShapeStore : public ShapeSource {
 public:
  // Commits all changes. After OK they are durable: neither the end of the process nor a loss of
  // power reverts them. After a failure none is there, with RESOURCE_EXHAUSTED if the disk is full;
  // only a crash before the next successful commit may leave them all.
  virtual absl::Status Commit(const RegistryChanges& changes) = 0;

  // Writes and syncs almost nothing: OK if commits may succeed.
  virtual absl::Status Probe() = 0;

  // Returns the bytes on disk, accurate to a page, as of the last commit or probe.
  virtual std::uint64_t byte_size() const = 0;
};

}  // namespace clearance::server
