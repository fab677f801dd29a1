// SPDX-License-Identifier: Apache-2.0
#include "client/cli/diagnosis.h"

#include <cstdio>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "client/cli/command.h"

namespace clearance::client {
namespace {

const char* WordOf(Finding finding) {
  switch (finding) {
    case Finding::kOk:
      return "ok";
    case Finding::kWarning:
      return "warn";
    default:
      return "FAIL";
  }
}

}  // namespace

bool Diagnosis::Tell(const Check& check) {
  const char* const word = WordOf(check.finding);
  failures_ += check.finding == Finding::kFailure ? 1 : 0;
  warnings_ += check.finding == Finding::kWarning ? 1 : 0;
  if (is_json_) {
    Json line = {{"check", check.name}, {"result", word}, {"found", check.found}};
    if (!check.advice.empty()) line["advice"] = check.advice;
    checks_.push_back(std::move(line));
  } else {
    constexpr int kIndent = 18;
    std::string head = absl::StrFormat("%-5s %-10s", word, check.name);
    for (const std::string& line : Wrapped(check.found, kMostColumns - kIndent))
      absl::PrintF("%-*s%s\n", kIndent, std::exchange(head, ""), line);
    head = " -> ";
    for (const std::string& line : Wrapped(check.advice, kMostColumns - kIndent - head.size()))
      if (!line.empty()) absl::PrintF("%*s%-4s%s\n", kIndent, "", std::exchange(head, ""), line);
    // The next check may take its time.
    std::fflush(stdout);
  }
  return check.finding != Finding::kFailure;
}

int Diagnosis::Conclude() const {
  if (is_json_) {
    PrintJson({{"checks", checks_}, {"failures", failures_}, {"warnings", warnings_}});
  } else if (failures_ + warnings_ == 0) {
    absl::PrintF("all is well\n");
  } else {
    absl::PrintF("%d failed, %d to look at\n", failures_, warnings_);
  }
  return failures_ == 0 ? kExitFree : kExitError;
}

}  // namespace clearance::client
