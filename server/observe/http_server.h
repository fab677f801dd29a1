// SPDX-License-Identifier: Apache-2.0
//
// A small HTTP server for operators: /metrics, /livez, /readyz and a page to look at. It has a
// separate port and threads, so that no scrape waits for a query nor a query for a scrape.
//
// Probes must be answered while other clients send, or take, a byte at a time. So there is no
// thread for each connection: one thread reads and writes all connections and waits for none
// (Boost.Asio), and others make the replies. If there is no room for a new connection, the one that
// has been open longest is ended.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace clearance::server {

struct HttpRequest {
  std::string method;  // GET, HEAD or POST
  std::string path;    // without its query; begins with a slash
  std::string content_type;
  std::string authorization;
  std::string host;
  std::string body;  // of a POST to a path that takes one
};

// Returns whether a request names this server by an address or localhost, and not by a name that
// another page may have made to mean it.
bool NamesAddress(const HttpRequest& request);

struct HttpReply {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

// Serves GET, HEAD and POST (of at most 64 KiB and with a stated length), one request a connection,
// until it is destroyed. Thread-safe.
class HttpServer {
 public:
  // Called from several threads.
  using Handler = std::function<HttpReply(const HttpRequest& request)>;
  // Returns whether the body of a POST to the path is read. Null: none is.
  using TakesBodyOf = std::function<bool(const std::string& path)>;

  static constexpr std::size_t kMostConnections = 64;
  // Limit of replies that are not taken; beyond it the longest-open connection that holds one is
  // ended.
  static constexpr std::size_t kMostReplyBytes = 200 << 20;

  // `address` is host:port, IPv4; port 0 takes a free one. UNAVAILABLE if it cannot be bound. A
  // request that is not whole, with its body, within `deadline` is answered with 408; a reply may
  // stand still for as long.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(
      const std::string& address, Handler handler, TakesBodyOf takes_body = nullptr,
      absl::Duration deadline = absl::Seconds(5));
  // Ends the connections, and waits for the handlers that are being called.
  virtual ~HttpServer() = default;

  virtual int port() const = 0;
};

}  // namespace clearance::server
