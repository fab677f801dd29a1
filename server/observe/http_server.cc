// SPDX-License-Identifier: Apache-2.0
#include "server/observe/http_server.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address_v4.hpp>
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
constexpr std::size_t kReadBytes = 4096;
constexpr std::uint32_t kMostHeadBytes = 16 << 10;
constexpr std::uint64_t kMostBodyBytes = 64 << 10;
// Pause after a connection could not be accepted: descriptors may have run out.
constexpr std::chrono::milliseconds kAcceptPause{20};
// The fields that are read; a request may have each only once.
constexpr http::field kFields[] = {http::field::host, http::field::content_type,
                                   http::field::authorization};

std::string Copy(boost::beast::string_view text) { return {text.data(), text.size()}; }

std::string PathOf(boost::beast::string_view target) {
  return Copy(target.substr(0, target.find('?')));
}

enum class Stage : std::uint8_t {
  kReading,    // the request, until its deadline
  kLeaving,    // the reply is sent; further input is read, lest a reset overtake it
  kWriting,    // the reply, as long as some of it goes within each deadline
  kAnswering,  // the reply is being made
  kGone,
};

// Runs the server on one thread, which alone uses the members once the constructor has started it.
class Loop final : public HttpServer {
 public:
  // Throws boost::system::system_error if the address cannot be bound.
  Loop(const std::string& address, Handler handler, TakesBodyOf takes_body, absl::Duration deadline)
      : handler_(std::move(handler)),
        takes_body_(std::move(takes_body)),
        deadline_(absl::ToChronoNanoseconds(deadline)),
        acceptor_(context_, EndpointOf(address)) {
    Accept();
    thread_ = std::thread([this] { context_.run(); });
  }

  // Drops the requests that wait for a thread.
  ~Loop() override {
    context_.stop();
    thread_.join();
    workers_.stop();
    workers_.join();
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
    Connection(tcp::socket socket, Loop& loop)
        : loop_(loop), socket_(std::move(socket)), timer_(socket_.get_executor()) {
      parser_.header_limit(kMostHeadBytes);
      // The length of a body that is read is checked before. `none` of Boost 1.74 is less than any
      // length.
      parser_.body_limit(std::numeric_limits<std::uint64_t>::max());
      SetReset(true);
    }

    Stage stage() const { return stage_; }
    std::size_t reply_bytes() const { return reply_.body().size(); }

    // The deadline is for the whole request.
    void Start() {
      Await();
      Read();
    }

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
      if (parser_.get().method() != http::verb::head) reply_.body() = std::move(reply.body);
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
      loop_.connections_.remove(shared_from_this());
      loop_.Accept();
    }

   private:
    void Await() {
      timer_.expires_after(loop_.deadline_);
      timer_.async_wait([self = shared_from_this()](const Error& error) {
        // A wait that ended before its deadline was moved does not count.
        const bool is_due = self->timer_.expiry() <= std::chrono::steady_clock::now();
        if (!error && is_due) self->OnDeadline();
      });
    }

    // A client that has sent nothing gets no reply: browsers open connections that they may need.
    void OnDeadline() {
      if (stage_ == Stage::kReading && parser_.got_some()) {
        Error ignored;
        socket_.cancel(ignored);
        Refuse(408);
      } else if (stage_ != Stage::kAnswering) {
        End();
      }
    }

    // Reads the request or, once the reply is sent, what follows on it, which is dropped.
    void Read() {
      socket_.async_read_some(received_.prepare(kReadBytes),
                              [self = shared_from_this()](const Error& error, std::size_t bytes) {
                                const Stage stage = self->stage_;
                                if (stage != Stage::kReading && stage != Stage::kLeaving) return;
                                if (error) return self->End();
                                if (stage == Stage::kLeaving) return self->Read();
                                self->received_.commit(bytes);
                                self->Parse();
                              });
    }

    // Parses the head or, after it, what has come of the body.
    void Parse() {
      const bool had_head = parser_.is_header_done();
      Error error;
      received_.consume(parser_.put(received_.data(), error));
      if (error == http::error::need_more) return Read();
      if (error) return Refuse(error == http::error::header_limit ? 431 : 400);
      if (const auto refusal = had_head ? std::nullopt : RefusalOfHead()) return Refuse(*refusal);
      if (parser_.is_done() || !TakesBody()) return Ask();
      received_.size() > 0 ? Parse() : Read();
    }

    std::optional<int> RefusalOfHead() const {
      const auto& head = parser_.get();
      if (head.target().empty() || head.target().front() != '/') return 400;
      for (const http::field field : kFields) {
        if (head.count(field) > 1) return 400;
      }
      if (head.method() == http::verb::get || head.method() == http::verb::head)
        return std::nullopt;
      if (head.method() != http::verb::post) return 405;
      if (!TakesBody()) return std::nullopt;
      const auto length = parser_.content_length();
      if (!length) return 411;
      return *length > kMostBodyBytes ? std::optional(413) : std::nullopt;
    }

