// SPDX-License-Identifier: Apache-2.0
//
// The scenes of a server. The structs mirror proto/clearance/v1/scene.proto and
// scene_service.proto, which state the meaning of each column and the possible answers of every
// call.
//
//   SceneClient scenes(client);
//   SceneChange content;
//   content.bodies = {.count = 2, .ids = {1, 2}, .shapes = {ByName{"crate"}},
//                     .poses = {0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 1}};
//   absl::StatusOr<SceneInfo> cell = scenes.Create("cell", content);

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "clearance/client.h"
#include "clearance/shape.h"

namespace clearance::client {

// Columns have no row (the default), one for all, or `count` rows; ids and the poses of moved
// bodies have `count`. `shapes` is a table instead of a column: `shape_slots` names the entry of
// each body.
struct SceneBodies {
  std::uint32_t count = 0;
  std::vector<std::uint32_t> ids = {};
  std::vector<ShapeKey> shapes = {};
  std::vector<std::uint32_t> shape_slots = {};
  std::vector<double> poses = {};  // x y z qx qy qz qw, metres
  std::vector<std::uint32_t> groups = {};
  std::vector<std::uint32_t> masks = {};
  std::vector<double> margins = {};  // metres
};

struct ScenePoses {
  std::uint32_t count = 0;
  std::vector<std::uint32_t> ids = {};
  std::vector<double> poses = {};
};

enum class PairRuleKind : std::uint8_t { kMayTouch = 1, kMargin = 2 };

struct ScenePairRules {
  std::uint32_t count = 0;
  std::vector<std::uint32_t> bodies_a = {};
  std::vector<std::uint32_t> bodies_b = {};
  std::vector<PairRuleKind> kinds = {};
  std::vector<double> margins = {};  // metres
};

// A change that happens as a whole or not at all, in this order.
struct SceneChange {
  std::vector<std::uint32_t> removed_bodies = {};
  SceneBodies bodies = {};
  ScenePoses poses = {};
  ScenePairRules removed_rules = {};
  ScenePairRules rules = {};
};

struct SceneInfo {
  std::string name;
  std::uint64_t revision = 0;
  std::string etag;
  std::uint32_t body_count = 0;
  std::uint32_t rule_count = 0;
  std::uint64_t oldest_revision = 0;
  std::uint64_t bytes = 0;
  std::optional<absl::Duration> ttl;  // unset: kept
};

struct FoundScene {
  SceneInfo info;
  SceneChange content;  // of an empty scene; bodies and rules, if they were asked for
};

struct GetSceneOptions {
  std::uint64_t revision = 0;  // 0: the newest
  std::uint64_t min_revision = 0;
  bool include_content = false;  // all pages one after another, of one revision
};

struct WatchOptions {
  // The revision and etag of the scene that the watcher has; none: the first news is a reload. An
  // etag tells apart another scene that has taken the name meanwhile.
  std::uint64_t from_revision = 0;
  std::string etag = {};
  // Gives up if a stream breaks this long after the first break since the last news; zero: at the
  // first break.
  absl::Duration reopen_within = absl::Seconds(30);
};

class SceneWatch;

// A handle on a client's connection; as thread-safe as that. The library never repeats a change of
// a scene: after UNAVAILABLE it may be done or not.
class SceneClient {
 public:
  explicit SceneClient(Client client) : client_(std::move(client)) {}

  using Ttl = std::optional<absl::Duration>;  // unset: kept until it is deleted
  absl::StatusOr<SceneInfo> Create(const std::string& name, const SceneChange& content,
                                   const Ttl& ttl = std::nullopt) const;
  // Makes the scene, or its next revision that has this content and nothing else. A refused content
  // leaves the scene as it was. ABORTED: another client changed it meanwhile. A scene with another
  // ttl is deleted and made again.
  absl::StatusOr<SceneInfo> Replace(const std::string& name, const SceneChange& content,
                                    const Ttl& ttl = std::nullopt) const;
  absl::StatusOr<FoundScene> Get(const std::string& name,
                                 const GetSceneOptions& options = {}) const;
  // Returns all pages one after another.
  absl::StatusOr<std::vector<SceneInfo>> List(const std::string& prefix = "") const;
  // With an etag: changes the scene only if it still has that etag, else ABORTED.
  absl::StatusOr<SceneInfo> Update(const std::string& name, const SceneChange& change,
                                   const std::string& etag = "") const;
  struct Source {
    std::string name;
    std::uint64_t revision = 0;  // 0: the newest
  };
  absl::StatusOr<SceneInfo> Fork(const std::string& name, const Source& source,
                                 const Ttl& ttl = std::nullopt) const;
  absl::Status Delete(const std::string& name, const std::string& etag = "") const;
  // Starts a watch. Never waits, and has no timeout except its own (scene_watch.h); the first
  // Next() returns the server's refusal.
  std::unique_ptr<SceneWatch> Watch(const std::string& name,
                                    const WatchOptions& options = {}) const;

 private:
  Client client_;
};

}  // namespace clearance::client
