// SPDX-License-Identifier: Apache-2.0
//
// Where a target that reads files has them: in memory where there is such a place.

#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/fuzz/fuzz_check.h"

namespace clearance::fuzz {

// Whoever makes it removes it.
inline std::string MakeScratchDirectory() {
  std::string path = "/dev/shm/clearance_fuzz_XXXXXX";
  if (mkdtemp(path.data()) != nullptr) return path;
  path = "/tmp/clearance_fuzz_XXXXXX";
  Require(mkdtemp(path.data()) != nullptr, "there is a directory");
  return path;
}

inline void WriteFile(const std::string& path, const std::uint8_t* bytes, std::size_t size) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(size));
}

}  // namespace clearance::fuzz