    // Returns whether the body is read. Requires: the head was read.
    bool TakesBody() const {
      const auto& head = parser_.get();
      return head.method() == http::verb::post && loop_.takes_body_ != nullptr &&
             loop_.takes_body_(PathOf(head.target()));
    }

    void Ask() {
      stage_ = Stage::kAnswering;
      timer_.cancel();
      auto& head = parser_.get();
      HttpRequest request = {.method = Copy(head.method_string()),
                             .path = PathOf(head.target()),
                             .content_type = Copy(head[http::field::content_type]),
                             .authorization = Copy(head[http::field::authorization]),
                             .host = Copy(head[http::field::host]),
                             .body = std::move(head.body())};
      asio::post(loop_.workers_, [self = shared_from_this(), request = std::move(request)] {
        asio::post(self->loop_.context_, [self, reply = self->loop_.handler_(request)]() mutable {
          self->Reply(std::move(reply));
          self->loop_.Accept();
        });
      });
    }

    void Refuse(int status) {
      Reply(
          {.status = status,
           .body = status == 405 ? "only GET, HEAD and POST\n" : "the request cannot be taken\n"});
    }

    void Write() {
      Await();
      http::async_write_some(socket_, unsent_,
                             [self = shared_from_this()](const Error& error, std::size_t) {
                               if (self->stage_ != Stage::kWriting) return;
                               if (error) return self->End();
                               self->unsent_.is_done() ? self->Leave() : self->Write();
                             });
    }

    void Leave() {
      stage_ = Stage::kLeaving;
      reply_.body().clear();
      SetReset(false);
      Error ignored;
      socket_.shutdown(tcp::socket::shutdown_send, ignored);
      Await();
      Read();
    }

    // Sets whether the connection ends with a reset, which leaves nothing behind in the kernel.
    void SetReset(bool is_reset) {
      Error ignored;
      socket_.set_option(asio::socket_base::linger(is_reset, 0), ignored);
    }

    Loop& loop_;
    tcp::socket socket_;
    asio::steady_timer timer_;
    boost::beast::flat_buffer received_;
    http::request_parser<http::string_body> parser_;
    http::response<http::string_body> reply_;
    http::response_serializer<http::string_body> unsent_{reply_};
    Stage stage_ = Stage::kReading;
  };

  tcp::endpoint EndpointOf(const std::string& address) {
    const std::size_t colon = address.rfind(':');
    const auto found = tcp::resolver(context_).resolve(
        tcp::v4(), address.substr(0, colon), address.substr(colon + 1),
        tcp::resolver::passive | tcp::resolver::numeric_service);
    return found.begin()->endpoint();
  }

  // Accepts a connection, unless it waits for one already or there is no room for another.
  void Accept() {
    if (is_accepting_ || (IsFull() && FindReplaceable() == nullptr)) return;
    is_accepting_ = true;
    acceptor_.async_accept([this](const Error& error, tcp::socket socket) {
      if (error && error != asio::error::connection_aborted) return AcceptLater();
      is_accepting_ = false;
      if (!error) {
        if (const ConnectionPtr old = IsFull() ? FindReplaceable() : nullptr) old->End();
        connections_.push_back(std::make_shared<Connection>(std::move(socket), *this));
        connections_.back()->Start();
      }
      Accept();
    });
  }

  void AcceptLater() {
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([this](const Error&) {
      is_accepting_ = false;
      Accept();
    });
  }

  bool IsFull() const { return connections_.size() >= kMostConnections; }

  // Returns the oldest connection that a new one may replace; one that writes a reply only if there
  // is no other. Null if all are being answered.
  ConnectionPtr FindReplaceable() const {
    const auto rank = [](const ConnectionPtr& one) {
      return std::max(one->stage(), Stage::kLeaving);
    };
    const auto least = std::ranges::min_element(connections_, {}, rank);
    return rank(*least) < Stage::kAnswering ? *least : nullptr;
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

  const Handler handler_;
  const TakesBodyOf takes_body_;
  const std::chrono::nanoseconds deadline_;
  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  const int port_ = acceptor_.local_endpoint().port();
  asio::steady_timer pause_{context_};
  std::list<ConnectionPtr> connections_;  // the oldest first
  bool is_accepting_ = false;
  asio::thread_pool workers_{kThreads};
  std::thread thread_;
};

}  // namespace

bool NamesAddress(const HttpRequest& request) {
  const std::string host = request.host.substr(0, request.host.find_last_of(':'));
  if (host == "localhost" || request.host.starts_with('[')) return true;
  Error error;
  asio::ip::make_address_v4(host, error);
  return !error;
}

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const std::string& address,
                                                              Handler handler,
                                                              TakesBodyOf takes_body,
                                                              absl::Duration deadline) {
  try {
    return std::make_unique<Loop>(address, std::move(handler), std::move(takes_body), deadline);
  } catch (const boost::system::system_error& error) {
    const char* const advice =
        error.code() == asio::error::address_in_use
            ? "; stop the process there, or choose another address with --http_listen"
            : "";
    return absl::UnavailableError(
        absl::StrCat("cannot listen for HTTP on ", address, ": ", error.code().message(), advice));
  }
}

}  // namespace clearance::server
