// SPDX-License-Identifier: Apache-2.0

#include "core/scene/candidates.h"

#include <tuple>

#include "core/math/rounding.h"

namespace clearance {
namespace {

auto KeyOf(const IdPair& ids) { return std::tuple(ids.a, ids.b, ids.is_self); }

}  // namespace

std::optional<BodyId> FindUnsaidNamesake(const Scene& scene, absl::Span<const SceneBody> bodies,
                                         const PairRules* rules) {
  if (scene.size() == 0) return std::nullopt;
  for (const SceneBody& body : bodies) {
    if (!scene.Contains(body.id)) continue;
    const bool is_said = (rules != nullptr && rules->Find(body.id, body.id) != nullptr) ||
                         scene.rules().Find(body.id, body.id) != nullptr;
    if (!is_said) return body.id;
  }
  return std::nullopt;
}

bool IsBefore(CandidateOrder order, const Candidate& x, const Candidate& y) {
  if (order == CandidateOrder::kByBound && x.bound != y.bound) return x.bound < y.bound;
  return KeyOf(x.ids) < KeyOf(y.ids);
}

void CandidateQueue::Start(CandidateOrder order, std::size_t capacity,
                           const std::optional<Candidate>& after) {
  heap_.clear();
  order_ = order;
  capacity_ = std::min(capacity, kMax);
  after_ = after;
}

void CandidateQueue::Offer(const Candidate& candidate) {
  const auto is_before = [this](const Candidate& x, const Candidate& y) {
    return IsBefore(order_, x, y);
  };
  if (after_ && !is_before(*after_, candidate)) return;
  if (!is_full()) {
    heap_.push_back(candidate);
    if (is_full()) std::make_heap(heap_.begin(), heap_.end(), is_before);
    return;
  }
  if (!is_before(candidate, heap_.front())) return;
  std::pop_heap(heap_.begin(), heap_.end(), is_before);
  heap_.back() = candidate;
  std::push_heap(heap_.begin(), heap_.end(), is_before);
}

absl::Span<const Candidate> CandidateQueue::Sorted() {
  std::sort(heap_.begin(), heap_.end(),
            [this](const Candidate& x, const Candidate& y) { return IsBefore(order_, x, y); });
  return heap_;
}

std::optional<Candidate> Pairs::WithScene(std::size_t i, std::uint32_t slot) const {
  const SceneBody& own = query_.bodies[i];
  const SceneMember& other = scene_.members[slot];
  if (!IsEnabled(own.bits, other.bits)) return std::nullopt;
  const IdPair ids = {own.id, other.id, false};
  if (margin_) return Candidate{ids, 0, static_cast<std::uint32_t>(i), slot, *margin_};
  if (own.id == other.id && !query_.is_nameless) return std::nullopt;
  const std::optional<double> margin = MarginOf(ids, own.margin + other.margin);
  if (!margin) return std::nullopt;
  return Candidate{ids, 0, static_cast<std::uint32_t>(i), slot, *margin};
}

std::optional<Candidate> Pairs::WithSelf(std::size_t i, std::size_t j) const {
  if (query_.bodies[j].id < query_.bodies[i].id) std::swap(i, j);
  const SceneBody& a = query_.bodies[i];
  const SceneBody& b = query_.bodies[j];
  if (!IsEnabled(a.bits, b.bits)) return std::nullopt;
  const IdPair ids = {a.id, b.id, true};
  const std::optional<double> margin = MarginOf(ids, a.margin + b.margin);
  if (!margin) return std::nullopt;
  return Candidate{ids, 0, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), *margin};
}

void OwnPairs::Find(const SceneQuery& query) {
  pairs_.clear();
  const Pairs pairs(query);
  if (!pairs.asks_self()) return;
  for (std::size_t j = 1; j < pairs.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      const std::optional<Candidate> pair = pairs.WithSelf(i, j);
      if (pair) pairs_.push_back({pair->ids.a, pair->ids.b, pair->a, pair->b, pair->margin});
    }
  }
}

std::uint64_t Pairs::CostOf(const Candidate& candidate, std::uint64_t distances) const {
  const RigidBody& a = PosedA(candidate).body;
  const RigidBody& b = PosedB(candidate).body;
  const std::uint64_t pieces_a = a.pieces().size(), pieces_b = b.pieces().size();
  // The sum over all pairs of pieces.
  const std::uint64_t vertices = a.vertex_count() * pieces_b + b.vertex_count() * pieces_a;
  return distances * (kVerticesADistance * pieces_a * pieces_b + kScansADistance * vertices);
}

std::uint64_t Pairs::OwnCostOf(const Candidate& candidate, std::uint64_t distances) const {
  const RigidBody& a = PosedA(candidate).body;
  const RigidBody& b = PosedB(candidate).body;
  const bool is_convex = !a.is_compound() && !b.is_compound();
  return is_convex ? CostOf(candidate, distances) : kVerticesADistance;
}

std::optional<double> Pairs::MarginOf(const IdPair& ids, double sum) const {
  if (query_.is_nameless) return sum;
  for (const PairRules* rules : {query_.rules, scene_.rules.get()}) {
    if (rules == nullptr) continue;
    const PairRule* const rule = rules->Find(ids.a, ids.b);
    if (rule == nullptr) continue;
    if (rule->is_allowed) return std::nullopt;
    return rule->margin;
  }
  return sum;
}

double Pairs::LargestExcess() const {
  if (margin_) return *margin_;
  if (query_.is_nameless) return 0;
  const double own = query_.rules == nullptr ? 0 : query_.rules->largest_margin();
  return std::max(own, scene_.rules->largest_margin());
}

}  // namespace clearance
