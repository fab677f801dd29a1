// SPDX-License-Identifier: Apache-2.0

#include "tests/bench/load/target.h"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace clearance::bench {
namespace {

constexpr int kRoundTrips = 2000;
constexpr absl::Duration kLoadTime = absl::Milliseconds(500);

// Messages in flight: enough that the server never waits for the client.
int WindowOf(int batch) {
  constexpr int kRowsInFlight = 8192;
  return std::clamp(kRowsInFlight / batch, 4, 64);
}

// Processor time of a process, all its threads, user and system: the figures of /proc/PID/stat, in
// nanoseconds instead of ticks.
double CpuNanoseconds(pid_t pid) {
  clockid_t clock{};
  if (clock_getcpuclockid(pid, &clock) != 0) Fail("a server is gone");
  return Nanoseconds(clock);
}

}  // namespace

void Fail(const std::string& what) { throw std::runtime_error(what); }

int RunBench(const char* name, absl::FunctionRef<int()> bench) {
  try {
    return bench();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 1;
  }
}

void WriteCsv(const Report& report, const std::string& file) {
  if (!file.empty() && !report.WriteCsv(file)) Fail("cannot write " + file);
}

BenchServer::BenchServer(const std::vector<std::string>& flags) : server_(flags) {
  if (server_.http_port() == 0) {
    Fail("clearance-server did not start: " + server_.process().output());
  }
}

void BenchServer::End() {
  server_.process().Signal(SIGTERM);
  if (server_.process().WaitForExit() != 0) Fail("clearance-server did not end with status 0");
}

double Nanoseconds(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) Fail("a processor time cannot be read");
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

Target::Target(std::string name, pid_t pid, const std::string& address, FaultFinder find_fault)
    : name_(std::move(name)), pid_(pid), client_(address), find_fault_(find_fault) {}

void Target::OpenAll(const Pool& pool) {
  v1::SessionResponse reply;
  for (std::size_t i = 0; i < pool.bodies.size(); ++i) {
    if (!client_.Ask(MakeOpen(pool, i), &reply) || !reply.has_open()) Fail(name_ + ": no open");
  }
}

void Target::FirstPass(const LoadQuestions& questions,
                       const std::vector<v1::SessionRequest>& messages, int batch) {
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

std::size_t Target::Pass(const std::vector<v1::SessionRequest>& messages, int batch) {
  const SessionClient::Load load = {messages, WindowOf(batch), absl::ZeroDuration()};
  if (client_.Run(load, SameAsFirst(batch)) == 0) Fail(name_ + ": a later reply differs");
  return messages.size();
}

void Target::Measure(const std::vector<v1::SessionRequest>& messages, int batch, Report* report) {
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

void Target::MeasureRoundTrips(const std::vector<v1::SessionRequest>& messages, Report* report,
                               int batch) {
  const auto is_same = SameAsFirst(batch);
  std::vector<double> micros;
  v1::SessionResponse reply;
  for (std::size_t i = 0; i < kRoundTrips; ++i) {
    const absl::Time began = absl::Now();
    const std::size_t message = i % messages.size();
    if (!client_.Ask(messages[message], &reply)) Fail(name_ + ": the stream broke");
    micros.push_back(absl::ToDoubleMicroseconds(absl::Now() - began));
    if (!is_same(message, reply)) Fail(name_ + ": a later reply differs from the first");
  }
  std::sort(micros.begin(), micros.end());
  report->Add(Row(batch), kMiddle, micros[micros.size() / 2]);
  report->Add(Row(batch), kTail, micros[micros.size() * 99 / 100]);
}

std::string Target::Row(int batch) const { return absl::StrCat(name_, "/", batch); }

}  // namespace clearance::bench
