// SPDX-License-Identifier: Apache-2.0
//
// The command line as scripts use it: exit codes, JSON and warnings, against the real server.
#include "tests/integration/client/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "clearance/scene.h"
#include "internal/scene_convert.h"
#include "tests/unit/client/fake_server.h"

namespace clearance::client {
namespace {

using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

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

// In protobuf's JSON a number that is left out is 0: a box without its extents would be a point.
TEST_F(CommandLine, RefusesAShapeThatLacksALength) {
  const std::pair<const char*, const char*> shapes[] = {
      {R"({"box":{}})", "box.half_extents.x"},
      {R"({"box":{"half_extents":{"x":1,"z":1}}})", "box.half_extents.y"},
      {R"({"sphere":{}})", "sphere.radius"},
      {R"({"capsule":{"radius":1}})", "capsule.half_length"},
      {R"({"segment":{"a":{"x":1}}})", "segment.b"},
      {R"({"ellipsoid":{"semiAxes":{"x":1,"y":1}}})", "ellipsoid.semi_axes.z"},
      {R"({"compound":{"pieces":[{"shape":{"cone":{"radius":1}}}]}})",
       "compound.pieces[0].shape.cone.half_length"},
  };
  for (const auto& [shape, missing] : shapes) {
    const Ran ran = Run(absl::StrCat("register lacking ", Write("lacking.json", shape)));
    EXPECT_EQ(ran.exit_code, 2) << shape;
    EXPECT_THAT(ran.output, HasSubstr(absl::StrCat("missing ", missing, ":")));
    const std::string batch = absl::StrCat(R"({"shapes":[{"inlineShape":)", shape, "}]}");
    EXPECT_THAT(Run("distance --batch " + Write("batch.json", batch)).output,
                HasSubstr(absl::StrCat("missing ", missing, ":")));
  }
}

TEST_F(CommandLine, ReadsAShapeThatItPrinted) {
  for (const char* shape :
       {R"({"box":{"half_extents":{"x":1,"y":0,"z":0}}})", R"({"segment":{"a":{},"b":{"x":1}}})",
        R"({"cylinder":{"radius":0,"half_length":1}})"}) {
    ASSERT_EQ(
        Run(absl::StrCat("register first ", Write("first.json", shape), " --replace")).exit_code,
        0);
    const Json first = Json::parse(Run("get first --content --json").output);
    const std::string again = Write("again.json", first["content"].dump());
    ASSERT_EQ(Run(absl::StrCat("register again ", again, " --replace")).exit_code, 0) << first;
    EXPECT_EQ(Json::parse(Run("get again --json").output)["digest"], first["digest"]);
  }
}

TEST_F(CommandLine, CarriesShapesFromOneServerToAnotherToTheLastBit) {
  const Client here = server().Connect();
  const Shape ball{Sphere{0.1}, 0.2};
  ASSERT_TRUE(here.Register("set/ball", ball).ok());
  ASSERT_TRUE(
      here.Register("set/hull", {Hull{{-0.0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0.1}, {}, {}}, 0.1})
          .ok());
  ASSERT_TRUE(
      here.Register("set/pair", {Compound{{{ball, {}}, {kUnitBox, {.x = 1.0 / 3}}}}, 0}).ok());
  ASSERT_TRUE(here.Register("other", kUnitBox).ok());
  const std::string file = File("shapes");
  const Ran exported = Run("--json export --prefix set/ " + file);
  EXPECT_EQ(exported.exit_code, 0) << exported.output;
  EXPECT_EQ(Json::parse(exported.output)["shapes"], 3);

  const RealServer there;
  const std::string import = "--json --addr " + there.address() + " import " + file;
  for (int time = 0; time < 2; ++time) {  // repeating it does no harm
    const Ran imported = Run(import);
    EXPECT_EQ(imported.exit_code, 0) << imported.output;
    EXPECT_EQ(Json::parse(imported.output)["registered"], 3);
  }
  const auto given = here.List("set/"), taken = there.Connect().List();
  ASSERT_EQ(taken->size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ((*taken)[i].name, (*given)[i].name);
    EXPECT_EQ((*taken)[i].digest, (*given)[i].digest);
  }
}

SceneChange TwoBodies(double x) {
  SceneChange content;
  content.bodies = {.count = 2,
                    .ids = {7, 3},
                    .shapes = {ByName{"set/crate"}},
                    .poses = {-0.0, 0, 0, 0, 0, 0, 1, x, 0, 0, 0, 0, 0, 1},
                    .margins = {0.25}};
  content.rules = {
      .count = 1, .bodies_a = {3}, .bodies_b = {7}, .kinds = {PairRuleKind::kMayTouch}};
  return content;
}

// A server with two kept scenes and one that has a ttl, exported.
class ExportedScenes : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    file_ = File("scenes");
    const Client client = server().Connect();
    const SceneClient scenes(client);
    EXPECT_TRUE(client.Register("set/crate", kUnitBox).ok());
    EXPECT_TRUE(scenes.Create("set/cell", TwoBodies(1.0 / 3)).ok());
    EXPECT_TRUE(scenes.Create("set/empty", {}).ok());
    EXPECT_TRUE(scenes.Create("set/short", {}, absl::Minutes(10)).ok());
    EXPECT_TRUE(scenes.Create("other", {}).ok());
    const Ran exported = Run("--json export --prefix set/ " + file_);
    EXPECT_EQ(exported.exit_code, 0) << exported.output;
    EXPECT_EQ(Json::parse(exported.output)["shapes"], 1);
    EXPECT_EQ(Json::parse(exported.output)["scenes"], 2);
  }

  Ran Import(const std::string& options = "") {
    return Run("--json --addr " + there_.address() + " import " + options + " " + file_);
  }
  // As a message, to the last bit.
  static std::string ContentOf(const Client& client, const std::string& name) {
    const auto found = SceneClient(client).Get(name, {.include_content = true});
    EXPECT_TRUE(found.ok()) << found.status();
    v1::SceneChange content;
    if (found.ok()) ToProto(found->content, &content);
    return content.SerializeAsString();
  }

  std::string file_;
  const RealServer there_;
};

