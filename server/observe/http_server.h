// SPDX-License-Identifier: Apache-2.0
//
// A small HTTP server for operators: /metrics, /livez, /readyz and a page to look at, on a port of
// its own, with threads of its own, so that no scrape waits for a query nor a query for a scrape.
// prometheus-cpp's Exposer runs the same web server (civetweb) but lets nothing else answer on its
// port.

#ifndef CLEARANCE_SERVER_OBSERVE_HTTP_SERVER_H_
#define CLEARANCE_SERVER_OBSERVE_HTTP_SERVER_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

struct mg_context;
struct mg_connection;

namespace clearance::server {

// As far as anything here asks for it.
struct HttpRequest {
  std::string method;  // GET, HEAD or POST
  std::string path;    // without its query
  std::string content_type;
  std::string authorization;
  std::string host;
  std::string body;  // of a POST to a path that takes one
};

struct HttpReply {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

// Serves GET, HEAD and POST (of at most 64 KiB whose length is told, within five seconds) until it
// is destroyed. Thread-safe.
class HttpServer {
 public:
  // Called from several threads.
  using Handler = std::function<HttpReply(const HttpRequest& request)>;
  // Whether the body of a POST to the path is read. Null: of none.
  using TakesBody = std::function<bool(const std::string& path)>;

  // `address` is host:port, IPv4; port 0 takes a free one. UNAVAILABLE if it cannot be bound.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const std::string& address,
                                                           Handler handler,
                                                           TakesBody takes_body = nullptr);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const { return port_; }

 private:
  HttpServer(std::string host, Handler handler, TakesBody takes_body);

  static int OnRequest(mg_connection* connection, void* self);

  const std::string host_;
  const Handler handler_;
  const TakesBody takes_body_;
  mg_context* context_ = nullptr;
  int port_ = 0;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_OBSERVE_HTTP_SERVER_H_
