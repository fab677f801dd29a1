// SPDX-License-Identifier: Apache-2.0
//
// Mesh files in the four formats, written by the test: the same tetrahedron of volume 1/6 each
// time. Volumes are held against closed forms.
#include "mesh/mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace clearance::client {
namespace {

using ::testing::HasSubstr;

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

constexpr char kOff[] = R"(OFF
4 4 0
0 0 0
1 0 0
0 1 0
0 0 1
3 0 2 1
3 0 1 3
3 1 2 3
3 2 0 3
)";

constexpr char kPly[] = R"(ply
format ascii 1.0
element vertex 4
property float x
property float y
property float z
element face 4
property list uchar int vertex_indices
end_header
0 0 0
1 0 0
0 1 0
0 0 1
3 0 2 1
3 0 1 3
3 1 2 3
3 2 0 3
)";

// Every corner of an STL is written again for each of its triangles.
std::string Stl() {
  const char* corners[] = {"0 0 0", "1 0 0", "0 1 0", "0 0 1"};
  const int faces[][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  std::string text = "solid tetrahedron\n";
  for (const auto& face : faces) {
    text += "facet normal 0 0 0\nouter loop\n";
    for (const int corner : face) text += std::string("vertex ") + corners[corner] + "\n";
    text += "endloop\nendfacet\n";
  }
  return text + "endsolid tetrahedron\n";
}

TEST_F(MeshTest, ReadsTheSameTetrahedronFromFourFormats) {
  const std::pair<const char*, std::string> files[] = {
      {"t.obj", kObj}, {"t.off", kOff}, {"t.ply", kPly}, {"t.stl", Stl()}};
  for (const auto& [name, text] : files) {
    const absl::StatusOr<Mesh> mesh = LoadMesh(Write(name, text));
    ASSERT_TRUE(mesh.ok()) << name << ": " << mesh.status();
    EXPECT_EQ(mesh->vertices.size(), 12u) << name;
    EXPECT_EQ(mesh->triangles.size(), 4u) << name;
    const std::optional<double> volume = EnclosedVolume(*mesh);
    ASSERT_TRUE(volume.has_value()) << name;
    EXPECT_DOUBLE_EQ(*volume, 1.0 / 6) << name;
  }
}

TEST_F(MeshTest, AppliesTheScaleInDouble) {
  const absl::StatusOr<Mesh> mesh = LoadMesh(Write("t.obj", kObj), 0.001);
  ASSERT_TRUE(mesh.ok()) << mesh.status();
  EXPECT_EQ(*std::max_element(mesh->vertices.begin(), mesh->vertices.end()), 0.001);
  EXPECT_NEAR(*EnclosedVolume(*mesh), 1e-9 / 6, 1e-22);
}

TEST_F(MeshTest, TakesAllMeshesOfAFileTogether) {
  const absl::StatusOr<Mesh> mesh =
      LoadMesh(Write("two.obj", std::string("o first\n") + kObj +
                                    "o second\nv 5 0 0\nv 6 0 0\nv 5 1 0\nf 5 6 7\n"));
  ASSERT_TRUE(mesh.ok()) << mesh.status();
  EXPECT_EQ(mesh->vertices.size(), 21u);
  EXPECT_FALSE(EnclosedVolume(*mesh).has_value()) << "the lone triangle leaves it open";
}

TEST_F(MeshTest, NamesTheFileThatItCannotRead) {
  EXPECT_EQ(LoadMesh("/nonexistent/t.obj").status().code(), absl::StatusCode::kNotFound);
  const absl::Status status = LoadMesh(Write("t.obj", "no mesh at all")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("t.obj"));
}

TEST_F(MeshTest, NamesACoordinateThatIsNoFiniteNumber) {
  const std::pair<const char*, const char*> apexes[] = {
      {"nan 5 5", "x is nan"},
      {"5 inf 5", "y is inf"},
      {"5 5 -inf", "z is -inf"},
      {"1e39 5 5", "x is inf"}};  // beyond the floats
  for (const auto& [apex, complaint] : apexes) {
    for (const auto& [name, whole] : {std::pair("t.obj", kObj), std::pair("t.off", kOff)}) {
      std::string text = whole;
      text.replace(text.find("0 0 1\n"), 5, apex);
      const absl::Status status = LoadMesh(Write(name, text)).status();
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name << ": " << apex;
      EXPECT_THAT(std::string(status.message()), HasSubstr(name));
      EXPECT_THAT(std::string(status.message()), HasSubstr("vertex 3"));
      EXPECT_THAT(std::string(status.message()), HasSubstr(complaint));
    }
  }
}

TEST_F(MeshTest, NamesACoordinateThatTheScaleMakesInfinite) {
  const absl::Status status = LoadMesh(Write("t.obj", "v 0 0 0\nv 1e30 0 0\nv 0 1 0\nf 1 2 3\n"),
                                       /*scale=*/1e300)
                                  .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("vertex 1: x is inf"));
}

