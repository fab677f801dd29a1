// SPDX-License-Identifier: Apache-2.0
//
// Who is served, to whom reflection answers, and when the log warns of strangers.

#include "server/app/exposure.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace clearance::server {
namespace {

ServerConfig ConfigOf(const std::string& listen) {
  ServerConfig config;
  config.listen = listen;
  config.http_listen = "127.0.0.1:0";
  return config;
}

TEST(Exposure, TellsWhoIsServed) {
  ServerConfig config = ConfigOf("127.0.0.1:0");
  EXPECT_STREQ(CallersMode(config), "everyone");
  config.tls = {.certificate = "c", .key = "k", .client_ca = ""};
  EXPECT_STREQ(CallersMode(config), "everyone");
  config.tls.client_ca = "ca";
  EXPECT_STREQ(CallersMode(config), "certificates");
  config.policy_file = "policy.json";
  EXPECT_STREQ(CallersMode(config), "policy");
}

TEST(Exposure, ReflectionIsForThisMachineAndForWhoIsKnown) {
  ServerConfig config = ConfigOf("127.0.0.1:0");
  EXPECT_TRUE(ShowsReflection(config));
  config.policy_file = "policy.json";
  EXPECT_FALSE(ShowsReflection(config));
  config.reflection = Reflection::kOn;
  EXPECT_TRUE(ShowsReflection(config));

  ServerConfig open = ConfigOf("0.0.0.0:0");
  EXPECT_FALSE(ShowsReflection(open));
  open.tls = {.certificate = "c", .key = "k", .client_ca = "ca"};
  EXPECT_TRUE(ShowsReflection(open));
  open.reflection = Reflection::kOff;
  EXPECT_FALSE(ShowsReflection(open));
}

std::string WarningOf(const ServerConfig& config) {
  std::string lines;
  Log log(LogFormat::kHuman, LogLevel::kInfo,
          [&](absl::string_view line) { lines.append(line.data(), line.size()); });
  WarnOfStrangers(config, &log);
  return lines;
}

TEST(Exposure, WarnsOfWhatIsOpenToStrangers) {
  EXPECT_EQ(WarningOf(ConfigOf("127.0.0.1:0")), "");
  ServerConfig open = ConfigOf("0.0.0.0:0");
  EXPECT_NE(WarningOf(open).find("every machine may use it"), std::string::npos);
  open.policy_file = "policy.json";
  EXPECT_NE(WarningOf(open).find("traffic and tokens can be"), std::string::npos);
  open.tls = {.certificate = "c", .key = "k", .client_ca = ""};
  EXPECT_NE(WarningOf(open).find("every machine may speak HTTP/2"), std::string::npos);
  open.tls.client_ca = "ca";
  EXPECT_EQ(WarningOf(open), "");
  open.http_listen = "0.0.0.0:0";
  EXPECT_NE(WarningOf(open).find("metrics are open"), std::string::npos);
  EXPECT_EQ(WarningOf(open).find("page"), std::string::npos);
  open.page_dir = "page";
  EXPECT_NE(WarningOf(open).find("its tokens can be read"), std::string::npos);
  open.policy_file.clear();
  EXPECT_NE(WarningOf(open).find("ask about all shapes"), std::string::npos);
}

}  // namespace
}  // namespace clearance::server
