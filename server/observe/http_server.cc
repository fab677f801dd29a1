// SPDX-License-Identifier: Apache-2.0
#include "server/observe/http_server.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <cstdint>
#include <limits>
#include <list>
#include <optional>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace clearance::server {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using Error = boost::system::error_code;

constexpr std::size_t kThreads = 8;
constexpr std::uint32_t kMostHeadBytes = 16 << 10;
constexpr std::uint64_t kMostBodyBytes = 64 << 10;
// Pause after a connection could not be accepted: descriptors may have run out.
constexpr std::chrono::milliseconds kAcceptPause{20};
// A read whose data is being handed over when it is cancelled goes on; it is cancelled again after
// this.
constexpr std::chrono::milliseconds kCancelInterval{1};

// The fields that are read; a request may have each only once.
constexpr http::field kFields[] = {http::field::host, http::field::content_type,
                                   http::field::authorization};

std::string Copy(boost::beast::string_view text) { return {text.data(), text.size()}; }

std::string PathOf(boost::beast::string_view target) {
  return Copy(target.substr(0, target.find('?')));
}

enum class Stage : std::uint8_t {
  kReading,    // the request, until its deadline
  kAnswering,  // the reply is being made
  kWriting,    // the reply, as long as some of it goes within each deadline
  kLeaving,    // the reply is sent; further input is read, lest a reset overtake it
  kGone,
};

// Runs the server on one thread, which alone uses the members, except as Run() and the end need
// them.
class Loop final : public HttpServer {
 public:
  Loop(Handler handler, TakesBodyOf takes_body, absl::Duration deadline)
      : handler_(std::move(handler)),
        takes_body_(std::move(takes_body)),
        deadline_(absl::ToChronoNanoseconds(deadline)) {}

  // Drops the requests that wait for a thread.
  ~Loop() override {
    context_.stop();
    if (thread_.joinable()) thread_.join();
    workers_.stop();
    workers_.join();
  }

  // Throws boost::system::system_error if the address cannot be bound.
  void Run(const std::string& host, const std::string& port) {
    const auto found = tcp::resolver(context_).resolve(
        tcp::v4(), host, port, tcp::resolver::passive | tcp::resolver::numeric_service);
    acceptor_ = tcp::acceptor(context_, found.begin()->endpoint());
    port_ = acceptor_.local_endpoint().port();
    Accept();
    thread_ = std::thread([this] { context_.run(); });
  }

  int port() const override { return port_; }

 private:
  class Connection;
  using ConnectionPtr = std::shared_ptr<Connection>;

  // Reads one request, has it answered and writes the reply. Nothing here waits, so that one thread
  // serves all connections and a slow one only delays itself. Lives as long as any of its
  // operations is pending.
  class Connection : public std::enable_shared_from_this<Connection> {
   public:
    // If the connection ends before its reply is sent, it is reset.
    Connection(tcp::socket socket, Loop& loop, std::chrono::nanoseconds deadline)
        : loop_(loop),
          deadline_(deadline),
          socket_(std::move(socket)),
          timer_(socket_.get_executor()),
          received_(kMostHeadBytes + kMostBodyBytes) {
      parser_.header_limit(kMostHeadBytes);
      // The length of a body that is read is checked before. `none` of Boost 1.74 is less than any
      // length.
      parser_.body_limit(std::numeric_limits<std::uint64_t>::max());
      SetReset(true);
    }

    Stage stage() const { return stage_; }
    // Returns the bytes that it holds of a reply.
    std::size_t reply_bytes() const { return reply_.body().size(); }

    // The deadline is for the whole request.
    void Start() {
      Await(deadline_);
      http::async_read_header(
          socket_, received_, parser_,
          [self = shared_from_this()](const Error& error, std::size_t) { self->OnHead(error); });
    }

    // Requires: kAnswering.
    void Reply(HttpReply reply) {
      stage_ = Stage::kWriting;
      reply_.version(11);
      reply_.result(static_cast<unsigned>(reply.status));
      reply_.set(http::field::content_type, reply.content_type);
      reply_.set(http::field::content_length, std::to_string(reply.body.size()));
      reply_.set(http::field::cache_control, "no-store");
      reply_.set("X-Content-Type-Options", "nosniff");
      reply_.set("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'");
      reply_.set(http::field::connection, "close");
      if (!is_head_) reply_.body() = std::move(reply.body);
      unsent_.emplace(reply_);
      loop_.BoundReplies();
      if (stage_ == Stage::kWriting) Write();
    }

