// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/peers/tables.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>
#include <utility>

namespace clearance::bench {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr const char* kYardstick = "bullet";

// One value for each size; NaN if there is none.
using Row = std::array<double, kSizes.size()>;

Row SpeedupOf(const Report& report, const Topic& topic) {
  Row row;
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    row[i] = report.Median(CellName(topic, kSizes[i]), kSpeedup);
  }
  return row;
}

Row RowOf(const Report& report, const Topic& topic, const Peer& peer, const char* metric) {
  Row row;
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    row[i] = report.Median(EntryName(topic, kSizes[i], peer), metric);
  }
  return row;
}

bool HasAny(const Row& row) {
  return std::any_of(row.begin(), row.end(), [](double value) { return !std::isnan(value); });
}

// NaN gives way.
Row Least(Row a, const Row& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = std::fmin(a[i], b[i]);
  return a;
}

Row Quotient(Row a, const Row& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] /= b[i];
  return a;
}

Row NoRow() {
  Row row;
  row.fill(kNone);
  return row;
}

void PrintHead(const std::string& title) {
  std::printf("\n%-30s", title.c_str());
  for (const Size& size : kSizes) std::printf("%16s", size.name);
  std::printf("\n");
}

std::string Title(const Topic& topic) {
  return std::string(Name(topic.kind)) + ", " + Name(topic.regime);
}

std::string Text(const char* format, double value) {
  char text[32];
  std::snprintf(text, sizeof(text), format, value);
  return std::isnan(value) ? "-" : text;
}

void PrintRow(const std::string& name, const Row& row, const char* format) {
  std::printf("%-30s", name.c_str());
  for (const double value : row) std::printf("%16s", Text(format, value).c_str());
  std::printf("\n");
}

void PrintTopic(const Report& report, const Peers& peers, const Topic& topic) {
  bool is_first = true;
  for (const auto& peer : peers) {
    const Row times = RowOf(report, topic, *peer, kTime);
    const Row wrong = RowOf(report, topic, *peer, kWrong);
    if (!HasAny(times)) continue;
    if (std::exchange(is_first, false)) PrintHead("ns: " + Title(topic));
    std::printf("%-30s", peer->traits().name.c_str());
    for (std::size_t i = 0; i < times.size(); ++i) {
      const std::string percent = wrong[i] > 0 ? Text("%.1f%%", wrong[i]) : "";
      std::printf("%9s%7s", Text("%.0f", times[i]).c_str(), percent.c_str());
    }
    std::printf("\n");
  }
}

// The values compared in one topic.
struct Comparison {
  Row yardstick = NoRow();
  Row best_peer = NoRow();
  Row best_of_ours = NoRow();
  std::vector<std::pair<std::string, Row>> ours;  // every mode that answers
};

Comparison Compare(const Report& report, const Peers& peers, const Topic& topic) {
  Comparison comparison;
  for (const auto& peer : peers) {
    const Row times = RowOf(report, topic, *peer, kTime);
    const std::string& name = peer->traits().name;
    if (name == kYardstick) comparison.yardstick = times;
    if (peer->traits().is_ours) {
      comparison.best_of_ours = Least(comparison.best_of_ours, times);
      if (HasAny(times)) comparison.ours.emplace_back(name, times);
      continue;
    }
    const Row wrong = RowOf(report, topic, *peer, kWrong);
    Row counted = times;
    for (std::size_t i = 0; i < counted.size(); ++i) {
      if (wrong[i] > kMostWrongPercent) counted[i] = kNone;
    }
    comparison.best_peer = Least(comparison.best_peer, counted);
  }
  return comparison;
}

void PrintMeans(const std::vector<double>& speedups) {
  if (speedups.empty()) return;
  double logarithms = 0;
  for (const double speedup : speedups) logarithms += std::log(speedup);
  std::printf("\nspeedup over the best library in %zu cells: geometric mean %.2f, least %.2f\n",
              speedups.size(), std::exp(logarithms / static_cast<double>(speedups.size())),
              *std::min_element(speedups.begin(), speedups.end()));
}

}  // namespace

std::string CellName(const Topic& topic, const Size& size) {
  return std::string(Name(topic.kind)) + "/" + Name(topic.regime) + "/" + size.name;
}

std::string EntryName(const Topic& topic, const Size& size, const Peer& peer) {
  return CellName(topic, size) + "/" + peer.traits().name;
}

void AddSpeedups(const Peers& peers, Report* report) {
  for (const Topic& topic : kTopics) {
    const Comparison comparison = Compare(*report, peers, topic);
    const Row speedup = Quotient(comparison.best_peer, comparison.best_of_ours);
    for (std::size_t i = 0; i < kSizes.size(); ++i) {
      if (!std::isnan(speedup[i])) report->Add(CellName(topic, kSizes[i]), kSpeedup, speedup[i]);
    }
  }
}

void PrintTimes(const Report& report, const Peers& peers) {
  for (const Topic& topic : kTopics) PrintTopic(report, peers, topic);
}

void PrintWrong(const Report& report, const Peers& peers) {
  for (const Topic& topic : kTopics) {
    bool is_first = true;
    for (const auto& peer : peers) {
      const Row wrong = RowOf(report, topic, *peer, kWrong);
      if (!HasAny(wrong)) continue;
      if (std::exchange(is_first, false)) PrintHead("wrong, %: " + Title(topic));
      PrintRow(peer->traits().name, wrong, "%.1f");
    }
  }
}

void PrintSummary(const Report& report, const Peers& peers) {
  std::vector<double> speedups;
  for (const Topic& topic : kTopics) {
    const Comparison comparison = Compare(report, peers, topic);
    if (!HasAny(comparison.best_of_ours)) continue;
    PrintHead(Title(topic));
    PrintRow("best library / bullet", Quotient(comparison.best_peer, comparison.yardstick), "%.3f");
    for (const auto& [name, times] : comparison.ours) {
      PrintRow(name + " / bullet", Quotient(times, comparison.yardstick), "%.3f");
    }
    const Row speedup = SpeedupOf(report, topic);
    PrintRow("speedup over the best", speedup, "%.2f");
    std::copy_if(speedup.begin(), speedup.end(), std::back_inserter(speedups),
                 [](double value) { return !std::isnan(value); });
  }
  PrintMeans(speedups);
}

}  // namespace clearance::bench
