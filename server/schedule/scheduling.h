// SPDX-License-Identifier: Apache-2.0
//
// Who of the server's threads is let in first where they are more than processors.

#ifndef CLEARANCE_SERVER_SCHEDULE_SCHEDULING_H_
#define CLEARANCE_SERVER_SCHEDULE_SCHEDULING_H_

namespace clearance::server {

// The calling thread has slices of a tenth of a millisecond from now on, where Linux has them (6.12
// and later): when it has something to do it is let in before threads of equal rank that have
// slices of the usual length, some milliseconds. Without effect elsewhere.
void RunInShortSlices();

// The calling thread gives way to threads that are less nice, as nice(1) has it: 0 to 19.
void RunNicely(int niceness);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_SCHEDULE_SCHEDULING_H_