TEST_F(ExportedScenes, AreMadeElsewhereToTheLastBit) {
  for (int time = 0; time < 2; ++time) {  // repeating it does no harm
    const Ran imported = Import();
    EXPECT_EQ(imported.exit_code, 0) << imported.output;
    EXPECT_EQ(Json::parse(imported.output)["registered"], 1);
    EXPECT_EQ(Json::parse(imported.output)["scenes"], 2);
  }
  const Client there = there_.Connect();
  const auto taken = SceneClient(there).List();
  ASSERT_EQ(taken->size(), 2u);
  for (const SceneInfo& scene : *taken) {
    EXPECT_EQ(scene.revision, 1u);
    EXPECT_EQ(scene.ttl, std::nullopt);
    EXPECT_EQ(ContentOf(there, scene.name), ContentOf(server().Connect(), scene.name));
  }
  EXPECT_EQ((*taken)[0].body_count, 2u);
  EXPECT_EQ((*taken)[0].rule_count, 1u);
}

TEST_F(ExportedScenes, TakeANameThatHasAnotherOnlyWhereTheyAreToldTo) {
  const Client there = there_.Connect();
  ASSERT_TRUE(there.Register("set/crate", kUnitBox).ok());
  ASSERT_TRUE(SceneClient(there).Create("set/cell", TwoBodies(5)).ok());
  const Ran refused = Import();
  EXPECT_EQ(refused.exit_code, 2);
  const Json answer = Json::parse(refused.output);
  EXPECT_EQ(answer["scenes"], 1);
  ASSERT_EQ(answer["refusals"].size(), 1u);
  EXPECT_EQ(answer["refusals"][0]["name"], "set/cell");
  EXPECT_EQ(answer["refusals"][0]["code"], "ALREADY_EXISTS");
  const Ran replaced = Import("--replace");
  EXPECT_EQ(replaced.exit_code, 0) << replaced.output;
  EXPECT_EQ(Json::parse(replaced.output)["scenes"], 2);
  EXPECT_EQ(ContentOf(there, "set/cell"), ContentOf(server().Connect(), "set/cell"));
}

TEST_F(ExportedScenes, AreKeptAlsoWhereOneOfTheNameHadATtl) {
  const Client there = there_.Connect();
  ASSERT_TRUE(SceneClient(there).Create("set/empty", {}, absl::Minutes(10)).ok());
  EXPECT_EQ(Json::parse(Import().output)["refusals"][0]["name"], "set/empty");
  const Ran replaced = Import("--replace");
  EXPECT_EQ(replaced.exit_code, 0) << replaced.output;
  const auto found = SceneClient(there).Get("set/empty");
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->info.ttl, std::nullopt);
}

TEST_F(ExportedScenes, AreRefusedWhereAShapeOfTheirsIsNotThere) {
  std::ifstream whole(file_);
  std::string first, shape, scenes;
  std::getline(whole, first);
  std::getline(whole, shape);
  std::getline(whole, scenes, '\0');
  whole.close();
  std::ofstream(file_) << first << '\n' << scenes;
  const Ran ran = Import();
  EXPECT_EQ(ran.exit_code, 2);
  const Json answer = Json::parse(ran.output);
  EXPECT_EQ(answer["scenes"], 1);  // the empty one
  ASSERT_EQ(answer["refusals"].size(), 1u);
  EXPECT_EQ(answer["refusals"][0]["code"], "NOT_FOUND");
  EXPECT_EQ(answer["refusals"][0]["field"], "content.bodies.shapes[0].digest");
}

// As `clearance export` wrote them before there were scenes.
TEST_F(CommandLine, ImportsAFileOfVersion1) {
  const Client client = server().Connect();
  ASSERT_TRUE(client.Register("a", kUnitBox).ok());
  const std::string file = File("shapes");
  ASSERT_EQ(Run("export " + file).exit_code, 0);
  std::ifstream whole(file);
  std::string first, shape;
  std::getline(whole, first);
  std::getline(whole, shape);
  EXPECT_EQ(first, R"({"clearance_shapes":2})");
  ASSERT_TRUE(client.Delete("a").ok());
  const Ran ran = Run("--json import " + Write("old", "{\"clearance_shapes\":1}\n" + shape));
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_EQ(Json::parse(ran.output)["registered"], 1);
  EXPECT_TRUE(client.Get(ByName{"a"}).ok());
  EXPECT_EQ(Run("import " + Write("newer", "{\"clearance_shapes\":3}\n")).exit_code, 2);
}

TEST_F(CommandLine, ImportsWhatItCanAndTellsTheRest) {
  const Client client = server().Connect();
  ASSERT_TRUE(client.Register("a", {Hull{{0, 0, 0, 1, 0, 0, 0, 1, 0}, {}, {}}, 0}).ok());
  ASSERT_TRUE(client.Register("b", kUnitBox).ok());
  const std::string file = File("shapes");
  ASSERT_EQ(Run("export " + file).exit_code, 0);
  ASSERT_TRUE(client.Delete("b").ok());
  ASSERT_TRUE(client.Register("a", kUnitBox, {.replace = true}).ok());

  const Ran ran = Run("--json import " + file);
  EXPECT_EQ(ran.exit_code, 2);
  const Json answer = Json::parse(ran.output);
  EXPECT_EQ(answer["registered"], 1);
  ASSERT_EQ(answer["refusals"].size(), 1u);
  EXPECT_EQ(answer["refusals"][0]["name"], "a");
  EXPECT_EQ(answer["refusals"][0]["code"], "ALREADY_EXISTS");
  EXPECT_EQ(Run("import --replace " + file).exit_code, 0);
}

TEST_F(CommandLine, NamesTheLineOfAnImportThatIsMalformed) {
  const Ran none = Run("import " + Write("shapes.txt", "crate\n"));
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.output, HasSubstr("first line"));
  for (const char* line :
       {R"({"scene": "a"})", R"({"scene": "", "content": ""})", R"({"scene": "a", "content": "%"})",
        R"({"scene": "a", "content": "////"})"}) {
    const Ran bad =
        Run("import " + Write("bad", std::string("{\"clearance_shapes\":2}\n") + line + "\n"));
    EXPECT_EQ(bad.exit_code, 2) << line;
    EXPECT_THAT(bad.output, HasSubstr("bad:2")) << line;
  }
  const Ran cut = Run("import " + Write("cut", "{\"clearance_shapes\":1}\n{\"name\":\"a\", \"sh"));
  EXPECT_EQ(cut.exit_code, 2);
  EXPECT_THAT(cut.output, HasSubstr("cut:2"));
}

