// SPDX-License-Identifier: Apache-2.0
//
// The server's cost of a query. Starts clearance-server and the wire floor as children, the latter
// twice, idle and as busy with each row as the core is. Loads them in turn through a Session with
// distance batches of 1 to 4096 rows. The servers' processor time is read from outside. The first
// pass of every batch size is compared with the core in this process, and every later reply must be
// the same bytes.
//
//   load_bench [--short] [--csv=FILE] [--size=box|16|64|256|1024|4096] [-- FLAG_OF_SERVER…]

#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/str_cat.h"
#include "core/query/distance.h"
#include "tests/bench/load/allocations.h"
#include "tests/bench/load/questions.h"
#include "tests/bench/load/target.h"
#include "tests/bench/report.h"
#include "tests/integration/process/server_process.h"

ABSL_FLAG(bool, short, false, "One pass over the rows: checks the answers only.");
ABSL_FLAG(std::string, csv, "", "Where to write every figure; empty: nowhere.");
ABSL_FLAG(std::string, size, "box", "Shapes of the rows; boxes show most of the wire.");

namespace clearance::bench {
namespace {

constexpr std::array kBatches = {1, 16, 256, 1024, 4096};
constexpr int kRows = 4096;
constexpr int kPooledRows = 2048;  // too many for a polling thread
constexpr int kShapes = 200;
constexpr int kShortShapes = 10;
constexpr int kRounds = 7;

// Asks the same rows in this process, all in one call: the cost of a query without any server.
double CoreNanoseconds(const LoadQuestions& questions) {
  std::vector<DistanceQuestion> asked;
  for (const Pair& row : questions.rows) {
    asked.push_back({row.PosedA(questions.pool), row.PosedB(questions.pool), {}});
  }
  std::vector<DistanceAnswer> answers(asked.size());
  const double before = Nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  Distances(asked, absl::MakeSpan(answers));
  const double took = Nanoseconds(CLOCK_THREAD_CPUTIME_ID) - before;
  for (const DistanceAnswer& answer : answers) {
    if (!(answer.distance > 0)) Fail("pairs that were placed apart are not");
  }
  return took / kRows;
}

// Returns the server's allocations of one pass of the messages, a message: the least of a few
// passes, as the server's periodic look at its connections allocates too.
double AllocationsAMessage(const AllocationCount& count, Target* target,
                           const std::vector<v1::SessionRequest>& messages, int batch) {
  constexpr int kPasses = 7;
  double least = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < kPasses; ++pass) {
    const std::uint64_t before = count.value();
    const auto passed = static_cast<double>(target->Pass(messages, batch));
    least = std::min(least, static_cast<double>(count.value() - before) / passed);
  }
  return least;
}

// Counts the server's allocations, a message, in a separate server that counts. Returns false if
// the count grows with the rows.
bool CountAllocations(const LoadQuestions& questions,
                      const std::vector<std::vector<v1::SessionRequest>>& messages,
                      Report* report) {
  constexpr double kMostAMessage = 64;
  const AllocationCount count;
  BenchServer server;
  Target target("counted", server.pid(), server.address(), FindFault);
  target.OpenAll(questions.pool);
  bool is_bounded = true;
  std::printf("\nallocations of the server\n  rows   a message     a row\n");
  for (std::size_t i = 0; i < kBatches.size(); ++i) {
    target.FirstPass(questions, messages[i], kBatches[i]);
    const double a_message = AllocationsAMessage(count, &target, messages[i], kBatches[i]);
    report->Add(target.Row(kBatches[i]), "allocations_per_message", a_message);
    std::printf("%6d %11.1f %9.3f\n", kBatches[i], a_message, a_message / kBatches[i]);
    is_bounded &= a_message > 0 && a_message <= kMostAMessage;
  }
  return is_bounded;
}

// Streams of the largest batches, as many in flight as the server takes, for as long as it lives.
class Flood {
 public:
  Flood(const std::string& address, const LoadQuestions& questions,
        const std::vector<v1::SessionRequest>& messages) {
    for (int i = 0; i < kStreams; ++i) {
      clients_.push_back(std::make_unique<SessionClient>(address));
      v1::SessionResponse reply;
      for (std::size_t k = 0; k < questions.pool.bodies.size(); ++k) {
        if (!clients_.back()->Ask(MakeOpen(questions.pool, k), &reply)) Fail("flood: no open");
      }
      threads_.emplace_back([this, &messages, client = clients_.back().get()] {
        constexpr int kWindow = 4;
        const auto judge = [this](std::size_t, const v1::SessionResponse&) { return !is_over_; };
        client->Run({messages, kWindow, absl::Hours(1)}, judge);
      });
    }
  }
  ~Flood() {
    is_over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Flood(const Flood&) = delete;
  Flood& operator=(const Flood&) = delete;

 private:
  static constexpr int kStreams = 4;

  std::vector<std::unique_ptr<SessionClient>> clients_;
  std::atomic<bool> is_over_ = false;
  std::vector<std::thread> threads_;
};

// Measures a stream of small messages beside large ones: of one row, which is answered where it is
// read, and of more, which wait for workers as the large ones do.
void MeasureBesideFlood(BenchServer& server, const LoadQuestions& questions,
                        const std::vector<std::vector<v1::SessionRequest>>& messages,
                        Report* report) {
  const auto measure = [&](const std::string& name) {
    Target target(name, server.pid(), server.address(), FindFault);
    target.OpenAll(questions.pool);
    target.FirstPass(questions, messages.front(), 1);
    target.MeasureRoundTrips(messages.front(), report);
    const auto middle = MakeMessages(questions, kPooledRows);
    target.FirstPass(questions, middle, kPooledRows);
    target.MeasureRoundTrips(middle, report, kPooledRows);
  };
  measure("alone");
  const Flood flood(server.address(), questions, messages.back());
  measure("beside_flood");
}

void PrintTable(const Report& report) {
  std::printf("\nCPU ns per query of the server process, medians of %d interleaved rounds\n",
              kRounds);
  std::printf("%6s %12s %12s %8s %8s %8s %8s %8s %13s %8s\n", "rows", "queries/s", "floor q/s",
              "server", "core", "floor", "busy", "server/", "server/", "server/");
  std::printf("%6s %12s %12s %8s %8s %8s %8s %8s %13s %8s\n", "", "", "", "", "", "", "floor",
              "floor", "(core+floor)", "busy");
  const double core = report.Median("core", kCpu);
  for (const int batch : kBatches) {
    const double server = report.Median(absl::StrCat("server/", batch), kCpu);
    const double floor = report.Median(absl::StrCat("floor/", batch), kCpu);
    const double busy = report.Median(absl::StrCat("busy_floor/", batch), kCpu);
    std::printf("%6d %12.0f %12.0f %8.0f %8.0f %8.0f %8.0f %8.2f %13.2f %8.2f\n", batch,
                report.Median(absl::StrCat("server/", batch), kRate),
                report.Median(absl::StrCat("floor/", batch), kRate), server, core, floor, busy,
                server / floor, server / (core + floor), server / busy);
  }
  std::printf("\none message of one row in flight, us      p50      p99\n");
  for (const char* name : {"server", "floor", "busy_floor"}) {
    const std::string row = absl::StrCat(name, "/1");
    std::printf("%-37s %8.0f %8.0f\n", name, report.Median(row, kMiddle),
                report.Median(row, kTail));
  }
  for (const int rows : {1, kPooledRows}) {
    for (const char* name : {"alone", "beside_flood"}) {
      const std::string row = absl::StrCat(name, "/", rows);
      std::printf("%-12s %-24s %8.0f %8.0f\n", name, absl::StrCat(rows, " rows").c_str(),
                  report.Median(row, kMiddle), report.Median(row, kTail));
    }
  }
}

const Size& SizeFromFlag() {
  for (const Size& size : kSizes) {
    if (size.name == absl::GetFlag(FLAGS_size)) return size;
  }
  Fail("--size=" + absl::GetFlag(FLAGS_size) + " is none of box, 16, 64, 256, 1024, 4096");
}

// Returns the typical cost of several calls, which the busy floor spends on each row.
double TypicalCoreNanoseconds(const LoadQuestions& questions) {
  Report report;
  for (int round = 0; round < kRounds; ++round) {
    report.Add("core", kCpu, CoreNanoseconds(questions));
  }
  return report.Median("core", kCpu);
}

// The port in "serving on port N".
std::string FloorAddress(test::ChildProcess& floor) {
  const std::string words = "serving on port ";
  if (!floor.WaitForLine(words)) Fail("the wire floor did not start: " + floor.output());
  floor.WaitForLine("\n");
  const std::string output = floor.output();
  return "127.0.0.1:" +
         std::to_string(std::atoi(output.c_str() + output.find(words) + words.size()));
}

void MeasureAll(const LoadQuestions& questions, const std::array<Target*, 3>& targets,
                const std::vector<std::vector<v1::SessionRequest>>& messages, Report* report) {
  for (int round = 0; round < kRounds; ++round) {
    report->Add("core", kCpu, CoreNanoseconds(questions));
    for (std::size_t i = 0; i < kBatches.size(); ++i) {
      for (Target* const target : targets) target->Measure(messages[i], kBatches[i], report);
    }
    for (Target* const target : targets) target->MeasureRoundTrips(messages[0], report);
  }
}

int Main(int argc, char** argv) {
  const std::vector<char*> arguments = absl::ParseCommandLine(argc, argv);
  const bool is_short = absl::GetFlag(FLAGS_short);
  const LoadQuestions questions =
      MakeQuestions(SizeFromFlag(), Regime::kNear, is_short ? kShortShapes : kShapes, kRows);
  std::vector<std::vector<v1::SessionRequest>> messages;
  for (const int batch : kBatches) messages.push_back(MakeMessages(questions, batch));

  BenchServer server({arguments.begin() + 1, arguments.end()});
  test::ChildProcess floor({CLEARANCE_WIRE_FLOOR_PROGRAM});
  test::ChildProcess busy_floor(
      {CLEARANCE_WIRE_FLOOR_PROGRAM,
       absl::StrCat("--row_work_ns=", TypicalCoreNanoseconds(questions))});
  Report report;
  {
    Target real("server", server.pid(), server.address(), FindFault);
    Target bare("floor", floor.pid(), FloorAddress(floor), FindFloorFault);
    Target busy("busy_floor", busy_floor.pid(), FloorAddress(busy_floor), FindFloorFault);
    for (Target* const target : {&real, &bare, &busy}) {
      target->OpenAll(questions.pool);
      for (std::size_t i = 0; i < kBatches.size(); ++i) {
        target->FirstPass(questions, messages[i], kBatches[i]);
      }
    }
    std::printf(
        "%d rows in batches of 1, 16, 256 and 4096: every answer is the core's, bit for bit\n",
        kRows);
    if (!is_short) MeasureAll(questions, {&real, &bare, &busy}, messages, &report);
  }
  if (!is_short) MeasureBesideFlood(server, questions, messages, &report);
  server.End();
  if (!is_short) PrintTable(report);
  if (!CountAllocations(questions, messages, &report)) Fail("allocations grow with the rows");
  if (is_short) return 0;
  WriteCsv(report, absl::GetFlag(FLAGS_csv));
  return 0;
}

}  // namespace
}  // namespace clearance::bench

int main(int argc, char** argv) {
  return clearance::bench::RunBench("load_bench",
                                    [&] { return clearance::bench::Main(argc, argv); });
}
