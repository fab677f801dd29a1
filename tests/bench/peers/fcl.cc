// SPDX-License-Identifier: Apache-2.0
//
// FCL with either of its two solvers: the one on top of libccd's simplexes (which climbs hulls of
// more than 32 vertices) and its own ("indep", which scans). Either way it collides two boxes by
// separating axes instead, which is much faster; of their depth it prefers faces to edges, so that
// it is not always the least.

#include <cmath>
#include <exception>
#include <limits>

#include "fcl/geometry/shape/box.h"
#include "fcl/narrowphase/collision.h"
#include "fcl/narrowphase/continuous_collision.h"
#include "fcl/narrowphase/distance.h"
#include "tests/bench/peers/fcl_types.h"
#include "tests/bench/peers/peer.h"

namespace clearance::bench {
namespace {

using Shape = fcl::CollisionGeometry<double>;
using Transform = fcl::Transform3<double>;
using fcl::Vector3;

constexpr double kFailed = std::numeric_limits<double>::quiet_NaN();

std::unique_ptr<Shape> MakeShape(const Pool& pool, std::size_t i) {
  std::unique_ptr<Shape> shape;
  if (IsOfBoxes(pool)) {
    shape = std::make_unique<fcl::Box<double>>(2 * ToFcl(HalfExtentsOf(pool, i)));
  } else {
    shape = ToFclHull(VerticesOf(pool, i), pool.shapes[i]->faces());
  }
  shape->computeLocalAABB();
  return shape;
}

struct Placed {
  const Shape* a;
  const Shape* b;
  Transform X_WA, X_WB;
  Transform X_WA_end;
};

class Fcl final : public Peer {
 public:
  explicit Fcl(FclSolver solver)
      : Peer({.name = solver == FclSolver::kLibccd ? "fcl-libccd" : "fcl-indep",
              .note = std::string("FCL 0.7, double, ") +
                      (solver == FclSolver::kLibccd ? "GST_LIBCCD" : "GST_INDEP") +
                      ": distance, collide, continuousCollide by conservative advancement"}),
        solver_(ToFcl(solver)) {}

  bool Answers(Kind /*kind*/) const override { return true; }

  void Load(const Pool& pool) override {
    shapes_.clear();
    for (std::size_t i = 0; i < pool.shapes.size(); ++i) shapes_.push_back(MakeShape(pool, i));
  }

  void Prepare(const Questions& questions) override {
    kind_ = questions.kind;
    guesses_.resize(questions.tracks);
    placed_.clear();
    for (std::size_t i = 0; i < questions.pairs.size(); ++i) {
      const Pair& pair = questions.pairs[i];
      Pose end = pair.X_WA;
      end.p_WS = end.p_WS + questions.approaches[i].displacement;
      placed_.push_back({shapes_[pair.a].get(), shapes_[pair.b].get(), ToFcl(pair.X_WA),
                         ToFcl(pair.X_WB), ToFcl(end)});
    }
  }

  void Answer(std::vector<double>* answers) override {
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      try {
        (*answers)[i] = Ask(i);
      } catch (const std::exception&) {
        (*answers)[i] = kFailed;
      }
    }
  }

 private:
  double Ask(std::size_t i) {
    switch (kind_) {
      case Kind::kDistance:
        return AskDistance(placed_[i], false);
      case Kind::kWarmDistance:
        return solver_ == fcl::GST_INDEP ? AskWarmDistance(i) : AskDistance(placed_[i], false);
      case Kind::kIntersection:
        return AskIntersection(placed_[i]);
      case Kind::kDepth:
        return solver_ == fcl::GST_INDEP ? AskContactDepth(placed_[i])
                                         : AskDistance(placed_[i], true);
      case Kind::kTimeOfCollision:
        return AskTimeOfCollision(placed_[i]);
    }
    return kFailed;
  }

  double AskDistance(const Placed& placed, bool is_signed) const {
    fcl::DistanceRequest<double> request;
    request.enable_signed_distance = is_signed;
    request.gjk_solver_type = solver_;
    fcl::DistanceResult<double> result;
    fcl::distance(placed.a, placed.X_WA, placed.b, placed.X_WB, request, result);
    return result.min_distance;
  }

  // Only its own solver can be given a guess.
  double AskWarmDistance(std::size_t i) {
    fcl::detail::GJKSolver_indep<double> solver;
    const std::size_t track = i % guesses_.size();
    if (i >= guesses_.size()) solver.cached_guess = guesses_[track];
    solver.enable_cached_guess = true;
    fcl::DistanceRequest<double> request;
    solver.gjk_tolerance = request.distance_tolerance;
    fcl::DistanceResult<double> result;
    const Placed& placed = placed_[i];
    fcl::distance(placed.a, placed.X_WA, placed.b, placed.X_WB, &solver, request, result);
    guesses_[track] = solver.cached_guess;
    return result.min_distance;
  }

  double AskIntersection(const Placed& placed) const {
    fcl::CollisionRequest<double> request;
    request.gjk_solver_type = solver_;
    fcl::CollisionResult<double> result;
    fcl::collide(placed.a, placed.X_WA, placed.b, placed.X_WB, request, result);
    return result.isCollision() ? 1 : 0;
  }

  // For FCL's own solver, whose depths of hulls are negative: distance() asserts that they are not.
  double AskContactDepth(const Placed& placed) const {
    fcl::CollisionRequest<double> request;
    request.enable_contact = true;
    request.gjk_solver_type = solver_;
    fcl::CollisionResult<double> result;
    fcl::collide(placed.a, placed.X_WA, placed.b, placed.X_WB, request, result);
    return result.isCollision() ? -std::fabs(result.getContact(0).penetration_depth) : kFailed;
  }

  double AskTimeOfCollision(const Placed& placed) const {
    fcl::ContinuousCollisionRequest<double> request;
    request.ccd_motion_type = fcl::CCDM_TRANS;
    request.gjk_solver_type = solver_;
    request.ccd_solver_type = fcl::CCDC_CONSERVATIVE_ADVANCEMENT;
    fcl::ContinuousCollisionResult<double> result;
    fcl::continuousCollide(placed.a, placed.X_WA, placed.X_WA_end, placed.b, placed.X_WB,
                           placed.X_WB, request, result);
    return result.is_collide ? result.time_of_contact : kNoHit;
  }

  fcl::GJKSolverType solver_;
  Kind kind_ = Kind::kDistance;
  std::vector<std::unique_ptr<Shape>> shapes_;
  std::vector<Placed> placed_;
  std::vector<Vector3<double>> guesses_;  // of each track
};

}  // namespace

std::unique_ptr<Peer> MakeFcl(FclSolver solver) { return std::make_unique<Fcl>(solver); }

}  // namespace clearance::bench
