// SPDX-License-Identifier: Apache-2.0

#include "tests/hammer/model_disk.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace clearance::hammer {
namespace {

// Disks write these whole or not at all.
constexpr std::uint64_t kSector = 512;

void Place(std::uint64_t offset, std::string_view bytes, std::string* file) {
  if (file->size() < offset + bytes.size()) file->resize(offset + bytes.size());
  std::copy(bytes.begin(), bytes.end(), file->begin() + static_cast<std::ptrdiff_t>(offset));
}

bool IsKept(Loss loss, testing::Random* random) {
  return loss == Loss::kNothing || (loss == Loss::kSomeUnsynced && random->OneIn(2));
}

}  // namespace

void ModelDisk::Begin(const std::string& directory) {
  const std::lock_guard lock(mutex_);
  directory_ = directory;
  files_.clear();
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    std::ifstream in(entry.path(), std::ios::binary);
    File& file = files_[entry.path().filename()];
    file.is_there = true;
    file.synced.assign(std::istreambuf_iterator<char>(in), {});
  }
}

ModelDisk::File* ModelDisk::Find(const std::string& path) {
  const std::filesystem::path parts = path;
  if (parts.parent_path() != directory_) return nullptr;
  File& file = files_[parts.filename()];
  // Made anew under a name whose deletion was not synced.
  if (file.is_deleted) {
    std::string before = std::move(file.synced);
    file = {};
    file.before = std::move(before);
  }
  return &file;
}

void ModelDisk::SyncNames() {
  std::erase_if(files_, [](const auto& entry) { return entry.second.is_deleted; });
  for (auto& [name, file] : files_) {
    file.is_there = true;
    file.before.reset();
  }
}

void ModelDisk::Write(const std::string& path, std::uint64_t offset, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  File* const file = Find(path);
  if (file == nullptr) return;
  file->unsynced.push_back({.is_cut = false, .offset = offset, .bytes = std::string(bytes)});
}

void ModelDisk::Truncate(const std::string& path, std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  File* const file = Find(path);
  if (file == nullptr) return;
  file->unsynced.push_back({.is_cut = true, .offset = size, .bytes = ""});
}

void ModelDisk::Sync(const std::string& path) {
  const std::lock_guard lock(mutex_);
  File* const file = Find(path);
  if (file == nullptr) return;
  file->synced = BytesAfter(*file, Loss::kNothing, nullptr);
  file->unsynced.clear();
  // The default layer syncs the directory at the first sync of a log that it made.
  if (!file->is_there) SyncNames();
}

void ModelDisk::LoseUnsynced(const std::string& path) {
  const std::lock_guard lock(mutex_);
  File* const file = Find(path);
  if (file != nullptr) file->unsynced.clear();
}

void ModelDisk::Delete(const std::string& path, bool is_synced) {
  const std::lock_guard lock(mutex_);
  File* const file = Find(path);
  if (file == nullptr) return;
  file->is_deleted = true;
  if (is_synced) SyncNames();
}

std::string ModelDisk::BytesAfter(const File& file, Loss loss, testing::Random* random) {
  std::string bytes = file.synced;
  for (const Step& step : file.unsynced) {
    if (step.is_cut) {
      if (IsKept(loss, random)) bytes.resize(step.offset);
      continue;
    }
    for (std::uint64_t at = 0; at < step.bytes.size();) {
      const std::uint64_t end = (step.offset + at) / kSector * kSector + kSector - step.offset;
      const std::string_view sector = std::string_view(step.bytes).substr(at, end - at);
      if (IsKept(loss, random)) Place(step.offset + at, sector, &bytes);
      at += sector.size();
    }
  }
  return bytes;
}

void ModelDisk::WriteAfter(Loss loss, testing::Random* random, const std::string& directory) {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, file] : files_) {
    // Of a file that was made, or deleted, and whose directory was not synced.
    if (file.is_deleted && IsKept(loss, random)) continue;
    const bool is_new_lost = !file.is_there && !IsKept(loss, random);
    if (is_new_lost && !file.before) continue;
    std::ofstream(std::filesystem::path(directory) / name, std::ios::binary)
        << (is_new_lost ? *file.before : BytesAfter(file, loss, random));
  }
}

}  // namespace clearance::hammer
