// SPDX-License-Identifier: Apache-2.0
//
// Counts what passed and prints it: a line for each file and family, failures with their reasons,
// and a total.

#pragma once

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "tests/acceptance/question.h"

namespace clearance::acceptance {

struct Tally {
  int judged = 0;
  int passed = 0;
  int self_refused = 0;  // refused by this tool: no wire form
};

class Report {
 public:
  explicit Report(std::ostream& out) : out_(out) {}

  // Judges the answers (all questions of all tasks in order) and prints the file's lines.
  void Add(const TaskFile& file, absl::Span<const Answer> answers);

  // Prints the rest of the failures as a count and the TOTAL line.
  void Finish();

  // 0: all that was judged passed. 1: something failed, or nothing was judged. 2: some input could
  // not be read.
  int ExitCode() const;

 private:
  void Judge(const Task& task, absl::Span<const Answer> answers, Tally* tally);
  void PrintFailure(const std::string& id, const std::vector<std::string>& faults);

  std::ostream& out_;
  Tally total_;
  int failures_ = 0;
  int unreadable_ = 0;
};

}  // namespace clearance::acceptance
