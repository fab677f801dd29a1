// SPDX-License-Identifier: Apache-2.0
//
// The proxies' configurations of docker/proxy, in front of one and of two real programs, if the
// proxies are installed.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "clearance/v1/shape_service.grpc.pb.h"
#include "tests/integration/process/certificates.h"
#include "tests/integration/process/server_process.h"
#include "tests/integration/process/server_view.h"
#include "tests/integration/process/users.h"
#include "tests/support/optional_program.h"
#include "tests/support/raw_http.h"

namespace clearance::test {
namespace {

using testing::AnyOf;

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

// Haproxy or nginx at its own port, in front of two servers or one.
class Proxy : public testing::Test {
 protected:
  using Servers = std::vector<const ServerProcess*>;

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  void StartHaproxy(const Servers& servers, const std::vector<std::string>& settings = {}) {
    std::ofstream(files_.Path("pair.pem"))
        << ReadText(files_.Path("server.pem")) << ReadText(files_.Path("server.key"));
    std::vector<std::string> command = {"env", "PROXY_BIND=" + address(),
                                        "PROXY_CERTIFICATE=" + files_.Path("pair.pem"),
                                        "PROXY_CLIENT_CA=" + files_.Path("ca.pem")};
    for (std::size_t i = 0; i < servers.size(); ++i) {
      const std::string number = std::to_string(i + 1);
      command.push_back("CLEARANCE_" + number + "=" + servers[i]->grpc_address());
      command.push_back("CLEARANCE_HTTP_" + number + "=" + std::to_string(servers[i]->http_port()));
    }
    command.insert(command.end(), settings.begin(), settings.end());
    command.insert(command.end(), {"haproxy", "-db", "-f", CLEARANCE_PROXY_FILES "/haproxy.cfg"});
    proxy_ = std::make_unique<ChildProcess>(command);
    AwaitPassage();
  }

  // With one server, nothing listens at the second address.
  void StartNginx(const Servers& servers) {
    std::string text = ReadText(CLEARANCE_PROXY_FILES "/nginx.conf");
    const std::string second = servers.size() > 1 ? servers[1]->grpc_address() : "127.0.0.1:1";
    text = Replaced(text, "0.0.0.0:443", address());
    text = Replaced(text, "127.0.0.1:50051", servers[0]->grpc_address());
    text = Replaced(text, "127.0.0.1:50052", second);
    text = Replaced(text, "/etc/clearance", files_.Path(""));
    text = Replaced(text, "/tmp/clearance-nginx", files_.Path("nginx"));
    std::ofstream(files_.Path("nginx.conf")) << text;
    proxy_ = std::make_unique<ChildProcess>(std::vector<std::string>{
        "nginx", "-g", "daemon off; master_process off;", "-c", files_.Path("nginx.conf")});
    AwaitPassage();
  }

  struct Asked {
    int exit_code = 0;
    std::string output;
  };

  // Asks a question with the command line, which goes through a session.
  Asked Ask(const std::vector<std::string>& options) const {
    const std::string ball = R"({"sphere":{"radius":0.5}})";
    std::vector<std::string> command = {CLEARANCE_CLI, "--addr", address(), "--tls-ca",
                                        files_.Path("ca.pem")};
    command.insert(command.end(), options.begin(), options.end());
    command.insert(command.end(),
                   {"distance", ball, ball, "--pose-b", "2", "0", "0", "0", "0", "0", "1"});
    ChildProcess client(command);
    const int exit_code = client.WaitForExit();
    return {exit_code, client.output()};
  }

  std::vector<std::string> AsAlice() const {
    return {"--tls-certificate", files_.Path("alice.pem"), "--tls-key", files_.Path("alice.key")};
  }

  // Returns whether a call of so many bytes is let through, on a separate connection that is tried
  // once.
  bool PassesCallOf(std::size_t bytes) const {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    const auto credentials =
        grpc::SslCredentials({.pem_root_certs = ReadText(files_.Path("ca.pem")),
                              .pem_private_key = ReadText(files_.Path("alice.key")),
                              .pem_cert_chain = ReadText(files_.Path("alice.pem"))});
    const auto stub =
        v1::ShapeService::NewStub(grpc::CreateCustomChannel(address(), credentials, arguments));
    grpc::ClientContext context;
    v1::ListShapesRequest request;
    request.set_page_token(std::string(bytes, 'x'));
    v1::ListShapesResponse response;
    const grpc::StatusCode code = stub->ListShapes(&context, request, &response).error_code();
    // The server looks at it and refuses it.
    EXPECT_THAT(code, AnyOf(grpc::StatusCode::INVALID_ARGUMENT, grpc::StatusCode::UNAVAILABLE));
    return code == grpc::StatusCode::INVALID_ARGUMENT;
  }

