// SPDX-License-Identifier: Apache-2.0
//
// Keep registered shapes and kept scenes beyond the process. Queries still read the registry in
// memory. A store is written by one thread.

#pragma once

#include "server/registry/registry.h"

namespace clearance::server {

// A content as it is stored.
struct StoredContent {
  std::string digest;
  std::string shape;  // clearance.v1.Shape, as it was given
  std::string body;   // of EncodeBody
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

  // Visits the contents of part `part` of `parts`, until one visit fails. DATA_LOSS if the bytes
  // are not those that were written. Thread-safe.
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

// Place of a commit in the order of all: later ones have higher places.
using CommitPlace = std::int64_t;

// The changes of one commit, as it is followed.
struct FollowedCommit {
  CommitPlace place = 0;
  CommitPlace after = 0;       // place of the commit before it
  std::uint64_t revision = 0;  // the registry's, after it
  std::vector<StoredName> names;
  std::vector<std::string> dropped_names;
  std::vector<StoredContent> contents;  // contents that no name had before it
  std::vector<SceneRecord> scenes;      // as RegistryChanges has them, one scene's in their order
  std::uint64_t bytes = 0;              // of all, about
};

// A store that several servers share. A commit follows one that its server knows, or is not made,
// and every server follows the commits of the others.
//
// Everything read is as of the last ReadNames(), and is read on the thread that called that, except
// contents.
class SharedStore : public ShapeSource {
 public:
  // Returns the commit as of which ReadNames() has read.
  virtual CommitPlace place() const = 0;
  // Returns one content; NOT_FOUND if there is none of this digest.
  virtual absl::StatusOr<StoredContent> ReadContent(const std::string& digest) const = 0;

  // The outcome of a commit: it is made, at `place`. Otherwise others were faster, the last of them
  // at `place`, and nothing of it is there.
  struct Outcome {
    bool is_made = false;
    CommitPlace place = 0;
  };
  // Makes the changes durable if the commit at `base` is the last one; without changes only finds
  // out whether it is. After a failure none of them is there, except after UNKNOWN: then that is
  // unknown, and if they come, it is after `base` and seen by every follower. One thread at a time.
  virtual absl::StatusOr<Outcome> CommitAfter(CommitPlace base, const RegistryChanges& changes) = 0;
  // Tests whether a commit could be made, with a write that means nothing. Any thread.
  virtual absl::Status Probe() = 0;
  // Returns the number of changes of names and scenes that one commit takes.
  virtual std::size_t most_changes() const = 0;

  // Returns the last commit at the time of this call or later. Asks at most two members, and does
  // not wait for better times. Any thread.
  virtual absl::StatusOr<CommitPlace> Newest() = 0;

  // Hands over all commits after `after`, in their order, until `take` returns false or
  // Interrupt(). OUT_OF_RANGE if the next ones are no longer available, DATA_LOSS if one cannot be
  // read. One thread at a time.
  using Take = std::function<bool(FollowedCommit)>;
  virtual absl::Status Follow(CommitPlace after, const Take& take) = 0;
  // Ends a running Follow(); another member, if there is one, answers the next. Any thread.
  virtual void Interrupt() = 0;
};

}  // namespace clearance::server
