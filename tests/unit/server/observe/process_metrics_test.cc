// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <future>
#include <map>
#include <sstream>
#include <string>
#include <thread>

#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "server/observe/metrics.h"

namespace clearance::server {
namespace {

std::map<std::string, double> Collect(const Metrics& metrics = Metrics("1.2.3")) {
  std::map<std::string, double> values;
  std::istringstream lines(metrics.Scrape());
  for (std::string line; std::getline(lines, line);) {
    if (!absl::StartsWith(line, "process_")) continue;
    std::istringstream words(line);
    std::string name;
    words >> name;
    words >> values[name];
  }
  return values;
}

// Oracle: asking the system for every number that a small program's descriptor could have.
TEST(ProcessMetrics, CountOpenDescriptorsButNotTheirOwn) {
  const int descriptor = open("/dev/null", O_RDONLY);
  int open_descriptors = 0;
  for (int number = 0; number < 4096; ++number) open_descriptors += fcntl(number, F_GETFD) >= 0;
  EXPECT_EQ(Collect().at("process_open_fds"), open_descriptors);
  close(descriptor);
  EXPECT_EQ(Collect().at("process_open_fds"), open_descriptors - 1);
}

// Oracles: getrlimit, getrusage.
TEST(ProcessMetrics, AgreeWithWhatTheSystemCallsTell) {
  const std::map<std::string, double> values = Collect();
  rlimit files;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
  EXPECT_EQ(values.at("process_max_fds"), static_cast<double>(files.rlim_cur));
  rusage usage;
  ASSERT_EQ(getrusage(RUSAGE_SELF, &usage), 0);
  EXPECT_GT(values.at("process_resident_memory_bytes"), 0);
  EXPECT_LE(values.at("process_resident_memory_bytes"),
            static_cast<double>(usage.ru_maxrss) * 1024);
  EXPECT_GT(values.at("process_virtual_memory_bytes"), values.at("process_resident_memory_bytes"));
  EXPECT_LE(values.at("process_cpu_seconds_total"),
            static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 3));
}

TEST(ProcessMetrics, TellWhenTheProcessBegan) {
  const absl::Time before = absl::Now();
  const Metrics metrics("1.2.3");
  const absl::Time after = absl::Now();
  const double start = Collect(metrics).at("process_start_time_seconds");
  constexpr double kRounding = 1e-3;  // a number of seconds since 1970 has no nanoseconds
  EXPECT_GE(start, absl::ToDoubleSeconds(before - absl::UnixEpoch()) - kRounding);
  EXPECT_LE(start, absl::ToDoubleSeconds(after - absl::UnixEpoch()) + kRounding);
}

TEST(ProcessMetrics, CountThreads) {
  const double before = Collect().at("process_threads");
  EXPECT_GE(before, 1);
  std::promise<void> end;
  const std::jthread other([&] { end.get_future().wait(); });
  EXPECT_EQ(Collect().at("process_threads"), before + 1);
  end.set_value();
}

}  // namespace
}  // namespace clearance::server
