// SPDX-License-Identifier: Apache-2.0
//
// Options of the command line for mesh files: units, axes, and whether the hull is meant.

#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "clearance/mesh.h"

namespace clearance::client {

struct MeshOptions {
  std::vector<double> scale;  // one factor, or one for each axis; negative ones mirror
  std::string units;          // "mm", "cm", "m", "in"; empty: metres
  std::string up;             // "y" or "z"; empty: z
  bool parts = false;         // a compound of the parts
  bool hull = false;          // hulls are meant: no warnings

  bool empty() const { return scale.empty() && units.empty() && up.empty() && !parts && !hull; }
};

// Those of a file, and where it says nothing of a kind those of the command.
MeshOptions WithDefaults(MeshOptions options, const MeshOptions& defaults);

// Adds them to a command that takes mesh files. `options` outlives it.
void AddMeshOptions(CLI::App* command, MeshOptions* options);

// The shape of a file. INVALID_ARGUMENT also where options contradict each other.
absl::StatusOr<MeshShape> LoadMeshShape(const std::string& path, const MeshOptions& options);

}  // namespace clearance::client
