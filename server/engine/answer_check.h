// SPDX-License-Identifier: Apache-2.0
//
// A second opinion on live answers: one row in every so many is proved anew by core/proof, which
// shares no code with the solvers; one about a scene is held against its pairs (scene_check.h). An
// answer that does not stand is counted and logged with all that it takes to ask again, but of one
// about a scene only with what SceneFinding holds: not what own bodies are, nor their rules. The
// answer itself stays what it is.
//
// Not checked, and counted as such:
//     undecided    claims no state; a row that ran out of its time has no answer at all
//     too_large    above kMaxScan or kMaxPairs: a check scans the vertices of every pair of pieces
//                  some dozens of times, at most some thousand, so what a row may hold up its
//                  batch by is linear in them and bounded by these two. About a scene: a pair that
//                  was to be asked does not fit into kVerticesLookedAt
// Refused rows have no answer and are not drawn. Of a time of collision the times are tried at a
// few places, not by the proof that may go with it: a client can verify that.

#ifndef CLEARANCE_SERVER_ENGINE_ANSWER_CHECK_H_
#define CLEARANCE_SERVER_ENGINE_ANSWER_CHECK_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <variant>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "core/proof/check_body.h"
#include "core/scene/scene_query.h"
#include "server/engine/row_sampler.h"
#include "server/engine/scene_check.h"
#include "server/observe/log.h"
#include "server/observe/log_allowance.h"
#include "server/observe/metrics.h"
#include "server/observe/steady_clock.h"

namespace clearance::server {

// One row's question as the core takes it. Borrows the bodies.
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

// Under which ids the log finds the call again.
struct CallIds {
  absl::string_view request_id = {};
  absl::string_view trace_id = {};
};

// The shapes' digests and the call's ids, for the log.
struct DigestPair {
  absl::string_view a, b;
  CallIds call = {};
};

struct AskedRay {
  Ray ray;
  RayKind kind = RayKind::kClosest;
};
// By the kind of question.
using SceneOptions =
    std::variant<clearance::CheckOptions, ClearanceOptions, SweepOptions, AskedRay>;

// What a look at an answer about a scene has told, and what the log tells of the question.
struct SceneFinding {
  QueryKind kind = QueryKind::kCheck;
  UndecidedReason reason = UndecidedReason::kNone;  // of the answer
  SceneLook look = {};
  absl::string_view scene = {};  // AskedScene::name
  std::uint64_t revision = 0;
  std::uint32_t row = 0;  // of the batch
  SceneOptions options = {};
  absl::Span<const SceneBody> bodies = {};
  absl::Span<const Pose> poses = {};      // theirs; empty: at their own
  absl::Span<const Motion> motions = {};  // theirs; empty: they stand still
};

// What judges answers; those of core/proof unless a test wants others. Thread-safe.
struct Judges {
  std::function<Check(const AskedDistance&, const DistanceAnswer&)> distance;
  std::function<Check(const AskedIntersection&, const IntersectionAnswer&)> intersection;
  std::function<Check(const AskedTimeOfCollision&, const TimeOfCollisionAnswer&)> time_of_collision;
  // Of an answer that was looked at.
  std::function<MaybeSceneContradiction(const SceneFinding&)> scene =
      [](const SceneFinding& finding) { return finding.look.contradiction; };
};
Judges ProofJudges();

// Thread-safe; one for the whole server. Rows of each kind are drawn apart, so that none drowns in
// another.
class AnswerChecker {
 public:
  // Vertices that one look at every pair of pieces scans, and such pairs.
  static constexpr std::uint64_t kMaxScan = 4096;
  static constexpr std::uint64_t kMaxPairs = 16;
  // Lines of the log, of about two kilobytes; about a scene, of up to six.
  static constexpr std::uint64_t kContradictionsAnHour = 20;

  // Checks one row in `one_in`; 0: none. The references outlive this.
  AnswerChecker(std::uint64_t one_in, Metrics& metrics, Log& log, Judges judges = ProofJudges());

  SampledRows Draw(QueryKind kind, std::uint32_t rows) {
    return samplers_[static_cast<std::size_t>(kind)].Draw(rows);
  }

  void Check(const AskedDistance& asked, const DistanceAnswer& answer, const DigestPair& digests);
  void Check(const AskedIntersection& asked, const IntersectionAnswer& answer,
             const DigestPair& digests);
  void Check(const AskedTimeOfCollision& asked, const TimeOfCollisionAnswer& answer,
             const DigestPair& digests);

  // Counts what was found, and logs it where it contradicts.
  void Report(const SceneFinding& finding, const CallIds& call);
  // Of which pairs of a scene it is the turn.
  PairTurn NextTurn() { return next_turn_.fetch_add(1, std::memory_order_relaxed); }

 private:
  template <class Asked, class Answer, class Judge>
  void CheckWith(const Judge& judge, const Asked& asked, const Answer& answer,
                 const DigestPair& digests);

  std::array<RowSampler, kQueryKinds> samplers_;
  std::atomic<PairTurn> next_turn_ = 0;
  Metrics& metrics_;
  Log& log_;
  const Judges judges_;
  LogAllowance allowance_{kContradictionsAnHour};
};

// The checks among the rows of one part of a batch, and the time that they took: that is not the
// rows', whose budget must last as long as without them. Thread-compatible.
class PartChecks {
 public:
  // `checker` is null where nothing is ever checked; `rows` may be answered.
  PartChecks(AnswerChecker* checker, QueryKind kind, std::uint32_t rows, const CallIds& call = {})
      : checker_(checker), call_(call) {
    if (checker != nullptr) sampled_ = checker->Draw(kind, rows);
  }

  // Of the next row that has an answer.
  bool Wants() { return sampled_.Next(); }

  // Requires: Wants() said so of the row.
  template <class Asked, class Answer>
  void Check(const Asked& asked, const Answer& answer, const DigestPair& digests) {
    const SteadyTime began = SteadyNow();
    checker_->Check(asked, answer, {digests.a, digests.b, call_});
    took_ += SteadyNow() - began;
  }

  // The same of an answer about a scene: look(turn) returns the finding.
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

#endif  // CLEARANCE_SERVER_ENGINE_ANSWER_CHECK_H_
