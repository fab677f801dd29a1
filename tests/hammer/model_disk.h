// SPDX-License-Identifier: Apache-2.0
//
// Files as a disk keeps them: what was synced for certain, what was only written perhaps, sector by
// sector.

#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/hammer/fault_vfs.h"
#include "tests/support/random.h"

namespace clearance::hammer {

// Knows the files of one directory. Thread-safe.
class ModelDisk {
 public:
  void Begin(const std::string& directory);
  void Write(const std::string& path, std::uint64_t offset, std::string_view bytes);
  void Truncate(const std::string& path, std::uint64_t size);
  void Sync(const std::string& path);
  // A sync that failed: what it was for is forgotten, as page caches do.
  void LoseUnsynced(const std::string& path);
  void Delete(const std::string& path, bool is_synced);
  void WriteAfter(Loss loss, testing::Random* random, const std::string& directory);

 private:
  // A write, or with `is_cut` a new size.
  struct Step {
    bool is_cut = false;
    std::uint64_t offset = 0;
    std::string bytes;
  };
  struct File {
    bool is_there = false;              // under its name, for certain
    bool is_deleted = false;            // but for a loss of power
    std::optional<std::string> before;  // what had the name, and may have it again
    std::string synced;
    std::vector<Step> unsynced;
  };

  // Null: the file is in another directory.
  File* Find(const std::string& path);
  void SyncNames();
  static std::string BytesAfter(const File& file, Loss loss, testing::Random* random);

  std::mutex mutex_;  // guards the next two
  std::string directory_;
  std::map<std::string, File> files_;  // by the last part of their path
};

}  // namespace clearance::hammer
