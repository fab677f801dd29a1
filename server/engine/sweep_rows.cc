// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "absl/types/span.h"
#include "core/shape/make_shape.h"
#include "server/engine/pair_lists.h"
#include "server/engine/scene_row_loop.h"

namespace clearance::server {
namespace {

RowSummary PutSweep(const SweepColumns& columns, std::uint32_t i, const SweepAnswer& answer) {
  const TimeOfCollisionAnswer& contact = answer.earliest.contact;
  const bool is_hit = contact.state == MotionState::kHit;
  const bool is_initial = contact.state == MotionState::kInitiallyOverlapping;
  if (contact.state != MotionState::kFree) PutPair(columns.pairs, i, answer.earliest.pair);
  if (is_hit) PutNumber(columns.t_hit, i, contact.t_hit);
  if (!is_initial) {
    PutNumber(columns.t_free, i, contact.t_free);
    PutNumber(columns.t_leave, i, contact.t_leave);
  }
  if (is_hit || is_initial) {
    PutNumber(columns.distances, i, contact.distance);
    PutVector(columns.points_a, i, contact.p_WA);
    PutVector(columns.points_b, i, contact.p_WB);
    PutVector(columns.normals, i, contact.n_AB);
  }
  return {static_cast<int>(contact.state), contact.reason, answer.counters};
}

struct MotionKind {
  static constexpr int kRefused = kMotionStateRefused;
  static constexpr int kUndecided = static_cast<int>(MotionState::kUndecided);

  const MotionQuestions& questions;
  const SweepColumns& columns;
  const RowTools& tools;

  using Answer = SweepAnswer;

  // The motions stay until the next row.
  MovingAsker AskerOf(std::uint32_t row) const {
    const Asker asker = tools.AskerOf(questions.configurations, row);
    std::vector<Motion>& motions = tools.room.motions;
    motions.resize(asker.bodies.size());
    for (std::size_t k = 0; k < motions.size(); ++k) {
      MotionAt(MotionsOfBody(questions, k), PoseOfBody(questions.configurations, k, row), row,
               &motions[k]);
    }
    return {asker, motions};
  }
  SweepOptions Options() const {
    return {.ignore_initial_contact = questions.ignore_initial_contact};
  }

  SweepAnswer Ask(std::uint32_t row, std::uint32_t i) const {
    const MovingAsker moving = AskerOf(row);
    SweepAnswer answer = Sweep(moving, Options(), &tools.room.scratch);
    const auto sweep_all = [&](const auto& sink) {
      return SweepAll(moving, Options(), sink, &tools.room.scratch);
    };
    ListAll<PairSweep>(sweep_all, PairListOf(columns, questions, i), *tools.budget, &answer);
    return answer;
  }

  RowSummary Put(const SweepAnswer& answer, std::uint32_t i) const {
    return PutSweep(columns, i, answer);
  }

  SceneFinding Find(std::uint32_t row, const SweepAnswer& answer, PairTurn turn) const {
    const MovingAsker moving = AskerOf(row);
    SceneFinding finding = tools.FindingOf(questions.configurations.asked, moving.asker);
    finding.kind = QueryKind::kMotion;
    finding.options = Options();
    finding.motions = moving.motions;
    finding.look = FindContradiction(AskedSweep{moving, Options()}, answer, turn);
    return finding;
  }

  void PutNotReached(std::uint32_t /*i*/) const {}
};

// The point of a ray as a body, whose box and margin matter as its own would.
RigidBodyPtr PointBody() {
  static const RigidBodyPtr kPoint = MakeBody(std::get<ConvexShapePtr>(MakePoint(0)));
  return kPoint;
}

struct RayCastKind {
  static constexpr int kRefused = kMotionStateRefused;
  static constexpr int kUndecided = static_cast<int>(MotionState::kUndecided);

  const RayQuestions& questions;
  const SweepColumns& columns;
  const RowTools& tools;

  using Answer = SweepAnswer;

  Ray RayOf(std::uint32_t row) const {
    return {.origin = VectorAt(questions.origins, row),
            .displacement = VectorAt(questions.displacements, row),
            .radius = *questions.radii.at(row),
            .bits = {*questions.groups.at(row), *questions.masks.at(row)},
            .budget = tools.budget};
  }

  SweepAnswer Ask(std::uint32_t row, std::uint32_t i) const {
    const Scene& scene = *questions.asked.scene;
    const Ray ray = RayOf(row);
    SweepAnswer answer = CastRay(scene, ray, questions.kind, &tools.room.scratch);
    const auto cast_all = [&](const auto& sink) {
      return CastRayAll(scene, ray, sink, &tools.room.scratch);
    };
    ListAll<PairSweep>(cast_all, PairListOf(columns, questions, i), *tools.budget, &answer);
    return answer;
  }

  RowSummary Put(const SweepAnswer& answer, std::uint32_t i) const {
    return PutSweep(columns, i, answer);
  }

  SceneFinding Find(std::uint32_t row, const SweepAnswer& answer, PairTurn turn) const {
    const Ray ray = RayOf(row);
    const SceneBody body = {0, PointBody(), {ray.origin, {}}, ray.bits, 0};
    const Motion motion = {.displacement = ray.displacement, .rotation = {}, .pivot = ray.origin};
    const MovingAsker moving = {{.scene = *questions.asked.scene,
                                 .bodies = absl::MakeConstSpan(&body, 1),
                                 .among = Asker::Among::kScene,
                                 .budget = tools.budget},
                                absl::MakeConstSpan(&motion, 1)};
    SceneFinding finding;
    finding.scene = questions.asked.name;
    finding.revision = questions.asked.revision;
    finding.kind = QueryKind::kRay;
    finding.options = AskedRay{ray, questions.kind};
    finding.look = FindContradiction(
        AskedSweep{moving, {}, ray.radius, questions.kind == RayKind::kAny}, answer, turn);
    return finding;
  }

  void PutNotReached(std::uint32_t /*i*/) const {}
};

}  // namespace

std::uint32_t AnswerRows(const MotionQuestions& questions, const Work& work,
                         const SweepColumns& columns) {
  return AnswerSceneRows<MotionKind>(questions, work, columns);
}

std::uint32_t AnswerRows(const RayQuestions& questions, const Work& work,
                         const SweepColumns& columns) {
  return AnswerSceneRows<RayCastKind>(questions, work, columns);
}

}  // namespace clearance::server
