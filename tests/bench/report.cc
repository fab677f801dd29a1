// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/report.h"

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>

namespace clearance::bench {
namespace {

double MedianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string Text(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
}

}  // namespace

double ThreadNanoseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

void Report::Add(const std::string& name, const std::string& metric, double value) {
  samples_[{name, metric}].push_back(value);
}

double Report::Median(const std::string& name, const std::string& metric) const {
  const auto found = samples_.find({name, metric});
  if (found == samples_.end()) return std::numeric_limits<double>::quiet_NaN();
  return MedianOf(found->second);
}

bool Report::WriteCsv(const std::string& path) const {
  std::ofstream file(path);
  file << "name,metric,median,lowest,highest,samples\n";
  for (const auto& [key, values] : samples_) {
    const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
    file << key.first << ',' << key.second << ',' << Text(MedianOf(values)) << ',' << Text(*lowest)
         << ',' << Text(*highest) << ',' << values.size() << '\n';
  }
  file.close();
  return file.good();
}

}  // namespace clearance::bench
