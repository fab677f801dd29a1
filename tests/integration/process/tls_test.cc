// SPDX-License-Identifier: Apache-2.0
//
// The real program and the real command line over TLS, with certificates that openssl makes for the
// test alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/integration/process/certificates.h"
#include "tests/integration/process/server_process.h"
#include "tests/integration/process/server_view.h"
#include "tests/support/raw_http.h"

namespace clearance::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kReloaded[] = R"(clearance_tls_reloads_total{result="applied"})";
constexpr char kNotReloaded[] = R"(clearance_tls_reloads_total{result="refused"})";
constexpr char kExpiry[] = "clearance_tls_certificate_expiry_timestamp_seconds";

// `clearance OPTIONS WORDS`.
Completed Ask(const ServerProcess& server, const std::vector<std::string>& options,
              const std::vector<std::string>& words) {
  std::vector<std::string> command = {CLEARANCE_CLI, "--addr", server.grpc_address(), "--timeout",
                                      "20"};
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), words.begin(), words.end());
  return RunProgram(command);
}

Completed AskHealth(const ServerProcess& server, const std::vector<std::string>& options) {
  return Ask(server, options, {"health"});
}

class Tls : public testing::Test {
 protected:
  std::vector<std::string> Trusting(const std::string& ca) const {
    return {"--tls-ca", files_.Path(ca + ".pem")};
  }
  std::vector<std::string> As(const std::string& name) const {
    std::vector<std::string> options = Trusting("ca");
    options.insert(options.end(), {"--tls-certificate", files_.Path(name + ".pem"), "--tls-key",
                                   files_.Path(name + ".key")});
    return options;
  }

  const Certificates files_;
};

TEST_F(Tls, ServesThoseWhoTrustItsCaAndNothingInPlainText) {
  const ServerProcess server(files_.ServerFlags(false));
  EXPECT_EQ(AskHealth(server, Trusting("ca")).exit_code, 0);
  EXPECT_EQ(AskHealth(server, Trusting("other_ca")).exit_code, 2);
  EXPECT_EQ(AskHealth(server, {}).exit_code, 2);
  EXPECT_THAT(HttpGet(server.grpc_port(), "/"), Not(HasSubstr("HTTP")));
}

TEST_F(Tls, IsForTheNamesInTheCertificate) {
  const ServerProcess server(files_.ServerFlags(false));
  std::vector<std::string> options = Trusting("ca");
  options.insert(options.end(), {"--tls-server-name", "clearance.test"});
  EXPECT_EQ(AskHealth(server, options).exit_code, 0);
  options.back() = "somebody.else";
  EXPECT_EQ(AskHealth(server, options).exit_code, 2);
}

TEST_F(Tls, RefusesVersionsBefore12) {
  const ServerProcess server(files_.ServerFlags(false));
  const auto connect = [&](const std::string& version) {
    const std::string command = "exec openssl s_client -alpn h2 -cipher DEFAULT@SECLEVEL=0 " +
                                version + " -connect " + server.grpc_address() + " </dev/null";
    return RunProgram({"sh", "-c", command}).exit_code;
  };
  EXPECT_EQ(connect("-tls1_2"), 0);
  EXPECT_EQ(connect("-tls1_3"), 0);
  EXPECT_EQ(connect("-tls1_1"), 1);
}

TEST_F(Tls, TakesOnlyClientsOfItsClientCa) {
  const ServerProcess server(files_.ServerFlags(true));
  EXPECT_EQ(AskHealth(server, As("alice")).exit_code, 0);
  EXPECT_EQ(AskHealth(server, As("mallory")).exit_code, 2);
  EXPECT_EQ(AskHealth(server, Trusting("ca")).exit_code, 2);
}

// The names in a certificate are those that the policy means, and of them the alternative ones
// alone where there are any.
TEST_F(Tls, ProvesWhoAPrincipalIs) {
  files_.Make("bob", "ca", "URI:spiffe://test/bob");
  files_.Make("carol", "ca", "URI:spiffe://test/dave");
  std::ofstream(files_.Path("policy")) << R"({"principals": {
      "alice": {"role": "query", "certificates": ["spiffe://test/alice"]},
      "carol": {"role": "admin", "certificates": ["carol"]}}})";
  std::vector<std::string> flags = files_.ServerFlags(true);
  flags.push_back("--policy_file=" + files_.Path("policy"));
  const ServerProcess server(flags);
  EXPECT_EQ(Ask(server, As("alice"), {"info"}).exit_code, 0);
  const std::vector<std::string> registers = {"register", "crate", R"({"sphere":{"radius":1}})"};
  EXPECT_THAT(Ask(server, As("alice"), registers).output, HasSubstr("PERMISSION_DENIED"));
  for (const char* const stranger : {"bob", "carol"}) {
    EXPECT_THAT(Ask(server, As(stranger), {"info"}).output, HasSubstr("UNAUTHENTICATED"))
        << stranger;
  }
}

