// SPDX-License-Identifier: Apache-2.0
//
// Changes of scenes worked out before they are made, as those of names of shapes are
// (registry_draft.h): every creation, and whatever happens to kept scenes. What happens in memory
// goes on beside it.

#ifndef CLEARANCE_SERVER_REGISTRY_SCENE_DRAFT_H_
#define CLEARANCE_SERVER_REGISTRY_SCENE_DRAFT_H_

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
#include "server/registry/scene_record.h"
#include "server/registry/scene_registry.h"

namespace clearance::server {

// Thread-compatible; one at a time of a registry.
class SceneDraft {
 public:
  // `registry` outlives this.
  explicit SceneDraft(SceneRegistry* registry);

  // The scene as it is after the change, or as it was before it goes. Fails with ALREADY_EXISTS,
  // NOT_FOUND, ABORTED or RESOURCE_EXHAUSTED, and as `make_next` does; a refused change leaves the
  // draft as it was.
  absl::StatusOr<SceneState> Change(const NamedSceneChange& change);

  // Some of the kept scenes in which a body has this content after the changes, of those whose
  // names begin with one of the prefixes (none: of all), and how many have it at all.
  struct Users {
    std::vector<std::string> names;
    std::size_t count = 0;
  };
  Users UsersOf(std::string_view digest, absl::Span<const std::string> prefixes) const;

  // Of kept scenes; what is in memory alone leaves none.
  const std::vector<SceneRecord>& records() const { return records_; }
  bool empty() const { return drafted_.empty(); }

  // Makes the changes. Requires: called at most once, and nothing after it.
  void Apply();

 private:
  using Entry = SceneRegistry::Entry;

  absl::StatusOr<SceneState> Create(const NamedSceneChange& change);
  absl::StatusOr<SceneState> ChangeKept(const NamedSceneChange& change);
  absl::StatusOr<SceneState> Update(const NamedSceneChange& change, Entry entry);
  // After the changes; none: no such scene.
  std::optional<Entry> Find(const std::string& name) const;
  // Notes what the scene is from now on, and what is stored of it.
  void Keep(const NamedSceneChange& change, const std::string& record, bool is_whole, Entry entry);

  SceneRegistry* const registry_;
  std::map<std::string, std::optional<Entry>, std::less<>> drafted_;  // none: it goes
  std::vector<SceneRecord> records_;
  HoldingsDraft holdings_;
  std::uint64_t scenes_;
  std::uint64_t bytes_;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_REGISTRY_SCENE_DRAFT_H_
