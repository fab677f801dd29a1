// SPDX-License-Identifier: Apache-2.0
//
// The example client/examples/game against the real server. Every verdict is right by its own
// reference and, if that is there, by that of the data sets. Asked in another form, or again of
// another server, every answer has the same bits. Nothing here is judged by its duration.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/process/server_process.h"
#include "tests/support/skip.h"

namespace clearance::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

constexpr const char* kNoFaults = " 0 missed walls, 0 false refusals, 0 wrong stops";

class GameAuthority : public ::testing::Test {
 protected:
  static Completed Play(const ServerProcess& server, const std::vector<std::string>& flags) {
    std::vector<std::string> command = {CLEARANCE_GAME_AUTHORITY,
                                        "--address=" + server.grpc_address(), "--rate=0"};
    command.insert(command.end(), flags.begin(), flags.end());
    return RunProgram(command);
  }

  // Returns the number before (or after) some words, -1 if they are not there.
  static int Number(const std::string& output, const std::string& pattern) {
    std::smatch match;
    if (!std::regex_search(output, match, std::regex(pattern))) return -1;
    return std::stoi(match[1]);
  }

  static std::string DigestOf(const std::string& output) {
    std::smatch match;
    if (!std::regex_search(output, match, std::regex("digest of all answers: ([0-9a-f]{16})\n")))
      return "no digest in " + output;
    return match[1];
  }

  const TemporaryDirectory directory_;
};

TEST_F(GameAuthority, JudgesEveryMoveAndShotOfTheBuiltInLevelRight) {
  const ServerProcess server;
  const Completed game =
      Play(server, {"--ticks=60", "--baseline", "--server_pid=" + std::to_string(server.pid())});
  EXPECT_EQ(game.exit_code, 0) << game.output;
  EXPECT_THAT(game.output, HasSubstr(std::string("12000 have a reference:") + kNoFaults));
  const int cheats = Number(game.output, "cheats ([0-9]+) ");
  EXPECT_GE(cheats, 100) << game.output;
  EXPECT_EQ(Number(game.output, "through walls, ([0-9]+) caught"), cheats);
  EXPECT_GE(Number(game.output, " ([0-9]+) of them end where nothing is"), 30) << game.output;
  EXPECT_EQ(Number(game.output, "shots  ([0-9]+) asked"), 236);
  EXPECT_GE(Number(game.output, "([0-9]+) hit players"), 100) << game.output;
  EXPECT_GE(Number(game.output, "hit players; ([0-9]+) have"), 200) << game.output;
  EXPECT_THAT(game.output, HasSubstr("have a reference, 0 wrong\n"));
  EXPECT_THAT(game.output, ContainsRegex("about an empty scene: p50 x [0-9.]+, p99 x [0-9.]+, the "
                                         "server's processor time x [0-9.]+"));
}

TEST_F(GameAuthority, ShowsItsFlags) {
  for (const char* const flag : {"--help", "-h"}) {
    const Completed help = RunProgram({CLEARANCE_GAME_AUTHORITY, flag});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_THAT(help.output, HasSubstr("--players=200"));
    EXPECT_THAT(help.output, Not(HasSubstr("--stderrthreshold")));
  }
}

TEST_F(GameAuthority, HasTheSameBitsInBothFormsAndOfAnotherServer) {
  const ServerProcess server;
  const std::string log = directory_.File("match");
  const Completed rows = Play(server, {"--ticks=40", "--log=" + log});
  ASSERT_EQ(rows.exit_code, 0) << rows.output;
  const Completed bodies = Play(server, {"--ticks=40", "--form=bodies", "--stored"});
  EXPECT_EQ(bodies.exit_code, 0) << bodies.output;
  EXPECT_EQ(DigestOf(bodies.output), DigestOf(rows.output));
  const ServerProcess other({"--polling_threads=3", "--worker_threads=1"});
  const Completed replay = Play(other, {"--replay=" + log});
  EXPECT_EQ(replay.exit_code, 0) << replay.output;
  EXPECT_THAT(replay.output, HasSubstr("40 ticks asked again, 0 differ"));
  EXPECT_EQ(DigestOf(replay.output), DigestOf(rows.output));
}

