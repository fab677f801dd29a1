// SPDX-License-Identifier: Apache-2.0
//
// bench: runs closed loops of distance batches, each over its own session and connection, for one
// number of sessions after another. It measures the combined throughput of this server, this
// network and this client, nothing finer. Every answer is compared with that of a first pass.
#include <algorithm>
#include <cmath>
#include <deque>
#include <fstream>
#include <latch>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "clearance/session.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/row_writer.h"
#include "internal/steady_clock.h"

namespace clearance::client {
namespace {

// The server's default of max_batch_rows. A larger batch would be split, but measured as one
// message.
constexpr std::uint32_t kMostRows = 100'000;

struct BenchArguments {
  std::string concurrency = "1";
  std::string csv_file;
  double most_p99_us = 0;  // 0: no limit
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
  // NaN stands for a distance that is not known, in both.
  const auto equal = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return a.states == b.states && std::ranges::equal(a.distances, b.distances, equal) &&
         a.lower_bounds == b.lower_bounds && a.upper_bounds == b.upper_bounds;
}

// A range of numbers of sessions, run one after another.
struct Sweep {
  int first = 1;
  int last = 1;
  int step = 1;
};

// FIRST, FIRST:LAST or FIRST:LAST:STEP.
absl::StatusOr<Sweep> ParseSweep(const std::string& text) {
  constexpr int kMostSessions = 1024;
  const std::vector<std::string> parts = absl::StrSplit(text, ':');
  Sweep sweep;
  bool is_sweep = parts.size() <= 3 && absl::SimpleAtoi(parts[0], &sweep.first);
  sweep.last = sweep.first;
  if (parts.size() > 1) is_sweep = is_sweep && absl::SimpleAtoi(parts[1], &sweep.last);
  if (parts.size() > 2) is_sweep = is_sweep && absl::SimpleAtoi(parts[2], &sweep.step);
  if (is_sweep && sweep.first >= 1 && sweep.last >= sweep.first && sweep.last <= kMostSessions &&
      sweep.step >= 1) {
    return sweep;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--concurrency ", text, ": must be FIRST, FIRST:LAST or FIRST:LAST:STEP, of 1 to ",
      kMostSessions, " sessions"));
}

// The question that all sessions ask.
struct Workload {
  Shape a;
  Shape b;
  DistanceBatch batch;
};

Workload MakeWorkload(const BenchArguments& arguments) {
  Generator generator(arguments.seed);
  Workload workload;
  workload.a = RandomHull(arguments.points, &generator);
  workload.b = RandomHull(arguments.points, &generator);
  workload.batch = RandomBatch(arguments.rows, &generator);
  return workload;
}

// One closed loop.
class Loop {
 public:
  // Both outlive this.
  Loop(const BenchArguments& arguments, const Workload& workload)
      : arguments_(arguments), workload_(workload) {}

  // Connects, and asks once, to keep the costs of the first question out of the measurement.
  absl::Status Prepare(const GlobalOptions& options);
  absl::Status Run(int messages);

  // The times from sending a message to having its answer, seconds.
  const std::vector<double>& latencies() const { return latencies_; }

 private:
  absl::Status TakeAnswer(absl::Duration waited);

  const BenchArguments& arguments_;
  const Workload& workload_;
  std::unique_ptr<Session> session_;
  DistanceResult expected_;
  std::vector<double> latencies_;
};

absl::Status Loop::Prepare(const GlobalOptions& options) {
  const absl::StatusOr<Client> client = options.Connect();
  if (!client.ok()) return client.status();
  // The cost of a broken stream is not to be measured.
  session_ = client->OpenSession({.reopen = false});
  for (const std::uint32_t slot : {0u, 1u}) {
    const auto opened = session_->Open(slot, slot == 0 ? workload_.a : workload_.b);
    if (!opened.ok()) return opened.status();
  }
  absl::StatusOr<DistanceResult> expected = session_->Ask(workload_.batch);
  if (!expected.ok()) return expected.status();
  expected_ = *std::move(expected);
  return absl::OkStatus();
}

absl::Status Loop::Run(int messages) {
  const SessionMessage message = workload_.batch;
  std::deque<SteadyTime> sent;
  while (messages > 0 || !sent.empty()) {
    if (messages > 0 && static_cast<int>(sent.size()) < arguments_.in_flight) {
      sent.push_back(SteadyNow());
      if (absl::Status status = session_->Send(message); !status.ok()) return status;
      --messages;
      continue;
    }
    const absl::StatusOr<Reply> reply = session_->Next();
    if (!reply.ok()) return reply.status();
    if (!reply->status.ok()) return reply->status;
    latencies_.push_back(absl::ToDoubleSeconds(SteadyNow() - sent.front()));
    sent.pop_front();
    if (!IsSame(std::get<DistanceResult>(reply->answer), expected_)) {
      return absl::InternalError("an answer differs from that of the first pass");
    }
  }
  return session_->Finish();
}

struct Measured {
  std::vector<double> latencies = {};  // of all loops, in order of their size
  double seconds = 0;
};

// Runs this many loops at a time, which share the messages.
absl::StatusOr<Measured> Measure(const GlobalOptions& options, const BenchArguments& arguments,
                                 const Workload& workload, int sessions) {
  std::vector<Loop> loops;
  for (int i = 0; i < sessions; ++i) {
    loops.emplace_back(arguments, workload);
    if (absl::Status status = loops.back().Prepare(options); !status.ok()) return status;
  }
  std::vector<absl::Status> statuses(loops.size());
  std::latch start(sessions + 1);
  std::vector<std::jthread> threads;
  for (int i = 0; i < sessions; ++i) {
    const int messages = (arguments.messages + i) / sessions;
    threads.emplace_back([&, i, messages] {
      start.arrive_and_wait();
      statuses[i] = loops[i].Run(messages);
    });
  }
  start.arrive_and_wait();
  const SteadyTime began = SteadyNow();
  threads.clear();  // waits for all
  Measured measured = {.seconds = absl::ToDoubleSeconds(SteadyNow() - began)};
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (!statuses[i].ok()) return statuses[i];
    const std::vector<double>& own = loops[i].latencies();
    measured.latencies.insert(measured.latencies.end(), own.begin(), own.end());
  }
  std::sort(measured.latencies.begin(), measured.latencies.end());
  return measured;
}

