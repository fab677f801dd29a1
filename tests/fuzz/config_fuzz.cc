// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a config file: refused with the file and the line, or read into settings that are
// refused with a reason or are a configuration; and what a setting then prints, it prints again
// when it is set to it.

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/match.h"
#include "server/config/command_line.h"
#include "server/config/settings.h"
#include "tests/fuzz/fuzz_check.h"

namespace clearance::fuzz {
namespace {

// A file without a directory.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("config", MFD_CLOEXEC)) {}
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void Write(const std::uint8_t* bytes, std::size_t size) const {
    Require(ftruncate(descriptor_, 0) == 0, "a file is emptied");
    Require(pwrite(descriptor_, bytes, size, 0) == static_cast<ssize_t>(size), "a file is written");
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  const int descriptor_;
};

void FuzzConfig(const std::uint8_t* bytes, std::size_t size) {
  static const MemoryFile& file = *new MemoryFile;
  server::ServerConfig config;
  file.Write(bytes, size);
  const absl::Status read = server::ReadConfigFile(file.path(), &config);
  if (!read.ok()) {
    Require(read.code() == absl::StatusCode::kInvalidArgument &&
                absl::StrContains(read.message(), file.path()),
            "a refusal names the file");
    return;
  }
  const absl::Status together = server::CheckTogether(config);
  if (!together.ok()) return Require(!together.message().empty(), "a refusal says why");
  for (const server::Setting& setting : server::AllSettings()) {
    const std::string value = setting.print(config);
    Require(setting.parse(value, &config), "what a setting prints can be set");
    Require(setting.print(config) == value, "what a setting prints is what it was set to");
  }
}

}  // namespace
}  // namespace clearance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  clearance::fuzz::FuzzConfig(bytes, size);
  return 0;
}
