// SPDX-License-Identifier: Apache-2.0
#include "tests/acceptance/judge.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

#include "absl/strings/str_format.h"

namespace clearance::acceptance {
namespace {

using Outcome = Answer::Outcome;

constexpr double kReferenceRelative = 1e-9;
constexpr double kReferenceOfSize = 1e-12;
constexpr double kTouchingOfSize = 1e-9;
constexpr double kTimeSlack = 1e-9;
// How many times farther early than late an interval's answer may be: the interval starts at a time
// at which contact is excluded.
constexpr double kEarlyFactor = 1e3;

bool Has(const Json& object, const char* key) {
  return object.contains(key) && !object[key].is_null();
}

double NumberOr(const Json& object, const char* key, double otherwise) {
  return Has(object, key) ? ReadNumber(object[key]) : otherwise;
}

// Numbers of many digits travel as strings.
double ReadLong(const Json& value) {
  return value.is_string() ? std::strtod(value.get<std::string>().c_str(), nullptr)
                           : ReadNumber(value);
}

bool IsRefusal(const Answer& answer) {
  return answer.outcome == Outcome::kRefused || answer.outcome == Outcome::kSelfRefused;
}

// Returns the fault of an answer that holds nothing to judge, if it is such an answer.
std::optional<std::string> MissingAnswer(const Answer& answer) {
  switch (answer.outcome) {
    case Outcome::kLost:
      return "no answer: " + answer.reason;
    case Outcome::kUndecided:
      return "undecided: " + answer.reason;
    case Outcome::kRefused:
    case Outcome::kSelfRefused:
      return "error: " + answer.reason;
    case Outcome::kAnswered:
      break;
  }
  return std::nullopt;
}

std::string WrongBoolean(const char* what, bool got, bool expected) {
  return absl::StrFormat("%s %s, expected %s", what, got ? "true" : "false",
                         expected ? "true" : "false");
}

void JudgeHit(const Json& row, const Json& expect, const Answer& answer,
              std::vector<std::string>* faults) {
  if (!Has(expect, "hit") || expect.value("grazing", false)) return;
  const bool expected = expect["hit"].get<bool>();
  if (answer.hits != expected) return faults->push_back(WrongBoolean("hit", answer.hits, expected));
  if (!expected) return;
  const bool has_interval = Has(expect, "toc_interval");
  const double low = ReadLong(has_interval ? expect["toc_interval"][0] : expect["toc"]);
  const double high = ReadLong(has_interval ? expect["toc_interval"][1] : expect["toc"]);
  const double slack = Has(row, "tolerance") ? NumberOr(row["tolerance"], "toc_abs", 0) : 0;
  if (!std::isfinite(answer.toc)) return faults->push_back("toc is not a number");
  if (answer.toc > high + slack)
    faults->push_back(absl::StrFormat("late by %g", answer.toc - high));
  if (answer.toc < low - slack * (has_interval ? kEarlyFactor : 1)) {
    faults->push_back(absl::StrFormat("early by %g", low - answer.toc));
  }
}

// The depth given is the middle of its certified interval. If the interval's lower end was printed
// so short that it came out above the upper one, that middle is too deep. Then the upper end is
// right.
double ExpectedDepth(const Json& expect) {
  if (Has(expect, "penetration_interval")) {
    const double low = ReadLong(expect["penetration_interval"][0]);
    const double high = ReadLong(expect["penetration_interval"][1]);
    if (low > high) return high;
  }
  return ReadLong(expect["penetration_depth"]);
}

void JudgeDepth(const Json& expect, const Json& tolerance, const Answer& answer,
                std::vector<std::string>* faults) {
  if (!Has(expect, "penetration_depth")) return;
  const double depth = std::fmax(-answer.distance, 0);
  const double expected = ExpectedDepth(expect);
  const double slack = NumberOr(tolerance, "depth_abs", 0);
  if (std::fabs(depth - expected) <= slack) return;
  faults->push_back(absl::StrFormat("depth off by %g (tolerance %g)", depth - expected, slack));
}

void JudgeStatic(const Json& row, const Json& expect, const Answer& answer,
                 std::vector<std::string>* faults) {
  const Json tolerance = row.value("tolerance", Json::object());
  if (tolerance.value("boolean", "") == "must_match" &&
      answer.intersects != expect["intersect"].get<bool>()) {
    faults->push_back(
        WrongBoolean("intersect", answer.intersects, expect["intersect"].get<bool>()));
  }
  JudgeDepth(expect, tolerance, answer, faults);
  if (!Has(expect, "distance")) return;
  const double apart = std::fmax(answer.distance, 0);
  const double expected = ReadLong(expect["distance"]);
  const double slack = NumberOr(tolerance, "distance_abs", NumberOr(tolerance, "depth_abs", 0)) +
                       NumberOr(tolerance, "distance_rel", 0) * std::fabs(expected);
  if (!std::isfinite(answer.distance)) return faults->push_back("distance is not a number");
  if (std::fabs(apart - expected) > slack) {
    faults->push_back(
        absl::StrFormat("distance off by %g (tolerance %g)", apart - expected, slack));
  }
}

std::set<std::string> NamesOf(const Json& row, const char* key) {
  std::set<std::string> names;
  if (Has(row, key)) {
    for (const Json& name : row[key]) names.insert(name.get<std::string>());
  }
  return names;
}

std::string Joined(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  return "{" + text + "}";
}

// The answers about a move.
struct MoveSummary {
  double first_contact = std::numeric_limits<double>::infinity();
  std::set<std::string> first_brushes;
  std::set<std::string> overlapping;
  std::set<std::string> touching;  // at the start
};

MoveSummary Summarize(const std::vector<BrushAnswer>& brushes) {
  MoveSummary summary;
  for (const BrushAnswer& brush : brushes) {
    if (brush.toc.overlaps_at_start) {
      (brush.start.touches ? summary.touching : summary.overlapping).insert(brush.name);
    } else if (brush.toc.hits) {
      summary.first_contact = std::min(summary.first_contact, brush.toc.toc);
    }
  }
  for (const BrushAnswer& brush : brushes) {
    const bool is_tied = brush.toc.hits && !brush.toc.overlaps_at_start &&
                         brush.toc.toc <= summary.first_contact + kTimeSlack;
    if (is_tied) summary.first_brushes.insert(brush.name);
  }
  return summary;
}

std::set<std::string> Without(std::set<std::string> names, const std::set<std::string>& removed) {
  for (const std::string& name : removed) names.erase(name);
  return names;
}

void JudgeFirstContact(const Json& row, const MoveSummary& summary,
                       std::vector<std::string>* faults) {
  const std::set<std::string> expected_brushes = NamesOf(row, "brushes");
  const bool expects_contact = Has(row, "first_contact");
  const double expected = expects_contact ? ReadNumber(row["first_contact"]) : 0;
  if (expects_contact && expected <= kTimeSlack && !summary.touching.empty() &&
      Without(expected_brushes, summary.touching).empty()) {
    return;
  }
  const bool has_contact = !summary.first_brushes.empty();
  if (has_contact != expects_contact)
    return faults->push_back(WrongBoolean("contact", has_contact, expects_contact));
  if (!expects_contact) return;
  if (!(std::fabs(summary.first_contact - expected) <= kTimeSlack)) {
    faults->push_back(absl::StrFormat("first contact off by %g", summary.first_contact - expected));
  }
  if (Without(summary.first_brushes, summary.touching) !=
      Without(expected_brushes, summary.touching)) {
    faults->push_back("first brushes " + Joined(summary.first_brushes) + ", expected " +
                      Joined(expected_brushes));
  }
}

// Judges a player that is within a brush, or at one, before it moves.
void JudgeStartInScene(const Json& row, const MoveScene& scene, const Answer& answer,
                       std::vector<std::string>* faults) {
  const std::set<std::string> expected = NamesOf(row, "initially_overlapping");
  const auto first =
      std::find_if(scene.names.begin(), scene.names.end(),
                   [&](const std::string& name) { return expected.count(name) != 0; });
  const auto index = static_cast<std::size_t>(first - scene.names.begin());
  if (std::fabs(answer.distance) > kTouchingOfSize * scene.player_size) {
    if (answer.met != index)
      faults->push_back("overlapping at the start " + scene.names.at(answer.met) + ", expected " +
                        (expected.empty() ? "none" : scene.names.at(index)));
    return;
  }
  if (index < answer.met) faults->push_back("touching before overlapping");
  if (expected.empty() && Has(row, "first_contact") &&
      ReadNumber(row["first_contact"]) > kTimeSlack) {
    faults->push_back("touching at the start " + scene.names.at(answer.met));
  }
}

}  // namespace

Judgement JudgeCase(const Json& row, const Answer& answer) {
  Judgement judgement;
  const Json& expect = row.at("expect");
  if (Has(expect, "error") && expect["error"] != false) {
    if (!IsRefusal(answer)) judgement.faults.push_back("accepted invalid input");
    return judgement;
  }
  const std::string query = row.value("query", "distance");
  const bool is_toc = query == "toc";
  const bool is_free = is_toc && (!Has(expect, "hit") || expect.value("grazing", false));
  const std::optional<std::string> missing = MissingAnswer(answer);
  if (missing) {
    const bool may_be = is_free && answer.outcome == Outcome::kUndecided;
    if (!may_be) judgement.faults.push_back(*missing);
  } else if (is_toc) {
    JudgeHit(row, expect, answer, &judgement.faults);
  } else {
    JudgeStatic(row, expect, answer, &judgement.faults);
  }
  return judgement;
}

Judgement JudgeDistance(const Json& row, double size, const Answer& answer) {
  Judgement judgement;
  if (const std::optional<std::string> missing = MissingAnswer(answer)) {
    judgement.faults.push_back(*missing);
    return judgement;
  }
  const double expected =
      Has(row, "penetration") ? -ReadNumber(row["penetration"]) : ReadNumber(row.at("distance"));
  const double slack = kReferenceRelative * std::fabs(expected) + kReferenceOfSize * size;
  if (!(std::fabs(answer.distance - expected) <= slack)) {
    judgement.faults.push_back(
        absl::StrFormat("distance off by %g (tolerance %g)", answer.distance - expected, slack));
  }
  if (Has(row, "intersect") && answer.intersects != row["intersect"].get<bool>()) {
    judgement.faults.push_back(
        WrongBoolean("intersect", answer.intersects, row["intersect"].get<bool>()));
  }
  return judgement;
}

Judgement JudgeTimeOfCollision(const Json& row, const Answer& answer) {
  Judgement judgement;
  if (const std::optional<std::string> missing = MissingAnswer(answer)) {
    judgement.faults.push_back(*missing);
    return judgement;
  }
  const bool expected = row.at("hit").get<bool>();
  if (answer.hits != expected) {
    judgement.faults.push_back(WrongBoolean("hit", answer.hits, expected));
  } else if (expected && !(std::fabs(answer.toc - ReadNumber(row.at("toc"))) <= kTimeSlack)) {
    judgement.faults.push_back(
        absl::StrFormat("toc off by %g", answer.toc - ReadNumber(row["toc"])));
  }
  return judgement;
}

Judgement JudgeTouching(double size, const Answer& answer) {
  Judgement judgement;
  const double slack = kTouchingOfSize * size;
  if (const std::optional<std::string> missing = MissingAnswer(answer)) {
    judgement.faults.push_back(*missing);
  } else if (!(std::fabs(answer.distance) <= slack)) {
    judgement.faults.push_back(
        absl::StrFormat("distance %g (tolerance %g)", answer.distance, slack));
  }
  return judgement;
}

Judgement JudgeMove(const Json& row, const std::vector<BrushAnswer>& brushes) {
  Judgement judgement;
  for (const BrushAnswer& brush : brushes) {
    for (const Answer* answer : {&brush.toc, &brush.start}) {
      const std::optional<std::string> missing = MissingAnswer(*answer);
      if (missing) judgement.faults.push_back(brush.name + ": " + *missing);
    }
  }
  if (!judgement.faults.empty()) return judgement;
  const MoveSummary summary = Summarize(brushes);
  JudgeFirstContact(row, summary, &judgement.faults);
  const std::set<std::string> expected = NamesOf(row, "initially_overlapping");
  if (Without(expected, summary.touching) != summary.overlapping) {
    judgement.faults.push_back("overlapping at the start " + Joined(summary.overlapping) +
                               ", expected " + Joined(expected));
  }
  return judgement;
}

Judgement JudgeMoveInScene(const Json& row, const MoveScene& scene, const Answer& answer) {
  Judgement judgement;
  std::vector<std::string>* const faults = &judgement.faults;
  if (const std::optional<std::string> missing = MissingAnswer(answer)) {
    faults->push_back(*missing);
    return judgement;
  }
  if (answer.overlaps_at_start) {
    JudgeStartInScene(row, scene, answer, faults);
    return judgement;
  }
  const std::set<std::string> overlapping = NamesOf(row, "initially_overlapping");
  if (!overlapping.empty())
    faults->push_back("overlapping at the start none, expected " + Joined(overlapping));
  const bool expects_contact = Has(row, "first_contact");
  if (answer.hits != expects_contact)
    faults->push_back(WrongBoolean("contact", answer.hits, expects_contact));
  if (!answer.hits || !expects_contact) return judgement;
  const double late = answer.toc - ReadNumber(row["first_contact"]);
  if (!(std::fabs(late) <= kTimeSlack))
    faults->push_back(absl::StrFormat("first contact off by %g", late));
  const std::set<std::string> brushes = NamesOf(row, "brushes");
  if (brushes.count(scene.names.at(answer.met)) == 0)
    faults->push_back("first brush " + scene.names.at(answer.met) + ", expected one of " +
                      Joined(brushes));
  return judgement;
}

}  // namespace clearance::acceptance
