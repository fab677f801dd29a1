// SPDX-License-Identifier: Apache-2.0
//
// Every rule of the judge on hand-written rows, each with an answer that passes and one that does
// not.
#include "tests/acceptance/judge.h"

#include <string>

#include "gtest/gtest.h"

namespace clearance::acceptance {
namespace {

using Outcome = Answer::Outcome;

Answer Apart(double distance) {
  Answer answer;
  answer.outcome = Outcome::kAnswered;
  answer.distance = distance;
  return answer;
}

Answer Meeting() {
  Answer answer = Apart(0);
  answer.intersects = true;
  return answer;
}

Answer Hit(double toc) {
  Answer answer;
  answer.outcome = Outcome::kAnswered;
  answer.hits = true;
  answer.toc = toc;
  return answer;
}

Answer Free() {
  Answer answer;
  answer.outcome = Outcome::kAnswered;
  return answer;
}

Answer Without(Outcome outcome) {
  Answer answer;
  answer.outcome = outcome;
  answer.reason = "why";
  return answer;
}

// The faults of a row as one text; empty: passed.
std::string Faults(const Judgement& judgement) {
  std::string text;
  for (const std::string& fault : judgement.faults) text += (text.empty() ? "" : "; ") + fault;
  return text;
}

std::string CaseFaults(const char* row, const Answer& answer) {
  return Faults(JudgeCase(Json::parse(row), answer));
}

constexpr const char* kSeparated =
    R"({"query": "distance", "expect": {"distance": 2.0, "intersect": false},
        "tolerance": {"boolean": "must_match", "distance_abs": 1e-12, "distance_rel": 1e-12}})";

TEST(JudgeCase, AllowsDistanceAbsoluteAndRelativeTolerance) {
  EXPECT_EQ(CaseFaults(kSeparated, Apart(2.0)), "");
  EXPECT_EQ(CaseFaults(kSeparated, Apart(2.0 + 2.9e-12)), "");
  EXPECT_NE(CaseFaults(kSeparated, Apart(2.0 + 3.1e-12)), "");
  EXPECT_NE(CaseFaults(kSeparated, Apart(2.0 - 3.1e-12)), "");
  EXPECT_EQ(CaseFaults(kSeparated, Apart(0.0 / 0.0)), "distance is not a number");
}

TEST(JudgeCase, HoldsTheBooleanOnlyWhereItMustMatch) {
  const char* must = R"({"query": "distance", "expect": {"distance": 0.0, "intersect": true},
                         "tolerance": {"boolean": "must_match", "distance_abs": 1}})";
  const char* either = R"({"query": "distance", "expect": {"distance": 0.0, "intersect": true},
                           "tolerance": {"boolean": "either", "distance_abs": 1}})";
  EXPECT_EQ(CaseFaults(must, Meeting()), "");
  EXPECT_EQ(CaseFaults(must, Apart(0.5)), "intersect false, expected true");
  EXPECT_EQ(CaseFaults(either, Apart(0.5)), "");
}

TEST(JudgeCase, UsesDepthToleranceIfDistanceHasNone) {
  const char* row = R"({"query": "penetration", "tolerance": {"depth_abs": 0.25},
                        "expect": {"distance": 0, "intersect": true, "penetration_depth": 1}})";
  Answer deep = Meeting();
  deep.distance = -1;
  EXPECT_EQ(CaseFaults(row, deep), "");
  EXPECT_EQ(CaseFaults(R"({"query": "distance", "tolerance": {"depth_abs": 0.25},
                           "expect": {"distance": 0, "intersect": true}})",
                       Apart(0.25)),
            "");
  EXPECT_NE(CaseFaults(R"({"query": "distance", "tolerance": {"depth_abs": 0.25},
                           "expect": {"distance": 0, "intersect": true}})",
                       Apart(0.26)),
            "");
}

Answer Deep(double depth) {
  Answer answer = Meeting();
  answer.distance = -depth;
  return answer;
}

