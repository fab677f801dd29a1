// SPDX-License-Identifier: Apache-2.0

#include "server/storage/sqlite_shape_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>

#include "server/storage/body_codec.h"
#include "tests/unit/server/storage/failing_vfs.h"
#include "tests/unit/server/storage/stored_shapes.h"

namespace clearance::testing {
namespace {

using server::Database;
using server::OpenMode;
using server::SqliteShapeStore;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

std::unique_ptr<SqliteShapeStore> Open(const std::string& path, const char* vfs = nullptr) {
  auto store = SqliteShapeStore::Open(path, vfs);
  EXPECT_TRUE(store.ok()) << store.status();
  return store.ok() ? *std::move(store) : nullptr;
}

absl::Status RefusalOf(const std::string& path) {
  const auto store = SqliteShapeStore::Open(path);
  EXPECT_FALSE(store.ok());
  EXPECT_THAT(std::string(store.status().message()), HasSubstr(path));
  return store.status();
}

void Execute(const std::string& path, const std::string& sql) {
  auto database = Database::Open(path, OpenMode::kCreate);
  ASSERT_TRUE(database.ok()) << database.status();
  const absl::Status status = database->Execute(sql);
  ASSERT_TRUE(status.ok()) << status;
}

TEST(SqliteShapeStore, HasAfterAReopeningWhatWasCommitted) {
  const StoreDirectory directory;
  server::Registry registry({}, nullptr);
  std::vector<std::string> names;
  {
    const auto store = Open(directory.File("a"));
    ASSERT_TRUE(Put("a", 1, &registry, store.get()).ok());
    ASSERT_TRUE(Put("b", 2, &registry, store.get()).ok());
    ASSERT_TRUE(Put("b", 3, &registry, store.get()).ok());  // replaces
    ASSERT_TRUE(Put("c", 1, &registry, store.get()).ok());
    ASSERT_TRUE(Put("d", 4, &registry, store.get()).ok());
    ASSERT_TRUE(Put("d", 0, &registry, store.get()).ok());  // deletes: the last change
    names = NamesOf(store.get());
  }
  EXPECT_THAT(names, ElementsAre("a=" + Ball(1)->digest + "@1", "b=" + Ball(3)->digest + "@3",
                                 "c=" + Ball(1)->digest + "@4", "6"));
  const auto store = Open(directory.File("a"));
  EXPECT_EQ(NamesOf(store.get()), names);
  for (const std::uint64_t parts : {1, 2, 7}) {
    EXPECT_THAT(DigestsOf(*store, parts), UnorderedElementsAre(Ball(1)->digest, Ball(3)->digest));
  }
}

std::vector<server::SceneRecord> ScenesOf(server::ShapeStore* store) {
  std::vector<server::SceneRecord> records;
  const absl::Status status = store->ReadScenes([&](server::SceneRecord record) {
    records.push_back(std::move(record));
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return records;
}

server::SceneRecord Whole(const char* name, const char* owner) {
  return {.name = name,
          .incarnation = 7,
          .revision = 1,
          .is_whole = true,
          .owner = owner,
          .change = "whole"};
}

// Registers or replaces a ball as somebody's.
void PutOwned(const char* name, double radius, const char* owner, server::Registry* registry,
              server::ShapeStore* store) {
  server::RegistryDraft draft(registry);
  ASSERT_TRUE(
      draft.Register(name, Ball(radius), {.replace = true, .validate_only = false, .owner = owner})
          .ok());
  ASSERT_TRUE(store->Commit(draft.changes()).ok());
  draft.Apply();
}

TEST(SqliteShapeStore, KnowsTheOwnersAfterAReopening) {
  const StoreDirectory directory;
  server::Registry registry({}, nullptr);
  {
    const auto store = Open(directory.File("a"));
    PutOwned("a", 1, "ann", &registry, store.get());
    PutOwned("b", 1, "", &registry, store.get());
    PutOwned("c", 1, "ann", &registry, store.get());
    PutOwned("c", 2, "bob", &registry, store.get());
    ASSERT_TRUE(
        store->Commit({.names = {}, .added = {}, .dropped = {}, .scenes = {Whole("s", "ann")}})
            .ok());
  }
  const auto store = Open(directory.File("a"));
  EXPECT_THAT(NamesOf(store.get()),
              ElementsAre("a=" + Ball(1)->digest + "@1 of ann", "b=" + Ball(1)->digest + "@2",
                          "c=" + Ball(2)->digest + "@4 of bob", "0"));
  const auto scenes = ScenesOf(store.get());
  ASSERT_THAT(scenes, SizeIs(1));
  EXPECT_EQ(scenes[0].owner, "ann");
}

TEST(SqliteShapeStore, TellsASceneOfAnotherOwnerThanWasWritten) {
  const StoreDirectory directory;
  ASSERT_TRUE(Open(directory.File("a"))
                  ->Commit({.names = {}, .added = {}, .dropped = {}, .scenes = {Whole("s", "ann")}})
                  .ok());
  Execute(directory.File("a"), "UPDATE scene_records SET owner = 'bob'");
  const absl::Status status = Open(directory.File("a"))->ReadScenes([](const server::SceneRecord&) {
    return absl::OkStatus();
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
}

// What the versions before today's lacked.
constexpr char kToVersion3[] =
    "ALTER TABLE names DROP COLUMN checksum; ALTER TABLE registry DROP COLUMN checksum;"
    "PRAGMA user_version = 3;";
constexpr char kToVersion2[] =
    "ALTER TABLE names DROP COLUMN owner; ALTER TABLE scene_records DROP COLUMN owner;"
    "PRAGMA user_version = 2;";
constexpr char kToVersion1[] = "DROP TABLE scene_records; PRAGMA user_version = 1;";

void MakeOlder(const std::string& path, int version) {
  Execute(path, kToVersion3);
  if (version <= 2) Execute(path, kToVersion2);
  if (version == 1) Execute(path, kToVersion1);
}

class OlderStore : public ::testing::TestWithParam<int> {};

TEST_P(OlderStore, BecomesTodaysAndWhatItHasIsNobodys) {
  const StoreDirectory directory;
  server::Registry registry({}, nullptr);
  {
    const auto store = Open(directory.File("a"));
    PutOwned("a", 1, "", &registry, store.get());
    PutOwned("b", 2, "", &registry, store.get());
    ASSERT_TRUE(store
                    ->Commit({.names = {},
                              .added = {},
                              .dropped = {},
                              .scenes = {Whole("s", "")},
                              .revision = 2})
                    .ok());
  }
  const bool has_scenes = GetParam() >= 2;
  MakeOlder(directory.File("a"), GetParam());
  {
    const auto store = Open(directory.File("a"));
    ASSERT_NE(store, nullptr);
    EXPECT_THAT(NamesOf(store.get()),
                ElementsAre("a=" + Ball(1)->digest + "@1", "b=" + Ball(2)->digest + "@2", "2"));
    EXPECT_THAT(DigestsOf(*store, 1), UnorderedElementsAre(Ball(1)->digest, Ball(2)->digest));
    EXPECT_THAT(ScenesOf(store.get()), SizeIs(has_scenes ? 1 : 0));
    PutOwned("c", 3, "ann", &registry, store.get());
    EXPECT_THAT(NamesOf(store.get()), ::testing::Contains("c=" + Ball(3)->digest + "@3 of ann"));
  }
  auto database = Database::Open(directory.File("a"), OpenMode::kReadOnly);
  EXPECT_EQ(*database->QueryNumber("PRAGMA user_version"), 4);
}

TEST(SqliteShapeStore, KeepsTheOwnersOfVersion3) {
  const StoreDirectory directory;
  server::Registry registry({}, nullptr);
  PutOwned("a", 1, "ann", &registry, Open(directory.File("a")).get());
  MakeOlder(directory.File("a"), 3);
  EXPECT_THAT(NamesOf(Open(directory.File("a")).get()),
              ElementsAre("a=" + Ball(1)->digest + "@1 of ann", "1"));
}

INSTANTIATE_TEST_SUITE_P(Versions, OlderStore, ::testing::Values(1, 2, 3),
                         [](const auto& row) { return "Version" + std::to_string(row.param); });

TEST(SqliteShapeStore, ReadsContentsAsTheyWereGiven) {
  const StoreDirectory directory;
  server::Registry registry({}, nullptr);
  const auto store = Open(directory.File("a"));
  ASSERT_TRUE(Put("a", 1, &registry, store.get()).ok());
  int visits = 0;
  const absl::Status status = store->ReadContents({}, [&](const server::StoredContent& content) {
    ++visits;
    EXPECT_EQ(content.shape, Ball(1)->serialized);
    EXPECT_EQ(content.body, server::EncodeBody(*Ball(1)->body));
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(visits, 1);
}

TEST(SqliteShapeStore, SyncsBeforeEveryAnswer) {
  const StoreDirectory directory;
  server::Registry registry({}, nullptr);
  const auto store = Open(directory.File("a"), FailingVfs());
  for (const double radius : {1., 2., 3.}) {
    const int before = VfsFailures().syncs;
    ASSERT_TRUE(Put("a", radius, &registry, store.get()).ok());
    EXPECT_GT(VfsFailures().syncs, before);
  }
}

class FailingStore : public ::testing::TestWithParam<int> {
 protected:
  ~FailingStore() override { Fail(SQLITE_OK); }
  // Of the kind that the parameter is.
  static void Fail(int code) {
    VfsFailures().write = code == SQLITE_FULL ? code : SQLITE_OK;
    VfsFailures().sync = code == SQLITE_FULL ? SQLITE_OK : code;
  }
};

TEST_P(FailingStore, ChangesNothingUntilAWriteSucceeds) {
  const StoreDirectory directory;
  server::Registry registry({}, nullptr);
  const auto store = Open(directory.File("a"), FailingVfs());
  ASSERT_TRUE(Put("a", 1, &registry, store.get()).ok());
  const std::vector<std::string> before = NamesOf(store.get());

  Fail(GetParam());
  const absl::Status failed = Put("b", 2, &registry, store.get());
  EXPECT_EQ(failed.code(), GetParam() == SQLITE_FULL ? absl::StatusCode::kResourceExhausted
                                                     : absl::StatusCode::kUnavailable);
  EXPECT_FALSE(store->Probe().ok());
  EXPECT_EQ(NamesOf(store.get()), before);

  Fail(SQLITE_OK);
  EXPECT_TRUE(store->Probe().ok());
  ASSERT_TRUE(Put("c", 3, &registry, store.get()).ok());
  const std::vector<std::string> after = NamesOf(store.get());
  EXPECT_THAT(after,
              ElementsAre("a=" + Ball(1)->digest + "@1", "c=" + Ball(3)->digest + "@2", "2"));
  // What a process that is killed now leaves behind.
  std::filesystem::copy_file(directory.File("a"), directory.File("b"));
  std::filesystem::copy_file(directory.File("a-wal"), directory.File("b-wal"));
  EXPECT_EQ(NamesOf(Open(directory.File("b")).get()), after);
}

INSTANTIATE_TEST_SUITE_P(Codes, FailingStore, ::testing::Values(SQLITE_FULL, SQLITE_IOERR_FSYNC),
                         [](const auto& row) {
                           return row.param == SQLITE_FULL ? "DiskFull" : "SyncFails";
                         });

TEST(SqliteShapeStore, RefusesAFileThatIsNoDatabase) {
  const StoreDirectory directory;
  std::ofstream(directory.File("a")) << std::string(10'000, 'x');
  const absl::Status status = RefusalOf(directory.File("a"));
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("restore a backup"));
}

TEST(SqliteShapeStore, RefusesAndLeavesAloneAnotherProgramsDatabase) {
  const StoreDirectory directory;
  Execute(directory.File("a"), "CREATE TABLE theirs (x)");
  EXPECT_EQ(RefusalOf(directory.File("a")).code(), absl::StatusCode::kFailedPrecondition);
  auto database = Database::Open(directory.File("a"), OpenMode::kReadOnly);
  EXPECT_EQ(*database->QueryText("PRAGMA journal_mode"), "delete");
  EXPECT_EQ(*database->QueryNumber("SELECT count(*) FROM sqlite_master"), 1);
}

TEST(SqliteShapeStore, RefusesTheFileOfANewerServer) {
  const StoreDirectory directory;
  ASSERT_NE(Open(directory.File("a")), nullptr);
  Execute(directory.File("a"),
          "PRAGMA user_version = " + std::to_string(server::kSchemaVersion + 1));
  const absl::Status status = RefusalOf(directory.File("a"));
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("version " + std::to_string(server::kSchemaVersion + 1)));
}

// As a backup does that was begun before the server.
TEST(SqliteShapeStore, RefusesAtOnceWhileSomebodyReadsTheLogThatWasFound) {
  const StoreDirectory directory;
  server::Registry registry({}, nullptr);
  auto before = Open(directory.File("a"));
  ASSERT_TRUE(Put("a", 1, &registry, before.get()).ok());
  auto reader = Database::Open(directory.File("a"), OpenMode::kReadOnly);
  ASSERT_TRUE(reader->Execute("BEGIN").ok());
  ASSERT_EQ(*reader->QueryNumber("SELECT count(*) FROM names"), 1);
  before.reset();

  const int sleeps = VfsFailures().sleeps;
  const auto store = Open(directory.File("a"), FailingVfs());
  EXPECT_EQ(Put("b", 2, &registry, store.get()).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(VfsFailures().sleeps, sleeps);
  ASSERT_TRUE(reader->Execute("COMMIT").ok());
  EXPECT_TRUE(Put("b", 2, &registry, store.get()).ok());

  // Others who hold it for a moment are waited for as ever.
  EXPECT_EQ(VfsFailures().sleeps, sleeps);
  auto writer = Database::Open(directory.File("a"), OpenMode::kReadWrite);
  ASSERT_TRUE(writer->Execute("BEGIN IMMEDIATE").ok());
  EXPECT_EQ(Put("c", 3, &registry, store.get()).code(), absl::StatusCode::kUnavailable);
  EXPECT_GT(VfsFailures().sleeps, sleeps);
}

TEST(SqliteShapeStore, TellsAContentThatIsNotAsItWasWritten) {
  for (const char* change : {"shape = x'00'", "body = x'00'", "digest = 'another'"}) {
    const StoreDirectory directory;
    server::Registry registry({}, nullptr);
    ASSERT_TRUE(Put("a", 1, &registry, Open(directory.File("a")).get()).ok());
    Execute(directory.File("a"), std::string("UPDATE contents SET ") + change);
    const auto store = Open(directory.File("a"));
    const absl::Status status =
        store->ReadContents({}, [](const server::StoredContent&) { return absl::OkStatus(); });
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << change;
    EXPECT_THAT(std::string(status.message()), HasSubstr(directory.File("a")));
  }
}

TEST(SqliteShapeStore, TellsARowThatIsNotAsItWasWritten) {
  for (const char* change :
       {"names SET name = 'another' WHERE name = 'a'", "names SET revision = 1 WHERE name = 'b'",
        "names SET owner = 'bob' WHERE name = 'a'",
        "names SET digest = (SELECT digest FROM names WHERE name = 'b') WHERE name = 'a'",
        "registry SET revision = 3"}) {
    const StoreDirectory directory;
    server::Registry registry({}, nullptr);
    PutOwned("a", 1, "ann", &registry, Open(directory.File("a")).get());
    PutOwned("b", 2, "ann", &registry, Open(directory.File("a")).get());
    Execute(directory.File("a"), std::string("UPDATE ") + change);
    const absl::Status status = Open(directory.File("a"))->ReadNames().status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << change;
    EXPECT_THAT(std::string(status.message()),
                ::testing::AllOf(HasSubstr(directory.File("a")), HasSubstr("restore a backup")))
        << change;
  }
}

// Where the file has bytes other than 0 in the pages of the names and of the revision.
std::vector<std::size_t> BytesOfNames(const std::string& path) {
  std::vector<std::size_t> bytes;
  auto database = Database::Open(path, OpenMode::kReadOnly);
  const auto page_size = static_cast<std::size_t>(*database->QueryNumber("PRAGMA page_size"));
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  for (const char* const table : {"names", "registry"}) {
    const auto page = static_cast<std::size_t>(*database->QueryNumber(
        std::string("SELECT rootpage FROM sqlite_master WHERE name = '") + table + "'"));
    for (std::size_t at = (page - 1) * page_size; at < page * page_size; ++at) {
      if (content.at(at) != 0) bytes.push_back(at);
    }
  }
  return bytes;
}

void CopyWithAFlippedBit(const std::string& from, const std::string& to, std::size_t at) {
  std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing);
  std::fstream file(to, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(static_cast<std::streamoff>(at));
  const int byte = file.get();
  file.seekp(static_cast<std::streamoff>(at));
  file.put(static_cast<char>(byte ^ (1 << (at % 8))));
}

// A bit of every byte in turn: one that changes something is found at the start.
TEST(SqliteShapeStore, TakesNoNameWithAFlippedBitForGood) {
  const StoreDirectory directory;
  server::Registry registry({}, nullptr);
  {
    const auto store = Open(directory.File("a"));
    PutOwned("a", 1, "ann", &registry, store.get());
    PutOwned("b", 2, "bob", &registry, store.get());
  }
  const std::vector<std::string> names = NamesOf(Open(directory.File("a")).get());
  const std::vector<std::size_t> bytes = BytesOfNames(directory.File("a"));
  ASSERT_GT(bytes.size(), 250U);  // two names and a revision, with checksums
  int found = 0;
  for (const std::size_t at : bytes) {
    CopyWithAFlippedBit(directory.File("a"), directory.File("b"), at);
    const auto store = SqliteShapeStore::Open(directory.File("b"));
    const auto read = store.ok() ? (*store)->ReadNames() : store.status();
    if (read.ok()) {
      EXPECT_EQ(NamesOf(store->get()), names) << "byte " << at;
      continue;
    }
    EXPECT_THAT(std::string(read.status().message()), HasSubstr(directory.File("b")));
    ++found;
  }
  EXPECT_GT(found, 200);
}

// Every page in turn, so that the check of the whole file is what finds it, or the sums are.
TEST(SqliteShapeStore, TakesNoDamagedPageForGood) {
  const StoreDirectory directory;
  server::Registry registry({}, nullptr);
  {
    const auto store = Open(directory.File("a"));
    for (int k = 1; k <= 200; ++k) {
      ASSERT_TRUE(Put(("n" + std::to_string(k)).c_str(), k, &registry, store.get()).ok());
    }
  }
  constexpr int kPage = 4096;
  const auto size = std::filesystem::file_size(directory.File("a"));
  ASSERT_GT(size, 8 * kPage);
  const std::vector<std::string> names = NamesOf(Open(directory.File("a")).get());
  int found = 0;
  for (std::uintmax_t page = 0; page < size / kPage; ++page) {
    std::filesystem::copy_file(directory.File("a"), directory.File("b"),
                               std::filesystem::copy_options::overwrite_existing);
    std::fstream file(directory.File("b"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(page * kPage));
    file << std::string(kPage, '\xa5') << std::flush;
    const auto store = SqliteShapeStore::Open(directory.File("b"));
    const bool is_read =
        store.ok() && NamesOf(store->get()) == names && DigestsOf(**store, 1).size() == 200;
    found += is_read ? 0 : 1;
  }
  EXPECT_EQ(found, static_cast<int>(size / kPage));
}

}  // namespace
}  // namespace clearance::testing
