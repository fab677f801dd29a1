// SPDX-License-Identifier: Apache-2.0
//
// The series of a server's HTTP port, in Prometheus' text format, and the difference of two reads.

#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace clearance::client {

// Each series, written as the page has it (`name{label="value"}`), and its value.
using Series = std::map<std::string, double>;

// Returns the series of http://ADDRESS/metrics, ADDRESS being host:port. UNAVAILABLE if the server
// does not answer, or answers with something else.
absl::StatusOr<Series> FetchMetrics(const std::string& address, absl::Duration timeout);

Series ParseMetrics(absl::string_view page);

// Returns the value of a label of a series; empty if it has none.
std::string LabelOf(absl::string_view series, absl::string_view label);

// Returns the sum of all series of the name that have the label, written as in the series
// (`kind="distance"`), or of all of the name; 0 if there is none.
double SumOf(const Series& series, absl::string_view name, absl::string_view label = "");

// Returns the growth of each series. One that is smaller than before began again, with its server.
Series Growth(const Series& before, const Series& after);

// Returns the value below which this share (0.99) of a histogram's observations lies, interpolated
// linearly between the bounds of its bucket; NaN if there are none. Values above the last bound
// count as that bound.
double Percentile(const Series& series, absl::string_view histogram, double share,
                  absl::string_view label = "");

}  // namespace clearance::client
