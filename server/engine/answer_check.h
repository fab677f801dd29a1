// SPDX-License-Identifier: Apache-2.0
//
// Checks live answers a second time: one row in every so many is proved again by core/proof, which
// shares no code with the solvers; an answer about a scene is compared with its pairs
// (scene_check.h). A wrong answer is counted, and logged with everything that is needed to ask
// again. For a scene the log only has the contents of SceneFinding, which describe neither own
// bodies nor their rules. The answer itself is not changed.
//
// Not checked, and counted as such:
//     undecided    claims no state; a row that ran out of its time has no answer at all
//     too_large    above kMaxScan or kMaxPairs: a check scans the vertices of every pair of pieces
//                  some dozens of times, at most some thousand, so the delay of a batch by one row
//                  is linear in them and bounded by these two. For a scene: a pair that was to be
//                  asked does not fit into kVerticesLookedAt
// Refused rows have no answer and are not drawn. A time of collision is checked at a few times, not
// by the proof that may go with it: a client can verify that.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "core/proof/check_distance.h"
#include "core/query/body_query.h"
#include "server/engine/row_sampler.h"
#include "server/engine/scene_check.h"
#include "server/observe/log.h"
#include "server/observe/metrics.h"
#include "server/observe/steady_clock.h"

namespace clearance::server {

// One row's question as the core takes it.
struct AskedPair {
  const RigidBody& a;
  const RigidBody& b;
  Pose X_WA, X_WB;

  PosedBody PosedA() const { return {a, X_WA}; }
  PosedBody PosedB() const { return {b, X_WB}; }
};

struct AskedDistance {
  AskedPair pair;
  DistanceOptions options;
};

struct AskedIntersection {
  AskedPair pair;
  IntersectionOptions options;
};

struct AskedTimeOfCollision {
  AskedPair pair;
  Motion motion_a = {}, motion_b = {};
  MotionOptions options = {};

  MovingBody MovingA() const { return {pair.a, pair.X_WA, motion_a}; }
  MovingBody MovingB() const { return {pair.b, pair.X_WB, motion_b}; }
};

struct CallIds {
  absl::string_view request_id = {};
  absl::string_view trace_id = {};
};

// Holds the shapes' digests and the call's ids, for the log.
struct DigestPair {
  absl::string_view a, b;
  CallIds call = {};
};

// Holds the result of a look at an answer about a scene, and the parts of the question that the log
// shows.
struct SceneFinding {
  QueryKind kind = QueryKind::kCheck;
  UndecidedReason reason = UndecidedReason::kNone;  // of the answer
  SceneLook look = {};
  absl::string_view scene = {};  // AskedScene::name
  std::uint64_t revision = 0;
  std::uint32_t row = 0;      // of the batch
  std::string question = {};  // its options
  absl::Span<const SceneBody> bodies = {};
  absl::Span<const Pose> poses = {};      // theirs; empty: at their own
  absl::Span<const Motion> motions = {};  // theirs; empty: they stand still
};

// Returns the numbers to the last bit, as the log has them.
std::string ExactText(const Vec3d& v);

// Holds functions that see what a check found, and return what counts: the same unless a test needs
// something else. Thread-safe.
struct Judges {
  std::function<Check(const Check&)> pair = [](const Check& found) { return found; };
  std::function<MaybeSceneContradiction(const SceneFinding&)> scene =
      [](const SceneFinding& finding) { return finding.look.contradiction; };
};

// Checks a sample of the answers. Thread-safe; one for the whole server. Rows of each kind are
// drawn separately, so that no kind crowds out another.
class AnswerChecker {
 public:
  // Limits of the vertices that one look at every pair of pieces scans, and of such pairs.
  static constexpr std::uint64_t kMaxScan = 4096;
  static constexpr std::uint64_t kMaxPairs = 16;
  // Limit of log lines, which have about two kilobytes each, or up to six about a scene.
  static constexpr std::uint64_t kContradictionsAnHour = 20;

  // Checks one row in `one_in`; 0: none. The references outlive this.
  AnswerChecker(std::uint64_t one_in, Metrics& metrics, Log& log, Judges judges = {});

  SampledRows Draw(QueryKind kind, std::uint32_t rows) {
    return samplers_[static_cast<std::size_t>(kind)].Draw(rows);
  }

  template <class Asked, class Answer>
  void Check(const Asked& asked, const Answer& answer, const DigestPair& digests);
  // Counts the finding, and logs it if it contradicts the answer.
  void Report(const SceneFinding& finding, const CallIds& call);
  // Returns which pairs of a scene are next.
  PairTurn NextTurn() { return next_turn_.fetch_add(1, std::memory_order_relaxed); }

 private:
  std::array<RowSampler, kQueryKinds> samplers_;
  std::atomic<PairTurn> next_turn_ = 0;
  Metrics& metrics_;
  Log& log_;
  const Judges judges_;
  LogAllowance allowance_{kContradictionsAnHour};
};

// Checks rows of one part of a batch and measures the time that the checks take. That time is not
// the rows': their budget must last as long as without checks. Thread-compatible.
class PartChecks {
 public:
  // `checker` is null if nothing is ever checked; `rows` is how many rows may be answered.
  PartChecks(AnswerChecker* checker, QueryKind kind, std::uint32_t rows, const CallIds& call = {})
      : checker_(checker), call_(call) {
    if (checker != nullptr) sampled_ = checker->Draw(kind, rows);
  }

  // Returns whether the next row that has an answer is to be checked.
  bool Wants() { return sampled_.Next(); }

  // Requires: Wants() returned true for the row.
  template <class Asked, class Answer>
  void Check(const Asked& asked, const Answer& answer, const DigestPair& digests) {
    const SteadyTime began = SteadyNow();
    checker_->Check(asked, answer, {digests.a, digests.b, call_});
    took_ += SteadyNow() - began;
  }

  // Does the same for an answer about a scene: look(turn) returns the finding.
  template <class Look>
  void CheckScene(const Look& look) {
    const SteadyTime began = SteadyNow();
    checker_->Report(look(checker_->NextTurn()), call_);
    took_ += SteadyNow() - began;
  }

  absl::Duration took() const { return took_; }

 private:
  AnswerChecker* const checker_;
  const CallIds call_;
  SampledRows sampled_;
  absl::Duration took_;
};

}  // namespace clearance::server
