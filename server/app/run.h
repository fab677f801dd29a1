// SPDX-License-Identifier: Apache-2.0
//
// The composition root: everything that the process is made of is made here, once, and handed to
// what needs it.

#pragma once

#include "absl/types/span.h"

namespace clearance::server {

// Does what the arguments (without the program's name) ask for and returns the process's exit code:
// 0 done, 1 failed, 2 arguments that are wrong, 3 a data directory or shared store that cannot be
// used. Serves until SIGTERM or SIGINT, then drains:
//   /readyz 503 and health NOT_SERVING -> drain_delay -> calls refused, sessions ended after the
//   message they are at -> drain_timeout -> what still runs is cancelled -> 0.
// Call it before any thread starts, at most once.
int Run(absl::Span<const char* const> arguments);

}  // namespace clearance::server
