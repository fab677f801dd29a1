// SPDX-License-Identifier: Apache-2.0
//
// The page of metrics is what the table of metrics makes, and the table is what the server says.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "server/config/settings.h"
#include "server/observe/metrics.h"
#include "tests/support/generated_text.h"

namespace clearance::server {
namespace {

struct Row {
  std::string group;
  std::string name;
  std::string type;
  std::vector<std::string> labels;
  std::string values;  // of a label; empty: not in the table
  std::string help;
  std::string more;
};

Row MakeRow(const Row& row, const std::string& labels) {
  Row made = row;
  if (!labels.empty()) made.labels = absl::StrSplit(labels, ' ');
  return made;
}

std::vector<Row> Table() {
  std::string group;
  std::vector<Row> rows;
  const auto add = [&](Row row, const std::string& labels) {
    row.group = group;
    absl::AsciiStrToLower(&row.type);
    rows.push_back(MakeRow(row, labels));
  };
#define GROUP(title) group = title;
#define SERIES(Type, handle, name, help, more, ...) add({"", #name, #Type, {}, "", help, more}, "");
#define STORE(Type, handle, name, help, more, ...) SERIES(Type, handle, name, help, more)
#define SERIES_BY(Type, handle, index, name, label, values, help, more) \
  add({"", #name, #Type, {}, values, help, more}, #label);
#define FAMILY(Type, handle, name, labels, help, more) \
  add({"", #name, #Type, {}, "", help, more}, labels);
#include "server/observe/metrics.def"
  return rows;
}

// "`limit`: `sessions`, `cores`".
std::string LabelsOf(const Row& row) {
  std::string text;
  for (const std::string& label : row.labels)
    absl::StrAppend(&text, text.empty() ? "" : ", ", "`", label, "`");
  if (row.values.empty()) return text;
  const std::vector<std::string> values = absl::StrSplit(row.values, ' ');
  return absl::StrCat(text, ": `", absl::StrJoin(values, "`, `"), "`");
}

// The unit, with which a name ends.
std::string UnitOf(absl::string_view name) {
  absl::ConsumeSuffix(&name, "_total");
  for (const char* const unit : {"seconds", "bytes", "ratio"}) {
    if (absl::EndsWith(name, absl::StrCat("_", unit))) return unit;
  }
  return "";
}

TEST(MetricsPage, IsWhatTheTableSays) {
  constexpr char kHead[] = "| series | type | unit | labels | meaning |\n|---|---|---|---|---|\n";
  std::map<std::string, std::string> tables;
  for (const Row& row : Table()) {
    std::string& table = tables[row.group];
    if (table.empty()) table = kHead;
    absl::StrAppend(&table, "| `", row.name, "` | ", row.type, " | ", UnitOf(row.name), " | ",
                    LabelsOf(row), " | ", row.help, row.more.empty() ? "" : " ", row.more, " |\n");
  }
  std::string& limits = tables["Limits"];
  limits = "| series | limit |\n|---|---|\n";
  for (const Setting& setting : AllSettings()) {
    if (setting.has(kShown)) {
      absl::StrAppend(&limits, "| `clearance_", setting.name, setting.is_time ? "_seconds" : "",
                      "` | `--", setting.name, "` |\n");
    }
  }
  const std::string path = std::string(CLEARANCE_ROOT) + "/server/guide/metrics.md";
  std::string page = test::ReadText(path);
  for (const auto& [group, table] : tables) page = test::WithPart(page, group, table);
  test::ExpectGenerated(path, page);
}

// The labels of the first series of each family at /metrics; those of the process are left out.
std::map<std::string, std::set<std::string>> LabelsAtMetrics() {
  std::map<std::string, std::set<std::string>> labels;
  std::istringstream lines(Metrics("1.2.3").Scrape());
  std::string family;
  for (std::string line; std::getline(lines, line);) {
    if (absl::StartsWith(line, "# TYPE ")) {
      family = std::vector<std::string>(absl::StrSplit(line, ' '))[2];
    } else if (!absl::StartsWith(line, "#") && !absl::StartsWith(family, "process_")) {
      std::set<std::string>& names = labels[family];
      const std::size_t open = line.find('{');
      if (open == std::string::npos) continue;
      const std::string inside = line.substr(open + 1, line.rfind('}') - open - 1);
      for (absl::string_view pair : absl::StrSplit(inside, "\",")) {
        const std::string name(pair.substr(0, pair.find('=')));
        if (name != "le") names.insert(name);
      }
    }
  }
  return labels;
}

TEST(MetricsTable, HasTheSeriesAndLabelsOfTheServer) {
  std::map<std::string, std::set<std::string>> told;
  for (const Row& row : Table()) told[row.name] = {row.labels.begin(), row.labels.end()};
  EXPECT_EQ(LabelsAtMetrics(), told);
}

TEST(MetricsTable, NamesEndWithTheirUnit) {
  for (const Row& row : Table()) {
    EXPECT_EQ(row.type == "counter", absl::EndsWith(row.name, "_total")) << row.name;
    for (const char* const unit : {"_seconds_", "_bytes_", "_ratio_"}) {
      const bool is_counter = absl::StrContains(row.name, absl::StrCat(unit, "total"));
      EXPECT_TRUE(is_counter || !absl::StrContains(row.name, unit)) << row.name;
    }
  }
}

}  // namespace
}  // namespace clearance::server
