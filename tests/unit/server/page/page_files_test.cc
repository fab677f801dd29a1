// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/page/operator_pages.h"

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
  absl::Status Show() { return pages_.ShowPage(directory_); }
  HttpReply Get(const std::string& path) {
    HttpRequest request;
    request.method = "GET";
    request.path = path;
    return pages_.Answer(request);
  }

  fs::path directory_;
  Metrics metrics_{"test"};
  Liveness liveness_{absl::InfiniteDuration(), metrics_};
  OperatorPages pages_{&metrics_, &liveness_};
};

TEST_F(PageFilesTest, AreFoundByTheirPathsWithTheirTypes) {
  Write("index.html", "<p>");
  Write("assets/a.js", std::string("let a\0;", 7));
  const absl::Status status = Show();
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(Get("/").body, "<p>");
  EXPECT_EQ(Get("/").content_type, "text/html; charset=utf-8");
  EXPECT_EQ(Get("/index.html").body, "<p>");
  EXPECT_EQ(Get("/assets/a.js").body, std::string("let a\0;", 7));
  EXPECT_EQ(Get("/assets").status, 404);
  EXPECT_EQ(Get("/../etc/passwd").status, 404);
}

TEST_F(PageFilesTest, AreOfAPageAlone) {
  EXPECT_THAT(std::string(Show().message()), HasSubstr("index.html"));
  Write("index.html", "");
  Write("key.pem", "");
  EXPECT_EQ(Show().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Show().message()), HasSubstr("/key.pem"));
}

TEST_F(PageFilesTest, AreFewAndSmall) {
  Write("index.html", "");
  for (int i = 1; i < 100; ++i) Write(absl::StrCat(i, ".css"), "");
  EXPECT_TRUE(Show().ok());
  Write("100.css", "");
  EXPECT_EQ(Show().code(), absl::StatusCode::kInvalidArgument);
  fs::remove(directory_ / "100.css");
  Write("1.css", std::string(16 << 20, ' '));
  EXPECT_TRUE(Show().ok());
  Write("2.css", " ");
  EXPECT_EQ(Show().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(PageFilesTest, SayWhichDirectoryIsNotThere) {
  const absl::Status status = pages_.ShowPage(directory_ / "gone");
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("gone"));
}

}  // namespace
}  // namespace clearance::server
