// SPDX-License-Identifier: Apache-2.0
//
// Contents to store, and directories to store them in.

#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/shape/make_shape.h"
#include "server/registry/registry.h"
#include "server/registry/shape_name.h"
#include "server/storage/shape_store.h"

namespace clearance::testing {

// A new empty directory that goes with its contents at the end.
class StoreDirectory {
 public:
  StoreDirectory() {
    std::string pattern = std::filesystem::temp_directory_path() / "clearance_store_XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~StoreDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  StoreDirectory(const StoreDirectory&) = delete;
  StoreDirectory& operator=(const StoreDirectory&) = delete;

  std::string path() const { return path_; }
  std::string File(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline server::ShapeContentPtr Ball(double radius) {
  const server::CanonicalContent canonical(1, radius);
  auto content = std::make_shared<server::ShapeContent>();
  content->digest = canonical.Digest();
  content->body = MakeBody(std::get<ConvexShapePtr>(MakePoint(radius)));
  content->serialized = "a ball of " + std::to_string(radius);
  return content;
}

// Registers a ball, or with a radius of 0 deletes the name, and stores that.
inline absl::Status Put(const char* name, double radius, server::Registry* registry,
                        server::ShapeStore* store) {
  server::RegistryDraft draft(registry);
  if (radius == 0) {
    EXPECT_TRUE(draft.Delete(name, "").ok());
  } else {
    EXPECT_TRUE(draft.Register(name, Ball(radius), {.replace = true, .validate_only = false}).ok());
  }
  const absl::Status status = store->Commit(draft.changes());
  if (status.ok()) draft.Apply();
  return status;
}

// "name=digest@revision" of every name, and " of OWNER" where it has one, then the registry's
// revision.
inline std::vector<std::string> NamesOf(server::ShapeStore* store) {
  std::vector<std::string> lines;
  const auto stored = store->ReadNames();
  EXPECT_TRUE(stored.ok()) << stored.status();
  if (!stored.ok()) return lines;
  for (const server::StoredName& name : stored->names) {
    lines.push_back(name.name + "=" + name.digest + "@" + std::to_string(name.revision) +
                    (name.owner.empty() ? "" : " of " + name.owner));
  }
  lines.push_back(std::to_string(stored->revision));
  return lines;
}

inline std::vector<std::string> DigestsOf(const server::ShapeStore& store, std::uint64_t parts) {
  std::vector<std::string> digests;
  for (std::uint64_t part = 0; part < parts; ++part) {
    EXPECT_TRUE(store
                    .ReadContents({.part = part, .parts = parts},
                                  [&](const server::StoredContent& content) {
                                    digests.emplace_back(content.digest);
                                    return absl::OkStatus();
                                  })
                    .ok());
  }
  return digests;
}

}  // namespace clearance::testing
