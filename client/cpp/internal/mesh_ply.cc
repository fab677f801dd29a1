// SPDX-License-Identifier: Apache-2.0
//
// Polygon File Format (PLY), text and binary of either byte order.
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "internal/mesh_bytes.h"
#include "internal/mesh_content.h"

namespace clearance::client::internal {
namespace {

constexpr std::size_t kLongestHeader = 65'536;  // bytes

struct Type {
  absl::string_view name;
  absl::string_view other_name;
  std::size_t size;
  bool is_real;
  double (*read)(const char* bytes, std::endian order);
};

template <typename T>
double ReadAs(const char* bytes, std::endian order) {
  return static_cast<double>(NumberAt<T>(bytes, order));
}

constexpr Type kTypes[] = {
    {"char", "int8", 1, false, ReadAs<std::int8_t>},
    {"uchar", "uint8", 1, false, ReadAs<std::uint8_t>},
    {"short", "int16", 2, false, ReadAs<std::int16_t>},
    {"ushort", "uint16", 2, false, ReadAs<std::uint16_t>},
    {"int", "int32", 4, false, ReadAs<std::int32_t>},
    {"uint", "uint32", 4, false, ReadAs<std::uint32_t>},
    {"float", "float32", 4, true, ReadAs<float>},
    {"double", "float64", 8, true, ReadAs<double>},
};

struct Property {
  std::string name;
  const Type* type = nullptr;
  const Type* count_type = nullptr;  // of a list

  // The fewest bytes of it.
  std::size_t least() const { return (count_type != nullptr ? count_type : type)->size; }
};

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

struct Element {
  std::string name;
  std::uint64_t count = 0;
  std::uint64_t line = 0;
  std::vector<Property> properties;

  std::size_t Place(absl::string_view property) const {
    for (std::size_t i = 0; i < properties.size(); ++i) {
      if (properties[i].name == property) return i;
    }
    return kNone;
  }
  // Returns the place of the list that names the points of a face.
  std::size_t PlaceOfIndices() const {
    return std::min(Place("vertex_indices"), Place("vertex_index"));
  }
  bool has_list() const {
    return std::any_of(properties.begin(), properties.end(),
                       [](const Property& p) { return p.count_type != nullptr; });
  }
};

struct Header {
  std::string format;
  std::vector<Element> elements;
  std::size_t body = 0;  // byte where it begins
  std::uint64_t last_line = 0;

  const Element* Find(absl::string_view name) const {
    for (const Element& element : elements) {
      if (element.name == name) return &element;
    }
    return nullptr;
  }
};

class HeaderReader {
 public:
  HeaderReader(absl::string_view bytes, Header* header, MeshFault* fault)
      : bytes_(bytes), header_(*header), fault_(fault) {}

  bool Read() {
    const absl::string_view line_end = LineEnd();
    if (line_end.empty()) return fault_->AtLine(1, "the file must begin with ply");
    std::size_t at = 3 + line_end.size();
    for (std::uint64_t number = 2;; ++number) {
      const std::size_t end = bytes_.find(line_end, at);
      if (end == absl::string_view::npos || end + line_end.size() > kLongestHeader) {
        return fault_->AtLine(number, "the header must end with end_header");
      }
      const MeshLine line = {number, SplitWords(bytes_.substr(at, end - at)), true};
      at = end + line_end.size();
      if (line.words.size() == 1 && line.words[0] == "end_header") {
        header_.body = at;
        header_.last_line = number;
        return !header_.format.empty() || fault_->AtLine(number, "the header has no format");
      }
      if (!line.words.empty() && !Take(line)) return false;
    }
  }

 private:
  // The first line's, and so every line's of the header: data may begin with a line end's byte.
  absl::string_view LineEnd() const {
    for (const absl::string_view end : {"\r\n", "\n", "\r"}) {
      if (absl::StartsWith(bytes_, absl::StrCat("ply", end))) return end;
    }
    return "";
  }

  bool Take(const MeshLine& line) {
    const absl::string_view word = line.words[0];
    if (word == "format") return SetFormat(line);
    if (word == "element") return AddElement(line);
    if (word == "property") return AddProperty(line);
    return word == "comment" || word == "obj_info" ||
           fault_->AtLine(line.number,
                          absl::StrCat(QuotedWord(word), " is not a statement of the header"));
  }