TEST_F(CommandLine, TellsWhichPieceOfACompoundIsNearest) {
  const std::string dumbbell = Write("dumbbell.json", R"({"compound": {"pieces": [
    {"shape": {"sphere": {"radius": 0.5}}, "pose": [-2, 0, 0, 0, 0, 0, 1]},
    {"shape": {"sphere": {"radius": 0.5}}, "pose": [2, 0, 0, 0, 0, 0, 1]}]}})");
  const Ran registered = Run("register dumbbell " + dumbbell + " --json");
  EXPECT_EQ(registered.exit_code, 0) << registered.output;
  EXPECT_EQ(Json::parse(registered.output)["info"]["piece_count"], 2);
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

TEST_F(CommandLine, AdvisesToSplitOnlyAMeshOfSeveralPieces) {
  const std::string dent =
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.2 0.2 0.2\n"
      "f 1 3 2\nf 1 2 4\nf 3 1 4\nf 2 3 5\nf 3 4 5\nf 4 2 5\n";
  const std::string other =
      "v 5 0 0\nv 6 0 0\nv 5 1 0\nv 5 0 1\nf 6 8 7\nf 6 7 9\nf 7 8 9\nf 8 6 9\n";
  const std::string one = Write("one.obj", dent), two = Write("two.obj", dent + other);
  EXPECT_THAT(Run("register one " + one).output,
              HasSubstr("queries see the hull: decompose it first (for example with CoACD or "
                        "V-HACD), or --hull says"));
  EXPECT_THAT(Run("register two " + two).output,
              HasSubstr("queries see the hull: --parts takes the mesh apart, or --hull says"));
  EXPECT_THAT(Run("register two --replace --parts " + two).output,
              HasSubstr("queries see the hull: decompose it first"));
}

TEST_F(CommandLine, ArgumentThatIsNeitherNameNorFile_SaysBoth) {
  const std::string advice = "; `clearance list` shows the names\n";
  for (const std::string argument : {"ball.stl", "meshes/ball", "/absent/Ball.STL"}) {
    EXPECT_THAT(Run("distance " + argument + " " + kBall).output,
                HasSubstr("no file '" + argument + "', and no shape of that name" + advice));
  }
  EXPECT_THAT(Run(std::string("distance ball ") + kBall).output,
              HasSubstr("NOT_FOUND: no shape has the name 'ball'" + advice));
  const std::string unread = Write("ball.dae", "");
  EXPECT_THAT(Run("distance " + unread + " " + kBall).output,
              HasSubstr("a file must be .obj, .stl, .ply, .off or .json" + advice));
  EXPECT_THAT(Run("delete ball.stl").output, HasSubstr("No such shape is registered"));
}

TEST_F(CommandLine, NameOfAnotherContent_NamesTheOption) {
  EXPECT_EQ(Run(std::string("register ball ") + kBall).exit_code, 0);
  const Ran ran = Run(R"(register ball '{"sphere":{"radius":2}}')");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.output, HasSubstr("choose another name or set --replace.\n  reason:"));
}

TEST_F(CommandLine, TooFewNumbers_NamesThem) {
  EXPECT_THAT(Run(std::string("distance ") + kBall + kBall + "--pose-a 1 2 3").output,
              HasSubstr("--pose-a: At least 7 required but received 3: x y z qx qy qz qw of A\n"));
}

TEST_F(CommandLine, WrongJsonOfAShape_SaysWhatToWrite) {
  for (const auto& [shape, text] :
       {std::pair(R"({"sphere":{"r":1}})", "(sphere) r: Cannot find field. Fields: radius\n"),
        {R"({"compound":{"pieces":[{"shape":{"cone":{"r":1}}}]}})",
         "Cannot find field. Fields: radius, half_length\n"},
        {R"({"ball":{}})", "ball: Cannot find field. Fields: point, segment,"},
        {R"({"box":{"half_extents":[1,1,1]}})", R"(cannot start list. A vector is {"x": 1, )"}}) {
    EXPECT_THAT(Run(absl::StrCat("register s '", shape, "'")).output, HasSubstr(text));
  }
}

TEST_F(CommandLine, CurvedShape_HasNoCountOfPoints) {
  const std::string cylinder = R"('{"cylinder":{"radius":1,"halfLength":1}}')";
  EXPECT_THAT(Run("register can " + cylinder).output, ContainsRegex("point_count +-\n"));
  EXPECT_THAT(Run("list").output, ContainsRegex("can +v1-sha256-[0-9a-f.]+ +- +1 "));
  EXPECT_EQ(Json::parse(Run("list --json").output)[0]["point_count"], 0);
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
    EXPECT_THAT(ran.output, HasSubstr("are for mesh files: the numbers of a shape in JSON"));
  }
  EXPECT_EQ(Run("get rod").exit_code, 2) << "registered all the same";
}

// The content as it is printed is the content: it has the digest of the first.
TEST_F(CommandLine, ShowsContentThatRegistersAsTheSameShape) {
  const std::string shapes[] = {
      R"({"point":{},"sweptSphereRadius":0.1})",
      R"({"sphere":{"radius":0.5}})",
      R"({"capsule":{"radius":0.1,"halfLength":1.1}})",
      R"({"box":{"halfExtents":{"x":0.1,"y":0.2,"z":0.3}}})",
      R"({"segment":{"a":{"x":1},"b":{"y":0.30000000000000004}}})",
      R"({"triangle":{"a":{"x":1},"b":{"y":1},"c":{"z":1}},"sweptSphereRadius":0.25})",
      R"({"polygon":{"vertices":[0,0,1,0,0,1e-05]}})",
      R"({"hull":{"vertices":[0,0,0,1,0,0,0,0.1,0]}})",
      R"({"cylinder":{"radius":0.5,"halfLength":1.1}})",
      R"({"cone":{"radius":0.5,"halfLength":1.1},"sweptSphereRadius":0.25})",
      R"({"ellipsoid":{"semiAxes":{"x":0.1,"y":0.2,"z":0.3}}})",
      R"({"compound":{"pieces":[{"shape":{"sphere":{"radius":0.5}},"pose":[0,0,1,0,0,0,1]}]}})"};
  for (const std::string& shape : shapes) {
    const Ran registered = Run("register first '" + shape + "' --replace");
    ASSERT_EQ(registered.exit_code, 0) << registered.output;
    const Ran shown = Run("get first --content --wide");
    EXPECT_THAT(shown.output, HasSubstr(shape));
    const Json info = Json::parse(Run("get first --content --json").output);
    const std::string again = Write("again.json", info["content"].dump());
    ASSERT_EQ(Run("register again " + again + " --replace").exit_code, 0) << shape;
    EXPECT_EQ(Json::parse(Run("get again --json").output)["digest"], info["digest"]) << shape;
  }
}

