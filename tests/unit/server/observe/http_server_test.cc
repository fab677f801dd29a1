// SPDX-License-Identifier: Apache-2.0
#include "server/observe/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/support/raw_http.h"

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