double PercentileUs(const Measured& measured, double share) {
  const auto last = static_cast<double>(measured.latencies.size() - 1);
  return 1e6 * measured.latencies[static_cast<std::size_t>(share * last)];
}

Json Summary(const BenchArguments& arguments, int sessions, const Measured& measured) {
  const auto messages = static_cast<double>(measured.latencies.size());
  return {{"concurrency", sessions},
          {"rows_a_message", arguments.rows},
          {"messages", measured.latencies.size()},
          {"in_flight", arguments.in_flight},
          {"seconds", measured.seconds},
          {"messages_per_second", messages / measured.seconds},
          {"queries_per_second", messages * arguments.rows / measured.seconds},
          {"p50_us", PercentileUs(measured, 0.5)},
          {"p90_us", PercentileUs(measured, 0.9)},
          {"p95_us", PercentileUs(measured, 0.95)},
          {"p99_us", PercentileUs(measured, 0.99)},
          {"max_us", PercentileUs(measured, 1)}};
}

// A file with the same columns as the table.
class CsvFile {
 public:
  explicit CsvFile(const std::string& path) {
    if (!path.empty()) file_.emplace(path, std::ios::trunc);
  }

  bool is_good() const { return !file_ || file_->good(); }

  void Write(const Json& row) {
    if (!file_) return;
    std::vector<std::string> columns;
    for (const auto& [name, cell] : row.items()) columns.push_back(name);
    if (is_empty_) *file_ << absl::StrJoin(columns, ",") << '\n';
    is_empty_ = false;
    *file_ << CsvLine(row, columns) << std::endl;
  }

 private:
  std::optional<std::ofstream> file_;
  bool is_empty_ = true;
};

// The figures that fit in a line. JSON and CSV have all.
Json ShownOf(const Json& row) {
  Json shown = Json::object();
  for (const char* const name : {"concurrency", "messages_per_second", "queries_per_second",
                                 "p50_us", "p90_us", "p99_us", "max_us"})
    shown[name] = row[name];
  return shown;
}

int Bench(const GlobalOptions& options, const BenchArguments& arguments) {
  const absl::StatusOr<Sweep> sweep = ParseSweep(arguments.concurrency);
  if (!sweep.ok()) return ReportError(sweep.status());
  CsvFile csv(arguments.csv_file);
  const Workload workload = MakeWorkload(arguments);
  TableWriter table(options.wide);
  Json rows = Json::array();
  for (int sessions = sweep->first; csv.is_good() && sessions <= sweep->last;
       sessions += sweep->step) {
    const auto measured = Measure(options, arguments, workload, sessions);
    if (!measured.ok()) return ReportError(measured.status());
    const Json row = Summary(arguments, sessions, *measured);
    rows.push_back(row);
    csv.Write(row);
    if (!options.json) table.Write(Json::array({ShownOf(row)}));
    if (arguments.most_p99_us > 0 && PercentileUs(*measured, 0.99) > arguments.most_p99_us) break;
  }
  if (options.json) PrintJson(rows);
  if (csv.is_good()) return kExitFree;
  return ReportError(absl::UnavailableError(arguments.csv_file + ": cannot be written"));
}

}  // namespace

void AddBenchCommand(CLI::App* app, GlobalOptions* options) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App* bench = app->add_subcommand("bench", "Measure distance queries over sessions");
  bench
      ->add_option("--concurrency", arguments->concurrency,
                   "Sessions at a time: N, or FIRST:LAST:STEP, a line for each")
      ->capture_default_str();
  bench->add_option("--rows", arguments->rows, "Queries a message")
      ->check(CLI::Range(1u, kMostRows))
      ->capture_default_str();
  bench
      ->add_option("--messages", arguments->messages, "Messages for each line, of all its sessions")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  bench->add_option("--in-flight", arguments->in_flight, "Messages of a session not yet answered")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  bench->add_option("--points", arguments->points, "Points of each hull")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  bench->add_option("--seed", arguments->seed, "Seed of shapes and poses")->capture_default_str();
  bench
      ->add_option("--max-p99", arguments->most_p99_us,
                   "End after the line whose p99 is longer than this, microseconds")
      ->check(PositiveAndFinite());
  bench->add_option("--csv", arguments->csv_file, "Also write the lines to this file");
  bench->callback([=] { options->exit_code = Bench(*options, *arguments); });
}

}  // namespace clearance::client
