// SPDX-License-Identifier: Apache-2.0
#include "server/observe/process_metrics.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <future>
#include <map>
#include <string>
#include <thread>

namespace clearance::server {
namespace {

const absl::Time kStart = absl::FromUnixMillis(1'234'500);

std::map<std::string, double> Collect() {
  std::map<std::string, double> values;
  for (const prometheus::MetricFamily& family : CollectProcessMetrics(kStart)) {
    const prometheus::ClientMetric& metric = family.metric.at(0);
    values[family.name] =
        family.type == prometheus::MetricType::Counter ? metric.counter.value : metric.gauge.value;
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
  EXPECT_EQ(values.at("process_start_time_seconds"), 1234.5);
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
