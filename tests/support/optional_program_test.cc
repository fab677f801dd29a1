// SPDX-License-Identifier: Apache-2.0
#include "tests/support/optional_program.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace clearance::test {
namespace {

constexpr char kReason[] = "etcd is not installed (Debian package etcd-server)";

// A PATH of a folder that does not exist and an empty one.
class OptionalProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "optional_program_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    setenv("PATH", ("/nowhere:" + pattern).c_str(), 1);  // NOLINT: no other thread reads it
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& program, std::filesystem::perms permissions) const {
    std::ofstream(folder_ / program) << "#!/bin/sh\n";
    std::filesystem::permissions(folder_ / program, permissions);
  }

  std::filesystem::path folder_;
};

TEST_F(OptionalProgram, MissingReason_NotOnPath_NamesPackage) {
  EXPECT_EQ(MissingReason({"etcd"}), kReason);
  EXPECT_EQ(MissingReason({"etcd", "etcdctl"}), kReason);
}

TEST_F(OptionalProgram, MissingReason_OnPath_IsEmpty) {
  Write("etcd", std::filesystem::perms(0755));
  EXPECT_EQ(MissingReason({"etcd"}), "");
  EXPECT_EQ(MissingReason({"etcd", "haproxy"}),
            "haproxy is not installed (Debian package haproxy)");
}

TEST_F(OptionalProgram, MissingReason_NotExecutable_NamesPackage) {
  Write("etcd", std::filesystem::perms(0644));
  std::filesystem::create_directory(folder_ / "etcdctl");
  EXPECT_EQ(MissingReason({"etcd"}), kReason);
  EXPECT_NE(MissingReason({"etcdctl"}), "");
}

TEST_F(OptionalProgram, MissingReason_UnknownProgram_Throws) {
  Write("unheard_of", std::filesystem::perms(0755));
  EXPECT_THROW(MissingReason({"unheard_of"}), std::logic_error);
}

}  // namespace
}  // namespace clearance::test