TEST_F(CommandLine, DeleteWithEtag_OnlyTheDigestOfTheName) {
  const Json ball = Json::parse(Run(std::string("register ball ") + kBall + "--json").output);
  const Json other = Json::parse(Run(R"(register other '{"sphere":{"radius":2}}' --json)").output);
  const std::string etag = "delete ball --etag ";
  const Ran refused = Run(etag + other["info"]["digest"].get<std::string>());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.output, HasSubstr("etag"));
  EXPECT_EQ(Run(etag + ball["info"]["digest"].get<std::string>()).exit_code, 0);
  EXPECT_EQ(Run("get ball").exit_code, 2);
}

TEST_F(CommandLine, PrintsNothingForAnEmptyList) {
  const Ran ran = Run("list");
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.output, "");
  EXPECT_EQ(Run("list --json").output, "[]\n");
}

// A dropped session is counted as Canceled.
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

// Its answers have neither normals nor witnesses.
TEST_F(CommandLine, SendsForADoctorWhoAsksForAProof) {
  const FakeServer fake({});
  const Ran ran = RunApart("--json --addr " + fake.address() + " doctor");
  EXPECT_EQ(ran.exit_code, 2);
  const Json checks = Json::parse(ran.output)["checks"];
  EXPECT_EQ(checks.back()["check"], "proof");
  EXPECT_EQ(checks.back()["result"], "FAIL");
  EXPECT_THAT(ran.output, HasSubstr("take no answer of this server for proved"));
  EXPECT_THAT(ran.output, HasSubstr("use a client of the server's version"));
  EXPECT_THAT(ran.output, HasSubstr("no service that tells of its health"));
}

TEST_F(CommandLine, MeasuresAndChecksItsAnswers) {
  const Ran ran = Run("bench --messages 20 --rows 8 --json");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("queries_per_second"));
}

TEST_F(CommandLine, MakesChangesAndShowsScenes) {
  Write("crate.json", R"({"box": {"half_extents": {"x": 1, "y": 1, "z": 1}}})");
  const std::string poses = Write("poses.json", R"([{"mesh": "crate.json", "id": 7, "margin": 0.5},
                              {"mesh": "crate.json", "pose": [3, 0, 0, 0, 0, 0, 1], "id": 9}])");
  const Ran made = Run("-o scene import cell " + File("") + " " + poses);
  ASSERT_EQ(made.exit_code, 0) << made.output;
  EXPECT_EQ(Json::parse(made.output)["bodies"], 2);
  const std::string etag = Json::parse(made.output)["etag"];
  EXPECT_EQ(Run("get cell/crate.json").exit_code, 0);

  const std::string change = Write("change.json", R"({"removedBodies": [7]})");
  const Ran changed = Run("-o scene update cell " + change + " --etag " + etag);
  ASSERT_EQ(changed.exit_code, 0) << changed.output;
  EXPECT_EQ(Json::parse(changed.output)["revision"], 2);
  EXPECT_THAT(Run("scene update cell " + change + " --etag " + etag).output, HasSubstr("ABORTED"));
  const Ran got = Run("-o scene get cell --content");
  ASSERT_EQ(got.exit_code, 0) << got.output;
  EXPECT_EQ(Json::parse(got.output)["content"]["bodies"]["ids"], Json::array({9}));

  EXPECT_EQ(Run("scene fork cell copy --revision 1 --ttl 60").exit_code, 0);
  const Ran listed = Run("-o scene list");
  ASSERT_EQ(listed.exit_code, 0) << listed.output;
  EXPECT_EQ(Json::parse(listed.output)[1]["ttl_seconds"], 60);
  EXPECT_EQ(Run("scene delete copy").exit_code, 0);
  EXPECT_EQ(Run("scene get copy").exit_code, 2);
  EXPECT_EQ(Run("scene create empty").exit_code, 0);
}

constexpr char kTetrahedron[] =
    "v 0 0 0\nv 1000 0 0\nv 0 2000 0\nv 0 0 3000\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

TEST_F(CommandLine, ImportsMeshesAsTheirRowsSay) {
  Write("a.obj", kTetrahedron);
  const std::string poses = Write("poses.json", R"({
      "bodies": [{"mesh": "a.obj", "id": 1, "units": "mm", "name": "piece", "group": 2, "mask": 4},
                 {"mesh": "a.obj", "id": 2, "scale": [0.001, 0.002, -0.001], "up": "y"},
                 {"mesh": "a.obj", "id": 3, "scale": 0.01, "margin": 0.5}],
      "rules": [{"a": 1, "b": 2, "may_touch": true}, {"a": 1, "b": 3, "margin": 0.25}]})");
  const Ran made = Run("-o scene import cell " + File("") + " " + poses);
  ASSERT_EQ(made.exit_code, 0) << made.output;
  const auto vertices = [this](const std::string& name) {
    return Json::parse(Run("-o get --content " + name).output)["content"]["hull"]["vertices"];
  };
  EXPECT_EQ(vertices("cell/piece"), Json::parse("[0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3]"));
  EXPECT_EQ(vertices("cell/a.obj"), Json::parse("[0, 0, 0, 1, 0, 0, 0, 0, 4, 0, 3, 0]"));
  EXPECT_EQ(vertices("cell/a.obj-2"), Json::parse("[0, 0, 0, 10, 0, 0, 0, 20, 0, 0, 0, 30]"));
  const Json content = Json::parse(Run("-o scene get cell --content").output)["content"];
  EXPECT_EQ(content["bodies"]["groups"], Json::array({2, 1, 1}));
  EXPECT_EQ(content["bodies"]["masks"][0], 4);
  EXPECT_EQ(content["rules"]["count"], 2);
  EXPECT_EQ(content["rules"]["margins"], Json::array({0, 0.25}));
}

