// SPDX-License-Identifier: Apache-2.0

#ifndef CLEARANCE_CLIENT_EXAMPLES_GAME_REPORT_H_
#define CLEARANCE_CLIENT_EXAMPLES_GAME_REPORT_H_

#include "judge.h"
#include "simulation.h"

namespace game {

// To standard output.
void PrintMoves(const Tally& tally);  // its first line alone
void PrintTally(const Tally& tally);
void PrintMeasured(const Measured& measured, const SimulationOptions& options);

}  // namespace game

#endif  // CLEARANCE_CLIENT_EXAMPLES_GAME_REPORT_H_