TEST_F(Tls, IsSpokenByTheHealthCheckOfTheSameSettings) {
  for (const bool is_mutual : {false, true}) {
    const ServerProcess server(files_.ServerFlags(is_mutual));
    std::vector<std::string> flags = files_.ServerFlags(is_mutual);
    flags.push_back("--health_check=" + server.grpc_address());
    const Completed check = RunServerProgram(flags);
    EXPECT_EQ(check.exit_code, 0) << check.output;
  }
}

TEST_F(Tls, TakesANewPairAndBearsWithHalfOfIt) {
  ServerProcess server(files_.ServerFlags(false));
  const double first = MetricOf(server, kExpiry);
  files_.Make("next", "ca", "IP:127.0.0.1", 20);
  files_.Copy("next.pem", "server.pem");
  ASSERT_TRUE(server.process().WaitForLine("keeping previous certificate"));
  EXPECT_EQ(MetricOf(server, kNotReloaded), 1);
  EXPECT_EQ(MetricOf(server, kExpiry), first);
  EXPECT_EQ(AskHealth(server, Trusting("ca")).exit_code, 0);

  files_.Copy("next.key", "server.key");
  ASSERT_TRUE(AwaitMetric(server, kReloaded, 1));
  EXPECT_GT(MetricOf(server, kExpiry), first);
  EXPECT_EQ(AskHealth(server, Trusting("ca")).exit_code, 0);

  std::filesystem::remove(files_.Path("server.key"));
  ASSERT_TRUE(AwaitMetric(server, kNotReloaded, 2));
  EXPECT_EQ(AskHealth(server, Trusting("ca")).exit_code, 0);
}

TEST_F(Tls, KeepsItsPairWhereTheNewOneHasExpired) {
  ServerProcess server(files_.ServerFlags(false));
  const double first = MetricOf(server, kExpiry);
  files_.Make("server", "ca", "IP:127.0.0.1", /*days=*/-1);
  ASSERT_TRUE(server.process().WaitForLine("the certificate expired 20"));
  EXPECT_EQ(MetricOf(server, kExpiry), first);
  EXPECT_EQ(AskHealth(server, Trusting("ca")).exit_code, 0);
}

TEST_F(Tls, TakesANewClientCa) {
  files_.Copy("ca.pem", "client_ca.pem");
  std::vector<std::string> flags = files_.ServerFlags(false);
  flags.push_back("--tls_client_ca=" + files_.Path("client_ca.pem"));
  const ServerProcess server(flags);
  EXPECT_EQ(AskHealth(server, As("alice")).exit_code, 0);
  files_.Copy("other_ca.pem", "client_ca.pem");
  ASSERT_TRUE(AwaitMetric(server, kReloaded, 1));
  EXPECT_EQ(AskHealth(server, As("alice")).exit_code, 2);
  EXPECT_EQ(AskHealth(server, As("mallory")).exit_code, 0);
}

TEST_F(Tls, StartsWithNothingThatIsNotWhole) {
  const auto start = [](const std::string& certificate, const std::string& key) {
    return RunServerProgram({"--listen=127.0.0.1:0", "--http_listen=127.0.0.1:0",
                             "--tls_certificate=" + certificate, "--tls_key=" + key});
  };
  const Completed missing = start(files_.Path("none.pem"), files_.Path("server.key"));
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.output, HasSubstr("none.pem: No such file or directory"));
  const Completed other_key = start(files_.Path("server.pem"), files_.Path("alice.key"));
  EXPECT_EQ(other_key.exit_code, 1);
  EXPECT_THAT(other_key.output, HasSubstr("alice.key: is not the key of the certificate in"));
  std::ofstream(files_.Path("half.pem")) << "-----BEGIN CERTIFICATE-----\nMIIB";
  const Completed half = start(files_.Path("half.pem"), files_.Path("server.key"));
  EXPECT_EQ(half.exit_code, 1);
  EXPECT_THAT(half.output, HasSubstr("half.pem: holds no whole PEM certificate chain"));
  const Completed no_key = RunServerProgram({"--tls_certificate=" + files_.Path("server.pem")});
  EXPECT_EQ(no_key.exit_code, 2);
}

TEST_F(Tls, WarnsOfAKeyThatEverybodyMayRead) {
  std::filesystem::permissions(files_.Path("server.key"), std::filesystem::perms(0600));
  ServerProcess closed(files_.ServerFlags(false));
  EXPECT_THAT(closed.process().output(), Not(HasSubstr("may read the private key")));
  std::filesystem::permissions(files_.Path("server.key"), std::filesystem::perms(0644));
  ServerProcess open(files_.ServerFlags(false));
  EXPECT_THAT(open.process().output(), HasSubstr("may read the private key"));
}

}  // namespace
}  // namespace clearance::test
