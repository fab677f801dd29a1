// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the store's file, and as its log (their first two bytes are its length,
// little-endian): a start refuses them and says what to do, or it has shapes with the content of
// their digests and scenes of such shapes, and the store answers whether it can be written.

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "clearance/v1/shape.pb.h"
#include "server/app/restore.h"
#include "server/convert/scene_change.h"
#include "server/convert/shape_content.h"
#include "server/registry/registry.h"
#include "server/registry/scene_registry.h"
#include "server/storage/sqlite_shape_store.h"
#include "tests/fuzz/byte_reader.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/fuzz/quiet_protobuf.h"
#include "tests/fuzz/scratch_directory.h"

namespace clearance::fuzz {
namespace {

// The database with the files that SQLite puts beside it; goes with them at the process's end.
class Files {
 public:
  ~Files() {
    Remove();
    rmdir(directory_.c_str());
  }

  void Write(ByteReader& data) const {
    Remove();
    std::size_t log_size = data.Take<std::uint16_t>();
    const std::uint8_t* const log = data.TakeBytes(&log_size);
    if (log_size > 0) WriteFile(path_ + "-wal", log, log_size);
    std::size_t size = SIZE_MAX;
    const std::uint8_t* const database = data.TakeBytes(&size);
    WriteFile(path_, database, size);
  }
  const std::string& path() const { return path_; }

 private:
  void Remove() const {
    for (const char* const suffix : {"", "-wal", "-shm", "-journal"})
      unlink((path_ + suffix).c_str());
  }

  const std::string directory_ = MakeScratchDirectory();
  const std::string path_ = directory_ + "/db";
};

void CheckContents(const server::Registry& registry) {
  for (const server::NamedShape& named : registry.List("", "", SIZE_MAX).shapes) {
    v1::Shape shape;
    Require(shape.ParseFromString(named.content->serialized), "a content is a shape");
    Require(server::DigestOf(shape) == named.content->digest, "a content has its digest");
    Require(named.content->body != nullptr, "a content has its body");
  }
}

void CheckScenes(server::SceneRegistry& scenes, const server::Registry& registry) {
  for (const server::SceneState& state : scenes.List("", "", SIZE_MAX).scenes) {
    Require(state.revision > 0 && !state.ttl.has_value(), "a kept scene has a revision");
    v1::SceneChange whole;
    Require(whole.ParseFromString(server::SerializeWhole(*state.scene)), "a scene can be told");
    for (const v1::ShapeReference& shape : whole.bodies().shapes())
      Require(registry.FindContent(shape.digest()) != nullptr, "a scene's shapes are registered");
  }
}

void FuzzStoreFile(ByteReader& data) {
  static const Files files;
  files.Write(data);
  const auto store = server::SqliteShapeStore::Open(files.path());
  if (!store.ok()) return Require(!store.status().message().empty(), "a refusal says why");
  server::Registry registry({}, nullptr);
  constexpr int kThreads = 1;
  const absl::Status restored = server::RestoreShapes(kThreads, store->get(), &registry);
  if (!restored.ok()) return Require(!restored.message().empty(), "a refusal says why");
  CheckContents(registry);
  server::SceneRegistry scenes({}, nullptr);
  const absl::Status scenes_restored = server::RestoreScenes(store->get(), registry, &scenes);
  if (!scenes_restored.ok()) return Require(!scenes_restored.message().empty(), "likewise");
  CheckScenes(scenes, registry);
  const absl::Status probed = (*store)->Probe();
  Require(probed.ok() || !probed.message().empty(), "a refusal says why");
}

}  // namespace
}  // namespace clearance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  clearance::fuzz::ByteReader data(bytes, size);
  clearance::fuzz::FuzzStoreFile(data);
  return 0;
}
