// SPDX-License-Identifier: Apache-2.0
//
// What a query costs the server: starts clearance-server and the wire floor as children and loads
// them in turn through a Session with distance batches of 1 to 4096 rows. The servers' processor
// time is read from outside. The first pass of every batch size is held against the core in this
// process, and every later reply has to be the same bytes.
//
//   load_bench [--short] [--csv=FILE] [--size=box|16|64|256|1024|4096] [-- FLAG_OF_SERVER…]

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "core/query/distance.h"
#include "tests/bench/load/questions.h"
#include "tests/bench/load/session_client.h"
#include "tests/bench/report.h"
#include "tests/integration/process/server_process.h"

ABSL_FLAG(bool, short, false, "One pass over the rows: checks the answers only.");
ABSL_FLAG(std::string, csv, "", "Where to write every figure; empty: nowhere.");
ABSL_FLAG(std::string, size, "box", "Shapes of the rows; boxes show most of the wire.");

namespace clearance::bench {
namespace {

constexpr std::array kBatches = {1, 16, 256, 4096};
constexpr int kRows = 4096;
constexpr int kShapes = 200;
constexpr int kShortShapes = 10;
constexpr int kRounds = 7;
constexpr int kRoundTrips = 2000;
constexpr absl::Duration kLoadTime = absl::Milliseconds(500);

constexpr const char* kCpu = "server_cpu_ns_per_query";
constexpr const char* kRate = "queries_per_second";
constexpr const char* kMiddle = "round_trip_p50_us";
constexpr const char* kTail = "round_trip_p99_us";

// Thrown, not exit(): the servers are children, and end with the objects that started them.
[[noreturn]] void Fail(const std::string& what) { throw std::runtime_error(what); }

// Messages in flight: enough that the server never waits for the client.
int WindowOf(int batch) { return std::clamp(2 * kRows / batch, 4, 64); }

double Nanoseconds(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) Fail("a processor time cannot be read");
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// Processor time of a process, all its threads, user and system: the figures of /proc/PID/stat, in
// nanoseconds instead of ticks.
double CpuNanoseconds(pid_t pid) {
  clockid_t clock{};
  if (clock_getcpuclockid(pid, &clock) != 0) Fail("a server is gone");
  return Nanoseconds(clock);
}

// One server under load.
class Target {
 public:
  using FaultFinder = std::string (*)(const Questions&, std::size_t first_row,
                                      const v1::DistanceBatchResult&);

  Target(std::string name, pid_t pid, const std::string& address, FaultFinder find_fault)
      : name_(std::move(name)), pid_(pid), client_(address), find_fault_(find_fault) {}

  void OpenAll(const Pool& pool) {
    v1::SessionResponse reply;
    for (std::size_t i = 0; i < pool.bodies.size(); ++i) {
      if (!client_.Ask(MakeOpen(pool, i), &reply) || !reply.has_open()) Fail(name_ + ": no open");
    }
  }

  // Holds every answer against what it has to be, and keeps its bytes.
  void FirstPass(const Questions& questions, const std::vector<v1::SessionRequest>& messages,
                 int batch) {
    std::vector<std::string>& kept = replies_[batch];
    std::string fault = "the stream broke";
    const auto judge = [&](std::size_t i, const v1::SessionResponse& reply) {
      fault = find_fault_(questions, i * static_cast<std::size_t>(batch), reply.distance());
      kept.push_back(reply.SerializeAsString());
      return fault.empty();
    };
    if (client_.Run({messages, WindowOf(batch), absl::ZeroDuration()}, judge) == 0) {
      Fail(name_ + ", batches of " + std::to_string(batch) + ": " + fault);
    }
  }

  void Measure(const std::vector<v1::SessionRequest>& messages, int batch, Report* report) {
    const double cpu_before = CpuNanoseconds(pid_);
    const absl::Time began = absl::Now();
    const std::uint64_t replies =
        client_.Run({messages, WindowOf(batch), kLoadTime}, SameAsFirst(batch));
    const double seconds = absl::ToDoubleSeconds(absl::Now() - began);
    if (replies == 0) Fail(name_ + ": a later reply differs from the first");
    const double queries = static_cast<double>(replies) * batch;
    report->Add(Row(batch), kCpu, (CpuNanoseconds(pid_) - cpu_before) / queries);
    report->Add(Row(batch), kRate, queries / seconds);
  }

  // Messages of one row, one at a time.
  void MeasureRoundTrips(const std::vector<v1::SessionRequest>& messages, Report* report) {
    const auto is_same = SameAsFirst(1);
    std::vector<double> micros;
    v1::SessionResponse reply;
    for (std::size_t i = 0; i < kRoundTrips; ++i) {
      const absl::Time began = absl::Now();
      if (!client_.Ask(messages[i], &reply)) Fail(name_ + ": the stream broke");
      micros.push_back(absl::ToDoubleMicroseconds(absl::Now() - began));
      if (!is_same(i, reply)) Fail(name_ + ": a later reply differs from the first");
    }
    std::sort(micros.begin(), micros.end());
    report->Add(Row(1), kMiddle, micros[micros.size() / 2]);
    report->Add(Row(1), kTail, micros[micros.size() * 99 / 100]);
  }

