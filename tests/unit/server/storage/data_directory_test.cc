// SPDX-License-Identifier: Apache-2.0

#include "server/storage/data_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>

#include "tests/unit/server/storage/stored_shapes.h"

namespace clearance::testing {
namespace {

using server::DataDirectory;
using ::testing::HasSubstr;

mode_t ModeOf(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 0777;
}

std::string WhyNot(const std::string& path) {
  const auto directory = DataDirectory::Open(path);
  EXPECT_EQ(directory.status().code(), absl::StatusCode::kFailedPrecondition);
  return std::string(directory.status().message());
}

TEST(DataDirectory, IsMadeForItsOwnerAlone) {
  const StoreDirectory parent;
  const auto directory = DataDirectory::Open(parent.File("data"));
  ASSERT_TRUE(directory.ok()) << directory.status();
  EXPECT_EQ(ModeOf(parent.File("data")), 0700u);
  EXPECT_EQ(ModeOf(server::DatabasePath(directory->path())), 0600u);
  EXPECT_FALSE(directory->is_open_to_others());
}

TEST(DataDirectory, TellsThatOthersMayEnterAndTakesTheFileFromThem) {
  const StoreDirectory parent;
  std::filesystem::permissions(parent.path(), std::filesystem::perms(0755));
  std::ofstream(server::DatabasePath(parent.path())) << "";
  std::filesystem::permissions(server::DatabasePath(parent.path()), std::filesystem::perms(0644));
  const auto directory = DataDirectory::Open(parent.path());
  ASSERT_TRUE(directory.ok()) << directory.status();
  EXPECT_TRUE(directory->is_open_to_others());
  EXPECT_EQ(ModeOf(server::DatabasePath(directory->path())), 0600u);
}

TEST(DataDirectory, IsOneServersUntilThatEnds) {
  const StoreDirectory parent;
  auto first = std::make_optional(DataDirectory::Open(parent.path()));
  ASSERT_TRUE(first->ok());
  EXPECT_THAT(WhyNot(parent.path()), HasSubstr("in use by another server"));
  first.reset();
  EXPECT_TRUE(DataDirectory::Open(parent.path()).ok());
}

// Root may write everywhere: as somebody else, in a process of its own. Ends with what Open says.
[[noreturn]] void OpenAsNobody(const std::string& path) {
  constexpr uid_t kNobody = 65534;
  if (geteuid() == 0 && (setgid(kNobody) != 0 || setuid(kNobody) != 0)) _exit(100);
  const auto directory = DataDirectory::Open(path);
  std::cerr << directory.status() << std::endl;
  _exit(directory.ok() ? 0 : 1);
}

TEST(DataDirectory, RefusesOneThatCannotBeWritten) {
  const StoreDirectory parent;
  const std::string path = parent.File("data");
  ASSERT_TRUE(DataDirectory::Open(path).ok());
  const auto allow = [&](const std::string& file, unsigned mode) {
    std::filesystem::permissions(file, std::filesystem::perms(mode));
  };
  allow(parent.path(), 0755);
  // Nobody but its owner writes in it, though its files are there and anybody may write those.
  allow(path, 0555);
  allow(server::DatabasePath(path), 0666);
  EXPECT_EXIT(OpenAsNobody(path), ::testing::ExitedWithCode(1),
              path + ": Permission denied; the server must own what is in --data_dir");
  // Nor may another's files be opened where the directory is everybody's.
  allow(path, 0777);
  allow(server::DatabasePath(path), 0444);
  EXPECT_EXIT(OpenAsNobody(path), ::testing::ExitedWithCode(1),
              path + "/shapes.sqlite: Permission denied");
  allow(server::DatabasePath(path), 0666);
  EXPECT_EXIT(OpenAsNobody(path), ::testing::ExitedWithCode(0), "OK");
}

TEST(DataDirectory, RefusesAnEmptyDatabaseWhereThereWasAnother) {
  const StoreDirectory parent;
  {
    const auto directory = DataDirectory::Open(parent.path());
    ASSERT_TRUE(directory.ok()) << directory.status();
  }
  // Nobody has used it.
  ASSERT_TRUE(DataDirectory::Open(parent.path())->MarkUsed().ok());
  EXPECT_THAT(WhyNot(parent.path()), HasSubstr("is empty or gone"));
  std::ofstream(server::DatabasePath(parent.path())) << "something";
  EXPECT_TRUE(DataDirectory::Open(parent.path()).ok());
  std::filesystem::remove(server::DatabasePath(parent.path()));
  EXPECT_THAT(WhyNot(parent.path()), HasSubstr("remove " + parent.File("used")));
  std::filesystem::remove(parent.File("used"));
  EXPECT_TRUE(DataDirectory::Open(parent.path()).ok());
}

TEST(DataDirectory, FollowsNoLink) {
  const StoreDirectory parent, elsewhere;
  std::filesystem::create_symlink(elsewhere.File("target"), server::DatabasePath(parent.path()));
  EXPECT_THAT(WhyNot(parent.path()), HasSubstr(server::DatabasePath(parent.path())));
  EXPECT_FALSE(std::filesystem::exists(elsewhere.File("target")));
}

// No file of another name is needed for that, which somebody could remove.
TEST(DataDirectory, IsOneServersWhateverElseIsRemoved) {
  const StoreDirectory parent;
  const auto directory = DataDirectory::Open(parent.path());
  ASSERT_TRUE(directory.ok());
  for (const auto& file : std::filesystem::directory_iterator(parent.path())) {
    if (file.path() != server::DatabasePath(parent.path())) std::filesystem::remove(file.path());
  }
  EXPECT_THAT(WhyNot(parent.path()), HasSubstr("in use by another server"));
}

TEST(DataDirectory, RefusesWhatIsNoDirectoryAndWhatHasNoParent) {
  const StoreDirectory parent;
  std::ofstream(parent.File("file")) << "";
  EXPECT_THAT(WhyNot(parent.File("file")), HasSubstr(parent.File("file")));
  EXPECT_THAT(WhyNot(parent.File("none/data")), HasSubstr("--data_dir"));
}

}  // namespace
}  // namespace clearance::testing
