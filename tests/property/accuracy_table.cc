// SPDX-License-Identifier: Apache-2.0
#include "tests/property/accuracy_table.h"

#include <cstddef>
#include <cstdio>

namespace clearance::testing {
namespace {

constexpr std::array<const char*, kGroupCount> kGroupNames = {
    "flat and thin", "solid", "round", "rounded", "cylinder", "cone", "ellipsoid", "compound"};

constexpr std::array<const char*, kSituationCount> kSituationNames = {
    "far", "near", "touching", "shallow", "deep", "scaled", "far from origin"};

std::string ErrorText(double error) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.0e", error);
  return text;
}

std::string Line(const AccuracyRow& row) {
  std::string line = std::string("| ") + Name(row.a) + ", " + Name(row.b) + " |";
  for (const double error : row.worst) line += " " + ErrorText(error) + " |";
  return line + "\n";
}

std::string Line(const MotionAccuracyRow& row) {
  return std::string("| ") + Name(row.kinds) + (row.turns ? " that turn" : " in translation") +
         " | never | " + ErrorText(row.worst_early) + " | " + ErrorText(row.worst_short) + " |\n";
}

}  // namespace

const char* Name(Group group) { return kGroupNames[static_cast<std::size_t>(group)]; }
const char* Name(Situation situation) {
  return kSituationNames[static_cast<std::size_t>(situation)];
}
const char* Name(MovingKinds kinds) {
  return kinds == MovingKinds::kPolytopes ? "polytopes, spheres, capsules"
                                          : "cylinders, cones, ellipsoids";
}

std::string AccuracyText() {
  std::string text = "| distance or depth of |";
  std::string rule = "|---|";
  for (int situation = 0; situation < kSituationCount; ++situation) {
    text += std::string(" ") + Name(static_cast<Situation>(situation)) + " |";
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (const AccuracyRow& row : kAccuracy) text += Line(row);
  text += "\n| time of collision of | `t_free` late | `t_free` early by | `t_hit` early by |\n";
  text += "|---|---|---|---|\n";
  for (const MotionAccuracyRow& row : kMotionAccuracy) text += Line(row);
  return text;
}

}  // namespace clearance::testing
