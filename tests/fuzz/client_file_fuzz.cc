// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the other files that the command line reads: a scene, poses of meshes, questions as
// CSV, JSON lines or an array of NumPy; the first byte says which. Refused with a reason, or read
// into rows whose columns fit together.

#include <array>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "client/cli/places_file.h"
#include "client/cli/question_file.h"
#include "client/cli/scene_file.h"
#include "tests/fuzz/byte_reader.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/fuzz/quiet_protobuf.h"

namespace clearance::fuzz {
namespace {

constexpr std::size_t kMostRows = 256;

void FuzzScene(const std::string& text) {
  const auto change = client::ParseSceneChange(text);
  if (!change.ok()) return Require(!change.status().message().empty(), "a refusal says why");
  const std::string told = client::FormatSceneChange(*change);
  const auto again = client::ParseSceneChange(told);
  Require(again.ok() && client::FormatSceneChange(*again) == told, "a scene is the same again");
}

void FuzzPoses(const std::string& text) {
  const auto places = client::ParsePlaces(text);
  if (!places.ok()) return Require(!places.status().message().empty(), "a refusal says why");
  const client::SceneBodies& bodies = places->content.bodies;
  const std::size_t count = bodies.count;
  Require(bodies.ids.size() == count && bodies.shape_slots.size() == count &&
              bodies.poses.size() == 7 * count && bodies.margins.size() == count,
          "a row for each body");
  for (const std::uint32_t slot : bodies.shape_slots)
    Require(slot < bodies.shapes.size(), "a body has its shape");
}

void CheckRow(const client::QuestionLayout& layout, const client::QuestionRow& row) {
  Require(!row.place.empty(), "a row says where it is");
  if (row.fault.has_value()) {
    // (The field may be empty: a member of JSON that nobody knows may have an empty name.)
    return Require(!row.fault->limit.empty() && !row.fault->message.empty(), "and what is wrong");
  }
  Require(row.numbers.size() == layout.fields.size(), "numbers of each field");
  for (std::size_t i = 0; i < row.numbers.size(); ++i) {
    const std::size_t size = row.numbers[i].size();
    Require(size == 0 || size == layout.fields[i].width, "all numbers of a field, or none");
  }
}

void FuzzQuestions(client::QuestionFormat format, const std::string& text) {
  const client::QuestionLayout layout = {
      .format = format,
      .fields = {{"pose_a", 7}, {"pose_b", 7}, {"max_distance", 1}},
      .columns = {"pose_b", "max_distance"}};
  std::istringstream file(text);
  const auto reader = client::OpenQuestions(layout, &file);
  if (!reader.ok()) return Require(!reader.status().message().empty(), "a refusal says why");
  for (std::size_t i = 0; i < kMostRows; ++i) {
    const auto row = (*reader)->Next();
    if (!row.ok()) return Require(!row.status().message().empty(), "an end says why");
    CheckRow(layout, *row);
  }
}

}  // namespace
}  // namespace clearance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace clearance;  // NOLINT(google-build-using-namespace): outside of it by its linkage
  using Format = client::QuestionFormat;
  if (size == 0) return 0;
  const std::string text(bytes + 1, bytes + size);
  switch (bytes[0] % 5) {
    case 0:
      fuzz::FuzzScene(text);
      break;
    case 1:
      fuzz::FuzzPoses(text);
      break;
    case 2:
      fuzz::FuzzQuestions(Format::kCsv, text);
      break;
    case 3:
      fuzz::FuzzQuestions(Format::kJsonLines, text);
      break;
    default:
      fuzz::FuzzQuestions(Format::kNpy, text);
  }
  return 0;
}
