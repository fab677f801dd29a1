// SPDX-License-Identifier: Apache-2.0
//
// The costs of two programs: one asks clearance-server over the network, the other has Bullet in
// its process. Both ask for distances of the same near pairs, with points, normal and bounds in the
// reply. The server's cost is all its processor time, the wire included, read from outside;
// Bullet's is that of the thread. Both take turns; every answer of the server is the core's, bit
// for bit.
//
//   headline_bench [--short] [--csv=FILE]

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/str_cat.h"
#include "tests/bench/load/questions.h"
#include "tests/bench/load/target.h"
#include "tests/bench/peers/peer.h"
#include "tests/bench/report.h"
#include "tests/bench/workload.h"

ABSL_FLAG(bool, short, false, "Few rows, not timed: checks the answers only.");
ABSL_FLAG(std::string, csv, "", "Where to write every figure; empty: nowhere.");

namespace clearance::bench {
namespace {

constexpr std::array kBatches = {64, 256, 1024, 4096};
constexpr int kRows = 4096;
constexpr int kMostShapes = 200;
constexpr int kRounds = 5;
// The goals: shares of Bullet's time, per size, with 1024 rows a message.
constexpr std::array kGoals = {0.22, 0.29, 0.20, 0.087, 0.04, 0.02};
static_assert(kGoals.size() == kSizes.size());

std::string CellOf(const Size& size, const std::string& row) {
  return absl::StrCat(row, "/", size.name);
}

double BulletNanoseconds(Peer* bullet, std::vector<double>* answers) {
  const double before = Nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  bullet->Answer(answers);
  return (Nanoseconds(CLOCK_THREAD_CPUTIME_ID) - before) / static_cast<double>(answers->size());
}

// One size of shapes, its server started for it.
void RunSize(const Size& size, bool is_short, Report* report) {
  const int shapes = std::min(size.shapes, is_short ? 4 : kMostShapes);
  const LoadQuestions rows = MakeQuestions(size, Regime::kNear, shapes, kRows);
  const std::unique_ptr<Peer> bullet = MakeBullet();
  const std::vector<Motion> still(rows.rows.size());
  bullet->Load(rows.pool);
  bullet->Prepare({Kind::kDistance, rows.pool, rows.rows, still, rows.rows.size()});
  std::vector<double> answers(rows.rows.size());

  BenchServer server;
  {
    Target target(CellOf(size, "server"), server.pid(), server.address(), FindFault);
    target.OpenAll(rows.pool);
    std::vector<std::vector<v1::SessionRequest>> messages;
    for (const int batch : kBatches) {
      messages.push_back(MakeMessages(rows, batch));
      target.FirstPass(rows, messages.back(), batch);
    }
    for (int round = 0; round < kRounds && !is_short; ++round) {
      report->Add(CellOf(size, "bullet"), kCpu, BulletNanoseconds(bullet.get(), &answers));
      for (std::size_t i = 0; i < kBatches.size(); ++i) {
        target.Measure(messages[i], kBatches[i], report);
      }
    }
  }
  server.End();
}

void PrintTable(const Report& report) {
  std::printf("\nCPU ns per query; medians of %d rounds\n%-28s", kRounds, "");
  for (const Size& size : kSizes) std::printf("%10s", size.name);
  const auto print = [&](const std::string& title, const auto& value_of) {
    std::printf("\n%-28s", title.c_str());
    for (std::size_t i = 0; i < kSizes.size(); ++i) value_of(kSizes[i], i);
  };
  const auto bullet = [&](const Size& size) { return report.Median(CellOf(size, "bullet"), kCpu); };
  const auto server = [&](const Size& size, int batch) {
    return report.Median(absl::StrCat(CellOf(size, "server"), "/", batch), kCpu);
  };
  print("Bullet, in the process",
        [&](const Size& size, std::size_t) { std::printf("%10.0f", bullet(size)); });
  for (const int batch : kBatches) {
    print(absl::StrCat("server, ", batch, " rows a message"),
          [&](const Size& size, std::size_t) { std::printf("%10.0f", server(size, batch)); });
  }
  print("server / Bullet, 1024 rows", [&](const Size& size, std::size_t) {
    std::printf("%10.3f", server(size, 1024) / bullet(size));
  });
  print("aimed at", [&](const Size&, std::size_t i) { std::printf("%10.3f", kGoals[i]); });
  std::printf("\n");
}

int Main() {
  const bool is_short = absl::GetFlag(FLAGS_short);
  Report report;
  for (const Size& size : kSizes) RunSize(size, is_short, &report);
  std::printf("%d near pairs of each size: every answer of the server is the core's\n", kRows);
  if (is_short) return 0;
  PrintTable(report);
  WriteCsv(report, absl::GetFlag(FLAGS_csv));
  return 0;
}

}  // namespace
}  // namespace clearance::bench

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return clearance::bench::RunBench("headline_bench", clearance::bench::Main);
}
