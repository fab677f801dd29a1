// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/page/page.h"

namespace clearance::server {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class PageFilesTest : public testing::Test {
 protected:
  PageFilesTest() {
    std::string name = fs::temp_directory_path() / "clearance-page-XXXXXX";
    directory_ = mkdtemp(name.data());
  }
  ~PageFilesTest() override { fs::remove_all(directory_); }

  void Write(const std::string& name, const std::string& content) const {
    fs::create_directories((directory_ / name).parent_path());
    std::ofstream(directory_ / name, std::ios::binary) << content;
  }
  absl::StatusOr<PageFiles> Read() const { return PageFiles::Read(directory_); }

  fs::path directory_;
};

TEST_F(PageFilesTest, AreFoundByTheirPathsWithTheirTypes) {
  Write("index.html", "<p>");
  Write("assets/a.js", std::string("let a\0;", 7));
  const absl::StatusOr<PageFiles> files = Read();
  ASSERT_TRUE(files.ok()) << files.status();
  ASSERT_NE(files->Find("/"), nullptr);
  EXPECT_EQ(files->Find("/"), files->Find("/index.html"));
  EXPECT_EQ(files->Find("/")->body, "<p>");
  EXPECT_EQ(files->Find("/")->content_type, "text/html; charset=utf-8");
  ASSERT_NE(files->Find("/assets/a.js"), nullptr);
  EXPECT_EQ(files->Find("/assets/a.js")->body, std::string("let a\0;", 7));
  EXPECT_EQ(files->Find("/assets"), nullptr);
  EXPECT_EQ(files->Find("/../etc/passwd"), nullptr);
}

TEST_F(PageFilesTest, AreOfAPageAlone) {
  EXPECT_THAT(std::string(Read().status().message()), HasSubstr("index.html"));
  Write("index.html", "");
  Write("key.pem", "");
  EXPECT_EQ(Read().status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Read().status().message()), HasSubstr("/key.pem"));
}

TEST_F(PageFilesTest, AreFewAndSmall) {
  Write("index.html", "");
  for (int i = 1; i < 100; ++i) Write(absl::StrCat(i, ".css"), "");
  EXPECT_TRUE(Read().ok());
  Write("100.css", "");
  EXPECT_EQ(Read().status().code(), absl::StatusCode::kInvalidArgument);
  fs::remove(directory_ / "100.css");
  Write("1.css", std::string(16 << 20, ' '));
  EXPECT_TRUE(Read().ok());
  Write("2.css", " ");
  EXPECT_EQ(Read().status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(PageFilesTest, SayWhichDirectoryIsNotThere) {
  const absl::Status status = PageFiles::Read(directory_ / "gone").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("gone"));
}

}  // namespace
}  // namespace clearance::server
