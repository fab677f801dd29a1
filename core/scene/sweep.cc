// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

#include "core/math/assert.h"
#include "core/scene/body_box.h"
#include "core/scene/scene_query.h"
#include "core/scene/scratch.h"

namespace clearance {
namespace {

auto RankOf(const PairSweep& sweep) {
  return std::tuple(sweep.contact.t_hit, sweep.contact.t_free, sweep.pair.a, sweep.pair.b,
                    sweep.pair.is_self);
}

// The earliest contact of the pairs that it is shown, by the rules of TimeOfCollision of compounds.
class Earliest {
 public:
  // Returns the time after which no contact matters.
  double Limit() const { return hit_ ? hit_->contact.t_hit : 1; }

  // Returns false if nothing else matters.
  bool Add(const PairSweep& sweep) {
    t_leave_ = std::fmax(t_leave_, sweep.contact.t_leave);
    switch (sweep.contact.state) {
      case MotionState::kInitiallyOverlapping:
        overlap_ = sweep;
        return false;
      case MotionState::kUndecided:
        KeepFirst(sweep, &undecided_);
        break;
      case MotionState::kHit:
        KeepFirst(sweep, &hit_);
        hits_free_until_ = std::fmin(hits_free_until_, sweep.contact.t_free);
        break;
      case MotionState::kFree:
        break;
    }
    return true;
  }

  PairSweep Answer() const {
    PairSweep answer;
    answer.contact.state = MotionState::kFree;
    answer.contact.t_free = 1;
    answer.contact.t_hit = 1;
    if (overlap_) {
      answer = *overlap_;
    } else if (undecided_ && undecided_->contact.t_free < hits_free_until_) {
      answer = *undecided_;
    } else if (hit_) {
      answer = *hit_;
      answer.contact.t_free = hits_free_until_;
    }
    answer.contact.t_leave = std::fmin(t_leave_, answer.contact.t_free);
    return answer;
  }

 private:
  static void KeepFirst(const PairSweep& sweep, std::optional<PairSweep>* first) {
    if (!*first || RankOf(sweep) < RankOf(**first)) *first = sweep;
  }

  std::optional<PairSweep> overlap_;
  std::optional<PairSweep> hit_;
  std::optional<PairSweep> undecided_;
  double hits_free_until_ = std::numeric_limits<double>::infinity();
  double t_leave_ = 0;
};

class Sweeper {
 public:
  Sweeper(const Pairs& pairs, absl::Span<const Motion> motions, SceneScratch::Parts* scratch)
      : pairs_(pairs), motions_(motions), scratch_(scratch) {
    scratch_->moving.clear();
    scratch_->boxes.clear();
    const double excess = pairs_.LargestExcess();
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const SceneBody& body = pairs_.body(i);
      const WorldBox box =
          BoxOfTurning(*body.body, pairs_.pose(i), motions_[i], body.margin + excess);
      scratch_->moving.push_back(MovingBoxOf(box, motions_[i].displacement));
      if (pairs_.asks_self()) {
        scratch_->boxes.push_back(SweptBoxOf(box, motions_[i].displacement));
      }
    }
    pairs_.Spend(kVerticesACandidate * pairs_.size());
  }

  UndecidedReason reason_to_end() const { return pairs_.reason(); }

  // Shows take(pair) all candidates that meet no later than limit(), in order, until it returns
  // false or the budget has ended.
  template <class Limit, class Take>
  SceneCounters Run(CandidateOrder order, const SweepOptions& options, const Limit& limit,
                    const Take& take) {
    SceneCounters counters;
    float reach = RoundUpToFloat(limit());
    const auto ask = [&](absl::Span<const Candidate> chunk) {
      for (const Candidate& candidate : chunk) {
        if (candidate.bound > reach) continue;
        if (!pairs_.Take(kVerticesADistance)) return false;
        ++counters.exact;
        const PairSweep sweep = Ask(candidate, options);
        if (pairs_.has_ended() || !take(sweep)) return false;
        reach = RoundUpToFloat(limit());
      }
      return true;
    };
    const Search<MovingFloatBox> search = {
        pairs_, {scratch_->moving, scratch_->boxes}, &scratch_->queue, &counters};
    const bool is_one = pairs_.size() == 1 && pairs_.asks_scene();
    if (is_one && order == CandidateOrder::kByBound) {
      ForEachBound(search, &reach, ask);
    } else {
      ForEachChunk(search, {.order = order}, &reach, ask);
    }
    return counters;
  }

