// SPDX-License-Identifier: Apache-2.0
//
// The cases of a soak. Each is a function of the seed and its index alone, so that any of them can
// be made again without those before it. The shapes are built once, from the seed.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/query/body_query.h"
#include "core/query/distance.h"
#include "core/query/time_of_collision.h"
#include "core/shape/rigid_body.h"
#include "tests/support/question_pool.h"
#include "tests/support/random.h"

namespace clearance::soak {

// Where the bodies of a question stand: the regimes of the question pool, and after them more.
enum class Setting : std::uint8_t {
  kFarApart = testing::kRegimeCount,  // 10 to 1e12 times their size
  kUlps,           // in contact, then moved by a few units in the last place of each coordinate
  kConcentric,     // origins at the same place
  kNearTwins,      // a shape and itself with every coordinate a few units in the last place off
  kExtreme,        // 2^900 or 2^-900 times as large
  kExtremeRatio,   // one 2^900, one 2^-900 times as large
  kLimits,         // 2^1005 or 2^-1040 times as large: next to overflow, or of subnormal numbers
  kLeastPlaces,    // positions of a few of the least doubles
  kCompounds,      // of several pieces each
  kCompoundTwins,  // a compound and itself, at nearly the same place
};
inline constexpr int kSettingCount = static_cast<int>(Setting::kCompoundTwins) + 1;
const char* Name(Setting setting);

struct PairCase {
  Setting setting = Setting::kFarApart;
  testing::Question question;
};

struct MotionCase {
  Setting setting = Setting::kFarApart;
  testing::MotionQuestion question;
  bool ignore_initial_contact = false;
};

struct BodyCase {
  Setting setting = Setting::kCompounds;
  const RigidBody* body_a = nullptr;
  const RigidBody* body_b = nullptr;
  Pose pose_a = {};
  Pose pose_b = {};
  Motion motion_a = {};
  Motion motion_b = {};
  double target_distance = 0;

  PosedBody PosedA() const { return {*body_a, pose_a}; }
  PosedBody PosedB() const { return {*body_b, pose_b}; }
  MovingBody MovingA() const { return {*body_a, pose_a, motion_a}; }
  MovingBody MovingB() const { return {*body_b, pose_b, motion_b}; }
  double Size() const { return body_a->bounding_radius() + body_b->bounding_radius(); }
  // Requires: i and j are pieces of A and of B.
  testing::Question Pieces(std::size_t i, std::size_t j) const;
};

// Every number as an exact hexadecimal double.
std::string Describe(const BodyCase& question);

// Thread-compatible; copies share the shapes. What it makes lives as long as any copy.
class CaseMaker {
 public:
  explicit CaseMaker(std::uint64_t seed);

  // What is made from now on is made from the seed and the index alone.
  void Start(std::uint64_t index);

  PairCase NextPair();
  // The same pair moved until it touches, nearly so, or overlaps a little. Requires: the answer is
  // the pair's and has a normal.
  PairCase InContact(const PairCase& pair, const DistanceAnswer& answer);
  MotionCase InMotion(const PairCase& pair);
  BodyCase NextBodies();

  testing::Random& random() { return random_; }

 private:
  struct BodyPair {
    RigidBodyPtr a, b;
    Pose pose_a, pose_b;
  };

  void AddLargeHulls();
  void AddNearTwins();
  void AddCompounds();
  testing::QuestionPool& AnyPool();
  // Changes a pair of kAnyPose into one of its setting.
  void Change(PairCase* pair);
  testing::Question Scaled(testing::QuestionPool* pool);
  testing::Question ExtremeRatio();
  testing::Question NearTwins();

  std::uint64_t seed_;
  testing::Random random_;
  std::vector<testing::QuestionPool> pools_;
  testing::QuestionPool extreme_;
  testing::QuestionPool limits_;
  std::vector<std::pair<ConvexShapePtr, ConvexShapePtr>> near_twins_;
  std::vector<BodyPair> bodies_;
};

}  // namespace clearance::soak
