// SPDX-License-Identifier: Apache-2.0
//
// Protobuf writes a line for each text that is no UTF-8: to a fuzzer that is most of its time.

#ifndef CLEARANCE_TESTS_FUZZ_QUIET_PROTOBUF_H_
#define CLEARANCE_TESTS_FUZZ_QUIET_PROTOBUF_H_

#include <google/protobuf/stubs/logging.h>

namespace clearance::fuzz {

inline google::protobuf::LogHandler* const kLogHandlerBefore =
    google::protobuf::SetLogHandler(nullptr);

}  // namespace clearance::fuzz

#endif  // CLEARANCE_TESTS_FUZZ_QUIET_PROTOBUF_H_
