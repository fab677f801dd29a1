// SPDX-License-Identifier: Apache-2.0
#include "server/observe/liveness.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace clearance::server {
namespace {

constexpr std::array<const char*, kLoopKinds> kLoopNames = {"accept", "handover", "poll", "work"};

}  // namespace

void Liveness::Watch(std::vector<WatchedLoop> loops) {
  const std::lock_guard lock(mutex_);
  questions_.clear();
  for (WatchedLoop& loop : loops) questions_.push_back({.loop = std::move(loop), .asked = {}});
}

std::optional<std::string> Liveness::FindDead() {
  const std::lock_guard lock(mutex_);
  const SteadyTime now = clock_();
  std::array<absl::Duration, kLoopKinds> silence{};
  std::vector<std::string> dead;
  for (Question& question : questions_) {
    const auto kind = static_cast<std::size_t>(question.loop.kind);
    const int factor = question.loop.kind == LoopKind::kWork ? kWorkPatience : 1;
    const absl::Duration patience = factor * patience_;
    const bool was_away = now - last_look_ > patience;
    const absl::Duration owed = Look(&question, now, was_away);
    silence[kind] = std::max(silence[kind], owed);
    if (owed > patience) {
      dead.push_back(absl::StrCat("the loop '", kLoopNames[kind], "' has not turned for ",
                                  absl::FormatDuration(absl::Trunc(owed, absl::Seconds(1)))));
    }
  }
  last_look_ = now;
  for (std::size_t kind = 0; kind < kLoopKinds; ++kind) {
    metrics_.loop_silence(static_cast<LoopKind>(kind)).Set(absl::ToDoubleSeconds(silence[kind]));
  }
  return dead.empty() ? std::nullopt : std::optional(absl::StrJoin(dead, "; "));
}

// Puts an open question once more if the last look is older than the loop's patience. The whole
// process may have been stopped, and then its loops answer no sooner than this asks.
absl::Duration Liveness::Look(Question* question, SteadyTime now, bool was_away) const {
  const bool is_answered = question->loop.turns() != question->turns;
  const bool repeats = question->is_open && was_away && !question->was_repeated;
  if (question->is_open && !is_answered && !repeats) {
    return now - question->asked;
  }
  question->was_repeated = repeats && !is_answered;
  question->is_open = true;
  question->asked = now;
  question->turns = question->loop.turns();
  if (question->loop.ask) question->loop.ask();
  return absl::ZeroDuration();
}

}  // namespace clearance::server
