// SPDX-License-Identifier: Apache-2.0
//
// The loop of the game's server: asks the authorities tick by tick, and measures what that takes.

#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "authority.h"
#include "clearance/client.h"
#include "figures.h"
#include "level.h"
#include "match.h"
#include "places.h"
#include "rewinder.h"

namespace game {

struct SimulationOptions {
  AuthorityOptions authority;
  std::string track;
  double ticks_per_second = 60;  // 0: as fast as they are answered
  bool has_baseline = false;     // ask every tick's moves of an empty scene too
  int server_pid = 0;            // on this machine, to read its processor time; 0: not read
};

struct Measured {
  std::size_t ticks = 0;
  std::size_t moves = 0;
  absl::Duration duration;
  Durations moves_asked;  // from the message to the verdicts of a tick
  Durations baseline;     // the same of the empty scene
  Durations published;
  Durations shots;  // rewinding, and the ray
  Durations whole;  // ticks, from when they were due (but for the baseline)
  ProcessorTime moves_time;
  ProcessorTime baseline_time;
  ProcessorTime other_time;  // publishing and shots
};

class Simulation {
 public:
  static absl::StatusOr<std::unique_ptr<Simulation>> Start(const clearance::client::Client& client,
                                                           const Level& level,
                                                           const SimulationOptions& options);

  // Waits until the tick is due, and asks all of it.
  absl::StatusOr<TickAnswers> Play(const Tick& tick);
  const Measured& measured() const { return measured_; }

 private:
  explicit Simulation(const SimulationOptions& options) : options_(options) {}
  absl::Duration WaitForTick();
  absl::Status AskMoves(const Tick& tick, TickAnswers* answers);
  absl::Status AskBaseline(const Tick& tick);
  absl::Status AskShots(const Tick& tick, TickAnswers* answers);

  const SimulationOptions options_;
  std::unique_ptr<Authority> authority_;
  std::unique_ptr<Rewinder> rewinder_;
  Places places_;
  absl::Duration start_;  // on the steady clock
  Measured measured_;
};

}  // namespace game
