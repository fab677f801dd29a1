// SPDX-License-Identifier: Apache-2.0
//
// A match in a file: the level, all questions, tick by tick, and a digest of each tick's answers.
// Numbers are stored as in this machine's memory: 64 bits each.

#pragma once

#include <cstdint>
#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "match.h"

namespace game {

class MatchLogWriter {
 public:
  // Without a path nothing is written.
  static absl::StatusOr<MatchLogWriter> Open(const std::string& path, const Level& level);
  void Add(const MatchLog::Entry& entry);
  // Writes the end, without which a reader does not take the file for a whole match.
  absl::Status Finish();

 private:
  MatchLogWriter() = default;

  std::ofstream file_;
  bool is_wanted_ = false;
};

// DATA_LOSS if the file is not a match, or ends early.
absl::StatusOr<MatchLog> ReadMatchLog(const std::string& path);

}  // namespace game
