// SPDX-License-Identifier: Apache-2.0
//
// Where registered shapes and kept scenes outlive the process. The registry in memory stays what
// queries read; a store is read once, at the start, and written by one thread.

#ifndef CLEARANCE_SERVER_STORAGE_SHAPE_STORE_H_
#define CLEARANCE_SERVER_STORAGE_SHAPE_STORE_H_

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

// What was stored, to be read. Thread-compatible, but for what says otherwise.
class ShapeSource {
 public:
  virtual ~ShapeSource() = default;

  virtual absl::StatusOr<StoredNames> ReadNames() = 0;

  // Visits the contents of part `part` of `parts`, until one visit fails. Views hold for the visit.
  // DATA_LOSS where the bytes are not those that were written. Thread-safe.
  struct Part {
    std::uint64_t part = 0;
    std::uint64_t parts = 1;
  };
  using Visit = std::function<absl::Status(const StoredContent&)>;
  virtual absl::Status ReadContents(const Part& part, const Visit& visit) const = 0;

  // Visits the records of all scenes, each scene's by revision, until one visit fails. DATA_LOSS
  // as above.
  using VisitRecord = std::function<absl::Status(SceneRecord)>;
  virtual absl::Status ReadScenes(const VisitRecord& visit) = 0;
};

// A store of one server's own. Thread-compatible, but for what says otherwise.
class ShapeStore : public ShapeSource {
 public:
  // Of OK all changes are durable: neither the process's end nor a loss of power takes them back.
  // Of a failure none is there, RESOURCE_EXHAUSTED where the disk is full; only a crash before the
  // next commit that succeeds may leave them all.
  virtual absl::Status Commit(const RegistryChanges& changes) = 0;

  // Writes and syncs next to nothing: OK where commits may succeed.
  virtual absl::Status Probe() = 0;

  // Bytes on disk, to a page; as of the last commit or probe.
  virtual std::uint64_t byte_size() const = 0;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_STORAGE_SHAPE_STORE_H_