TEST(JudgeCase, HoldsADepthToItsOwnToleranceWhereItIsKnown) {
  const char* row = R"({"query": "penetration",
                        "expect": {"distance": 0, "intersect": true, "penetration_depth": 0.5},
                        "tolerance": {"boolean": "must_match", "distance_abs": 1e-12,
                                      "depth_abs": 1e-6}})";
  EXPECT_EQ(CaseFaults(row, Deep(0.5)), "");
  EXPECT_EQ(CaseFaults(row, Deep(0.5 + 0.9e-6)), "");
  EXPECT_NE(CaseFaults(row, Deep(0.5 - 1.1e-6)).find("depth off"), std::string::npos);
  EXPECT_NE(CaseFaults(row, Meeting()), "") << "no depth at all";
  const char* unknown = R"({"query": "penetration", "tolerance": {"depth_abs": 1e-6},
                            "expect": {"distance": 0, "penetration_depth": null}})";
  EXPECT_EQ(CaseFaults(unknown, Deep(7)), "");
}

TEST(JudgeCase, TakesUpperEndIfLowerEndIsRoundedPastIt) {
  const char* crossed = R"({"query": "penetration", "tolerance": {"depth_abs": 1e-9},
      "expect": {"distance": 0, "intersect": true, "penetration_depth": 0.52535795,
                 "penetration_interval": [0.525358, 0.5253579]}})";
  EXPECT_EQ(CaseFaults(crossed, Deep(0.5253579)), "");
  EXPECT_NE(CaseFaults(crossed, Deep(0.52535795)), "");
  const char* ordered = R"({"query": "penetration", "tolerance": {"depth_abs": 1e-9},
      "expect": {"distance": 0, "intersect": true, "penetration_depth": 0.52535785,
                 "penetration_interval": [0.5253578, 0.5253579]}})";
  EXPECT_EQ(CaseFaults(ordered, Deep(0.52535785)), "");
  EXPECT_NE(CaseFaults(ordered, Deep(0.5253579)), "");
}

TEST(JudgeCase, WantsATypedRefusalOfInvalidInput) {
  const char* row = R"({"query": "distance", "expect": {"error": true, "why": "NaN"}})";
  EXPECT_EQ(CaseFaults(row, Without(Outcome::kRefused)), "");
  EXPECT_EQ(CaseFaults(row, Without(Outcome::kSelfRefused)), "");
  EXPECT_EQ(CaseFaults(row, Apart(1)), "accepted invalid input");
  EXPECT_EQ(CaseFaults(row, Without(Outcome::kLost)), "accepted invalid input");
  EXPECT_EQ(CaseFaults(row, Without(Outcome::kUndecided)), "accepted invalid input");
}

TEST(JudgeCase, FailsValidInputThatIsNotAnswered) {
  EXPECT_EQ(CaseFaults(kSeparated, Without(Outcome::kRefused)), "error: why");
  EXPECT_EQ(CaseFaults(kSeparated, Without(Outcome::kLost)), "no answer: why");
  EXPECT_EQ(CaseFaults(kSeparated, Without(Outcome::kUndecided)), "undecided: why");
}

TEST(JudgeCase, HoldsATimeOfCollisionAgainstItsExactValue) {
  const char* row = R"({"query": "toc", "expect": {"hit": true, "toc": 0.5, "grazing": false},
                        "tolerance": {"toc_abs": 1e-9}})";
  EXPECT_EQ(CaseFaults(row, Hit(0.5)), "");
  EXPECT_EQ(CaseFaults(row, Hit(0.5 + 0.9e-9)), "");
  EXPECT_NE(CaseFaults(row, Hit(0.5 + 1.1e-9)).find("late"), std::string::npos);
  EXPECT_NE(CaseFaults(row, Hit(0.5 - 1.1e-9)).find("early"), std::string::npos);
  EXPECT_EQ(CaseFaults(row, Free()), "hit false, expected true");
}

