// SPDX-License-Identifier: Apache-2.0
#include "server/observe/limit_refusals.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace clearance::server {
namespace {

// The name that the text begins with, or nothing.
absl::string_view NameAtBegin(absl::string_view text) {
  std::size_t size = 0;
  while (size < text.size() && (absl::ascii_islower(text[size]) || text[size] == '_')) ++size;
  return text.substr(0, size);
}

}  // namespace

LimitRefusals::LimitRefusals(prometheus::Registry* registry) {
  auto& family = prometheus::BuildCounter()
                     .Name("clearance_limit_refusals_total")
                     .Help("Messages, calls, sessions and items refused for a limit, by its name.")
                     .Register(*registry);
  for (std::size_t i = 0; i < by_name_.size(); ++i) {
    by_name_[i] = &family.Add({{"limit", kRefusingLimits[i]}});
  }
  of_principal_ = &family.Add({{"limit", "principal"}});
  other_ = &family.Add({{"limit", "other"}});
}

prometheus::Counter& LimitRefusals::Of(absl::string_view limit) const {
  if (absl::StrContains(limit, " of principal ")) return *of_principal_;
  constexpr absl::string_view kBegin = "max_";
  for (std::size_t at = limit.find(kBegin); at != absl::string_view::npos;
       at = limit.find(kBegin, at + kBegin.size())) {
    const auto* const found = std::ranges::find(kRefusingLimits, NameAtBegin(limit.substr(at)));
    if (found != kRefusingLimits.end())
      return *by_name_[static_cast<std::size_t>(found - kRefusingLimits.begin())];
  }
  return *other_;
}

}  // namespace clearance::server
