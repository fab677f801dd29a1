// SPDX-License-Identifier: Apache-2.0

#include "server/fence/address_bans.h"

#include <algorithm>

namespace clearance::server {
namespace {

// Bans do not hold off an attacker that has more addresses than this.
constexpr std::size_t kMostBans = 65'536;

}  // namespace

void AddressBans::Ban(const std::string& address_key, SteadyTime now) {
  if (IsBanned(address_key, now)) return;
  Entry* const ban = Remember(address_key, now);
  if (ban == nullptr) return;
  ban->length = std::clamp(2 * ban->length, first_, kMostTimes * first_);
  ban->end = now + ban->length;
}

void AddressBans::WarnOrBan(const std::string& address_key, SteadyTime opened, SteadyTime now) {
  const auto found = bans_.find(address_key);
  if (found == bans_.end() || IsForgotten(found->second, now)) {
    Remember(address_key, now);
  } else if (opened > found->second.end) {
    Ban(address_key, now);
  }
}

// Returns the address's entry. An address that was not remembered is added as warned now. Null if
// bans are off, the address is empty, or there is no room.
AddressBans::Entry* AddressBans::Remember(const std::string& address_key, SteadyTime now) {
  if (first_ <= absl::ZeroDuration() || address_key.empty()) return nullptr;
  if (bans_.size() >= kMostBans && now >= next_sweep_) {
    next_sweep_ = now + first_;
    absl::erase_if(bans_, [&](const auto& ban) { return IsForgotten(ban.second, now); });
  }
  if (bans_.size() >= kMostBans && !bans_.contains(address_key)) return nullptr;
  const Entry warned = {.end = now, .length = absl::ZeroDuration()};
  Entry& entry = bans_.try_emplace(address_key, warned).first->second;
  if (IsForgotten(entry, now)) entry = warned;
  return &entry;
}

bool AddressBans::IsBanned(const std::string& address_key, SteadyTime now) const {
  const auto found = bans_.find(address_key);
  return found != bans_.end() && now < found->second.end;
}

bool AddressBans::IsForgotten(const Entry& entry, SteadyTime now) const {
  return entry.end + kMostTimes * first_ <= now;
}

}  // namespace clearance::server
