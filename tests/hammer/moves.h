// SPDX-License-Identifier: Apache-2.0
//
// What attackers send: each is a client that breaks one rule of HTTP/2 and keeps the others.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/support/raw_http2.h"

namespace clearance::test {

// A call of the health service whose message never comes is known to the transport alone.
inline constexpr char kCheck[] = "/grpc.health.v1.Health/Check";
inline constexpr char kDistance[] = "/clearance.v1.QueryService/Distance";
inline constexpr char kSession[] = "/clearance.v1.QueryService/Session";

inline std::string Repeated(std::string_view part, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += part;
  return text;
}

// The stream of the call with this index: clients number with odd numbers.
inline std::uint32_t StreamOf(int index) { return 1 + 2 * static_cast<std::uint32_t>(index); }

// Opens the call with this index and sends no message.
inline std::string OpenCall(int index, const char* path) {
  return Frame(FrameType::kHeaders, kEndHeaders, StreamOf(index), CallHeaders(path));
}

// Opens it and gives it up at once.
inline std::string ResetCall(int index) {
  constexpr std::string_view kCancel("\0\0\0\x08", 4);
  return OpenCall(index, kDistance) + Frame(FrameType::kReset, 0, StreamOf(index), kCancel);
}

// 16 kB more of headers that never end, for stream 1.
inline std::string MoreHeaders() {
  return Frame(FrameType::kContinuation, 0, 1, Repeated("\x10\x01x\x01y", 16'000));
}

// The bytes that may be sent on a stream at first.
inline std::string Settings(char window) {
  return Frame(FrameType::kSettings, 0, 0, std::string("\0\4\0\0\0", 5) + window);
}

// Those of the server hold from then on.
inline std::string AcknowledgedSettings() {
  constexpr std::uint8_t kAcknowledged = 1;
  return Frame(FrameType::kSettings, kAcknowledged, 0, "");
}

inline constexpr char kPingBytes[] = "12345678";
inline std::string Ping() { return Frame(FrameType::kPing, 0, 0, kPingBytes); }

}  // namespace clearance::test
