// SPDX-License-Identifier: Apache-2.0
//
// What a question about pairs may say beside its shapes: the options of every command that asks
// one.

#ifndef CLEARANCE_CLIENT_CLI_QUERY_OPTIONS_H_
#define CLEARANCE_CLIENT_CLI_QUERY_OPTIONS_H_

#include <CLI/CLI.hpp>

#include "clearance/query.h"

namespace clearance::client {

// The batch outlives the command; each option is a column of one row, which stands for all.
void AddOptions(CLI::App* command, DistanceBatch* batch);
void AddOptions(CLI::App* command, IntersectionBatch* batch);
void AddOptions(CLI::App* command, TimeOfCollisionBatch* batch);

}  // namespace clearance::client

#endif  // CLEARANCE_CLIENT_CLI_QUERY_OPTIONS_H_
