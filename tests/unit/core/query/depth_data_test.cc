// SPDX-License-Identifier: Apache-2.0
//
// The depths of a folder of hard cases, if there is one (CLEARANCE_DATA): polytopes against exact
// rationals, curved bodies against certified intervals, all computed elsewhere.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "core/query/distance.h"
#include "core/shape/make_shape.h"
#include "tests/support/skip.h"

namespace clearance {
namespace {

using Json = nlohmann::json;

Vec3d ReadVector(const Json& json) { return {json.at(0), json.at(1), json.at(2)}; }

// [x, y, z, qw, qx, qy, qz]
Pose ReadPose(const Json& json) {
  return {ReadVector(json), {json.at(4), json.at(5), json.at(6), json.at(3)}};
}

ShapeOrError ReadConvex(const Json& json) {
  const bool is_integer = json.contains("vertices_int");
  const double unit = is_integer ? json.at("unit").get<double>() : 1;
  std::vector<double> numbers;
  for (const Json& vertex : json.at(is_integer ? "vertices_int" : "vertices")) {
    for (const Json& number : vertex) numbers.push_back(unit * number.get<double>());
  }
  return MakeHull(numbers, json.value("radius", 0.0));
}

ConvexShapePtr ReadShape(const Json& json) {
  const std::string type = json.at("type");
  ShapeOrError made = ShapeError{};
  const double radius = json.value("radius", 0.0);
  const double half_length = json.value("half_length", 0.0);
  if (type == "convex") made = ReadConvex(json);
  if (type == "sphere") made = MakeSphere(radius, 0);
  if (type == "cylinder") made = MakeCylinder(radius, half_length, 0);
  if (type == "cone") made = MakeCone(radius, half_length, 0);
  if (type == "ellipsoid") made = MakeEllipsoid(ReadVector(json.at("radii")), 0);
  if (type == "capsule") {
    made = json.contains("p0")
               ? MakeSegment(ReadVector(json.at("p0")), ReadVector(json.at("p1")), radius)
               : MakeCapsule(radius, half_length, 0);
  }
  return std::get<ConvexShapePtr>(made);
}

// Where an interval was printed with so few digits that its lower end came to lie above its
// certified upper end, the latter; otherwise the expected number.
double ReadDepth(const Json& expect) {
  if (expect.contains("penetration_interval")) {
    const Json& interval = expect.at("penetration_interval");
    if (interval.at(0) > interval.at(1)) return interval.at(1);
  }
  return expect.at("penetration_depth");
}

struct Tally {
  int cases = 0;
  int penetrating = 0;
  double widest = 0;  // bracket over size
};

void Judge(const Json& row, Tally* tally) {
  const Json& expect = row.at("expect");
  const Json& tolerance = row.at("tolerance");
  const ConvexShapePtr a = ReadShape(row.at("a"));
  const ConvexShapePtr b = ReadShape(row.at("b"));
  const Pose pose_a = ReadPose(row.at("pose_a"));
  const Pose pose_b = ReadPose(row.at("pose_b"));
  const DistanceAnswer answer = Distance({*a, pose_a}, {*b, pose_b}, {});
  ASSERT_NE(answer.state, State::kUndecided);
  ++tally->cases;
  if (answer.state == State::kPenetrating) ++tally->penetrating;
  if (tolerance.value("boolean", "") == "must_match") {
    EXPECT_EQ(answer.state != State::kSeparated, expect.at("intersect").get<bool>());
  }
  EXPECT_LE(answer.bracket.lower, answer.distance);
  EXPECT_LE(answer.distance, answer.bracket.upper);
  EXPECT_TRUE(std::isfinite(answer.bracket.lower) && std::isfinite(answer.bracket.upper));
  if (expect.contains("penetration_depth") && !expect.at("penetration_depth").is_null()) {
    const double depth = ReadDepth(expect);
    const double slack = tolerance.at("depth_abs");
    EXPECT_NEAR(std::fmax(-answer.distance, 0), depth, slack);
    if (answer.state == State::kPenetrating) {
      EXPECT_LE(-answer.bracket.upper, depth + slack);
      EXPECT_GE(-answer.bracket.lower, depth - slack);
    }
  }
  if (tolerance.contains("distance_abs")) {
    const double slack = tolerance.at("distance_abs");
    EXPECT_NEAR(std::fmax(answer.distance, 0), expect.at("distance").get<double>(), slack);
  }
  const double width = answer.bracket.upper - answer.bracket.lower;
  const double size = a->bounding_radius() + b->bounding_radius();
  EXPECT_LE(width, answer.tolerance);
  tally->widest = std::fmax(tally->widest, width / size);
}

TEST(DepthData, EveryHardCaseIsWithinItsTolerance) {
  const std::filesystem::path folder = std::filesystem::path(CLEARANCE_DATA) / "hard";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << test::kNoDataSets;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  int cases = 0;
  for (const std::filesystem::path& path : files) {
    Tally tally;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      const Json row = Json::parse(line);
      if (row.value("query", "") != "penetration") continue;
      SCOPED_TRACE(row.value("id", "") + " " + row.value("family", ""));
      Judge(row, &tally);
    }
    if (tally.cases == 0) continue;
    std::printf("%s: %d cases, %d penetrating, widest bracket %g of the size\n",
                path.filename().c_str(), tally.cases, tally.penetrating, tally.widest);
    cases += tally.cases;
  }
  EXPECT_GE(cases, 300);
}

}  // namespace
}  // namespace clearance
