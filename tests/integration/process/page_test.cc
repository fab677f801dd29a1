// SPDX-License-Identifier: Apache-2.0
//
// The page of the real program, and the calls that it may make.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tests/integration/process/certificates.h"
#include "tests/integration/process/server_process.h"
#include "tests/integration/process/server_view.h"
#include "tests/support/raw_http.h"

namespace clearance::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr char kTwoBalls[] = R"({
  "shapes": [{"inlineShape": {"sphere": {"radius": 0.25}}}],
  "batch": {"pairs": {"count": 1, "slotsB": [0], "posesB": [2, 0, 0, 0, 0, 0, 1]},
            "detail": {"distances": true, "bounds": true}}})";

constexpr char kJson[] = "Content-Type: application/json\r\n";

class PageTest : public testing::Test {
 protected:
  PageTest() {
    std::filesystem::create_directory(directory_.File("page"));
    std::ofstream(directory_.File("page/index.html")) << "<h1>the page</h1>";
  }

  std::vector<std::string> With(std::vector<std::string> arguments) const {
    arguments.push_back("--page_dir=" + directory_.File("page"));
    return arguments;
  }

  TemporaryDirectory directory_;
};

std::string Post(const ServerProcess& server, const std::string& path, const std::string& body,
                 const std::string& headers = kJson, const std::string& host = "127.0.0.1") {
  return ExchangeHttp(server.http_port(),
                      "POST " + path + " HTTP/1.1\r\nHost: " + host + "\r\n" + headers +
                          "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
}

nlohmann::json BodyOf(const std::string& reply) {
  return nlohmann::json::parse(reply.substr(reply.find("\r\n\r\n") + 4));
}

TEST_F(PageTest, IsShownWithOtherPagesBesideIt) {
  const ServerProcess server(With({}));
  const std::string page = HttpGet(server.http_port(), "/");
  EXPECT_THAT(page, AllOf(StartsWith("HTTP/1.1 200 "), EndsWith("<h1>the page</h1>")));
  EXPECT_THAT(page, HasSubstr("Content-Type: text/html"));
  EXPECT_THAT(page, HasSubstr("Content-Security-Policy: default-src 'self'"));
  EXPECT_THAT(HttpGet(server.http_port(), "/livez"), EndsWith("\r\n\r\nalive\n"));
  EXPECT_THAT(HttpGet(server.http_port(), "/other.html"), StartsWith("HTTP/1.1 404 "));
}

TEST_F(PageTest, IsNotThereUnlessAskedFor) {
  const ServerProcess server;
  EXPECT_THAT(HttpGet(server.http_port(), "/"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(Post(server, "/call/QueryService/Distance", kTwoBalls), StartsWith("HTTP/1.1 405 "));
}

TEST_F(PageTest, AsksAsAnyCallerDoes) {
  const ServerProcess server(With({}));
  const std::string reply = Post(server, "/call/QueryService/Distance", kTwoBalls);
  EXPECT_THAT(reply, StartsWith("HTTP/1.1 200 "));
  const nlohmann::json result = BodyOf(reply)["result"];
  EXPECT_EQ(result["states"][0], "STATE_SEPARATED");
  EXPECT_EQ(result["distances"][0], 1.5);
  EXPECT_LE(result["lowerBounds"][0], 1.5);
  EXPECT_GE(result["upperBounds"][0], 1.5);
  // The caller has the answer a moment before it is counted.
  EXPECT_TRUE(AwaitMetric(server,
                          R"(grpc_server_handled_total{grpc_code="OK",grpc_method="Distance",)"
                          R"(grpc_service="clearance.v1.QueryService",grpc_type="unary"})",
                          1));
  EXPECT_THAT(Post(server, "/call/ServerService/GetServerInfo", "{}"),
              HasSubstr(R"("maxBatchRows":"100000")"));
}

// Returns the blocks of JSON on the page of the guide.
std::vector<nlohmann::json> BlocksOfTheGuide() {
  std::ifstream file(CLEARANCE_GUIDE_PAGE);
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  std::vector<nlohmann::json> blocks;
  constexpr std::string_view kBegin = "```json\n";
  for (std::size_t at = 0; (at = page.find(kBegin, at)) != std::string::npos;) {
    at += kBegin.size();
    blocks.push_back(nlohmann::json::parse(page.substr(at, page.find("```", at) - at)));
  }
  return blocks;
}

TEST_F(PageTest, AnswersTheQuestionOfTheGuide) {
  const ServerProcess server(With({}));
  const std::vector<nlohmann::json> blocks = BlocksOfTheGuide();
  ASSERT_EQ(blocks.size(), 2u);
  const nlohmann::json answer =
      BodyOf(Post(server, "/call/QueryService/PairDistance", blocks[0].dump()));
  for (const auto& [key, value] : blocks[1].items()) {
    if (!value.is_object()) {
      EXPECT_EQ(answer[key], value) << key;
      continue;
    }
    for (const char* const axis : {"x", "y", "z"})
      EXPECT_NEAR(answer[key][axis].get<double>(), value[axis].get<double>(), 1e-9) << key;
  }
}

TEST_F(PageTest, SaysWhyItCannotAsk) {
  const ServerProcess server(With({"--max_batch_rows=100"}));
  const std::string path = "/call/QueryService/Distance";
  EXPECT_THAT(Post(server, "/call/ShapeService/RegisterShape", "{}"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(Post(server, "/call/", "{}"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(HttpGet(server.http_port(), path), StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(Post(server, path, kTwoBalls, "Content-Type: text/plain\r\n"),
              StartsWith("HTTP/1.1 415 "));
  EXPECT_THAT(Post(server, path, R"({"shape": []})"),
              AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("shape")));
  EXPECT_THAT(Post(server, path, "{}"), StartsWith("HTTP/1.1 400 "));
  std::string large = kTwoBalls;
  large.replace(large.find("\"count\": 1"), 10, "\"count\": 101");
  EXPECT_THAT(Post(server, path, large), StartsWith("HTTP/1.1 429 "));
  const std::string unknown = Post(server, "/call/ShapeService/GetShape", R"({"name": "crate"})");
  EXPECT_THAT(unknown, StartsWith("HTTP/1.1 404 "));
  EXPECT_EQ(BodyOf(unknown)["reason"], "SHAPE_NOT_REGISTERED");
  EXPECT_EQ(BodyOf(unknown)["field"], "name");
  EXPECT_EQ(BodyOf(unknown)["value"], "crate");
}

TEST_F(PageTest, KeepsToThePolicy) {
  const Completed made = RunServerProgram({"--new_token=looker"});
  const std::string token = made.output.substr(0, made.output.find('\n'));
  std::ofstream(directory_.File("tokens")) << made.output.substr(made.output.find('\n') + 1);
  std::ofstream(directory_.File("policy")) << R"({"principals": {"looker": {"role": "query"}}})";
  const ServerProcess server(With(
      {"--policy_file=" + directory_.File("policy"), "--token_file=" + directory_.File("tokens")}));
  const std::string path = "/call/QueryService/Distance",
                    json = "Content-Type: application/json\r\n";
  EXPECT_THAT(Post(server, path, kTwoBalls), StartsWith("HTTP/1.1 401 "));
  // gRPC itself would end the process over them.
  EXPECT_THAT(Post(server, path, kTwoBalls, json + "Authorization: Bearer \xc3\xa9\r\n"),
              StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(Post(server, path, kTwoBalls, json + "Authorization: Bearer no\r\n"),
              StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(Post(server, path, kTwoBalls, json + "Authorization: Bearer " + token + "\r\n"),
              StartsWith("HTTP/1.1 200 "));
}

// A name under which another site served its page, and that now means this machine.
TEST_F(PageTest, IsNotAskedByNamesOfOthers) {
  const ServerProcess server(With({}));
  const std::string path = "/call/ServerService/GetServerInfo";
  EXPECT_THAT(Post(server, path, "{}", kJson, "evil.example:9464"), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(Post(server, path, "{}", kJson, ""), StartsWith("HTTP/1.1 403 "));
  for (const char* const host : {"localhost:9464", "127.0.0.1", "[::1]:9464"})
    EXPECT_THAT(Post(server, path, "{}", kJson, host), StartsWith("HTTP/1.1 200 ")) << host;
}

TEST_F(PageTest, IsNoWayAroundClientCertificates) {
  CLEARANCE_REQUIRE_PROGRAMS("openssl");
  const Certificates certificates;
  const Completed refused = RunServerProgram(With(certificates.ServerFlags(true)));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.output, HasSubstr("--policy_file"));
}

TEST_F(PageTest, StartsNoServerWithoutItsFiles) {
  const Completed refused = RunServerProgram({"--page_dir=" + directory_.File("gone")});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.output, HasSubstr("gone"));
}

}  // namespace
}  // namespace clearance::test
