// SPDX-License-Identifier: Apache-2.0
#include "server/observe/http_server.h"

#include <civetweb.h>

#include <array>
#include <stop_token>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/observe/steady_clock.h"

namespace clearance::server {
namespace {

// No document root: nothing is served but what the handler answers. The timeout frees a thread from
// a client that connects and says nothing.
std::array<const char*, 9> Options(const std::string& address) {
  return {"listening_ports",
          address.c_str(),
          "num_threads",
          "8",
          "request_timeout_ms",
          "5000",
          "decode_url",
          "no",
          nullptr};
}

constexpr long long kMostBodyBytes = 64 << 10;

// civetweb waits its time for each part of a body anew.
constexpr absl::Duration kLongestBody = absl::Seconds(5);

std::string HeaderOf(const mg_connection* connection, const char* name) {
  const char* const value = mg_get_header(connection, name);
  return value == nullptr ? "" : value;
}

// The status of HTTP that refuses the request, 200 for none.
int ReadBody(mg_connection* connection, std::string* body) {
  const long long size = mg_get_request_info(connection)->content_length;
  if (size < 0) return 411;
  if (size > kMostBodyBytes) return 413;
  const SteadyTime until = SteadyNow() + kLongestBody;
  // A byte at a time: it returns only once it has all that it is asked for.
  for (char byte = 0; body->size() < static_cast<std::size_t>(size); body->push_back(byte)) {
    if (SteadyNow() > until) return 408;
    if (mg_read(connection, &byte, 1) != 1) return 400;
  }
  return 200;
}

void Send(mg_connection* connection, const HttpReply& reply, bool with_body) {
  const std::string head = absl::StrCat(
      "HTTP/1.1 ", reply.status, " ", mg_get_response_code_text(connection, reply.status),
      "\r\nContent-Type: ", reply.content_type, "\r\nContent-Length: ", reply.body.size(),
      "\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nContent-Security-Policy: "
      "default-src 'self'; frame-ancestors 'none'\r\nConnection: close\r\n\r\n");
  mg_write(connection, head.data(), head.size());
  if (with_body) mg_write(connection, reply.body.data(), reply.body.size());
}

}  // namespace

HttpServer::HttpServer(std::string host, Handler handler, TakesBody takes_body)
    : host_(std::move(host)), handler_(std::move(handler)), takes_body_(std::move(takes_body)) {}

// civetweb of Debian 12 notices that it has to stop when its accept loop wakes: within two seconds,
// or at the next connection. So connections come until it did.
HttpServer::~HttpServer() {
  if (context_ == nullptr) return;
  const std::jthread waker([this](const std::stop_token& stopped) {
    std::array<char, 256> error;
    while (!stopped.stop_requested()) {
      mg_connection* const connection =
          mg_connect_client(host_.c_str(), port_, 0, error.data(), error.size());
      if (connection != nullptr) mg_close_connection(connection);
      absl::SleepFor(absl::Milliseconds(5));
    }
  });
  mg_stop(context_);
}

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const std::string& address,
                                                              Handler handler,
                                                              TakesBody takes_body) {
  std::unique_ptr<HttpServer> server(new HttpServer(address.substr(0, address.rfind(':')),
                                                    std::move(handler), std::move(takes_body)));
  mg_callbacks callbacks{};
  // civetweb would write to a file or to stderr in a form of its own.
  callbacks.log_message = [](const mg_connection*, const char*) { return 1; };
  server->context_ = mg_start(&callbacks, nullptr, Options(address).data());
  mg_server_port bound{};
  if (server->context_ == nullptr || mg_get_server_ports(server->context_, 1, &bound) != 1) {
    return absl::UnavailableError(absl::StrCat("cannot listen for HTTP on ", address));
  }
  server->port_ = bound.port;
  mg_set_request_handler(server->context_, "**", &HttpServer::OnRequest, server.get());
  return server;
}

int HttpServer::OnRequest(mg_connection* connection, void* self) {
  const mg_request_info& request = *mg_get_request_info(connection);
  HttpRequest asked{.method = request.request_method,
                    .path = request.local_uri,
                    .content_type = HeaderOf(connection, "Content-Type"),
                    .authorization = HeaderOf(connection, "Authorization"),
                    .host = HeaderOf(connection, "Host"),
                    .body = {}};
  const bool is_head = asked.method == "HEAD";
  const bool is_post = asked.method == "POST";
  const HttpServer& server = *static_cast<HttpServer*>(self);
  // Who only wants to hold a thread gets as far as a path that takes a body.
  const bool has_body = is_post && server.takes_body_ && server.takes_body_(asked.path);
  const int status = has_body ? ReadBody(connection, &asked.body) : 200;
  HttpReply reply{.status = status, .body = "the body cannot be taken\n"};
  if (!is_post && !is_head && asked.method != "GET") {
    reply = {.status = 405, .body = "only GET, HEAD and POST\n"};
  } else if (status == 200) {
    reply = server.handler_(asked);
  }
  Send(connection, reply, !is_head);
  return reply.status;
}

}  // namespace clearance::server
