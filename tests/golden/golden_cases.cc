// SPDX-License-Identifier: Apache-2.0

#include "tests/golden/golden_cases.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <utility>
#include <variant>

#include "core/query/distance.h"
#include "core/query/intersection.h"
#include "core/query/time_of_collision.h"
#include "core/shape/make_shape.h"
#include "tests/golden/digest.h"

namespace clearance::golden {
namespace {

ConvexShapePtr Made(ShapeOrError made) {
  if (auto* shape = std::get_if<ConvexShapePtr>(&made)) return *shape;
  std::fprintf(stderr, "golden: %s\n", std::get<ShapeError>(made).message.c_str());
  std::exit(2);
}

double Length(Bits& bits) { return 0.25 + std::abs(bits.Signed()); }

// Points on a ball, so that all are vertices.
std::vector<double> PointsOnBall(Bits& bits, int count) {
  std::vector<double> xyz;
  while (static_cast<int>(xyz.size()) < 3 * count) {
    const Vec3d p = {bits.Signed(), bits.Signed(), bits.Signed()};
    const double length = std::sqrt(NormSquared(p));
    if (length < 0.25) continue;
    for (const double x : {p.x, p.y, p.z}) xyz.push_back(x / length);
  }
  return xyz;
}

// Points of a lattice: faces with many corners, interior and equal points.
std::vector<double> LatticePoints(Bits& bits, int count) {
  std::vector<double> xyz;
  for (int i = 0; i < 3 * count; ++i) xyz.push_back(0.25 * (bits.Below(9) - 4.0));
  return xyz;
}

struct Case {
  const ConvexShape& a;
  const ConvexShape& b;
  Pose X_WA;
  Pose X_WB;
};

Case AnyCase(const std::vector<ConvexShapePtr>& pool, Bits& bits) {
  const auto size = static_cast<std::uint32_t>(pool.size());
  Case c{*pool[bits.Below(size)], *pool[bits.Below(size)], {}, {}};
  if (bits.Below(4) != 0) c.X_WA.q_WS = AnyRotation(bits);
  if (bits.Below(4) != 0) c.X_WB.q_WS = AnyRotation(bits);
  const double apart = bits.Below(2) == 0 ? 1 : 4;
  c.X_WB.p_WS = apart * Vec3d{bits.Signed(), bits.Signed(), bits.Signed()};
  if (bits.Below(8) == 0) c.X_WB.p_WS = {0.25 * (bits.Below(17) - 8.0), 0, 0};
  if (bits.Below(16) == 0) {
    const Vec3d far = {1e8, -3e7, 123456.75};
    c.X_WA.p_WS = c.X_WA.p_WS + far;
    c.X_WB.p_WS = c.X_WB.p_WS + far;
  }
  return c;
}

// Cold, warm from the answer, and warm from any vertex pairs: the digest takes them all.
void AddDistances(const Case& c, Bits& bits, Digest* digest) {
  const PosedShape a = {c.a, c.X_WA}, b = {c.b, c.X_WB};
  DistanceOptions options;
  const DistanceAnswer cold = Distance(a, b, options);
  digest->Add(cold);
  Witness start = cold.witness;
  options.start = &start;
  digest->Add(Distance(a, b, options));
  if (c.a.is_curved() || c.b.is_curved()) return;
  start.size = 3;
  for (int i = 0; i < start.size; ++i) {
    start.vertices_a[i] = bits.Below(c.a.vertex_count());
    start.vertices_b[i] = bits.Below(c.b.vertex_count());
  }
  digest->Add(Distance(a, b, options));
}

// The same questions asked together.
void AddTogether(const std::deque<Case>& cases, Digest* digest) {
  std::vector<DistanceQuestion> questions;
  for (const Case& c : cases) questions.push_back({{c.a, c.X_WA}, {c.b, c.X_WB}, {}});
  std::vector<DistanceAnswer> answers(questions.size());
  Distances(questions, absl::MakeSpan(answers));
  for (const DistanceAnswer& answer : answers) digest->Add(answer);
}

void AddIntersection(const Case& c, Digest* digest) {
  const IntersectionAnswer answer = Intersection({c.a, c.X_WA}, {c.b, c.X_WB});
  digest->Add(std::uint64_t{static_cast<std::uint8_t>(answer.state)});
}

// Two bodies in motion, and how they meet.
struct Meeting {
  Meeting(const Case& of, Bits& bits) : c(of) {
    approach = {c.X_WB.p_WS - c.X_WA.p_WS, {}, c.X_WA.p_WS};
    turn = {{}, {}, c.X_WB.p_WS};
    if (bits.Below(2) == 0) {
      approach.rotation = 3.0 * Vec3d{bits.Signed(), bits.Signed(), bits.Signed()};
      turn.rotation = 20.0 * Vec3d{bits.Signed(), bits.Signed(), bits.Signed()};
    }
    options.ignore_initial_contact = bits.Below(2) == 0;
    alone = TimeOfCollision({c.a, c.X_WA, approach}, {c.b, c.X_WB, turn}, options);
  }