    void End() {
      if (stage_ == Stage::kGone) return;
      stage_ = Stage::kGone;
      timer_.cancel();
      Error ignored;
      socket_.close(ignored);
      reply_.body().clear();
      loop_.Forget(shared_from_this());
    }

   private:
    void Await(std::chrono::nanoseconds wait) {
      timer_.expires_after(wait);
      timer_.async_wait([self = shared_from_this()](const Error& error) {
        // A wait that ended before its deadline was moved does not count.
        const bool is_due = self->timer_.expiry() <= std::chrono::steady_clock::now();
        if (!error && is_due) self->OnDeadline();
      });
    }

    void OnDeadline() {
      if (stage_ == Stage::kReading) {
        Error ignored;
        socket_.cancel(ignored);
        Await(kCancelInterval);
      } else if (stage_ != Stage::kAnswering) {
        End();
      }
    }

    void OnHead(const Error& error) {
      if (stage_ != Stage::kReading) return;
      if (error) return OnFailedRead(error);
      const auto& head = parser_.get();
      is_head_ = head.method() == http::verb::head;
      if (const auto refusal = RefusalOfHead()) return Refuse(*refusal);
      if (head.method() != http::verb::post || !loop_.TakesBody(PathOf(head.target())))
        return OnRequest(error);
      const auto length = parser_.content_length();
      if (!length) return Refuse(411);
      if (*length > kMostBodyBytes) return Refuse(413);
      http::async_read(socket_, received_, parser_,
                       [self = shared_from_this()](const Error& failure, std::size_t) {
                         self->OnRequest(failure);
                       });
    }

    void OnRequest(const Error& error) {
      if (stage_ != Stage::kReading) return;
      if (error) return OnFailedRead(error);
      stage_ = Stage::kAnswering;
      timer_.cancel();
      auto head = parser_.release();
      loop_.Ask(shared_from_this(), {.method = Copy(head.method_string()),
                                     .path = PathOf(head.target()),
                                     .content_type = Copy(head[http::field::content_type]),
                                     .authorization = Copy(head[http::field::authorization]),
                                     .host = Copy(head[http::field::host]),
                                     .body = std::move(head.body())});
    }

    // A client that has sent nothing gets no reply: browsers open connections that they may need.
    void OnFailedRead(const Error& error) {
      const bool has_begun = parser_.got_some() || received_.size() > 0;
      if (error == asio::error::operation_aborted && has_begun) return Refuse(408);
      if (error == http::error::header_limit || error == http::error::buffer_overflow)
        return Refuse(431);
      const bool is_over =
          error == http::error::end_of_stream || error == http::error::partial_message;
      if (!is_over && error.category() == make_error_code(http::error::bad_method).category())
        return Refuse(400);
      End();
    }

    std::optional<int> RefusalOfHead() const {
      const auto& head = parser_.get();
      if (head.target().empty() || head.target().front() != '/') return 400;
      for (const http::field field : kFields) {
        if (head.count(field) > 1) return 400;
      }
      const bool is_known = head.method() == http::verb::get || head.method() == http::verb::head ||
                            head.method() == http::verb::post;
      return is_known ? std::nullopt : std::optional<int>(405);
    }

    void Refuse(int status) {
      stage_ = Stage::kAnswering;
      Reply(
          {.status = status,
           .body = status == 405 ? "only GET, HEAD and POST\n" : "the request cannot be taken\n"});
    }

    void Write() {
      Await(deadline_);
      http::async_write_some(socket_, *unsent_,
                             [self = shared_from_this()](const Error& error, std::size_t) {
                               if (self->stage_ != Stage::kWriting) return;
                               if (error) return self->End();
                               self->unsent_->is_done() ? self->Leave() : self->Write();
                             });
    }

    void Leave() {
      stage_ = Stage::kLeaving;
      reply_.body().clear();
      SetReset(false);
      Error ignored;
      socket_.shutdown(tcp::socket::shutdown_send, ignored);
      Await(deadline_);
      Discard();
    }

