// SPDX-License-Identifier: Apache-2.0
//
// Every static case of a folder of hard cases (CLEARANCE_DATA), if there is one, between hulls of
// points with radii: also those whose boolean hangs on rounding, which an exact decision must get
// right. The expected values come with the cases, from exact rationals that are none of ours.

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "core/exact/exact_contact.h"
#include "core/shape/make_shape.h"
#include "tests/support/skip.h"

namespace clearance {
namespace {

using Json = nlohmann::json;

Vec3d ReadVec3(const Json& v) {
  return {v.at(0).get<double>(), v.at(1).get<double>(), v.at(2).get<double>()};
}

// nullptr for a kind that is not the hull of points with a radius.
ConvexShapePtr ReadShape(const Json& shape) {
  const std::string type = shape.at("type");
  const double radius = shape.value("radius", 0.0);
  if (type == "sphere") return std::get<ConvexShapePtr>(MakeSphere(radius, 0));
  if (type == "capsule" && shape.contains("p0")) {
    return std::get<ConvexShapePtr>(
        MakeSegment(ReadVec3(shape.at("p0")), ReadVec3(shape.at("p1")), radius));
  }
  if (type == "capsule") {
    return std::get<ConvexShapePtr>(MakeCapsule(radius, shape.at("half_length").get<double>(), 0));
  }
  if (type != "convex") return nullptr;
  const bool is_scaled = shape.contains("vertices_int");
  const double unit = is_scaled ? shape.at("unit").get<double>() : 1;
  std::vector<double> xyz;
  for (const Json& vertex : shape.at(is_scaled ? "vertices_int" : "vertices")) {
    for (const Json& number : vertex) xyz.push_back(unit * number.get<double>());
  }
  return std::get<ConvexShapePtr>(MakeHull(xyz, radius));
}

Pose ReadPose(const Json& pose) {
  return {ReadVec3(pose),
          {pose.at(4).get<double>(), pose.at(5).get<double>(), pose.at(6).get<double>(),
           pose.at(3).get<double>()}};
}

struct Tally {
  int cases = 0;
  int touching = 0;
  int distances = 0;
};

void Judge(const Json& row, const ExactVerdict& verdict, Tally* tally) {
  const Json& expect = row.at("expect");
  const std::string id = row.at("id");
  ++tally->cases;
  EXPECT_EQ(verdict.contact != ExactContact::kSeparated, expect.at("intersect").get<bool>()) << id;
  // touching_only comes from the depth and says nothing where that was not computed.
  if (expect.contains("touching_only") && !expect.at("penetration_depth").is_null()) {
    const bool touches = expect.at("touching_only").get<bool>();
    tally->touching += touches ? 1 : 0;
    EXPECT_EQ(verdict.contact == ExactContact::kTouching, touches) << id;
  }
  if (verdict.contact != ExactContact::kSeparated || !expect.contains("distance2_rational") ||
      !expect.at("distance2_rational").is_string()) {
    return;
  }
  ++tally->distances;
  const mpq_class square(expect.at("distance2_rational").get<std::string>());
  const mpq_class lower(verdict.lower), upper(verdict.upper);
  EXPECT_LE(mpq_class(lower * lower), square) << id;
  EXPECT_GE(mpq_class(upper * upper), square) << id;
}

void Decide(const Json& row, Tally* tally) {
  if (row.at("query") == "toc" || row.at("expect").contains("error")) return;
  const ConvexShapePtr a = ReadShape(row.at("a"));
  const ConvexShapePtr b = ReadShape(row.at("b"));
  if (a == nullptr || b == nullptr) return;
  const Pose pose_a = ReadPose(row.at("pose_a"));
  const Pose pose_b = ReadPose(row.at("pose_b"));
  const auto verdict = DecideExactly({*a, pose_a}, {*b, pose_b});
  ASSERT_TRUE(verdict.has_value()) << row.at("id");
  Judge(row, *verdict, tally);
}

TEST(ExactData, DecidesEveryHardCase) {
  const std::filesystem::path folder = std::filesystem::path(CLEARANCE_DATA) / "hard";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << test::kNoDataSets;
  Tally tally;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".jsonl") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) Decide(Json::parse(line), &tally);
  }
  std::printf("%d cases, %d touching, %d distances\n", tally.cases, tally.touching,
              tally.distances);
  EXPECT_GT(tally.cases, 0);
  EXPECT_GT(tally.touching, 0);
  EXPECT_GT(tally.distances, 0);
}

}  // namespace
}  // namespace clearance
