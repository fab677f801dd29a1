// SPDX-License-Identifier: Apache-2.0
#include "tests/soak/case_maker.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <variant>

#include "core/shape/make_shape.h"
#include "tests/support/compound.h"
#include "tests/support/generators.h"
#include "tests/support/large_hulls.h"
#include "tests/support/test_shape.h"

namespace clearance::soak {
namespace {

using testing::Body;
using testing::Question;
using testing::QuestionPool;
using testing::Random;
using testing::Regime;

constexpr int kPools = 6;
constexpr testing::PoolScales kExtremeScales = {900, -900};
constexpr testing::PoolScales kLimitScales = {1005, -1040};
constexpr int kLeastExponent = -1074;
constexpr int kNearTwinPairs = 24;
constexpr int kCompoundsPerFamily = 5;
constexpr int kMaxPieces = 6;
constexpr double kMostTurn = 628;  // radians: a hundred turns

Setting SettingOf(const Question& question) { return static_cast<Setting>(question.regime); }

double MovedByUlps(double x, int ulps) {
  const double towards = std::copysign(std::numeric_limits<double>::infinity(), ulps);
  for (int i = std::abs(ulps); i > 0; --i) x = std::nextafter(x, towards);
  return x;
}

Vec3d MovedByUlps(const Vec3d& v, Random& random) {
  const auto any = [&] { return random.Below(7) - 3; };
  return {MovedByUlps(v.x, any()), MovedByUlps(v.y, any()), MovedByUlps(v.z, any())};
}

ConvexShapePtr LargeHull(testing::HullFamily family, int count, Random& random) {
  std::vector<double> xyz;
  for (const Vec3d& p : testing::PointsOf(family, count, random.OneIn(2), random)) {
    xyz.insert(xyz.end(), {p.x, p.y, p.z});
  }
  return std::get<ConvexShapePtr>(MakeHull(xyz, random.OneIn(3) ? 0.125 : 0));
}

}  // namespace

const char* Name(Setting setting) {
  static constexpr std::array kNames = {"far_apart", "ulps",          "concentric", "near_twins",
                                        "extreme",   "extreme_ratio", "limits",     "least_places",
                                        "compounds", "comp_twins"};
  static_assert(kNames.size() == kSettingCount - testing::kRegimeCount);
  const int i = static_cast<int>(setting);
  return i < testing::kRegimeCount ? testing::Name(static_cast<Regime>(i))
                                   : kNames[static_cast<std::size_t>(i - testing::kRegimeCount)];
}

Question BodyCase::Pieces(std::size_t i, std::size_t j) const {
  const Piece& a = body_a->pieces()[i];
  const Piece& b = body_b->pieces()[j];
  return {.regime = Regime::kInBody,
          .shape_a = a.shape.get(),
          .shape_b = b.shape.get(),
          .pose_a = pose_a,
          .pose_b = pose_b,
          .local_a = a.local,
          .local_b = b.local};
}

std::string Describe(const BodyCase& question) {
  const std::size_t pieces_a = question.body_a->pieces().size();
  const std::size_t pieces_b = question.body_b->pieces().size();
  std::string text = std::to_string(pieces_a) + " pieces and " + std::to_string(pieces_b) +
                     " pieces, and their motions\n";
  for (std::size_t i = 0; i < std::max(pieces_a, pieces_b); ++i) {
    const testing::MotionQuestion pieces = {question.Pieces(i % pieces_a, i % pieces_b),
                                            question.motion_a, question.motion_b,
                                            question.target_distance};
    text += "pieces " + std::to_string(i % pieces_a) + " and " + std::to_string(i % pieces_b) +
            ": " + testing::Describe(pieces);
  }
  return text;
}

CaseMaker::CaseMaker(std::uint64_t seed)
    : seed_(seed),
      random_(seed),
      extreme_(random_.Next(), kExtremeScales),
      limits_(random_.Next(), kLimitScales) {
  for (int i = 0; i < kPools; ++i) pools_.emplace_back(random_.Next());
  AddLargeHulls();
  AddNearTwins();
  AddCompounds();
}

void CaseMaker::AddLargeHulls() {
  static constexpr std::array kCounts = {40, 250, 1500};
  for (int family = 0; family < testing::kHullFamilyCount; ++family) {
    for (const int count : kCounts) {
      AnyPool().Add(LargeHull(static_cast<testing::HullFamily>(family), count, random_));
    }
  }
}

void CaseMaker::AddNearTwins() {
  for (int i = 0; i < kNearTwinPairs; ++i) {
    Body body = testing::RandomSmallBody(random_);
    body.kind = testing::BodyKind::kHull;
    Body moved = body;
    for (Vec3d& p : moved.points) p = MovedByUlps(p, random_);
    near_twins_.emplace_back(testing::MakeShape(body), testing::MakeShape(moved));
  }
}

void CaseMaker::AddCompounds() {
  for (int i = 0; i < kCompoundsPerFamily * testing::kCompoundFamilyCount; ++i) {
    const auto family = static_cast<testing::CompoundFamily>(i % testing::kCompoundFamilyCount);
    const testing::CompoundPair pair = testing::RandomCompoundPair(family, kMaxPieces, random_);
    bodies_.push_back(
        {testing::MakeRigidBody(pair.a), testing::MakeRigidBody(pair.b), pair.a.pose, pair.b.pose});
  }
}

// A generator's state steps by a constant, so the streams of two indices must not start at a
// multiple of it apart: they start where another stream has its numbers.
void CaseMaker::Start(std::uint64_t index) {
  random_ = Random(Random(seed_ ^ Random(index).Next()).Next());
}

QuestionPool& CaseMaker::AnyPool() {
  QuestionPool& pool = pools_[static_cast<std::size_t>(random_.Below(kPools))];
  pool.random() = Random(random_.Next());
  return pool;
}

PairCase CaseMaker::NextPair() {
  static constexpr std::array kMore = {
      Setting::kFarApart, Setting::kConcentric,  Setting::kNearTwins,   Setting::kExtreme,
      Setting::kLimits,   Setting::kLeastPlaces, Setting::kExtremeRatio};
  if (!random_.OneIn(4)) {
    const Question question = AnyPool().Next();
    return {SettingOf(question), question};
  }
  PairCase pair = {kMore[static_cast<std::size_t>(random_.Below(kMore.size()))],
                   AnyPool().Next(Regime::kAnyPose)};
  Change(&pair);
  return pair;
}

void CaseMaker::Change(PairCase* pair) {
  Question& question = pair->question;
  const auto least = [this] { return std::ldexp(random_.Below(9) - 4, kLeastExponent); };
  switch (pair->setting) {
    case Setting::kFarApart:
      question.pose_b.p_WS = question.pose_b.p_WS +
                             (question.Size() * random_.LogUniform(10, 1e12)) * random_.Direction();
      return;
    case Setting::kConcentric:
      question.pose_b.p_WS = question.pose_a.p_WS;
      if (random_.OneIn(2)) question.pose_b.q_WS = question.pose_a.q_WS;
      return;
    case Setting::kLeastPlaces:
      question.pose_a.p_WS = {least(), least(), least()};
      question.pose_b.p_WS = {least(), least(), least()};
      return;
    case Setting::kNearTwins:
      question = NearTwins();
      return;
    case Setting::kExtreme:
      question = Scaled(&extreme_);
      return;
    case Setting::kLimits:
      question = Scaled(&limits_);
      return;
    default:
      question = ExtremeRatio();
      return;
  }
}

Question CaseMaker::NearTwins() {
  Question question = AnyPool().Next(Regime::kTwins);
  const auto& [shape, moved] = near_twins_[static_cast<std::size_t>(random_.Below(kNearTwinPairs))];
  question.shape_a = shape.get();
  question.shape_b = moved.get();
  return question;
}

Question CaseMaker::Scaled(QuestionPool* pool) {
  pool->random() = Random(random_.Next());
  return pool->Next(Regime::kScaled);
}

Question CaseMaker::ExtremeRatio() {
  Question question = Scaled(&extreme_);
  for (int tries = 0; tries < 8; ++tries) {
    const Question other = Scaled(&extreme_);
    if ((other.Size() > 1) == (question.Size() > 1)) continue;
    question.shape_b = other.shape_b;
    if (random_.OneIn(2)) std::swap(question.shape_a, question.shape_b);
    break;
  }
  return question;
}

PairCase CaseMaker::InContact(const PairCase& pair, const DistanceAnswer& answer) {
  QuestionPool& pool = AnyPool();
  PairCase near = pair;
  near.question = pool.NearContact(pair.question, answer);
  near.setting = SettingOf(near.question);
  if (random_.OneIn(4)) {
    near.setting = Setting::kUlps;
    near.question.pose_b.p_WS =
        MovedByUlps(pair.question.pose_b.p_WS - answer.distance * answer.n_AB, random_);
  }
  // Extreme sizes stay what they are called.
  if (pair.setting >= Setting::kExtreme && pair.setting <= Setting::kLimits) {
    near.setting = pair.setting;
  }
  return near;
}

MotionCase CaseMaker::InMotion(const PairCase& pair) {
  QuestionPool& pool = AnyPool();
  MotionCase moving = {pair.setting, pool.InMotion(pair.question, random_.OneIn(3)),
                       random_.OneIn(4)};
  Vec3d& rotation = moving.question.motion_a.rotation;
  const double angle = std::sqrt(NormSquared(rotation));
  if (angle > 0 && random_.OneIn(6)) {
    rotation = (random_.LogUniform(30, kMostTurn) / angle) * rotation;
  }
  return moving;
}

BodyCase CaseMaker::NextBodies() {
  const BodyPair& pair =
      bodies_[static_cast<std::size_t>(random_.Below(static_cast<int>(bodies_.size())))];
  const BodyPair& other =
      bodies_[static_cast<std::size_t>(random_.Below(static_cast<int>(bodies_.size())))];
  BodyCase question = {
      .body_a = pair.a.get(), .body_b = pair.b.get(), .pose_a = pair.pose_a, .pose_b = pair.pose_b};
  const int choice = random_.Below(4);
  if (choice == 0) {
    question.setting = Setting::kCompoundTwins;
    question.body_b = question.body_a;
    question.pose_b = question.pose_a;
  }
  if (choice >= 2) {
    question.body_b = other.b.get();
    question.pose_a = {random_.InCube(1), random_.Rotation()};
    question.pose_b = {random_.LogUniform(0.1, 10) * random_.Direction(), random_.Rotation()};
  } else if (!random_.OneIn(4)) {
    question.pose_b.p_WS =
        question.pose_b.p_WS + random_.LogUniform(1e-17, 1) * random_.Direction();
  }
  if (random_.OneIn(8)) {
    const Vec3d shift = 1e8 * random_.Direction();
    question.pose_a.p_WS = question.pose_a.p_WS + shift;
    question.pose_b.p_WS = question.pose_b.p_WS + shift;
  }
  const testing::MotionQuestion moving =
      AnyPool().InMotion(question.Pieces(0, 0), random_.OneIn(3));
  question.motion_a = moving.motion_a;
  question.motion_b = moving.motion_b;
  question.target_distance = moving.target_distance;
  return question;
}

}  // namespace clearance::soak
