// SPDX-License-Identifier: Apache-2.0
//
// STL, text and binary: triangles, each with the coordinates of its corners.
#include <cmath>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "internal/mesh_bytes.h"
#include "internal/mesh_content.h"

namespace clearance::client::internal {
namespace {

constexpr std::size_t kHeadBytes = 84;  // with the count of triangles
constexpr std::size_t kFacetBytes = 50;
constexpr std::size_t kNormalBytes = 12;

// A triangle of the last three points.
void AddTriangle(std::uint64_t place, std::uint32_t part, MeshContent* content) {
  MeshFaces& faces = content->faces;
  const auto end = static_cast<std::int64_t>(content->points.size() / 3);
  faces.corners.insert(faces.corners.end(), {end - 3, end - 2, end - 1});
  faces.counts.push_back(3);
  faces.places.push_back(place);
  faces.parts.push_back(part);
}

bool RequireTriangles(const MeshContent& content, MeshFault* fault) {
  return !content.faces.counts.empty() || fault->Set("the file has no triangles");
}

// Statement by statement: what must stand next is what tells that a file was cut.
class TextReader {
 public:
  TextReader(MeshContent* content, MeshFault* fault) : content_(*content), fault_(fault) {
    content_.faces.names.clear();
  }

  bool Take(const MeshLine& line) {
    if (!IsWanted(line)) {
      return fault_->AtLine(line.number, absl::StrCat(QuotedWord(line.words[0]), " stands where '",
                                                      wanted_, "' must stand"));
    }
    if (wanted_ == "solid") {
      content_.faces.names.push_back(absl::StrJoin(line.words.begin() + 1, line.words.end(), " "));
      wanted_ = "endsolid";
    } else if (wanted_ == "endsolid") {
      wanted_ = absl::EqualsIgnoreCase(line.words[0], "endsolid") ? "solid" : "outer loop";
    } else if (wanted_ == "outer loop") {
      wanted_ = "vertex";
      corners_ = 0;
      place_ = line.number;
    } else if (wanted_ == "vertex") {
      return AddCorner(line);
    } else {
      wanted_ = wanted_ == "endloop" ? "endfacet" : "endsolid";
    }
    return true;
  }

  bool Finish(std::uint64_t last) {
    if (wanted_ != "solid") {
      return fault_->AtLine(last, absl::StrCat("the file ends where '", wanted_, "' must stand"));
    }
    return RequireTriangles(content_, fault_);
  }

 private:
  bool IsWanted(const MeshLine& line) const {
    const auto is = [&line](absl::string_view word) {
      return absl::EqualsIgnoreCase(line.words[0], word);
    };
    if (wanted_ == "endsolid") return is("facet") || is("endsolid");
    if (wanted_ == "outer loop") {
      return is("outer") && line.words.size() == 2 && absl::EqualsIgnoreCase(line.words[1], "loop");
    }
    const bool is_one_word = wanted_ == "endloop" || wanted_ == "endfacet";
    return is(wanted_) && (!is_one_word || line.words.size() == 1);
  }

  bool AddCorner(const MeshLine& line) {
    if (line.words.size() != 4) {
      return fault_->AtLine(
          line.number, absl::StrCat("a vertex has ", line.words.size() - 1, " numbers: must be 3"));
    }
    double values[3];
    for (int i = 0; i < 3; ++i) {
      if (!ReadReal(line, line.words[1 + i], &values[i], fault_)) return false;
    }
    content_.points.insert(content_.points.end(), std::begin(values), std::end(values));
    if (++corners_ < 3) return true;
    AddTriangle(place_, static_cast<std::uint32_t>(content_.faces.names.size() - 1), &content_);
    wanted_ = "endloop";
    return true;
  }

  MeshContent& content_;
  MeshFault* const fault_;
  absl::string_view wanted_ = "solid";
  int corners_ = 0;
  std::uint64_t place_ = 0;  // of the triangle
};

bool ReadText(absl::string_view text, MeshContent* content, MeshFault* fault) {
  MeshLines lines(text);
  TextReader reader(content, fault);
  std::uint64_t last = 0;
  for (MeshLine line; lines.Next(&line);) {
    last = line.number;
    if (!reader.Take(line)) return false;
  }
  return reader.Finish(last);
}

bool ReadBinary(absl::string_view bytes, std::uint32_t count, MeshContent* content,
                MeshFault* fault) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t facet = kHeadBytes + i * kFacetBytes;
    for (std::size_t k = 0; k < 9; ++k) {
      const std::size_t place = facet + kNormalBytes + k * sizeof(float);
      const auto value = NumberAt<float>(bytes.data() + place, std::endian::little);
      if (!std::isfinite(value)) {
        return fault->AtByte(place, "a coordinate must be a finite number");
      }
      content->points.push_back(value);
    }
    AddTriangle(facet, 0, content);
  }
  return RequireTriangles(*content, fault);
}

}  // namespace

bool ReadStl(absl::string_view bytes, MeshContent* content, MeshFault* fault) {
  const std::uint32_t count = bytes.size() < kHeadBytes
                                  ? 0
                                  : NumberAt<std::uint32_t>(bytes.data() + 80, std::endian::little);
  const std::uint64_t size = kHeadBytes + std::uint64_t{count} * kFacetBytes;
  if (bytes.size() == size) return ReadBinary(bytes, count, content, fault);
  if (!absl::StrContains(bytes, '\0')) return ReadText(bytes, content, fault);
  if (bytes.size() < kHeadBytes) {
    return fault->Set(absl::StrCat("the file has ", bytes.size(),
                                   " bytes: a binary one has at least ", kHeadBytes));
  }
  return fault->AtByte(
      80, absl::StrCat(count, " triangles are ", size, " bytes: the file has ", bytes.size()));
}

}  // namespace clearance::client::internal
