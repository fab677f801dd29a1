// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <cstddef>
#include <memory>
#include <new>

#include "absl/types/span.h"
#include "core/math/assert.h"
#include "core/narrow/placement_rows.h"
#include "core/narrow/portal_batch.h"
#include "core/narrow/static_vector.h"
#include "core/narrow/uninitialized.h"
#include "core/query/facet_contacts.h"
#include "core/query/relative_motion.h"
#include "core/query/time_of_collision.h"
#include "core/support/prefetch.h"

namespace clearance {
namespace {

static_assert(kTimesOfCollisionAtOnce <= PlacementRows::kMax);

PosedShape StartPoseOf(const MovingShape& moving) {
  return {moving.shape, moving.start, moving.local};
}

bool IsTranslation(const MovingShape& moving) { return moving.motion.rotation == Vec3d{}; }

// True if a ray may decide (DecideByRay of time_of_collision.cc), of shapes that stand in rows.
bool IsForRays(const TimeOfCollisionQuestion& question) {
  const auto& [a, b, options] = question;
  return IsTranslation(a) && IsTranslation(b) && options.target_distance == 0 &&
         options.proof == nullptr && PlacementRows::IsFor(StartPoseOf(a), StartPoseOf(b));
}

TimeOfCollisionAnswer Alone(const TimeOfCollisionQuestion& question) {
  return TimeOfCollision(question.a, question.b, question.options);
}

// At most kTimesOfCollisionAtOnce pairs.
class Rays {
 public:
  Rays(absl::Span<const TimeOfCollisionQuestion> questions,
       absl::Span<TimeOfCollisionAnswer> answers)
      : questions_(questions), answers_(answers) {}

  void Answer() {
    for (std::size_t i = 0; i < kPrefetchAhead; ++i) PrefetchShapesOf(questions_, i);
    for (std::size_t i = 0; i < questions_.size(); ++i) Begin(i);
    if (count_ == 0) return;
    rows_.Place();
    for (std::size_t k = 0; k < count_; ++k) Place(k);
    SearchPortals({&rays_[0], count_}, {&casts_[0], count_});
    for (std::size_t k = 0; k < count_; ++k) Sort(k);
    AnswerFacets();
  }

 private:
  // A pair from when it is looked at until it is answered.
  struct Waiting {
    Uninitialized<MotionStart> start;
    Uninitialized<TranslatingPair> moving;
    Uninitialized<Placement<double>> placement;
    Uninitialized<MinkowskiDifference<double>> difference;
    Mat3<double> R_AW;
    std::size_t asked = 0;  // by which question
  };

  // Answers a pair that no ray decides; the others wait.
  void Begin(std::size_t i) {
    const TimeOfCollisionQuestion& question = questions_[i];
    const auto& [a, b, options] = question;
    PrefetchShapesOf(questions_, i + kPrefetchAhead);
    PrefetchSurface(a.shape);
    PrefetchSurface(b.shape);
    Prefetch<Use::kWrite>(answers_[i]);
    if (!IsForRays(question)) {
      answers_[i] = Alone(question);
      return;
    }
    Waiting& waiting = waiting_[count_];
    // Construct in place: a copy followed by a wider load defeats store-to-load forwarding.
    const MotionStart& start = *std::construct_at(&waiting.start.value, a, b);
    if (!start.IsInRange() || !IsForFacetContacts(start.pair)) {
      answers_[i] = Alone(question);
      return;
    }
    waiting.asked = i;
    rows_.Add(start.pair, StartPoseOf(a), StartPoseOf(b), {start.p_AcBc_W, start.pair.exponent});
    ++count_;
  }

  // Places the pair as RelativeMotion::CoarseAt does at the start.
  void Place(std::size_t k) {
    Waiting& waiting = waiting_[k];
    const auto& [a, b, options] = questions_[waiting.asked];
    const MotionStart& start = waiting.start.value;
    const ShapePair& pair = start.pair;
    const double center_errors =
        CenterError(StartPoseOf(a), pair.exponent) + CenterError(StartPoseOf(b), pair.exponent);
    const TranslatingPair& moving =
        *new (&waiting.moving.value) TranslatingPair(MakeTranslating(start, a, b, center_errors));
    Placement<double>& placement =
        *new (&waiting.placement.value) Placement<double>(rows_.PlacementAt(k));
    placement.error += LeastPlaces(start.offset.exponent - pair.exponent);
    MinkowskiDifference<double>& difference =
        *std::construct_at(&waiting.difference.value, pair, placement);
    waiting.R_AW = rows_.RotationAW(k);
    rays_.Append({&difference, waiting.R_AW * (moving.displacement_b - moving.displacement_a)});
    casts_.AppendUnset();
  }

