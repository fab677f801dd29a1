// SPDX-License-Identifier: Apache-2.0
//
// Makes a token for an operator.

#pragma once

#include <string>

namespace clearance::server {

// Prints the token on one line of stdout and on the next the line of the token file that makes the
// server know it; nothing else keeps the token. Returns the exit status: 2 where `id` can be no
// principal's.
int PrintNewToken(const std::string& id);

}  // namespace clearance::server
