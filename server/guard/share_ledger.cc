// SPDX-License-Identifier: Apache-2.0

#include "server/guard/share_ledger.h"

#include <algorithm>

namespace clearance::server {
namespace {

Reason ReasonOf(Verdict verdict) {
  if (verdict == Verdict::kCallerLimit) return Reason::kQuotaExhausted;
  return verdict == Verdict::kFull ? Reason::kServerFull : Reason::kShareExhausted;
}

}  // namespace

absl::Status RefuseMore(const Resource& resource, const Shortage& shortage) {
  const bool is_of_caller = shortage.verdict == Verdict::kCallerLimit;
  const std::string name = is_of_caller ? resource.caller_limit : resource.limit;
  std::string limit = name + " <= " + resource.format(shortage.most);
  std::string cause;
  if (!shortage.principal.empty()) {
    limit += " of principal " + shortage.principal;
    cause = "the principal's limit is reached";
  } else if (is_of_caller) {
    cause = "the caller's limit is reached";
  } else {
    limit += ", and of one caller what the others leave free";
    cause = shortage.verdict == Verdict::kFull ? "the server's limit is reached"
                                               : "the caller's share is used up";
  }
  const absl::Duration retry_after = std::max(resource.retry_after, shortage.retry_after);
  const bool may_wait = retry_after > absl::ZeroDuration();
  return Refuse(absl::StatusCode::kResourceExhausted,
                {.reason = ReasonOf(shortage.verdict),
                 .field = shortage.field,
                 .value = shortage.given,
                 .limit = limit,
                 .message = name + ": " + cause + "; " + resource.advice +
                            (may_wait ? ", or repeat after `retry_after`" : ""),
                 .retry_after = retry_after});
}

Verdict ShareLedger::Judge(const Standing& before, std::uint64_t more,
                           std::uint64_t most_of_caller) const {
  if (!IsFair(0, more, LeftBeside(before.own, most_of_caller))) return Verdict::kCallerLimit;
  const std::uint64_t left = LeftBeside(before.all, most_);
  const Verdict refused = left > 0 ? Verdict::kShare : Verdict::kFull;
  if (resource_.taken == Taken::kExactly) {
    return IsFair(before.own, more, LeftBeside(more, left)) ? Verdict::kGranted : refused;
  }
  const bool is_first = before.own == before.part && (left > 0 || before.all == before.part);
  return is_first || IsFair(before.own, more, left) ? Verdict::kGranted : refused;
}

void ShareLedger::Subtract(Line& line, std::uint64_t amount) {
  line.held.fetch_sub(amount);
  held_.fetch_sub(amount);
  if (waiters_.load() == 0) return;
  const std::lock_guard lock(mutex_);
  WakeThoseWithRoom();
}

void ShareLedger::WakeThoseWithRoom() {
  absl::erase_if(waiting_, [this](Part* part) {
    if (!HasRoom(*part->line_)) return false;
    part->Wake();
    return true;
  });
  waiters_.store(waiting_.size());
}

void ShareLedger::Part::Join(std::string_view caller) {
  if (line_ != nullptr) return;
  const std::lock_guard lock(ledger_.mutex_);
  const absl::string_view key(caller.data(), caller.size());
  auto& [name, line] = *ledger_.lines_.try_emplace(key).first;
  caller_ = &name;
  line_ = &line;
  ++line_->parts;
}

ShareLedger::Part::~Part() {
  Release();
  if (line_ == nullptr) return;
  const std::lock_guard lock(ledger_.mutex_);
  if (--line_->parts == 0) ledger_.lines_.erase(ledger_.lines_.find(*caller_));
}

// Looks first, so that a caller that is refused again and again takes nothing from others.
Verdict ShareLedger::Part::TryTake(std::uint64_t amount, std::uint64_t most_of_caller) {
  const std::uint64_t most = std::min(most_of_caller, ledger_.most_of_caller_);
  const Standing seen = {held_, line_->held.load(), ledger_.held_.load()};
  Verdict verdict = ledger_.Judge(seen, amount, most);
  if (verdict != Verdict::kGranted) return verdict;
  const Standing before = {held_, line_->held.fetch_add(amount), ledger_.held_.fetch_add(amount)};
  verdict = ledger_.Judge(before, amount, most);
  if (verdict == Verdict::kGranted) {
    held_ += amount;
    ledger_.Show(static_cast<double>(amount));
  } else {
    ledger_.Subtract(*line_, amount);
  }
  return verdict;
}

absl::Status ShareLedger::Part::Take(std::uint64_t amount) {
  const Verdict verdict = TryTake(amount);
  return verdict == Verdict::kGranted ? absl::OkStatus() : Refuse(verdict, amount);
}

void ShareLedger::Part::TakeAnyway(std::uint64_t amount) {
  line_->held += amount;
  ledger_.held_ += amount;
  held_ += amount;
  ledger_.Show(static_cast<double>(amount));
}

Verdict ShareLedger::Part::Resize(std::uint64_t amount) {
  if (amount > held_) return TryTake(amount - held_);
  Give(held_ - amount);
  return Verdict::kGranted;
}

void ShareLedger::Part::Give(std::uint64_t amount) {
  if (amount == 0) return;
  ledger_.Show(-static_cast<double>(amount));
  held_ -= amount;
  ledger_.Subtract(*line_, amount);
}

absl::Status ShareLedger::Part::Refuse(Verdict verdict, std::uint64_t amount,
                                       Shortage shortage) const {
  const Resource& resource = ledger_.resource_;
  const bool is_of_caller = verdict == Verdict::kCallerLimit;
  shortage.verdict = verdict;
  shortage.given = resource.format(line_->held.load() + amount);
  if (!is_of_caller) {
    shortage.given += " of one caller, " + resource.format(ledger_.held() + amount) + " of all";
  }
  shortage.most = is_of_caller ? ledger_.most_of_caller_ : ledger_.most_;
  return RefuseMore(resource, shortage);
}

void ShareLedger::Part::WaitForRoom() {
  const std::lock_guard lock(ledger_.mutex_);
  ledger_.waiting_.insert(this);
  ledger_.waiters_.store(ledger_.waiting_.size());
  ledger_.WakeThoseWithRoom();
}

void ShareLedger::Part::StopWaiting() {
  const std::lock_guard lock(ledger_.mutex_);
  if (ledger_.waiting_.erase(this) == 0) return;
  ledger_.waiters_.store(ledger_.waiting_.size());
  Wake();
}

}  // namespace clearance::server
