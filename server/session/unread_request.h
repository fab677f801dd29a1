// SPDX-License-Identifier: Apache-2.0
//
// Looks at a session's message that is refused before it is parsed: for its tag, for the reply, and
// whether it would have opened a slot or changed the session's query bodies. Those must not stay as
// they were.

#pragma once

#include <google/protobuf/io/zero_copy_stream.h>

#include "clearance/v1/query_service.pb.h"

namespace clearance::server {

// Reads the bytes as the parser would, and sets in an empty message the tag and, of an open or a
// rewind, the slot; the kind of others is left out, except for a change of bodies, which is empty.
// Looks at a few fields only and skips their contents, which is enough for every ordinary writer.
// Returns false if there are more fields, or the bytes are not a message.
bool LookAtRequest(google::protobuf::io::ZeroCopyInputStream* bytes, v1::SessionRequest* known);

}  // namespace clearance::server
