// SPDX-License-Identifier: Apache-2.0
//
// What every worker is at, so that a crash or a query that never ends names its case. Only for the
// one soak of a process.

#pragma once

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace clearance::soak {

inline constexpr int kMostWorkers = 64;
inline constexpr std::uint64_t kNoCase = UINT64_MAX;

// Written by its worker, read by everybody.
struct alignas(64) Post {
  std::atomic<std::uint64_t> index = kNoCase;
  std::atomic<std::uint64_t> queries = 0;
};

// Requires: worker < kMostWorkers.
Post& PostOf(int worker);
std::uint64_t QueriesOfAll();

// From now on a fatal signal prints how to ask each worker's case again, and then does what it
// would have done.
void NameCasesOnFatalSignals(std::uint64_t seed);

// Aborts the process when a worker has spent so many seconds of its thread's processor time on one
// case: a loop without end, however busy the machine is.
class Watchdog {
 public:
  // Not a test of speed: an exact decision may take seconds.
  static constexpr double kMostSeconds = 30;

  // Watches these threads, worker i at post i, until it is destroyed; they must still be joinable
  // then.
  explicit Watchdog(const std::vector<pthread_t>& workers, double most_seconds = kMostSeconds);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  struct Seen {
    pthread_t thread;
    std::uint64_t index = kNoCase;
    double since = 0;  // processor seconds of the thread when it was first seen at this case
  };

  void Run();
  void Look(int worker, Seen* seen) const;

  const double most_seconds_;
  std::vector<Seen> seen_;
  std::mutex mutex_;
  std::condition_variable ends_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace clearance::soak
