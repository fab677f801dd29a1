// SPDX-License-Identifier: Apache-2.0
//
// `clearance query`: files of questions, good and bad, against the real server. The shapes are
// balls, whose distance is a closed form.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "tests/integration/client/command_line.h"
#include "tests/unit/client/breaking_server.h"

namespace clearance::client {
namespace {

using ::testing::HasSubstr;

class QueryFile : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    ASSERT_TRUE(server().Connect().Register("ball", {Sphere{0.5}, 0}).ok());
    ASSERT_TRUE(server().Connect().Register("large", {Sphere{1}, 0}).ok());
  }

  // The lines of an answer as JSON.
  static std::vector<Json> Lines(const Ran& ran) {
    std::vector<Json> lines;
    std::istringstream text(ran.output);
    for (std::string line; std::getline(text, line);) {
      lines.push_back(Json::parse(line, nullptr, /*allow_exceptions=*/false));
      EXPECT_TRUE(lines.back().is_object()) << line;
    }
    return lines;
  }

  static std::vector<std::string> States(const std::vector<Json>& rows) {
    std::vector<std::string> states;
    states.reserve(rows.size());
    for (const Json& row : rows) states.push_back(row["state"]);
    return states;
  }
};

// `header` as NumPy writes it, padded to 64 bytes.
std::string NpyFile(char version, std::string header, const std::string& numbers) {
  const std::size_t start = version == 1 ? 10 : 12;
  header.append(63 - (start + header.size()) % 64, ' ');
  header.push_back('\n');
  std::string file = std::string("\x93NUMPY", 6) + version + '\0';
  const auto size = static_cast<std::uint32_t>(header.size());
  file.append(reinterpret_cast<const char*>(&size), version == 1 ? 2 : 4);
  return file + header + numbers;
}

