// SPDX-License-Identifier: Apache-2.0
#include "tests/soak/tally.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace clearance::soak {
namespace {

void PrintHeading(bool is_motion) {
  std::printf("\n%-18s %-14s %11s %11s %11s %11s %9s %8s %8s %8s %10s %10s %10s %8s  %s\n", "kind",
              "setting", "queries", is_motion ? "free" : "separated",
              is_motion ? "hit" : "touching", is_motion ? "overlapping" : "penetrating",
              is_motion ? "" : "beyond", "budget", "iterat.", "precis.", "checked", "lower",
              "upper", "findings", "first undecided");
}

void PrintRow(const char* kind, const char* setting, bool is_motion, const Row& row) {
  std::printf("%-18s %-14s %11" PRIu64 " %11" PRIu64 " %11" PRIu64 " %11" PRIu64, kind, setting,
              row.queries, row.states[1], row.states[2], row.states[3]);
  if (is_motion) {
    std::printf(" %9s", "");
  } else {
    std::printf(" %9" PRIu64, row.states[4]);
  }
  std::printf(" %8" PRIu64 " %8" PRIu64 " %8" PRIu64, row.reasons[1], row.reasons[2],
              row.reasons[3]);
  std::printf(" %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %8" PRIu64, row.checked, row.lower_proved,
              row.upper_proved, row.findings);
  if (row.first_undecided != UINT64_MAX) std::printf("  %" PRIu64, row.first_undecided);
  std::printf("\n");
}

}  // namespace

const char* Name(Kind kind) {
  static constexpr std::array kNames = {
      "distance",    "warm",     "within",        "tolerant",           "depth_proof",
      "exact",       "oracle",   "intersection",  "exact_intersection", "manifold",
      "translation", "rotation", "body_distance", "body_intersection",  "body_motion"};
  static_assert(kNames.size() == kKindCount);
  return kNames[static_cast<std::size_t>(kind)];
}

bool IsMotion(Kind kind) {
  return kind == Kind::kTranslation || kind == Kind::kRotation || kind == Kind::kBodyMotion;
}

void Row::Add(const Row& other) {
  queries += other.queries;
  for (std::size_t i = 0; i < states.size(); ++i) states[i] += other.states[i];
  for (std::size_t i = 0; i < reasons.size(); ++i) reasons[i] += other.reasons[i];
  checked += other.checked;
  lower_proved += other.lower_proved;
  upper_proved += other.upper_proved;
  findings += other.findings;
  first_undecided = std::min(first_undecided, other.first_undecided);
}

void Tally::Add(const Tally& other) {
  for (std::size_t kind = 0; kind < rows_.size(); ++kind) {
    for (std::size_t setting = 0; setting < rows_[kind].size(); ++setting) {
      rows_[kind][setting].Add(other.rows_[kind][setting]);
    }
  }
}

Row Tally::Total() const {
  Row total;
  for (const auto& rows : rows_) {
    for (const Row& row : rows) total.Add(row);
  }
  return total;
}

void Tally::Print() const {
  for (const bool is_motion : {false, true}) {
    PrintHeading(is_motion);
    Row total;
    for (int k = 0; k < kKindCount; ++k) {
      const auto kind = static_cast<Kind>(k);
      if (IsMotion(kind) != is_motion) continue;
      for (int s = 0; s < kSettingCount; ++s) {
        const Row& row = rows_[static_cast<std::size_t>(k)][static_cast<std::size_t>(s)];
        if (row.queries == 0) continue;
        PrintRow(Name(kind), Name(static_cast<Setting>(s)), is_motion, row);
        total.Add(row);
      }
    }
    PrintRow("all", "", is_motion, total);
  }
}

void FindingPrinter::Print(const Finding& finding) {
  const std::lock_guard lock(mutex_);
  if (printed_++ >= kMostPrinted) return;
  std::printf("\nFINDING: case %" PRIu64 ", %s, %s\n%sagain: ./dev soak --seed %" PRIu64
              " --only %" PRIu64 "\nquestion: %sanswer: %s\n",
              finding.index, Name(finding.kind), Name(finding.setting), finding.fault.c_str(),
              seed_, finding.index, finding.question.c_str(), finding.answer.c_str());
  std::fflush(stdout);
}

}  // namespace clearance::soak
