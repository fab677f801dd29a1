// SPDX-License-Identifier: Apache-2.0
//
// Bullet as Debian builds it in double precision. Its hulls are scanned, its boxes are boxes; all
// margins are 0, so that it answers about the very same bodies.

#include <cmath>
#include <limits>

#include "BulletCollision/CollisionShapes/btBoxShape.h"
#include "BulletCollision/NarrowPhaseCollision/btGjkEpa2.h"
#include "BulletCollision/NarrowPhaseCollision/btSubSimplexConvexCast.h"
#include "BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h"
#include "tests/bench/peers/bullet_types.h"
#include "tests/bench/peers/peer.h"

namespace clearance::bench {
namespace {

constexpr double kFailed = std::numeric_limits<double>::quiet_NaN();

std::unique_ptr<btConvexShape> MakeShape(const Pool& pool, std::size_t i) {
  if (IsOfBoxes(pool)) {
    auto box = std::make_unique<btBoxShape>(ToBullet(HalfExtentsOf(pool, i)));
    box->setMargin(0);
    return box;
  }
  return ToBulletHull(VerticesOf(pool, i));
}

struct Placed {
  const btConvexShape* a;
  const btConvexShape* b;
  btTransform X_WA, X_WB;
  btTransform X_WA_end;
};

// In A's frame, as btGjkEpaSolver2 wants its guesses: from B's origin to A's.
btVector3 GuessOf(const Placed& placed) {
  return (placed.X_WA.getOrigin() - placed.X_WB.getOrigin()) * placed.X_WA.getBasis();
}

double AskDistance(const Placed& placed, const btVector3& guess,
                   btGjkEpaSolver2::sResults* results) {
  const bool is_apart =
      btGjkEpaSolver2::Distance(placed.a, placed.X_WA, placed.b, placed.X_WB, guess, *results);
  return is_apart ? results->distance : kFailed;
}

double AskIntersection(const Placed& placed) {
  btGjkEpaSolver2::sResults results;
  if (btGjkEpaSolver2::Distance(placed.a, placed.X_WA, placed.b, placed.X_WB, GuessOf(placed),
                                results)) {
    return 0;
  }
  return results.status == btGjkEpaSolver2::sResults::Penetrating ? 1 : kFailed;
}

// This one wants the guess the other way round.
double AskDepth(const Placed& placed) {
  btGjkEpaSolver2::sResults results;
  const bool is_overlap = btGjkEpaSolver2::Penetration(placed.a, placed.X_WA, placed.b, placed.X_WB,
                                                       -GuessOf(placed), results, false);
  return is_overlap ? results.distance : kFailed;
}

double AskTimeOfCollision(const Placed& placed) {
  btVoronoiSimplexSolver solver;
  btSubsimplexConvexCast cast(placed.a, placed.b, &solver);
  btConvexCast::CastResult result;
  const bool is_hit =
      cast.calcTimeOfImpact(placed.X_WA, placed.X_WA_end, placed.X_WB, placed.X_WB, result);
  return is_hit ? result.m_fraction : kNoHit;
}

class Bullet final : public Peer {
 public:
  Bullet()
      : Peer({.name = "bullet",
              .note =
                  "Bullet 3.24, double: btGjkEpaSolver2, btSubsimplexConvexCast; warm: from the "
                  "last separating vector"}) {}

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
      placed_.push_back({shapes_[pair.a].get(), shapes_[pair.b].get(), ToBullet(pair.X_WA),
                         ToBullet(pair.X_WB), ToBullet(end)});
    }
  }

  void Answer(std::vector<double>* answers) override {
    for (std::size_t i = 0; i < placed_.size(); ++i) (*answers)[i] = Ask(i);
  }

 private:
  double Ask(std::size_t i) {
    const Placed& placed = placed_[i];
    btGjkEpaSolver2::sResults results;
    switch (kind_) {
      case Kind::kDistance:
        return AskDistance(placed, GuessOf(placed), &results);
      case Kind::kWarmDistance: {
        btVector3& guess = guesses_[i % guesses_.size()];
        if (i < guesses_.size()) guess = GuessOf(placed);
        const double distance = AskDistance(placed, guess, &results);
        guess = std::isnan(distance) ? GuessOf(placed) : results.normal;  // set on success only
        return distance;
      }
      case Kind::kIntersection:
        return AskIntersection(placed);
      case Kind::kDepth:
        return AskDepth(placed);
      case Kind::kTimeOfCollision:
        return AskTimeOfCollision(placed);
    }
    return kFailed;
  }

  Kind kind_ = Kind::kDistance;
  std::vector<std::unique_ptr<btConvexShape>> shapes_;
  std::vector<Placed> placed_;
  std::vector<btVector3> guesses_;  // of each track
};

}  // namespace

std::unique_ptr<Peer> MakeBullet() { return std::make_unique<Bullet>(); }

}  // namespace clearance::bench
