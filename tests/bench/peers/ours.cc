// SPDX-License-Identifier: Apache-2.0
//
// This project's core, as a program calls it.

#include <algorithm>
#include <limits>
#include <optional>

#include "core/query/distance.h"
#include "core/query/intersection.h"
#include "core/query/time_of_collision.h"
#include "tests/bench/peers/peer.h"

namespace clearance::bench {
namespace {

constexpr double kFailed = std::numeric_limits<double>::quiet_NaN();

double AskDistance(const Pool& pool, const Pair& pair) {
  return Distance(pair.PosedA(pool), pair.PosedB(pool), {}).distance;
}

double NumberOf(State state) {
  if (state == State::kUndecided) return kFailed;
  return state == State::kSeparated ? 0 : 1;
}

double NumberOf(const TimeOfCollisionAnswer& answer) {
  if (answer.state == MotionState::kFree) return kNoHit;
  return answer.state == MotionState::kHit ? answer.t_hit : kFailed;
}

Motion StillOf(const Pair& pair) {
  return {.displacement = {}, .rotation = {}, .pivot = pair.X_WB.p_WS};
}

double AskTimeOfCollision(const Pool& pool, const Pair& pair, const Motion& approach) {
  const Motion still = StillOf(pair);
  return NumberOf(TimeOfCollision({*pool.shapes[pair.a], pair.X_WA, approach},
                                  {*pool.shapes[pair.b], pair.X_WB, still}, {}));
}

// The shapes are the pool's own.
class OursBase : public Peer {
 public:
  using Peer::Peer;

  void Load(const Pool& /*pool*/) override {}
  void Prepare(const Questions& questions) override { questions_.emplace(questions); }

 protected:
  std::optional<const Questions> questions_;
};

class Ours final : public OursBase {
 public:
  Ours() : OursBase({.name = "ours", .note = "one call a pair, cold", .is_ours = true}) {}

  bool Answers(Kind kind) const override { return kind != Kind::kWarmDistance; }

  void Answer(std::vector<double>* answers) override {
    const Pool& pool = questions_->pool;
    const std::vector<Pair>& pairs = questions_->pairs;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (questions_->kind == Kind::kIntersection) {
        (*answers)[i] = NumberOf(Intersection(pairs[i].PosedA(pool), pairs[i].PosedB(pool)).state);
      } else if (questions_->kind == Kind::kTimeOfCollision) {
        (*answers)[i] = AskTimeOfCollision(pool, pairs[i], questions_->approaches[i]);
      } else {
        (*answers)[i] = AskDistance(pool, pairs[i]);
      }
    }
  }
};

class OursWarm final : public OursBase {
 public:
  OursWarm()
      : OursBase(
            {.name = "ours-warm", .note = "from the witness of the step before", .is_ours = true}) {
  }

  bool Answers(Kind kind) const override { return kind == Kind::kWarmDistance; }

  void Prepare(const Questions& questions) override {
    OursBase::Prepare(questions);
    witnesses_.resize(questions.tracks);
  }

  void Answer(std::vector<double>* answers) override {
    const Pool& pool = questions_->pool;
    const std::vector<Pair>& pairs = questions_->pairs;
    const std::size_t tracks = questions_->tracks;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      Witness& witness = witnesses_[i % tracks];
      const DistanceAnswer answer = Distance(pairs[i].PosedA(pool), pairs[i].PosedB(pool),
                                             {.start = i < tracks ? nullptr : &witness});
      witness = answer.witness;
      (*answers)[i] = answer.distance;
    }
  }

 private:
  std::vector<Witness> witnesses_;  // of each track
};

// All pairs in one call; of tracks the steps of all at one time, each from the witness of its step
// before.
class OursBatch final : public OursBase {
 public:
  OursBatch()
      : OursBase({.name = "ours-batch", .note = "all pairs of one call", .is_ours = true}) {}

  bool Answers(Kind /*kind*/) const override { return true; }

  void Prepare(const Questions& questions) override {
    OursBase::Prepare(questions);
    PrepareMotions();
    const bool is_warm = questions.kind == Kind::kWarmDistance;
    witnesses_.resize(questions.tracks);
    asked_.clear();
    asked_for_sign_.clear();
    for (std::size_t i = 0; i < questions.pairs.size(); ++i) {
      const Pair& pair = questions.pairs[i];
      asked_for_sign_.push_back({pair.PosedA(questions.pool), pair.PosedB(questions.pool), {}});
      const bool has_start = is_warm && i >= questions.tracks;
      asked_.push_back({pair.PosedA(questions.pool),
                        pair.PosedB(questions.pool),
                        {.start = has_start ? &witnesses_[i % questions.tracks] : nullptr}});
    }
    answers_.resize(asked_.size());
    signs_.resize(asked_.size());
    at_once_ = is_warm ? questions.tracks : asked_.size();
  }

  void Answer(std::vector<double>* answers) override {
    if (questions_->kind == Kind::kIntersection) return AnswerSigns(answers);
    if (questions_->kind == Kind::kTimeOfCollision) return AnswerTimes(answers);
    const auto asked = absl::MakeConstSpan(asked_);
    for (std::size_t first = 0; first < asked.size(); first += at_once_) {
      Distances(asked.subspan(first, at_once_), absl::MakeSpan(answers_).subspan(first, at_once_));
      for (std::size_t i = first; i < std::min(first + witnesses_.size(), asked.size()); ++i) {
        witnesses_[i - first] = answers_[i].witness;
      }
    }
    for (std::size_t i = 0; i < asked.size(); ++i) (*answers)[i] = answers_[i].distance;
  }

 private:
  void PrepareMotions() {
    const Pool& pool = questions_->pool;
    stills_.clear();
    asked_for_time_.clear();
    for (const Pair& pair : questions_->pairs) stills_.push_back(StillOf(pair));
    if (questions_->kind != Kind::kTimeOfCollision) return;
    for (std::size_t i = 0; i < stills_.size(); ++i) {
      const Pair& pair = questions_->pairs[i];
      asked_for_time_.push_back({{*pool.shapes[pair.a], pair.X_WA, questions_->approaches[i]},
                                 {*pool.shapes[pair.b], pair.X_WB, stills_[i]},
                                 {}});
    }
    times_.resize(asked_for_time_.size());
  }

  void AnswerTimes(std::vector<double>* answers) {
    TimesOfCollision(asked_for_time_, absl::MakeSpan(times_));
    for (std::size_t i = 0; i < times_.size(); ++i) (*answers)[i] = NumberOf(times_[i]);
  }

  void AnswerSigns(std::vector<double>* answers) {
    Intersections(asked_for_sign_, absl::MakeSpan(signs_));
    for (std::size_t i = 0; i < signs_.size(); ++i) (*answers)[i] = NumberOf(signs_[i].state);
  }

  std::vector<Witness> witnesses_;  // of each track
  std::vector<DistanceQuestion> asked_;
  std::vector<DistanceAnswer> answers_;
  std::vector<IntersectionQuestion> asked_for_sign_;
  std::vector<IntersectionAnswer> signs_;
  std::vector<Motion> stills_;  // of B, of each pair
  std::vector<TimeOfCollisionQuestion> asked_for_time_;
  std::vector<TimeOfCollisionAnswer> times_;
  std::size_t at_once_ = 0;
};

}  // namespace

std::unique_ptr<Peer> MakeOurs() { return std::make_unique<Ours>(); }
std::unique_ptr<Peer> MakeOursWarm() { return std::make_unique<OursWarm>(); }
std::unique_ptr<Peer> MakeOursBatch() { return std::make_unique<OursBatch>(); }

}  // namespace clearance::bench
