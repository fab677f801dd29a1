// SPDX-License-Identifier: Apache-2.0
//
// Checks whether the loops that must turn forever still do. Each counts its turns; it is asked to
// turn, and has answered once the count moved. A loop without work costs nothing between two
// questions, and a busy loop answers by its normal work: no loop is taken for dead for being idle
// or busy.

#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "server/observe/metrics.h"
#include "server/observe/steady_clock.h"

namespace clearance::server {

struct WatchedLoop {
  LoopKind kind;
  // Returns a count that moves with every turn, and with every look if nothing waits for one.
  // Thread-safe.
  std::function<std::uint64_t()> turns;
  // Makes a live loop turn soon; null if the work that waits for it does that. Thread-safe.
  std::function<void()> ask = nullptr;
};

// Watches the loops. Thread-safe. Looks only when it is asked itself: the client that probes the
// server sets the pace.
class Liveness {
 public:
  // A loop that leaves a question open for longer than `patience` is dead; workers, whose single
  // tasks may take long, have kWorkPatience times that. Metrics outlive this.
  Liveness(absl::Duration patience, Metrics& metrics, SteadyClock clock = SteadyNow)
      : patience_(patience), metrics_(metrics), clock_(std::move(clock)) {}

  static constexpr int kWorkPatience = 10;

  // Watches these loops instead of those before, which are not touched any more when it returns.
  void Watch(std::vector<WatchedLoop> loops);

  // Asks every loop that owes no answer. Returns which ones are dead and for how long they have
  // been silent, or nothing.
  std::optional<std::string> FindDead();

 private:
  struct Question {
    WatchedLoop loop;
    bool is_open = false;
    bool was_repeated = false;
    std::uint64_t turns = 0;  // when it was asked
    SteadyTime asked;
  };

  // Returns how long the loop has owed an answer.
  absl::Duration Look(Question* question, SteadyTime now, bool was_away) const;

  const absl::Duration patience_;
  Metrics& metrics_;
  const SteadyClock clock_;
  std::mutex mutex_;  // guards the members below
  std::vector<Question> questions_;
  SteadyTime last_look_;
};

}  // namespace clearance::server
