// SPDX-License-Identifier: Apache-2.0
#include "tests/soak/watch.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

namespace clearance::soak {
namespace {

std::array<Post, kMostWorkers> posts;
std::uint64_t soak_seed = 0;

void Write(const char* text, int length) {
  const ssize_t written = write(STDERR_FILENO, text, static_cast<std::size_t>(length));
  static_cast<void>(written);
}

extern "C" void NameCases(int signal_number) {
  char line[160];
  Write(line, std::snprintf(line, sizeof(line), "\nFATAL: signal %d\n", signal_number));
  for (int worker = 0; worker < kMostWorkers; ++worker) {
    const std::uint64_t index = PostOf(worker).index;
    if (index == kNoCase) continue;
    Write(line,
          std::snprintf(line, sizeof(line),
                        "worker %d was at: ./dev soak --seed %" PRIu64 " --only %" PRIu64 "\n",
                        worker, soak_seed, index));
  }
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

double ProcessorSeconds(pthread_t thread) {
  clockid_t clock;
  timespec time = {};
  if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

Post& PostOf(int worker) { return posts[static_cast<std::size_t>(worker)]; }

std::uint64_t QueriesOfAll() {
  std::uint64_t sum = 0;
  for (const Post& post : posts) sum += post.queries.load(std::memory_order_relaxed);
  return sum;
}

void NameCasesOnFatalSignals(std::uint64_t seed) {
  soak_seed = seed;
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction action = {};
    action.sa_handler = NameCases;
    sigaction(number, &action, nullptr);
  }
}

Watchdog::Watchdog(const std::vector<pthread_t>& workers, double most_seconds)
    : most_seconds_(most_seconds) {
  for (const pthread_t worker : workers) seen_.push_back({worker});
  thread_ = std::thread([this] { Run(); });
}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  ends_.notify_all();
  thread_.join();
}

void Watchdog::Run() {
  std::unique_lock lock(mutex_);
  while (!ends_.wait_for(lock, std::chrono::seconds(1), [this] { return is_ending_; })) {
    for (std::size_t i = 0; i < seen_.size(); ++i) Look(static_cast<int>(i), &seen_[i]);
  }
}

void Watchdog::Look(int worker, Seen* seen) const {
  const std::uint64_t index = PostOf(worker).index;
  const double now = ProcessorSeconds(seen->thread);
  if (index != seen->index) {
    seen->index = index;
    seen->since = now;
  } else if (index != kNoCase && now - seen->since > most_seconds_) {
    std::fprintf(stderr,
                 "\nHANG: worker %d has been at case %" PRIu64 " for %.0f s of its thread\n",
                 worker, index, now - seen->since);
    std::abort();
  }
}

}  // namespace clearance::soak
