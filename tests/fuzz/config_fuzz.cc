// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a config file: refused with the file and the line, or read into settings that are
// refused with a reason or are a configuration; and whatever the flags then say, they say again
// when they are set to it.

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/flags/reflection.h"
#include "absl/strings/match.h"
#include "server/config/command_line.h"
#include "server/config/flags.h"
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
  const absl::FlagSaver before;
  file.Write(bytes, size);
  const absl::Status read = server::ReadConfigFile(file.path());
  if (!read.ok()) {
    Require(read.code() == absl::StatusCode::kInvalidArgument &&
                absl::StrContains(read.message(), file.path()),
            "a refusal names the file");
    return;
  }
  const auto config = server::ConfigFromFlags();
  if (!config.ok()) return Require(!config.status().message().empty(), "a refusal says why");
  const auto values = server::FlagValues();
  for (const auto& [name, value] : values)
    Require(server::SetFlagByName(name, value).ok(), "what a flag says can be set");
  Require(server::FlagValues() == values, "what a flag says is what it was set to");
}

}  // namespace
}  // namespace clearance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  clearance::fuzz::FuzzConfig(bytes, size);
  return 0;
}