// Overwrites a number of the log's last tick, counted from the first player's claim on: 3 numbers
// of the player's place, and 3 of the move.
void ChangeLastTick(const std::string& path, std::size_t number, double value) {
  std::fstream log(path, std::ios::in | std::ios::out | std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(log)), {});
  const std::size_t mark = text.rfind(std::string("kcit\0\0\0\0", 8));
  ASSERT_NE(mark, std::string::npos);
  // Before it the mark itself, the tick, and the number of claims.
  log.seekp(static_cast<std::streamoff>(mark + (3 + number) * sizeof(value)));
  log.write(reinterpret_cast<const char*>(&value), sizeof(value));
}

// The replay does compare.
TEST_F(GameAuthority, TellsAReplayThatDiffers) {
  const ServerProcess server;
  const std::string log = directory_.File("match");
  ASSERT_EQ(Play(server, {"--ticks=20", "--players=8", "--log=" + log}).exit_code, 0);
  ChangeLastTick(log, 2, -0.25);  // below the floor
  const Completed replay = Play(server, {"--replay=" + log});
  EXPECT_EQ(replay.exit_code, 1) << replay.output;
  EXPECT_THAT(replay.output, HasSubstr("tick 20 differs, the first that does"));
  EXPECT_THAT(replay.output, HasSubstr("20 ticks asked again, 1 differ"));
}

// One number of a player's place or move is not a number, or so large that nothing can be placed
// there. With rows, only that claim is in doubt; with a row of all players, no player is let
// through. Either way the tick is answered to its end, shots included.
TEST_F(GameAuthority, NeverAcceptsAClaimThatIsNoNumber) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kFarthest = std::numeric_limits<double>::max();
  const ServerProcess server;
  const std::string log = directory_.File("match");
  for (const auto& [number, value] :
       {std::pair(0, kNan), std::pair(2, kFarthest), std::pair(3, kNan), std::pair(5, kFarthest)}) {
    ASSERT_EQ(Play(server, {"--ticks=20", "--players=8", "--log=" + log}).exit_code, 0);
    ChangeLastTick(log, number, value);
    const Completed rows = Play(server, {"--replay=" + log});
    EXPECT_EQ(rows.exit_code, 1) << rows.output;
    EXPECT_THAT(rows.output, HasSubstr("stopped, 1 in doubt\n"));
    EXPECT_THAT(rows.output, HasSubstr("20 ticks asked again, 1 differ"));
    const Completed bodies = Play(server, {"--replay=" + log, "--form=bodies"});
    EXPECT_EQ(bodies.exit_code, 1) << bodies.output;
    EXPECT_THAT(bodies.output, HasSubstr("stopped, 8 in doubt\n"));
    EXPECT_THAT(bodies.output, HasSubstr("20 ticks asked again, 1 differ"));
  }
}

// Seen at no time, and on a way that is none.
TEST_F(GameAuthority, RefusesAShotThatIsNoNumberByItself) {
  const ServerProcess server;
  const std::string log = directory_.File("match");
  // After 8 claims: the number of shots and, for the first one, the shooter and the tick that they
  // saw.
  constexpr std::size_t kFraction = 8 * 6 + 3;
  constexpr std::size_t kPlace = kFraction + 1;
  for (const std::size_t number : {kFraction, kPlace}) {
    ASSERT_EQ(Play(server, {"--ticks=20", "--players=8", "--log=" + log}).exit_code, 0);
    ChangeLastTick(log, number, std::numeric_limits<double>::quiet_NaN());
    const Completed replay = Play(server, {"--replay=" + log});
    EXPECT_EQ(replay.exit_code, 1) << replay.output;
    EXPECT_THAT(replay.output, HasSubstr("20 ticks asked again, 1 differ"));
  }
}