  TimeOfCollisionQuestion Question() const {
    return {{c.a, c.X_WA, approach}, {c.b, c.X_WB, turn}, options};
  }

  const Case c;
  Motion approach, turn;
  MotionOptions options;
  TimeOfCollisionAnswer alone;
};

// What is asked together has the bits of what was asked alone: nothing is added then.
void AddDifferences(const std::deque<Meeting>& meetings, Digest* digest) {
  std::vector<TimeOfCollisionQuestion> questions;
  for (const Meeting& meeting : meetings) questions.push_back(meeting.Question());
  std::vector<TimeOfCollisionAnswer> answers(questions.size());
  TimesOfCollision(questions, absl::MakeSpan(answers));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    Digest together, alone;
    together.Add(answers[i]);
    alone.Add(meetings[i].alone);
    if (together.value() != alone.value()) digest->Add(together.value());
  }
}

}  // namespace

std::uint64_t Bits::Next() {
  state_ += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state_;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
  z = (z ^ z >> 27) * 0x94d049bb133111ebU;
  return z ^ z >> 31;
}

std::uint32_t Bits::Below(std::uint32_t bound) {
  return static_cast<std::uint32_t>((Next() >> 32) * bound >> 32);
}

double Bits::Signed() {
  constexpr double kHalf = 549755813888;  // 2^39
  return static_cast<double>(Next() >> 24) / kHalf - 1;
}

Quaternion AnyRotation(Bits& bits) {
  const Quaternion q = {bits.Signed(), bits.Signed(), bits.Signed(), 1};
  const double length = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return {q.x / length, q.y / length, q.z / length, q.w / length};
}

std::vector<ConvexShapePtr> MakePool() {
  Bits bits(1);
  std::vector<ConvexShapePtr> pool;
  for (const double radius : {0.0, 0.125}) {
    for (const int count : {1, 2, 3, 4, 6, 9, 20, 31, 60, 200}) {
      pool.push_back(Made(MakeHull(PointsOnBall(bits, count), radius)));
      pool.push_back(Made(MakeHull(LatticePoints(bits, count), radius)));
    }
    pool.push_back(Made(MakePolygon(std::vector<double>{0, 0, 1, 0, 1.5, 1, 0, 1}, radius)));
    for (int i = 0; i < 4; ++i) {
      const Vec3d size = {Length(bits), Length(bits), Length(bits)};
      pool.push_back(Made(MakeCapsule(size.x, size.y, radius)));
      pool.push_back(Made(MakeBox(size, radius)));
      pool.push_back(Made(MakeBox({0.5, 0.5, 0.5}, radius)));
      pool.push_back(Made(MakeCylinder(size.x, size.y, radius)));
      pool.push_back(Made(MakeCone(size.y, size.z, radius)));
      pool.push_back(Made(MakeEllipsoid(size, radius)));
    }
  }
  return pool;
}

std::uint64_t BlockDigest(const std::vector<ConvexShapePtr>& pool, std::uint32_t block) {
  Digest digest;
  std::deque<Case> distances;
  std::deque<Meeting> meetings;
  for (std::uint32_t i = 0; i < kBlockSize; ++i) {
    Bits bits(std::uint64_t{block} * kBlockSize + i);
    const Case c = AnyCase(pool, bits);
    const std::uint32_t kind = i % 16;
    if (kind == 0) {
      digest.Add(meetings.emplace_back(c, bits).alone);
    } else if (kind < 4) {
      AddIntersection(c, &digest);
    } else {
      AddDistances(c, bits, &digest);
      distances.push_back(c);
    }
  }
  AddTogether(distances, &digest);
  AddDifferences(meetings, &digest);
  return digest.value();
}

}  // namespace clearance::golden
