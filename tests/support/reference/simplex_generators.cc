// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference/simplex_generators.h"

#include <cmath>

namespace clearance::reference {
namespace {

using testing::Random;
using Maker = PointSimplex (*)(Random&);

PointSimplex InCube(Random& random, int size) {
  PointSimplex s;
  s.size = size;
  for (int i = 0; i < size; ++i) s.point[i] = random.InCube(1);
  return s;
}

void Shift(const Vec3d& by, PointSimplex* s) {
  for (int i = 0; i < s->size; ++i) s->point[i] = s->point[i] + by;
}

PointSimplex General(Random& random) { return InCube(random, 2 + random.Below(3)); }

PointSimplex WellShaped(Random& random) {
  PointSimplex s = {4, {{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}}};
  for (Vec3d& p : s.point) p = p + random.InCube(0.2);
  Shift(random.InCube(2), &s);
  return s;
}

// The simplex moved so that a random point of it, on as few vertices as it pleases, is `gap` from
// the origin.
PointSimplex NearFeature(Random& random) {
  PointSimplex s = InCube(random, 2 + random.Below(3));
  std::array<double, 4> share{};
  for (double& x : share) x = random.OneIn(2) ? random.Uniform(0.1, 1) : 0;
  share[0] += 0.1;
  const NearestPoint inner = Combine(s, (1U << s.size) - 1, share);
  const double gap = random.OneIn(4) ? 0 : random.LogUniform(1e-15, 1e-3);
  Shift(gap * random.Direction() - inner.v, &s);
  return s;
}

// Squeezes a simplex along a random axis, anywhere near the origin.
PointSimplex Squeezed(PointSimplex s, double factor, Random& random) {
  const Vec3d n = random.Direction();
  for (int i = 0; i < s.size; ++i) {
    s.point[i] = s.point[i] - ((1 - factor) * Dot(n, s.point[i])) * n;
  }
  Shift(random.OneIn(2) ? random.InCube(1) : random.LogUniform(1e-9, 1) * n, &s);
  return s;
}

PointSimplex Sliver(Random& random) {
  return Squeezed(InCube(random, 3 + random.Below(2)), random.LogUniform(1e-12, 1e-3), random);
}

PointSimplex Needle(Random& random) {
  PointSimplex s = InCube(random, 3 + random.Below(2));
  const Vec3d along = random.Direction();
  const double width = random.LogUniform(1e-9, 1e-3);
  for (int i = 0; i < s.size; ++i) {
    const Vec3d axial = Dot(along, s.point[i]) * along;
    s.point[i] = axial + width * (s.point[i] - axial);
  }
  Shift(random.OneIn(2) ? random.InCube(1) : Vec3d{}, &s);
  return s;
}

PointSimplex FarAway(Random& random) {
  PointSimplex s = InCube(random, 2 + random.Below(3));
  const double size = random.LogUniform(1e-6, 1e-1);
  for (Vec3d& p : s.point) p = size * p;
  Shift(random.Direction(), &s);
  return s;
}

PointSimplex SizeRatio(Random& random) {
  const Vec3d base = random.InCube(1);
  const Vec3d large = random.InCube(1);
  const Vec3d small = 1e-6 * random.InCube(1);
  const Vec3d fourth = random.OneIn(2) ? base + small : base + large + 1e-6 * random.InCube(1);
  PointSimplex s = {4, {{base, base + large, base + large + small, fourth}}};
  if (random.OneIn(2)) Shift(-base - 0.5 * large + random.LogUniform(1e-9, 1) * small, &s);
  return s;
}

double Nudged(double x, Random& random) { return random.OneIn(2) ? x : std::nextafter(x, 2.0); }

PointSimplex Repeated(Random& random) {
  PointSimplex s = InCube(random, 2 + random.Below(3));
  const Vec3d p = s.point[0];
  const int last = s.size - 1;
  s.point[last] =
      random.OneIn(2) ? p : Vec3d{Nudged(p.x, random), Nudged(p.y, random), Nudged(p.z, random)};
  if (s.size == 4 && random.OneIn(2)) s.point[2] = s.point[1];
  return s;
}

PointSimplex Lattice(Random& random) {
  PointSimplex s;
  s.size = 1 + random.Below(4);
  const auto any = [&] { return 1.0 * (random.Below(13) - 6); };
  for (int i = 0; i < s.size; ++i) {
    s.point[i] = {any(), any(), random.OneIn(3) ? 0.0 : any()};
    if (i > 1 && random.OneIn(4)) s.point[i] = s.point[1] + s.point[1] - s.point[0];
  }
  return s;
}

struct Entry {
  const char* name;
  Maker make;
};

constexpr std::array<Entry, kSimplexKindCount> kKinds = {{
    {"general", General},
    {"well_shaped", WellShaped},
    {"near_feature", NearFeature},
    {"sliver", Sliver},
    {"needle", Needle},
    {"far_away", FarAway},
    {"size_ratio", SizeRatio},
    {"repeated", Repeated},
    {"lattice", Lattice},
}};

}  // namespace

const char* Name(SimplexKind kind) { return kKinds[static_cast<std::size_t>(kind)].name; }

PointSimplex Generate(SimplexKind kind, Random& random) {
  return kKinds[static_cast<std::size_t>(kind)].make(random);
}

}  // namespace clearance::reference
