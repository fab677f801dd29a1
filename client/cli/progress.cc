// SPDX-License-Identifier: Apache-2.0
#include "client/cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "absl/strings/str_format.h"

namespace clearance::client {
namespace {

constexpr std::uint64_t kBarWidth = 30;
// Often enough for an eye.
constexpr absl::Duration kBetweenDraws = absl::Milliseconds(100);
// To the line's beginning, and nothing on it.
constexpr char kEmptyLine[] = "\r\x1b[K";

bool IsShown(const GlobalOptions& options, bool streams_rows) {
  return !options.quiet && isatty(STDERR_FILENO) == 1 &&
         !(streams_rows && isatty(STDOUT_FILENO) == 1);
}

}  // namespace

Progress::Progress(const GlobalOptions& options, Work work)
    : work_(std::move(work)), is_shown_(IsShown(options, work_.streams_rows)) {}

void Progress::Set(std::uint64_t done) {
  if (!is_shown_) return;
  const SteadyTime now = SteadyNow();
  if (now - drawn_at_ < kBetweenDraws && done != work_.total) return;
  drawn_at_ = now;
  Draw(done);
}

void Progress::Draw(std::uint64_t done) {
  is_drawn_ = true;
  if (work_.total == 0) {
    absl::FPrintF(stderr, "%s%d %s", kEmptyLine, done, work_.unit);
  } else {
    const std::uint64_t full = kBarWidth * std::min(done, work_.total) / work_.total;
    absl::FPrintF(stderr, "%s[%s%s] %d of %d %s", kEmptyLine, std::string(full, '#'),
                  std::string(kBarWidth - full, '.'), done, work_.total, work_.unit);
  }
  std::fflush(stderr);
}

void Progress::Hide() {
  if (!is_drawn_) return;
  is_drawn_ = false;
  absl::FPrintF(stderr, "%s", kEmptyLine);
  std::fflush(stderr);
}

}  // namespace clearance::client
