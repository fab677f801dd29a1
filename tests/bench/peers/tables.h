// SPDX-License-Identifier: Apache-2.0
//
// The measurements of peer_bench, as tables: the times and wrong answers of every library, and the
// comparison of ours with the best of the others.

#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "tests/bench/peers/peer.h"
#include "tests/bench/report.h"
#include "tests/bench/workload.h"

namespace clearance::bench {

using Peers = std::vector<std::unique_ptr<Peer>>;

// One row of the summary, and one table of times.
struct Topic {
  Kind kind;
  Regime regime;
};

inline constexpr std::array<Topic, 12> kTopics = {{
    {Kind::kDistance, Regime::kFar},
    {Kind::kDistance, Regime::kNear},
    {Kind::kDistance, Regime::kCoherent},
    {Kind::kWarmDistance, Regime::kCoherent},
    {Kind::kIntersection, Regime::kFar},
    {Kind::kIntersection, Regime::kNear},
    {Kind::kIntersection, Regime::kShallow},
    {Kind::kIntersection, Regime::kDeep},
    {Kind::kDepth, Regime::kShallow},
    {Kind::kDepth, Regime::kDeep},
    {Kind::kTimeOfCollision, Regime::kFar},
    {Kind::kTimeOfCollision, Regime::kNear},
}};

// As "distance/near/64", and with "/bullet" after it in a report.
std::string CellName(const Topic& topic, const Size& size);
std::string EntryName(const Topic& topic, const Size& size, const Peer& peer);

// Metrics of a report.
inline constexpr const char* kTime = "cpu_ns_per_query";
inline constexpr const char* kWrong = "wrong_percent";
inline constexpr const char* kSpeedup = "speedup_over_the_best_library";

// Libraries that are wrong more often than this in a cell do not count as the best one there.
inline constexpr double kMostWrongPercent = 5;

// Adds to each cell how many times faster the best mode of ours is than the best other library.
void AddSpeedups(const Peers& peers, Report* report);

// Prints one table a topic: nanoseconds, and beside them the percentage of wrong answers if there
// are any. Topics without any entry are left out.
void PrintTimes(const Report& report, const Peers& peers);

// Percentages of wrong answers alone.
void PrintWrong(const Report& report, const Peers& peers);

// The best of the other libraries and each mode of ours, as parts of Bullet's time; the speedups,
// and their mean and least value over all cells. After AddSpeedups.
void PrintSummary(const Report& report, const Peers& peers);

}  // namespace clearance::bench
