// SPDX-License-Identifier: Apache-2.0
//
// Puts the shapes of a data folder into the registry.

#pragma once

#include <string>

#include "clearance/client.h"
#include "tests/acceptance/question.h"

namespace clearance::acceptance {

// The name itself if the registry's rule allows it, otherwise one made of its allowed characters
// and `index`.
std::string RegistryName(const std::string& name, std::size_t index);

// Registers every shape that can be sent and lets the questions refer to it by name: hulls in
// batches, others one by one, replacing what has the name. A refused shape stays inline, so that
// its rows tell the refusal; notes say how many.
void RegisterShapes(const client::Client& client, const client::Limits& limits, TaskFile* file);

}  // namespace clearance::acceptance