 private:
  PairSweep Ask(const Candidate& candidate, const SweepOptions& options) const {
    const PosedBody a = pairs_.PosedA(candidate);
    const PosedBody b = pairs_.PosedB(candidate);
    const Motion rest = {.displacement = {}, .rotation = {}, .pivot = b.pose.p_WS};
    const Motion& motion_b = candidate.ids.is_self ? motions_[candidate.b] : rest;
    MotionOptions asked;
    asked.target_distance = candidate.margin;
    asked.ignore_initial_contact = options.ignore_initial_contact;
    asked.budget = pairs_.budget();
    PairSweep sweep = {candidate.ids,
                       TimeOfCollision(MovingBody{a.body, a.pose, motions_[candidate.a]},
                                       MovingBody{b.body, b.pose, motion_b}, asked)};
    // The boxes prove more than a search that was not decided.
    if (sweep.contact.state == MotionState::kUndecided) {
      const auto met = static_cast<double>(candidate.bound);
      if (met > sweep.contact.t_free) sweep.contact.t_free = met;
    }
    return sweep;
  }

  const Pairs& pairs_;
  const absl::Span<const Motion> motions_;
  SceneScratch::Parts* const scratch_;
};

// Returns the findings, or if the budget has ended a contact that is undecided from 0 on.
PairSweep AnswerOf(const Earliest& earliest, const Sweeper& sweeper) {
  const UndecidedReason reason = sweeper.reason_to_end();
  if (reason == UndecidedReason::kNone) return earliest.Answer();
  PairSweep answer;
  answer.contact.reason = reason;
  return answer;
}

SweepAnswer FindEarliest(Sweeper sweeper, const SweepOptions& options) {
  Earliest earliest;
  SweepAnswer answer;
  answer.counters = sweeper.Run(
      CandidateOrder::kByBound, options, [&] { return earliest.Limit(); },
      [&](const PairSweep& sweep) { return earliest.Add(sweep); });
  answer.earliest = AnswerOf(earliest, sweeper);
  return answer;
}

SweepAnswer FindAny(Sweeper sweeper) {
  Earliest earliest;
  SweepAnswer answer;
  answer.counters = sweeper.Run(
      CandidateOrder::kByBound, {}, [] { return 1.0; },
      [&](const PairSweep& sweep) {
        return earliest.Add(sweep) && sweep.contact.state != MotionState::kHit;
      });
  answer.earliest = AnswerOf(earliest, sweeper);
  return answer;
}

SceneCounters ShowAll(Sweeper sweeper, const SweepOptions& options, SweepSink sink) {
  return sweeper.Run(
      CandidateOrder::kByIds, options, [] { return 1.0; },
      [&](const PairSweep& sweep) {
        return sweep.contact.state == MotionState::kFree || sink(sweep);
      });
}

// A ray as a point that moves.
class RayQuery {
 public:
  RayQuery(const Scene& scene, const Ray& ray, SceneScratch* scratch)
      : start_{ray.origin, {}},
        motion_{.displacement = ray.displacement, .rotation = {}, .pivot = ray.origin},
        query_{.scene = scene,
               .bodies = absl::MakeConstSpan(&scratch->parts().point, 1),
               .poses = absl::MakeConstSpan(&start_, 1),
               .budget = ray.budget},
        pairs_(query_, ray.radius),
        scratch_(&scratch->parts()) {
    scratch_->point.bits = ray.bits;
  }

  Sweeper MakeSweeper() const { return {pairs_, absl::MakeConstSpan(&motion_, 1), scratch_}; }

 private:
  const Pose start_;
  const Motion motion_;
  const SceneQuery query_;
  const Pairs pairs_;
  SceneScratch::Parts* const scratch_;
};

}  // namespace

SweepAnswer Sweep(const MovingSceneQuery& moving, const SweepOptions& options,
                  SceneScratch* scratch) {
  const Pairs pairs(moving.query);
  return FindEarliest(Sweeper(pairs, moving.motions, &scratch->parts()), options);
}

SceneCounters SweepAll(const MovingSceneQuery& moving, const SweepOptions& options, SweepSink sink,
                       SceneScratch* scratch) {
  const Pairs pairs(moving.query);
  return ShowAll(Sweeper(pairs, moving.motions, &scratch->parts()), options, sink);
}

std::size_t MotionsToEndPoses(absl::Span<const Pose> starts, absl::Span<const Pose> ends,
                              absl::Span<Motion> motions) {
  CLEARANCE_ASSERT(starts.size() == ends.size() && starts.size() == motions.size());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const EndPoseFault fault = MotionToEndPose(starts[i], ends[i], &motions[i]);
    if (fault != EndPoseFault::kNone) return i;
  }
  return starts.size();
}

SweepAnswer CastRay(const Scene& scene, const Ray& ray, RayKind kind, SceneScratch* scratch) {
  const RayQuery query(scene, ray, scratch);
  return kind == RayKind::kAny ? FindAny(query.MakeSweeper())
                               : FindEarliest(query.MakeSweeper(), {});
}

SceneCounters CastRayAll(const Scene& scene, const Ray& ray, SweepSink sink,
                         SceneScratch* scratch) {
  const RayQuery query(scene, ray, scratch);
  return ShowAll(query.MakeSweeper(), {}, sink);
}

}  // namespace clearance
