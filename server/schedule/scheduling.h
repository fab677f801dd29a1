// SPDX-License-Identifier: Apache-2.0
//
// Which of the server's threads run first if there are more threads than processors, and the time
// that they had.

#pragma once

#include <thread>

#include "absl/time/time.h"

namespace clearance::server {

// Gives the calling thread slices of a tenth of a millisecond from now on, if Linux has them (6.12
// and later). When it has something to do, it runs before threads of equal rank with slices of the
// usual length, some milliseconds. No effect elsewhere.
void RunInShortSlices();

// Makes the calling thread give way to threads that are less nice, as nice(1) does: 0 to 19.
void RunNicely(int niceness);

// Returns the processor time that a joinable thread has spent since it began. Time that it waited,
// for others or for a processor, does not count.
absl::Duration ProcessorTimeOf(std::thread& thread);

}  // namespace clearance::server
