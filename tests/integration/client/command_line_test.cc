// SPDX-License-Identifier: Apache-2.0
//
// The command line as scripts see it: exit codes, JSON and warnings, against the real server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/integration/client/real_server.h"

namespace clearance::client {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

using Json = nlohmann::ordered_json;

struct Ran {
  int exit_code = -1;
  std::string output;  // of both streams
};

class CommandLine : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = std::filesystem::temp_directory_path() / "clearance-cli-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = directory_ / name;
    std::ofstream(path) << text;
    return path;
  }

  Ran Run(const std::string& arguments) const { return Execute(CLEARANCE_CLI " " + arguments); }

  std::string ShutdownAndScrape() const { return server_.ShutdownAndScrape(); }

  Ran Demo() const { return Execute(CLEARANCE_GRASP_DEMO " " + server_.address()); }

 private:
  Ran Execute(const std::string& program) const {
    const std::string command = "CLEARANCE_ADDR=" + server_.address() + " " + program + " 2>&1";
    Ran ran;
    FILE* pipe = popen(command.c_str(), "r");
    char buffer[4096];
    for (std::size_t n; (n = fread(buffer, 1, sizeof(buffer), pipe)) > 0;) {
      ran.output.append(buffer, n);
    }
    ran.exit_code = WEXITSTATUS(pclose(pipe));
    return ran;
  }

  const RealServer server_;
  std::filesystem::path directory_;
};

constexpr char kBall[] = R"('{"sphere":{"radius":0.5}}' )";

TEST_F(CommandLine, TellsFreeNotFreeAndErrorApart) {
  const std::string balls = std::string(kBall) + kBall;
  EXPECT_EQ(Run("distance " + balls + "--pose-b 2 0 0 0 0 0 1").exit_code, 0);
  EXPECT_EQ(Run("distance " + balls + "--pose-b 0.5 0 0 0 0 0 1").exit_code, 1);
  EXPECT_EQ(Run("distance " + balls + "--pose-b 2 0 0 0 0 0 7").exit_code, 2);
  EXPECT_EQ(Run("distance " + balls + "--max-distance 1 --pose-b 9 0 0 0 0 0 1").exit_code, 0);
  EXPECT_EQ(Run("intersect " + balls + "--pose-b=-2,0,0,0,0,0,1").exit_code, 0);
  EXPECT_EQ(Run("intersect " + balls).exit_code, 1);
  EXPECT_EQ(Run("toc " + balls + "--pose-b 2 0 0 0 0 0 1").exit_code, 0);
  EXPECT_EQ(Run("toc " + balls + "--pose-b 2 0 0 0 0 0 1 --displacement-b -2 0 0").exit_code, 1);
  EXPECT_EQ(Run("toc " + balls).exit_code, 1);
  EXPECT_EQ(Run("distance nobody nobody").exit_code, 2);
  EXPECT_EQ(Run("distance nobody").exit_code, 2);
  EXPECT_EQ(Run("no-such-command").exit_code, 2);
  EXPECT_EQ(Run("--addr unix:/nonexistent health").exit_code, 2);
  EXPECT_EQ(Run("health").exit_code, 0);
  EXPECT_EQ(Run("--help").exit_code, 0);
}

TEST_F(CommandLine, SaysUnknownForAnUndecidedRow) {
  const std::string file = Write("late.json", R"({
    "shapes": [{"inlineShape": {"point": {}}}, {"inlineShape": {"sphere": {"radius": 0.5}}}],
    "batch": {"pairs": {"count": 2, "posesB": [2, 0, 0, 0, 0, 0, 1]},
              "options": {"timeBudget": "0s"}}})");
  const Ran ran = Run("distance --batch " + file);
  EXPECT_EQ(ran.exit_code, 3) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("BUDGET"));
}

TEST_F(CommandLine, PrintsNumbersWithAllTheirDigitsAsJson) {
  const Ran ran = Run(std::string("distance ") + kBall + kBall +
                      "--pose-b 1.1000000000000001 0 0 0 0 0 1 --json --normals");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr(R"("state": "SEPARATED")"));
  EXPECT_THAT(ran.output, HasSubstr(R"("distance": 0.10000000000000009)"));
  EXPECT_THAT(ran.output, HasSubstr("\"normal\": [\n      1.0,"));
}

