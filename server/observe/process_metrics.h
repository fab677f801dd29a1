// SPDX-License-Identifier: Apache-2.0
//
// The `process_` series of Prometheus' own client libraries: CPU, memory, descriptors, threads of
// this process, read from /proc at the scrape.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prometheus/metric_family.h"

namespace clearance::server {

// Holds values of /proc/<pid>/stat, in its own units.
struct ProcessStat {
  double cpu_ticks = 0;  // user and system
  double threads = 0;
  double start_ticks = 0;  // after boot
  double virtual_bytes = 0;
  double resident_pages = 0;
};

// Returns nothing if `line` is not in the form of /proc/<pid>/stat. The program's name may contain
// blanks and parentheses.
std::optional<ProcessStat> ParseProcessStat(const std::string& line);

// Returns the series of the process. Thread-safe. Values that cannot be read (no /proc) have no
// series.
std::vector<prometheus::MetricFamily> CollectProcessMetrics();

}  // namespace clearance::server