TEST_F(CommandLine, LeavesNothingOfAnImportThatFails) {
  Write("a.obj", kTetrahedron);
  Write("b.obj", "v 0 0 0\n");
  Write("bad.obj", "v 0 0\n");
  const std::string files = R"([{"mesh": "a.obj"}, {"mesh": "b.obj"})";
  // A file that cannot be read, a body that the server refuses, a name that is taken.
  const std::string bad = Write("bad.json", files + R"(, {"mesh": "bad.obj"}])");
  const std::string refused =
      Write("refused.json", files + R"(, {"mesh": "b.obj", "margin": -1}])");
  ASSERT_EQ(Run(std::string("register cell/b.obj ") + kBall).exit_code, 0);
  const std::string taken = Write("taken.json", files + "]");
  for (const std::string& poses : {bad, refused, taken}) {
    for (const std::string replace : {"", " --replace"}) {
      if (poses == taken && !replace.empty()) continue;
      const Ran ran = Run("scene import cell " + File("") + " " + poses + replace);
      EXPECT_EQ(ran.exit_code, 2) << ran.output;
      const Json left = Json::parse(Run("-o list").output);
      ASSERT_EQ(left.size(), 1u) << poses << replace;
      EXPECT_EQ(left[0]["bounding_radius"], 0.5) << "has what it had before";
    }
  }
  const std::string replace = "--json scene import cell " + File("") + " --replace ";
  EXPECT_EQ(Run(replace + taken).exit_code, 0);
  EXPECT_EQ(Json::parse(Run("-o list").output).size(), 2u);
  EXPECT_EQ(Run(replace + refused).exit_code, 2);
  EXPECT_EQ(Json::parse(Run("-o scene get cell").output)["bodies"], 2) << "is as it was";
  const std::string one = Write("one.json", R"([{"mesh": "a.obj", "id": 9}])");
  const Json made = Json::parse(Run(replace + one).output);
  EXPECT_EQ(made["bodies"], 1);
  EXPECT_EQ(made["revision"], 2);
}

TEST_F(CommandLine, SaysWhichRowOfThePosesIsBad) {
  for (const auto& [text, what] : std::initializer_list<std::pair<const char*, const char*>>{
           {"{}", "must be a JSON array, or an object of bodies and rules"},
           {"[\n{\"mesh\": \"a\"},]", "no JSON: at line 2, column 15: "},
           {R"({"bodies": 1})", "must be JSON arrays"},
           {"[1]", "row 0 of the poses: must be an object"},
           {R"([{"pose": [0, 0, 0, 0, 0, 0, 1]}])", "row 0 of the poses: mesh is missing"},
           {R"([{"mesh": 1}])", "row 0 of the poses: mesh must be the name of a file"},
           {R"([{"mesh": "a", "pose": [1]}])", "row 0 of the poses: pose must be 7 numbers"},
           {R"([{"mesh": "a"}, {"mesh": "a", "id": -1}])",
            "row 1 of the poses: id must be a whole number of 32 bits"},
           {R"([{"mesh": "a", "margin": "1"}])", "row 0 of the poses: margin must be a number"},
           {R"([{"mesh": "a", "mass": 1}])", "row 0 of the poses: mass is not a member"},
           {R"([{"mesh": "a", "scale": [1, 2]}])", "scale must be a number or three"},
           {R"([{"mesh": "a", "up": "x"}])", "up must be y or z"},
           {R"([{"mesh": "a", "name": "n"}, {"mesh": "b", "name": "n"}])", "have the name n"},
           {R"({"bodies": [], "rules": [{"a": 1, "b": 2}]})",
            "rule 0 of the poses: either may_touch, which is true, or margin must be there"},
           {R"({"bodies": [], "rules": [{"a": 1, "may_touch": true}]})", "a and b must be there"},
           {R"([{"mesh": "a"}, {"mesh": "a", "id": 7}, {"mesh": "b"}, {"mesh": "b", "id": 7}])",
            "row 3 of the poses: id 7 is that of row 1"}}) {
    const std::string file = Write("poses.json", text);
    for (const char* const command : {"scene import cell . ", "scene check cell --bodies "}) {
      const Ran ran = Run(command + file);
      EXPECT_EQ(ran.exit_code, 2);
      EXPECT_THAT(ran.output, HasSubstr(what));
      EXPECT_THAT(ran.output, HasSubstr("poses.json: "));
    }
  }
  EXPECT_THAT(Run("scene create cell " + Write("change.json", "[]")).output,
              HasSubstr("change.json: no clearance.v1.SceneChange"));
}