TEST(JudgeCase, AllowsAnIntervalToBeAThousandTimesEarlierThanLate) {
  const char* row = R"({"query": "toc", "tolerance": {"toc_abs": 1e-9},
                        "expect": {"hit": true, "toc": 0.5, "toc_interval": ["0.5", "0.6"]}})";
  EXPECT_EQ(CaseFaults(row, Hit(0.6)), "");
  EXPECT_EQ(CaseFaults(row, Hit(0.5 - 0.9e-6)), "");
  EXPECT_NE(CaseFaults(row, Hit(0.5 - 1.1e-6)), "");
  EXPECT_NE(CaseFaults(row, Hit(0.6 + 1.1e-9)), "");
}

TEST(JudgeCase, HoldsAMissAgainstAHit) {
  const char* row = R"({"query": "toc", "expect": {"hit": false}, "tolerance": {"toc_abs": 1e-9}})";
  EXPECT_EQ(CaseFaults(row, Free()), "");
  EXPECT_EQ(CaseFaults(row, Hit(0.5)), "hit true, expected false");
  EXPECT_EQ(CaseFaults(row, Without(Outcome::kUndecided)), "undecided: why");
}

TEST(JudgeCase, LeavesGrazingAndUnknownHitsFree) {
  const char* grazing = R"({"query": "toc", "expect": {"hit": true, "toc": 0.5, "grazing": true}})";
  const char* unknown = R"({"query": "toc", "expect": {"hit": null, "toc_lower": 0.1}})";
  for (const char* row : {grazing, unknown}) {
    EXPECT_EQ(CaseFaults(row, Free()), "");
    EXPECT_EQ(CaseFaults(row, Hit(0.1)), "");
    EXPECT_EQ(CaseFaults(row, Without(Outcome::kUndecided)), "");
    EXPECT_NE(CaseFaults(row, Without(Outcome::kRefused)), "");
  }
}

TEST(JudgeDistance, AllowsPartsOfTheDistanceAndOfTheSize) {
  const Json row = Json::parse(R"({"distance": 2.0, "intersect": false})");
  EXPECT_EQ(Faults(JudgeDistance(row, 100, Apart(2.0 + 2.0e-9))), "");
  EXPECT_NE(Faults(JudgeDistance(row, 100, Apart(2.0 + 2.2e-9))), "");
  EXPECT_EQ(Faults(JudgeDistance(row, 1e5, Apart(2.0 + 1.0e-7))), "");
  EXPECT_NE(Faults(JudgeDistance(row, 100, Meeting())).find("intersect true"), std::string::npos);
}

TEST(JudgeDistance, TakesAPenetrationForANegativeDistance) {
  const Json row = Json::parse(R"({"distance": 0, "intersect": true, "penetration": 0.5})");
  EXPECT_EQ(Faults(JudgeDistance(row, 1, Deep(0.5 + 0.4e-9))), "");
  EXPECT_NE(Faults(JudgeDistance(row, 1, Deep(0.5 - 0.6e-9))), "");
  EXPECT_NE(Faults(JudgeDistance(row, 1, Meeting())), "");
}

TEST(JudgeTimeOfCollision, AllowsOnePartInTenToTheNine) {
  const Json hit = Json::parse(R"({"hit": true, "toc": 0.25})");
  EXPECT_EQ(Faults(JudgeTimeOfCollision(hit, Hit(0.25 + 0.9e-9))), "");
  EXPECT_NE(Faults(JudgeTimeOfCollision(hit, Hit(0.25 - 1.1e-9))), "");
  EXPECT_EQ(Faults(JudgeTimeOfCollision(hit, Free())), "hit false, expected true");
  const Json miss = Json::parse(R"({"hit": false, "toc": null})");
  EXPECT_EQ(Faults(JudgeTimeOfCollision(miss, Free())), "");
  EXPECT_EQ(Faults(JudgeTimeOfCollision(miss, Hit(0.5))), "hit true, expected false");
}

