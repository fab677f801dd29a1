// SPDX-License-Identifier: Apache-2.0
//
// The enabled pairs of a question that boxes do not rule out, in an order that does not depend on
// the tree: by ids, or by the bound that the boxes prove and then by ids. They come in chunks of
// bounded size, larger and larger ones. Each walk keeps the first pairs after the last one seen. So
// a question of millions of candidates needs no more memory than one of ten thousand, and some
// hundred walks.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "core/broad/float_box.h"
#include "core/query/body_query.h"
#include "core/scene/scene_parts.h"
#include "core/scene/scene_query.h"

namespace clearance {

struct Candidate {
  IdPair ids;
  float bound = 0;      // of the pair's boxes: metres apart, or the time when they meet
  std::uint32_t a = 0;  // of the query bodies
  std::uint32_t b = 0;  // slot of the scene, or of the query bodies if ids.is_self
  double margin = 0;
};

enum class CandidateOrder : std::uint8_t { kByIds, kByBound };

// Strict.
bool IsBefore(CandidateOrder order, const Candidate& x, const Candidate& y);

// Keeps the first `capacity` of the offered candidates that come after a given one. Memory is
// reserved for ordinary questions, and grows with the first one of many candidates.
class CandidateQueue {
 public:
  CandidateQueue() { heap_.reserve(kFirst); }

  void Start(CandidateOrder order, std::size_t capacity, const std::optional<Candidate>& after);
  void Offer(const Candidate& candidate);

  // If true, something may have been left out, and nothing beyond limit() need be offered.
  bool is_full() const { return heap_.size() == capacity_; }

  // Returns the limit of the bound: that of the last candidate if the queue is full and ordered by
  // bound, at most `most`; otherwise `most`.
  float Limit(float most) const {
    const bool is_tighter = order_ == CandidateOrder::kByBound && is_full();
    return is_tighter ? std::min(most, heap_.front().bound) : most;
  }

  // Returns the kept candidates in order, and ends the offers.
  absl::Span<const Candidate> Sorted();

  static constexpr std::size_t kFirst = 256;
  static constexpr std::size_t kMax = 16384;

 private:
  std::vector<Candidate> heap_;  // once it is full, the last one on top
  std::optional<Candidate> after_;
  std::size_t capacity_ = kFirst;
  CandidateOrder order_ = CandidateOrder::kByIds;
};

// The costs of parts of a question, in vertices as Pacer counts them: a look at a node or a box,
// and a candidate that is kept in order.
inline constexpr std::uint64_t kVerticesANode = 32;
inline constexpr std::uint64_t kVerticesACandidate = 128;

// Ends a walk: no bound is as low.
inline constexpr float kNoReach = -1;

// The bodies of a question, the query's and the scene's, and the rules about their pairs.
class Pairs {
 public:
  // If a margin is given, every pair has it, whatever ids and rules say: the query body has no
  // name. Keeps a reference.
  explicit Pairs(const SceneQuery& query, std::optional<double> margin = std::nullopt)
      : query_(query), scene_(query.scene.parts()), margin_(margin) {}

  const SceneParts& scene() const { return scene_; }
  std::size_t size() const { return query_.bodies.size(); }
  bool asks_scene() const { return query_.pair_scope != SceneQuery::PairScope::kSelf; }
  bool asks_self() const {
    return query_.pair_scope != SceneQuery::PairScope::kScene && size() > 1;
  }

  const SceneBody& body(std::size_t i) const { return query_.bodies[i]; }
  const Pose& pose(std::size_t i) const {
    return query_.poses.empty() ? query_.bodies[i].X_WB : query_.poses[i];
  }

  PosedBody PosedA(const Candidate& candidate) const { return Own(candidate.a); }
  PosedBody PosedB(const Candidate& candidate) const {
    if (candidate.ids.is_self) return Own(candidate.b);
    return {*scene_.members[candidate.b].body, scene_.poses[candidate.b]};
  }

  // The candidate of a body of the query and one of the scene, if rules and groups enable it.
  std::optional<Candidate> WithScene(std::size_t i, std::uint32_t slot) const;

  // The same for two bodies of the query, in the order of their ids.
  std::optional<Candidate> WithSelf(std::size_t i, std::size_t j) const;

  // The pairs that are known beforehand; null: none.
  const OwnPairs* own_pairs() const { return query_.own_pairs; }

