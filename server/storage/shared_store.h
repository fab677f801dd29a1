// SPDX-License-Identifier: Apache-2.0
//
// A store that several servers share: each commit comes after one that its server knows, or not at
// all, and every server follows those of the others.

#ifndef CLEARANCE_SERVER_STORAGE_SHARED_STORE_H_
#define CLEARANCE_SERVER_STORAGE_SHARED_STORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/storage/shape_store.h"

namespace clearance::server {

// Where a commit is in the order of all: later ones have higher places.
using CommitPlace = std::int64_t;

struct OwnedContent {
  std::string digest;
  std::string shape;
  std::string body;

  StoredContent view() const { return {digest, shape, body}; }
};

// What one commit changed, as it is followed.
struct FollowedCommit {
  CommitPlace place = 0;
  CommitPlace after = 0;       // that of the commit before it
  std::uint64_t revision = 0;  // the registry's, after it
  std::vector<StoredName> names;
  std::vector<std::string> dropped_names;
  std::vector<OwnedContent> contents;  // that no name had before it
  std::vector<SceneRecord> scenes;     // as RegistryChanges has them, one scene's in their order
  std::uint64_t bytes = 0;             // of all, about
};

// What is read is as of the last ReadNames(), and on the thread that called that, but for the
// contents.
class SharedStore : public ShapeSource {
 public:
  // As of which commit ReadNames() has read.
  virtual CommitPlace place() const = 0;
  // One content; NOT_FOUND where there is none of this digest.
  virtual absl::StatusOr<OwnedContent> ReadContent(const std::string& digest) const = 0;

  // What a commit came to: it is made, and at `place`; or others were faster, the last of them at
  // `place`, and nothing is there of it.
  struct Outcome {
    bool is_made = false;
    CommitPlace place = 0;
  };
  // Makes the changes durable if the commit at `base` is the last one there is; of no changes only
  // finds out whether it is. Of a failure nothing is there of them, but of UNKNOWN: then nobody
  // knows, and if they come, it is after `base` and seen by whoever follows. One thread at a time.
  virtual absl::StatusOr<Outcome> CommitAfter(CommitPlace base, const RegistryChanges& changes) = 0;
  // Whether a commit could be made: tries a write that means nothing. Any thread's.
  virtual absl::Status Probe() = 0;
  // Changes of names and scenes that one commit takes.
  virtual std::size_t most_changes() const = 0;

  // The last commit that there is, when this was called or later; asks two members at most, and
  // does not wait for better times. Any thread's.
  virtual absl::StatusOr<CommitPlace> Newest() = 0;

  // Hands over all commits after `after`, in their order, until `take` says false or Interrupt().
  // OUT_OF_RANGE where those next are no longer to be had, DATA_LOSS where one cannot be read. One
  // thread at a time.
  using Take = std::function<bool(FollowedCommit)>;
  virtual absl::Status Follow(CommitPlace after, const Take& take) = 0;
  // Ends a Follow() that is under way; the next is answered by somebody else, if there is anybody.
  // Any thread's.
  virtual void Interrupt() = 0;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_STORAGE_SHARED_STORE_H_
