// SPDX-License-Identifier: Apache-2.0
#include "server/observe/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "absl/strings/match.h"
#include "prometheus/metric_type.h"

namespace clearance::server {
namespace {

using prometheus::MetricType;

std::optional<double> CountEntries(const char* directory) {
  std::error_code error;
  const std::filesystem::directory_iterator entries(directory, error);
  if (error) return std::nullopt;
  return static_cast<double>(std::distance(begin(entries), end(entries)));
}

}  // namespace

std::vector<prometheus::MetricFamily> CollectProcessMetrics(absl::Time start) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const absl::Duration cpu =
      absl::DurationFromTimeval(usage.ru_utime) + absl::DurationFromTimeval(usage.ru_stime);
  std::optional<double> open_files = CountEntries("/proc/self/fd");
  if (open_files.has_value()) --*open_files;  // the descriptor of the listing itself
  std::optional<double> total_bytes, resident_bytes;
  std::ifstream statm("/proc/self/statm");
  const auto page_bytes = static_cast<double>(sysconf(_SC_PAGESIZE));
  if (double total = 0, resident = 0; statm >> total >> resident) {
    total_bytes = total * page_bytes;
    resident_bytes = resident * page_bytes;
  }
  const struct {
    const char* name;  // of a counter, it ends with _total
    const char* help;
    std::optional<double> value;
  } series[] = {
      {"process_cpu_seconds_total", "User and system CPU time spent.", absl::ToDoubleSeconds(cpu)},
      {"process_resident_memory_bytes", "Resident memory size.", resident_bytes},
      {"process_virtual_memory_bytes", "Virtual memory size.", total_bytes},
      {"process_threads", "Threads of the process.", CountEntries("/proc/self/task")},
      {"process_start_time_seconds", "Start time since the epoch.",
       absl::ToDoubleSeconds(start - absl::UnixEpoch())},
      {"process_open_fds", "Open file descriptors.", open_files},
      {"process_max_fds", "Largest number of open file descriptors.",
       static_cast<double>(files.rlim_cur)}};
  std::vector<prometheus::MetricFamily> families;
  for (const auto& [name, help, value] : series) {
    if (!value.has_value()) continue;
    const bool is_counter = absl::EndsWith(name, "_total");
    prometheus::ClientMetric metric;
    (is_counter ? metric.counter.value : metric.gauge.value) = *value;
    families.push_back(
        {name, help, is_counter ? MetricType::Counter : MetricType::Gauge, {metric}});
  }
  return families;
}

}  // namespace clearance::server
