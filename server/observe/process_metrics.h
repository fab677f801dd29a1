// SPDX-License-Identifier: Apache-2.0
//
// The `process_` series of Prometheus' own client libraries: CPU, memory, descriptors, threads of
// this process, asked for at the scrape.

#pragma once

#include <vector>

#include "absl/time/time.h"
#include "prometheus/metric_family.h"

namespace clearance::server {

// Returns the series of the process, which began at `start`. Thread-safe. Values that cannot be
// read (no /proc) have no series.
std::vector<prometheus::MetricFamily> CollectProcessMetrics(absl::Time start);

}  // namespace clearance::server
