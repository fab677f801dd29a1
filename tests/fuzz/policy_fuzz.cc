// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a policy file: refused with a place or a field, or read into principals that keep to
// what the file may say.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "server/access/policy.h"
#include "tests/fuzz/fuzz_check.h"

using clearance::fuzz::Require;
using clearance::server::Policy;
using clearance::server::Principal;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto policy = Policy::Parse({reinterpret_cast<const char*>(bytes), size});
  if (!policy.ok()) {
    Require(!policy.status().message().empty(), "a refusal says why");
    return 0;
  }
  for (const Principal& principal : policy->principals()) {
    Require(clearance::server::IsPrincipalId(principal.id), "an id has its form");
    Require(std::ranges::is_sorted(principal.prefixes), "prefixes are sorted");
    for (std::size_t i = 1; i < principal.prefixes.size(); ++i) {
      Require(!principal.prefixes[i].starts_with(principal.prefixes[i - 1]),
              "no prefix begins with another");
    }
    for (const auto& prefix : principal.prefixes) {
      Require(!prefix.empty() && principal.MayReach(prefix), "a prefix holds itself");
    }
    const double cores = principal.limits.cores;
    Require(cores == clearance::server::kNoLimitOfCores || (cores > 0 && cores <= 4096),
            "cores are within bounds");
  }
  return 0;
}