// A level by hand: a floor whose top is at 0, a wall from x = 2 on, and a wedge which the example
// has no geometry for. A player is 1 m wide and 2 m high.
class GameLevel : public GameAuthority {
 protected:
  GameLevel() {
    Write("shapes.jsonl",
          Box("floor", -9, 9, -1, 0) + Box("wall", 2, 3, 0, 5) +
              R"({"name": "wedge", "kind": "hull", "vertices": [[-5, -9, 0], [-5, 9, 0], )"
              R"([-4, -9, 0], [-4, 9, 0], [-5, -9, 3], [-5, 9, 3]]})");
    Write("scene.json", R"({"player": {"kind": "box", "size": [1, 1, 2]}})");
    // Along the floor, into the wall, and into the wedge: its surface at the height of the
    // player's feet, 0.5, is 5/6 of its foot from -5, at -5 + 5/6.
    Write("moves.jsonl",
          R"({"player": 0, "frame": 0, "center": [0, 0, 1.5], "delta": [1, 1, 0]}
{"player": 0, "frame": 1, "center": [0, 0, 1.5], "delta": [3, 0, 0]}
{"player": 0, "frame": 2, "center": [0, 0, 1.5], "delta": [-4, 0, 0]}
)");
  }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(directory_.File(name)) << text;
  }

  static std::string Box(const std::string& name, double west, double east, double low,
                         double high) {
    std::string vertices;
    for (const double x : {west, east}) {
      for (const double y : {-9, 9}) {
        for (const double z : {low, high}) {
          vertices += (vertices.empty() ? "[" : ", [") + std::to_string(x) + ", " +
                      std::to_string(y) + ", " + std::to_string(z) + "]";
        }
      }
    }
    return R"({"name": ")" + name + R"(", "kind": "hull", "vertices": [)" + vertices + "]}\n";
  }

  // Plays the three moves, one after another; `answers` are for the frames 0, 1 and 2.
  Completed PlayWith(const std::vector<std::string>& answers) {
    std::string text;
    for (std::size_t frame = 0; frame < answers.size(); ++frame) {
      text += R"({"player": 0, "frame": )" + std::to_string(frame) + ", " + answers[frame] + "}\n";
    }
    Write("answers_moves.jsonl", text);
    const std::string folder = std::filesystem::path(directory_.File("moves.jsonl")).parent_path();
    return Play(server_, {"--level=" + folder, "--players=1", "--ticks=3", "--shots=0"});
  }

  const ServerProcess server_;
};

constexpr const char* kFreeAnswer = R"("first_contact": null, "brushes": [])";
constexpr const char* kWallAnswer = R"("first_contact": 0.5, "brushes": ["wall"])";
// From the west side at -0.5 to -5 + 5/6, of 4 m.
constexpr const char* kWedgeAnswer =
    R"("first_contact": 0.9166666666666666, "brushes": ["floor", "wedge"])";

TEST_F(GameLevel, IsJudgedAsItsReferenceHasIt) {
  const Completed game = PlayWith({kFreeAnswer, kWallAnswer, kWedgeAnswer});
  EXPECT_EQ(game.exit_code, 0) << game.output;
  EXPECT_THAT(game.output, HasSubstr("3 asked: 1 accepted, 2 stopped, 0 in doubt"));
  EXPECT_THAT(game.output, HasSubstr(std::string("3 have a reference:") + kNoFaults));
}

// A reference with other verdicts: the example cannot tell which of the two is wrong, but reports
// it.
TEST_F(GameLevel, TellsVerdictsThatAreNotThoseOfTheReference) {
  const Completed missed = PlayWith({kWallAnswer, kWallAnswer, kWedgeAnswer});
  EXPECT_EQ(missed.exit_code, 1) << missed.output;
  EXPECT_THAT(missed.output, HasSubstr(" 1 missed walls, 0 false refusals, 0 wrong stops"));
  const Completed refused = PlayWith({kFreeAnswer, kFreeAnswer, kWedgeAnswer});
  EXPECT_EQ(refused.exit_code, 1) << refused.output;
  EXPECT_THAT(refused.output, HasSubstr(" 0 missed walls, 1 false refusals, 0 wrong stops"));
  EXPECT_THAT(refused.output, HasSubstr("the first fault: the move of player 0: HIT, t_free 0."));
  const Completed other = PlayWith({kFreeAnswer, kWallAnswer, kWallAnswer});
  EXPECT_EQ(other.exit_code, 1) << other.output;
  EXPECT_THAT(other.output, HasSubstr(" 1 missed walls, 0 false refusals, 0 wrong stops"));
}

