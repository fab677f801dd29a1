// SPDX-License-Identifier: Apache-2.0
#include "server/observe/limit_refusals.h"

#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "server/config/settings.h"

namespace clearance::server {
namespace {

// The name that the text begins with, or nothing.
absl::string_view NameAtBegin(absl::string_view text) {
  std::size_t size = 0;
  while (size < text.size() && (absl::ascii_islower(text[size]) || text[size] == '_')) ++size;
  return text.substr(0, size);
}

}  // namespace

LimitRefusals::LimitRefusals(prometheus::Family<prometheus::Counter>& family) {
  for (const Setting& setting : AllSettings()) {
    if (setting.has(kRefuses)) by_name_[setting.name] = &family.Add({{"limit", setting.name}});
  }
  of_principal_ = &family.Add({{"limit", "principal"}});
  other_ = &family.Add({{"limit", "other"}});
}

prometheus::Counter& LimitRefusals::Of(absl::string_view limit) const {
  if (absl::StrContains(limit, " of principal ")) return *of_principal_;
  constexpr absl::string_view kBegin = "max_";
  for (std::size_t at = limit.find(kBegin); at != absl::string_view::npos;
       at = limit.find(kBegin, at + kBegin.size())) {
    const absl::string_view name = NameAtBegin(limit.substr(at));
    const auto found = by_name_.find(std::string(name));
    if (found != by_name_.end()) return *found->second;
  }
  return *other_;
}

}  // namespace clearance::server
