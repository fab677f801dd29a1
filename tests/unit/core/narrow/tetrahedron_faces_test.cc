// SPDX-License-Identifier: Apache-2.0
//
// Faces side by side have the bits of those one by one, written here as their header says.

#include "core/narrow/tetrahedron_faces.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "hwy/targets.h"
#include "tests/support/random.h"

namespace clearance {
namespace {

using testing::Effort;
using testing::Random;
using testing::RunSeed;
using Corners = std::array<Vec3d, 4>;

struct Face {
  double height = HUGE_VAL;
  Vec3d n;
};

// Seen from one side, if no other corner is above it.
Face SeenAlone(const Corners& corner, const std::array<int, 4>& face, double side,
               const FaceLimits& limits) {
  const Vec3d& p = corner[face[0]];
  const Vec3d n = side * Cross(corner[face[1]] - p, corner[face[2]] - p);
  const double area = Norm(n);
  if (!(area > limits.least_area) || Dot(corner[face[3]] - p, n) > limits.cube_error) return {};
  return {(Dot(p, n) - limits.cube_error) / area, n};
}

struct Tally {
  int faces = 0, none = 0, both = 0;
};

void ExpectAsAlone(const Corners& corner, const FaceLimits& limits, Tally* tally) {
  constexpr std::array<std::array<int, 4>, 4> kFaces = {
      {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}}};
  const TetrahedronFaces faces =
      MeasureFaces({&corner[0], &corner[1], &corner[2], &corner[3]}, limits);
  for (int i = 0; i < TetrahedronFaces::kCount; ++i) {
    const Face front = SeenAlone(corner, kFaces[i], 1, limits);
    const Face back = SeenAlone(corner, kFaces[i], -1, limits);
    const Face& alone = back.height < front.height ? back : front;
    ++tally->faces;
    tally->none += std::isinf(alone.height) ? 1 : 0;
    tally->both += std::isfinite(front.height) && std::isfinite(back.height) ? 1 : 0;
    EXPECT_EQ(faces.height.of[i], alone.height);
    if (std::isinf(alone.height)) continue;
    EXPECT_EQ((Vec3d{faces.n[0].of[i], faces.n[1].of[i], faces.n[2].of[i]}), alone.n);
  }
}

TEST(TetrahedronFaces, HaveTheBitsOfFacesOneByOneOnEveryVectorUnit) {
  Random random(RunSeed());
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    Tally tally;
    for (int i = 0; i < Effort(1000); ++i) {
      Corners corner;
      for (Vec3d& point : corner) point = random.InCube(1);
      // Some are flat, to the limits given.
      if (random.OneIn(4)) corner[3] = corner[0] + random.Uniform(0, 1) * (corner[2] - corner[1]);
      ExpectAsAlone(corner, {random.Uniform(0, 0.5), random.OneIn(2) ? 0.05 : 1e-15}, &tally);
    }
    EXPECT_GT(tally.none, tally.faces / 50);
    EXPECT_GT(tally.both, tally.faces / 50);
    EXPECT_LT(tally.none + tally.both, tally.faces);
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace
}  // namespace clearance
