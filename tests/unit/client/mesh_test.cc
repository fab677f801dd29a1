// SPDX-License-Identifier: Apache-2.0
//
// Shapes of mesh files, written by the test. Volumes are held against closed forms. (What is read
// of each format is tested beside the Python client: integration/meshes.)
#include "clearance/mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_format.h"

namespace clearance::client {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class MeshTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = std::filesystem::temp_directory_path() / "clearance-mesh-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = directory_ / name;
    std::ofstream(path) << text;
    return path;
  }

 private:
  std::filesystem::path directory_;
};

constexpr char kObj[] = R"(v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 2 3 4
f 3 1 4
)";

// The tetrahedron with its slanted face pushed in to (0.2, 0.2, 0.2): six tenths of it are left,
// because the apex lies at 0.6 of the way to that face.
constexpr char kHollow[] = R"(v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
v 0.2 0.2 0.2
f 1 3 2
f 1 2 4
f 3 1 4
f 2 3 5
f 3 4 5
f 4 2 5
)";

// A copy of it, 5 m along x, behind four points.
constexpr char kSecond[] = R"(v 5 0 0
v 6 0 0
v 5 1 0
v 5 0 1
f 5 7 6
f 5 6 8
f 6 7 8
f 7 5 8
)";

absl::StatusOr<Mesh> Parse(const std::string& text) { return ParseMesh(text, ".obj"); }

TEST_F(MeshTest, KeepsThePointsOfFacesInTheFilesOrder) {
  const absl::StatusOr<Mesh> mesh = LoadMesh(
      Write("t.OBJ", "v 9 9 9\nv 0.1 0 -0\nv 0 1 0\nv 0.1 0 0\nv 0 0 1\nf 5 2 3\nf 4 3 5\n"));
  ASSERT_TRUE(mesh.ok()) << mesh.status();
  EXPECT_EQ(mesh->vertices, (std::vector<double>{0.1, 0, 0, 0, 1, 0, 0, 0, 1}));
  ASSERT_EQ(mesh->parts.size(), 1u);
  EXPECT_EQ(mesh->parts[0].triangles,
            (std::vector<std::array<std::uint32_t, 3>>{{2, 0, 1}, {0, 1, 2}}));
}

TEST_F(MeshTest, ScalesEachAxis) {
  const absl::StatusOr<Mesh> mesh = LoadMesh(Write("t.obj", kObj), {0.001, -2, 1});
  ASSERT_TRUE(mesh.ok()) << mesh.status();
  EXPECT_EQ(mesh->vertices, (std::vector<double>{0, 0, 0, 0.001, 0, 0, 0, -2, 0, 0, 0, 1}));
}

TEST_F(MeshTest, NamesAFactorOrAPointThatIsNotFinite) {
  for (const double factor : {0.0, HUGE_VAL}) {
    const absl::Status status = ParseMesh(kObj, ".obj", {1, factor, 1}).status();
    EXPECT_THAT(std::string(status.message()), HasSubstr("must be finite and not 0"));
  }
  const absl::Status status =
      ParseMesh("v 0 0 0\nv 1e30 0 0\nv 0 1 0\nf 1 2 3\n", ".obj", {1e300, 1, 1}).status();
  EXPECT_EQ(status.message(), "point 1 is not finite once it is scaled");
}

TEST_F(MeshTest, NamesTheFileThatItCannotRead) {
  EXPECT_EQ(LoadMesh("/nonexistent/t.obj").status().code(), absl::StatusCode::kNotFound);
  const std::string pipe = Write("pipe.obj", "");
  std::filesystem::remove(pipe);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(std::string(LoadMesh(pipe).status().message()),
              HasSubstr("pipe.obj: it is not a regular file"));
  const absl::Status status = LoadMesh(Write("t.obj", "no mesh at all")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("t.obj: line 1: 'no' is not a statement that is read"));
}

TEST_F(MeshTest, WarnsOfAHollowWithBothVolumes) {
  const MeshShape shape = ToHull(*Parse(kHollow));
  ASSERT_EQ(shape.warnings.size(), 1u);
  EXPECT_EQ(shape.warnings[0],
            "the mesh is not convex: it encloses 0.1 m^3, its convex hull 0.167 m^3 (1.67 times as "
            "much)");
}

