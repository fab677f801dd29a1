// SPDX-License-Identifier: Apache-2.0
#include "tests/acceptance/json_input.h"

#include <array>
#include <cmath>
#include <exception>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace clearance::acceptance {
namespace {

using client::Shape;
using client::Vec3;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const Json& Field(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) throw InputError(std::string("no field '") + key + "'");
  return *found;
}

double NumberField(const Json& object, const char* key) { return ReadNumber(Field(object, key)); }

double OptionalNumber(const Json& object, const char* key) {
  return object.contains(key) && !object[key].is_null() ? ReadNumber(object[key]) : 0;
}

// Every coordinate in order. Points of another length than `width` are still sent if the server can
// tell by the count of numbers that something is missing.
std::vector<double> ReadPoints(const Json& points, std::size_t width) {
  if (!points.is_array()) throw InputError("vertices are no list");
  std::vector<double> numbers;
  bool is_regular = true;
  for (const Json& point : points) {
    if (!point.is_array()) throw InputError("a vertex is no list");
    is_regular = is_regular && point.size() == width;
    for (const Json& coordinate : point) numbers.push_back(ReadNumber(coordinate));
  }
  if (!is_regular && numbers.size() % width == 0) {
    throw InputError("vertices of another dimension have no wire form");
  }
  return numbers;
}

Shape ReadConvex(const Json& shape) {
  const double radius = OptionalNumber(shape, "radius");
  if (!shape.contains("vertices_int")) {
    return {client::Hull{ReadPoints(Field(shape, "vertices"), 3), {}, {}}, radius};
  }
  std::vector<double> numbers = ReadPoints(shape["vertices_int"], 3);
  const double unit = NumberField(shape, "unit");  // a power of two: the products are exact
  for (double& number : numbers) number *= unit;
  return {client::Hull{std::move(numbers), {}, {}}, radius};
}

// End points as a segment with a radius; a half length as the service's own capsule, along z.
Shape ReadCapsule(const Json& shape) {
  const double radius = NumberField(shape, "radius");
  if (shape.contains("p0")) {
    return {client::Segment{ReadVec3(Field(shape, "p0")), ReadVec3(Field(shape, "p1"))}, radius};
  }
  const double half_length = shape.contains("half_length") ? NumberField(shape, "half_length")
                                                           : NumberField(shape, "length") / 2;
  const std::string axis = shape.value("axis", "z");
  if (axis == "z") return {client::Capsule{radius, half_length}, 0};
  const Vec3 end = {axis == "x" ? half_length : 0, axis == "y" ? half_length : 0, 0};
  return {client::Segment{{-end.x, -end.y, 0}, end}, radius};
}

struct RoundSize {
  double radius;
  double half_length;
};

// Reads a cylinder or a cone about z.
RoundSize ReadRound(const Json& shape) {
  // For a cone the files add the end at which its apex is: the same end as on the wire.
  const std::string axis = shape.value("axis", "z");
  if (axis != "z" && axis != "z, apex at +half_length") {
    throw InputError("only the axis z has a wire form");
  }
  return {NumberField(shape, "radius"), NumberField(shape, "half_length")};
}

Shape ReadBox(const Json& shape) {
  if (shape.contains("half_extents")) return {client::Box{ReadVec3(shape["half_extents"])}, 0};
  const Vec3 size = ReadVec3(Field(shape, "size"));
  return {client::Box{{size.x / 2, size.y / 2, size.z / 2}}, OptionalNumber(shape, "radius")};
}

std::string KindOf(const Json& shape) {
  if (!shape.is_object()) throw InputError("a shape is no object");
  if (shape.contains("type")) return shape["type"].get<std::string>();
  return Field(shape, "kind").get<std::string>();
}