  bool SetFormat(const MeshLine& line) {
    const bool is_known = line.words.size() == 3 && line.words[2] == "1.0" &&
                          (line.words[1] == "ascii" || line.words[1] == "binary_little_endian" ||
                           line.words[1] == "binary_big_endian");
    if (!is_known) {
      return fault_->AtLine(
          line.number,
          "the format must be ascii, binary_little_endian or binary_big_endian, and 1.0");
    }
    if (!header_.format.empty()) return fault_->AtLine(line.number, "a second format");
    header_.format = std::string(line.words[1]);
    return true;
  }

  bool AddElement(const MeshLine& line) {
    if (line.words.size() != 3) {
      return fault_->AtLine(line.number, "an element must have a name and a count");
    }
    Element element = {std::string(line.words[1]), 0, line.number, {}};
    if (!ReadCount(line, line.words[2], &element.count, fault_)) return false;
    if (element.name == "tristrips") {
      return fault_->AtLine(line.number, "tristrips are not read: save the mesh with faces");
    }
    if (header_.Find(element.name) != nullptr) {
      return fault_->AtLine(line.number,
                            absl::StrCat("a second element ", QuotedWord(element.name)));
    }
    header_.elements.push_back(std::move(element));
    return true;
  }

  bool AddProperty(const MeshLine& line) {
    const bool is_list = line.words.size() == 5 && line.words[1] == "list";
    if ((line.words.size() != 3 && !is_list) || header_.elements.empty()) {
      return fault_->AtLine(line.number,
                            "a property must have a type and a name, and belong to an element");
    }
    Property property;
    property.name = std::string(line.words.back());
    if (is_list && !FindType(line, line.words[2], &property.count_type)) return false;
    if (!FindType(line, line.words[line.words.size() - 2], &property.type)) return false;
    if (is_list && property.count_type->is_real) {
      return fault_->AtLine(line.number, "the count of a list must be of a whole number's type");
    }
    Element& element = header_.elements.back();
    if (element.Place(property.name) != kNone) {
      return fault_->AtLine(line.number,
                            absl::StrCat("a second property ", QuotedWord(property.name)));
    }
    element.properties.push_back(std::move(property));
    return true;
  }

  bool FindType(const MeshLine& line, absl::string_view name, const Type** found) {
    for (const Type& type : kTypes) {
      if (name != type.name && name != type.other_name) continue;
      *found = &type;
      return true;
    }
    return fault_->AtLine(line.number, absl::StrCat(QuotedWord(name),
                                                    " must be a type such as float, uchar or "
                                                    "int32"));
  }

  absl::string_view bytes_;
  Header& header_;
  MeshFault* const fault_;
};

bool CheckVertex(const Header& header, MeshFault* fault) {
  const Element* const vertex = header.Find("vertex");
  if (vertex == nullptr) {
    return fault->AtLine(header.last_line, "the header has no element vertex");
  }
  for (const Element& element : header.elements) {
    if (element.count > 0 && element.properties.empty()) {
      return fault->AtLine(element.line, "an element must have properties");
    }
  }
  for (const absl::string_view axis : {"x", "y", "z"}) {
    const std::size_t at = vertex->Place(axis);
    if (at != kNone && vertex->properties[at].count_type == nullptr) continue;
    return fault->AtLine(header.last_line,
                         absl::StrCat("the element vertex has no property ", axis));
  }
  return true;
}

bool CheckFace(const Header& header, MeshFault* fault) {
  const Element* const face = header.Find("face");
  if (face == nullptr) return true;
  const std::size_t at = face->PlaceOfIndices();
  const bool is_list = at != kNone && face->properties[at].count_type != nullptr &&
                       !face->properties[at].type->is_real;
  return is_list || fault->AtLine(header.last_line,
                                  "the element face has no list vertex_indices of whole numbers");
}

// A line for each item.
class TextBody {
 public:
  TextBody(absl::string_view bytes, const Header& header, MeshFault* fault)
      : lines_(bytes.substr(header.body)),
        before_(header.last_line),
        last_(header.last_line),
        fault_(fault) {}

  bool Skip(const Element& element) {
    for (std::uint64_t i = 0; i < element.count; ++i) {
      if (!Next(element, i)) return false;
    }
    return true;
  }

  bool ReadPoints(const Element& element, MeshContent* content) {
    const std::size_t axes[] = {element.Place("x"), element.Place("y"), element.Place("z")};
    for (std::uint64_t i = 0; i < element.count; ++i) {
      if (!Next(element, i)) return false;
      for (const std::size_t axis : axes) {
        double value = 0;
        if (!ReadReal(line_, WordsOf(axis).front(), &value, fault_)) return false;
        content->points.push_back(value);
      }
      if (!RequireWhole(line_, fault_)) return false;
    }
    return true;
  }

