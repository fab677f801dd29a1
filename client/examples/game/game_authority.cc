// SPDX-License-Identifier: Apache-2.0
//
// The authority of a multiplayer game: judges by a clearance server the moves and shots that 200
// players claim 60 times a second, checks every verdict against a reference, and reports the cost.
// README.md beside this file tells more. Exits with 1 if a verdict was wrong, a replay differed or
// --max_p99_ms was exceeded, with 2 if it could not be run.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/reflection.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "clearance/client.h"
#include "judge.h"
#include "level.h"
#include "match_log.h"
#include "players.h"
#include "report.h"
#include "simulation.h"

ABSL_FLAG(std::string, address, "127.0.0.1:50051", "The clearance server.");
ABSL_FLAG(std::string, level, "",
          "A folder with shapes.jsonl, scene.json and moves.jsonl; empty: "
          "the built-in level.");
ABSL_FLAG(std::uint32_t, players, 200, "Number of players.");
ABSL_FLAG(std::uint32_t, ticks, 600, "Length of the match.");
ABSL_FLAG(double, rate, 60, "Ticks a second; 0: as fast as they are answered.");
ABSL_FLAG(std::uint32_t, shots, 4, "Shots a tick.");
ABSL_FLAG(std::uint64_t, seed, 1, "Seed of the players.");
ABSL_FLAG(std::string, form, "rows",
          "Form of a tick's moves: rows (a row a player) or bodies "
          "(a query body a player).");
ABSL_FLAG(bool, stored, false,
          "Store the level's scene on the server's disk while the match lasts.");
ABSL_FLAG(std::string, log, "",
          "Write all that is asked, and digests of the answers, to this file.");
ABSL_FLAG(std::string, replay, "", "Ask what such a file has again, and compare.");
ABSL_FLAG(std::string, csv, "", "Write all figures to this file; empty: nowhere.");
ABSL_FLAG(bool, baseline, false, "Ask every tick's moves of an empty scene too, to compare.");
ABSL_FLAG(int, server_pid, 0,
          "The server's process, if it is on this machine: its processor time "
          "is told.");
ABSL_FLAG(double, max_p99_ms, 0,
          "The longest that the moves of 99 ticks in 100 may take; 0: however long.");

