// SPDX-License-Identifier: Apache-2.0
//
// Changes of scenes worked out before they are made, like those of names of shapes
// (registry_draft.h): every creation, and every change of kept scenes. Changes in memory go on
// beside it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "server/registry/scene_registry.h"

namespace clearance::server {

// Thread-compatible. A registry has one at a time.
class SceneDraft {
 public:
  // `registry` outlives this.
  explicit SceneDraft(SceneRegistry* registry);

  // Returns the scene after the change, or before its deletion. Fails with ALREADY_EXISTS,
  // NOT_FOUND, ABORTED or RESOURCE_EXHAUSTED, and as `make_next` does. A refused change leaves the
  // draft as it was.
  absl::StatusOr<SceneState> Change(const NamedSceneChange& change);

  // The kept scenes in which a body has this content after the changes: the names of some that
  // begin with one of the prefixes (no prefixes: of any), and the number of all of them.
  struct Users {
    std::vector<std::string> names;
    std::size_t count = 0;
  };
  Users UsersOf(std::string_view digest, absl::Span<const std::string> prefixes) const;

  // Returns the records of kept scenes; scenes in memory alone leave none.
  const std::vector<SceneRecord>& records() const { return records_; }
  bool empty() const { return drafted_.empty(); }

  // Makes the changes. Requires: called at most once, and nothing after it.
  void Apply();

 private:
  using Entry = SceneRegistry::Entry;

  absl::StatusOr<SceneState> Create(const NamedSceneChange& change);
  absl::StatusOr<SceneState> ChangeKept(const NamedSceneChange& change);
  absl::StatusOr<SceneState> Update(const NamedSceneChange& change, Entry entry);
  // Returns the entry after the changes; none: no such scene.
  std::optional<Entry> Find(const std::string& name) const;
  // Notes the scene's new state, and the record to store.
  void Keep(const NamedSceneChange& change, const std::string& record, bool is_whole, Entry entry);

  SceneRegistry* const registry_;
  std::map<std::string, std::optional<Entry>, std::less<>> drafted_;  // none: it is deleted
  std::vector<SceneRecord> records_;
  Holdings holdings_;
  std::uint64_t scenes_;
  std::uint64_t bytes_;
};

}  // namespace clearance::server
