// SPDX-License-Identifier: Apache-2.0
#include "tests/support/question_pool.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <variant>

#include "core/shape/make_shape.h"
#include "tests/support/generators.h"
#include "tests/support/test_shape.h"

namespace clearance::testing {
namespace {

constexpr int kPairsPerFamily = 3;
constexpr int kCurvedShapes = 12;

Body Scaled(Body body, int exponent) {
  for (Vec3d& p : body.points) p = Scaled(p, exponent);
  body.radius = std::ldexp(body.radius, exponent);
  return body;
}

double AnyRadius(Random& random) { return random.OneIn(2) ? 0 : random.LogUniform(1e-3, 1); }

ConvexShapePtr CurvedShape(Random& random, int exponent) {
  const auto length = [&] {
    return std::ldexp(random.OneIn(4) ? random.LogUniform(1e-3, 10) : random.Uniform(0.2, 2),
                      exponent);
  };
  const double radius = std::ldexp(AnyRadius(random), exponent);
  const int choice = random.Below(3);
  const Vec3d extents = {length(), length(), length()};
  ShapeOrError made = choice == 0   ? MakeCylinder(extents.x, extents.z, radius)
                      : choice == 1 ? MakeCone(extents.x, extents.z, radius)
                                    : MakeEllipsoid(extents, radius);
  return std::get<ConvexShapePtr>(std::move(made));
}

// Any family but the large hulls.
Body AnyBody(Random& random) {
  Family family = Family::kEllipsoids;
  while (family == Family::kEllipsoids) family = static_cast<Family>(random.Below(kFamilyCount));
  return Generate(family, random).a;
}

std::vector<ConvexShapePtr> Shapes(Random& random, int count, int exponent) {
  std::vector<ConvexShapePtr> shapes;
  for (int i = 0; i < count; ++i) {
    shapes.push_back(MakeShape(Scaled(AnyBody(random), exponent)));
    if (i % 2 == 0) shapes.push_back(CurvedShape(random, exponent));
  }
  return shapes;
}

Vec3d OnLattice(Random& random) {
  return {0.5 * random.Below(9), 0.5 * random.Below(5), 0.5 * random.Below(5)};
}

Quaternion HalfOrNoTurn(Random& random) {
  static constexpr std::array<Quaternion, 4> kTurns = {
      {{0, 0, 0, 1}, {1, 0, 0, 0}, {0, 0, 1, 0}, {0.5, 0.5, 0.5, 0.5}}};
  return kTurns[random.Below(4)];
}

std::string Hex(const char* name, const Pose& pose) {
  char text[320];
  const auto& [p, q] = pose;
  std::snprintf(text, sizeof(text), "  %s p %a %a %a q(xyzw) %a %a %a %a\n", name, p.x, p.y, p.z,
                q.x, q.y, q.z, q.w);
  return text;
}

std::string Hex(const char* name, const Motion& motion) {
  char text[320];
  const auto& [d, w, p] = motion;
  std::snprintf(text, sizeof(text), "  %s displacement %a %a %a rotation %a %a %a pivot %a %a %a\n",
                name, d.x, d.y, d.z, w.x, w.y, w.z, p.x, p.y, p.z);
  return text;
}

std::string Hex(const char* name, const ConvexShape& shape) {
  constexpr VertexIndex kMostVertices = 16;
  char text[320];
  const Vec3d& e = shape.extents();
  const Vec3d c = shape.center();
  std::snprintf(text, sizeof(text),
                "  %s kind %d vertices %u radius %a extents %a %a %a center %a %a %a 2^%d\n", name,
                static_cast<int>(shape.kind()), shape.vertex_count(), shape.radius(), e.x, e.y, e.z,
                c.x, c.y, c.z, shape.exponent());
  std::string result = text;
  for (VertexIndex i = 0; i < std::min(shape.vertex_count(), kMostVertices); ++i) {
    const Vec3d v = shape.vertex(i);
    std::snprintf(text, sizeof(text), "    {%a, %a, %a}\n", v.x, v.y, v.z);
    result += text;
  }
  return result;
}

}  // namespace

const char* Name(Regime regime) {
  static constexpr std::array<const char*, kRegimeCount> kNames = {
      "generated",      "any_pose", "near_contact", "twins",      "aligned",
      "nearly_aligned", "far_away", "scaled",       "size_ratio", "in_body"};
  return kNames[static_cast<std::size_t>(regime)];
}

QuestionPool::QuestionPool(std::uint64_t seed, const PoolScales& scales) : random_(seed) {
  for (int family = 0; family < kFamilyCount; ++family) {
    // Only a few large hulls: building them takes long.
    const bool is_large = static_cast<Family>(family) == Family::kEllipsoids;
    for (int i = is_large ? kPairsPerFamily - 1 : 0; i < kPairsPerFamily; ++i) {
      const BodyPair pair = Generate(static_cast<Family>(family), random_);
      generated_.push_back({MakeShape(pair.a), MakeShape(pair.b), pair.a.pose, pair.b.pose});
      shapes_.push_back(generated_.back().a);
      shapes_.push_back(generated_.back().b);
    }
  }
  for (int i = 0; i < kCurvedShapes; ++i) shapes_.push_back(CurvedShape(random_, 0));
  small_ = Shapes(random_, 6, -20);
  huge_ = Shapes(random_, 6, scales.huge);
  tiny_ = Shapes(random_, 6, scales.tiny);
}

const ConvexShape* QuestionPool::Any(const std::vector<ConvexShapePtr>& shapes) {
  return shapes[random_.Below(static_cast<int>(shapes.size()))].get();
}

Question QuestionPool::Next() { return Next(static_cast<Regime>(random_.Below(kRegimeCount))); }

Question QuestionPool::Next(Regime regime) {
  const ConvexShape* a = Any(shapes_);
  const ConvexShape* b = Any(shapes_);
  switch (regime) {
    case Regime::kGenerated:
      return AnyGenerated();
    case Regime::kTwins:
      return Twins();
    case Regime::kScaled: {
      const std::vector<ConvexShapePtr>& scaled = random_.OneIn(2) ? huge_ : tiny_;
      return Place(regime, Any(scaled), Any(scaled));
    }
    case Regime::kSizeRatio:
      return random_.OneIn(2) ? Place(regime, a, Any(small_)) : Place(regime, Any(small_), b);
    default:
      return Place(regime, a, b);
  }
}

// Both bodies within about their sizes of each other.
Question QuestionPool::Place(Regime regime, const ConvexShape* a, const ConvexShape* b) {
  Question question = {.regime = regime, .shape_a = a, .shape_b = b};
  const double size = question.Size();
  const double spread = random_.Uniform(0.2, 2);
  question.pose_a = {size * random_.InCube(1), random_.Rotation()};
  question.pose_b = {question.pose_a.p_WS + (spread * size) * random_.InCube(1),
                     random_.Rotation()};
  if (regime == Regime::kAligned) {
    question.pose_a = {OnLattice(random_), HalfOrNoTurn(random_)};
    question.pose_b = {OnLattice(random_), HalfOrNoTurn(random_)};
  }
  if (regime == Regime::kNearlyAligned) {
    question.pose_a.q_WS = {};
    const double angle = random_.LogUniform(1e-16, 1e-3);
    question.pose_b.q_WS = random_.RotationBy(random_.OneIn(2) ? angle : 3.14159265358979 - angle);
  }
  if (regime == Regime::kFarAway) {
    const Vec3d shift = 1e8 * random_.Direction();
    question.pose_a.p_WS = question.pose_a.p_WS + shift;
    question.pose_b.p_WS = question.pose_b.p_WS + shift;
  }
  if (regime == Regime::kInBody) {
    question.local_a = {random_.InCube(size), random_.Rotation()};
    if (random_.OneIn(2)) question.local_b = {random_.InCube(size), random_.Rotation()};
  }
  return question;
}

Question QuestionPool::AnyGenerated() {
  const Generated& pair = generated_[random_.Below(static_cast<int>(generated_.size()))];
  Question question = {.regime = Regime::kGenerated,
                       .shape_a = pair.a.get(),
                       .shape_b = pair.b.get(),
                       .pose_a = pair.pose_a,
                       .pose_b = pair.pose_b};
  // The pair itself is asked about only now and then: it would be the same question again.
  if (!random_.OneIn(8)) {
    question.pose_b.p_WS = question.pose_b.p_WS +
                           (question.Size() * random_.LogUniform(1e-17, 1)) * random_.Direction();
  }
  return question;
}

Question QuestionPool::Twins() {
  const ConvexShape* shape = Any(shapes_);
  Question question = {.regime = Regime::kTwins, .shape_a = shape, .shape_b = shape};
  question.pose_a = {random_.InCube(1), random_.OneIn(2) ? Quaternion{} : random_.Rotation()};
  question.pose_b = question.pose_a;
  if (random_.OneIn(2)) {
    question.pose_b.p_WS = question.pose_b.p_WS +
                           (question.Size() * random_.LogUniform(1e-17, 2)) * random_.Direction();
  }
  return question;
}

Question QuestionPool::NearContact(const Question& question, const DistanceAnswer& answer) {
  Question near = question;
  near.regime = Regime::kNearContact;
  double gap = random_.OneIn(6) ? 0 : question.Size() * random_.LogUniform(1e-17, 1);
  if (random_.OneIn(3)) gap = -0.1 * gap;
  near.pose_b.p_WS = near.pose_b.p_WS + (gap - answer.distance) * answer.n_AB;
  return near;
}

Motion QuestionPool::AnyMotion(const Question& question, const Vec3d& towards, bool turns) {
  Motion motion;
  motion.pivot = question.pose_a.p_WS;
  motion.displacement = random_.LogUniform(1e-2, 1e1) * towards +
                        (question.Size() * random_.Uniform(0, 1)) * random_.Direction();
  if (!turns) return motion;
  motion.rotation = random_.LogUniform(0.05, 30) * random_.Direction();
  if (random_.OneIn(2)) motion.pivot = motion.pivot + random_.InCube(question.Size());
  if (random_.OneIn(3)) motion.displacement = {};
  return motion;
}

MotionQuestion QuestionPool::InMotion(const Question& question, bool turns) {
  MotionQuestion moving = {.start = question};
  const Vec3d towards = question.pose_b.p_WS - question.pose_a.p_WS;
  moving.motion_a = AnyMotion(question, towards, turns);
  if (random_.OneIn(2)) moving.motion_b = AnyMotion(question, -towards, turns && random_.OneIn(2));
  if (random_.OneIn(4)) moving.target_distance = question.Size() * random_.LogUniform(1e-6, 1);
  return moving;
}

std::string Describe(const Question& question) {
  return std::string(Name(question.regime)) + "\n" + Hex("A", *question.shape_a) +
         Hex("A", question.pose_a) + Hex("A in its body", question.local_a) +
         Hex("B", *question.shape_b) + Hex("B", question.pose_b) +
         Hex("B in its body", question.local_b);
}

std::string Describe(const MotionQuestion& question) {
  char target[64];
  std::snprintf(target, sizeof(target), "  target %a\n", question.target_distance);
  return Describe(question.start) + Hex("A", question.motion_a) + Hex("B", question.motion_b) +
         target;
}

}  // namespace clearance::testing