namespace game {
namespace {

using clearance::client::Client;

absl::StatusOr<SimulationOptions> OptionsOf(const Level& level, std::size_t player_count) {
  SimulationOptions options;
  const std::string form = absl::GetFlag(FLAGS_form);
  if (form != "rows" && form != "bodies") {
    return absl::InvalidArgumentError(absl::StrCat("--form=", form, ": rows or bodies"));
  }
  const std::string name = absl::StrCat("game/", level.name, "-", getpid());
  options.authority = {.form = form == "rows" ? Form::kRows : Form::kBodies,
                       .player_count = static_cast<std::uint32_t>(player_count),
                       .scene = name,
                       .is_stored = absl::GetFlag(FLAGS_stored)};
  options.track = name;
  options.ticks_per_second = absl::GetFlag(FLAGS_rate);
  options.has_baseline = absl::GetFlag(FLAGS_baseline);
  options.server_pid = absl::GetFlag(FLAGS_server_pid);
  return options;
}

absl::StatusOr<std::unique_ptr<Players>> MakePlayers(const Level& level) {
  const PlayerOptions options = {.player_count = absl::GetFlag(FLAGS_players),
                                 .shots_per_tick = absl::GetFlag(FLAGS_shots),
                                 .seed = absl::GetFlag(FLAGS_seed)};
  if (options.player_count == 0)
    return absl::InvalidArgumentError("invalid --players=0: must be at least 1");
  const std::string folder = absl::GetFlag(FLAGS_level);
  if (folder.empty()) return MakeCrowd(level, options);
  return ReadRecording(folder, level, options);
}

void PrintMatch(const Level& level, const SimulationOptions& options) {
  absl::PrintF("level %s: %d bodies, %d players; a tick's moves as %s\n", level.name,
               level.bodies.size(), options.authority.player_count,
               options.authority.form == Form::kRows ? "a row each" : "query bodies of one row");
}

void PrintDigest(const MatchLog& log) {
  absl::PrintF("digest of all answers: %016x\n", log.digest());
}

absl::Status WriteCsv(const Level& level, const Simulation& simulation, const Tally& tally) {
  const std::string file = absl::GetFlag(FLAGS_csv);
  if (file.empty()) return absl::OkStatus();
  const std::string name = absl::StrCat("players/", level.name, "/", absl::GetFlag(FLAGS_form));
  return WriteFigures(file, name, simulation.measured(), tally);
}

// Returns whether the answers came as soon as required; reports it if they did not.
bool IsSoonEnough(const Measured& measured) {
  const double most = absl::GetFlag(FLAGS_max_p99_ms);
  const double p99 = measured.moves_asked.Microseconds(0.99) / 1000;
  if (most <= 0 || p99 <= most) return true;
  absl::PrintF("p99 of a tick's moves is %.2f ms, above --max_p99_ms=%g\n", p99, most);
  return false;
}

// Returns true if every verdict was right, and soon enough.
absl::StatusOr<bool> Play(const Client& client) {
  const std::string folder = absl::GetFlag(FLAGS_level);
  const absl::StatusOr<Level> level = folder.empty() ? BuiltInLevel() : ReadLevel(folder);
  if (!level.ok()) return level.status();
  const auto players = MakePlayers(*level);
  if (!players.ok()) return players.status();
  const auto options = OptionsOf(*level, absl::GetFlag(FLAGS_players));
  if (!options.ok()) return options.status();
  const auto simulation = Simulation::Start(client, *level, *options);
  if (!simulation.ok()) return simulation.status();
  auto writer = MatchLogWriter::Open(absl::GetFlag(FLAGS_log), *level);
  if (!writer.ok()) return writer.status();
  PrintMatch(*level, *options);
  Tally tally;
  MatchLog digests;  // without the ticks
  for (std::uint32_t i = 0; i < absl::GetFlag(FLAGS_ticks); ++i) {
    const PlayedTick played = (*players)->Next();
    const auto answers = (*simulation)->Play(played.tick);
    if (!answers.ok()) return answers.status();
    Judge(played, *answers, &tally);
    (*players)->Settle(answers->verdicts);
    Digest digest;
    digest.Add(*answers);
    writer->Add({played.tick, digest.value()});
    digests.entries.push_back({{}, digest.value()});
  }
  if (const absl::Status status = writer->Finish(); !status.ok()) return status;
  PrintTally(tally);
  PrintMeasured((*simulation)->measured(), *options);
  PrintDigest(digests);
  if (const absl::Status status = WriteCsv(*level, **simulation, tally); !status.ok())
    return status;
  return IsSoonEnough((*simulation)->measured()) && tally.is_faultless();
}

// Returns true if every answer is the same, bit by bit, and soon enough.
absl::StatusOr<bool> Replay(const Client& client) {
  const absl::StatusOr<MatchLog> log = ReadMatchLog(absl::GetFlag(FLAGS_replay));
  if (!log.ok()) return log.status();
  const auto options = OptionsOf(log->level, log->player_count());
  if (!options.ok()) return options.status();
  const auto simulation = Simulation::Start(client, log->level, *options);
  if (!simulation.ok()) return simulation.status();
  PrintMatch(log->level, *options);
  std::size_t differing = 0;
  Tally tally;
  MatchLog again;
  for (const MatchLog::Entry& entry : log->entries) {
    const auto answers = (*simulation)->Play(entry.tick);
    if (!answers.ok()) return answers.status();
    Count(*answers, &tally);
    Digest digest;
    digest.Add(*answers);
    again.entries.push_back({{}, digest.value()});
    if (digest.value() == entry.digest) continue;
    if (differing++ == 0) absl::PrintF("tick %d differs, the first that does\n", entry.tick.number);
  }
  PrintMoves(tally);
  absl::PrintF("replay %d ticks asked again, %d differ\n", log->entries.size(), differing);
  PrintMeasured((*simulation)->measured(), *options);
  PrintDigest(again);
  return IsSoonEnough((*simulation)->measured()) && differing == 0;
}

void PrintHelp() {
  absl::PrintF("Judges the moves and shots of a game; README.md tells more.\n\n");
  for (const auto& [name, flag] : absl::GetAllFlags()) {
    if (!absl::StrContains(flag->Filename(), "game_authority")) continue;
    absl::PrintF("  --%s=%s\n      %s\n", name, flag->DefaultValue(), flag->Help());
  }
}

int Main() {
  const auto client = Client::Connect(absl::GetFlag(FLAGS_address));
  const absl::StatusOr<bool> is_right = !client.ok()                          ? client.status()
                                        : absl::GetFlag(FLAGS_replay).empty() ? Play(*client)
                                                                              : Replay(*client);
  if (is_right.ok()) return *is_right ? 0 : 1;
  absl::FPrintF(stderr, "game_authority: %s\n", std::string(is_right.status().ToString()));
  return 2;
}

}  // namespace
}  // namespace game

int main(int argc, char** argv) {
  // Abseil's own --help ends with status 1.
  for (int i = 1; i < argc; ++i) {
    if (argv[i] == std::string_view("--help") || argv[i] == std::string_view("-h")) {
      game::PrintHelp();
      return EXIT_SUCCESS;
    }
  }
  absl::ParseCommandLine(argc, argv);
  return game::Main();
}