    void Discard() {
      socket_.async_read_some(asio::buffer(discarded_),
                              [self = shared_from_this()](const Error& error, std::size_t) {
                                error ? self->End() : self->Discard();
                              });
    }

    // Sets whether the connection ends with a reset, which leaves nothing behind in the kernel.
    void SetReset(bool is_reset) {
      Error ignored;
      socket_.set_option(asio::socket_base::linger(is_reset, 0), ignored);
    }

    Loop& loop_;
    const std::chrono::nanoseconds deadline_;
    tcp::socket socket_;
    asio::steady_timer timer_;
    boost::beast::flat_buffer received_;
    http::request_parser<http::string_body> parser_;
    http::response<http::string_body> reply_;
    std::optional<http::response_serializer<http::string_body>> unsent_;
    std::array<char, 4096> discarded_;
    Stage stage_ = Stage::kReading;
    bool is_head_ = false;  // the method of the request is HEAD
  };

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
    return connections_.size() < kMostConnections ||
           std::ranges::any_of(connections_,
                               [](const auto& one) { return one->stage() != Stage::kAnswering; });
  }

  void Take(tcp::socket socket) {
    if (connections_.size() >= kMostConnections) EndLongest();
    connections_.push_back(std::make_shared<Connection>(std::move(socket), *this, deadline_));
    connections_.back()->Start();
  }

  // Ends the oldest connection; one that writes a reply only if no other can be ended.
  void EndLongest() {
    const auto worth = [](const ConnectionPtr& one) {
      if (one->stage() == Stage::kAnswering) return 2;
      return one->stage() == Stage::kWriting ? 1 : 0;
    };
    const auto least = std::ranges::min_element(connections_, {}, worth);
    if (worth(*least) < 2) ConnectionPtr(*least)->End();  // which forgets it
  }

  bool TakesBody(const std::string& path) const {
    return takes_body_ != nullptr && takes_body_(path);
  }

  void Ask(const ConnectionPtr& asking, HttpRequest request) {
    asio::post(workers_, [this, asking, request = std::move(request)] {
      asio::post(context_, [this, asking, reply = handler_(request)]() mutable {
        asking->Reply(std::move(reply));
        Accept();
      });
    });
  }

  void BoundReplies() {
    const auto all = connections_;
    std::size_t bytes = 0;
    for (const ConnectionPtr& one : all) bytes += one->reply_bytes();
    for (const ConnectionPtr& one : all) {
      if (bytes <= kMostReplyBytes) return;
      const std::size_t held = one->reply_bytes();
      if (held > 0) one->End();
      bytes -= held;
    }
  }

  void Forget(const ConnectionPtr& gone) {
    connections_.remove(gone);
    Accept();
  }

  const Handler handler_;
  const TakesBodyOf takes_body_;
  const std::chrono::nanoseconds deadline_;
  asio::io_context context_{1};
  tcp::acceptor acceptor_{context_};
  asio::steady_timer pause_{context_};
  std::list<ConnectionPtr> connections_;  // the oldest first
  bool is_accepting_ = false;
  int port_ = 0;
  asio::thread_pool workers_{kThreads};
  std::thread thread_;
};

}  // namespace

bool NamesAddress(const HttpRequest& request) {
  const std::string host = request.host.substr(0, request.host.find_last_of(':'));
  if (host == "localhost" || request.host.starts_with('[')) return true;
  in_addr address;
  return inet_pton(AF_INET, host.c_str(), &address) == 1;
}

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const std::string& address,
                                                              Handler handler,
                                                              TakesBodyOf takes_body,
                                                              absl::Duration deadline) {
  auto loop = std::make_unique<Loop>(std::move(handler), std::move(takes_body), deadline);
  const std::size_t colon = std::min(address.rfind(':'), address.size());
  const std::string port = address.substr(std::min(colon + 1, address.size()));
  try {
    loop->Run(address.substr(0, colon), port);
  } catch (const boost::system::system_error& error) {
    const char* const advice =
        error.code() == asio::error::address_in_use
            ? "; stop the process there, or choose another address with --http_listen"
            : "";
    return absl::UnavailableError(
        absl::StrCat("cannot listen for HTTP on ", address, ": ", error.code().message(), advice));
  }
  return loop;
}

}  // namespace clearance::server
