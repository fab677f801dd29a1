// SPDX-License-Identifier: Apache-2.0
//
// The memory of one session between its messages: its slots with the inline shapes in them, its own
// bodies, and where its rows ended. Each session has a little of its own, which nobody can take
// from it; what it has beyond that is a part of what all sessions may have together.

#ifndef CLEARANCE_SERVER_SESSION_SESSION_ROOM_H_
#define CLEARANCE_SERVER_SESSION_SESSION_ROOM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "server/registry/shared_bytes.h"

namespace clearance::server {

// Thread-compatible.
class SessionRoom {
 public:
  enum class Use : std::uint8_t { kSlots, kOwnBodies, kWarmRows };

  // That a session has whatever others hold, bytes.
  static constexpr std::uint64_t kOwn = 64 << 10;
  // A slot without its inline shape at most: its places in the tables that know it, and a digest or
  // the reason of a failure.
  static constexpr std::uint64_t kOfSlot = 512;

  // `all` outlives this; null: nothing is bounded.
  SessionRoom(SharedBytes* all, std::string holder);

  // The use has so many bytes from now on. False, and nothing changed, where that is more and there
  // is no room for it.
  bool Resize(Use use, std::uint64_t bytes);
  // The same with the refusal, RESOURCE_EXHAUSTED of `field`.
  absl::Status Require(Use use, std::uint64_t bytes, const char* field);

 private:
  std::uint64_t bytes() const;

  SharedBytes* const all_;
  std::optional<SharedBytes::Part> shared_;  // what is not the session's own
  std::array<std::uint64_t, 3> used_{};      // by the number of Use
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_SESSION_SESSION_ROOM_H_
