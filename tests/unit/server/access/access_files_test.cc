// SPDX-License-Identifier: Apache-2.0
#include "server/access/access_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace clearance::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kFileToken = "clearance_" + std::string(43, 'p');
constexpr char kFilePolicy[] = R"({"principals": {"planner": {"role": "register"}}})";

class AccessFilesTest : public ::testing::Test {
 protected:
  AccessFilesTest() {
    std::string pattern = ::testing::TempDir() + "access-XXXXXX";
    directory_ = mkdtemp(pattern.data());
    config_.policy_file = File("policy");
    config_.token_file = File("tokens");
    config_.principal.holding.shapes = 5;
    Write("policy", kFilePolicy);
    Write("tokens", "planner " + FormatTokenHash(*HashOfToken(kFileToken)) + "\n");
  }
  ~AccessFilesTest() override { std::filesystem::remove_all(directory_); }

  std::string File(const std::string& name) const { return directory_ / name; }
  // As an operator should: a new file takes the place of the old one.
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(File(name + ".new")) << text;
    std::filesystem::rename(File(name + ".new"), File(name));
  }
  absl::StatusOr<std::unique_ptr<AccessFiles>> Load() {
    return AccessFiles::Load(config_, log_, metrics_, quotas_);
  }
  static bool LetsIn(AccessFiles& files) {
    return files.authenticator().Authenticate(CredentialsFrom({"Bearer " + kFileToken})).ok();
  }

  ServerConfig config_;
  std::string log_text_;
  Log log_{LogFormat::kHuman, LogLevel::kInfo,
           [this](absl::string_view line) { log_text_.append(line.data(), line.size()); }};
  Metrics metrics_{"test"};
  HoldingQuotas quotas_;

 private:
  std::filesystem::path directory_;
};

TEST_F(AccessFilesTest, LetInWhomTheFilesName) {
  const auto files = Load();
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_TRUE(LetsIn(**files));
}

TEST_F(AccessFilesTest, WarnOfCertificatesThatNoClientCanShow) {
  ASSERT_TRUE(Load().ok());
  EXPECT_THAT(log_text_, Not(HasSubstr("certificates")));
  Write("policy",
        R"({"principals": {"planner": {"role": "query", "certificates": ["p.example.org"]}}})");
  ASSERT_TRUE(Load().ok());
  EXPECT_THAT(log_text_, HasSubstr("WARNING the policy names certificates that no client can "
                                   "show: set --tls_client_ca"));
  log_text_.clear();
  config_.tls.client_ca = "ca.pem";
  ASSERT_TRUE(Load().ok());
  EXPECT_EQ(log_text_, "");
}

TEST_F(AccessFilesTest, AreTakenOverWhenTheyChange) {
  const auto files = Load();
  ASSERT_TRUE(files.ok());
  Write("tokens", "# nobody\n");
  EXPECT_TRUE(LetsIn(**files));
  (*files)->Look();
  EXPECT_FALSE(LetsIn(**files));
  EXPECT_EQ(metrics_.access_reloads(true).Value(), 1);
  EXPECT_THAT(log_text_, HasSubstr("INFO policy reloaded"));
  (*files)->Look();
  EXPECT_EQ(metrics_.access_reloads(true).Value(), 1);
}

TEST_F(AccessFilesTest, SayHowMuchMayBeHeld) {
  const auto files = Load();
  ASSERT_TRUE(files.ok());
  const auto may_have = [&](std::uint64_t shapes) {
    return quotas_.Check(HoldingKind::kShapes, "planner", {}, {shapes, 1}).ok();
  };
  EXPECT_TRUE(may_have(5));
  EXPECT_FALSE(may_have(6));
  Write("policy", R"({"principals": {"planner": {"role": "query", "limits": {"shapes": 7}}}})");
  (*files)->Look();
  EXPECT_TRUE(may_have(7));
  EXPECT_FALSE(may_have(8));
  Write("policy", "{");
  (*files)->Look();
  EXPECT_TRUE(may_have(7));
  EXPECT_FALSE(may_have(8));
}

TEST_F(AccessFilesTest, ThatAreWrongChangeNothingUntilTheyAreRight) {
  const auto files = Load();
  ASSERT_TRUE(files.ok());
  for (const char* bad : {"{", R"({"principals": {"planner": {"role": "boss"}}})"}) {
    Write("policy", bad);
    (*files)->Look();
    EXPECT_TRUE(LetsIn(**files));
  }
  EXPECT_EQ(metrics_.access_reloads(false).Value(), 2);
  EXPECT_EQ((*files)->authenticator().generation(), 1u);
  EXPECT_THAT(log_text_, HasSubstr("ERROR policy reload failed; keeping previous rules"));
  EXPECT_THAT(log_text_, HasSubstr("principals.planner.role: must be query"));
  Write("policy", R"({"principals": {}})");
  (*files)->Look();
  EXPECT_FALSE(LetsIn(**files));
}

TEST_F(AccessFilesTest, ThatAreGoneChangeNothing) {
  const auto files = Load();
  ASSERT_TRUE(files.ok());
  std::filesystem::remove(File("tokens"));
  (*files)->Look();
  EXPECT_TRUE(LetsIn(**files));
  EXPECT_EQ(metrics_.access_reloads(false).Value(), 1);
}

TEST_F(AccessFilesTest, NeverTellATokenThatSomebodyPutThereInPlain) {
  const auto files = Load();
  ASSERT_TRUE(files.ok());
  Write("tokens", "planner " + kFileToken + "\n");
  (*files)->Look();
  EXPECT_THAT(log_text_, HasSubstr("tokens: line 1: "));
  EXPECT_THAT(log_text_, Not(HasSubstr(kFileToken)));
}

TEST_F(AccessFilesTest, MustBeRightAtTheStart) {
  Write("tokens", "planner\n");
  EXPECT_THAT(std::string(Load().status().message()), HasSubstr("tokens: line 1: "));
  Write("policy", "{}");
  EXPECT_THAT(std::string(Load().status().message()), HasSubstr("policy: principals: "));
  std::filesystem::remove(File("policy"));
  EXPECT_THAT(std::string(Load().status().message()), HasSubstr("No such file"));
}

TEST_F(AccessFilesTest, OfMoreThanTheirLimitAreRefused) {
  Write("tokens", std::string(5 << 20, '\n'));
  EXPECT_THAT(std::string(Load().status().message()), HasSubstr("has more than 4194304 bytes"));
}

// The thread of its own sees the change by itself; ctest's timeout ends a wait for ever.
TEST_F(AccessFilesTest, AreWatched) {
  const auto files = Load();
  ASSERT_TRUE(files.ok());
  (*files)->Watch();
  Write("tokens", "");
  while ((*files)->authenticator().generation() == 1) std::this_thread::yield();
  EXPECT_FALSE(LetsIn(**files));
}

}  // namespace
}  // namespace clearance::server
