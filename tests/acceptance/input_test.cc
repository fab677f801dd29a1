// SPDX-License-Identifier: Apache-2.0
//
// The reading of the files' shapes and poses: which are sent, and which are refused here.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "gtest/gtest.h"
#include "tests/acceptance/case_file.h"
#include "tests/acceptance/data_folder.h"
#include "tests/acceptance/json_input.h"
#include "tests/acceptance/registrar.h"
#include "tests/acceptance/report.h"

namespace clearance::acceptance {
namespace {

namespace fs = std::filesystem;

TableShape Read(const char* text) { return ReadShape(Json::parse(text)); }

template <class Kind>
Kind KindOf(const char* text) {
  return std::get<Kind>(std::get<client::Shape>(std::get<client::ShapeReference>(Read(text))).kind);
}

bool IsSent(const char* text) { return !std::holds_alternative<NotSent>(Read(text)); }

TEST(ReadPose, PutsTheScalarPartOfTheQuaternionLast) {
  const client::Pose pose = ReadPose(Json::parse("[1, 2, 3, 0.5, 0.5, -0.5, 0.5]"));
  EXPECT_EQ(pose.z, 3);
  EXPECT_EQ(pose.qw, 0.5);
  EXPECT_EQ(pose.qx, 0.5);
  EXPECT_EQ(pose.qy, -0.5);
  EXPECT_EQ(pose.qz, 0.5);
}

TEST(ReadPose, NormalizesWhatIsNotFarFromAnyUnit) {
  EXPECT_EQ(ReadPose(Json::parse("[0, 0, 0, 3, 0, 0, 4]")).qz, 0.8);
  EXPECT_EQ(ReadPose(Json::parse("[0, 0, 0, 0.9999, 0, 0, 0]")).qw, 0.9999);
  EXPECT_EQ(ReadPose(Json::parse("[0, 0, 0, 0, 0, 0, 0]")).qw, 0);
  EXPECT_EQ(ReadPose(Json::parse("[0, 0, 0, 1e-200, 0, 0, 0]")).qw, 1e-200);
  EXPECT_EQ(ReadPose(Json::parse("[0, 0, 0, 1e200, 1e200, 0, 0]")).qw, 1e200);
}

TEST(ReadShape, ScalesIntegerVerticesByTheirUnit) {
  const auto hull = KindOf<client::Hull>(
      R"({"type": "convex", "vertices_int": [[1048576, 0, -3]], "unit": 9.5367431640625e-07})");
  EXPECT_EQ(hull.vertices, (std::vector<double>{1, 0, -3 * 0x1p-20}));
}

TEST(ReadShape, ReadsEveryKindOfTheFiles) {
  EXPECT_EQ(KindOf<client::Sphere>(R"({"type": "sphere", "radius": 2})").radius, 2);
  EXPECT_EQ(KindOf<client::Segment>(
                R"({"type": "capsule", "radius": 1, "p0": [0, 0, 1], "p1": [0, 0, 2]})")
                .b.z,
            2);
  EXPECT_EQ(
      KindOf<client::Capsule>(R"({"type": "capsule", "radius": 1, "half_length": 3, "axis": "z"})")
          .half_length,
      3);
  EXPECT_EQ(
      KindOf<client::Segment>(R"({"type": "capsule", "radius": 1, "half_length": 3, "axis": "x"})")
          .b.x,
      3);
  EXPECT_EQ(KindOf<client::Box>(R"({"kind": "box", "size": [2, 4, 6]})").half_extents.y, 2);
  EXPECT_EQ(KindOf<client::Polygon>(R"({"kind": "polygon", "vertices": [[0, 0], [1, 0]]})")
                .vertices.size(),
            4U);
  EXPECT_EQ(KindOf<client::Hull>(R"({"kind": "hull", "vertices": [[0, 0, 1]]})").vertices.size(),
            3U);
}

TEST(ReadShape, PassesOnWhatTheServerMustRefuse) {
  EXPECT_TRUE(std::isnan(
      KindOf<client::Hull>(R"({"type": "convex", "vertices": [["NaN", 0, 0]]})").vertices[0]));
  EXPECT_EQ(
      KindOf<client::Hull>(R"({"type": "convex", "vertices": [["-Infinity", 0, 0]]})").vertices[0],
      -INFINITY);
  EXPECT_EQ(
      KindOf<client::Hull>(R"({"type": "convex", "vertices": [[0, 0], [1, 0]]})").vertices.size(),
      4U);
  EXPECT_EQ(KindOf<client::Sphere>(R"({"type": "sphere", "radius": -1})").radius, -1);
}

TEST(ReadShape, RefusesWhatHasNoWireForm) {
  EXPECT_FALSE(IsSent(R"({"type": "convex", "vertices": [["a", "b", "c"]]})"));
  EXPECT_FALSE(IsSent(R"({"type": "convex", "vertices": [[0, 0], [1, 0], [0, 1]]})"));
  EXPECT_FALSE(IsSent(R"({"type": "torus", "radius": 1})"));
  EXPECT_FALSE(IsSent("{}"));
  EXPECT_FALSE(IsSent("null"));
}

TEST(ReadShape, ReadsCurvedKindsAboutTheirOwnAxes) {
  const auto cylinder = KindOf<client::Cylinder>(
      R"({"type": "cylinder", "radius": 1, "half_length": 3, "axis": "z"})");
  EXPECT_EQ(cylinder.radius, 1);
  EXPECT_EQ(cylinder.half_length, 3);
  const auto cone = KindOf<client::Cone>(R"({"type": "cone", "radius": 1, "half_length": -3})");
  EXPECT_EQ(cone.half_length, -3) << "what is wrong is passed on";
  EXPECT_EQ(KindOf<client::Ellipsoid>(R"({"type": "ellipsoid", "radii": [1, 2, 3]})").semi_axes.z,
            3);
  EXPECT_FALSE(IsSent(R"({"type": "cone", "radius": 1, "half_length": 3, "axis": "x"})"));
}

TEST(RegistryName, KeepsAllowedNamesAndMapsOthers) {
  EXPECT_EQ(RegistryName("lq_e1m7/e1b0", 3), "lq_e1m7/e1b0");
  EXPECT_EQ(RegistryName("E1M2/ss 0", 3), "score/3-e1m2/ss-0");
  EXPECT_EQ(RegistryName("", 4), "score/4-");
  EXPECT_LE(RegistryName(std::string(300, 'X'), 5).size(), 128U);
}

// A separate folder for the files of one test.
class FilesTest : public ::testing::Test {
 protected:
  FilesTest()
      : folder_(fs::path(::testing::TempDir()) /
                ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~FilesTest() override { fs::remove_all(folder_); }

  fs::path Write(const char* name, const char* text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  fs::path folder_;
};

TEST_F(FilesTest, ACaseFileKeepsItsGoodLinesAndNamesTheBadOnes) {
  const TaskFile file = ReadCaseFile(
      Write("cases.jsonl", R"({"id": "x-1", "query": "distance", "expect": {"error": true}}
not json
{"id": "x-2", "family": "f", "query": "toc", "expect": {"hit": false}, "a": {"type": "sphere", "radius": 1},
)"));
  ASSERT_EQ(file.tasks.size(), 1U);
  EXPECT_EQ(file.tasks[0].family, "x");
  EXPECT_EQ(file.unreadable.size(), 2U);
}

TEST_F(FilesTest, AMissingCaseFileIsUnreadable) {
  EXPECT_EQ(ReadCaseFile(folder_ / "none.jsonl").unreadable.size(), 1U);
}

constexpr const char* kShapes = R"({"name": "m/near", "kind": "box", "size": [2, 2, 2]}
{"name": "m/far", "kind": "hull", "vertices": [[100, 0, 0], [101, 0, 0], [100, 1, 0], [100, 0, 1]]}
)";

TEST_F(FilesTest, AMoveAsksOnlyOfBrushesNearIt) {
  Write("shapes.jsonl", kShapes);
  Write("scene.json", R"({"player": {"kind": "box", "size": [1, 1, 1]}})");
  Write("moves.jsonl", R"({"player": 0, "frame": 7, "center": [-3, 0, 0], "delta": [4, 0, 0]})");
  Write("answers_moves.jsonl",
        R"({"player": 0, "frame": 7, "first_contact": 0.375, "brushes": ["m/near"]})");
  Write("other.txt", "");
  const TaskFile file = ReadDataFolder(folder_);
  ASSERT_EQ(file.tasks.size(), 2U);
  EXPECT_EQ(file.tasks[0].questions.size(), 2U);
  ASSERT_EQ(file.tasks[1].questions.size(), 1U);
  EXPECT_TRUE(file.tasks[1].questions[0].is_in_scene);
  EXPECT_EQ(file.scene, (std::vector<std::size_t>{0, 1}));
  EXPECT_TRUE(file.unreadable.empty());
  EXPECT_EQ(file.notes.size(), 1U);
  EXPECT_EQ(file.shape_names.back(), "player");
}

TEST_F(FilesTest, AnAnswerForAnUnknownShapeIsUnreadable) {
  Write("shapes.jsonl", kShapes);
  Write("answers_toc.jsonl",
        R"({"a": "m/near", "pose_a": [0,0,0,1,0,0,0], "b": "m/none", "pose_b": [0,0,0,1,0,0,0]})");
  EXPECT_EQ(ReadDataFolder(folder_).unreadable.size(), 1U);
}

Task FixedTask(std::vector<std::string> faults) {
  Task task;
  task.id = "id";
  task.family = "family";
  task.judge = [faults](absl::Span<const Answer>) { return Judgement{faults}; };
  return task;
}

int ExitCodeOf(const TaskFile& file) {
  std::ostringstream out;
  Report report(out);
  report.Add(file, {});
  report.Finish();
  return report.ExitCode();
}

TEST(Report, ExitsByWhatItSaw) {
  TaskFile good;
  good.tasks = {FixedTask({})};
  EXPECT_EQ(ExitCodeOf(good), 0);
  TaskFile bad = good;
  bad.tasks.push_back(FixedTask({"wrong"}));
  EXPECT_EQ(ExitCodeOf(bad), 1);
  EXPECT_EQ(ExitCodeOf(TaskFile()), 1) << "nothing was judged";
  bad.unreadable = {"line 1"};
  EXPECT_EQ(ExitCodeOf(bad), 2);
}

TEST(Report, ShowsFiftyFailuresAndCountsTheRest) {
  TaskFile file;
  for (int i = 0; i < 60; ++i) file.tasks.push_back(FixedTask({"wrong"}));
  std::ostringstream out;
  Report report(out);
  report.Add(file, {});
  report.Finish();
  EXPECT_NE(out.str().find("and 10 failures more"), std::string::npos);
  EXPECT_NE(out.str().find("0/60"), std::string::npos);
}

}  // namespace
}  // namespace clearance::acceptance
