// SPDX-License-Identifier: Apache-2.0
//
// The rules that tell which pairs of bodies are asked about, and within which margin they count as
// touching: groups and masks as games have them, pairs that may touch as robots' SRDF lists them,
// and margins of single pairs.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace clearance {

// A caller's name of a body. Query bodies and the bodies of the scene share the names: a query body
// is never asked against the scene's body of the same id, which is the same body.
// (FindUnsaidNamesake finds one for which no rule says that.)
using BodyId = std::uint32_t;

// A rule for two ids, in either order.
struct PairRule {
  BodyId a = 0;
  BodyId b = 0;
  // True if the pair may touch; it is never asked about then, and `margin` means nothing.
  bool is_allowed = true;
  // The margin of a pair that is asked about, in place of the sum of the two bodies'. Metres,
  // finite, >= 0.
  double margin = 0;
};

// Groups and masks: bits. Two bodies are asked about only if each is in a group that the other's
// mask includes.
struct GroupBits {
  std::uint32_t group = 1;
  std::uint32_t mask = ~std::uint32_t{0};

  friend bool operator==(const GroupBits&, const GroupBits&) = default;
};

inline bool IsEnabled(const GroupBits& a, const GroupBits& b) {
  return (a.group & b.mask) != 0 && (b.group & a.mask) != 0;
}

// A list of rules, sorted once; a value. Look-ups take O(log n), allocate nothing and may be made
// from any thread.
class PairRules {
 public:
  PairRules() = default;
  // If several rules name one pair, the last holds. A rule of a body with itself says that a body
  // of the query is the scene's body of that id. Requires: margins are finite and >= 0.
  explicit PairRules(absl::Span<const PairRule> rules);

  // Returns null if there is none for this pair.
  const PairRule* Find(BodyId a, BodyId b) const;

  // Returns the largest of all rules' margins, 0 without one: no pair touches from farther away.
  double largest_margin() const { return largest_margin_; }

  // By ids, a < b.
  absl::Span<const PairRule> rules() const { return rules_; }

  std::size_t byte_size() const { return rules_.capacity() * sizeof(PairRule); }

 private:
  std::vector<PairRule> rules_;
  double largest_margin_ = 0;
};

}  // namespace clearance
