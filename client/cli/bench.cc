// SPDX-License-Identifier: Apache-2.0
//
// bench: a closed loop of distance batches over one session. It says what this server, this network
// and this client reach together, nothing finer. Every answer is held against that of a first pass.
#include <algorithm>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "clearance/session.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "internal/steady_clock.h"

namespace clearance::client {
namespace {

struct BenchArguments {
  std::uint32_t rows = 256;
  int messages = 2000;
  int in_flight = 8;
  int points = 32;
  unsigned seed = 1;
};

using Generator = std::mt19937;

Shape RandomHull(int points, Generator* generator) {
  std::uniform_real_distribution<double> coordinate(-0.5, 0.5);
  Hull hull;
  for (int i = 0; i < 3 * points; ++i) hull.vertices.push_back(coordinate(*generator));
  return {hull, 0};
}

DistanceBatch RandomBatch(std::uint32_t rows, Generator* generator) {
  std::uniform_real_distribution<double> place(-1, 1);
  DistanceBatch batch;
  batch.pairs.count = rows;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const double x = place(*generator);
    const double y = place(*generator);
    AppendPose({.x = x, .y = y, .z = place(*generator)}, &batch.pairs.poses_b);
  }
  return batch;
}

bool IsSame(const DistanceResult& a, const DistanceResult& b) {
  return a.states == b.states && a.distances == b.distances && a.lower_bounds == b.lower_bounds &&
         a.upper_bounds == b.upper_bounds;
}

// What the loop saw: the time from sending a message to having its answer, seconds.
struct Measured {
  std::vector<double> latencies;
  double seconds = 0;
};

absl::StatusOr<Measured> Measure(const BenchArguments& arguments, const SessionMessage& message,
                                 const DistanceResult& expected, Session* session) {
  Measured measured;
  std::deque<SteadyTime> sent;
  const SteadyTime start = SteadyNow();
  int to_send = arguments.messages;
  while (to_send > 0 || !sent.empty()) {
    if (to_send > 0 && static_cast<int>(sent.size()) < arguments.in_flight) {
      sent.push_back(SteadyNow());
      const absl::Status status = session->Send(message);
      if (!status.ok()) return status;
      --to_send;
      continue;
    }
    const absl::StatusOr<Reply> reply = session->Next();
    if (!reply.ok()) return reply.status();
    if (!reply->status.ok()) return reply->status;
    measured.latencies.push_back(absl::ToDoubleSeconds(SteadyNow() - sent.front()));
    sent.pop_front();
    if (!IsSame(std::get<DistanceResult>(reply->answer), expected)) {
      return absl::InternalError("an answer differs from that of the first pass");
    }
  }
  measured.seconds = absl::ToDoubleSeconds(SteadyNow() - start);
  std::sort(measured.latencies.begin(), measured.latencies.end());
  return measured;
}

Json Summary(const BenchArguments& arguments, const Measured& measured) {
  const auto percentile = [&](double share) {
    const auto last = static_cast<double>(measured.latencies.size() - 1);
    return 1e6 * measured.latencies[static_cast<std::size_t>(share * last)];
  };
  const auto queries = static_cast<double>(arguments.messages) * arguments.rows;
  return {{"rows_a_message", arguments.rows},
          {"messages", arguments.messages},
          {"in_flight", arguments.in_flight},
          {"seconds", measured.seconds},
          {"queries_per_second", queries / measured.seconds},
          {"p50_us", percentile(0.5)},
          {"p99_us", percentile(0.99)}};
}

int Bench(const GlobalOptions& options, const BenchArguments& arguments) {
  const absl::StatusOr<Client> client = options.Connect();
  if (!client.ok()) return ReportError(client.status());
  // What a broken stream costs is not what is measured.
  const std::unique_ptr<Session> session = client->OpenSession({.reopen = false});
  Generator generator(arguments.seed);
  for (const std::uint32_t slot : {0u, 1u}) {
    const auto opened = session->Open(slot, RandomHull(arguments.points, &generator));
    if (!opened.ok()) return ReportError(opened.status());
  }
  const DistanceBatch batch = RandomBatch(arguments.rows, &generator);
  const absl::StatusOr<DistanceResult> expected = session->Ask(batch);
  if (!expected.ok()) return ReportError(expected.status());
  const auto measured = Measure(arguments, batch, *expected, session.get());
  if (!measured.ok()) return ReportError(measured.status());
  const absl::Status end = session->Finish();
  if (!end.ok()) return ReportError(end);
  const Json summary = Summary(arguments, *measured);
  options.json ? PrintJson(summary) : PrintTable(Json::array({summary}));
  return kExitFree;
}

}  // namespace

void AddBenchCommand(CLI::App* app, GlobalOptions* options) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App* bench = app->add_subcommand("bench", "Measure distance queries over one session");
  bench->add_option("--rows", arguments->rows, "Queries a message")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  bench->add_option("--messages", arguments->messages, "Messages")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  bench->add_option("--in-flight", arguments->in_flight, "Messages not yet answered")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  bench->add_option("--points", arguments->points, "Points of each hull")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  bench->add_option("--seed", arguments->seed, "Of shapes and poses")->capture_default_str();
  bench->callback([=] { options->exit_code = Bench(*options, *arguments); });
}

}  // namespace clearance::client
