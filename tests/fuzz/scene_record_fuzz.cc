// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the records that a store has of scenes, past its checksums: a start refuses them and
// says why, or it has scenes that, each told whole in one record, are the same again.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/shape/make_shape.h"
#include "server/app/restore.h"
#include "server/convert/scene_change.h"
#include "server/registry/registry.h"
#include "tests/fuzz/byte_reader.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/fuzz/quiet_protobuf.h"

namespace clearance::fuzz {
namespace {

using Scenes = std::vector<server::SceneRegistry::Kept>;

constexpr std::size_t kMaxRecords = 8;

// A store of nothing but these.
class Records final : public server::ShapeSource {
 public:
  explicit Records(std::vector<server::SceneRecord> records) : records_(std::move(records)) {}

  absl::StatusOr<server::StoredNames> ReadNames() override { return server::StoredNames(); }
  absl::Status ReadContents(const Part& /*part*/, const Visit& /*visit*/) const override {
    return absl::OkStatus();
  }
  absl::Status ReadScenes(const VisitRecord& visit) override {
    for (const server::SceneRecord& record : records_) {
      if (absl::Status status = visit(record); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  const std::vector<server::SceneRecord> records_;
};

// The registered shapes "ball 1" and "ball 2"; all others are gone.
server::ShapeContentPtr Find(const std::string& digest) {
  static const std::array<server::ShapeContentPtr, 2>& balls = *[] {
    auto* const made = new std::array<server::ShapeContentPtr, 2>;
    for (std::size_t i = 0; i < made->size(); ++i) {
      auto content = std::make_shared<server::ShapeContent>();
      content->digest = "ball " + std::to_string(i + 1);
      content->body = MakeBody(std::get<ConvexShapePtr>(MakePoint(1. + static_cast<double>(i))));
      (*made)[i] = content;
    }
    return made;
  }();
  for (const server::ShapeContentPtr& ball : balls) {
    if (ball->digest == digest) return ball;
  }
  return nullptr;
}

// Numbers of a few values, so that records follow on each other.
std::vector<server::SceneRecord> TakeRecords(ByteReader& data) {
  constexpr std::array<const char*, 4> kNames = {"a", "b", "", "Not/A Name"};
  std::vector<server::SceneRecord> records;
  while (!data.empty() && records.size() < kMaxRecords) {
    server::SceneRecord& record = records.emplace_back();
    record.name = kNames[static_cast<std::size_t>(data.TakeBelow(kNames.size()))];
    record.incarnation = static_cast<std::uint64_t>(data.TakeBelow(2));
    record.revision = static_cast<std::uint64_t>(data.TakeBelow(4));
    record.is_whole = data.TakeBelow(2) != 0;
    std::size_t size = data.Take<std::uint16_t>();
    const std::uint8_t* const change = data.TakeBytes(&size);
    record.change.assign(change, change + size);
  }
  return records;
}

// What a server writes of a scene that it has.
Scenes ReadAgain(const Scenes& scenes, server::SceneContents* again) {
  std::vector<server::SceneRecord> whole;
  for (const auto& stored : scenes) {
    whole.push_back({.name = stored.name,
                     .incarnation = stored.incarnation,
                     .revision = stored.revision,
                     .is_whole = true,
                     .owner = stored.owner,
                     .change = server::SerializeWhole(*stored.scene)});
  }
  Records store(std::move(whole));
  auto read = server::ReadStoredScenes(&store, Find, again);
  Require(read.ok(), "what is written of a scene can be read");
  return *std::move(read);
}

void FuzzRecords(ByteReader& data) {
  Records store(TakeRecords(data));
  server::SceneContents contents;
  const auto scenes = server::ReadStoredScenes(&store, Find, &contents);
  if (!scenes.ok()) return Require(!scenes.status().message().empty(), "a refusal says why");
  server::SceneContents contents_again;
  const Scenes again = ReadAgain(*scenes, &contents_again);
  Require(again.size() == scenes->size(), "no scene more or less");
  for (std::size_t i = 0; i < again.size(); ++i) {
    const auto& scene = (*scenes)[i];
    Require(again[i].name == scene.name && again[i].revision == scene.revision &&
                again[i].incarnation == scene.incarnation,
            "a scene keeps its name and its revision");
    Require(server::SerializeWhole(*again[i].scene) == server::SerializeWhole(*scene.scene),
            "a scene is the same again");
  }
}

}  // namespace
}  // namespace clearance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  clearance::fuzz::ByteReader data(bytes, size);
  clearance::fuzz::FuzzRecords(data);
  return 0;
}