TEST_F(CommandLine, LetsAnInitialContactPartAndShowsWhyItIsFree) {
  const std::string parting = std::string("toc ") + kBall + kBall +
                              "--pose-b 0.75 0 0 0 0 0 1 --displacement-b 2 0 0 --json ";
  const Ran overlap = Run(parting + "--distances --normals");
  EXPECT_EQ(overlap.exit_code, 1) << overlap.output;
  EXPECT_EQ(Json::parse(overlap.output)[0]["distance"], -0.25);
  EXPECT_EQ(Json::parse(overlap.output)[0]["normal"], Json({1.0, 0.0, 0.0}));
  const Ran free = Run(parting + "--ignore-initial-contact --proofs");
  EXPECT_EQ(free.exit_code, 0) << free.output;
  const Json row = Json::parse(free.output)[0];
  EXPECT_GE(row["t_leave"], 0.125);
  EXPECT_GE(row["proof"].size(), 1u);
  EXPECT_LE(row["proof"][0]["t_begin"], row["t_leave"]);
}

TEST_F(CommandLine, ShowsDepthContactsAndItsProof) {
  const std::string cubes = R"('{"box":{"halfExtents":{"x":1,"y":1,"z":1}}}' )";
  const Ran ran = Run("distance " + cubes + cubes +
                      "--pose-b 1.75 0 0 0 0 0 1 --normals --contacts --depth-proofs "
                      "--max-contact-separation 0 --json");
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  const Json row = Json::parse(ran.output)[0];
  EXPECT_EQ(row["distance"], -0.25);
  EXPECT_EQ(row["normal"], Json({1.0, 0.0, 0.0}));
  EXPECT_EQ(row["contacts"].size(), 4u);
  EXPECT_EQ(row["contacts"][0]["distance"], -0.25);
  EXPECT_GE(row["depth_proof"]["facets"].size(), 4u);
}

TEST_F(CommandLine, TellsWhichPieceOfACompoundIsNearest) {
  const std::string dumbbell = Write("dumbbell.json", R"({"compound": {"pieces": [
    {"shape": {"sphere": {"radius": 0.5}}, "pose": [-2, 0, 0, 0, 0, 0, 1]},
    {"shape": {"sphere": {"radius": 0.5}}, "pose": [2, 0, 0, 0, 0, 0, 1]}]}})");
  const Ran registered = Run("register dumbbell " + dumbbell + " --json");
  EXPECT_EQ(registered.exit_code, 0) << registered.output;
  EXPECT_EQ(Json::parse(registered.output)["shape"]["piece_count"], 2);
  const Ran ran =
      Run(std::string("distance dumbbell ") + kBall + "--pose-b 4 0 0 0 0 0 1 --pieces --json");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_EQ(Json::parse(ran.output)[0]["piece_a"], 1);
  EXPECT_EQ(Json::parse(ran.output)[0]["distance"], 1.0);
}

TEST_F(CommandLine, RegistersAMeshAndWarnsOfItsHollow) {
  const std::string obj = Write("hollow.obj",
                                "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.2 0.2 0.2\n"
                                "f 1 3 2\nf 1 2 4\nf 3 1 4\nf 2 3 5\nf 3 4 5\nf 4 2 5\n");
  const Ran ran = Run("register hollow " + obj);
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("the mesh is not convex: it encloses 0.1 m^3"));
  EXPECT_THAT(Run("list").output, HasSubstr("hollow"));
  EXPECT_THAT(Run("get hollow --content --json").output, HasSubstr("\"vertices\""));
  EXPECT_EQ(Run("delete hollow").exit_code, 0);
  EXPECT_THAT(Run("list").output, Not(HasSubstr("hollow")));
}

TEST_F(CommandLine, RegistersAShapeOfJson) {
  const std::string json = Write("rod.json", R"({"capsule": {"radius": 0.1, "halfLength": 1}})");
  EXPECT_EQ(Run("register rod " + json).exit_code, 0);
  const Ran ran = Run("distance rod rod --pose-b 1 0 0 0 0 0 1");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("0.8"));
  EXPECT_EQ(Run("register rod " + Write("bad.json", "{")).exit_code, 2);
}

