// SPDX-License-Identifier: Apache-2.0
//
// A caller that the policy file names: what it may do, under which names, how much, and how much of
// that it uses.

#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/config/limits.h"
#include "server/observe/steady_clock.h"

namespace clearance::server {

// Each may what the ones before it may.
enum class Role : std::uint8_t {
  kQuery,     // ask, look at shapes
  kRegister,  // add shapes under new names
  kAdmin,     // replace and delete shapes
};

const char* NameOf(Role role);
std::optional<Role> RoleOf(std::string_view name);

// Counts the processor time of one principal. It is kept by the principal's id, so that a reload of
// the policy does not reset it.
//
// It is an account, which fills at `cores` seconds a second, up to the amount of one second, and
// work is paid for with the time that it really took. Work may overdraw the account by the amount
// of another second, then it ends; the next message waits until the account is even. So within any
// ten seconds the rows of a principal take at most 1.2 times the amount that comes in during them.
// Thread-safe.
class PrincipalUsage {
 public:
  explicit PrincipalUsage(SteadyClock clock = SteadyNow) : clock_(std::move(clock)) {}

  // Returns the time until the account is even; zero if it is not overdrawn.
  absl::Duration TimeUntilEven(double cores) {
    const std::lock_guard lock(mutex_);
    Fill(cores);
    return account_ >= absl::ZeroDuration() ? absl::ZeroDuration() : -account_ / cores;
  }
  void Charge(absl::Duration processor_time) {
    const std::lock_guard lock(mutex_);
    account_ -= processor_time;
  }
  // Returns whether work must end.
  bool IsOverdrawn(double cores) {
    const std::lock_guard lock(mutex_);
    Fill(cores);
    return account_ < -absl::Seconds(cores);
  }

 private:
  void Fill(double cores);  // requires: mutex_ is held

  const SteadyClock clock_;
  std::mutex mutex_;  // guards the members below
  absl::Duration account_;
  SteadyTime filled_;
};

// Immutable but for what it uses, which outlives reloads of the policy. Thread-safe.
struct Principal {
  std::string id;
  Role role = Role::kQuery;
  std::vector<std::string> prefixes;  // sorted, none begins with another; empty: every name
  PrincipalLimits limits;
  std::shared_ptr<PrincipalUsage> usage;

  bool MayReach(std::string_view name) const {
    const auto begins = [name](const std::string& prefix) { return name.starts_with(prefix); };
    return prefixes.empty() || std::ranges::any_of(prefixes, begins);
  }
};
using PrincipalPtr = std::shared_ptr<const Principal>;

// 1 to 64 characters of `[a-z0-9][a-z0-9._-]*`.
bool IsPrincipalId(std::string_view text);

// PERMISSION_DENIED naming `field` unless the principal has this role or a higher one.
absl::Status RequireRole(const Principal& principal, Role role, std::string_view field);

// PERMISSION_DENIED naming `field` unless the principal's prefixes hold the name (of a shape, or
// what listed names begin with).
absl::Status RequireName(const Principal& principal, std::string_view name, std::string_view field);

}  // namespace clearance::server
