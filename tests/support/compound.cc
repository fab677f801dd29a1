// SPDX-License-Identifier: Apache-2.0
#include "tests/support/compound.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <variant>

#include "tests/support/exact_motion.h"
#include "tests/support/generators.h"
#include "tests/support/test_shape.h"

namespace clearance::testing {
namespace {

Body BoxAt(const Vec3d& half_extents, const Pose& local) {
  Body box = MakeBoxBody(half_extents);
  box.pose = local;
  return box;
}

std::vector<Body> Scattered(int count, Random& random) {
  std::vector<Body> pieces;
  for (int i = 0; i < count; ++i) {
    Body piece = RandomHull(random, 4 + random.Below(4), random.LogUniform(0.05, 0.6));
    if (random.OneIn(4)) piece.radius = random.Uniform(0, 0.2);
    piece.pose = {random.InCube(1.5), random.Rotation()};
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

std::vector<Body> Elbow(Random& random) {
  const double arm = random.Uniform(0.4, 1), width = random.Uniform(0.05, 0.3);
  return {BoxAt({arm, width, width}, {{arm, 0, 0}, {}}),
          BoxAt({width, arm, width}, {{0, arm, 0}, {}})};
}

std::vector<Body> Cup(Random& random) {
  const double half = random.Uniform(0.3, 0.8), wall = 0.1, height = random.Uniform(0.2, 1);
  return {BoxAt({half, wall, half}, {{0, -wall, 0}, {}}),
          BoxAt({wall, height, half}, {{half, height, 0}, {}}),
          BoxAt({wall, height, half}, {{-half, height, 0}, {}})};
}

std::vector<Body> Ring(int count, Random& random) {
  std::vector<Body> pieces;
  const double radius = random.Uniform(0.8, 1.5);
  for (int i = 0; i < count; ++i) {
    const double angle = 2 * M_PI * i / count;
    const double half = radius * std::tan(M_PI / count);
    pieces.push_back(
        BoxAt({0.15, half, 0.15}, {{radius * std::cos(angle), radius * std::sin(angle), 0},
                                   {0, 0, std::sin(angle / 2), std::cos(angle / 2)}}));
  }
  return pieces;
}

double Integer(int low, int high, Random& random) { return low + random.Below(high - low + 1); }

Vec3d LatticePoint(int reach, Random& random) {
  return {Integer(-reach, reach, random), Integer(-reach, reach, random),
          Integer(-reach, reach, random)};
}

std::vector<Body> Lattice(int count, Random& random) {
  std::vector<Body> pieces;
  for (int i = 0; i < count; ++i) {
    Body piece = MakeBoxBody({Integer(1, 2, random), 1, 1});
    if (random.OneIn(2)) {
      piece.kind = BodyKind::kHull;
      piece.points = {{0, 0, 2}, {1, 1, 0}, {-1, 1, 0}, {-1, -1, 0}, {1, -1, 0}};
    }
    piece.pose = {LatticePoint(3, random), ExactTurn(random)};
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

std::vector<Body> Chain(int count, Random& random) {
  std::vector<Body> pieces;
  const Vec3d step = random.Uniform(0.1, 0.3) * random.Direction();
  for (int i = 0; i < count; ++i) {
    Body piece = RandomHull(random, 5, 0.3);
    piece.pose = {(i - 0.5 * count) * step, random.Rotation()};
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace

RigidBodyPtr MakeRigidBody(const Compound& compound) {
  std::vector<Piece> pieces;
  for (const Body& piece : compound.pieces) pieces.push_back({MakeShape(piece), piece.pose});
  BodyOrError made = MakeCompound(std::move(pieces));
  if (const auto* error = std::get_if<ShapeError>(&made)) {
    std::fprintf(stderr, "a generated compound was refused: %s\n", error->message.c_str());
    std::abort();
  }
  return std::get<RigidBodyPtr>(made);
}

Quaternion ExactTurn(Random& random) {
  if (random.OneIn(2)) return {};
  const double half[] = {0.5 * random.Sign(), 0.5 * random.Sign(), 0.5 * random.Sign()};
  return {half[0], half[1], half[2], 0.5};
}

Compound RandomCompound(CompoundFamily family, int max_pieces, Random& random) {
  const int count = 2 + random.Below(max_pieces - 1);
  switch (family) {
    case CompoundFamily::kScattered:
      return {Scattered(count, random), {}};
    case CompoundFamily::kElbows:
      return {Elbow(random), {}};
    case CompoundFamily::kCups:
      return {Cup(random), {}};
    case CompoundFamily::kRings:
      return {Ring(max_pieces, random), {}};
    case CompoundFamily::kLattice:
      return {Lattice(count, random), {}};
    case CompoundFamily::kChains:
      return {Chain(count, random), {}};
  }
  return {};
}

CompoundPair RandomCompoundPair(CompoundFamily family, int max_pieces, Random& random) {
  CompoundPair pair = {RandomCompound(family, max_pieces, random),
                       RandomCompound(family, max_pieces, random)};
  if (family == CompoundFamily::kLattice) {
    pair.b.pose = {LatticePoint(6, random), ExactTurn(random)};
    return pair;
  }
  const Vec3d place = random.OneIn(8) ? 1e6 * random.Direction() : random.InCube(1);
  pair.a.pose = {place, random.Rotation()};
  pair.b.pose = {place + random.LogUniform(0.1, 6) * random.Direction(), random.Rotation()};
  return pair;
}

ExactDistance PieceDistance(const Body& piece_a, const ExactPlacement& X_WA, const Body& piece_b,
                            const ExactPlacement& X_WB) {
  return ComputeExactDistance(MakeExactPair({piece_a, piece_b}, Compose(X_WA, Place(piece_a.pose)),
                                            Compose(X_WB, Place(piece_b.pose))));
}

ExactPlacement PlacementAt(const Compound& compound, const Motion& motion, double t) {
  Body frame = MakePointBody(0);
  frame.pose = compound.pose;
  return PlacementAt({frame, motion}, t);
}

std::string Describe(const CompoundPair& pair) {
  std::string text;
  for (const Compound* compound : {&pair.a, &pair.b}) {
    text += compound == &pair.a ? "A:\n" : "B:\n";
    for (const Body& piece : compound->pieces) text += Describe(piece) + "\n";
    Body frame = MakePointBody(0);
    frame.pose = compound->pose;
    text += "at " + Describe(frame) + "\n";
  }
  return text;
}

}  // namespace clearance::testing