  void PassesSessionsOfKnownClientsOnly() const {
    const Asked known = Ask(AsAlice());
    EXPECT_EQ(known.exit_code, 0) << known.output << proxy_->output();
    const Asked unknown = Ask({});
    EXPECT_EQ(unknown.exit_code, 2) << unknown.output << proxy_->output();
  }

  // Waits until questions pass; throws if the proxy ends before.
  void AwaitPassage() const {
    while (Ask(AsAlice()).exit_code == 2) {
      if (proxy_->HasEnded()) throw std::runtime_error("no proxy: " + proxy_->output());
      std::this_thread::yield();
    }
  }

  // No call and no message of users behind the proxy fails while one of the servers is gone.
  void OutlivesServers(std::vector<RestartedServer>* servers) const {
    client::ClientOptions options;
    options.tls = client::TlsOptions{.root_certificates = ReadText(files_.Path("ca.pem")),
                                     .certificate_chain = ReadText(files_.Path("alice.pem")),
                                     .private_key = ReadText(files_.Path("alice.key"))};
    const absl::StatusOr<client::Client> client = PatientClient(address(), options);
    ASSERT_TRUE(client.ok()) << client.status();
    const std::vector<std::string> expected = ExpectedAnswers();
    Users users{.client = *client, .expected = expected};
    UseWhile(&users, [&] {
      for (const int signal : {SIGKILL, SIGTERM}) {
        for (RestartedServer& server : *servers) {
          AwaitAnswers(users);
          while (MetricOf(server.process(), kCallsSeries) == 0) std::this_thread::yield();
          server.End(signal);
          AwaitAnswers(users);
          server.StartAgain();
        }
      }
    });
  }

  const Certificates files_;
  std::unique_ptr<ChildProcess> proxy_;

 private:
  const int port_ = FindFreePort();
};

TEST_F(Proxy, HaproxyPassesSessionsOfKnownClientsOnly) {
  CLEARANCE_REQUIRE_PROGRAMS("haproxy");
  const ServerProcess server;
  StartHaproxy({&server});
  PassesSessionsOfKnownClientsOnly();
}

TEST_F(Proxy, HaproxyRefusesAnAddressUntilItHasSentLess) {
  CLEARANCE_REQUIRE_PROGRAMS("haproxy");
  const ServerProcess server;
  StartHaproxy({&server}, {"PROXY_BYTES_PER_SECOND=10000"});
  // Again, if more than a second went by between two of them.
  while (PassesCallOf(100'000)) std::this_thread::yield();
  while (!PassesCallOf(1)) std::this_thread::yield();
}

TEST_F(Proxy, NginxPassesSessionsOfKnownClientsOnly) {
  CLEARANCE_REQUIRE_PROGRAMS("nginx");
  const ServerProcess server;
  StartNginx({&server});
  PassesSessionsOfKnownClientsOnly();
}

// Two servers that share nothing, with the shapes that the users ask about.
class ProxyOfTwo : public Proxy {
 protected:
  void SetUp() override {
    for (const RestartedServer& server : servers_) {
      const absl::StatusOr<client::Client> one = PatientClient(server.address());
      ASSERT_TRUE(one.ok()) << one.status();
      RegisterShapes(*one);
    }
  }

  Servers processes() const { return {&servers_[0].process(), &servers_[1].process()}; }

  std::vector<RestartedServer> servers_ = std::vector<RestartedServer>(2);
};

TEST_F(ProxyOfTwo, HaproxyOutlivesEitherServer) {
  CLEARANCE_REQUIRE_PROGRAMS("haproxy");
  StartHaproxy(processes());
  OutlivesServers(&servers_);
}

TEST_F(ProxyOfTwo, NginxOutlivesEitherServer) {
  CLEARANCE_REQUIRE_PROGRAMS("nginx");
  StartNginx(processes());
  OutlivesServers(&servers_);
}

}  // namespace
}  // namespace clearance::test
