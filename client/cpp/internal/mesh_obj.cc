// SPDX-License-Identifier: Apache-2.0
//
// Wavefront OBJ: points, polygons, and the objects or groups that they belong to.
#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "internal/mesh_content.h"

namespace clearance::client::internal {
namespace {

// The statements of numbers, which a backslash may continue.
constexpr absl::string_view kNumbers[] = {"v", "vn", "vt", "vp", "f", "l", "p"};
// Those without a bearing on points and faces.
constexpr absl::string_view kIgnored[] = {
    "vn",     "vt", "vp",  "l",     "p",        "s",        "usemtl",     "mtllib",   "usemap",
    "maplib", "mg", "lod", "bevel", "c_interp", "d_interp", "shadow_obj", "trace_obj"};

// Takes the whole number that a text begins with, if it begins with one.
bool TakeIndex(absl::string_view* text, std::int64_t* index) {
  const std::size_t sign = absl::StartsWith(*text, "-") ? 1 : 0;
  const std::size_t end = std::min(text->find_first_not_of("0123456789", sign), text->size());
  if (!ParseWhole(text->substr(0, end), index)) return false;
  text->remove_prefix(end);
  return true;
}

// v, v/vt, v//vn or v/vt/vn: the v.
bool ParseCorner(absl::string_view word, std::int64_t* point) {
  if (!TakeIndex(&word, point)) return false;
  std::int64_t ignored = 0;
  for (int i = 0; i < 2 && absl::ConsumePrefix(&word, "/"); ++i) TakeIndex(&word, &ignored);
  return word.empty();
}

class ObjReader {
 public:
  ObjReader(MeshContent* content, MeshFault* fault) : content_(*content), fault_(fault) {}

  bool Take(const MeshLine& line) {
    const absl::string_view word = line.words.front();
    if (word == "v") return AddPoint(line);
    if (word == "f") return AddObjFace(line);
    if (word == "o" || word == "g") {
      (word == "o" ? object_ : group_) =
          absl::StrJoin(line.words.begin() + 1, line.words.end(), " ");
      return true;
    }
    if (std::find(std::begin(kIgnored), std::end(kIgnored), word) != std::end(kIgnored)) {
      return true;
    }
    return fault_->AtLine(line.number,
                          absl::StrCat(QuotedWord(word), " is not a statement that is read"));
  }

  // Objects are the parts, and where there are none groups.
  bool Finish() {
    bool has_objects = false;
    for (const auto& [object, group] : owners_) has_objects = has_objects || !object.empty();
    std::map<std::string, std::uint32_t> numbers;
    MeshFaces& faces = content_.faces;
    faces.names.clear();
    for (std::size_t i = 0; i < owners_.size(); ++i) {
      const std::string& name = has_objects ? owners_[i].first : owners_[i].second;
      const auto next = static_cast<std::uint32_t>(faces.names.size());
      const auto [at, is_new] = numbers.try_emplace(name, next);
      if (is_new) faces.names.push_back(name);
      faces.parts[i] = at->second;
    }
    return RequirePoints(content_, MeshPlace::kLine, 1, fault_);
  }

 private:
  bool AddPoint(const MeshLine& line) {
    const std::size_t count = line.words.size() - 1;
    const bool is_point = count == 3 || count == 4 || count == 6 || count == 7;
    if (!is_point) {
      return fault_->AtLine(line.number,
                            absl::StrCat("a point has ", count, " numbers: must be 3, 4, 6 or 7"));
    }
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (!ReadReal(line, line.words[1 + i], &values[i], fault_)) return false;
    }
    if (count == 4 && values[3] != 1) {
      return fault_->AtLine(line.number, absl::StrCat("a point has the weight ",
                                                      QuotedWord(line.words[4]), ": must be 1"));
    }
    if (!RequireWhole(line, fault_)) return false;
    content_.points.insert(content_.points.end(), values.begin(), values.begin() + 3);
    return true;
  }

  bool AddObjFace(const MeshLine& line) {
    std::vector<std::int64_t> corners;
    std::int64_t named = 0;
    for (std::size_t i = 1; i < line.words.size(); ++i) {
      if (!ReadCorner(line, line.words[i], &named)) return false;
      corners.push_back(named > 0 ? named - 1 : point_count() + named);
    }
    if (!AddFace(corners, {MeshPlace::kLine, line.number}, &content_.faces, fault_)) return false;
    owners_.emplace_back(object_, group_);
    return absl::StrContains(line.words.back(), '/') ||
           RequireWholeIndex(line, named, static_cast<std::uint64_t>(point_count()), fault_);
  }

  bool ReadCorner(const MeshLine& line, absl::string_view word, std::int64_t* named) {
    if (!ParseCorner(word, named)) {
      return fault_->AtLine(line.number, absl::StrCat(QuotedWord(word),
                                                      " must be a corner: v, v/vt, v//vn or "
                                                      "v/vt/vn"));
    }
    if (*named != 0 && *named >= -point_count()) return true;
    return NoSuchPoint({MeshPlace::kLine, line.number}, *named,
                       {static_cast<std::uint64_t>(point_count()), 1}, fault_);
  }

  std::int64_t point_count() const { return static_cast<std::int64_t>(content_.points.size() / 3); }

  MeshContent& content_;
  MeshFault* const fault_;
  std::string object_;
  std::string group_;
  std::vector<std::pair<std::string, std::string>> owners_;  // object and group of each face
};

}  // namespace

bool ReadObj(absl::string_view text, MeshContent* content, MeshFault* fault) {
  MeshLines lines(text);
  ObjReader reader(content, fault);
  for (MeshLine line; lines.NextStatement(kNumbers, &line);) {
    if (!reader.Take(line)) return false;
  }
  return reader.Finish();
}

}  // namespace clearance::client::internal
