// SPDX-License-Identifier: Apache-2.0
#include "tests/acceptance/report.h"

#include <algorithm>
#include <exception>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace clearance::acceptance {
namespace {

constexpr int kFailuresShown = 50;

std::string Line(const std::string& name, const Tally& tally) {
  std::string line = absl::StrFormat("%-36s %d/%d", name, tally.passed, tally.judged);
  if (tally.self_refused > 0)
    line += absl::StrFormat(", refused by this tool (no wire form) %d", tally.self_refused);
  return line;
}

void AddTo(const Tally& part, Tally* sum) {
  sum->judged += part.judged;
  sum->passed += part.passed;
  sum->self_refused += part.self_refused;
}

// A row that lacks what it is judged by fails as unreadable, whatever the answer.
Judgement JudgeSafely(const Task& task, absl::Span<const Answer> answers) {
  try {
    return task.judge(answers);
  } catch (const std::exception& error) {
    return {{std::string("the row cannot be judged: ") + error.what()}};
  }
}

}  // namespace

void Report::Judge(const Task& task, absl::Span<const Answer> answers, Tally* tally) {
  const Judgement judgement = JudgeSafely(task, answers);
  tally->self_refused += std::any_of(answers.begin(), answers.end(), [](const Answer& answer) {
    return answer.outcome == Answer::Outcome::kSelfRefused;
  });
  ++tally->judged;
  if (judgement.faults.empty()) {
    ++tally->passed;
  } else {
    PrintFailure(task.id, judgement.faults);
  }
}

void Report::PrintFailure(const std::string& id, const std::vector<std::string>& faults) {
  if (++failures_ <= kFailuresShown)
    out_ << "FAIL " << id << ": " << absl::StrJoin(faults, "; ") << "\n";
}

void Report::Add(const TaskFile& file, absl::Span<const Answer> answers) {
  std::map<std::string, Tally> families;
  std::size_t next = 0;
  for (const Task& task : file.tasks) {
    Judge(task, answers.subspan(next, task.questions.size()), &families[task.family]);
    next += task.questions.size();
  }
  Tally sum;
  for (const auto& [family, tally] : families) AddTo(tally, &sum);
  out_ << Line(file.name, sum) << "\n";
  for (const auto& [family, tally] : families) out_ << "  " << Line(family, tally) << "\n";
  for (const std::string& note : file.notes) out_ << "  note: " << note << "\n";
  for (const std::string& problem : file.unreadable) out_ << "  UNREADABLE " << problem << "\n";
  unreadable_ += static_cast<int>(file.unreadable.size());
  AddTo(sum, &total_);
}

void Report::Finish() {
  if (failures_ > kFailuresShown)
    out_ << "and " << failures_ - kFailuresShown << " failures more\n";
  out_ << Line("TOTAL", total_) << "\n";
}

int Report::ExitCode() const {
  if (unreadable_ > 0) return 2;
  return failures_ == 0 && total_.judged > 0 ? 0 : 1;
}

}  // namespace clearance::acceptance