  // Returns the most by which any pair's margin may exceed the sum of its bodies' margins.
  double LargestExcess() const;

  // Null: none.
  WorkBudget* budget() const { return query_.budget; }
  // The same as in WorkBudget.
  bool Spend(std::uint64_t vertices) const {
    return query_.budget == nullptr || query_.budget->Spend(vertices);
  }
  bool Take(std::uint64_t vertices) const {
    return query_.budget == nullptr || query_.budget->Take(vertices);
  }
  bool has_ended() const { return query_.budget != nullptr && query_.budget->has_ended(); }
  UndecidedReason reason() const {
    return query_.budget == nullptr ? UndecidedReason::kNone : query_.budget->reason();
  }

  // Returns the most that asking a candidate takes, in vertices, if a pair of pieces takes so many
  // distances.
  std::uint64_t CostOf(const Candidate& candidate, std::uint64_t distances) const;
  // The same without the part that the pieces of compounds take from the budget themselves.
  std::uint64_t OwnCostOf(const Candidate& candidate, std::uint64_t distances) const;

 private:
  PosedBody Own(std::size_t i) const { return {*query_.bodies[i].body, pose(i)}; }

  // Returns metres; nothing if the pair is allowed to touch.
  std::optional<double> MarginOf(const IdPair& ids, double sum) const;

  const SceneQuery& query_;
  const SceneParts& scene_;
  const std::optional<double> margin_;
};

// The boxes by which the query bodies are searched for. Probe is a FloatBox, or for moving bodies
// a MovingFloatBox; these also have boxes that hold the whole path.
template <class Probe>
struct Probes {
  absl::Span<const Probe> probes;      // one a body
  absl::Span<const FloatBox> held_in;  // one a body
};

// A walk through all enabled pairs, and the objects that it writes to. Keeps references.
template <class Probe>
struct Search {
  const Pairs& pairs;
  Probes<Probe> probes;
  CandidateQueue* queue;
  SceneCounters* counters;
};

// Returns the bound of boxes that each hold a whole path.
inline float OwnBound(const MovingFloatBox&, const FloatBox& a, const FloatBox& b) {
  return GapBound(a, b) > 0 ? kNeverMet : 0;
}
inline float OwnBound(const FloatBox&, const FloatBox& a, const FloatBox& b) {
  return GapBound(a, b);
}

// Calls take(candidate) for every enabled pair whose bound is at most *limit, in any order. If it
// must give up, *limit becomes kNoReach.
template <class Probe, class Take>
void VisitScene(const Search<Probe>& search, float* limit, Take&& take) {
  const Pairs& pairs = search.pairs;
  if (!pairs.asks_scene()) return;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::uint64_t nodes = pairs.scene().boxes.Visit(
        search.probes.probes[i], limit, [&](std::uint32_t slot, float bound) {
          if (!pairs.Spend(kVerticesACandidate)) {
            *limit = kNoReach;
            return;
          }
          std::optional<Candidate> candidate = pairs.WithScene(i, slot);
          if (!candidate) return;
          candidate->bound = bound;
          take(*candidate);
        });
    search.counters->nodes += nodes;
    if (!pairs.Spend(kVerticesANode * (1 + nodes))) *limit = kNoReach;
  }
}

// The bound of two bodies or, above the limit, any value above it: if boxes must meet, no length is
// needed.
struct TwoBodies {
  std::size_t i, j;
};
template <class Probe>
float OwnBoundWithin(float limit, const Probes<Probe>& probes, TwoBodies two) {
  const FloatBox& a = probes.held_in[two.i];
  const FloatBox& b = probes.held_in[two.j];
  if (limit == 0) return IsApart(a, b) ? kNeverMet : 0;
  return OwnBound(probes.probes[two.i], a, b);
}

// The same as VisitSelf, for pairs that are known to be enabled.
template <class Probe, class Take>
void VisitKnown(const Search<Probe>& search, float* limit, Take&& take) {
  const absl::Span<const OwnPair> known = search.pairs.own_pairs()->pairs();
  search.pairs.Spend(kVerticesANode * known.size());
  const absl::Span<const FloatBox> held_in = search.probes.held_in;
  for (const OwnPair& pair : known) {
    // This is so for most pairs of most questions.
    if (*limit == 0 && IsApart(held_in[pair.i], held_in[pair.j])) continue;
    const float bound = OwnBoundWithin(*limit, search.probes, {pair.i, pair.j});
    if (bound > *limit) continue;
    take(Candidate{{pair.a, pair.b, true}, bound, pair.i, pair.j, pair.margin});
  }
}

