// SPDX-License-Identifier: Apache-2.0
//
// The proxies' configurations of docker/proxy, in front of the real program, where they are
// installed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/process/certificates.h"
#include "tests/integration/process/server_process.h"
#include "tests/support/raw_http.h"

namespace clearance::test {
namespace {

bool IsInstalled(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null").c_str()) == 0;
}

std::string ReadText(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string Replaced(const std::string& text, const std::string& what, const std::string& with) {
  EXPECT_NE(text.find(what), std::string::npos) << what;
  std::string replaced = text;
  for (std::size_t i = 0; (i = replaced.find(what, i)) != std::string::npos; i += with.size()) {
    replaced.replace(i, what.size(), with);
  }
  return replaced;
}

class Proxy : public testing::Test {
 protected:
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  // The exit code of a question that goes through a session.
  int Ask(const std::vector<std::string>& options) const {
    const std::string ball = R"({"sphere":{"radius":0.5}})";
    std::vector<std::string> command = {CLEARANCE_CLI, "--addr", address(), "--tls-ca",
                                        files_.Path("ca.pem")};
    command.insert(command.end(), options.begin(), options.end());
    command.insert(command.end(),
                   {"distance", ball, ball, "--pose-b", "2", "0", "0", "0", "0", "0", "1"});
    ChildProcess client(command);
    const int exit_code = client.WaitForExit();
    return exit_code;
  }

  std::vector<std::string> AsAlice() const {
    return {"--tls-certificate", files_.Path("alice.pem"), "--tls-key", files_.Path("alice.key")};
  }

  // Waits until questions pass; ctest's timeout is the guard against a proxy that never begins.
  void AwaitPassage() const {
    while (Ask(AsAlice()) == 2) std::this_thread::yield();
  }

  const Certificates files_;
  ServerProcess server_;
  const int port_ = FindFreePort();
};

TEST_F(Proxy, HaproxyPassesSessionsOfKnownClientsOnly) {
  if (!IsInstalled("haproxy")) GTEST_SKIP() << "haproxy not installed";
  std::ofstream(files_.Path("pair.pem"))
      << ReadText(files_.Path("server.pem")) << ReadText(files_.Path("server.key"));
  ChildProcess proxy(
      {"env", "PROXY_BIND=" + address(), "PROXY_CERTIFICATE=" + files_.Path("pair.pem"),
       "PROXY_CLIENT_CA=" + files_.Path("ca.pem"), "CLEARANCE_ADDRESS=" + server_.grpc_address(),
       "haproxy", "-db", "-f", CLEARANCE_PROXY_FILES "/haproxy.cfg"});
  AwaitPassage();
  EXPECT_EQ(Ask(AsAlice()), 0) << proxy.output();
  EXPECT_EQ(Ask({}), 2);
}

TEST_F(Proxy, NginxPassesSessionsOfKnownClientsOnly) {
  if (!IsInstalled("nginx")) GTEST_SKIP() << "nginx not installed";
  std::string text = ReadText(CLEARANCE_PROXY_FILES "/nginx.conf");
  text = Replaced(text, "0.0.0.0:443", address());
  text = Replaced(text, "127.0.0.1:50051", server_.grpc_address());
  text = Replaced(text, "/etc/clearance", files_.Path(""));
  text = Replaced(text, "/tmp/clearance-nginx", files_.Path("nginx"));
  std::ofstream(files_.Path("nginx.conf")) << text;
  ChildProcess proxy(
      {"nginx", "-g", "daemon off; master_process off;", "-c", files_.Path("nginx.conf")});
  AwaitPassage();
  EXPECT_EQ(Ask(AsAlice()), 0) << proxy.output();
  EXPECT_EQ(Ask({}), 2);
}

}  // namespace
}  // namespace clearance::test
