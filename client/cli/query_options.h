// SPDX-License-Identifier: Apache-2.0
//
// The options, beside the shapes, of each command that asks a question about pairs.

#pragma once

#include <CLI/CLI.hpp>

#include "clearance/query.h"

namespace clearance::client {

// The batch outlives the command. Each option is a column of one row, which applies to all.
void AddOptions(CLI::App* command, DistanceBatch* batch);
void AddOptions(CLI::App* command, IntersectionBatch* batch);
void AddOptions(CLI::App* command, TimeOfCollisionBatch* batch);

}  // namespace clearance::client