template <class Number>
std::string BytesOf(const std::vector<Number>& numbers) {
  std::string bytes(numbers.size() * sizeof(Number), '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

std::string HeaderOf(const std::string& type, const std::string& shape,
                     const std::string& order = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

constexpr char kPoseHeader[] = "pose_b.x,pose_b.y,pose_b.z,pose_b.qx,pose_b.qy,pose_b.qz,pose_b.qw";

TEST_F(QueryFile, AnswersRowsOfCsvWithTheirOwnShapesAndIds) {
  const std::string file = Write(
      "rows.csv", "\xEF\xBB\xBFid,a,b,max_distance," + std::string(kPoseHeader) +
                      "\r\n"
                      "first,,,,2,0,0,0,0,0,1\r\n"
                      "second,large,\"{\"\"sphere\"\":{\"\"radius\"\":0.25}}\",,0,3,0,0,0,0,1\r\n"
                      "\r\n"
                      "third,,,1,0,0,9,0,0,0,1\r\n"
                      "fourth,,,,,,,,,,\r\n");
  const Ran ran = RunApart("--json query distance " + file + " ball ball");
  EXPECT_EQ(ran.exit_code, 1) << ran.errors;  // the last pair overlaps
  EXPECT_EQ(ran.errors, "");
  const std::vector<Json> rows = Lines(ran);
  ASSERT_THAT(States(rows),
              testing::ElementsAre("SEPARATED", "SEPARATED", "BEYOND", "PENETRATING"));
  EXPECT_EQ(rows[0]["distance"], 1.0);
  EXPECT_EQ(rows[1]["distance"], 1.75);
  EXPECT_EQ(rows[1]["id"], "second");
  EXPECT_EQ(rows[3]["row"], 3);
}

TEST_F(QueryFile, TellsOfEachBadRowAndLosesNoneOfTheOthers) {
  const std::string file = Write("rows.csv", "a," + std::string(kPoseHeader) +
                                                 "\n,2,0,0,0,0,0,1\n,x,0,0,0,0,0,1\n"
                                                 ",3,0,0,0,0,0,1\n,3,0,0\n,3,,0,0,0,0,1\n"
                                                 "nobody,2,0,0,0,0,0,1\n,2,0,0,0,0,0,7\n"
                                                 ",4,0,0,0,0,0,1\n");
  for (const char* group : {"1", "3", "4096"}) {
    const Ran ran =
        RunApart("--json query distance --rows " + std::string(group) + " " + file + " ball ball");
    EXPECT_EQ(ran.exit_code, 2);
    const std::vector<Json> rows = Lines(ran);
    ASSERT_THAT(States(rows), testing::ElementsAre("SEPARATED", "REFUSED", "SEPARATED", "REFUSED",
                                                   "REFUSED", "REFUSED", "REFUSED", "SEPARATED"));
    EXPECT_EQ(rows[7]["distance"], 3.0);
    EXPECT_EQ(rows[1]["error"]["field"], "pose_b.x");
    EXPECT_THAT(ran.errors, HasSubstr("rows.csv: line 3: pose_b.x = x, must be a number"));
    EXPECT_THAT(ran.errors, HasSubstr("line 5: row = 4 cells, must be 8 cells"));
    EXPECT_THAT(ran.errors, HasSubstr("line 6: pose_b = 6 numbers, must be 7 numbers, or none"));
    EXPECT_THAT(ran.errors, HasSubstr("line 7: a = nobody"));
    EXPECT_THAT(ran.errors,
                HasSubstr("line 8: the quaternion of pose_b has length 7, must be 1 within "
                          "0.001 (order x y z qx qy qz qw)\n"));
    EXPECT_EQ(std::count(ran.errors.begin(), ran.errors.end(), '\n'), 5) << ran.errors;
  }
}

TEST_F(QueryFile, RefusesAHeaderThatItDoesNotKnow) {
  for (const auto& [text, what] : std::initializer_list<std::pair<const char*, const char*>>{
           {"a,speed\n", "the column `speed`; there are a, b, id, pose_a.x …"},
           {"pose_b.x,pose_b.y\n", "2 of the 7 columns of `pose_b`"},
           {"pose_b.x,pose_b.x,pose_b.z,pose_b.qx,pose_b.qy,pose_b.qz,pose_b.qw\n2,2,0,0,0,0,1\n",
            "rows.csv: the header has the column `pose_b.x` more than once"},
           {"a,a\nball,large\n", "the column `a` more than once"},
           {"b,a,b\n,,\n", "the column `b` more than once"},
           {"id,id\n1,2\n", "the column `id` more than once"},
           {"a,\"b\nball,ball\n", "the header has a quote without a closing quote"},
           {"", "the file is empty"}}) {
    const Ran ran = Run("query intersect " + Write("rows.csv", text) + " ball ball");
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_THAT(ran.output, HasSubstr(what));
  }
  EXPECT_THAT(Run("query distance " + Write("rows.txt", "") + " ball ball").output,
              HasSubstr("say which with --from"));
  EXPECT_THAT(Run("query distance " + File("none.csv") + " ball ball").output,
              HasSubstr("cannot be read"));
}

TEST_F(QueryFile, RefusesTheRowWhoseQuotesEndNowhere) {
  const std::string file = Write("rows.csv", "id,a," + std::string(kPoseHeader) +
                                                 "\n1,,2,0,0,0,0,0,1\n2,\"ball,3,0,0,0,0,0,1\n"
                                                 "3,,4,0,0,0,0,0,1\n4,,5,0,0,0,0,0,1\n");
  const Ran ran = RunApart("--json query distance " + file + " ball ball");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(States(Lines(ran)), testing::ElementsAre("SEPARATED", "REFUSED"));
  EXPECT_THAT(ran.errors, HasSubstr("rows.csv: line 3: a = ball,3,0,0,0,0,0,1\n3,,4,0,0,0,0,0,1"));
  EXPECT_THAT(ran.errors, HasSubstr("must be a closing quote"));
  const Ran last = Run("query distance " + Write("rows.csv", "a\n\"ball") + " ball ball");
  EXPECT_EQ(last.exit_code, 2);
  EXPECT_THAT(last.output, HasSubstr("line 2: a = ball, must be a closing quote"));
}

TEST_F(QueryFile, AnswersTheOtherRowsWhereTextIsNoUtf8) {
  const std::string file =
      Write("rows.csv", "id,a," + std::string(kPoseHeader) +
                            "\ncaf\xE9,,2,0,0,0,0,0,1\n"
                            "2,,\xE9,0,0,0,0,0,1\n3,caf\xE9,3,0,0,0,0,0,1\n4,,3,0,0,0,0,0,1\n");
  const Ran ran = RunApart("--json query distance " + file + " ball ball");
  EXPECT_EQ(ran.exit_code, 2) << ran.errors;
  const std::vector<Json> rows = Lines(ran);
  ASSERT_THAT(States(rows), testing::ElementsAre("SEPARATED", "REFUSED", "REFUSED", "SEPARATED"));
  EXPECT_THAT(ran.errors, HasSubstr("line 4: a = caf\xE9, must be a shape: no file, and names"));
  EXPECT_EQ(rows.at(0)["id"], "caf\xEF\xBF\xBD");
  EXPECT_EQ(rows.at(1)["error"]["value"], "\xEF\xBF\xBD");
}

TEST_F(QueryFile, RefusesWhatIsNestedTooDeep) {
  const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  const std::string file =
      Write("rows.jsonl", R"({"id": [1], "pose_b": [3, 0, 0, 0, 0, 0, 1]})"
                          "\n"
                          R"({"id": {"n": 1}, "pose_b": [3, 0, 0, 0, 0, 0, 1]})"
                          "\n{\"id\": " +
                              nested(200000) + "}\n{\"a\": {\"sphere\": " + nested(200000) +
                              "}}\n{\"speed\": " + nested(99) + R"(}
{"id": "[[\"{", "pose_b": [3, 0, 0, 0, 0, 0, 1]}
{"id": true, "pose_b": [3, 0, 0, 0, 0, 0, 1]}
)");
  const Ran ran = RunApart("--json query distance " + file + " ball ball");
  EXPECT_EQ(ran.exit_code, 2);
  const std::vector<Json> rows = Lines(ran);
  ASSERT_THAT(States(rows), testing::ElementsAre("SEPARATED", "SEPARATED", "REFUSED", "REFUSED",
                                                 "REFUSED", "SEPARATED", "SEPARATED"));
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows[5]["id"], "[[\"{");
  EXPECT_EQ(rows[6]["id"], true);
  EXPECT_EQ(rows[0]["id"], Json::array({1}));
  EXPECT_EQ(rows[1]["id"], (Json{{"n", 1}}));
  for (const int line : {3, 4}) {
    EXPECT_THAT(ran.errors, HasSubstr("line " + std::to_string(line) + ": row = {"));
  }
  EXPECT_THAT(ran.errors, HasSubstr("must be nested at most 100 levels deep"));
  EXPECT_THAT(ran.errors, HasSubstr("line 5: speed = [[["));
}

TEST_F(QueryFile, SaysThatAFileIsEmptyOrNone) {
  for (const char* const text : {"", "\n \n\n"}) {
    const Ran empty = Run("query distance " + Write("rows.jsonl", text) + " ball ball");
    EXPECT_EQ(empty.exit_code, 2);
    EXPECT_THAT(empty.output, HasSubstr("rows.jsonl: no row: the file is empty"));
  }
  for (const char* const command :
       {"query distance --from jsonl ", "query distance --from csv ", "import ",
        "scene create cell ", "--token-file ", "scene import cell . "}) {
    const Ran ran = Run(command + File("") + (command[0] == '-' ? " list" : ""));
    EXPECT_EQ(ran.exit_code, 2) << command;
    EXPECT_THAT(ran.output, HasSubstr(": is a directory, must be a file")) << command;
  }
}

TEST_F(QueryFile, GivesWhatHadArrivedWhenItsSessionEnds) {
  // An opening, then six answers, and a seventh question.
  BreakingServer breaking(
      {{.responses = 7, .reads_on = true, .status = {grpc::StatusCode::INTERNAL, "is broken"}}});
  breaking.Register("ball", 1);
  std::string text = std::string(kPoseHeader) + "\n";
  for (int i = 0; i < 20; ++i) text += std::to_string(2 + i) + ",0,0,0,0,0,1\n";
  const Ran ran = RunApart("--json --addr " + breaking.address() + " query distance --rows 1 " +
                           Write("rows.csv", text) + " ball ball");
  EXPECT_EQ(ran.exit_code, 2);
  const std::vector<Json> rows = Lines(ran);
  ASSERT_EQ(rows.size(), 6u) << ran.output;
  int x = 2;
  for (const Json& row : rows) EXPECT_EQ(row["distance"], 1000.0 + x++);
  EXPECT_THAT(ran.errors, HasSubstr("error: INTERNAL: is broken"));
  EXPECT_THAT(ran.errors,
              HasSubstr("rows.csv: line 8: nothing is known of row 6 and of those after it"));
}

TEST_F(QueryFile, TakesASessionsEndForNoRowsRefusal) {
  BreakingServer breaking(
      {{.responses = 0, .reads_on = true, .status = {grpc::StatusCode::INTERNAL, "is broken"}}});
  breaking.Register("ball", 1);
  const std::string file = Write("rows.csv", "a,b\nball,no such name\nball,ball\n");
  const Ran ran = RunApart("--json --addr " + breaking.address() + " query distance " + file);
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_EQ(ran.output, "");
  EXPECT_THAT(ran.errors, HasSubstr("error: INTERNAL: is broken"));
  EXPECT_THAT(ran.errors,
              HasSubstr("rows.csv: line 2: nothing is known of row 0 and of those after it"));
}

// A directory opens like a file, and gives an error instead of its bytes.
TEST_F(QueryFile, SaysThatStdinCannotBeRead) {
  for (const std::string format : {"csv", "jsonl"}) {
    const Ran ran = RunApart("query distance --from " + format + " - ball ball <" + File(""));
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_THAT(ran.errors, HasSubstr("cannot be read to its end"));
  }
}

TEST_F(QueryFile, AnswersJsonLinesWhoseRowsGiveDifferentFields) {
  const std::string file = Write("rows.jsonl", R"({"id": 1, "pose_b": [3, 0, 0, 0, 0, 0, 1]}
{"id": 2, "pose_b": [3, 0, 0, 0, 0, 0, 1], "displacement_b": [-4, 0, 0]}
{"id": 3, "a": {"sphere": {"radius": 1}}, "pose_b": [3, 0, 0, 0, 0, 0, 1], "displacement_b": [-3, 0, 0], "target": 0.5}

{"id": 4}
{"id": 5, "pose_b": [3, 0, 0, 0, 0, 0]}
{"id": 6, "pose_b": [3, 0, 0, 0, 0, 0, "w"]}
{"id": 7, "speed": 3}
{"id": 8, "a": 3}
no JSON
{"id": 10, "pose_b": [3, 0, 0, 0, 0, 0, 1], "end_pose_b": [0, 3, 0, 0, 0, 0, 1]}
)");
  const Ran ran = RunApart("--json query toc " + file + " ball ball");
  EXPECT_EQ(ran.exit_code, 2);
  const std::vector<Json> rows = Lines(ran);
  ASSERT_THAT(States(rows),
              testing::ElementsAre("FREE", "HIT", "HIT", "INITIALLY_OVERLAPPING", "REFUSED",
                                   "REFUSED", "REFUSED", "REFUSED", "REFUSED", "FREE"));
  EXPECT_NEAR(rows[1]["t_hit"].get<double>(), 0.5, 1e-6);
  EXPECT_NEAR(rows[2]["t_hit"].get<double>(), 1.0 / 3, 1e-6);
  EXPECT_EQ(rows[9]["id"], 10);
  EXPECT_THAT(ran.errors, HasSubstr("line 6: pose_b = [3,0,0,0,0,0], must be 7 numbers"));
  EXPECT_THAT(ran.errors, HasSubstr("line 7: pose_b.qw = \"w\", must be a number"));
  EXPECT_THAT(ran.errors, HasSubstr("line 8: speed = 3, must be one of a, b, id, pose_a"));
  EXPECT_THAT(ran.errors, HasSubstr("line 9: a = 3"));
  EXPECT_THAT(ran.errors, HasSubstr("line 10: row = no JSON, must be a JSON object"));
}

TEST_F(QueryFile, AnswersArraysOfEitherWidthAsItAnswersText) {
  const std::vector<double> numbers = {2, 0, 0, 0, 0, 0, 1, 0.75, 0, 0, 0, 0, 0, 1};
  const std::vector<float> narrow(numbers.begin(), numbers.end());
  const std::string wide_file =
      Write("wide.npy", NpyFile(1, HeaderOf("<f8", "(2, 7)"), BytesOf(numbers)));
  const std::string narrow_file =
      Write("narrow.npy", NpyFile(2, HeaderOf("<f4", "(2, 7)"), BytesOf(narrow)));
  const std::string text =
      Write("rows.csv", std::string(kPoseHeader) + "\n2,0,0,0,0,0,1\n0.75,0,0,0,0,0,1\n");
  const Ran expected = RunApart("--json query distance " + text + " ball ball --normals");
  ASSERT_EQ(Lines(expected).size(), 2u);
  EXPECT_EQ(Lines(expected)[1]["distance"], -0.25);
  for (const std::string& file : {wide_file, narrow_file}) {
    const Ran ran = RunApart("--json query distance " + file + " ball ball --normals");
    EXPECT_EQ(ran.exit_code, 1) << ran.errors;
    EXPECT_EQ(ran.output, expected.output);
  }
  std::vector<double> moves = {3, 0, 0, 0, 0, 0, 1, -4, 0, 0};
  const std::string moving =
      Write("moves.npy", NpyFile(1, HeaderOf("<f8", "(1, 10)"), BytesOf(moves)));
  const Ran ran =
      RunApart("--json query toc --columns pose_b,displacement_b " + moving + " ball ball");
  EXPECT_EQ(Lines(ran).at(0)["state"], "HIT") << ran.errors;
}

TEST_F(QueryFile, SaysWhatIsWrongWithAnArray) {
  const std::string row = BytesOf(std::vector<double>{2, 0, 0, 0, 0, 0, 1});
  const auto said = [&](const std::string& bytes) {
    const Ran ran = Run("query distance " + Write("rows.npy", bytes) + " ball ball");
    EXPECT_EQ(ran.exit_code, 2);
    return ran.output;
  };
  EXPECT_THAT(said("no array"), HasSubstr("its first bytes are others"));
  EXPECT_THAT(said(NpyFile(1, HeaderOf(">f8", "(1, 7)"), row)), HasSubstr("little-endian"));
  EXPECT_THAT(said(NpyFile(1, HeaderOf("<f8", "(1, 7)", "True"), row)), HasSubstr("Fortran"));
  EXPECT_THAT(said(NpyFile(1, HeaderOf("<f8", "(7,)"), row)), HasSubstr("(rows, columns)"));
  EXPECT_THAT(said(NpyFile(1, HeaderOf("<f8", "(1, 6)"), row)),
              HasSubstr("has 6 columns, --columns tells of 7"));
  EXPECT_THAT(said(NpyFile(1, HeaderOf("<f8", "(1, 7)"), row).substr(0, 40)),
              HasSubstr("its header is cut off"));
  const Ran twice =
      Run("query distance --columns pose_b,pose_b " +
          Write("rows.npy", NpyFile(1, HeaderOf("<f8", "(1, 14)"), row + row)) + " ball ball");
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.output, HasSubstr("rows.npy: --columns has `pose_b` more than once"));
  // The rows that are there are answered.
  const std::string cut = said(NpyFile(1, HeaderOf("<f8", "(2, 7)"), row));
  EXPECT_THAT(cut, HasSubstr("SEPARATED"));
  EXPECT_THAT(cut, HasSubstr("rows.npy: the file ends in row 1 of 2"));
}

TEST_F(QueryFile, KeepsTheOrderOfManyRows) {
  constexpr int kRows = 3000;
  std::string text = std::string(kPoseHeader) + "\n";
  for (int i = 0; i < kRows; ++i) text += std::to_string(2 + i) + ",0,0,0,0,0,1\n";
  Write("rows.csv", text);
  const Ran ran =
      RunApart("--json query distance --from csv --rows 64 - ball ball <" + File("rows.csv"));
  EXPECT_EQ(ran.exit_code, 0) << ran.errors;
  const std::vector<Json> rows = Lines(ran);
  ASSERT_EQ(rows.size(), kRows);
  for (int i = 0; i < kRows; ++i) {
    ASSERT_EQ(rows[i]["row"], i);
    ASSERT_EQ(rows[i]["distance"], 1.0 + i);
  }
}

TEST_F(QueryFile, NamesMoreShapesThanASessionHasSlots) {
  server::Limits limits;
  limits.max_slots_per_session = 3;
  const RealServer small(limits);
  constexpr int kShapes = 20;
  std::string text;
  for (int i = 0; i < kShapes; ++i) {
    const std::string name = "ball-" + std::to_string(i);
    ASSERT_TRUE(small.Connect().Register(name, {Sphere{1.0 / 64 * i}, 0}).ok());
    text += R"({"a": ")" + name + R"(", "b": ")" + "ball-" + std::to_string(i / 2) +
            R"(", "pose_b": [2, 0, 0, 0, 0, 0, 1]})" + "\n";
  }
  const Ran ran =
      RunApart("--json --addr " + small.address() + " query distance " + Write("rows.jsonl", text));
  EXPECT_EQ(ran.exit_code, 0) << ran.errors;
  const std::vector<Json> rows = Lines(ran);
  ASSERT_EQ(rows.size(), kShapes);
  for (int i = 0; i < kShapes; ++i) {
    const int radii = i + i / 2;
    EXPECT_EQ(rows[i]["distance"], 2 - radii / 64.0);
  }
}