TEST(JudgeTouching, TakesEitherBooleanButNoGapAndNoDepth) {
  EXPECT_EQ(Faults(JudgeTouching(10, Apart(0.9e-8))), "");
  EXPECT_NE(Faults(JudgeTouching(10, Apart(1.1e-8))), "");
  EXPECT_EQ(Faults(JudgeTouching(10, Meeting())), "");
  EXPECT_EQ(Faults(JudgeTouching(10, Deep(0.9e-8))), "");
  EXPECT_NE(Faults(JudgeTouching(10, Deep(1.1e-8))), "");
}

BrushAnswer Brush(const char* name, const Answer& toc, const Answer& start = Apart(1)) {
  return {name, toc, start};
}

Answer OverlapsAtStart() {
  Answer answer = Hit(0);
  answer.overlaps_at_start = true;
  return answer;
}

Answer TouchesNow() {
  Answer answer = Meeting();
  answer.touches = true;
  return answer;
}

std::string MoveFaults(const char* row, const std::vector<BrushAnswer>& brushes) {
  return Faults(JudgeMove(Json::parse(row), brushes));
}

TEST(JudgeMove, WantsTheFirstTimeAndEveryTiedBrush) {
  const char* row = R"({"first_contact": 0.5, "brushes": ["a", "b"], "initially_overlapping": []})";
  EXPECT_EQ(
      MoveFaults(row, {Brush("a", Hit(0.5)), Brush("b", Hit(0.5 + 5e-10)), Brush("c", Hit(0.6))}),
      "");
  EXPECT_NE(MoveFaults(row, {Brush("a", Hit(0.5)), Brush("c", Hit(0.6))}), "")
      << "a tied brush is missing";
  EXPECT_NE(MoveFaults(row, {Brush("a", Hit(0.5)), Brush("b", Hit(0.5)), Brush("c", Hit(0.5))}), "")
      << "one too many";
  EXPECT_NE(MoveFaults(row, {Brush("a", Hit(0.51)), Brush("b", Hit(0.51))}), "") << "too late";
  EXPECT_NE(MoveFaults(row, {Brush("a", Free())}), "") << "no contact";
}

TEST(JudgeMove, WantsNoContactWhereThereIsNone) {
  const char* row = R"({"first_contact": null, "brushes": [], "initially_overlapping": []})";
  EXPECT_EQ(MoveFaults(row, {Brush("a", Free())}), "");
  EXPECT_EQ(MoveFaults(row, {}), "");
  EXPECT_NE(MoveFaults(row, {Brush("a", Hit(0.5))}), "");
}

TEST(JudgeMove, WantsTheBrushesThatOverlapAtTheStart) {
  const char* row = R"({"first_contact": null, "brushes": [], "initially_overlapping": ["a"]})";
  EXPECT_EQ(MoveFaults(row, {Brush("a", OverlapsAtStart(), Meeting())}), "");
  EXPECT_NE(MoveFaults(row, {Brush("a", Free())}), "");
  EXPECT_NE(MoveFaults(row, {Brush("a", OverlapsAtStart(), Meeting()),
                             Brush("b", OverlapsAtStart(), Meeting())}),
            "");
}

TEST(JudgeMove, CountsTouchingAtTheStartNeitherWay) {
  const std::vector<BrushAnswer> touching = {Brush("a", OverlapsAtStart(), TouchesNow())};
  EXPECT_EQ(MoveFaults(R"({"first_contact": null, "brushes": [], "initially_overlapping": []})",
                       touching),
            "");
  EXPECT_EQ(MoveFaults(R"({"first_contact": null, "brushes": [], "initially_overlapping": ["a"]})",
                       touching),
            "");
  EXPECT_EQ(MoveFaults(R"({"first_contact": 0, "brushes": ["a"], "initially_overlapping": []})",
                       touching),
            "");
  EXPECT_NE(MoveFaults(R"({"first_contact": 0.5, "brushes": ["a"], "initially_overlapping": []})",
                       touching),
            "");
}

