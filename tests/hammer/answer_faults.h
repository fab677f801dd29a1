// SPDX-License-Identifier: Apache-2.0
//
// What the server may answer to a request, by its proto files.

#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string>

#include "clearance/v1/query_service.pb.h"

namespace clearance::hammer {

// "" where an answer is one that may be given: without a NaN, a state for each row, and each
// bracket and time of its state.
std::string FaultOfAnswer(const google::protobuf::Message& answer);

// Whether the method names the code of a status. Any may run out of time or be too large, and bytes
// that are no request are malformed.
bool NamesCode(const google::protobuf::MethodDescriptor& method, int code);

// Likewise of the status of a reply in a session, by what the message was.
bool NamesCode(v1::SessionRequest::KindCase kind, int code);

}  // namespace clearance::hammer
