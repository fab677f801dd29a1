// SPDX-License-Identifier: Apache-2.0
//
// Changes of the registry worked out before they are made, each on the result of those before it.
// In between they can be written to disk. Until they are made, other threads see nothing of them,
// and a draft that is dropped before has changed nothing.

#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/btree_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/registry/registry.h"

namespace clearance::server {

// Returns NOT_FOUND for a name or digest that nothing has.
absl::Status RefuseUnknown(std::string_view field, std::string_view value);

// While it lives, other changes of the registry wait; queries do not. Thread-compatible.
class RegistryDraft {
 public:
  // `registry` outlives this.
  explicit RegistryDraft(Registry* registry);

  // Fails with INVALID_ARGUMENT, ALREADY_EXISTS or RESOURCE_EXHAUSTED. A refused change leaves the
  // draft as it was.
  absl::StatusOr<Registry::Registration> Register(std::string_view name,
                                                  const ShapeContentPtr& content,
                                                  const RegisterOptions& options);
  // Returns the registry's revision after the deletion. `etag` may be empty. Fails with
  // INVALID_ARGUMENT, NOT_FOUND or FAILED_PRECONDITION.
  absl::StatusOr<std::uint64_t> Delete(std::string_view name, std::string_view etag);

  // Returns the content of the name after the changes so far; null: none.
  ShapeContentPtr ContentOf(std::string_view name) const { return Find(name).content; }

  // Returns whether no other name has the content, after the changes so far. Requires: it has one.
  bool IsLastName(const ShapeContent& content) { return UseOf(content).names == 1; }
  // Returns whether a name has the content with this digest, after the changes so far.
  bool HasDigest(std::string_view digest) const;

  RegistryChanges changes() const;
  // Makes the changes. Requires: called at most once, and nothing after it.
  void Apply() {
    if (!names_.empty()) registry_->Make(changes().names, revision_);
  }

 private:
  using Named = Registry::Named;
  // A content and its number of names, after the changes.
  struct Use {
    ShapeContentPtr content;
    std::size_t names = 0;
  };

  // Returns the name with its content, null if it has none.
  Named Find(std::string_view name) const;
  // Returns the use of a content; a look-up leaves a copy of what the registry holds.
  Use& UseOf(const ShapeContent& content);
  absl::Status CheckRoom(const Named& old, const ShapeContent& content);
  absl::Status CheckDetached();
  // RESOURCE_EXHAUSTED if that would be too much for `owner`.
  absl::Status CheckQuota(const Named& old, const ShapeContent& content, const std::string& owner);
  // Returns the content that is held under this digest from now on.
  ShapeContentPtr Add(const ShapeContentPtr& content);
  void Remove(const ShapeContent& content);

  Registry* const registry_;
  const std::unique_lock<std::mutex> changing_;
  absl::btree_map<std::string, Named, std::less<>> names_;
  absl::btree_map<std::string, Use, std::less<>> uses_;
  Holdings holdings_;
  // Detached bytes as of the first new content, and whether fewer will be held soon.
  std::optional<std::uint64_t> detached_;
  bool will_have_room_ = false;
  std::uint64_t shapes_;
  std::uint64_t bytes_;
  std::uint64_t revision_;
};

}  // namespace clearance::server
