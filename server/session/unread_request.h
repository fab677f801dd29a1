// SPDX-License-Identifier: Apache-2.0
//
// The known facts of a session's message that is refused before it is parsed: its tag, for the
// reply, and whether it would have opened a slot or changed the session's query bodies. Those must
// not stay as they were.

#pragma once

#include <google/protobuf/io/zero_copy_stream.h>

#include <cstdint>

namespace clearance::server {

struct UnreadRequest {
  enum class Kind : std::uint8_t {
    kUnclear,
    kOpen,
    kOpenScene,
    kRewindTrack,
    kChangeBodies,
    kOther
  };

  std::uint64_t tag = 0;  // 0 also if it was not found
  Kind kind = Kind::kUnclear;
  std::uint32_t slot = 0;  // of an open, of a shape or a scene, or a rewind
};

// Reads the bytes as the parser would. Looks at a few fields only and skips their contents, which
// is enough for every ordinary writer. If there are more fields, or the bytes are not a message,
// the kind is unclear.
UnreadRequest LookAtRequest(google::protobuf::io::ZeroCopyInputStream* bytes);

}  // namespace clearance::server
