// SPDX-License-Identifier: Apache-2.0
//
// HTTP/2 by hand, for clients that do not keep to it.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace clearance::test {

enum class FrameType : std::uint8_t {
  kData = 0,
  kHeaders = 1,
  kReset = 3,
  kSettings = 4,
  kPing = 6,
  kContinuation = 9,
};

inline constexpr std::uint8_t kEndStream = 1;
inline constexpr std::uint8_t kEndHeaders = 4;

std::string Frame(FrameType type, std::uint8_t flags, std::uint32_t stream,
                  std::string_view payload);

// Returns a client's first bytes: the magic and SETTINGS without any.
std::string Preface();

// One field of a header block: nothing of it compressed, and never to be indexed, so that no table
// grows. Both are shorter than 127 bytes.
std::string Literal(std::string_view name, std::string_view value);

// The header block of a gRPC call, without compression.
std::string CallHeaders(std::string_view path);

// One message of a call as gRPC frames it.
std::string MessageFrame(std::string_view message);

// The address of attackers, which are not let in again once they were cut: other clients must go
// on.
inline constexpr char kAttacker[] = "127.0.0.2";

// A TCP connection to 127.0.0.1.
class RawConnection {
 public:
  // Connects from this address of the loopback.
  explicit RawConnection(int port, const char* source = "127.0.0.1");
  ~RawConnection() { Close(); }
  RawConnection(RawConnection&& other) noexcept;
  RawConnection& operator=(RawConnection&&) = delete;

  // Returns false if the peer has ended the connection.
  bool Send(std::string_view bytes) const;
  // Returns the bytes that have come, at least one; empty if the peer has ended the connection.
  std::string Receive() const;
  // Reads until the peer ends the connection.
  void AwaitEnd() const;
  // Reads nothing, and waits until the peer has reset the connection.
  void AwaitReset() const;
  // Reads until these bytes have come; returns false if the peer ended the connection before.
  bool AwaitBytes(std::string_view bytes) const;
  void Close();

 private:
  int descriptor_ = -1;
};

// Sends the preface, and returns whether the server takes the connection: it answers with its
// SETTINGS.
bool IsTaken(const RawConnection& connection);

}  // namespace clearance::test