TEST_F(CommandLine, GivesRowsOfPosesIdsThatNoOtherHas) {
  Write("crate.json", R"({"box": {"half_extents": {"x": 1, "y": 1, "z": 1}}})");
  for (const auto& [text, ids] : std::initializer_list<std::pair<const char*, Json>>{
           {R"([{"mesh": "crate.json"}, {"mesh": "crate.json", "id": 0}])", {2, 0}},
           {R"([{"mesh": "crate.json", "id": 1}, {"mesh": "crate.json"}, {"mesh": "crate.json"}])",
            {1, 3, 2}},
           {R"([{"mesh": "crate.json", "id": 9}, {"mesh": "crate.json"}, {"mesh": "crate.json"}])",
            {9, 1, 2}},
           {R"([{"mesh": "crate.json"}, {"mesh": "crate.json"}])", {0, 1}}}) {
    const Ran made = Run("-o scene import cell " + File("") + " " + Write("poses.json", text));
    ASSERT_EQ(made.exit_code, 0) << made.output;
    EXPECT_EQ(Json::parse(made.output)["bodies"], ids.size());
    Json held = Json::parse(Run("-o scene get cell --content").output)["content"]["bodies"]["ids"];
    Json expected = ids;
    std::sort(held.begin(), held.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(held, expected);
    EXPECT_EQ(Run("scene delete cell").exit_code, 0);
  }
}

TEST_F(CommandLine, NamesTheCommandNearestToAnUnknownOne) {
  EXPECT_EQ(RunApart("distanze ball").errors,
            "unknown command \"distanze\": did you mean \"distance\"?\n"
            "clearance --help lists all\n");
  EXPECT_EQ(RunApart("scene chek cell").errors,
            "unknown command \"chek\": did you mean \"check\"?\n"
            "clearance scene --help lists all\n");
  EXPECT_EQ(RunApart("scene chek cell").exit_code, 2);
  EXPECT_EQ(RunApart("foo").errors, "unknown command \"foo\"\nclearance --help lists all\n");
  EXPECT_THAT(RunApart("register").errors, HasSubstr("name is required"));
  EXPECT_THAT(RunApart("").errors, HasSubstr("A subcommand is required"));
}

TEST_F(CommandLine, NamesTheOptionNearestToAnUnknownOne) {
  EXPECT_EQ(
      RunApart("list --jsn").errors,
      "unknown option \"--jsn\": did you mean \"--json\"?\nclearance list --help lists all\n");
  // Its own, that of a group, and one with a value.
  EXPECT_THAT(RunApart("register a b --replce").errors, HasSubstr("did you mean \"--replace\"?"));
  EXPECT_THAT(RunApart("scene sweep a b --displacment 1,0,0").errors,
              HasSubstr("did you mean \"--displacement\"?"));
  EXPECT_THAT(RunApart("list --adr=host").errors,
              HasSubstr("unknown option \"--adr\": did you mean \"--addr\"?"));
  EXPECT_EQ(RunApart("list --zzzzzz").errors,
            "unknown option \"--zzzzzz\"\nclearance list --help lists all\n");
  EXPECT_EQ(RunApart("list --zzzzzz").exit_code, 2);
}

TEST_F(CommandLine, HelpOfEveryCommand_ShowsHowItConnects) {
  for (const char* const command : {"register",     "list",        "get",         "delete",
                                    "distance",     "intersect",   "toc",         "query distance",
                                    "scene create", "scene check", "scene sweep", "scene import",
                                    "scene watch",  "export",      "import",      "info",
                                    "health",       "doctor",      "watch",       "bench"}) {
    const Ran help = RunApart(std::string(command) + " -h");
    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_EQ(help.output.find("Connection:"), help.output.rfind("Connection:")) << command;
    for (const char* const option : {"--addr", "--tls", "--tls-ca", "--token-file"})
      EXPECT_THAT(help.output, HasSubstr(std::string("\n  ") + option + " ")) << command;
  }
  for (const char* const command : {"", "scene", "query", "completion"}) {
    const Ran help = RunApart(std::string(command) + " -h");
    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_THAT(help.output, HasSubstr("Usage: clearance")) << command;
  }
}

TEST_F(CommandLine, WithoutAServer_NamesTheDoctor) {
  for (const char* const command : {"list", "health", "distance a b", "scene get cell"}) {
    const Ran ran = RunApart(std::string("--addr 127.0.0.1:1 ") + command);
    EXPECT_EQ(ran.exit_code, 2) << command;
    EXPECT_THAT(ran.errors, EndsWith("`clearance doctor --addr 127.0.0.1:1` says what is wrong\n"))
        << command;
  }
  // A port of HTTP has its own hint before it; a name without an address is no server either.
  EXPECT_THAT(RunApart("--addr nowhere.invalid:1,neither.invalid:2 list").errors,
              EndsWith("says what is wrong\n"));
}

void ExpectNarrow(const std::string& output) {
  for (const absl::string_view line : absl::StrSplit(output, '\n')) {
    EXPECT_LE(line.size(), 100) << line;
  }
}

TEST_F(CommandLine, ListsShapesInLinesAndAllOfThemIfWide) {
  ASSERT_TRUE(server().Connect().Register("ball", {Sphere{0.5}, 0}).ok());
  const auto point = server().Connect().Register(std::string(128, 'p'), {Sphere{0}, 0});
  ASSERT_TRUE(point.ok());
  const std::string shapes = RunApart("list b").output;
  EXPECT_THAT(shapes, HasSubstr("name  digest                     points"));
  EXPECT_THAT(shapes, HasSubstr("\nball  v1-sha256-"));
  EXPECT_THAT(shapes, HasSubstr("...  1       "));
  // A long name goes on below.
  const std::string all = RunApart("list").output;
  EXPECT_THAT(all, HasSubstr("\n                 ppp"));
  ExpectNarrow(shapes + all);
  const std::string wide = RunApart("list --wide").output;
  EXPECT_EQ(std::count(wide.begin(), wide.end(), '\n'), 3) << wide;
  EXPECT_THAT(wide, HasSubstr(point->info.digest));
  EXPECT_THAT(wide, HasSubstr("duplicate_count"));
  EXPECT_THAT(RunApart("get ball").output, HasSubstr("\ndigest               v1-sha256-"));
}

TEST_F(CommandLine, ShowsARowThatIsTooWideForATableAsARecord) {
  ASSERT_TRUE(server().Connect().Register("ball", {Sphere{0.5}, 0}).ok());
  ASSERT_TRUE(server().Connect().Register("can", {Cylinder{0.5, 1}, 0}).ok());
  const std::string row =
      RunApart("distance ball can --pose-b 2 0 0 0 0 0 1 --points --normals --witnesses").output;
  EXPECT_THAT(row, HasSubstr("point_a      0.5 0 0\n"));
  // A cylinder has no vertices.
  EXPECT_THAT(row, HasSubstr("{\"vertex_a\":0,\"weight\":"));
  ExpectNarrow(row + RunApart("get can --content").output);
  ExpectNarrow(RunApart("doctor").output);
}

TEST_F(CommandLine, SaysNothingWhereAReaderHasSeenEnough) {
  const Ran ran = Shell(CLEARANCE_CLI " doctor 2>&1 | head -1 2>&1");
  EXPECT_THAT(ran.output, StartsWith("ok    address"));
  EXPECT_EQ(std::count(ran.output.begin(), ran.output.end(), '\n'), 1) << ran.output;
  for (const char* const command : {"completion bash", "--help", "info"}) {
    // The reader has gone before anything is written.
    const Ran quiet = Shell("bash -c '(sleep 0.2; " CLEARANCE_CLI " " + std::string(command) +
                            ") 2>&1 | true; echo ${PIPESTATUS[0]}'");
    EXPECT_EQ(quiet.output, "141\n") << command;
  }
}

TEST_F(CommandLine, FailsWhereItsAnswerCannotBeWritten) {
  ASSERT_TRUE(server().Connect().Register("ball", {Sphere{0.5}, 0}).ok());
  const std::string file = Write("rows.csv", "a,b\nball,ball\n");
  for (const std::string& arguments :
       {std::string("info"), std::string("--json info"), std::string("list"),
        std::string("completion bash"), std::string("--help"), std::string("--version"),
        "query distance " + file, "query distance --csv " + file,
        "--json query distance " + file}) {
    for (const auto& [stdout_is, why] :
         {std::pair(" >/dev/full", "No space left"), std::pair(" >&-", "Bad file descriptor")}) {
      const Ran ran = RunApart(arguments + stdout_is);
      EXPECT_EQ(ran.exit_code, 2) << arguments;
      EXPECT_THAT(ran.errors, HasSubstr("error: UNAVAILABLE: stdout: cannot be written"))
          << arguments;
      // Only for output that is written at the end; earlier the system's message is lost with the
      // flush.
      if (arguments == "list") {
        EXPECT_THAT(ran.errors, HasSubstr(why));
      }
    }
  }
}

TEST_F(CommandLine, TakesFiniteNumbersAboveZeroOnly) {
  ASSERT_TRUE(server().Connect().Register("ball", {Sphere{0.5}, 0}).ok());
  for (const char* const arguments :
       {"--timeout %s list", "watch --interval %s --count 1", "scene create cell --ttl %s",
        "bench --max-p99 %s --messages 1"}) {
    for (const char* const number : {"nan", "-nan", "inf", "0", "-1", "much", "''"}) {
      std::string command = arguments;
      command.replace(command.find("%s"), 2, number);
      const Ran ran = Run(command);
      EXPECT_EQ(ran.exit_code, 2) << command;
      EXPECT_THAT(ran.output, HasSubstr("finite number > 0")) << command;
    }
  }
  EXPECT_EQ(Run("--timeout 1e3 list").exit_code, 0);
  EXPECT_THAT(Run("bench --rows 100001").output, HasSubstr("100000"));
  EXPECT_EQ(Run("bench --rows 0").exit_code, 2);
}

TEST_F(CommandLine, ScalesByFiniteNumbersOtherThanZero) {
  for (const char* const command :
       {"register mesh mesh.obj --scale ", "scene import cell . poses.json --scale "}) {
    for (const char* const number : {"nan", "inf", "0", "much", "''", "1,0,1"}) {
      const Ran ran = Run(absl::StrCat(command, number));
      EXPECT_EQ(ran.exit_code, 2) << number;
      EXPECT_THAT(ran.output, HasSubstr("must be a finite number other than 0")) << number;
    }
  }
  EXPECT_THAT(Run("register mesh mesh.obj --scale 1,2").output, HasSubstr("has 2 numbers"));
}

TEST_F(CommandLine, RefusesMeshOptionsWithoutAMesh) {
  ASSERT_TRUE(server().Connect().Register("ball", {Sphere{0.5}, 0}).ok());
  ASSERT_TRUE(SceneClient(server().Connect()).Create("cell", {}).ok());
  const std::string mesh = Write("t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const std::string bodies = Write("bodies.json", R"([{"mesh": "ball", "scale": 0.001}])");
  for (const std::string& command :
       {std::string("distance ball ball --scale 0.001"),
        std::string("scene check cell ball --hull"), "scene check cell --bodies " + bodies}) {
    const Ran ran = Run(command);
    EXPECT_EQ(ran.exit_code, 2) << command;
    EXPECT_THAT(ran.output, HasSubstr("are for mesh files, and none was given")) << command;
  }
  EXPECT_EQ(Run("distance ball " + mesh + " --scale 2 --pose-b 9 0 0 0 0 0 1").exit_code, 0);
}

TEST_F(CommandLine, ReadsEmptyFilesAsEmpty) {
  const std::string empty = Write("empty.json", "");
  EXPECT_THAT(Run("scene create cell " + empty).output,
              HasSubstr("empty.json: no clearance.v1.SceneChange"));
  EXPECT_THAT(Run("scene import cell . " + empty).output,
              HasSubstr("empty.json: no JSON: at line 1, column 1: "));
  EXPECT_THAT(Run("--token-file " + empty + " list").output,
              HasSubstr("empty.json: begins with no token"));
  // Certificates that are none must not be the same as no wish for TLS.
  const Ran plain = Run("--tls-ca " + empty + " list");
  EXPECT_EQ(plain.exit_code, 2);
  EXPECT_THAT(plain.output, HasSubstr("empty.json: is empty, must be PEM text"));
}

TEST_F(CommandLine, ExportsOverFilesOnlyAndLeavesNothingHalfDone) {
  ASSERT_TRUE(server().Connect().Register("ball", {Sphere{0.5}, 0}).ok());
  const std::string directory = File("folder");
  const std::string pipe = File("pipe");
  std::filesystem::create_directory(directory);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& target : {directory, pipe}) {
    for (const char* const address : {"", "--addr 127.0.0.1:1 "}) {  // before it connects
      const Ran ran = Run(address + std::string("export ") + target);
      EXPECT_EQ(ran.exit_code, 2);
      EXPECT_THAT(ran.output, HasSubstr(target + ": is there and no regular file"));
    }
    EXPECT_FALSE(std::filesystem::exists(target + ".partial"));
  }
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  const Ran nowhere = Run("export " + File("nowhere") + "/all");
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_THAT(nowhere.output, HasSubstr("/all: cannot be written: No such file or directory"));

  const std::string file = Write("all", "of before");
  EXPECT_EQ(Run("--addr 127.0.0.1:1 export " + file).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(file + ".partial"));
  EXPECT_EQ(std::filesystem::file_size(file), 9u);
  EXPECT_EQ(Run("export " + file).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(file + ".partial"));
  EXPECT_GT(std::filesystem::file_size(file), 9u);
}

// Two boxes of half a metre at x = 0 and 3, with the ids 7 and 9.
class SceneCommandLine : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    Write("crate.json", R"({"box": {"half_extents": {"x": 0.5, "y": 0.5, "z": 0.5}}})");
    const std::string poses = Write("poses.json", R"([{"mesh": "crate.json", "id": 7},
        {"mesh": "crate.json", "pose": [3, 0, 0, 0, 0, 0, 1], "id": 9}])");
    ASSERT_EQ(Run("scene import cell " + File("") + " " + poses).exit_code, 0);
  }

  // The first row of an answer.
  Json RowOf(const std::string& arguments, int exit_code) const {
    const Ran ran = Run("-o scene " + arguments);
    EXPECT_EQ(ran.exit_code, exit_code) << ran.output;
    const Json rows = Json::parse(ran.output, nullptr, /*allow_exceptions=*/false);
    return rows.is_array() && !rows.empty() ? rows[0] : Json();
  }
};

