// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <fstream>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace game {
namespace {

void PrintDurations(const char* name, const Durations& durations) {
  if (durations.empty()) return;
  absl::PrintF("  %-28s %9.0f %9.0f %9.0f\n", name, durations.Microseconds(0.5),
               durations.Microseconds(0.99), durations.Microseconds(1));
}

void PrintProcessorTime(const char* name, const ProcessorTime& time, const Measured& measured) {
  const double micros_per_move = 1e6 / static_cast<double>(measured.moves);
  const bool is_server_known = measured.moves_time.server_seconds > 0;
  absl::PrintF(
      "  %-28s %9s %9.2f\n", name,
      is_server_known ? absl::StrFormat("%.2f", micros_per_move * time.server_seconds) : "-",
      micros_per_move * time.client_seconds);
}

void PrintRatios(const Measured& measured) {
  absl::PrintF("moves beside the same message about an empty scene: p50 x %.2f, p99 x %.2f",
               measured.moves_asked.Microseconds(0.5) / measured.baseline.Microseconds(0.5),
               measured.moves_asked.Microseconds(0.99) / measured.baseline.Microseconds(0.99));
  if (measured.moves_time.server_seconds > 0) {
    absl::PrintF(", the server's processor time x %.2f",
                 measured.moves_time.server_seconds / measured.baseline_time.server_seconds);
  }
  absl::PrintF("\n");
}

using Figures = std::vector<std::pair<std::string, double>>;

void AddDurations(const std::string& what, const Durations& durations, Figures* figures) {
  if (durations.empty()) return;
  constexpr double kMillisecond = 1e-3;
  figures->emplace_back(what + "_p50_ms", kMillisecond * durations.Microseconds(0.5));
  figures->emplace_back(what + "_p99_ms", kMillisecond * durations.Microseconds(0.99));
  figures->emplace_back(what + "_longest_ms", kMillisecond * durations.Microseconds(1));
}

void AddProcessorTime(const std::string& what, const ProcessorTime& time, const Measured& measured,
                      Figures* figures) {
  const double micros_per_move = 1e6 / static_cast<double>(measured.moves);
  if (time.server_seconds > 0) {
    figures->emplace_back("server_cpu_us_per_move" + what, micros_per_move * time.server_seconds);
  }
  if (time.client_seconds > 0) {
    figures->emplace_back("client_cpu_us_per_move" + what, micros_per_move * time.client_seconds);
  }
}

Figures FiguresOf(const Measured& measured, const Tally& tally) {
  Figures figures;
  if (measured.ticks > 0) {
    figures.emplace_back("moves_per_second", static_cast<double>(measured.moves) /
                                                 absl::ToDoubleSeconds(measured.duration));
    AddProcessorTime("", measured.moves_time, measured, &figures);
    AddProcessorTime("_in_empty_scene", measured.baseline_time, measured, &figures);
  }
  AddDurations("moves", measured.moves_asked, &figures);
  AddDurations("moves_in_empty_scene", measured.baseline, &figures);
  AddDurations("tick", measured.whole, &figures);
  figures.emplace_back("moves_asked", static_cast<double>(tally.moves));
  figures.emplace_back("moves_with_reference", static_cast<double>(tally.judged));
  figures.emplace_back(
      "moves_wrong",
      static_cast<double>(tally.missed_walls + tally.false_refusals + tally.wrong_stops));
  return figures;
}

}  // namespace

void PrintMoves(const Tally& tally) {
  absl::PrintF("moves  %d asked: %d accepted, %d stopped, %d in doubt\n", tally.moves,
               tally.accepted, tally.stopped, tally.doubted);
}

void PrintTally(const Tally& tally) {
  PrintMoves(tally);
  absl::PrintF("       %d have a reference: %d missed walls, %d false refusals, %d wrong stops\n",
               tally.judged, tally.missed_walls, tally.false_refusals, tally.wrong_stops);
  absl::PrintF("cheats %d through walls, %d caught; %d of them end where nothing is\n",
               tally.cheats, tally.cheats_caught, tally.cheats_to_the_open);
  absl::PrintF("shots  %d asked, %d hit players; %d have a reference, %d wrong\n", tally.shots,
               tally.shots_on_players, tally.shots_judged, tally.wrong_shots);
  if (!tally.first_fault.empty()) absl::PrintF("the first fault: %s\n", tally.first_fault);
}

void PrintMeasured(const Measured& measured, const SimulationOptions& options) {
  if (measured.ticks == 0) return;
  absl::PrintF("%-30s %9s %9s %9s\n", "microseconds", "p50", "p99", "longest");
  PrintDurations("moves of a tick", measured.moves_asked);
  PrintDurations("  of an empty scene", measured.baseline);
  PrintDurations("positions published", measured.published);
  PrintDurations("a shot rewound and judged", measured.shots);
  PrintDurations("whole ticks, from when due", measured.whole);
  absl::PrintF("%d ticks in %.2f s: %.0f moves a second", measured.ticks,
               absl::ToDoubleSeconds(measured.duration),
               static_cast<double>(measured.moves) / absl::ToDoubleSeconds(measured.duration));
  if (options.ticks_per_second > 0) {
    const absl::Duration tick = absl::Seconds(1 / options.ticks_per_second);
    absl::PrintF(", %d ticks longer than %.2f ms", measured.whole.CountAbove(tick),
                 absl::ToDoubleMilliseconds(tick));
  }
  absl::PrintF("\n%-30s %9s %9s\n", "processor us per move", "server", "client");
  PrintProcessorTime("moves", measured.moves_time, measured);
  if (options.has_baseline) {
    PrintProcessorTime("  of an empty scene", measured.baseline_time, measured);
  }
  PrintProcessorTime("positions and shots", measured.other_time, measured);
  if (options.has_baseline) PrintRatios(measured);
}

absl::Status WriteFigures(const std::filesystem::path& path, const std::string& name,
                          const Measured& measured, const Tally& tally) {
  std::ofstream file(path);
  file << "name,metric,median,lowest,highest,samples\n";
  for (const auto& [metric, value] : FiguresOf(measured, tally)) {
    file << absl::StrFormat("%s,%s,%.6g,%.6g,%.6g,1\n", name, metric, value, value, value);
  }
  file.close();
  if (file.good()) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("cannot write ", path.string()));
}

}  // namespace game