TEST_F(MeshTest, WarnsOfSeparateSurfaces) {
  const MeshShape shape = ToHull(*Parse(std::string(kObj) + kSecond));
  ASSERT_EQ(shape.warnings.size(), 1u);
  // The hull is a prism of length 5 and the tetrahedron: 5 / 2 + 1 / 6.
  EXPECT_EQ(shape.warnings[0],
            "the mesh has 2 separate surfaces, which enclose 0.333 m^3, its convex hull 2.67 m^3 "
            "(8.00 times as much)");
}

TEST_F(MeshTest, JudgesOpenMeshesByTheirFaces) {
  std::string open = kHollow;
  open.resize(open.rfind("f 4 2 5"));
  const MeshShape hollow = ToHull(*Parse(open));
  ASSERT_EQ(hollow.warnings.size(), 1u);
  EXPECT_THAT(hollow.warnings[0], HasSubstr("encloses about"));
  std::string without_a_face = kObj;
  without_a_face.resize(without_a_face.rfind("f 3 1 4"));
  EXPECT_THAT(ToHull(*Parse(without_a_face)).warnings, IsEmpty());
}

TEST_F(MeshTest, DoesNotWarnOfWhatIsConvex) {
  std::string inside_out = kObj;
  for (const auto& [from, to] :
       {std::pair("1 3 2", "1 2 3"), {"1 2 4", "2 1 4"}, {"2 3 4", "3 2 4"}, {"3 1 4", "1 3 4"}}) {
    inside_out.replace(inside_out.find(from), 5, to);
  }
  const std::string twice = std::string(kObj) + "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
  const std::string cloud = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
  const std::string flat = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  for (const std::string& text : {std::string(kObj), inside_out, twice, cloud, flat}) {
    EXPECT_THAT(ToHull(*Parse(text)).warnings, IsEmpty()) << text;
  }
}

// The convex hull of many points is looked at in part only.
TEST_F(MeshTest, JudgesALargeBall) {
  std::string text;
  constexpr int kRings = 80;
  for (int i = 0; i <= kRings; ++i) {
    for (int k = 0; k < kRings; ++k) {
      const double polar = M_PI * i / kRings;
      const double around = 2 * M_PI * k / kRings;
      absl::StrAppendFormat(&text, "v %.17g %.17g %.17g\n", std::sin(polar) * std::cos(around),
                            std::sin(polar) * std::sin(around), std::cos(polar));
    }
  }
  for (int i = 0; i < kRings; ++i) {
    for (int k = 0; k < kRings; ++k) {
      const int next = (k + 1) % kRings;
      absl::StrAppendFormat(&text, "f %d %d %d %d\n", 1 + i * kRings + k, 1 + (i + 1) * kRings + k,
                            1 + (i + 1) * kRings + next, 1 + i * kRings + next);
    }
  }
  EXPECT_THAT(ToHull(*Parse(text)).warnings, IsEmpty());
}

TEST_F(MeshTest, TakesTheObjectsOfAFileApart) {
  const absl::StatusOr<MeshShape> shape =
      ToCompound(*Parse(std::string("o first\n") + kObj + "o second\n" + kSecond));
  ASSERT_TRUE(shape.ok()) << shape.status();
  EXPECT_THAT(shape->warnings, IsEmpty());
  const auto& pieces = std::get<Compound>(shape->shape.kind).pieces;
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(std::get<Hull>(pieces[1].shape.kind).vertices,
            (std::vector<double>{5, 0, 0, 6, 0, 0, 5, 1, 0, 5, 0, 1}));
}

TEST_F(MeshTest, TakesSurfacesApartThatShareNoPoint) {
  const absl::StatusOr<MeshShape> shape =
      ToCompound(*Parse(std::string(kHollow) + "v 5 0 0\nv 6 0 0\nv 5 1 0\nv 5 0 1\n"
                                               "f 6 8 7\nf 6 7 9\nf 7 8 9\nf 8 6 9\n"));
  ASSERT_TRUE(shape.ok()) << shape.status();
  EXPECT_EQ(std::get<Compound>(shape->shape.kind).pieces.size(), 2u);
  ASSERT_EQ(shape->warnings.size(), 1u);
  EXPECT_THAT(shape->warnings[0], StartsWith("surface 0: the mesh is not convex"));
}

TEST_F(MeshTest, RefusesToTakeASurfaceApartIntoPatches) {
  std::string text = kObj;
  text.insert(text.find("f 1 3 2"), "g bottom\n");
  text.insert(text.find("f 1 2 4"), "g sides\n");
  const absl::Status status = ToCompound(*Parse(text)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              StartsWith("part 'bottom' is a patch of a closed surface"));
}

}  // namespace
}  // namespace clearance::client
