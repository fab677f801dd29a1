// SPDX-License-Identifier: Apache-2.0
//
// The contents of a SceneScratch, and the probes of standing bodies.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/query/body_query.h"
#include "core/scene/candidates.h"
#include "core/scene/row_boxes.h"
#include "core/scene/scene_query.h"
#include "core/shape/rigid_body.h"

namespace clearance {

// Fewer than kDistancesAtOnce: the results of the nearest spare asking those behind.
inline constexpr std::size_t kCandidatesAtOnce = 32;
static_assert(kCandidatesAtOnce <= kDistancesAtOnce);

// The directions along which pairs were separated when they were asked last (IntersectionOptions).
// A pair may find the direction of another pair there, or of another scene, and be asked in vain:
// it is a hint.
class SeparatingAxisCache {
 public:
  Vec3d* Of(const Candidate& candidate) {
    const std::uint64_t pair = std::uint64_t{candidate.a} << 33U |
                               std::uint64_t{candidate.b} << 1U | (candidate.ids.is_self ? 1U : 0U);
    return &directions_[pair * kFibonacci >> (64U - kBits)];
  }

 private:
  static constexpr unsigned kBits = 9;
  static constexpr std::uint64_t kFibonacci = 0x9e3779b97f4a7c15;
  std::array<Vec3d, std::size_t{1} << kBits> directions_{};
};

struct SceneScratch::Parts {
  Parts();

  CandidateQueue queue;
  std::vector<FloatBox> boxes;         // of the query bodies
  std::vector<MovingFloatBox> moving;  // of the query bodies
  RowBoxes row_boxes;                  // of the query bodies, of checks side by side
  std::vector<FloatBox> boxes_of_rows;
  std::vector<BodyDistanceQuestion> questions;
  std::vector<DistanceAnswer> answers;  // kCandidatesAtOnce of them
  std::vector<BodyIntersectionQuestion> sign_questions;
  std::vector<IntersectionAnswer> sign_answers;  // kIntersectionsAtOnce of them
  std::vector<Candidate> waiting;                // of checks side by side
  SceneBody point;                               // of rays
  OwnPairs own_pairs;                            // of configurations
  SeparatingAxisCache separating_axes;
};

// Boxes of the query bodies at their poses, `margin` more than their own margins around them if
// these matter.
enum class Margins : std::uint8_t { kIgnored, kAround };
Probes<FloatBox> StandingProbes(const Pairs& pairs, Margins margins, SceneScratch::Parts* scratch);

// Candidates that are asked side by side, and their cost, in vertices, without the part that the
// pieces of compounds take themselves.
struct Group {
  absl::Span<const Candidate> candidates;
  std::uint64_t cost = 0;
};

// The most candidates of a group, and the number of distances that a pair of pieces takes.
struct GroupLimits {
  std::size_t size = kCandidatesAtOnce;
  std::uint64_t distances = 1;
};

// Takes the next candidates: as many as the limits allow, unless they may take long together.
// Requires: at least one.
Group TakeGroup(const Pairs& pairs, const GroupLimits& limits, absl::Span<const Candidate>* from);

// Asks up to kCandidatesAtOnce candidates for their distances side by side. The answers stay until
// the next call.
absl::Span<const DistanceAnswer> AskDistances(const Pairs& pairs,
                                              absl::Span<const Candidate> candidates,
                                              const DistanceOptions& options,
                                              SceneScratch::Parts* scratch);

// Asks in the same way whether candidates touch.
absl::Span<const IntersectionAnswer> AskIntersections(const Pairs& pairs,
                                                      absl::Span<const Candidate> candidates,
                                                      SceneScratch::Parts* scratch);

}  // namespace clearance
