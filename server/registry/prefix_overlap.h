// SPDX-License-Identifier: Apache-2.0
//
// The part of a listing that is visible to a caller with only some prefixes.

#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace clearance::server {

// Returns the prefixes to list, in their order, for a caller that asks for `wanted` and may reach
// `allowed`. Those are sorted, and none begins with another.
inline std::vector<std::string_view> PrefixOverlap(std::string_view wanted,
                                                   const std::vector<std::string>& allowed) {
  std::vector<std::string_view> overlap;
  for (const std::string_view prefix : allowed) {
    if (wanted.starts_with(prefix)) return {wanted};
    if (prefix.starts_with(wanted)) overlap.push_back(prefix);
  }
  return overlap;
}

// Returns a page of a listing of several prefixes, one after another. Requires: they are disjoint
// and sorted, and not none. `items` are those of a page, and `list(prefix, size)` makes one.
template <class Page, class Item, class List>
Page ListWithin(const std::vector<std::string_view>& prefixes, std::size_t size,
                std::vector<Item> Page::*items, const List& list) {
  Page page = list(prefixes.front(), size);
  for (std::size_t i = 1; i < prefixes.size() && page.is_last; ++i) {
    // One more than fits tells whether this page is the last.
    std::vector<Item>& all = page.*items;
    Page next = list(prefixes[i], size - all.size() + 1);
    std::vector<Item>& more = next.*items;
    page.is_last = all.size() + more.size() <= size;
    if (!page.is_last) more.resize(size - all.size());
    std::move(more.begin(), more.end(), std::back_inserter(all));
  }
  return page;
}

}  // namespace clearance::server
