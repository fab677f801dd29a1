// SPDX-License-Identifier: Apache-2.0
//
// Valid requests made invalid: byte by byte or field by field.

#pragma once

#include <google/protobuf/message.h>

#include <string>

#include "tests/support/random.h"

namespace clearance::hammer {

// Some bytes are changed, taken out, put in, doubled or cut off, or some fields of the message.
std::string Mutated(const google::protobuf::Message& message, testing::Random* random);

}  // namespace clearance::hammer
