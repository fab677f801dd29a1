// SPDX-License-Identifier: Apache-2.0
#include "simulation.h"

#include <utility>

#include "absl/time/clock.h"

namespace game {

absl::StatusOr<std::unique_ptr<Simulation>> Simulation::Start(
    const clearance::client::Client& client, const Level& level, const SimulationOptions& options) {
  auto simulation = std::unique_ptr<Simulation>(new Simulation(options));
  auto authority = Authority::Start(client, level, options.authority);
  if (!authority.ok()) return authority.status();
  simulation->authority_ = *std::move(authority);
  auto rewinder = Rewinder::Start(client, {.scene = options.authority.scene,
                                           .track = options.track,
                                           .player_count = options.authority.player_count,
                                           .player = simulation->authority_->player()});
  if (!rewinder.ok()) return rewinder.status();
  simulation->rewinder_ = *std::move(rewinder);
  return simulation;
}

absl::StatusOr<TickAnswers> Simulation::Play(const Tick& tick) {
  const absl::Duration due = WaitForTick();
  TickAnswers answers;
  absl::Status status = AskMoves(tick, &answers);
  if (status.ok()) status = AskShots(tick, &answers);
  if (status.ok()) places_.Settle(tick.claims, answers.verdicts);
  const absl::Duration now = SteadyNow();
  measured_.whole.Add(now - due);
  ++measured_.ticks;
  measured_.moves += tick.claims.size();
  measured_.duration = now - start_;
  if (status.ok() && options_.has_baseline) status = AskBaseline(tick);
  if (!status.ok()) return status;
  return answers;
}

// A tick that is late does not move those after it: their time counts from when they were due.
absl::Duration Simulation::WaitForTick() {
  const absl::Duration now = SteadyNow();
  if (measured_.ticks == 0) start_ = now;
  if (options_.ticks_per_second <= 0) return now;
  const double elapsed = static_cast<double>(measured_.ticks) / options_.ticks_per_second;
  const absl::Duration due = start_ + absl::Seconds(elapsed);
  if (due > now) absl::SleepFor(due - now);
  return due;
}

absl::Status Simulation::AskMoves(const Tick& tick, TickAnswers* answers) {
  const ProcessorTime time_before = ReadProcessorTime(options_.server_pid);
  const absl::Duration before = SteadyNow();
  auto verdicts = authority_->Judge(tick.claims);
  measured_.moves_asked.Add(SteadyNow() - before);
  measured_.moves_time += ReadProcessorTime(options_.server_pid) - time_before;
  if (!verdicts.ok()) return verdicts.status();
  answers->verdicts = *std::move(verdicts);
  return absl::OkStatus();
}

absl::Status Simulation::AskBaseline(const Tick& tick) {
  const ProcessorTime time_before = ReadProcessorTime(options_.server_pid);
  const absl::Duration before = SteadyNow();
  absl::Status status = authority_->AskEmptyScene(tick.claims);
  measured_.baseline.Add(SteadyNow() - before);
  measured_.baseline_time += ReadProcessorTime(options_.server_pid) - time_before;
  return status;
}

absl::Status Simulation::AskShots(const Tick& tick, TickAnswers* answers) {
  const ProcessorTime time_before = ReadProcessorTime(options_.server_pid);
  const absl::Duration before_publishing = SteadyNow();
  absl::Status status = rewinder_->Publish(tick.number, places_.Begin(tick.claims));
  measured_.published.Add(SteadyNow() - before_publishing);
  if (!status.ok()) return status;
  for (const Shot& shot : tick.shots) {
    const absl::Duration before = SteadyNow();
    const absl::StatusOr<ShotVerdict> verdict = rewinder_->Judge(shot);
    measured_.shots.Add(SteadyNow() - before);
    if (!verdict.ok()) return verdict.status();
    answers->shots.push_back(*verdict);
  }
  measured_.other_time += ReadProcessorTime(options_.server_pid) - time_before;
  return absl::OkStatus();
}

}  // namespace game
