// SPDX-License-Identifier: Apache-2.0
//
// Figures of repeated measurements: medians, and a CSV of them with their spread.

#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace clearance::bench {

// Processor time of this thread so far.
double ThreadNanoseconds();

// Thread-compatible.
class Report {
 public:
  // `name` tells what was measured ("distance/near/64"), `metric` what of it, with its unit.
  void Add(const std::string& name, const std::string& metric, double value);

  // NaN if there is none.
  double Median(const std::string& name, const std::string& metric) const;

  // Lines of name,metric,median,lowest,highest,samples; false if the file cannot be written.
  bool WriteCsv(const std::string& path) const;

 private:
  std::map<std::pair<std::string, std::string>, std::vector<double>> samples_;
};

}  // namespace clearance::bench
