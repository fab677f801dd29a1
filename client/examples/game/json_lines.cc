// SPDX-License-Identifier: Apache-2.0
#include "json_lines.h"

#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"

namespace game {
namespace {

// Turns nlohmann's exceptions into a status; no exception leaves this file.
absl::Status Take(const std::string& text, const std::string& place,
                  absl::FunctionRef<void(const Json&)> take) {
  try {
    take(Json::parse(text));
  } catch (const Json::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat(place, ": ", error.what()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadJson(const std::filesystem::path& path,
                      absl::FunctionRef<void(const Json&)> take) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat(path.c_str(), ": cannot be opened"));
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  return Take(text, path, take);
}

absl::Status ForEachLine(const std::filesystem::path& path,
                         absl::FunctionRef<void(const Json&)> take) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat(path.c_str(), ": cannot be opened"));
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty()) continue;
    absl::Status status = Take(line, absl::StrCat(path.c_str(), ":", number), take);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

clearance::client::Vec3 ReadVec3(const Json& json) {
  return {json.at(0).get<double>(), json.at(1).get<double>(), json.at(2).get<double>()};
}

}  // namespace game
