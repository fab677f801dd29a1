// SPDX-License-Identifier: Apache-2.0
//
// `clearance doctor` against the real program, well and in each way that it can be ill or out of
// reach.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/integration/process/certificates.h"
#include "tests/integration/process/server_process.h"
#include "tests/integration/process/server_view.h"
#include "tests/support/raw_http.h"

namespace clearance::test {
namespace {

using testing::HasSubstr;

struct Told {
  int exit_code = -1;
  std::vector<std::string> names = {};             // of the checks, in order
  std::map<std::string, std::string> result = {};  // ok, warn, FAIL
  std::map<std::string, std::string> text = {};    // what was found, and the advice
};

Told Doctor(const std::string& address, const std::vector<std::string>& options = {}) {
  std::vector<std::string> command = {CLEARANCE_CLI, "--addr", address, "--json", "doctor"};
  command.insert(command.begin() + 1, options.begin(), options.end());
  const Completed run = RunProgram(command);
  Told told = {.exit_code = run.exit_code};
  // A sanitizer may have said something on stderr before.
  const std::string text = run.output.substr(std::min(run.output.find('{'), run.output.size()));
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  EXPECT_TRUE(json.is_object()) << run.output;
  if (!json.is_object()) return told;
  for (const auto& check : json["checks"]) {
    const std::string name = check["check"];
    told.names.push_back(name);
    told.result[name] = check["result"];
    told.text[name] = check["found"].get<std::string>() + "; " + check.value("advice", "");
  }
  return told;
}

TEST(Doctor, ChecksAllOfAServerThatIsWell) {
  const ServerProcess server;
  const Told told = Doctor(server.grpc_address());
  EXPECT_EQ(told.exit_code, 0);
  EXPECT_THAT(told.names,
              testing::ElementsAre("address", "connection", "tls", "health", "access", "role",
                                   "version", "limits", "round trip", "clock", "proof"));
  for (const auto& [name, result] : told.result) {
    // How long a call takes is the machine's.
    if (name == "round trip") continue;
    EXPECT_EQ(result, "ok") << told.text.at(name);
  }
  EXPECT_THAT(told.text.at("proof"), HasSubstr("SEPARATED by 0.25 m, verified here"));
  const Completed lines = RunProgram({CLEARANCE_CLI, "--addr", server.grpc_address(), "doctor"});
  EXPECT_EQ(lines.exit_code, 0);
  EXPECT_THAT(lines.output, HasSubstr("ok    health      SERVING, and so are its 5 services\n"));
}

TEST(Doctor, TellsANameThatIsNoneFromAPortThatNobodyListensOn) {
  const Told name = Doctor("nobody.invalid:1");
  EXPECT_EQ(name.exit_code, 2);
  EXPECT_THAT(name.names, testing::ElementsAre("address"));
  EXPECT_EQ(name.result.at("address"), "FAIL");
  const Told port = Doctor("127.0.0.1:" + std::to_string(FindFreePort()));
  EXPECT_EQ(port.exit_code, 2);
  EXPECT_EQ(port.result.at("address"), "ok");
  EXPECT_THAT(port.text.at("connection"), HasSubstr("127.0.0.1: Connection refused"));
  EXPECT_THAT(Doctor("127.0.0.1").text.at("address"), HasSubstr("127.0.0.1:50051"));
  const Told socket = Doctor("unix:/nonexistent/socket");
  EXPECT_THAT(socket.text.at("connection"), HasSubstr("/nonexistent/socket: No such file"));
}

TEST(Doctor, KnowsAPortOfAnotherProtocol) {
  const ServerProcess server;
  const Told told = Doctor("127.0.0.1:" + std::to_string(server.http_port()));
  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.text.at("health"), HasSubstr("this is a port of HTTP"));
}

TEST(Doctor, SaysWhatIsWrongWithACertificate) {
  CLEARANCE_REQUIRE_PROGRAMS("openssl");
  const Certificates files;
  const ServerProcess server(files.ServerFlags(/*is_mutual=*/false));
  const std::string address = server.grpc_address();
  const Told short_lived = Doctor(address, {"--tls-ca", files.Path("ca.pem")});
  EXPECT_EQ(short_lived.exit_code, 0);
  EXPECT_EQ(short_lived.result.at("tls"), "warn");  // it has two days to go
  EXPECT_THAT(short_lived.text.at("tls"), HasSubstr("certificate for clearance.test, 127.0.0.1"));
  EXPECT_EQ(short_lived.result.at("proof"), "ok");

  const Told stranger = Doctor(address, {"--tls-ca", files.Path("other_ca.pem")});
  EXPECT_EQ(stranger.exit_code, 2);
  EXPECT_THAT(stranger.text.at("tls"), HasSubstr("--tls-ca names another CA"));
  EXPECT_THAT(Doctor(address, {"--tls"}).text.at("tls"), HasSubstr("name the CA's certificate"));
  const Told misnamed =
      Doctor(address, {"--tls-ca", files.Path("ca.pem"), "--tls-server-name", "other.test"});
  EXPECT_THAT(misnamed.text.at("tls"), HasSubstr("the certificate is for clearance.test"));
  EXPECT_THAT(Doctor(address).text.at("health"), HasSubstr("the server speaks TLS"));
  const Told missing = Doctor(address, {"--tls-ca", files.Path("nothing.pem")});
  EXPECT_EQ(missing.result.at("options"), "FAIL");
}

TEST(Doctor, SaysThatACertificateHasExpiredOrIsMissing) {
  CLEARANCE_REQUIRE_PROGRAMS("openssl");
  const Certificates files;
  const std::vector<std::string> trusting = {"--tls-ca", files.Path("ca.pem")};
  const ServerProcess mutual(files.ServerFlags(/*is_mutual=*/true));
  const Told nobody = Doctor(mutual.grpc_address(), trusting);
  EXPECT_EQ(nobody.exit_code, 2);
  EXPECT_THAT(nobody.text.at("tls"), HasSubstr("it wants a certificate that it trusts"));
  std::vector<std::string> as_alice = trusting;
  as_alice.insert(as_alice.end(), {"--tls-certificate", files.Path("alice.pem"), "--tls-key",
                                   files.Path("alice.key")});
  EXPECT_EQ(Doctor(mutual.grpc_address(), as_alice).result.at("proof"), "ok");

  files.Make("server", "ca", "DNS:clearance.test,IP:127.0.0.1", /*days=*/-1);
  const ServerProcess expired(files.ServerFlags(/*is_mutual=*/false));
  EXPECT_THAT(Doctor(expired.grpc_address(), trusting).text.at("tls"),
              HasSubstr("certificate has expired"));
  const ServerProcess plain;
  EXPECT_THAT(Doctor(plain.grpc_address(), trusting).text.at("tls"),
              HasSubstr("the server may speak plain text"));
}

TEST(Doctor, SaysWhoOneIsAndWhatOneMay) {
  const TemporaryDirectory directory;
  const NewToken viewer = MakeToken("viewer"), planner = MakeToken("planner");
  std::ofstream(directory.File("policy")) << R"({"principals": {"viewer": {"role": "query"},
             "planner": {"role": "register", "prefixes": ["planner/"]}}})";
  std::ofstream(directory.File("tokens")) << viewer.line << '\n' << planner.line << '\n';
  const ServerProcess server(
      {"--policy_file=" + directory.File("policy"), "--token_file=" + directory.File("tokens")});
  const auto as = [&](const std::string& token) {
    std::ofstream(directory.File("token")) << token << '\n';
    return Doctor(server.grpc_address(), {"--token-file", directory.File("token")});
  };
  const Told query = as(viewer.token);
  EXPECT_EQ(query.exit_code, 0);
  EXPECT_THAT(query.text.at("role"), HasSubstr("principal viewer with role query"));
  EXPECT_EQ(query.result.at("proof"), "ok");
  EXPECT_THAT(as(planner.token).text.at("role"), HasSubstr("names that begin with planner/"));

  const Told unknown = as(MakeToken("planner").token);
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.result.at("health"), "ok");  // it tells anyone
  EXPECT_THAT(unknown.text.at("access"), HasSubstr("the server does not know this token"));
  EXPECT_THAT(Doctor(server.grpc_address()).text.at("access"), HasSubstr("--token-file FILE"));
}

TEST(Doctor, WarnsOfLimitsThatMakeManySmallMessages) {
  const ServerProcess server({"--max_batch_rows=16"});
  const Told told = Doctor(server.grpc_address());
  EXPECT_EQ(told.exit_code, 0);
  EXPECT_EQ(told.result.at("limits"), "warn");
}

}  // namespace
}  // namespace clearance::test