  bool ReadFaces(const Element& element, std::uint64_t point_count, MeshContent* content) {
    const std::size_t at = element.PlaceOfIndices();
    const bool is_last = at + 1 == element.properties.size();
    for (std::uint64_t i = 0; i < element.count; ++i) {
      if (!Next(element, i)) return false;
      std::vector<std::int64_t> indices;
      for (const absl::string_view word : WordsOf(at)) {
        if (!ReadWhole(line_, word, &indices.emplace_back(), fault_)) return false;
      }
      if (is_last && !indices.empty() &&
          !RequireWholeIndex(line_, indices.back(), point_count, fault_)) {
        return false;
      }
      if (!AddFace(indices, {MeshPlace::kLine, line_.number}, &content->faces, fault_)) {
        return false;
      }
    }
    return true;
  }

  bool RequireEnd() {
    MeshLine line;
    return !lines_.Next(&line) ||
           fault_->AtLine(before_ + line.number,
                          "the file goes on behind the last item that it announces");
  }

 private:
  // Reads the next line, and finds where the words of each property stand.
  bool Next(const Element& element, std::uint64_t i) {
    MeshLine line;
    if (!lines_.Next(&line)) {
      return fault_->AtLine(
          last_, absl::StrCat("the file ends where item ", i, " of ", element.count, " of ",
                              QuotedWord(element.name), " must stand"));
    }
    line.number += before_;
    last_ = line.number;
    line_ = std::move(line);
    return Divide(element);
  }

  bool Divide(const Element& element) {
    begins_.clear();
    counts_.clear();
    std::size_t at = 0;
    const std::size_t words = line_.words.size();
    for (const Property& property : element.properties) {
      std::size_t count = 1;
      if (property.count_type != nullptr && at < words) {
        std::int64_t announced = 0;
        if (!ReadWhole(line_, line_.words[at++], &announced, fault_)) return false;
        const bool fits = announced >= 0 && static_cast<std::uint64_t>(announced) <= words;
        count = fits ? static_cast<std::size_t>(announced) : words;
      }
      begins_.push_back(at);
      counts_.push_back(count);
      at += count;
    }
    return at == words ||
           fault_->AtLine(line_.number, absl::StrCat(words, " words: the header declares ", at));
  }

  absl::Span<const absl::string_view> WordsOf(std::size_t property) const {
    return absl::MakeConstSpan(line_.words).subspan(begins_[property], counts_[property]);
  }

  MeshLines lines_;
  const std::uint64_t before_;  // lines of the header
  std::uint64_t last_;
  MeshFault* const fault_;
  MeshLine line_;
  std::vector<std::size_t> begins_;  // of the words of each property
  std::vector<std::size_t> counts_;
};

// Numbers without any space between them.
class BinaryBody {
 public:
  BinaryBody(absl::string_view bytes, const Header& header, MeshFault* fault)
      : bytes_(bytes),
        at_(header.body),
        order_(header.format == "binary_big_endian" ? std::endian::big : std::endian::little),
        fault_(fault) {}

  bool Skip(const Element& element) {
    if (!RequireLeast(element)) return false;
    if (!element.has_list()) {
      at_ += element.count * Least(element);
      return true;
    }
    std::vector<std::int64_t> ignored;
    for (std::uint64_t i = 0; i < element.count; ++i) {
      if (!ReadItem(element, kNone, &ignored)) return false;
    }
    return true;
  }

  bool ReadPoints(const Element& element, MeshContent* content) {
    if (element.has_list()) {
      return fault_->AtLine(element.line, "a list of the element vertex is not read in binary");
    }
    if (!RequireLeast(element)) return false;
    const std::size_t axes[] = {element.Place("x"), element.Place("y"), element.Place("z")};
    for (std::uint64_t i = 0; i < element.count; ++i) {
      for (const std::size_t axis : axes) {
        const double value = NumberOf(element, axis);
        if (!std::isfinite(value)) {
          return fault_->AtByte(at_, "a coordinate of a point must be a finite number");
        }
        content->points.push_back(value);
      }
      at_ += Least(element);
    }
    return true;
  }

