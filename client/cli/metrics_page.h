// SPDX-License-Identifier: Apache-2.0
//
// The series of a server's HTTP port, in Prometheus' text format, and what two looks at them tell.

#ifndef CLEARANCE_CLIENT_CLI_METRICS_PAGE_H_
#define CLEARANCE_CLIENT_CLI_METRICS_PAGE_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace clearance::client {

// Each series, written as the page has it (`name{label="value"}`), and its value.
using Series = std::map<std::string, double>;

// Of http://ADDRESS/metrics, ADDRESS being host:port. UNAVAILABLE where nobody answers, or with
// something else.
absl::StatusOr<Series> FetchMetrics(const std::string& address, absl::Duration timeout);

Series ParseMetrics(absl::string_view page);

// A label's value of a series; empty where it has none.
std::string LabelOf(absl::string_view series, absl::string_view label);

// The sum of all series of the name that have the label, written as in the series
// (`kind="distance"`), or of all of the name; 0 where there is none.
double SumOf(const Series& series, absl::string_view name, absl::string_view label = "");

// How much each series grew. One that is smaller than before began anew, with its server.
Series Growth(const Series& before, const Series& after);

// The share (0.99) of what a histogram counted that is not above it, between the bounds of its
// bucket on a straight line; NaN of nothing. What is above the last bound is taken for it.
double Percentile(const Series& series, absl::string_view histogram, double share,
                  absl::string_view label = "");

}  // namespace clearance::client

#endif  // CLEARANCE_CLIENT_CLI_METRICS_PAGE_H_
