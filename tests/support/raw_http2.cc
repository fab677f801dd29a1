// SPDX-License-Identifier: Apache-2.0
#include "tests/support/raw_http2.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace clearance::test {
namespace {

std::string BigEndian(std::uint32_t number, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>((number >> (8 * i)) & 0xff);
  return text;
}

}  // namespace

std::string Literal(std::string_view name, std::string_view value) {
  std::string text(1, '\x10');
  for (const std::string_view part : {name, value}) {
    text += static_cast<char>(part.size());
    text += part;
  }
  return text;
}

std::string Frame(FrameType type, std::uint8_t flags, std::uint32_t stream,
                  std::string_view payload) {
  std::string frame = BigEndian(static_cast<std::uint32_t>(payload.size()), 3);
  frame += static_cast<char>(type);
  frame += static_cast<char>(flags);
  frame += BigEndian(stream, 4);
  frame += payload;
  return frame;
}

std::string Preface() {
  return "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + Frame(FrameType::kSettings, 0, 0, "");
}

std::string CallHeaders(std::string_view path) {
  return Literal(":method", "POST") + Literal(":scheme", "http") + Literal(":path", path) +
         Literal(":authority", "test") + Literal("content-type", "application/grpc") +
         Literal("te", "trailers");
}

std::string MessageFrame(std::string_view message) {
  return std::string(1, '\0') + BigEndian(static_cast<std::uint32_t>(message.size()), 4) +
         std::string(message);
}

RawConnection::RawConnection(int port, const char* source)
    : descriptor_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const int on = 1;
  setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // The port is chosen as the connection is made, so that many can have the same.
  setsockopt(descriptor_, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, source, &address.sin_addr);
  if (bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    Close();
    return;
  }
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    Close();
  }
}

RawConnection::RawConnection(RawConnection&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

bool RawConnection::Send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string RawConnection::Receive() const {
  std::array<char, 4096> buffer;
  const ssize_t size = recv(descriptor_, buffer.data(), buffer.size(), 0);
  return size > 0 ? std::string(buffer.data(), static_cast<std::size_t>(size)) : std::string();
}

void RawConnection::AwaitEnd() const {
  while (!Receive().empty()) {
  }
}

void RawConnection::AwaitReset() const {
  pollfd awaited = {.fd = descriptor_, .events = 0, .revents = 0};
  while (poll(&awaited, 1, -1) != 1) {
  }
}

bool RawConnection::AwaitBytes(std::string_view bytes) const {
  std::string come;
  while (come.find(bytes) == std::string::npos) {
    const std::string more = Receive();
    if (more.empty()) return false;
    come += more;
  }
  return true;
}

void RawConnection::Close() {
  if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
}

bool IsTaken(const RawConnection& connection) {
  return connection.Send(Preface()) && !connection.Receive().empty();
}

}  // namespace clearance::test