  std::string Row(int batch) const { return absl::StrCat(name_, "/", batch); }

 private:
  struct SameBytes {
    const std::vector<std::string>& kept;
    bool operator()(std::size_t i, const v1::SessionResponse& reply) const {
      return reply.SerializeAsString() == kept[i];
    }
  };
  SameBytes SameAsFirst(int batch) { return {replies_[batch]}; }

  const std::string name_;
  const pid_t pid_;
  SessionClient client_;
  const FaultFinder find_fault_;
  std::map<int, std::vector<std::string>> replies_;  // by batch size
};

// The same rows in this process: what a query costs without any server.
double CoreNanoseconds(const Questions& questions) {
  const double before = Nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  double sum = 0;
  for (const Pair& row : questions.rows) {
    sum += Distance(row.PosedA(questions.pool), row.PosedB(questions.pool), {}).distance;
  }
  if (!(sum > 0)) Fail("pairs that were placed apart are not");
  return (Nanoseconds(CLOCK_THREAD_CPUTIME_ID) - before) / kRows;
}

void PrintTable(const Report& report) {
  std::printf("\nCPU ns per query of the server process, medians of %d interleaved rounds\n",
              kRounds);
  std::printf("%6s %12s %12s %8s %8s %8s %10s %14s\n", "rows", "queries/s", "floor q/s", "server",
              "core", "floor", "server/", "server/");
  std::printf("%6s %12s %12s %8s %8s %8s %10s %14s\n", "", "", "", "", "", "", "floor",
              "(core+floor)");
  const double core = report.Median("core", kCpu);
  for (const int batch : kBatches) {
    const double server = report.Median(absl::StrCat("server/", batch), kCpu);
    const double floor = report.Median(absl::StrCat("floor/", batch), kCpu);
    std::printf("%6d %12.0f %12.0f %8.0f %8.0f %8.0f %10.2f %14.2f\n", batch,
                report.Median(absl::StrCat("server/", batch), kRate),
                report.Median(absl::StrCat("floor/", batch), kRate), server, core, floor,
                server / floor, server / (core + floor));
  }
  std::printf("\none message of one row in flight, us      p50      p99\n");
  for (const char* name : {"server", "floor"}) {
    const std::string row = absl::StrCat(name, "/1");
    std::printf("%-37s %8.0f %8.0f\n", name, report.Median(row, kMiddle),
                report.Median(row, kTail));
  }
}

const Size& SizeFromFlag() {
  for (const Size& size : kSizes) {
    if (size.name == absl::GetFlag(FLAGS_size)) return size;
  }
  Fail("--size=" + absl::GetFlag(FLAGS_size) + " is none of box, 16, 64, 256, 1024, 4096");
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

void MeasureAll(const Questions& questions, const std::array<Target*, 2>& targets,
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
  const Questions questions =
      MakeQuestions(SizeFromFlag(), Regime::kNear, is_short ? kShortShapes : kShapes, kRows);
  std::vector<std::vector<v1::SessionRequest>> messages;
  for (const int batch : kBatches) messages.push_back(MakeMessages(questions, batch));

  test::ServerProcess server({arguments.begin() + 1, arguments.end()});
  if (server.http_port() == 0) Fail("clearance-server did not start: " + server.process().output());
  test::ChildProcess floor({CLEARANCE_WIRE_FLOOR_PROGRAM});
  Report report;
  {
    Target real("server", server.process().pid(), server.grpc_address(), FindFault);
    Target bare("floor", floor.pid(), FloorAddress(floor), FindFloorFault);
    for (Target* const target : {&real, &bare}) {
      target->OpenAll(questions.pool);
      for (std::size_t i = 0; i < kBatches.size(); ++i) {
        target->FirstPass(questions, messages[i], kBatches[i]);
      }
    }
    std::printf(
        "%d rows in batches of 1, 16, 256 and 4096: every answer is the core's, bit for bit\n",
        kRows);
    if (!is_short) MeasureAll(questions, {&real, &bare}, messages, &report);
  }
  server.process().Signal(SIGTERM);
  if (server.process().WaitForExit() != 0) Fail("clearance-server did not end with status 0");
  if (is_short) return 0;
  PrintTable(report);
  const std::string csv = absl::GetFlag(FLAGS_csv);
  if (!csv.empty() && !report.WriteCsv(csv)) Fail("cannot write " + csv);
  return 0;
}

}  // namespace
}  // namespace clearance::bench

int main(int argc, char** argv) {
  try {
    return clearance::bench::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "load_bench: %s\n", error.what());
    return 1;
  }
}
