// SPDX-License-Identifier: Apache-2.0
#include "server/observe/http_server.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <list>
#include <optional>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/observe/http_connection.h"

namespace clearance::server {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Error = boost::system::error_code;
using Stage = HttpConnection::Stage;

constexpr std::size_t kThreads = 8;
// Pause after a connection could not be accepted: descriptors may have run out.
constexpr std::chrono::milliseconds kAcceptPause{20};

}  // namespace

// Runs the server on one thread, which alone uses the members, except as Run() and the end need
// them.
class HttpServer::Loop {
 public:
  Loop(Handler handler, TakesBody takes_body, absl::Duration deadline)
      : handler_(std::move(handler)),
        hooks_{.takes_body = std::move(takes_body),
               .ask = [this](const HttpConnectionPtr& asking,
                             HttpRequest request) { Ask(asking, std::move(request)); },
               .holds = [this] { BoundReplies(); },
               .gone = [this](const HttpConnectionPtr& gone) { Forget(gone); }},
        deadline_(absl::ToChronoNanoseconds(deadline)) {}

  // Drops the requests that wait for a thread.
  ~Loop() {
    context_.stop();
    if (thread_.joinable()) thread_.join();
    workers_.stop();
    workers_.join();
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  Error Listen(const std::string& host, const std::string& port) {
    Error error;
    const auto found = tcp::resolver(context_).resolve(
        tcp::v4(), host, port, tcp::resolver::passive | tcp::resolver::numeric_service, error);
    if (error) return error;
    const tcp::endpoint endpoint = found.begin()->endpoint();
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
    if (!error) port_ = acceptor_.local_endpoint(error).port();
    return error;
  }

  void Run() {
    Accept();
    thread_ = std::thread([this] { context_.run(); });
  }

  int port() const { return port_; }

 private:
  using Connections = std::list<HttpConnectionPtr>;  // the oldest first

  // Accepts a connection, unless it waits for one already or there is no room for another.
  void Accept() {
    if (is_accepting_ || !HasRoom()) return;
    is_accepting_ = true;
    acceptor_.async_accept([this](const Error& error, tcp::socket socket) {
      is_accepting_ = false;
      if (error && error != asio::error::connection_aborted) return AcceptLater();
      if (!error) Take(std::move(socket));
      Accept();
    });
  }

  void AcceptLater() {
    is_accepting_ = true;
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([this](const Error&) {
      is_accepting_ = false;
      Accept();
    });
  }

  // Returns whether a new connection can have a place: only one that is being answered keeps its
  // own.
  bool HasRoom() const {
    return connections_.size() < HttpServer::kMostConnections ||
           std::any_of(connections_.begin(), connections_.end(),
                       [](const auto& one) { return one->stage() != Stage::kAnswering; });
  }

  void Take(tcp::socket socket) {
    if (connections_.size() >= HttpServer::kMostConnections) EndLongest();
    connections_.push_back(std::make_shared<HttpConnection>(std::move(socket), hooks_, deadline_));
    connections_.back()->Start();
  }

  // Ends the oldest connection; one that writes a reply only if no other can be ended.
  void EndLongest() {
    const auto longest = [this](const auto& is_meant) {
      const auto found =
          std::find_if(connections_.begin(), connections_.end(),
                       [&](const HttpConnectionPtr& one) { return is_meant(one->stage()); });
      return found == connections_.end() ? HttpConnectionPtr() : *found;
    };
    HttpConnectionPtr ended =
        longest([](Stage stage) { return stage == Stage::kReading || stage == Stage::kLeaving; });
    if (ended == nullptr) ended = longest([](Stage stage) { return stage == Stage::kWriting; });
    if (ended != nullptr) ended->End();
  }

  void Ask(const HttpConnectionPtr& asking, HttpRequest request) {
    asio::post(workers_, [this, asking, request = std::move(request)] {
      asio::post(context_, [this, asking, reply = handler_(request)]() mutable {
        asking->Reply(std::move(reply));
        Accept();
      });
    });
  }

  void BoundReplies() {
    const Connections all = connections_;
    std::size_t bytes = 0;
    for (const HttpConnectionPtr& one : all) bytes += one->reply_bytes();
    for (const HttpConnectionPtr& one : all) {
      if (bytes <= HttpServer::kMostReplyBytes) return;
      const std::size_t held = one->reply_bytes();
      if (held > 0) one->End();
      bytes -= held;
    }
  }

  void Forget(const HttpConnectionPtr& gone) {
    connections_.remove(gone);
    Accept();
  }

  const Handler handler_;
  const HttpHooks hooks_;
  const std::chrono::nanoseconds deadline_;
  asio::io_context context_{1};
  tcp::acceptor acceptor_{context_};
  asio::steady_timer pause_{context_};
  Connections connections_;
  bool is_accepting_ = false;
  int port_ = 0;
  asio::thread_pool workers_{kThreads};
  std::thread thread_;
};

HttpServer::HttpServer(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}
HttpServer::~HttpServer() = default;

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const std::string& address,
                                                              Handler handler, TakesBody takes_body,
                                                              absl::Duration deadline) {
  auto loop = std::make_unique<Loop>(std::move(handler), std::move(takes_body), deadline);
  const std::size_t colon = std::min(address.rfind(':'), address.size());
  const std::string port = address.substr(std::min(colon + 1, address.size()));
  if (const Error error = loop->Listen(address.substr(0, colon), port)) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen for HTTP on ", address, ": ", error.message()));
  }
  loop->Run();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(loop)));
}

int HttpServer::port() const { return loop_->port(); }

}  // namespace clearance::server
