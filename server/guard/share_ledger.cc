// SPDX-License-Identifier: Apache-2.0

#include "server/guard/share_ledger.h"

#include <algorithm>
#include <utility>

namespace clearance::server {
namespace {

std::string LimitOf(const Resource& resource, const Shortage& shortage) {
  std::string limit = " <= " + resource.format(shortage.most);
  if (shortage.verdict != Verdict::kCallerLimit) {
    return resource.limit + limit + ", and of one caller what the others leave free";
  }
  if (!shortage.principal.empty()) limit += " of principal " + shortage.principal;
  return resource.caller_limit + limit;
}

std::string MessageOf(const Resource& resource, const Shortage& shortage, bool may_wait) {
  const bool is_of_caller = shortage.verdict == Verdict::kCallerLimit;
  const char* const reason = !shortage.principal.empty() ? ": the principal's limit is reached; "
                             : is_of_caller              ? ": the caller's limit is reached; "
                             : shortage.verdict == Verdict::kFull
                                 ? ": the server's limit is reached; "
                                 : ": the caller's share is used up; ";
  return std::string(is_of_caller ? resource.caller_limit : resource.limit) + reason +
         resource.advice + (may_wait ? ", or repeat after `retry_after`" : "");
}

Reason ReasonOf(Verdict verdict) {
  if (verdict == Verdict::kCallerLimit) return Reason::kQuotaExhausted;
  return verdict == Verdict::kFull ? Reason::kServerFull : Reason::kShareExhausted;
}

}  // namespace

absl::Status RefuseMore(const Resource& resource, const Shortage& shortage) {
  const absl::Duration retry_after = std::max(resource.retry_after, shortage.retry_after);
  return Refuse(absl::StatusCode::kResourceExhausted,
                {.reason = ReasonOf(shortage.verdict),
                 .field = shortage.field,
                 .value = shortage.given,
                 .limit = LimitOf(resource, shortage),
                 .message = MessageOf(resource, shortage, retry_after > absl::ZeroDuration()),
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

ShareLedger::Standing ShareLedger::Add(Line& line, std::uint64_t amount) {
  return {.own = line.held.fetch_add(amount), .all = held_.fetch_add(amount)};
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
  std::unique_ptr<Line>& line = ledger_.lines_[absl::string_view(caller.data(), caller.size())];
  if (line == nullptr) {
    line = std::make_unique<Line>();
    line->caller = caller;
  }
  line_ = line.get();
  ++line_->parts;
}

ShareLedger::Part::~Part() {
  Release();
  if (line_ == nullptr) return;
  const std::lock_guard lock(ledger_.mutex_);
  if (--line_->parts > 0) return;
  const std::string caller = std::move(line_->caller);
  ledger_.lines_.erase(caller);
}

// Looks first, so that a caller that is refused again and again takes nothing from others.
Verdict ShareLedger::Part::TryTake(std::uint64_t amount, std::uint64_t most_of_caller) {
  const std::uint64_t most = std::min(most_of_caller, ledger_.most_of_caller_);
  const Standing seen = {held_, line_->held.load(), ledger_.held_.load()};
  if (const Verdict verdict = ledger_.Judge(seen, amount, most); verdict != Verdict::kGranted) {
    return verdict;
  }
  Standing before = ledger_.Add(*line_, amount);
  before.part = held_;
  const Verdict verdict = ledger_.Judge(before, amount, most);
  if (verdict != Verdict::kGranted) {
    ledger_.Subtract(*line_, amount);
    return verdict;
  }
  held_ += amount;
  ledger_.Show(static_cast<double>(amount));
  return verdict;
}

absl::Status ShareLedger::Part::Take(std::uint64_t amount) {
  const Verdict verdict = TryTake(amount);
  return verdict == Verdict::kGranted ? absl::OkStatus() : Refuse(verdict, amount);
}

void ShareLedger::Part::TakeAnyway(std::uint64_t amount) {
  ledger_.Add(*line_, amount);
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
