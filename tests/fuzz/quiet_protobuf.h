// SPDX-License-Identifier: Apache-2.0
//
// Protobuf writes a line for each text that is no UTF-8: to a fuzzer that is most of its time.

#pragma once

#include <google/protobuf/stubs/logging.h>

namespace clearance::fuzz {

inline google::protobuf::LogHandler* const kLogHandlerBefore =
    google::protobuf::SetLogHandler(nullptr);

}  // namespace clearance::fuzz
