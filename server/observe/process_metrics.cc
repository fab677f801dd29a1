// SPDX-License-Identifier: Apache-2.0
#include "server/observe/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "prometheus/metric_type.h"

namespace clearance::server {
namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

// A counter's name ends with _total.
MetricFamily FamilyOf(const char* name, const char* help, double value) {
  const bool is_counter = absl::EndsWith(name, "_total");
  prometheus::ClientMetric metric;
  (is_counter ? metric.counter.value : metric.gauge.value) = value;
  return {name, help, is_counter ? MetricType::Counter : MetricType::Gauge, {std::move(metric)}};
}

std::optional<ProcessStat> ReadProcessStat() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  return ParseProcessStat(line);
}

std::optional<double> CountOpenFiles() {
  std::error_code error;
  const std::filesystem::directory_iterator entries("/proc/self/fd", error);
  if (error) return std::nullopt;
  // The listing's own descriptor is among them.
  return static_cast<double>(std::distance(begin(entries), end(entries)) - 1);
}

std::optional<double> MaxOpenFiles() {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::nullopt;
  return static_cast<double>(limit.rlim_cur);
}

// Seconds since the epoch at which the machine booted.
std::optional<double> BootTime() {
  std::ifstream stat("/proc/stat");
  for (std::string line; std::getline(stat, line);) {
    std::istringstream words(line);
    std::string key;
    double value;
    if (words >> key >> value && key == "btime") return value;
  }
  return std::nullopt;
}

void AppendStat(const ProcessStat& stat, std::vector<MetricFamily>* families) {
  const auto ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto page_bytes = static_cast<double>(sysconf(_SC_PAGESIZE));
  const auto append = [&](const char* name, const char* help, double value) {
    families->push_back(FamilyOf(name, help, value));
  };
  append("process_cpu_seconds_total", "User and system CPU time spent.",
         stat.cpu_ticks / ticks_per_second);
  append("process_resident_memory_bytes", "Resident memory size.",
         stat.resident_pages * page_bytes);
  append("process_virtual_memory_bytes", "Virtual memory size.", stat.virtual_bytes);
  append("process_threads", "Threads of the process.", stat.threads);
  if (const std::optional<double> boot_time = BootTime())
    append("process_start_time_seconds", "Start time since the epoch.",
           *boot_time + stat.start_ticks / ticks_per_second);
}

}  // namespace

std::optional<ProcessStat> ParseProcessStat(const std::string& line) {
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream words(line.substr(name_end + 1));
  const std::vector<std::string> fields{std::istream_iterator<std::string>(words), {}};
  // Field n of proc(5) is fields[n - 3]: the process id and the name are gone.
  constexpr std::size_t kFirst = 3;
  constexpr std::size_t kLastUsed = 24;
  if (fields.size() <= kLastUsed - kFirst) return std::nullopt;
  const auto field = [&fields](std::size_t number) {
    return std::strtod(fields[number - kFirst].c_str(), nullptr);
  };
  return ProcessStat{.cpu_ticks = field(14) + field(15),
                     .threads = field(20),
                     .start_ticks = field(22),
                     .virtual_bytes = field(23),
                     .resident_pages = field(24)};
}

std::vector<MetricFamily> CollectProcessMetrics() {
  std::vector<MetricFamily> families;
  if (const auto stat = ReadProcessStat()) AppendStat(*stat, &families);
  if (const auto open = CountOpenFiles())
    families.push_back(FamilyOf("process_open_fds", "Open file descriptors.", *open));
  if (const auto most = MaxOpenFiles())
    families.push_back(
        FamilyOf("process_max_fds", "Largest number of open file descriptors.", *most));
  return families;
}

}  // namespace clearance::server
