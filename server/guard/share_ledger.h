// SPDX-License-Identifier: Apache-2.0
//
// Counts what callers hold of a resource of which there is a limited amount for all: sessions,
// bytes, pending work. One rule keeps it fair: a caller may hold as much as all others leave free,
// half of it if it is alone. So no caller takes the last of anything from all others.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "absl/container/node_hash_map.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "prometheus/gauge.h"
#include "server/config/limits.h"
#include "server/guard/refusal.h"

namespace clearance::server {

// Returns what `held` leaves of `most`.
constexpr std::uint64_t LeftBeside(std::uint64_t held, std::uint64_t most) {
  return held < most ? most - held : 0;
}

// The rule. Returns whether a caller that holds `own` may take `more` while `left` is free.
constexpr bool IsFair(std::uint64_t own, std::uint64_t more, std::uint64_t left) {
  return more <= left && own <= left - more;
}

// The amounts in which a resource is taken.
enum class Taken : std::uint8_t {
  // Things that are taken whole: a caller without any may take one of any size while anything is
  // free, and what is alone may grow, so that what is begun can be finished.
  kWhole,
  // Any amount: it is no longer free when the rule is asked, so the limit is never exceeded.
  kExactly,
};

// A resource, and how its refusals read.
struct Resource {
  const char* limit = "";                             // the name of the limit of all callers
  const char* advice = "";                            // what the caller can do
  absl::Duration retry_after = absl::ZeroDuration();  // 0: waiting by itself does not help
  const char* caller_limit = "";                      // the name of the limit of one caller
  Taken taken = Taken::kWhole;
  std::string (*format)(std::uint64_t) = FormatNumber;
};

enum class Verdict : std::uint8_t { kGranted, kCallerLimit, kShare, kFull };

// Describes a request for more that is refused.
struct Shortage {
  Verdict verdict = Verdict::kShare;
  std::string given = {};  // how much there would be
  std::uint64_t most = 0;  // by the limit
  std::string field = {};
  std::string principal = {};                         // whose limit it is; empty: no principal's
  absl::Duration retry_after = absl::ZeroDuration();  // if it is longer than the resource's
};

// Returns RESOURCE_EXHAUSTED for a request that is not granted.
absl::Status RefuseMore(const Resource& resource, const Shortage& shortage);

// Thread-safe. Counting takes no lock: joining and leaving do, waiting for room, and giving back
// while a part waits. If two parts of one caller take at the same moment, they may exceed its share
// by one of them, but no limit.
class ShareLedger {
 public:
  class Part;

  // `gauge` shows what is held; null: no gauge does. It outlives this.
  explicit ShareLedger(const Resource& resource, std::uint64_t most = kNoLimit,
                       prometheus::Gauge* gauge = nullptr, std::uint64_t most_of_caller = kNoLimit)
      : resource_(resource), most_(most), most_of_caller_(most_of_caller), gauge_(gauge) {}

  std::uint64_t held() const { return held_.load(); }
  // Returns the number of callers that have a part.
  std::size_t caller_count() const {
    const std::lock_guard lock(mutex_);
    return lines_.size();
  }

 private:
  // One caller's holding.
  struct Line {
    std::uint64_t parts = 0;  // with the ledger's mutex
    std::atomic<std::uint64_t> held = 0;
  };
  // The amounts that a part, its caller and all callers hold.
  struct Standing {
    std::uint64_t part = 0, own = 0, all = 0;
  };

  Verdict Judge(const Standing& before, std::uint64_t more, std::uint64_t most_of_caller) const;
  bool HasRoom(const Line& line) const {
    return IsFair(line.held.load(), 1, LeftBeside(held_.load(), most_));
  }
  void Subtract(Line& line, std::uint64_t amount);
  void Show(double change) {
    if (gauge_ != nullptr) gauge_->Increment(change);
  }
  void WakeThoseWithRoom();  // requires: mutex_ is held

  const Resource resource_;
  const std::uint64_t most_;
  const std::uint64_t most_of_caller_;
  prometheus::Gauge* const gauge_;
  std::atomic<std::uint64_t> held_ = 0;
  // The size of waiting_. A waiter counts itself before it looks for room. A thread that gives
  // back does so before it looks for waiters. So one of the two sees the other.
  std::atomic<std::size_t> waiters_ = 0;
  mutable std::mutex mutex_;                      // guards the members below
  absl::node_hash_map<std::string, Line> lines_;  // by the caller
  absl::flat_hash_set<Part*> waiting_;
};

// Holds an amount for one call, session or thing of a caller, until its end. One thread at a time
// uses it.
class ShareLedger::Part {
 public:
  // The ledger outlives this.
  explicit Part(ShareLedger& ledger) : ledger_(ledger) {}
  Part(ShareLedger& ledger, std::string_view caller) : Part(ledger) { Join(caller); }
  // Gives all back. Requires: room is not awaited.
  virtual ~Part();
  Part(const Part&) = delete;

  // Names the caller. Must come before anything is taken; only the first call matters.
  void Join(std::string_view caller);

  std::uint64_t held() const { return held_; }

  // Takes `amount` more if that is granted. The caller may hold at most `most_of_caller`, beside
  // the other limits.
  Verdict TryTake(std::uint64_t amount, std::uint64_t most_of_caller = kNoLimit);
  // The same, with a refusal.
  absl::Status Take(std::uint64_t amount);
  // Takes those of `amount` that are not held already.
  absl::Status TakeUpTo(std::uint64_t amount) {
    return amount <= held_ ? absl::OkStatus() : Take(amount - held_);
  }
  // Takes what was granted before, or cannot be refused any more.
  void TakeAnyway(std::uint64_t amount);
  // Changes what is held. Changes nothing if that is more and not granted.
  Verdict Resize(std::uint64_t amount);
  // Gives all back.
  void Release() { Give(held_); }

  // Returns the refusal of `amount` more, with the field and the time of `shortage`.
  absl::Status Refuse(Verdict verdict, std::uint64_t amount, Shortage shortage = {}) const;

  // Returns whether there is room for anything at all.
  bool HasRoom() const { return ledger_.HasRoom(*line_); }
  // Calls Wake() once there is room, or once waiting is stopped.
  void WaitForRoom();
  void StopWaiting();

 private:
  friend class ShareLedger;
  // Called with the ledger's mutex held, on any thread.
  virtual void Wake() {}

  void Give(std::uint64_t amount);

  ShareLedger& ledger_;
  const std::string* caller_ = nullptr;
  Line* line_ = nullptr;  // null: not joined
  std::uint64_t held_ = 0;
};

}  // namespace clearance::server