TableShape ReadShapeOrThrow(const Json& shape) {
  const std::string kind = KindOf(shape);
  if (kind == "convex" || kind == "hull") return ReadConvex(shape);
  if (kind == "sphere") return Shape{client::Sphere{NumberField(shape, "radius")}, 0};
  if (kind == "capsule") return ReadCapsule(shape);
  if (kind == "box") return ReadBox(shape);
  if (kind == "segment") {
    return Shape{client::Segment{ReadVec3(Field(shape, "p0")), ReadVec3(Field(shape, "p1"))},
                 OptionalNumber(shape, "radius")};
  }
  if (kind == "polygon") {
    return Shape{client::Polygon{ReadPoints(Field(shape, "vertices"), 2)},
                 OptionalNumber(shape, "radius")};
  }
  if (kind == "point") return Shape{client::Point{}, OptionalNumber(shape, "radius")};
  if (kind == "cylinder") {
    const RoundSize size = ReadRound(shape);
    return Shape{client::Cylinder{size.radius, size.half_length}, 0};
  }
  if (kind == "cone") {
    const RoundSize size = ReadRound(shape);
    return Shape{client::Cone{size.radius, size.half_length}, 0};
  }
  if (kind == "ellipsoid") return Shape{client::Ellipsoid{ReadVec3(Field(shape, "radii"))}, 0};
  throw InputError("unknown kind of shape '" + kind + "'");
}

void NoteUnreadable(const std::filesystem::path& path, int line, const char* why, TaskFile* file) {
  file->unreadable.push_back(path.string() + ":" + std::to_string(line) + ": " + why);
}

}  // namespace

double ReadNumber(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (value == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (value == "Infinity") return kInfinity;
  if (value == "-Infinity") return -kInfinity;
  throw InputError("'" + value.dump().substr(0, 40) + "' is no number");
}

Vec3 ReadVec3(const Json& value) {
  if (!value.is_array() || value.size() != 3) throw InputError("not a list of 3 numbers");
  return {ReadNumber(value[0]), ReadNumber(value[1]), ReadNumber(value[2])};
}

// The files mean q / |q|. A quaternion that is far from any unit one is left for the server to
// refuse.
void Normalize(client::Pose* pose) {
  const double length = std::sqrt(pose->qx * pose->qx + pose->qy * pose->qy + pose->qz * pose->qz +
                                  pose->qw * pose->qw);
  const bool is_near = std::abs(length - 1) < 1e-3;
  if (is_near || !(length > 1e-3 && length < 1e3)) return;
  for (double* q : {&pose->qx, &pose->qy, &pose->qz, &pose->qw}) *q /= length;
}

client::Pose ReadPose(const Json& value) {
  if (!value.is_array() || value.size() != 7) throw InputError("a pose is not a list of 7 numbers");
  std::array<double, 7> n;
  for (std::size_t i = 0; i < n.size(); ++i) n[i] = ReadNumber(value[i]);
  client::Pose pose = {n[0], n[1], n[2], n[4], n[5], n[6], n[3]};
  Normalize(&pose);
  return pose;
}

Motion ReadMotion(const Json& object, const char* key) {
  if (!object.contains(key) || object[key].is_null()) return {};
  const Json& motion = object[key];
  const auto vector = [&](const char* name) {
    return motion.contains(name) && !motion[name].is_null() ? ReadVec3(motion[name]) : Vec3{};
  };
  return {vector("linear"), vector("angular")};
}

TableShape ReadShape(const Json& shape) {
  try {
    return ReadShapeOrThrow(shape);
  } catch (const std::exception& error) {
    return NotSent{error.what()};
  }
}

bool ForEachLine(const std::filesystem::path& path, TaskFile* file,
                 const std::function<void(const Json&, int)>& visit) {
  std::ifstream stream(path);
  if (!stream) return false;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      visit(Json::parse(line), number);
    } catch (const std::exception& error) {
      NoteUnreadable(path, number, error.what(), file);
    }
  }
  return true;
}

}  // namespace clearance::acceptance
