// SPDX-License-Identifier: Apache-2.0
#include "server/observe/limit_refusals.h"

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "server/config/settings.h"

namespace clearance::server {
LimitRefusals::LimitRefusals(prometheus::Family<prometheus::Counter>& family) {
  for (const Setting& setting : AllSettings()) {
    if (setting.has(kRefuses)) by_name_[setting.name] = &family.Add({{"limit", setting.name}});
  }
  of_principal_ = &family.Add({{"limit", "principal"}});
  other_ = &family.Add({{"limit", "other"}});
}

prometheus::Counter& LimitRefusals::Of(absl::string_view limit) const {
  if (absl::StrContains(limit, " of principal ")) return *of_principal_;
  for (const absl::string_view word : absl::StrSplit(limit, absl::ByAnyChar(" .,:;<>='`-()"))) {
    if (const auto found = by_name_.find(word); found != by_name_.end()) return *found->second;
  }
  return *other_;
}

}  // namespace clearance::server
