// SPDX-License-Identifier: Apache-2.0
//
// Builds every hull and polygon of a folder of real shapes, if there is one: CLEARANCE_DATA.

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "core/shape/make_shape.h"
#include "tests/support/skip.h"

namespace clearance {
namespace {

struct Tally {
  int shapes = 0;
  int certified = 0;
  std::size_t points = 0;
  std::size_t vertices = 0;
};

void Build(const nlohmann::json& entry, Tally* tally) {
  const std::string kind = entry.value("kind", "");
  const bool is_polygon = kind == "polygon";
  if (!is_polygon && kind != "hull" && kind != "convex") return;
  std::vector<double> numbers;
  for (const auto& point : entry.at("vertices")) {
    for (const auto& number : point) numbers.push_back(number.get<double>());
  }
  const ShapeOrError made = is_polygon ? MakePolygon(numbers, 0) : MakeHull(numbers, 0);
  ASSERT_TRUE(std::holds_alternative<ConvexShapePtr>(made)) << entry.value("name", "");
  const ConvexShape& shape = *std::get<ConvexShapePtr>(made);
  ++tally->shapes;
  tally->certified += shape.is_certified_convex() ? 1 : 0;
  tally->points += shape.point_count();
  tally->vertices += shape.vertex_count();
}

TEST(ShapeData, EveryRealHullIsBuiltAndCertified) {
  if (!std::filesystem::is_directory(CLEARANCE_DATA)) GTEST_SKIP() << test::kNoDataSets;
  Tally tally;
  for (const auto& folder : std::filesystem::directory_iterator(CLEARANCE_DATA)) {
    std::ifstream file(folder.path() / "shapes.jsonl");
    for (std::string line; std::getline(file, line);) Build(nlohmann::json::parse(line), &tally);
  }
  std::printf("%d shapes, %d certified, %zu points, %zu vertices\n", tally.shapes, tally.certified,
              tally.points, tally.vertices);
  EXPECT_GT(tally.shapes, 0);
  EXPECT_EQ(tally.certified, tally.shapes);
}

}  // namespace
}  // namespace clearance
