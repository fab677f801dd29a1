// SPDX-License-Identifier: Apache-2.0
//
// One connection to the operators' port: it reads one request, has it answered and writes the
// reply. Nothing here waits, so that one thread serves all connections and a slow one only delays
// itself. HTTP is Boost.Beast's.

#pragma once

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "server/observe/http_message.h"

namespace clearance::server {

class HttpConnection;
using HttpConnectionPtr = std::shared_ptr<HttpConnection>;

// Holds the calls that connections make to their holder, all by the thread that runs the
// connections.
struct HttpHooks {
  // Returns whether the body of a POST to the path is read. Null: none is.
  std::function<bool(const std::string& path)> takes_body;
  // Called when the request is whole: Reply() is awaited.
  std::function<void(const HttpConnectionPtr&, HttpRequest)> ask;
  // Called when it holds a reply.
  std::function<void()> holds;
  // Called when it is over.
  std::function<void(const HttpConnectionPtr&)> gone;
};

// Serves one connection. Thread-compatible; lives as long as any of its operations is pending.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  enum class Stage : std::uint8_t {
    kReading,    // the request, until its deadline
    kAnswering,  // the reply is being made
    kWriting,    // the reply, as long as some of it goes within each deadline
    kLeaving,    // the reply is sent; further input is read, lest a reset overtake it
    kGone,
  };

  // Keeps a reference. If the connection ends before its reply is sent, it is reset.
  HttpConnection(boost::asio::ip::tcp::socket socket, const HttpHooks& hooks,
                 std::chrono::nanoseconds deadline);

  Stage stage() const { return stage_; }
  // Returns the bytes that it holds of a reply.
  std::size_t reply_bytes() const { return reply_.body().size(); }

  void Start();
  // Requires: kAnswering.
  void Reply(HttpReply reply);
  void End();

 private:
  using Error = boost::system::error_code;

  void Await(std::chrono::nanoseconds wait);
  void OnDeadline();
  void OnHead(const Error& error);
  void OnRequest(const Error& error);
  void OnFailedRead(const Error& error);
  std::optional<int> RefusalOfHead() const;
  std::optional<int> RefusalOfBody() const;
  bool WantsBody() const;
  HttpRequest TakeRequest();
  void Refuse(int status);
  void Write();
  void Leave();
  void Discard();
  void SetReset(bool is_reset);

  const HttpHooks& hooks_;
  const std::chrono::nanoseconds deadline_;
  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer timer_;
  boost::beast::flat_buffer received_;
  boost::beast::http::request_parser<boost::beast::http::string_body> parser_;
  boost::beast::http::response<boost::beast::http::string_body> reply_;
  std::optional<boost::beast::http::response_serializer<boost::beast::http::string_body>> unsent_;
  std::array<char, 4096> discarded_;
  Stage stage_ = Stage::kReading;
  bool is_head_ = false;  // the method of the request is HEAD
};

}  // namespace clearance::server
