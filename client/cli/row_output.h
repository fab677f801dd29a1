// SPDX-License-Identifier: Apache-2.0
//
// Rows of answers as JSON objects, column by column, and what they mean for the exit code.

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "clearance/query.h"
#include "clearance/scene_query.h"
#include "client/cli/command.h"
#include "client/cli/output.h"

namespace clearance::client {

inline Json Number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

// Each adds row `row` of a column, where the column was asked for.
inline void AddNumber(const char* name, const std::vector<double>& column, std::size_t row,
                      Json* object) {
  if (row < column.size()) (*object)[name] = Number(column[row]);
}

inline void AddVector(const char* name, const std::vector<double>& column, std::size_t row,
                      Json* object) {
  if (column.size() < 3 * (row + 1)) return;
  const double* const numbers = &column[3 * row];
  (*object)[name] = {Number(numbers[0]), Number(numbers[1]), Number(numbers[2])};
}

inline void AddCount(const char* name, const std::vector<std::uint32_t>& column, std::size_t row,
                     Json* object) {
  if (row < column.size()) (*object)[name] = column[row];
}

inline Json ToJson(const Error& error) {
  Json object = {{"code", absl::StatusCodeToString(error.code)}};
  if (!error.reason.empty()) object["reason"] = error.reason;
  object.update({{"field", error.field},
                 {"value", error.value},
                 {"limit", error.limit},
                 {"message", MessageOf(error)}});
  return object;
}

// Puts what was said of single rows, refusals and reasons, into the rows they are about.
template <class Result>
void AddRemarks(const Result& result, Json* rows) {
  for (const UndecidedRow& row : result.undecided) {
    if (row.index < rows->size()) (*rows)[row.index]["reason"] = Name(row.reason);
  }
  for (const Error& error : result.errors) {
    if (error.index >= rows->size()) continue;
    (*rows)[error.index]["error"] = ToJson(error);
  }
}

inline ExitCode CodeOf(State state) {
  switch (state) {
    case State::kSeparated:
    case State::kBeyond:
      return kExitFree;
    case State::kTouching:
    case State::kPenetrating:
      return kExitNotFree;
    case State::kUndecided:
      return kExitUnknown;
    default:
      return kExitError;
  }
}

inline ExitCode CodeOf(MotionState state) {
  switch (state) {
    case MotionState::kFree:
      return kExitFree;
    case MotionState::kHit:
    case MotionState::kInitiallyOverlapping:
      return kExitNotFree;
    case MotionState::kUndecided:
      return kExitUnknown;
    default:
      return kExitError;
  }
}

inline ExitCode CodeOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFree:
      return kExitFree;
    case Verdict::kTouching:
      return kExitNotFree;
    case Verdict::kUndecided:
      return kExitUnknown;
    default:
      return kExitError;
  }
}

// The codes that rows had so far.
class CodeTally {
 public:
  void Add(ExitCode code) { has_[code] = true; }

  int Worst() const {
    for (const ExitCode code : {kExitError, kExitNotFree, kExitUnknown}) {
      if (has_[code]) return code;
    }
    return kExitFree;
  }

 private:
  bool has_[4] = {};
};

template <class States>
int WorstCode(const States& states) {
  CodeTally tally;
  for (const auto state : states) tally.Add(CodeOf(state));
  return tally.Worst();
}

}  // namespace clearance::client
