// SPDX-License-Identifier: Apache-2.0
#include "server/observe/http_connection.h"

#include <boost/asio/buffer.hpp>
#include <limits>
#include <utility>

namespace clearance::server {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr std::uint32_t kMostHeadBytes = 16 << 10;
constexpr std::uint64_t kMostBodyBytes = 64 << 10;
// A read whose data is being handed over when it is cancelled goes on; it is cancelled again after
// this.
constexpr std::chrono::milliseconds kCancelInterval{1};

// The fields that are read; a request may have each only once.
constexpr http::field kFields[] = {http::field::host, http::field::content_type,
                                   http::field::authorization};

std::string Copy(boost::beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

HttpConnection::HttpConnection(asio::ip::tcp::socket socket, const HttpHooks& hooks,
                               std::chrono::nanoseconds deadline)
    : hooks_(hooks),
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

// The deadline is for the whole request.
void HttpConnection::Start() {
  Await(deadline_);
  http::async_read_header(
      socket_, received_, parser_,
      [self = shared_from_this()](const Error& error, std::size_t) { self->OnHead(error); });
}

void HttpConnection::Await(std::chrono::nanoseconds wait) {
  timer_.expires_after(wait);
  timer_.async_wait([self = shared_from_this()](const Error& error) {
    // A wait that ended before its deadline was moved does not count.
    const bool is_due = self->timer_.expiry() <= std::chrono::steady_clock::now();
    if (!error && is_due) self->OnDeadline();
  });
}

void HttpConnection::OnDeadline() {
  if (stage_ == Stage::kReading) {
    Error ignored;
    socket_.cancel(ignored);
    Await(kCancelInterval);
  } else if (stage_ != Stage::kAnswering) {
    End();
  }
}

void HttpConnection::OnHead(const Error& error) {
  if (stage_ != Stage::kReading) return;
  if (error) return OnFailedRead(error);
  is_head_ = parser_.get().method() == http::verb::head;
  if (const auto refusal = RefusalOfHead()) return Refuse(*refusal);
  if (!WantsBody()) return OnRequest(error);
  if (const auto refusal = RefusalOfBody()) return Refuse(*refusal);
  http::async_read(
      socket_, received_, parser_,
      [self = shared_from_this()](const Error& failure, std::size_t) { self->OnRequest(failure); });
}

void HttpConnection::OnRequest(const Error& error) {
  if (stage_ != Stage::kReading) return;
  if (error) return OnFailedRead(error);
  stage_ = Stage::kAnswering;
  timer_.cancel();
  hooks_.ask(shared_from_this(), TakeRequest());
}

// A client that has sent nothing gets no reply: browsers open connections that they may need.
void HttpConnection::OnFailedRead(const Error& error) {
  const bool has_begun = parser_.got_some() || received_.size() > 0;
  if (error == asio::error::operation_aborted && has_begun) return Refuse(408);
  if (error == http::error::header_limit || error == http::error::buffer_overflow)
    return Refuse(431);
  const bool is_over = error == http::error::end_of_stream || error == http::error::partial_message;
  if (!is_over && error.category() == make_error_code(http::error::bad_method).category())
    return Refuse(400);
  End();
}

std::optional<int> HttpConnection::RefusalOfHead() const {
  const auto& head = parser_.get();
  if (head.target().empty() || head.target().front() != '/') return 400;
  for (const http::field field : kFields) {
    if (head.count(field) > 1) return 400;
  }
  const bool is_known = head.method() == http::verb::get || head.method() == http::verb::head ||
                        head.method() == http::verb::post;
  return is_known ? std::nullopt : std::optional<int>(405);
}

bool HttpConnection::WantsBody() const {
  if (parser_.get().method() != http::verb::post || hooks_.takes_body == nullptr) return false;
  const std::string target = Copy(parser_.get().target());
  return hooks_.takes_body(target.substr(0, target.find('?')));
}

std::optional<int> HttpConnection::RefusalOfBody() const {
  const auto length = parser_.content_length();
  if (!length) return 411;
  return *length > kMostBodyBytes ? std::optional<int>(413) : std::nullopt;
}

HttpRequest HttpConnection::TakeRequest() {
  auto head = parser_.release();
  const std::string target = Copy(head.target());
  return {.method = Copy(head.method_string()),
          .path = target.substr(0, target.find('?')),
          .content_type = Copy(head[http::field::content_type]),
          .authorization = Copy(head[http::field::authorization]),
          .host = Copy(head[http::field::host]),
          .body = std::move(head.body())};
}

void HttpConnection::Refuse(int status) {
  stage_ = Stage::kAnswering;
  Reply({.status = status,
         .body = status == 405 ? "only GET, HEAD and POST\n" : "the request cannot be taken\n"});
}

void HttpConnection::Reply(HttpReply reply) {
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
  hooks_.holds();
  if (stage_ == Stage::kWriting) Write();
}

void HttpConnection::Write() {
  Await(deadline_);
  http::async_write_some(socket_, *unsent_,
                         [self = shared_from_this()](const Error& error, std::size_t) {
                           if (self->stage_ != Stage::kWriting) return;
                           if (error) return self->End();
                           self->unsent_->is_done() ? self->Leave() : self->Write();
                         });
}

void HttpConnection::Leave() {
  stage_ = Stage::kLeaving;
  reply_.body().clear();
  SetReset(false);
  Error ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  Await(deadline_);
  Discard();
}

void HttpConnection::Discard() {
  socket_.async_read_some(asio::buffer(discarded_),
                          [self = shared_from_this()](const Error& error, std::size_t) {
                            error ? self->End() : self->Discard();
                          });
}

void HttpConnection::End() {
  if (stage_ == Stage::kGone) return;
  stage_ = Stage::kGone;
  timer_.cancel();
  Error ignored;
  socket_.close(ignored);
  reply_.body().clear();
  hooks_.gone(shared_from_this());
}

// Sets whether the connection ends with a reset, which leaves nothing behind in the kernel.
void HttpConnection::SetReset(bool is_reset) {
  Error ignored;
  socket_.set_option(asio::socket_base::linger(is_reset, 0), ignored);
}

}  // namespace clearance::server
