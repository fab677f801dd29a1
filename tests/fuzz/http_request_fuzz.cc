// SPDX-License-Identifier: Apache-2.0
//
// Any bytes to the port of the operators: they are answered with a line of HTTP, or not at all, and
// the handler is asked about nothing but GET, HEAD and POST of a bounded body.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "server/observe/http_server.h"
#include "tests/fuzz/fuzz_check.h"

namespace clearance::fuzz {
namespace {

server::HttpServer& TheServer() {
  static server::HttpServer& server = *[] {
    auto started = server::HttpServer::Start(
        "127.0.0.1:0",
        [](const server::HttpRequest& asked) {
          Require(!asked.path.empty(), "a path is a text");
          Require(asked.method == "GET" || asked.method == "HEAD" || asked.method == "POST",
                  "other methods are refused");
          Require(asked.body.size() <= 64 << 10, "a body is bounded");
          return server::HttpReply{.status = asked.path == "/livez" ? 200 : 404, .body = "body\n"};
        },
        [](const std::string& path) { return path == "/livez"; });
    Require(started.ok(), "a server starts");
    return started->release();
  }();
  return server;
}

// Everything that the server says to these bytes and an end.
std::string Ask(const std::uint8_t* bytes, std::size_t size) {
  const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  // Ends with a reset: ports are free again at once.
  const linger at_once = {.l_onoff = 1, .l_linger = 0};
  setsockopt(connection, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(TheServer().port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  Require(connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0,
          "the server takes connections");
  send(connection, bytes, size, MSG_NOSIGNAL);
  shutdown(connection, SHUT_WR);
  std::string reply;
  std::array<char, 4096> part;
  for (ssize_t got = 0; (got = recv(connection, part.data(), part.size(), 0)) > 0;)
    reply.append(part.data(), static_cast<std::size_t>(got));
  close(connection);
  return reply;
}

}  // namespace
}  // namespace clearance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string reply = clearance::fuzz::Ask(bytes, size);
  clearance::fuzz::Require(reply.empty() || reply.starts_with("HTTP/1.1 "), "replies are of HTTP");
  return 0;
}
