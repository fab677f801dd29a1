// SPDX-License-Identifier: Apache-2.0
//
// Arguments and steps that the commands of `scene` share.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "clearance/scene.h"
#include "client/cli/command.h"
#include "client/cli/mesh_options.h"

namespace clearance::client {

struct SceneArguments {
  std::string name;
  std::string file;
  std::string etag;
  std::string source;
  std::string folder;
  std::uint64_t revision = 0;
  std::optional<double> ttl_s;
  MeshOptions mesh;
  bool with_content = false;
  bool is_replacing = false;

  SceneClient::Ttl ttl() const {
    return ttl_s ? SceneClient::Ttl(absl::Seconds(*ttl_s)) : std::nullopt;
  }
};

// Prints the scene or the error; the exit code.
int ShowScene(const GlobalOptions& options, const absl::StatusOr<SceneInfo>& info);

// A new scene, in place of one of its name if that was asked for.
absl::StatusOr<SceneInfo> MakeScene(const Client& client, const SceneArguments& arguments,
                                    const SceneChange& content);

// A word of `scene`.
struct SceneWord {
  CLI::App* app;
  std::shared_ptr<SceneArguments> arguments;
};

SceneWord AddSceneWord(CLI::App* scene, GlobalOptions* options, const char* word,
                       int (*run)(const GlobalOptions&, const SceneArguments&));

// Arguments that words have.
void AddSceneName(const SceneWord& word, const char* description);
void AddSceneReplace(const SceneWord& word);
void AddSceneTtl(const SceneWord& word);

}  // namespace clearance::client
