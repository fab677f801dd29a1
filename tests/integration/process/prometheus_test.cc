// SPDX-License-Identifier: Apache-2.0
//
// A real Prometheus (package prometheus) scrapes the real program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "tests/integration/process/server_process.h"
#include "tests/support/optional_program.h"
#include "tests/support/raw_http.h"

namespace clearance::test {
namespace {

// The value of an instant query that has one result; empty until there is one.
std::string Query(int port, const std::string& query) {
  const std::string reply = HttpGet(port, "/api/v1/query?query=" + query);
  const std::size_t body = reply.find("\r\n\r\n");
  if (body == std::string::npos) return "";
  const nlohmann::json answer = nlohmann::json::parse(reply.substr(body + 4), nullptr, false);
  if (answer.is_discarded() || !answer.contains("data")) return "";
  const nlohmann::json& result = answer["data"]["result"];
  return result.size() == 1 ? result[0]["value"][1].get<std::string>() : "";
}

// Whether the series comes to have the value: a scrape that is answered late leaves none.
bool Finds(int port, const std::string& series, const std::string& value) {
  // Only a guard against a scrape that never comes; the first one comes within the interval.
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < give_up) {
    if (Query(port, series) == value) return true;
    std::this_thread::yield();
  }
  return false;
}

TEST(Prometheus, ScrapesTheServer) {
  CLEARANCE_REQUIRE_PROGRAMS("prometheus");
  ServerProcess server;
  const TemporaryDirectory directory;
  std::ofstream(directory.File("prometheus.yml"))
      << "scrape_configs:\n- job_name: clearance\n  scrape_interval: 100ms\n"
         "  scrape_timeout: 100ms\n  static_configs: [{targets: ['127.0.0.1:"
      << server.http_port() << "']}]\n";
  const int port = FindFreePort();
  ChildProcess prometheus({"prometheus", "--config.file=" + directory.File("prometheus.yml"),
                           "--storage.tsdb.path=" + directory.File("data"),
                           "--web.listen-address=127.0.0.1:" + std::to_string(port)});
  ASSERT_TRUE(prometheus.WaitForLine("Server is ready")) << prometheus.output();

  EXPECT_TRUE(Finds(port, "up", "1")) << prometheus.output();
  EXPECT_TRUE(Finds(port, "clearance_build_info", "1"));
  EXPECT_TRUE(Finds(port, "clearance_sessions_open", "0"));
  prometheus.Signal(SIGTERM);
  EXPECT_EQ(prometheus.WaitForExit(), 0) << prometheus.output();
}

}  // namespace
}  // namespace clearance::test