// A limit that no tick keeps is exceeded, whatever the verdicts; one that every tick keeps is not.
TEST_F(GameAuthority, FailsWhereATicksMovesTakeLongerThanTheyMay) {
  const ServerProcess server;
  const std::vector<std::string> few = {"--ticks=5", "--players=2"};
  const Completed late = Play(server, {few[0], few[1], "--max_p99_ms=1e-6"});
  EXPECT_EQ(late.exit_code, 1) << late.output;
  EXPECT_THAT(late.output, HasSubstr("above --max_p99_ms=1e-06\n"));
  EXPECT_THAT(late.output, HasSubstr(kNoFaults));
  EXPECT_EQ(Play(server, {few[0], few[1], "--max_p99_ms=1e9"}).exit_code, 0);
}

class GameData : public GameAuthority {
 protected:
  void SetUp() override {
    if (!std::filesystem::is_directory(CLEARANCE_DATA)) GTEST_SKIP() << kNoDataSets;
  }

  static std::string Level(const std::string& map) {
    return "--level=" + (std::filesystem::path(CLEARANCE_DATA) / map).string();
  }

  // Right, and with every cheat caught.
  static void ExpectFaultless(const Completed& game) {
    EXPECT_EQ(game.exit_code, 0) << game.output;
    EXPECT_THAT(game.output, HasSubstr(kNoFaults));
    const int cheats = Number(game.output, "cheats ([0-9]+) ");
    EXPECT_GE(cheats, 10) << game.output;
    EXPECT_EQ(Number(game.output, "through walls, ([0-9]+) caught"), cheats);
    EXPECT_THAT(game.output, HasSubstr("have a reference, 0 wrong\n"));
  }
};

// Every move of the recording, in both forms, compared with the answers of other tools.
TEST_F(GameData, MissesNoWallAndRefusesNoHonestMoveOfTheReference) {
  const ServerProcess server;
  for (const std::string form : {"rows", "bodies"}) {
    const Completed game =
        Play(server, {"--ticks=150", "--players=12", "--form=" + form, Level("map_lq_e1m7")});
    ExpectFaultless(game);
    EXPECT_THAT(game.output, HasSubstr("1800 asked"));
    // Some moves without a reference became cheats, which have one.
    EXPECT_GE(Number(game.output, "([0-9]+) have a reference:"), 1757) << game.output;
    EXPECT_GE(Number(game.output, "([0-9]+) accepted"), 250) << game.output;
    EXPECT_GE(Number(game.output, "([0-9]+) stopped"), 1300) << game.output;
  }
}

// Every move of maps without answers of other tools, compared with those brushes that are boxes.
TEST_F(GameData, MissesNoBoxOfMapsWithoutAnswers) {
  const ServerProcess server;
  for (const std::string map : {"map_lqdm9", "map_oa_dm2"}) {
    const Completed game = Play(server, {"--ticks=150", "--players=24", Level(map)});
    ExpectFaultless(game);
    EXPECT_THAT(game.output, HasSubstr("3600 asked")) << map;
    EXPECT_GE(Number(game.output, "([0-9]+) have a reference:"), 1000) << game.output;
  }
}

TEST_F(GameData, JudgesTwoHundredPlayersOfAMap) {
  const ServerProcess server;
  const Completed game = Play(server, {"--ticks=30", Level("map_lq_e1m7")});
  ExpectFaultless(game);
  EXPECT_THAT(game.output, HasSubstr("6000 asked"));
}

}  // namespace
}  // namespace clearance::test