  bool ReadFaces(const Element& element, std::uint64_t, MeshContent* content) {
    if (!RequireLeast(element)) return false;
    const std::size_t at = element.PlaceOfIndices();
    std::vector<std::int64_t> indices;
    for (std::uint64_t i = 0; i < element.count; ++i) {
      const std::uint64_t place = at_;
      if (!ReadItem(element, at, &indices)) return false;
      if (!AddFace(indices, {MeshPlace::kByte, place}, &content->faces, fault_)) return false;
    }
    return true;
  }

  bool RequireEnd() {
    const std::size_t left = bytes_.size() - at_;
    return left == 0 ||
           fault_->AtByte(at_, absl::StrCat(left, " bytes are left behind the last item"));
  }

 private:
  static std::size_t Least(const Element& element) {
    std::size_t least = 0;
    for (const Property& property : element.properties) least += property.least();
    return least;
  }

  bool Require(std::uint64_t size, const Element& element) {
    return size <= bytes_.size() - at_ || DoesNotFit(element);
  }

  // A count may be so large that its product with a size is no number.
  bool RequireLeast(const Element& element) {
    const std::size_t least = Least(element);
    const bool fits = least == 0 || element.count <= (bytes_.size() - at_) / least;
    return fits || DoesNotFit(element);
  }

  bool DoesNotFit(const Element& element) {
    return fault_->AtByte(
        at_, absl::StrCat(element.count, " items of ", QuotedWord(element.name),
                          " do not fit into the ", bytes_.size() - at_, " bytes that are left"));
  }

  // Requires: an element without lists.
  double NumberOf(const Element& element, std::size_t property) const {
    std::size_t offset = 0;
    for (std::size_t i = 0; i < property; ++i) offset += element.properties[i].type->size;
    return element.properties[property].type->read(bytes_.data() + at_ + offset, order_);
  }

  // Takes an item and the numbers of one of its lists.
  bool ReadItem(const Element& element, std::size_t wanted, std::vector<std::int64_t>* numbers) {
    for (std::size_t i = 0; i < element.properties.size(); ++i) {
      const Property& property = element.properties[i];
      if (property.count_type == nullptr) {
        if (!Require(property.type->size, element)) return false;
        at_ += property.type->size;
      } else if (!ReadList(element, property, i == wanted ? numbers : nullptr)) {
        return false;
      }
    }
    return true;
  }

  bool ReadList(const Element& element, const Property& property,
                std::vector<std::int64_t>* numbers) {
    if (!Require(property.count_type->size, element)) return false;
    const auto count =
        static_cast<std::int64_t>(property.count_type->read(bytes_.data() + at_, order_));
    if (count < 0) {
      return fault_->AtByte(at_, absl::StrCat("a list has ", count, " numbers"));
    }
    at_ += property.count_type->size;
    const std::uint64_t size = static_cast<std::uint64_t>(count) * property.type->size;
    if (!Require(size, element)) return false;
    if (numbers != nullptr) {
      numbers->resize(static_cast<std::size_t>(count));
      for (std::size_t i = 0; i < numbers->size(); ++i) {
        const char* const number = bytes_.data() + at_ + i * property.type->size;
        (*numbers)[i] = static_cast<std::int64_t>(property.type->read(number, order_));
      }
    }
    at_ += size;
    return true;
  }

  absl::string_view bytes_;
  std::size_t at_;
  const std::endian order_;
  MeshFault* const fault_;
};

template <typename Body>
bool ReadBody(Body body, const Header& header, MeshContent* content) {
  for (const Element& element : header.elements) {
    const bool is_read = element.name == "vertex" ? body.ReadPoints(element, content)
                         : element.name == "face"
                             ? body.ReadFaces(element, header.Find("vertex")->count, content)
                             : body.Skip(element);
    if (!is_read) return false;
  }
  return body.RequireEnd();
}

}  // namespace

bool ReadPly(absl::string_view bytes, MeshContent* content, MeshFault* fault) {
  Header header;
  if (!HeaderReader(bytes, &header, fault).Read()) return false;
  if (!CheckVertex(header, fault) || !CheckFace(header, fault)) return false;
  const bool is_text = header.format == "ascii";
  const bool is_read = is_text ? ReadBody(TextBody(bytes, header, fault), header, content)
                               : ReadBody(BinaryBody(bytes, header, fault), header, content);
  return is_read &&
         RequirePoints(*content, is_text ? MeshPlace::kLine : MeshPlace::kByte, 0, fault);
}

}  // namespace clearance::client::internal
