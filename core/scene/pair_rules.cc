// SPDX-License-Identifier: Apache-2.0

#include "core/scene/pair_rules.h"

#include <algorithm>
#include <utility>

namespace clearance {
namespace {

std::pair<BodyId, BodyId> KeyOf(const PairRule& rule) { return {rule.a, rule.b}; }

}  // namespace

PairRules::PairRules(absl::Span<const PairRule> rules) {
  rules_.assign(rules.rbegin(), rules.rend());
  for (PairRule& rule : rules_) {
    if (rule.b < rule.a) std::swap(rule.a, rule.b);
  }
  // The last given of equal pairs now comes first, and is the one that stays.
  std::stable_sort(rules_.begin(), rules_.end(),
                   [](const PairRule& a, const PairRule& b) { return KeyOf(a) < KeyOf(b); });
  const auto end =
      std::unique(rules_.begin(), rules_.end(),
                  [](const PairRule& a, const PairRule& b) { return KeyOf(a) == KeyOf(b); });
  rules_.erase(end, rules_.end());
  rules_.shrink_to_fit();
  for (const PairRule& rule : rules_) {
    if (!rule.is_allowed) largest_margin_ = std::max(largest_margin_, rule.margin);
  }
}

const PairRule* PairRules::Find(BodyId a, BodyId b) const {
  const std::pair<BodyId, BodyId> key = std::minmax(a, b);
  // Rules about a robot's query bodies do not concern obstacles, which usually have other ids.
  if (rules_.empty() || key.first < rules_.front().a || key.first > rules_.back().a) return nullptr;
  const auto found = std::lower_bound(
      rules_.begin(), rules_.end(), key,
      [](const PairRule& rule, const auto& wanted) { return KeyOf(rule) < wanted; });
  return found != rules_.end() && KeyOf(*found) == key ? &*found : nullptr;
}

}  // namespace clearance