  // Answers a miss, and a pair for the search; a facet waits.
  void Sort(std::size_t k) {
    Waiting& waiting = waiting_[k];
    TimeOfCollisionAnswer& answer = answers_[waiting.asked];
    const PortalResult& cast = casts_[static_cast<int>(k)];
    if (cast.end == PortalResult::End::kFacet) {
      AddFacet(k);
    } else if (cast.end == PortalResult::End::kMiss && IsMiss(k)) {
      answer = {};
      answer.state = MotionState::kFree;
      answer.t_free = 1;
      answer.t_hit = 1;
      answer.iterations = 1;
    } else {
      answer = AfterPortal(k);
    }
  }

  TimeOfCollisionAnswer AfterPortal(std::size_t k) const {
    return TimeOfCollisionAfterPortal(questions_[waiting_[k].asked], casts_[static_cast<int>(k)]);
  }

  bool IsMiss(std::size_t k) {
    MinkowskiDifference<double>& difference = waiting_[k].difference.value;
    const TranslatingPair& moving = waiting_[k].moving.value;
    const double closing_error =
        ClosingErrorOf(Norm(moving.displacement_a), Norm(moving.displacement_b));
    const int i = static_cast<int>(k);
    return IsProvedMiss(difference, rays_[i].ray_A, casts_[i].n_A,
                        difference.rounding_error() + closing_error);
  }

  void AddFacet(std::size_t k) {
    const Waiting& waiting = waiting_[k];
    const MovingShape& a = questions_[waiting.asked].a;
    const int i = static_cast<int>(k);
    facet_of_[static_cast<std::size_t>(facets_.size())] = k;
    new (facets_.AppendRoom())
        FacetTask{&waiting.moving.value,   &waiting.difference.value,
                  &waiting.R_AW,           &casts_[i],
                  rays_[i].ray_A,          a.motion.displacement,
                  CenterFromOrigin(a),     MotionTolerance(waiting.start.value.pair, 0),
                  &answers_[waiting.asked]};
  }

  void AnswerFacets() {
    const auto count = static_cast<std::size_t>(facets_.size());
    if (count == 0) return;
    std::array<bool, kTimesOfCollisionAtOnce> is_answered;
    AnswerFromFacets({&facets_[0], count}, {is_answered.data(), count});
    for (std::size_t n = 0; n < count; ++n) {
      const std::size_t k = facet_of_[n];
      if (!is_answered[n]) answers_[waiting_[k].asked] = AfterPortal(k);
    }
  }

  static constexpr int kMax = static_cast<int>(kTimesOfCollisionAtOnce);

  PlacementRows rows_;
  const absl::Span<const TimeOfCollisionQuestion> questions_;
  const absl::Span<TimeOfCollisionAnswer> answers_;
  std::size_t count_ = 0;
  std::array<Waiting, kTimesOfCollisionAtOnce> waiting_;
  StaticVector<PortalTask, kMax> rays_;
  StaticVector<PortalResult, kMax> casts_;
  StaticVector<FacetTask, kMax> facets_;
  std::array<std::size_t, kTimesOfCollisionAtOnce> facet_of_;
};

}  // namespace

void TimesOfCollision(absl::Span<const TimeOfCollisionQuestion> questions,
                      absl::Span<TimeOfCollisionAnswer> answers) {
  CLEARANCE_ASSERT(questions.size() == answers.size());
  for (std::size_t first = 0; first < questions.size(); first += kTimesOfCollisionAtOnce) {
    Rays(questions.subspan(first, kTimesOfCollisionAtOnce),
         answers.subspan(first, kTimesOfCollisionAtOnce))
        .Answer();
  }
}

}  // namespace clearance
