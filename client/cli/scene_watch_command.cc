// SPDX-License-Identifier: Apache-2.0
//
// scene watch: a line for each revision as it is made.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "absl/strings/str_format.h"
#include "clearance/scene_watch.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/scene_file.h"
#include "client/cli/scene_output.h"

namespace clearance::client {
namespace {

struct SceneWatchArguments {
  std::string name;
  WatchOptions from;
  std::uint64_t count = 0;  // lines; 0: until the scene ends
  bool with_change = false;
};

const char* Name(SceneEnd end) { return end == SceneEnd::kDeleted ? "DELETED" : "EXPIRED"; }

Json ToJson(const SceneNews& news, bool with_change) {
  Json json = ToJson(news.scene);
  if (news.end.has_value()) {
    json["end"] = Name(*news.end);
    return json;
  }
  if (news.is_reload) {
    json["reload"] = true;
    return json;
  }
  const SceneChange& change = news.change;
  json["base_revision"] = news.base_revision;
  json["removed_bodies"] = change.removed_bodies.size();
  json["put_bodies"] = change.bodies.count;
  json["moved_bodies"] = change.poses.count;
  json["removed_rules"] = change.removed_rules.count;
  json["put_rules"] = change.rules.count;
  if (with_change) json["change"] = Json::parse(FormatSceneChange(change));
  return json;
}

std::string ToText(const SceneNews& news) {
  if (news.end.has_value())
    return absl::StrFormat("%s after revision %d", Name(*news.end), news.scene.revision);
  const std::string to = absl::StrFormat("revision %d of %d bodies, %d rules", news.scene.revision,
                                         news.scene.body_count, news.scene.rule_count);
  if (news.is_reload) return to + ": begins here; what was before is not told";
  const SceneChange& change = news.change;
  return absl::StrFormat(
      "%s, from %d: bodies %d put, %d moved, %d removed; rules %d put, %d removed", to,
      news.base_revision, change.bodies.count, change.poses.count, change.removed_bodies.size(),
      change.rules.count, change.removed_rules.count);
}

int Watch(const GlobalOptions& options, const SceneWatchArguments& arguments) {
  const absl::StatusOr<Client> client = options.Connect();
  if (!client.ok()) return ReportError(client.status());
  const std::unique_ptr<SceneWatch> watch =
      SceneClient(*client).Watch(arguments.name, arguments.from);
  for (std::uint64_t lines = 0; arguments.count == 0 || lines < arguments.count; ++lines) {
    const absl::StatusOr<SceneNews> news = watch->Next();
    if (!news.ok()) return ReportError(news.status());
    absl::PrintF("%s\n",
                 options.json ? JsonText(ToJson(*news, arguments.with_change)) : ToText(*news));
    // A reader of a pipe must see each line as it comes.
    std::fflush(stdout);
    if (std::ferror(stdout) != 0 || news->end.has_value()) break;
  }
  return kExitFree;
}

}  // namespace

void AddSceneWatch(CLI::App* scene, GlobalOptions* options) {
  const auto arguments = std::make_shared<SceneWatchArguments>();
  CLI::App* const watch = scene->add_subcommand(
      "watch", "Print a line for each newer revision of a scene as it is made, until it ends");
  watch->add_option("name", arguments->name, "The scene's name")->required();
  watch->add_option("--revision", arguments->from.from_revision,
                    "Tell what came after it; without: begin at the newest");
  watch->add_option("--etag", arguments->from.etag,
                    "Etag of that revision; detects another scene of the name");
  watch->add_option("--count", arguments->count, "End after so many lines")
      ->check(CLI::PositiveNumber);
  watch->add_flag("--content", arguments->with_change, "With --json: also what changed");
  watch->callback([=] { options->exit_code = Watch(*options, *arguments); });
}

}  // namespace clearance::client
