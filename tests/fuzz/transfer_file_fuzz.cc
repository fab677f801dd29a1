// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a file of `clearance export`: refused with the path, or read item by item, each
// refused with its line or one that is the same again when it is written.

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "client/cli/transfer_file.h"
#include "internal/scene_convert.h"
#include "internal/shape_convert.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/fuzz/quiet_protobuf.h"
#include "tests/fuzz/scratch_directory.h"

namespace clearance::fuzz {
namespace {

constexpr std::size_t kMostItems = 64;

// The file that is read and the one that is written; they go at the process's end.
struct Files {
  ~Files() {
    unlink(given.c_str());
    unlink(written.c_str());
    rmdir(directory.c_str());
  }

  const std::string directory = MakeScratchDirectory();
  const std::string given = directory + "/given";
  const std::string written = directory + "/written";
};

std::string BytesOf(const client::TransferShape& item) {
  v1::Shape proto;
  client::ToProto(item.shape, &proto);
  return item.name + "\n" + item.digest + "\n" + proto.SerializeAsString();
}

std::string BytesOf(const client::TransferScene& item) {
  v1::SceneChange proto;
  client::ToProto(item.content, &proto);
  return item.name + "\n" + proto.SerializeAsString();
}

std::string BytesOf(const client::TransferItem& item) {
  return std::visit([](const auto& kind) { return BytesOf(kind); }, item);
}

// All that can be read. A line that is refused leaves the ones after it.
std::vector<client::TransferItem> ReadItems(const std::string& path) {
  std::vector<client::TransferItem> items;
  auto reader = client::TransferReader::Open(path);
  if (!reader.ok()) {
    Require(absl::StrContains(reader.status().message(), path), "a refusal names the file");
    return items;
  }
  while (items.size() < kMostItems) {
    auto item = reader->Next();
    if (absl::IsOutOfRange(item.status())) break;
    if (item.ok()) {
      items.push_back(*std::move(item));
    } else {
      Require(absl::StrContains(item.status().message(), path + ":"), "a refusal names the line");
    }
  }
  Require(reader->bytes_read() <= reader->bytes() + 1, "no more is read than is there");
  return items;
}

void FuzzTransferFile(const std::uint8_t* bytes, std::size_t size) {
  static const Files files;
  WriteFile(files.given, bytes, size);
  const auto items = ReadItems(files.given);
  client::TransferWriter writer(files.written);
  for (const client::TransferItem& item : items)
    std::visit([&writer](const auto& kind) { writer.Write(kind); }, item);
  Require(writer.Finish().ok(), "what was read can be written");
  const auto again = ReadItems(files.written);
  Require(again.size() == items.size(), "no item more or less");
  for (std::size_t i = 0; i < items.size(); ++i)
    Require(BytesOf(again[i]) == BytesOf(items[i]), "an item is the same again");
}

}  // namespace
}  // namespace clearance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  clearance::fuzz::FuzzTransferFile(bytes, size);
  return 0;
}
