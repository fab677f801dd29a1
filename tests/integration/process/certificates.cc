// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/process/certificates.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/optional_program.h"

namespace clearance::test {
namespace {

void SkipWithoutOpenSsl() { CLEARANCE_REQUIRE_PROGRAMS("openssl"); }

// `openssl BEGIN END`
void OpenSsl(const std::vector<std::string>& begin, const std::vector<std::string>& end) {
  std::vector<std::string> command = {"openssl"};
  command.insert(command.end(), begin.begin(), begin.end());
  command.insert(command.end(), end.begin(), end.end());
  const Completed run = RunProgram(command);
  ASSERT_EQ(run.exit_code, 0) << run.output;
}

}  // namespace

Certificates::Certificates() {
  SkipWithoutOpenSsl();
  if (::testing::Test::IsSkipped()) return;
  MakeCa("ca");
  MakeCa("other_ca");
  Make("server", "ca", "DNS:clearance.test,IP:127.0.0.1");
  Make("alice", "ca", "URI:spiffe://test/alice");
  Make("mallory", "other_ca", "URI:spiffe://test/alice");
}

void Certificates::Make(const std::string& name, const std::string& ca, const std::string& names,
                        int days) const {
  std::ofstream(Path("extensions")) << "subjectAltName=" << names << '\n';
  OpenSsl(NewKey(name), {"-out", Path("request"), "-subj", "/CN=" + name});
  OpenSsl({"x509", "-req", "-in", Path("request"), "-CA", Path(ca + ".pem")},
          {"-CAkey", Path(ca + ".key"), "-CAcreateserial", "-days", std::to_string(days),
           "-extfile", Path("extensions"), "-out", Path(name + ".pem")});
}

void Certificates::Copy(const std::string& from, const std::string& to) const {
  std::filesystem::copy_file(Path(from), Path(to),
                             std::filesystem::copy_options::overwrite_existing);
}

std::vector<std::string> Certificates::ServerFlags(bool is_mutual) const {
  std::vector<std::string> flags = {"--tls_certificate=" + Path("server.pem"),
                                    "--tls_key=" + Path("server.key")};
  if (is_mutual) flags.push_back("--tls_client_ca=" + Path("ca.pem"));
  return flags;
}

void Certificates::MakeCa(const std::string& name) const {
  OpenSsl(NewKey(name),
          {"-x509", "-out", Path(name + ".pem"), "-days", "2", "-subj", "/CN=" + name});
}

std::vector<std::string> Certificates::NewKey(const std::string& name) const {
  return {"req",     "-newkey",          "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
          "-keyout", Path(name + ".key")};
}

}  // namespace clearance::test