TEST_F(CommandLine, RegistersAShapeOfJsonText) {
  const Ran ran = Run(std::string("register ball ") + kBall);
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(Run("list").output, HasSubstr("ball"));
  EXPECT_EQ(Run("register ball '{\"sphere\":'").exit_code, 2);
}

TEST_F(CommandLine, RefusesToScaleAShapeOfJson) {
  const std::string json = Write("rod.json", R"({"capsule": {"radius": 0.1, "halfLength": 1}})");
  for (const std::string& shape : {json, std::string(kBall)}) {
    const Ran ran = Run("register rod " + shape + " --scale 0.001");
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_THAT(ran.output, HasSubstr("--scale is for mesh files"));
  }
  EXPECT_EQ(Run("get rod").exit_code, 2) << "registered all the same";
}

// The content as it is printed is the content: it has the digest of the first.
TEST_F(CommandLine, ShowsContentThatRegistersAsTheSameShape) {
  const std::string shapes[] = {
      R"({"point":{},"radius":0.1})",
      R"({"sphere":{"radius":0.5}})",
      R"({"capsule":{"radius":0.1,"halfLength":1.1}})",
      R"({"box":{"halfExtents":{"x":0.1,"y":0.2,"z":0.3}}})",
      R"({"segment":{"a":{"x":1},"b":{"y":0.30000000000000004}}})",
      R"({"triangle":{"a":{"x":1},"b":{"y":1},"c":{"z":1}},"radius":0.25})",
      R"({"polygon":{"vertices":[0,0,1,0,0,1e-05]}})",
      R"({"hull":{"vertices":[0,0,0,1,0,0,0,0.1,0]}})",
      R"({"cylinder":{"radius":0.5,"halfLength":1.1}})",
      R"({"cone":{"radius":0.5,"halfLength":1.1},"radius":0.25})",
      R"({"ellipsoid":{"semiAxes":{"x":0.1,"y":0.2,"z":0.3}}})",
      R"({"compound":{"pieces":[{"shape":{"sphere":{"radius":0.5}},"pose":[0,0,1,0,0,0,1]}]}})"};
  for (const std::string& shape : shapes) {
    const Ran registered = Run("register first '" + shape + "' --replace");
    ASSERT_EQ(registered.exit_code, 0) << registered.output;
    const Ran shown = Run("get first --content");
    EXPECT_THAT(shown.output, HasSubstr(shape));
    const Json info = Json::parse(Run("get first --content --json").output);
    const std::string again = Write("again.json", info["content"].dump());
    ASSERT_EQ(Run("register again " + again + " --replace").exit_code, 0) << shape;
    EXPECT_EQ(Json::parse(Run("get again --json").output)["digest"], info["digest"]) << shape;
  }
}

TEST_F(CommandLine, PrintsNothingForAnEmptyList) {
  const Ran ran = Run("list");
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.output, "");
  EXPECT_EQ(Run("list --json").output, "[]\n");
}

// A session that is dropped is booked as Canceled.
TEST_F(CommandLine, EndsItsSessionsInOrder) {
  EXPECT_EQ(Run(std::string("intersect ") + kBall + kBall).exit_code, 1);
  EXPECT_EQ(Run("distance nobody nobody").exit_code, 2);
  EXPECT_EQ(Run("bench --messages 2 --rows 2").exit_code, 0);
  EXPECT_THAT(ShutdownAndScrape(),
              ContainsRegex("grpc_server_handled_total\\{grpc_code=\"OK\",grpc_method=\"Session\""
                            "[^}]*\\} 3\n"));
}

TEST_F(CommandLine, GraspDemoProvesEveryAnswerAgain) {
  const Ran ran = Demo();
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("155 answers proved again from their normals and witnesses, 0 "
                                    "refuted, 0 came without a proof"));
}

TEST_F(CommandLine, MeasuresAndChecksItsAnswers) {
  const Ran ran = Run("bench --messages 20 --rows 8 --json");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("queries_per_second"));
}

}  // namespace
}  // namespace clearance::client
