// SPDX-License-Identifier: Apache-2.0
//
// Asks core as many questions as time allows and judges every answer:
//   core_soak [--seconds S] [--queries N] [--threads N] [--seed S] [--first INDEX]
//   core_soak --seed S --only INDEX        asks one case again and tells all about it
// Ends after S seconds (default 60) or, where a number is given, N queries. Status 1 if there was
// any finding. The same seed makes the same cases, whatever the threads; only how many of them are
// asked in a time is the machine's.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <latch>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/soak/asker.h"
#include "tests/soak/case_maker.h"
#include "tests/soak/tally.h"
#include "tests/soak/watch.h"
#include "tests/support/random.h"

namespace clearance::soak {
namespace {

using Clock = std::chrono::steady_clock;

// Cases that a worker takes at a time, and between two looks at the clock.
constexpr std::uint64_t kBatch = 64;

struct Arguments {
  double seconds = 60;
  std::uint64_t queries = UINT64_MAX;
  std::uint64_t threads = 1;
  std::uint64_t seed = 0;
  std::uint64_t first = 0;
  std::uint64_t only = kNoCase;
};

[[noreturn]] void ExitWithUsage() {
  std::fprintf(stderr,
               "usage: core_soak [--seconds S] [--queries N] [--threads N] [--seed S] "
               "[--first INDEX] [--only INDEX]\n");
  std::exit(2);
}

std::uint64_t WholeNumber(const char* text) {
  char* end = nullptr;
  const std::uint64_t value = std::strtoull(text, &end, 0);
  if (end == text || *end != '\0') ExitWithUsage();
  return value;
}

Arguments Parse(int argc, char** argv) {
  Arguments arguments;
  arguments.seed = testing::RunSeed();
  bool has_seconds = false;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view word = argv[i];
    if (i + 1 == argc) ExitWithUsage();
    const std::uint64_t value = WholeNumber(argv[i + 1]);
    if (word == "--seconds") {
      arguments.seconds = static_cast<double>(value);
      has_seconds = true;
    } else if (word == "--queries") {
      arguments.queries = value;
    } else if (word == "--threads") {
      arguments.threads = std::clamp<std::uint64_t>(value, 1, kMostWorkers);
    } else if (word == "--seed") {
      arguments.seed = value;
    } else if (word == "--first") {
      arguments.first = value;
    } else if (word == "--only") {
      arguments.only = value;
    } else {
      ExitWithUsage();
    }
  }
  const bool is_counted = arguments.queries != UINT64_MAX;
  if (is_counted && !has_seconds) arguments.seconds = 1e9;
  return arguments;
}

struct Soak {
  Arguments arguments;
  Clock::time_point start = Clock::now();
  std::atomic<std::uint64_t> next = 0;  // case
  std::latch done;                      // counts the workers that may still ask

  double Seconds() const { return std::chrono::duration<double>(Clock::now() - start).count(); }
  bool IsOver() const {
    return Seconds() >= arguments.seconds || QueriesOfAll() >= arguments.queries;
  }
};

void Work(Soak* soak, Asker* asker) {
  while (!soak->IsOver()) {
    const std::uint64_t begin = soak->next.fetch_add(kBatch);
    for (std::uint64_t index = begin; index < begin + kBatch; ++index) asker->Ask(index);
  }
  soak->done.count_down();
}

void PrintTotals(const Soak& soak, const Tally& tally) {
  const Row total = tally.Total();
  const double seconds = soak.Seconds();
  std::printf("\nseed %" PRIu64 ", cases %" PRIu64 " to %" PRIu64 ", %" PRIu64
              " threads, %.0f s, %.0f queries a second\n",
              soak.arguments.seed, soak.arguments.first, soak.next.load() - 1,
              soak.arguments.threads, seconds, static_cast<double>(total.queries) / seconds);
  std::printf("%" PRIu64 " queries, %" PRIu64 " of their answers proved anew; undecided %" PRIu64
              " (budget %" PRIu64 ", iterations %" PRIu64 ", precision %" PRIu64
              "); findings %" PRIu64 "\n",
              total.queries, total.checked, total.reasons[1] + total.reasons[2] + total.reasons[3],
              total.reasons[1], total.reasons[2], total.reasons[3], total.findings);
}

bool AskOnly(const Arguments& arguments) {
  FindingPrinter printer(arguments.seed);
  Asker asker(CaseMaker(arguments.seed), &PostOf(0), &printer, {.is_telling = true});
  asker.Ask(arguments.only);
  asker.tally().Print();
  return asker.tally().Total().findings == 0;
}

bool AskAll(const Arguments& arguments) {
  const CaseMaker maker(arguments.seed);
  FindingPrinter printer(arguments.seed);
  std::vector<std::unique_ptr<Asker>> askers;
  for (std::uint64_t i = 0; i < arguments.threads; ++i) {
    askers.push_back(
        std::make_unique<Asker>(maker, &PostOf(static_cast<int>(i)), &printer, Asker::Options{}));
  }
  Soak soak = {.arguments = arguments,
               .next = arguments.first,
               .done = std::latch(static_cast<std::ptrdiff_t>(arguments.threads))};
  std::vector<std::thread> threads;
  std::vector<pthread_t> handles;
  for (const auto& asker : askers) {
    threads.emplace_back(Work, &soak, asker.get());
    handles.push_back(threads.back().native_handle());
  }
  {
    // Looks at clocks of threads: these are joined after it has ended. Until then it watches the
    // last of the cases too.
    const Watchdog watchdog(handles);
    soak.done.wait();
  }
  for (std::thread& thread : threads) thread.join();
  Tally tally;
  for (const auto& asker : askers) tally.Add(asker->tally());
  tally.Print();
  PrintTotals(soak, tally);
  return tally.Total().findings == 0;
}

bool Run(const Arguments& arguments) {
  NameCasesOnFatalSignals(arguments.seed);
  return arguments.only == kNoCase ? AskAll(arguments) : AskOnly(arguments);
}

}  // namespace
}  // namespace clearance::soak

int main(int argc, char** argv) {
  return clearance::soak::Run(clearance::soak::Parse(argc, argv)) ? 0 : 1;
}
