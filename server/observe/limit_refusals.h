// SPDX-License-Identifier: Apache-2.0
//
// Counts refusals for a limit by the setting that they name. The text of a refusal is for people;
// the labels are the settings that the table marks with kRefuses.

#pragma once

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "prometheus/counter.h"
#include "prometheus/family.h"

namespace clearance::server {

// Counts refusals. Thread-safe once made. Handles live as long as the family.
class LimitRefusals {
 public:
  explicit LimitRefusals(prometheus::Family<prometheus::Counter>& family);

  // Returns the counter for a refusal's text about its limit ("max_batch_rows <= 100"). There is
  // one counter for all limits of principals, and one for all texts that name no limit of the
  // table.
  prometheus::Counter& Of(absl::string_view limit) const;

 private:
  absl::flat_hash_map<std::string, prometheus::Counter*> by_name_;
  prometheus::Counter* of_principal_ = nullptr;
  prometheus::Counter* other_ = nullptr;
};

}  // namespace clearance::server