template <class Probe, class Take>
void VisitSelf(const Search<Probe>& search, float* limit, Take&& take) {
  const Pairs& pairs = search.pairs;
  const Probes<Probe>& probes = search.probes;
  if (!pairs.asks_self()) return;
  if (pairs.own_pairs() != nullptr) return VisitKnown(search, limit, take);
  for (std::size_t j = 1; j < pairs.size(); ++j) {
    if (!pairs.Spend(kVerticesANode * j)) {
      *limit = kNoReach;
      return;
    }
    for (std::size_t i = 0; i < j; ++i) {
      const float bound = OwnBoundWithin(*limit, probes, {i, j});
      if (bound > *limit) continue;
      std::optional<Candidate> candidate = pairs.WithSelf(i, j);
      if (!candidate) continue;
      candidate->bound = bound;
      take(*candidate);
    }
  }
}

// The order in which candidates are shown, the most of them in the first chunk, and the one after
// which they begin.
struct ChunkOrder {
  CandidateOrder order = CandidateOrder::kByIds;
  std::size_t first_chunk = CandidateQueue::kFirst;
  std::optional<Candidate> after = std::nullopt;
};

// Shows all candidates whose bound is at most *limit, in order and in chunks, until the budget has
// ended or ask(span) returns false. *limit may be lowered meanwhile.
template <class Probe, class Ask>
void ForEachChunk(const Search<Probe>& search, const ChunkOrder& order, const float* limit,
                  Ask&& ask) {
  CandidateQueue* const queue = search.queue;
  std::optional<Candidate> after = order.after;
  constexpr std::size_t kGrowth = 4;
  for (std::size_t chunk = order.first_chunk;;
       chunk = std::clamp(kGrowth * chunk, CandidateQueue::kFirst, CandidateQueue::kMax)) {
    queue->Start(order.order, chunk, after);
    float reach = queue->Limit(*limit);
    const auto offer = [&](const Candidate& candidate) {
      queue->Offer(candidate);
      reach = queue->Limit(*limit);
    };
    VisitSelf(search, &reach, offer);
    VisitScene(search, &reach, offer);
    if (search.pairs.has_ended()) return;
    const bool is_last = !queue->is_full();
    const absl::Span<const Candidate> sorted = queue->Sorted();
    search.counters->candidates += sorted.size();
    if (!sorted.empty() && !ask(sorted)) return;
    if (is_last) return;
    after = sorted.back();
  }
}

// The same for one body against the scene, by bounds. It looks at no node that is farther than the
// limit will be by then; chunks are the candidates of one bound. If too many boxes wait, the rest
// is shown by ForEachChunk. Requires: one body, which is not asked against itself.
template <class Probe, class Ask>
void ForEachBound(const Search<Probe>& search, const float* limit, Ask&& ask) {
  const Pairs& pairs = search.pairs;
  float reach = *limit;
  std::uint64_t nodes = 0;
  std::optional<Candidate> last;
  const auto take = [&](absl::Span<const WaitingBox> boxes) {
    search.queue->Start(CandidateOrder::kByIds, boxes.size(), std::nullopt);
    for (const WaitingBox& box : boxes) {
      std::optional<Candidate> candidate = pairs.WithScene(0, box.slot());
      if (!candidate) continue;
      candidate->bound = box.bound();
      search.queue->Offer(*candidate);
    }
    const absl::Span<const Candidate> sorted = search.queue->Sorted();
    search.counters->candidates += sorted.size();
    const bool goes_on =
        pairs.Spend(kVerticesACandidate * boxes.size()) && (sorted.empty() || ask(sorted));
    reach = goes_on ? *limit : kNoReach;
    if (!sorted.empty()) last = sorted.back();
  };
  const bool is_whole =
      pairs.scene().boxes.VisitInOrder(search.probes.probes[0], &reach, &nodes, take);
  search.counters->nodes += nodes;
  if (!pairs.Spend(kVerticesANode * (1 + nodes)) || is_whole) return;
  ForEachChunk(search, {CandidateOrder::kByBound, CandidateQueue::kFirst, last}, limit, ask);
}

}  // namespace clearance
