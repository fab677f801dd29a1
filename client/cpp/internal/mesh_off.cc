// SPDX-License-Identifier: Apache-2.0
//
// Object File Format: counts, points and polygons, a line each.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "internal/mesh_content.h"

namespace clearance::client::internal {
namespace {

// With colours (C), normals (N) and texture coordinates (ST) behind the coordinates of each point.
constexpr absl::string_view kHeads[] = {"OFF",   "COFF",   "NOFF",   "CNOFF",
                                        "STOFF", "STCOFF", "STNOFF", "STCNOFF"};
constexpr std::size_t kMostNumbersOfAPoint = 12;

class OffReader {
 public:
  OffReader(absl::string_view text, MeshContent* content, MeshFault* fault)
      : lines_(text), content_(*content), fault_(fault) {}

  bool Read() {
    if (!ReadCounts()) return false;
    for (std::uint64_t i = 0; i < points_; ++i) {
      if (!Next(absl::StrCat("point ", i, " of ", points_)) || !AddPoint()) return false;
    }
    for (std::uint64_t i = 0; i < faces_; ++i) {
      if (!Next(absl::StrCat("face ", i, " of ", faces_)) || !AddOffFace()) return false;
    }
    if (lines_.NextStatement({}, &line_)) {
      return fault_->AtLine(line_.number,
                            "the file goes on behind the last of the faces that it announces");
    }
    return RequirePoints(content_, MeshPlace::kLine, 0, fault_);
  }

 private:
  bool Next(absl::string_view wanted) {
    const std::uint64_t last = line_.number;
    return lines_.NextStatement({}, &line_) ||
           fault_->AtLine(last, absl::StrCat("the file ends where ", wanted, " must stand"));
  }

  bool ReadCounts() {
    if (!Next("OFF")) return false;
    const absl::string_view head = line_.words.front();
    if (std::find(std::begin(kHeads), std::end(kHeads), head) == std::end(kHeads)) {
      return fault_->AtLine(line_.number, absl::StrCat(QuotedWord(head), " must be OFF"));
    }
    line_.words.erase(line_.words.begin());
    if (line_.words.empty() && !Next("the counts")) return false;
    if (line_.words.size() != 3) {
      return fault_->AtLine(
          line_.number,
          absl::StrCat(line_.words.size(), " counts: must be 3, of points, faces and edges"));
    }
    std::uint64_t edges = 0;
    return ReadCount(line_, line_.words[0], &points_, fault_) &&
           ReadCount(line_, line_.words[1], &faces_, fault_) &&
           ReadCount(line_, line_.words[2], &edges, fault_);
  }

  bool AddPoint() {
    const std::size_t numbers = line_.words.size();
    if (numbers < 3 || numbers > kMostNumbersOfAPoint) {
      return fault_->AtLine(
          line_.number,
          absl::StrCat("a point has ", numbers, " numbers: must be 3 to ", kMostNumbersOfAPoint));
    }
    std::vector<double> values(numbers);
    for (std::size_t i = 0; i < numbers; ++i) {
      if (!ReadReal(line_, line_.words[i], &values[i], fault_)) return false;
    }
    if (!RequireWhole(line_, fault_)) return false;
    content_.points.insert(content_.points.end(), values.begin(), values.begin() + 3);
    return true;
  }

  bool AddOffFace() {
    std::uint64_t count = 0;
    if (!ReadCount(line_, line_.words[0], &count, fault_)) return false;
    if (line_.words.size() - 1 < count) {
      return fault_->AtLine(line_.number, absl::StrCat("a face of ", count, " corners names ",
                                                       line_.words.size() - 1));
    }
    std::vector<std::int64_t> corners(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (!ReadWhole(line_, line_.words[1 + i], &corners[i], fault_)) return false;
    }
    double colour = 0;
    for (std::size_t i = 1 + count; i < line_.words.size(); ++i) {
      if (!ReadReal(line_, line_.words[i], &colour, fault_)) return false;
    }
    const bool ends_with_index = count > 0 && line_.words.size() == 1 + count;
    if (ends_with_index && !RequireWholeIndex(line_, corners.back(), points_, fault_)) return false;
    return AddFace(corners, {MeshPlace::kLine, line_.number}, &content_.faces, fault_);
  }

  MeshLines lines_;
  MeshContent& content_;
  MeshFault* const fault_;
  MeshLine line_;
  std::uint64_t points_ = 0;  // announced
  std::uint64_t faces_ = 0;
};

}  // namespace

bool ReadOff(absl::string_view text, MeshContent* content, MeshFault* fault) {
  return OffReader(text, content, fault).Read();
}

}  // namespace clearance::client::internal