TEST_F(QueryFile, PrintsCsvAndTables) {
  const std::string file = Write("rows.jsonl", R"({"id": "a,b", "pose_b": [2, 0, 0, 0, 0, 0, 1]}
{"pose_b": [9, 0, 0, 0, 0, 0, 1], "max_distance": 1}
{"pose_b": 1}
)");
  const Ran csv = RunApart("query distance " + file + " ball ball --normals --csv");
  EXPECT_EQ(csv.exit_code, 2);
  std::istringstream lines(csv.output);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line,
            "row,id,state,distance,lower_bound,upper_bound,normal.x,normal.y,normal.z,flags,reason,"
            "error");
  std::getline(lines, line);
  EXPECT_THAT(line, testing::StartsWith("0,\"a,b\",SEPARATED,1.0,"));
  EXPECT_THAT(line, testing::EndsWith(",1.0,0.0,0.0,0,,"));
  std::getline(lines, line);
  EXPECT_THAT(line, testing::StartsWith("1,,BEYOND,,"));
  std::getline(lines, line);
  EXPECT_THAT(line, testing::StartsWith("2,,REFUSED,,,,,,,,,"));
  const Ran table = RunApart("query intersect --bounds " + file + " ball ball --rows 1");
  EXPECT_THAT(table.output, HasSubstr("0    a,b  SEPARATED"));
}

}  // namespace
}  // namespace clearance::client