TEST_F(SceneCommandLine, WatchesASceneALineForEachRevision) {
  const std::string change = Write("change.json", R"({"removedBodies": [7]})");
  ASSERT_EQ(Run("scene update cell " + change).exit_code, 0);
  const Ran watched = Run("-o scene watch cell --revision 1 --count 1 --content");
  ASSERT_EQ(watched.exit_code, 0) << watched.output;
  EXPECT_EQ(std::count(watched.output.begin(), watched.output.end(), '\n'), 1);
  const Json line = Json::parse(watched.output);
  EXPECT_EQ(line["revision"], 2);
  EXPECT_EQ(line["base_revision"], 1);
  EXPECT_EQ(line["removed_bodies"], 1);
  EXPECT_EQ(line["put_bodies"], 0);
  EXPECT_EQ(line["change"]["removedBodies"], Json::array({7}));
  EXPECT_EQ(Run("scene watch cell --revision 1 --count 1").output,
            "revision 2 of 1 bodies, 0 rules, from 1: bodies 0 put, 0 moved, 1 removed; rules 0 "
            "put, 0 removed\n");
  EXPECT_THAT(Run("scene watch cell --count 1").output, HasSubstr("revision 2 of 1 bodies"));
  EXPECT_EQ(Json::parse(Run("-o scene watch cell --count 1").output)["reload"], true);
  const Ran unknown = Run("scene watch nobody");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.output, HasSubstr("NOT_FOUND"));
}

