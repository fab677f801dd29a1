// SPDX-License-Identifier: Apache-2.0
#include "tests/support/raw_http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>

namespace clearance::test {
namespace {

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

}  // namespace

std::string ExchangeHttp(int port, const std::string& request) {
  std::string reply;
  const int peer = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = Loopback(port);
  if (connect(peer, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
      send(peer, request.data(), request.size(), MSG_NOSIGNAL) > 0) {
    std::array<char, 4096> buffer;
    for (ssize_t n = 0; (n = recv(peer, buffer.data(), buffer.size(), 0)) > 0;) {
      reply.append(buffer.data(), static_cast<std::size_t>(n));
    }
  }
  close(peer);
  return reply;
}

std::string HttpGet(int port, const std::string& path) {
  return ExchangeHttp(port,
                      "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
}

int FindFreePort() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof(address);
  bind(listener, reinterpret_cast<const sockaddr*>(&address), size);
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  close(listener);
  return ntohs(address.sin_port);
}

}  // namespace clearance::test
