// SPDX-License-Identifier: Apache-2.0
//
// Families of series, and the buckets of histograms: upper bounds, inclusive. Buckets that a
// BatchTally counts are in batch_tally.h.

#pragma once

#include <array>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "prometheus/family.h"
#include "prometheus/histogram.h"
#include "prometheus/labels.h"

namespace clearance::server {

// The usual defaults start at 5 ms, which is above nearly everything that happens here.
inline constexpr std::array kHandlingSecondsBuckets = {
    50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3,
    25e-3, 50e-3,  100e-3, 250e-3, 0.5,  1.0,    2.5,  10.0};
inline constexpr std::array kComputeSecondsBuckets = {1e-6,   5e-6,   10e-6,  25e-6,  50e-6, 100e-6,
                                                      250e-6, 500e-6, 1e-3,   2.5e-3, 5e-3,  10e-3,
                                                      25e-3,  50e-3,  100e-3, 250e-3, 1.0,   10.0};
inline constexpr std::array kCommitSecondsBuckets = {1e-3,   2.5e-3, 5e-3,   10e-3, 25e-3, 50e-3,
                                                     100e-3, 250e-3, 500e-3, 1.0,   2.5,   10.0};
// A cheaper message never comes to a worker.
inline constexpr std::array kWorkSecondsBuckets = {
    100e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 50e-3, 100e-3, 250e-3, 1.0, 10.0, 100.0};
inline constexpr std::array kRowBuckets = {1.0,    4.0,    16.0,    64.0,   256.0,
                                           1024.0, 4096.0, 16384.0, 65536.0};

inline prometheus::Histogram::BucketBoundaries ToBuckets(const auto& bounds) {
  return {bounds.begin(), bounds.end()};
}

// Adds a series for each of the values, which are separated by blanks.
template <class Series>
std::vector<Series*> AddEach(prometheus::Family<Series>& family, const char* label,
                             absl::string_view values) {
  std::vector<Series*> series;
  for (const absl::string_view value : absl::StrSplit(values, ' '))
    series.push_back(&family.Add({{label, std::string(value)}}));
  return series;
}

}  // namespace clearance::server
