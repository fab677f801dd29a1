// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <string>

#include "absl/status/status.h"
#include "judge.h"
#include "simulation.h"

namespace game {

// To standard output.
void PrintMoves(const Tally& tally);  // its first line alone
void PrintTally(const Tally& tally);
void PrintMeasured(const Measured& measured, const SimulationOptions& options);

// Lines of name,metric,median,lowest,highest,samples, as the server's benchmarks write them; each
// figure is of one run. `name` tells what was measured.
absl::Status WriteFigures(const std::filesystem::path& path, const std::string& name,
                          const Measured& measured, const Tally& tally);

}  // namespace game
