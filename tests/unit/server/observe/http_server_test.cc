// SPDX-License-Identifier: Apache-2.0
#include "server/observe/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/support/raw_http.h"
#include "tests/support/raw_http2.h"

namespace clearance::server {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

bool TakesAll(const std::string& /*path*/) { return true; }

std::unique_ptr<HttpServer> StartEcho() {
  auto server = HttpServer::Start(
      "127.0.0.1:0",
      [](const HttpRequest& request) {
        return HttpReply{.status = request.path == "/gone" ? 404 : 200,
                         .body = absl::StrCat("at ", request.path, request.body)};
      },
      TakesAll);
  EXPECT_TRUE(server.ok()) << server.status();
  return *std::move(server);
}

TEST(HttpServer, TellsThePortThatItBoundAndAnswersThere) {
  const auto server = StartEcho();
  ASSERT_GT(server->port(), 0);
  const std::string reply =
      test::ExchangeHttp(server->port(), "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(reply, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(reply, HasSubstr("Content-Length: 9\r\n"));
  EXPECT_THAT(reply, EndsWith("\r\n\r\nat /livez"));
}

TEST(HttpServer, SendsTheStatusOfItsHandlerAndHidesTheQuery) {
  const auto server = StartEcho();
  const std::string reply =
      test::ExchangeHttp(server->port(), "GET /gone?a=b HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(reply, StartsWith("HTTP/1.1 404 Not Found\r\n"));
  EXPECT_THAT(reply, EndsWith("at /gone"));
}

TEST(HttpServer, AnswersHeadWithoutABody) {
  const auto server = StartEcho();
  const std::string reply =
      test::ExchangeHttp(server->port(), "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(reply, HasSubstr("Content-Length: 4\r\n"));
  EXPECT_THAT(reply, EndsWith("\r\n\r\n"));
}

TEST(HttpServer, RefusesEveryOtherMethod) {
  const auto server = StartEcho();
  for (const char* const method : {"PUT", "DELETE", "OPTIONS"}) {
    const std::string request =
        absl::StrCat(method, " / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");
    EXPECT_THAT(test::ExchangeHttp(server->port(), request), StartsWith("HTTP/1.1 405 ")) << method;
  }
}

std::string Post(const HttpServer& server, const std::string& headers, const std::string& body) {
  return test::ExchangeHttp(server.port(),
                            absl::StrCat("POST /x HTTP/1.1\r\nHost: x\r\n", headers, "\r\n", body));
}

TEST(HttpServer, GivesItsHandlerTheBodyAndTheHeadersOfAPost) {
  HttpRequest seen;
  const auto server = HttpServer::Start(
      "127.0.0.1:0",
      [&](const HttpRequest& request) {
        seen = request;
        return HttpReply();
      },
      TakesAll);
  ASSERT_TRUE(server.ok()) << server.status();
  const std::string body(64 << 10, 'x');
  const std::string headers = absl::StrCat("Content-Type: a/b\r\nAuthorization: Bearer t\r\n",
                                           "Content-Length: ", body.size(), "\r\n");
  EXPECT_THAT(Post(**server, headers, body), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(seen.method, "POST");
  EXPECT_EQ(seen.path, "/x");
  EXPECT_EQ(seen.content_type, "a/b");
  EXPECT_EQ(seen.authorization, "Bearer t");
  EXPECT_EQ(seen.body, body);
}

// Whoever only wants to hold a thread gets an answer at once.
TEST(HttpServer, ReadsNoBodyWhereNoneIsWanted) {
  const auto server = HttpServer::Start(
      "127.0.0.1:0", [](const HttpRequest& request) { return HttpReply{.body = request.body}; },
      [](const std::string& path) { return path != "/x"; });
  ASSERT_TRUE(server.ok()) << server.status();
  EXPECT_THAT(Post(**server, "Content-Length: 1000\r\n", ""), EndsWith("\r\n\r\n"));
}

TEST(HttpServer, RefusesABodyThatIsTooLargeOrOfNoToldLength) {
  const auto server = StartEcho();
  EXPECT_THAT(Post(*server, "Content-Length: 65537\r\n", ""), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(Post(*server, "Transfer-Encoding: chunked\r\n", "0\r\n\r\n"),
              StartsWith("HTTP/1.1 411 "));
  EXPECT_THAT(Post(*server, "", ""), StartsWith("HTTP/1.1 411 "));
}

TEST(HttpServer, RefusesWhatIsNoRequestOrCanBeReadInTwoWays) {
  const auto server = StartEcho();
  for (const char* const head :
       {"GET /", "GET / HTTP/2.0", "PRI * HTTP/2.0", "GET x HTTP/1.1", "GET http://x/ HTTP/1.1",
        "G(T / HTTP/1.1", "GET / HTTP/1.1\r\nno colon", "GET / HTTP/1.1\r\nHost: a\r\nhost: a",
        "POST / HTTP/1.1\r\nContent-Length: -1", "POST / HTTP/1.1\r\nContent-Length: 1, 2",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2",
        "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked",
        "GET / HTTP/1.1\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b"}) {
    EXPECT_THAT(test::ExchangeHttp(server->port(), absl::StrCat(head, "\r\n\r\n")),
                StartsWith("HTTP/1.1 400 "))
        << head;
  }
}

TEST(HttpServer, ReadsHeadersInWhateverCaseAndOldRequests) {
  const auto server = StartEcho();
  EXPECT_THAT(test::ExchangeHttp(server->port(),
                                 "POST /x HTTP/1.1\r\nhOST: x\r\ncontent-length:4\r\n\r\nbody"),
              EndsWith("\r\n\r\nat /xbody"));
  EXPECT_THAT(test::ExchangeHttp(server->port(), "GET / HTTP/1.0\r\n\r\n"),
              EndsWith("\r\n\r\nat /"));
}

constexpr absl::Duration kShort = absl::Milliseconds(50);
constexpr absl::Duration kNever = absl::Hours(24);

std::unique_ptr<HttpServer> StartWith(HttpServer::Handler handler, absl::Duration deadline) {
  auto server = HttpServer::Start("127.0.0.1:0", std::move(handler), TakesAll, deadline);
  EXPECT_TRUE(server.ok()) << server.status();
  return *std::move(server);
}

// How much comes before the end.
std::size_t Drain(const test::RawConnection& connection) {
  std::size_t bytes = 0;
  for (std::string part; !(part = connection.Receive()).empty();) bytes += part.size();
  return bytes;
}

HttpReply SayHere(const HttpRequest& /*request*/) { return {.body = "here"}; }

std::vector<test::RawConnection> Connect(const HttpServer& server, std::size_t count) {
  std::vector<test::RawConnection> connections;
  for (std::size_t i = 0; i < count; ++i) connections.emplace_back(server.port());
  return connections;
}

// Each byte would be in time by itself.
TEST(HttpServer, AnswersABodyThatTricklesWith408AtItsDeadline) {
  const auto server = StartWith(SayHere, kShort);
  const test::RawConnection slow(server->port());
  ASSERT_TRUE(slow.Send("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n"));
  std::jthread trickle([&slow](const std::stop_token& stopped) {
    while (!stopped.stop_requested() && slow.Send("x")) absl::SleepFor(absl::Milliseconds(1));
  });
  EXPECT_THAT(slow.Receive(), StartsWith("HTTP/1.1 408 "));
}

TEST(HttpServer, EndlessHeadersGet408AndSilenceGetsNothing) {
  const auto server = StartWith(SayHere, kShort);
  const test::RawConnection slow(server->port());
  ASSERT_TRUE(slow.Send("GET / HTTP/1.1\r\nHost: x\r\n"));
  EXPECT_THAT(slow.Receive(), StartsWith("HTTP/1.1 408 "));
  const test::RawConnection silent(server->port());
  EXPECT_EQ(silent.Receive(), "");
}

TEST(HttpServer, RefusesHeadersWithoutEndWhenTheyAreTooLarge) {
  const auto server = StartWith(SayHere, kNever);
  const std::string endless = "GET / HTTP/1.1\r\nA: " + std::string(16 << 10, 'x');
  EXPECT_THAT(test::ExchangeHttp(server->port(), endless), StartsWith("HTTP/1.1 431 "));
}

// Nobody is waited for here: the deadline is a day.
TEST(HttpServer, AnswersWhileManyMoreThanItTakesSendAByteAtATime) {
  const auto server = StartWith(SayHere, kNever);
  const auto slow = Connect(*server, 3 * HttpServer::kMostConnections);
  for (const char byte : std::string("GET / HTTP/1.1\r\nHost:")) {
    for (const test::RawConnection& connection : slow) connection.Send(std::string(1, byte));
    EXPECT_THAT(test::HttpGet(server->port(), "/livez"), EndsWith("\r\n\r\nhere"));
  }
}

TEST(HttpServer, AnswersWhileManyReadNothingOfWhatTheyAskedFor) {
  const std::string large(std::size_t{16} << 20, 'x');
  const auto server = StartWith(
      [&](const HttpRequest& request) {
        return HttpReply{.body = request.path == "/large" ? large : "here"};
      },
      kNever);
  const auto slow = Connect(*server, HttpServer::kMostConnections);
  for (const test::RawConnection& connection : slow) {
    ASSERT_TRUE(connection.Send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n"));
  }
  EXPECT_THAT(test::HttpGet(server->port(), "/livez"), EndsWith("\r\n\r\nhere"));
  // More replies than it holds were made: those that asked first have lost theirs.
  EXPECT_LT(Drain(slow.front()), large.size());
}

// One that reads has all the time that it needs, as long as it goes on.
TEST(HttpServer, WritesALargeReplyToTheEnd) {
  const std::string large(std::size_t{32} << 20, 'x');
  const auto server =
      StartWith([&](const HttpRequest&) { return HttpReply{.body = large}; }, kNever);
  EXPECT_THAT(test::HttpGet(server->port(), "/"), EndsWith("\r\n\r\n" + large));
}

TEST(HttpServer, EndsAConnectionThatTakesNothingOfItsReply) {
  const std::string large(std::size_t{32} << 20, 'x');
  const auto server =
      StartWith([&](const HttpRequest&) { return HttpReply{.body = large}; }, kShort);
  const test::RawConnection slow(server->port());
  ASSERT_TRUE(slow.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
  ASSERT_TRUE(slow.AwaitBytes("HTTP/1.1 200 "));
  slow.AwaitReset();
}

TEST(HttpServer, AnswersWhileAllButOneOfItsThreadsAreHeld) {
  absl::Notification go_on;
  const auto server = StartWith(
      [&](const HttpRequest& request) {
        if (request.path == "/long") go_on.WaitForNotification();
        return HttpReply{.body = "here"};
      },
      kNever);
  const auto held = Connect(*server, 7);
  for (const test::RawConnection& connection : held) {
    ASSERT_TRUE(connection.Send("GET /long HTTP/1.1\r\nHost: x\r\n\r\n"));
  }
  EXPECT_THAT(test::HttpGet(server->port(), "/livez"), EndsWith("\r\n\r\nhere"));
  go_on.Notify();
  for (const test::RawConnection& connection : held) {
    EXPECT_TRUE(connection.AwaitBytes("\r\n\r\nhere"));
  }
}

TEST(HttpServer, EndsWhileConnectionsAreInEveryStage) {
  auto server = StartWith(SayHere, kNever);
  const auto open = Connect(*server, 3);
  ASSERT_TRUE(open[1].Send("GET / HTTP/1.1\r\n"));
  ASSERT_TRUE(open[2].Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
  server.reset();
  for (const test::RawConnection& connection : open) connection.AwaitEnd();
}

TEST(HttpServer, ServesNoFileWhateverThePath) {
  const auto server = StartEcho();
  const std::string reply =
      test::ExchangeHttp(server->port(), "GET /../../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(reply.find("root:"), std::string::npos);
}

TEST(HttpServer, SaysWhichAddressItCannotBind) {
  const auto first = StartEcho();
  const std::string address = absl::StrCat("127.0.0.1:", first->port());
  const auto second = HttpServer::Start(address, [](const HttpRequest&) { return HttpReply(); });
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr(address));
}

}  // namespace
}  // namespace clearance::server