TEST_F(SceneCommandLine, ShowsNoIdThatWasNotGiven) {
  const std::string at = std::string(kBall) + "--pose 1.25 0 0 0 0 0 1 ";
  for (const std::string& question :
       {"check cell " + at + "--margin 1 --all 5", "minimum-distance cell " + at,
        "nearest cell " + at + "--count 5", "sweep cell " + at + "--displacement=-1,0,0"}) {
    for (const char* const form : {"scene ", "--json scene "}) {
      const std::string output = Run(form + question).output;
      EXPECT_THAT(output, HasSubstr("body_b")) << question;
      EXPECT_THAT(output, Not(HasSubstr("body_a"))) << question;
      EXPECT_THAT(output, Not(HasSubstr("4294967295"))) << question;
      EXPECT_THAT(Run(form + question + " --id 12").output, HasSubstr("body_a")) << question;
    }
  }
}

TEST_F(SceneCommandLine, RefusesAMoveWithoutAMotion) {
  const Ran ran = Run(std::string("scene sweep cell ") + kBall);
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.output, HasSubstr("--displacement"));
}

TEST_F(SceneCommandLine, ChecksABody) {
  const std::string check = std::string("check cell ") + kBall;
  const Json free = RowOf(check + "--pose 0 0 2 0 0 0 1", 0);
  EXPECT_EQ(free["state"], "FREE");
  EXPECT_EQ(free["scene_revision"], 1);
  EXPECT_NEAR(free["free_radius"].get<double>(), 1, 1e-5);
  const Json within = RowOf(check + "--pose 0 0 2 0 0 0 1 --margin 1.5", 1);
  EXPECT_EQ(within["state"], "TOUCHING");
  EXPECT_EQ(within["body_b"], 7);
  EXPECT_THAT(Run("scene " + check + "--id 7").output,
              HasSubstr("A query body has the id of a body"));
  const Json all = RowOf(check + "--pose 1.5 0 0 0 0 0 1 --margin 0.75 --all 5", 1);
  ASSERT_EQ(all["pairs"].size(), 2);
  EXPECT_EQ(all["pairs"][1]["body_b"], 9);
  EXPECT_EQ(RowOf(check + "--min-revision 2", 2), Json());
}

TEST_F(SceneCommandLine, TellsHowFarAndWhichAreTheNearest) {
  const std::string at = std::string(kBall) + "--pose 1.25 0 0 0 0 0 1 ";
  const Json minimum = RowOf("minimum-distance cell " + at + "--normals", 0);
  EXPECT_EQ(minimum["state"], "SEPARATED");
  EXPECT_NEAR(minimum["distance"].get<double>(), 0.25, 1e-9);
  EXPECT_EQ(minimum["body_b"], 7);
  EXPECT_EQ(minimum["normal"], Json({-1.0, 0.0, 0.0}));
  const Json nearest = RowOf("nearest cell " + at + "--count 5", 0);
  ASSERT_EQ(nearest["pairs"].size(), 2);
  EXPECT_NEAR(nearest["pairs"][1]["distance"].get<double>(), 0.75, 1e-9);
  EXPECT_EQ(nearest["pairs"][1]["body_b"], 9);
  EXPECT_EQ(RowOf("minimum-distance cell " + at + "--max-distance 0.1", 0)["state"], "BEYOND");
}

TEST_F(SceneCommandLine, TellsWhatTouchesAShape) {
  const Json row = RowOf(std::string("overlap cell ") + kBall + "--pose 3 0 0 0 0 0 1", 1);
  EXPECT_EQ(row["state"], "TOUCHING");
  ASSERT_EQ(row["pairs"].size(), 1);
  EXPECT_EQ(row["pairs"][0]["body_b"], 9);
  const std::string bodies = Write("bodies.json", R"([{"mesh": "cell/crate.json"},
      {"mesh": "cell/crate.json", "pose": [0, 0, 9, 0, 0, 0, 1]}])");
  const Ran ran = Run("scene overlap cell --bodies " + bodies);
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  EXPECT_THAT(ran.output, ContainsRegex("1 +FREE"));
}

TEST_F(SceneCommandLine, SweepsABodyAndCastsARay) {
  const std::string sweep =
      std::string("sweep cell ") + kBall + "--pose -2 0 0 0 0 0 1 --displacement 4 0 0 --normals ";
  const Json hit = RowOf(sweep, 1);
  EXPECT_EQ(hit["state"], "HIT");
  EXPECT_EQ(hit["body_b"], 7);
  EXPECT_NEAR(hit["t_hit"].get<double>(), 0.25, 1e-6);
  EXPECT_EQ(hit["normal"], Json({1.0, 0.0, 0.0}));
  EXPECT_EQ(RowOf(sweep + "--all 4", 1)["pairs"].size(), 2);
  const Json ray = RowOf("ray cell --origin 0 0 2 --displacement 0 0 -3", 1);
  EXPECT_EQ(ray["body_b"], 7);
  EXPECT_NEAR(ray["t_hit"].get<double>(), 0.5, 1e-6);
  EXPECT_EQ(RowOf("ray cell --origin 0 0 2 --displacement 0 0 3", 0)["state"], "FREE");
  EXPECT_EQ(RowOf("ray cell --origin -2 0 0 --displacement 9 0 0 --all 4", 1)["pairs"].size(), 2);
}

TEST_F(SceneCommandLine, SaysWhatIsWrongWithAQuestion) {
  const Ran unknown = Run(std::string("scene check nowhere ") + kBall);
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.output, HasSubstr("reason: SCENE_NOT_FOUND\n  field: open_scene.name"));
  EXPECT_THAT(Run("scene check cell").output, HasSubstr("a shape or --bodies FILE is needed"));
  const Ran many = Run(std::string("scene check cell --all 5000 ") + kBall);
  EXPECT_EQ(many.exit_code, 2);
  EXPECT_THAT(many.output, HasSubstr("limit: max_row_pairs <= 4096"));
}

}  // namespace
}  // namespace clearance::client
