// SPDX-License-Identifier: Apache-2.0
//
// What the example client/examples/game judges by: were it blind, its program would find no fault
// with any server.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "client/examples/game/authority.h"
#include "client/examples/game/axis_box.h"
#include "client/examples/game/judge.h"
#include "client/examples/game/level.h"
#include "client/examples/game/match_log.h"
#include "client/examples/game/places.h"
#include "client/examples/game/players.h"
#include "client/examples/game/report.h"

namespace game {
namespace {

using clearance::client::MotionState;
using Kind = Expectation::Kind;

bool Contains(const AxisBox& box, const Vec3& p) {
  return box.low.x <= p.x && p.x <= box.high.x && box.low.y <= p.y && p.y <= box.high.y &&
         box.low.z <= p.z && p.z <= box.high.z;
}

Vec3 AnyPoint(Random* random) {
  const double x = random->Between(-3, 3);
  const double y = random->Between(-3, 3);
  return {x, y, random->Between(-3, 3)};
}

// The oracle is the meaning of the word: points before are outside, the point then is inside, and
// without one no point of a fine row is.
TEST(GameBox, EntryTimeIsTheFirstTimeInside) {
  constexpr std::uint64_t kSeed = 7;
  std::printf("seed %d\n", static_cast<int>(kSeed));
  Random random(kSeed);
  int entries = 0;
  int starts_inside = 0;
  for (int i = 0; i < 1000; ++i) {
    const AxisBox box = Grown({}, {random.Between(0.1, 2), random.Between(0.1, 2), 1});
    const Vec3 from = AnyPoint(&random);
    const Way way = {from, AnyPoint(&random) - from};
    const auto at = [&](double t) { return way.from + t * way.move; };
    const auto entry = EntryTime(box, way);
    const double end = entry ? *entry - 1e-9 : 1;
    for (int step = 0; step <= 100; ++step) {
      const double t = 0.01 * step;
      EXPECT_FALSE(t <= end && Contains(box, at(t))) << i << " at " << t;
    }
    if (!entry) continue;
    ++entries;
    starts_inside += *entry == 0;
    EXPECT_TRUE(Contains(Grown(box, {1e-9, 1e-9, 1e-9}), at(*entry))) << i;
  }
  EXPECT_GT(entries, 200);
  EXPECT_LT(entries, 800);
  EXPECT_GT(starts_inside, 20);
}

TEST(GameBox, AGrazedBodyIsNoReference) {
  const std::vector<BoxBody> wall = {{7, {{1, 0, -1}, {2, 5, 1}}}};
  const auto expect = [&](double y, bool is_whole) {
    return Expect(wall, is_whole, {{{0, y, 0}, {4, 0, 0}}, {0.5, 0.5, 0.5}, 1e-6});
  };
  EXPECT_EQ(expect(-0.5, true).kind, Kind::kUnknown);
  EXPECT_EQ(expect(-0.6, true).kind, Kind::kFree);
  EXPECT_EQ(expect(-0.4, true).kind, Kind::kStopped);
  EXPECT_EQ(expect(-0.4, true).t, 0.125);
  EXPECT_EQ(expect(-0.4, true).bodies, std::vector<std::uint32_t>{7});
  EXPECT_EQ(expect(-0.5, false).kind, Kind::kUnknown);
  EXPECT_EQ(expect(-0.6, false).kind, Kind::kUnknown);
  EXPECT_EQ(expect(-0.4, false).kind, Kind::kStoppedNotAfter);
}

// Of one move that must be answered so, and is answered so.
Tally TallyOf(const Expectation& expected, const Verdict& verdict) {
  PlayedTick played;
  played.reference.moves = {expected};
  Tally tally;
  Judge(played, {{verdict}, {}}, &tally);
  return tally;
}

constexpr Verdict kFree{MotionState::kFree, 1, 0, 0};
constexpr Verdict kHitAtHalf{MotionState::kHit, 0.5, 0.5, 3};

TEST(GameJudge, SeesEveryFaultOfAVerdict) {
  const Expectation free{Kind::kFree};
  const Expectation stopped{Kind::kStopped, 0.5, {3, 4}};
  EXPECT_TRUE(TallyOf(free, kFree).is_faultless());
  EXPECT_TRUE(TallyOf(stopped, kHitAtHalf).is_faultless());
  EXPECT_TRUE(TallyOf({Kind::kStoppedNotAfter, 0.7}, kHitAtHalf).is_faultless());
  EXPECT_EQ(TallyOf(stopped, kFree).missed_walls, 1u);
  EXPECT_EQ(TallyOf({Kind::kStoppedNotAfter, 0.7}, kFree).missed_walls, 1u);
  EXPECT_EQ(TallyOf({Kind::kStoppedNotAfter, 0.3}, kHitAtHalf).missed_walls, 1u);
  EXPECT_EQ(TallyOf({Kind::kStopped, 0.3, {3}}, kHitAtHalf).missed_walls, 1u);
  EXPECT_EQ(TallyOf(free, kHitAtHalf).false_refusals, 1u);
  EXPECT_EQ(TallyOf(free, {MotionState::kUndecided, 0.5, 0, 0}).false_refusals, 1u);
  EXPECT_EQ(TallyOf(free, {MotionState::kRefused, 0, 0, 0}).false_refusals, 1u);
  EXPECT_EQ(TallyOf({Kind::kStopped, 0.7, {3}}, kHitAtHalf).wrong_stops, 1u);
  EXPECT_EQ(TallyOf({Kind::kStopped, 0.5, {4}}, kHitAtHalf).wrong_stops, 1u);
  EXPECT_EQ(TallyOf(stopped, {MotionState::kUndecided, 0.5, 0, 3}).wrong_stops, 1u);
}

TEST(GameJudge, SeesACheatThatGotThroughAndAShotAtAnotherTime) {
  PlayedTick played;
  played.reference.moves = {{Kind::kUnknown}, {Kind::kUnknown}};
  played.reference.cheats = {{.player = 0}, {.player = 1}};
  played.tick.shots = {{.shooter = 0, .seen = {5, 0.25}}};
  played.reference.shots = {{Kind::kFree}};
  ShotVerdict shot;
  shot.verdict = kFree;
  shot.rewound.at = {5, 0.25};
  shot.rewound.clamp = clearance::client::TrackClamp::kNone;
  shot.rewound.body_count = 1;
  Tally tally;
  Judge(played, {{kHitAtHalf, kFree}, {shot}}, &tally);
  EXPECT_EQ(tally.cheats_caught, 1u);
  EXPECT_EQ(tally.wrong_shots, 0u);
  EXPECT_FALSE(tally.is_faultless());
  for (void (*spoil)(ShotVerdict*) :
       {+[](ShotVerdict* s) { s->rewound.at.fraction = 0.5; },
        +[](ShotVerdict* s) { s->rewound.clamp = clearance::client::TrackClamp::kToNewest; },
        +[](ShotVerdict* s) { s->rewound.body_count = 2; },
        +[](ShotVerdict* s) { s->verdict = kHitAtHalf; }}) {
    ShotVerdict spoilt = shot;
    spoil(&spoilt);
    const std::uint64_t before = tally.wrong_shots;
    Judge(played, {{kHitAtHalf, kHitAtHalf}, {spoilt}}, &tally);
    EXPECT_EQ(tally.wrong_shots, before + 1);
  }
}

std::vector<double> Numbers(const std::vector<Vec3>& vectors) {
  std::vector<double> numbers;
  for (const Vec3& vector : vectors) numbers.insert(numbers.end(), {vector.x, vector.y, vector.z});
  return numbers;
}

// A row of players in which these, one after another, hit body 3 at half of their way.
clearance::client::SweepResult RowOfHits(const std::vector<std::uint32_t>& ids) {
  clearance::client::SweepResult result;
  result.states = {MotionState::kHit};
  clearance::client::SweepPairs& pairs = result.hits;
  pairs.ids.bodies_a = ids;
  pairs.ids.bodies_b.assign(ids.size(), kHitAtHalf.body);
  pairs.states.assign(ids.size(), MotionState::kHit);
  pairs.t_free.assign(ids.size(), kHitAtHalf.t_free);
  pairs.t_hit.assign(ids.size(), kHitAtHalf.t_hit);
  pairs.truncated = {false};
  return result;
}

constexpr Verdict kRefused{MotionState::kRefused, 0, 0, 0};

TEST(GameBodies, ArePairedWithTheirPlayers) {
  using Verdicts = std::vector<Verdict>;
  auto row = RowOfHits({PlayerId(0), PlayerId(0), PlayerId(2)});
  EXPECT_EQ(VerdictsOfBodies(row, 4), (Verdicts{kHitAtHalf, kFree, kHitAtHalf, kFree}));
  row.hits.truncated = {true};
  EXPECT_EQ(VerdictsOfBodies(row, 4), (Verdicts{kHitAtHalf, kFree, kRefused, kRefused}));
  EXPECT_EQ(VerdictsOfBodies(RowOfHits({}), 2), (Verdicts{kFree, kFree}));
  row = RowOfHits({PlayerId(0)});
  row.errors.emplace_back();
  EXPECT_EQ(VerdictsOfBodies(row, 2), (Verdicts{kRefused, kRefused}));
}

// Whoever is free in such a list is so only because nobody looked further.
TEST(GameBodies, NobodyIsFreeByAListThatIsNotInTheirOrder) {
  const std::vector<Verdict> nobody(3, kRefused);
  for (const std::vector<std::uint32_t>& ids :
       {std::vector<std::uint32_t>{PlayerId(1), PlayerId(0)},
        {PlayerId(0), PlayerId(2), PlayerId(1)},
        {PlayerId(0), 7, PlayerId(1)},
        {PlayerId(3)}}) {
    for (const bool is_cut : {false, true}) {
      auto row = RowOfHits(ids);
      row.hits.truncated = {is_cut};
      EXPECT_EQ(VerdictsOfBodies(row, 3), nobody) << ids.size() << " pairs from " << ids[0];
    }
  }
  auto row = RowOfHits({PlayerId(0), PlayerId(1)});
  row.hits.states[1] = MotionState::kFree;
  EXPECT_EQ(VerdictsOfBodies(row, 3), (std::vector<Verdict>{kHitAtHalf, kRefused, kFree}));
}

// So bad that the server would refuse everybody's places for it.
TEST(GamePlaces, WhoClaimsNoPlaceStandsWhereTheyWereAcceptedLast) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Way> claims = {{{1, 2, 3}, {4, 0, 0}}, {{5, 6, 7}, {8, 0, 0}}};
  Places places;
  EXPECT_EQ(Numbers(places.Begin(claims)), (std::vector<double>{1, 2, 3, 5, 6, 7}));
  places.Settle(claims, {kFree, kHitAtHalf});
  const std::vector<double> accepted = {5, 2, 3, 5, 6, 7};
  for (const double bad :
       {kNan, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::max()}) {
    for (const Vec3& from : {Vec3{bad, 0, 0}, Vec3{0, bad, 0}, Vec3{0, 0, bad}}) {
      const std::vector<Way> spoilt = {{from, {}}, {from, {}}};
      EXPECT_EQ(Numbers(places.Begin(spoilt)), accepted) << bad;
      places.Settle(spoilt, {kRefused, kRefused});
    }
  }
  EXPECT_EQ(Numbers(Places().Begin({{{kNan, 0, 0}, {}}})), (std::vector<double>{0, 0, 0}));
}

class GameLog : public ::testing::Test {
 protected:
  ~GameLog() override { std::filesystem::remove(path_); }