const MoveScene kScene = {{"a", "b", "player", "c"}, 100};

Answer Met(Answer answer, std::size_t shape, double distance = 0) {
  answer.met = shape;
  answer.distance = distance;
  return answer;
}

std::string SceneMoveFaults(const char* row, const Answer& answer) {
  return Faults(JudgeMoveInScene(Json::parse(row), kScene, answer));
}

TEST(JudgeMoveInScene, WantsTheFirstTimeAndOneOfTheTiedBrushes) {
  const char* row = R"({"first_contact": 0.5, "brushes": ["a", "c"], "initially_overlapping": []})";
  EXPECT_EQ(SceneMoveFaults(row, Met(Hit(0.5), 0)), "");
  EXPECT_EQ(SceneMoveFaults(row, Met(Hit(0.5 - 9e-10), 3)), "");
  EXPECT_EQ(SceneMoveFaults(row, Met(Hit(0.5), 1)), "first brush b, expected one of {a c}");
  EXPECT_NE(SceneMoveFaults(row, Met(Hit(0.5 + 1.1e-9), 0)), "");
  EXPECT_EQ(SceneMoveFaults(row, Free()), "contact false, expected true");
  EXPECT_NE(SceneMoveFaults(row, Met(OverlapsAtStart(), 0, -1)), "");
  EXPECT_EQ(SceneMoveFaults(row, Without(Outcome::kUndecided)), "undecided: why");
}

TEST(JudgeMoveInScene, WantsNoContactWhereThereIsNone) {
  const char* row = R"({"first_contact": null, "brushes": [], "initially_overlapping": []})";
  EXPECT_EQ(SceneMoveFaults(row, Free()), "");
  EXPECT_EQ(SceneMoveFaults(row, Met(Hit(0.5), 1)), "contact true, expected false");
}

TEST(JudgeMoveInScene, WantsTheFirstBrushThatOverlapsAtTheStart) {
  const char* row =
      R"({"first_contact": null, "brushes": [], "initially_overlapping": ["c", "b"]})";
  EXPECT_EQ(SceneMoveFaults(row, Met(OverlapsAtStart(), 1, -1)), "");
  EXPECT_EQ(SceneMoveFaults(row, Met(OverlapsAtStart(), 3, -1)),
            "overlapping at the start c, expected b");
  EXPECT_EQ(SceneMoveFaults(row, Met(OverlapsAtStart(), 0, 1e-8)), "") << "it touches one before";
  EXPECT_NE(SceneMoveFaults(row, Met(OverlapsAtStart(), 3, 1e-8)), "") << "it touches one behind";
  EXPECT_NE(SceneMoveFaults(row, Free()), "");
}

TEST(JudgeMoveInScene, CountsTouchingAtTheStartNeitherWay) {
  const Answer touching = Met(OverlapsAtStart(), 1, -0.9e-7);
  for (const char* contact : {"null", "0", "5e-10"}) {
    const std::string row = std::string(R"({"first_contact": )") + contact +
                            R"(, "brushes": ["a"], "initially_overlapping": []})";
    EXPECT_EQ(SceneMoveFaults(row.c_str(), touching), "");
  }
  const char* row = R"({"first_contact": 0.5, "brushes": ["a"], "initially_overlapping": []})";
  EXPECT_EQ(SceneMoveFaults(row, touching), "touching at the start b");
}

TEST(JudgeMove, FailsWhereAnyBrushIsUndecided) {
  const char* row = R"({"first_contact": null, "brushes": [], "initially_overlapping": []})";
  EXPECT_EQ(MoveFaults(row, {Brush("a", Without(Outcome::kUndecided))}), "a: undecided: why");
}

}  // namespace
}  // namespace clearance::acceptance
