// SPDX-License-Identifier: Apache-2.0
//
// What a soak counts, and what it found.

#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>

#include "core/query/distance.h"
#include "core/query/time_of_collision.h"
#include "tests/soak/case_maker.h"

namespace clearance::soak {

// What is asked.
enum class Kind : std::uint8_t {
  kDistance,           // cold
  kWarm,               // started from the right witness or from any vertices
  kWithin,             // with a max_distance
  kTolerant,           // with a tolerance
  kWithDepthProof,     // of pairs that overlap
  kExact,              // exact decisions
  kOracle,             // held against the exact oracle in rationals
  kIntersection,       // stops at the first proof
  kExactIntersection,  // exact decisions
  kManifold,           // points of contact
  kTranslation,        // time of collision, neither body turns
  kRotation,           // at least one turns
  kBodyDistance,       // of compounds
  kBodyIntersection,
  kBodyMotion,
};
inline constexpr int kKindCount = static_cast<int>(Kind::kBodyMotion) + 1;
const char* Name(Kind kind);
// True of times of collision, whose states are others.
bool IsMotion(Kind kind);

struct Row {
  std::uint64_t queries = 0;
  std::array<std::uint64_t, 6> states{};  // by State or MotionState
  std::array<std::uint64_t, kUndecidedReasons>
      reasons{};                   // of undecided answers, by UndecidedReason
  std::uint64_t checked = 0;       // by core/proof or the exact oracle
  std::uint64_t lower_proved = 0;  // by core/proof
  std::uint64_t upper_proved = 0;
  std::uint64_t findings = 0;
  std::uint64_t first_undecided = UINT64_MAX;  // index of a case

  void Add(const Row& other);
};

// Thread-compatible.
class Tally {
 public:
  Row& At(Kind kind, Setting setting) {
    return rows_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(setting)];
  }
  void Add(const Tally& other);
  // One line for every kind and setting that was asked about, and the totals.
  void Print() const;
  Row Total() const;

 private:
  std::array<std::array<Row, kSettingCount>, kKindCount> rows_{};
};

struct Finding {
  std::uint64_t index = 0;
  Kind kind = Kind::kDistance;
  Setting setting = Setting::kFarApart;
  std::string fault;
  std::string question;
  std::string answer;
};

// Prints the first kMostPrinted of all threads whole. Thread-safe.
class FindingPrinter {
 public:
  explicit FindingPrinter(std::uint64_t seed) : seed_(seed) {}
  void Print(const Finding& finding);

 private:
  static constexpr int kMostPrinted = 20;

  const std::uint64_t seed_;
  std::mutex mutex_;
  int printed_ = 0;
};

}  // namespace clearance::soak
