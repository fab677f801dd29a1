// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>

#include "server/storage/data_directory.h"
#include "server/storage/sqlite_shape_store.h"
#include "tests/unit/server/storage/failing_vfs.h"
#include "tests/unit/server/storage/stored_shapes.h"

namespace clearance::testing {
namespace {

using server::BackUp;
using server::SqliteShapeStore;

class BackupTest : public ::testing::Test {
 protected:
  BackupTest() {
    store_ = *SqliteShapeStore::Open(server::DatabasePath(directory_.path()));
    EXPECT_TRUE(Put("a", 1, &registry_, store_.get()).ok());
  }

  StoreDirectory directory_;
  server::Registry registry_{{}, nullptr};
  std::unique_ptr<SqliteShapeStore> store_;
};

TEST_F(BackupTest, CopiesWhatIsCommittedWhileAStoreIsOpen) {
  const std::vector<std::string> names = NamesOf(store_.get());
  const std::string file = directory_.File("backup");
  ASSERT_TRUE(BackUp(directory_.path(), file).ok());
  ASSERT_TRUE(Put("later", 2, &registry_, store_.get()).ok());

  EXPECT_FALSE(std::filesystem::exists(file + ".partial"));
  EXPECT_EQ(std::filesystem::status(file).permissions(), std::filesystem::perms(0600));
  const auto copy = SqliteShapeStore::Open(file);
  ASSERT_TRUE(copy.ok()) << copy.status();
  EXPECT_EQ(NamesOf(copy->get()), names);
  EXPECT_THAT(DigestsOf(**copy, 1), ::testing::ElementsAre(Ball(1)->digest));
}

TEST_F(BackupTest, OverwritesNothing) {
  std::ofstream(directory_.File("backup")) << "precious";
  const absl::Status status = BackUp(directory_.path(), directory_.File("backup"));
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr(directory_.File("backup")));
  EXPECT_EQ(std::filesystem::file_size(directory_.File("backup")), 8u);
  EXPECT_FALSE(std::filesystem::exists(directory_.File("backup.partial")));
}

// In a process of its own, whose SQLite fails as the test wants. The exit code is 0 where the
// backup was made; -1: it was killed.
int BackUpApart(const std::string& data_dir, const std::string& file,
                const std::function<void(Failures&)>& fail) {
  const pid_t child = fork();
  if (child == 0) {
    MakeFailingVfsTheDefault();
    fail(VfsFailures());
    _exit(static_cast<int>(BackUp(data_dir, file).code()));
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(BackupTest, LeavesNothingWhereItsDiskIsFullOrFails) {
  const std::string file = directory_.File("backup");
  EXPECT_EQ(BackUpApart(directory_.path(), file, [](Failures& f) { f.write = SQLITE_FULL; }),
            static_cast<int>(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(BackUpApart(directory_.path(), file, [](Failures& f) { f.sync = SQLITE_IOERR_FSYNC; }),
            static_cast<int>(absl::StatusCode::kUnavailable));
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_FALSE(std::filesystem::exists(file + ".partial"));
  EXPECT_EQ(BackUpApart(directory_.path(), file, [](Failures&) {}), 0);
}

// Before each of its writes and syncs in turn.
TEST_F(BackupTest, ThatIsKilledLeavesNoFileOfItsName) {
  const std::vector<std::string> names = NamesOf(store_.get());
  const std::string file = directory_.File("backup");
  int kills = 0;
  while (BackUpApart(directory_.path(), file, [kills](Failures& f) { f.calls_to_live = kills; }) ==
         -1) {
    ++kills;
    EXPECT_FALSE(std::filesystem::exists(file)) << kills;
    EXPECT_TRUE(std::filesystem::exists(file + ".partial")) << kills;
    const absl::Status refused = BackUp(directory_.path(), file);
    EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(refused.message()), ::testing::HasSubstr("cut off: then remove it"));
    std::filesystem::remove(file + ".partial");
    std::filesystem::remove(file + ".partial-journal");
    ASSERT_LT(kills, 10'000);
  }
  EXPECT_GT(kills, 5);
  const auto copy = SqliteShapeStore::Open(file);
  ASSERT_TRUE(copy.ok()) << copy.status();
  EXPECT_EQ(NamesOf(copy->get()), names);
}

TEST_F(BackupTest, OfADamagedFileIsNone) {
  store_.reset();  // folds the log into the file
  const std::string path = server::DatabasePath(directory_.path());
  std::string whole(std::filesystem::file_size(path), '\0');
  std::ifstream(path, std::ios::binary).read(whole.data(), std::ssize(whole));
  constexpr std::size_t kPage = 4096;
  ASSERT_GT(whole.size(), 4 * kPage);
  for (std::size_t begin = 0; begin < whole.size(); begin += kPage) {
    std::string damaged = whole;
    damaged.replace(begin, kPage, kPage, '\xa5');
    std::ofstream(path, std::ios::binary) << damaged;
    const std::string file = directory_.File("backup");
    EXPECT_EQ(BackUp(directory_.path(), file).code(), absl::StatusCode::kDataLoss) << begin;
    EXPECT_FALSE(std::filesystem::exists(file)) << begin;
    EXPECT_FALSE(std::filesystem::exists(file + ".partial")) << begin;
  }
}

TEST_F(BackupTest, RefusesADirectoryWithoutShapes) {
  const StoreDirectory empty;
  EXPECT_EQ(BackUp(empty.path(), empty.File("backup")).code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_FALSE(std::filesystem::exists(empty.File("backup")));
}

}  // namespace
}  // namespace clearance::testing