TEST_F(MeshTest, TakesThePointsOfFacesAsFloats) {
  const absl::StatusOr<Mesh> mesh =
      LoadMesh(Write("t.obj", "v 0.1 0 0\nv 1 0 0\nv 0 1 0\nv 9 9 9\nf 1 2 3\n"));
  ASSERT_TRUE(mesh.ok()) << mesh.status();
  EXPECT_EQ(mesh->vertices.size(), 9u) << "no face uses the fourth";
  EXPECT_EQ(mesh->vertices[0], static_cast<double>(0.1f));
  const absl::Status status = LoadMesh(Write("p.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(MeshTest, NamesAVertexThatIsNotThere) {
  for (const auto& [corners, vertex] :
       {std::pair("3 0 1 9999", "9999"), {"4 0 1 2 4", "4"}, {"3 0 1 -1", "4294967295"}}) {
    std::string text = kPly;
    text.replace(text.find("3 0 1 3"), 7, corners);
    const absl::Status status = LoadMesh(Write("t.ply", text)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << corners;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(std::string("t.ply: a face names vertex ") + vertex + ","));
  }
}

TEST_F(MeshTest, LeavesOutThePointsOfLinesAndPoints) {
  const absl::StatusOr<Mesh> plain = LoadMesh(Write("t.obj", kObj));
  ASSERT_TRUE(plain.ok()) << plain.status();
  const std::string apart = "v 100 0 0\nv 0 0 nan\n";
  for (const std::string& text : {kObj + apart + "l 1 5\np 5\nl 2 5 3\np 6\n",
                                  apart + "p 1\nl 1 2\n" + "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n" +
                                      "f 3 5 4\nl 3 1\nf 3 4 6\nf 4 5 6\nf 5 3 6\n"}) {
    const absl::StatusOr<Mesh> mesh = LoadMesh(Write("l.obj", text));
    ASSERT_TRUE(mesh.ok()) << mesh.status();
    EXPECT_EQ(mesh->vertices, plain->vertices) << text;
    EXPECT_EQ(mesh->triangles, plain->triangles) << text;
  }
  const absl::Status status = LoadMesh(Write("l.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("l.obj: no faces in it"));
}

TEST_F(MeshTest, LeavesOutThePointsOfNoFaceWhateverTheFormat) {
  for (const auto& [name, whole] : {std::pair("t.off", kOff), std::pair("t.ply", kPly)}) {
    const absl::StatusOr<Mesh> plain = LoadMesh(Write(name, whole));
    ASSERT_TRUE(plain.ok()) << plain.status();
    std::string text = whole;
    text.replace(text.find("0 0 1\n"), 6, "0 0 1\n9 9 9\n");
    const std::string count = name == std::string("t.off") ? "4 4 0" : "vertex 4";
    text.replace(text.find(count) + count.find('4'), 1, "5");
    const absl::StatusOr<Mesh> mesh = LoadMesh(Write(name, text));
    ASSERT_TRUE(mesh.ok()) << name << ": " << mesh.status();
    EXPECT_EQ(mesh->vertices, plain->vertices) << name;
    EXPECT_EQ(mesh->triangles, plain->triangles) << name;
  }
}

// assimp makes two triangles of it, which use four of its points.
TEST_F(MeshTest, TakesEveryPointOfAPolygonThatCrossesItself) {
  const absl::StatusOr<Mesh> mesh =
      LoadMesh(Write("star.obj",
                     "v 0.0005 0.0005 0\nv 0.0005 0.0001 0\nv 0.0004 0.0003 0\nv 0.0009 0.0007 0\n"
                     "v 0.0002 0.0009 0\nv 0.0008 0.0001 0\nv 0.0005 0 0\nf 1 2 3 4 5 6 7\n"));
  ASSERT_TRUE(mesh.ok()) << mesh.status();
  EXPECT_EQ(mesh->vertices.size(), 21u);
}

TEST_F(MeshTest, WarnsOfAHollowWithBothNumbers) {
  // The tetrahedron with its slanted face pushed in to (0.2, 0.2, 0.2): six tenths of it are left,
  // because the apex lies at 0.6 of the way to that face.
  const absl::StatusOr<Mesh> mesh =
      LoadMesh(Write("hollow.obj",
                     "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.2 0.2 0.2\n"
                     "f 1 3 2\nf 1 2 4\nf 3 1 4\nf 2 3 5\nf 3 4 5\nf 4 2 5\n"));
  ASSERT_TRUE(mesh.ok()) << mesh.status();
  EXPECT_NEAR(*EnclosedVolume(*mesh), 0.1, 1e-7);
  const std::optional<std::string> warning = ConcavityWarning(*mesh, 1.0 / 6);
  ASSERT_TRUE(warning.has_value());
  EXPECT_THAT(*warning, HasSubstr("encloses 0.1 m^3"));
  EXPECT_THAT(*warning, HasSubstr("hull 0.166667 m^3"));
}

TEST_F(MeshTest, DoesNotWarnOfConvexOrOpenMeshes) {
  EXPECT_FALSE(ConcavityWarning(*LoadMesh(Write("t.obj", kObj)), 1.0 / 6).has_value());
  const absl::StatusOr<Mesh> open =
      LoadMesh(Write("o.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"));
  ASSERT_TRUE(open.ok());
  EXPECT_FALSE(ConcavityWarning(*open, 1).has_value());
}

TEST_F(MeshTest, TakesNoMeshForClosedWhoseTrianglesAreThereTwice) {
  Mesh mesh = *LoadMesh(Write("t.obj", kObj));
  const std::vector<std::array<std::uint32_t, 3>> again = mesh.triangles;
  mesh.triangles.insert(mesh.triangles.end(), again.begin(), again.end());
  EXPECT_FALSE(EnclosedVolume(mesh).has_value());
}

TEST_F(MeshTest, TakesTheVolumeOfAMeshWoundInsideOut) {
  Mesh mesh = *LoadMesh(Write("t.obj", kObj));
  for (auto& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
  EXPECT_DOUBLE_EQ(*EnclosedVolume(mesh), 1.0 / 6);
  std::swap(mesh.triangles[0][1], mesh.triangles[0][2]);
  EXPECT_FALSE(EnclosedVolume(mesh).has_value()) << "one triangle against the others";
}

}  // namespace
}  // namespace clearance::client
