// SPDX-License-Identifier: Apache-2.0
#include "server/observe/process_metrics.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <string>

namespace clearance::server {
namespace {

std::map<std::string, double> Collect() {
  std::map<std::string, double> values;
  for (const prometheus::MetricFamily& family : CollectProcessMetrics()) {
    const prometheus::ClientMetric& metric = family.metric.at(0);
    values[family.name] =
        family.type == prometheus::MetricType::Counter ? metric.counter.value : metric.gauge.value;
  }
  return values;
}

TEST(ProcessStat, IsReadIfTheNameHasBlanksAndParentheses) {
  const std::optional<ProcessStat> stat = ParseProcessStat(
      "42 (a) b (c) S 1 42 42 0 -1 4194560 1 2 3 4 150 50 0 0 20 0 7 0 1234 8192000 500 18446744");
  ASSERT_TRUE(stat.has_value());
  EXPECT_EQ(stat->cpu_ticks, 200);
  EXPECT_EQ(stat->threads, 7);
  EXPECT_EQ(stat->start_ticks, 1234);
  EXPECT_EQ(stat->virtual_bytes, 8192000);
  EXPECT_EQ(stat->resident_pages, 500);
}

TEST(ProcessStat, IsNothingWhereTheLineIsNotInItsForm) {
  EXPECT_FALSE(ParseProcessStat("").has_value());
  EXPECT_FALSE(ParseProcessStat("42 (a) S 1 2 3").has_value());
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

// Oracles: getrlimit, the clock, getrusage.
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
  EXPECT_GE(values.at("process_threads"), 1);
  const auto now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch());
  EXPECT_LE(values.at("process_start_time_seconds"), now.count() + 2);
  EXPECT_GE(values.at("process_start_time_seconds"), now.count() - 3600);
}

}  // namespace
}  // namespace clearance::server