  const std::string path_ = ::testing::TempDir() + "game_log_" + std::to_string(getpid());
};

TEST_F(GameLog, IsReadAsItWasWrittenAndRefusedWhereItEndsEarly) {
  Level level = BuiltInLevel();
  level.bodies.resize(2);
  const Tick tick = {9, {{{1, 2, 3}, {4, 5, 6}}}, {{2, {7, 0.5}, {{1, 0, 0}, {0, 1, 0}}}}};
  auto writer = MatchLogWriter::Open(path_, level);
  ASSERT_TRUE(writer.ok()) << writer.status();
  writer->Add({tick, 42});
  ASSERT_TRUE(writer->Finish().ok());
  const auto log = ReadMatchLog(path_);
  ASSERT_TRUE(log.ok()) << log.status();
  EXPECT_EQ(log->level.name, level.name);
  EXPECT_EQ(log->level.bodies.size(), 2u);
  EXPECT_EQ(log->level.bodies[1].vertices, level.bodies[1].vertices);
  ASSERT_EQ(log->entries.size(), 1u);
  const Tick& read = log->entries[0].tick;
  EXPECT_EQ(log->entries[0].digest, 42u);
  EXPECT_EQ(read.number, 9u);
  EXPECT_EQ(read.claims.at(0).move.z, 6);
  EXPECT_EQ(read.shots.at(0).shooter, 2u);
  EXPECT_EQ(read.shots.at(0).seen.fraction, 0.5);
  EXPECT_EQ(read.shots.at(0).way.move.y, 1);
  for (std::uintmax_t size = std::filesystem::file_size(path_); size-- > 0;) {
    std::filesystem::resize_file(path_, size);
    EXPECT_EQ(ReadMatchLog(path_).status().code(), absl::StatusCode::kDataLoss) << size;
  }
}

class GameFigures : public GameLog {
 protected:
  std::string Written(const Measured& measured, const Tally& tally) const {
    EXPECT_TRUE(WriteFigures(path_, "players/here", measured, tally).ok());
    std::stringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }
};

TEST_F(GameFigures, AreInMillisecondsAndMicrosecondsOfAMove) {
  Measured measured;
  measured.ticks = 2;
  measured.moves = 400;
  measured.duration = absl::Milliseconds(50);
  measured.moves_asked.Add(absl::Milliseconds(2));
  measured.moves_asked.Add(absl::Milliseconds(3));
  measured.moves_time = {.client_seconds = 4e-4, .server_seconds = 2e-3};
  Tally tally;
  tally.moves = 400;
  tally.judged = 300;
  tally.missed_walls = 1;
  tally.wrong_stops = 2;
  EXPECT_EQ(Written(measured, tally),
            "name,metric,median,lowest,highest,samples\n"
            "players/here,moves_per_second,8000,8000,8000,1\n"
            "players/here,server_cpu_us_per_move,5,5,5,1\n"
            "players/here,client_cpu_us_per_move,1,1,1,1\n"
            "players/here,moves_p50_ms,2,2,2,1\n"
            "players/here,moves_p99_ms,3,3,3,1\n"
            "players/here,moves_longest_ms,3,3,3,1\n"
            "players/here,moves_asked,400,400,400,1\n"
            "players/here,moves_with_reference,300,300,300,1\n"
            "players/here,moves_wrong,3,3,3,1\n");
}

TEST_F(GameFigures, AreRefusedWhereTheyCannotBeWritten) {
  EXPECT_FALSE(WriteFigures(path_ + "/below-no-folder", "players/here", {}, {}).ok());
}

}  // namespace
}  // namespace game
