// SPDX-License-Identifier: Apache-2.0
//
// Compares every line of accuracy_table.h with the truth: no error is larger than the line says,
// none is so much smaller that the line is stale, and core/accuracy.md prints these very lines.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "tests/property/accuracy_cases.h"
#include "tests/property/accuracy_table.h"
#include "tests/support/planted_contact.h"
#include "tests/support/random.h"

namespace clearance::testing {
namespace {

// A line that says this many times the worst of a run is stale. One rounding of a double never is.
constexpr double kStale = 20;
constexpr double kRounding = 0x1p-53;
// The same of times of collision, whose worst errors are rarer still.
constexpr double kStaleMotion = 50;
// Pairs of one line and situation.
constexpr int kPairs = 200, kSoakPairs = 20000;
constexpr int kMotions = 200, kSoakMotions = 20000;
constexpr int kSlowPairs = 40, kSlowSoakPairs = 1000;
// At least one in this many of all pairs drawn must be in its place with a known truth.
constexpr int kDrawsAPair = 40;
// At most one in this many of the pairs that may be undecided is; a short run may meet that one.
constexpr int kPairsAnUndecided = 1000;

std::string Word(std::string text) {
  for (char& c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return text;
}

// --- Distances and depths ------------------------------------------------------------------------

class Accuracy : public ::testing::TestWithParam<int> {
 protected:
  Accuracy() : random_(RunSeed() * 1000 + GetParam()) {}

  const AccuracyRow& row() const { return kAccuracy[GetParam() / kSituationCount]; }
  Situation situation() const { return static_cast<Situation>(GetParam() % kSituationCount); }
  double claim() const { return row().worst[GetParam() % kSituationCount]; }

  int WantedPairs() const {
    return IsSlow(row(), situation()) ? Effort(kSlowPairs, kSlowSoakPairs)
                                      : Effort(kPairs, kSoakPairs);
  }

  unsigned WantedKinds(Group group, Group other) const {
    const bool overlaps = situation() == Situation::kShallow || situation() == Situation::kDeep;
    return overlaps ? KindsThatOverlap(group, other) : KindsOf(group);
  }

  bool is_curved() const { return row().a >= Group::kCylinder && row().a <= Group::kEllipsoid; }

  // None, unless curved kinds touch.
  int MostUndecided(int pairs) const {
    const bool may_be = is_curved() && situation() == Situation::kTouching;
    return may_be ? std::max(1, pairs / kPairsAnUndecided) : 0;
  }

  // Rare errors show in long runs only, the end of a search for a depth hardly ever.
  bool ShowsTheWorst(int pairs) const {
    if (claim() == kDepthEnd) return false;
    const bool is_apart = situation() == Situation::kFar || situation() == Situation::kNear;
    return is_apart && !IsSlow(row(), situation()) ? pairs >= kPairs : pairs >= LongRun();
  }

  int LongRun() const { return (IsSlow(row(), situation()) ? kSlowSoakPairs : kSoakPairs) / 2; }

  Random random_;
};

std::string CellName(int cell) {
  const AccuracyRow& row = kAccuracy[cell / kSituationCount];
  return Word(std::string(Name(row.a)) + "_" + Name(row.b) + "_" +
              Name(static_cast<Situation>(cell % kSituationCount)));
}

INSTANTIATE_TEST_SUITE_P(All, Accuracy,
                         ::testing::Range(0, static_cast<int>(kAccuracy.size()) * kSituationCount),
                         [](const auto& cell) { return CellName(cell.param); });

TEST_P(Accuracy, IsWhatTheTableSays) {
  const int wanted = WantedPairs();
  int drawn = 0, measured = 0, undecided = 0;
  unsigned kinds_a = 0, kinds_b = 0;
  double worst = 0;
  for (; measured < wanted && drawn < kDrawsAPair * wanted; ++drawn) {
    const std::optional<Measured> one = Measure(row(), situation(), random_);
    if (!one) continue;
    ++measured;
    kinds_a |= one->kinds_a;
    kinds_b |= one->kinds_b;
    ASSERT_EQ(one->fault, "") << "pair " << drawn;
    undecided += one->is_undecided ? 1 : 0;
    if (one->is_undecided) continue;
    ASSERT_LE(one->error, claim()) << "pair " << drawn;
    worst = std::max(worst, one->error);
  }
  std::printf("observed %.2e of %.0e in %d pairs of %d, %d undecided\n", worst, claim(), measured,
              drawn, undecided);
  EXPECT_EQ(measured, wanted) << "too few pairs";
  EXPECT_LE(undecided, MostUndecided(wanted));
  if (wanted < kSlowPairs) return;
  EXPECT_EQ(kinds_a, WantedKinds(row().a, row().b));
  EXPECT_EQ(kinds_b, WantedKinds(row().b, row().a));
  if (!ShowsTheWorst(wanted)) return;
  EXPECT_LE(claim(), kStale * std::max(worst, kRounding)) << "the table is stale";
}

// --- Times of collision --------------------------------------------------------------------------

class MotionAccuracy : public ::testing::TestWithParam<int> {
 protected:
  const MotionAccuracyRow& row() const { return kMotionAccuracy[GetParam()]; }
};

INSTANTIATE_TEST_SUITE_P(All, MotionAccuracy,
                         ::testing::Range(0, static_cast<int>(kMotionAccuracy.size())),
                         [](const auto& line) {
                           const MotionAccuracyRow& row = kMotionAccuracy[line.param];
                           return Word(std::string(Name(row.kinds)) +
                                       (row.turns ? "_turning" : "_translating"));
                         });

TEST_P(MotionAccuracy, IsWhatTheTableSays) {
  Random random(RunSeed() * 100 + GetParam());
  const int motions = Effort(kMotions, kSoakMotions);
  int hits = 0;
  double early = 0, short_of_target = 0;
  for (int i = 0; i < motions; ++i) {
    const MeasuredMotion one = MeasureMotion(row(), random);
    ASSERT_EQ(one.fault, "") << "motion " << i;
    if (!one.is_hit) continue;
    ++hits;
    ASSERT_LE(one.early, row().worst_early) << "motion " << i;
    ASSERT_LE(one.short_of_target, row().worst_short) << "motion " << i;
    early = std::max(early, one.early);
    short_of_target = std::max(short_of_target, one.short_of_target);
  }
  std::printf("observed early %.2e of %.0e, short %.2e of %.0e in %d hits of %d\n", early,
              row().worst_early, short_of_target, row().worst_short, hits, motions);
  EXPECT_GT(20 * hits, motions) << "too few hits";
  if (motions < kSoakMotions / 2) return;
  EXPECT_LE(row().worst_early, kStaleMotion * early) << "the table is stale";
  EXPECT_LE(row().worst_short, kStaleMotion * short_of_target) << "the table is stale";
}

// --- The page ----------------------------------------------------------------------------------

TEST(AccuracyReadme, PrintsTheTable) {
  std::ifstream file(CLEARANCE_ACCURACY_PAGE);
  std::ostringstream content;
  content << file.rdbuf();
  const std::string readme = content.str();
  const std::string begin = "<!-- accuracy: begin -->\n", end = "<!-- accuracy: end -->\n";
  const std::size_t from = readme.find(begin), to = readme.find(end);
  ASSERT_NE(from, std::string::npos) << "no mark in " << CLEARANCE_ACCURACY_PAGE;
  ASSERT_NE(to, std::string::npos);
  const std::string printed = readme.substr(from + begin.size(), to - from - begin.size());
  EXPECT_EQ(printed, AccuracyText()) << "it must be, between the marks:\n" << AccuracyText();
}

}  // namespace
}  // namespace clearance::testing
