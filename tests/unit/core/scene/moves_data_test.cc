// SPDX-License-Identifier: Apache-2.0
//
// The moves of players through a level, if there is one (CLEARANCE_DATA): every reference answer,
// which other tools computed brush by brush.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/scene/scene_query.h"
#include "tests/support/level.h"
#include "tests/support/skip.h"

namespace clearance {
namespace {

using MoveJson = nlohmann::json;

// Of times, and of distances relative to the player's size of 56: as the reference has them.
constexpr double kReferenceSlack = 1e-9;
constexpr double kTouchingSlack = 56e-9;

std::set<std::string> NamesIn(const MoveJson& names) {
  std::set<std::string> set;
  for (const MoveJson& name : names) set.insert(name.get<std::string>());
  return set;
}

class MovesData : public ::testing::Test {
 protected:
  MovesData() : folder_(std::filesystem::path(CLEARANCE_DATA) / "map_lq_e1m7") {}

  void SetUp() override {
    if (!std::filesystem::is_directory(folder_)) GTEST_SKIP() << test::kNoDataSets;
    level_ = testing::ReadLevel(folder_);
  }

  struct Contacts {
    PairSweep earliest;
    std::vector<PairSweep> all;
    std::set<std::string> touching;  // at the start
    std::set<std::string> overlapping;
    std::set<std::string> first;
    double first_contact = std::numeric_limits<double>::infinity();
  };

  const std::string& NameOf(const PairSweep& contact) const { return level_.names[contact.pair.b]; }

  Contacts Ask(const testing::PlayerMove& move) {
    const std::vector<SceneBody> bodies = {{1'000'000, level_.player, {move.center, {}}, {}, 0}};
    const std::vector<Motion> motions = {{move.delta, {}, move.center}};
    const MovingSceneQuery moving = {{.scene = *level_.scene, .bodies = bodies}, motions};
    Contacts contacts;
    const SweepAnswer answer = Sweep(moving, {}, &scratch_);
    contacts.earliest = answer.earliest;
    candidates_ += static_cast<int>(answer.counters.candidates);
    SweepAll(
        moving, {},
        [&](const PairSweep& sweep) {
          contacts.all.push_back(sweep);
          return true;
        },
        &scratch_);
    for (const PairSweep& sweep : contacts.all) {
      EXPECT_NE(sweep.contact.state, MotionState::kUndecided);
      if (sweep.contact.state == MotionState::kHit) {
        contacts.first_contact = std::fmin(contacts.first_contact, sweep.contact.t_hit);
      } else {
        const bool touches = std::fabs(sweep.contact.distance) <= kTouchingSlack;
        (touches ? contacts.touching : contacts.overlapping).insert(NameOf(sweep));
      }
    }
    for (const PairSweep& sweep : contacts.all) {
      const bool is_first = sweep.contact.state == MotionState::kHit &&
                            sweep.contact.t_hit <= contacts.first_contact + kReferenceSlack;
      if (is_first) contacts.first.insert(NameOf(sweep));
    }
    return contacts;
  }

  std::filesystem::path folder_;
  testing::Level level_;
  SceneScratch scratch_;
  int candidates_ = 0;
};

TEST_F(MovesData, EveryReferenceAnswerOfTheLevelIsFound) {
  ASSERT_EQ(level_.scene->size(), 947U);
  std::ifstream file(folder_ / "answers_moves.jsonl");
  int rows = 0;
  int hits = 0;
  for (std::string line; std::getline(file, line); ++rows) {
    const MoveJson row = MoveJson::parse(line);
    const Contacts found =
        Ask(level_.moves.at({row.at("player").get<int>(), row.at("frame").get<int>()}));
    EXPECT_EQ(found.overlapping, NamesIn(row.at("initially_overlapping"))) << line;
    const MoveJson& expected = row.at("first_contact");
    if (expected.is_null()) {
      EXPECT_EQ(found.earliest.contact.state, MotionState::kFree) << line;
      continue;
    }
    ++hits;
    if (!found.touching.empty()) {
      EXPECT_LE(expected.get<double>(), kReferenceSlack) << line;
      EXPECT_EQ(found.earliest.contact.state, MotionState::kInitiallyOverlapping) << line;
      continue;
    }
    EXPECT_EQ(found.earliest.contact.state, MotionState::kHit) << line;
    EXPECT_NEAR(found.earliest.contact.t_hit, expected.get<double>(), kReferenceSlack) << line;
    EXPECT_EQ(found.earliest.contact.t_hit, found.first_contact) << line;
    EXPECT_EQ(found.first, NamesIn(row.at("brushes"))) << line;
  }
  std::printf("%d moves, %d hits, %.2f candidates a move\n", rows, hits,
              static_cast<double>(candidates_) / rows);
  EXPECT_EQ(rows, 1757);
  EXPECT_GE(hits, 1000);
}

}  // namespace
}  // namespace clearance
