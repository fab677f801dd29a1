// SPDX-License-Identifier: Apache-2.0

#include <variant>

#include "absl/strings/str_format.h"
#include "core/shape/make_shape.h"
#include "server/kinds/kinds.h"
#include "server/kinds/scene_row_loop.h"

namespace clearance::server {
namespace {

// The point of a ray as a body, whose box and margin matter as its own would.
RigidBodyPtr PointBody() {
  static const RigidBodyPtr kPoint = MakeBody(std::get<ConvexShapePtr>(MakePoint(0)));
  return kPoint;
}

struct RayRows : SceneRows<RayQuestions> {
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
    const auto kind = questions.any ? clearance::RayKind::kAny : clearance::RayKind::kClosest;
    SweepAnswer answer = CastRay(scene, ray, kind, &tools.room.scratch);
    const auto cast_all = [&](const auto& sink) {
      return CastRayAll(scene, ray, sink, &tools.room.scratch);
    };
    ListAll<PairSweep>(cast_all, {columns.listed, i, questions.max_pairs}, *tools.budget, &answer);
    return answer;
  }

  RowSummary Put(const SweepAnswer& answer, std::uint32_t i) const {
    return PutSweep(columns, i, answer);
  }

  SceneFinding Find(std::uint32_t row, const SweepAnswer& answer, PairTurn turn) const {
    const Ray ray = RayOf(row);
    const SceneBody body = {0, PointBody(), {ray.origin, {}}, ray.bits, 0};
    const Motion motion = {.displacement = ray.displacement, .rotation = {}, .pivot = ray.origin};
    const MovingSceneQuery moving = {{.scene = *questions.asked.scene,
                                      .bodies = absl::MakeConstSpan(&body, 1),
                                      .pair_scope = SceneQuery::PairScope::kScene,
                                      .budget = tools.budget},
                                     absl::MakeConstSpan(&motion, 1)};
    return {
        .look = FindContradiction(AskedSweep{moving, {}, ray.radius, questions.any}, answer, turn),
        .question =
            absl::StrFormat("ray any %d origin %s displacement %s radius %a group %d mask %d",
                            questions.any, ExactText(ray.origin), ExactText(ray.displacement),
                            ray.radius, ray.bits.group, ray.bits.mask)};
  }
};

MaybeFault CheckRay(const RowCheck& check, const RayQuestions& questions) {
  if (MaybeFault fault = CheckFinite(check, questions.origins)) return fault;
  if (MaybeFault fault = CheckFinite(check, questions.displacements)) return fault;
  if (MaybeFault fault = CheckMargin(check, questions.radii)) return fault;
  const double radius = *questions.radii.at(check.row);
  const Vec3d origin = VectorAt(questions.origins, check.row);
  const Motion motion = {.displacement = VectorAt(questions.displacements, check.row),
                         .rotation = {},
                         .pivot = origin};
  if (IsMotionRepresentable(radius, {origin, {}}, motion)) return std::nullopt;
  return check.Because(Fault::kMotionNotRepresentable, questions.displacements,
                       *questions.displacements.at(check.row));
}

}  // namespace

void ReadQuestions(const v1::RayBatch& batch, ColumnReader* reader, RayQuestions* questions) {
  questions->origins = reader->Read(batch.origins(), question::origins, kNowhere.data());
  questions->displacements =
      reader->Read(batch.displacements(), question::displacements, kNowhere.data());
  questions->radii = reader->Read(batch.radii(), question::radii, &kNoMargin);
  questions->any = batch.any();
}

std::vector<RowFault> FindFaults(const RayQuestions& questions, const ShapeTable& /*table*/) {
  return FindFaultsOf(questions.count,
                      [&](const RowCheck& check) { return CheckRay(check, questions); });
}

std::uint32_t AnswerRows(const RayQuestions& questions, const Work& work, const Columns& columns) {
  return AnswerSceneRows<RayRows>(questions, work, columns);
}

}  // namespace clearance::server
