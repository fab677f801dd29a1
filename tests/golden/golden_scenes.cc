// SPDX-License-Identifier: Apache-2.0

#include "tests/golden/golden_scenes.h"

#include <array>
#include <cstddef>
#include <utility>
#include <variant>

#include "core/math/interpolate.h"
#include "core/scene/scene.h"
#include "core/scene/scene_query.h"
#include "core/shape/rigid_body.h"
#include "tests/golden/digest.h"
#include "tests/golden/golden_cases.h"

namespace clearance::golden {
namespace {

constexpr std::uint32_t kScenes = 24;
constexpr std::uint32_t kRounds = 24;  // of all kinds of questions about a scene
constexpr std::uint32_t kRows = 6;
constexpr std::size_t kNearest = 5;
constexpr std::uint64_t kFirstSeed = std::uint64_t{1} << 40;  // beyond those of the blocks

void Add(const IdPair& pair, Digest* digest) {
  digest->Add(std::uint64_t{pair.a} << 32 | pair.b);
  digest->Add(std::uint64_t{pair.is_self});
}

void Add(const PairVerdict& found, Digest* digest) {
  Add(found.pair, digest);
  digest->Add(std::uint64_t{static_cast<std::uint8_t>(found.verdict)});
  digest->Add(found.bracket.lower);
  digest->Add(found.bracket.upper);
}

void Add(const CheckAnswer& answer, Digest* digest) {
  digest->Add(std::uint64_t{static_cast<std::uint8_t>(answer.verdict)});
  Add(answer.first, digest);
  digest->Add(answer.free_radius);
}

void Add(const PairSweep& sweep, Digest* digest) {
  Add(sweep.pair, digest);
  digest->Add(sweep.contact);
}

Vec3d InCube(Bits& bits, double half) {
  return half * Vec3d{bits.Signed(), bits.Signed(), bits.Signed()};
}

Pose AnyPose(Bits& bits, double half) {
  Pose pose = {InCube(bits, half), {}};
  if (bits.Below(4) != 0) pose.q_WS = AnyRotation(bits);
  return pose;
}

// The pool's shapes, and compounds of two of them.
std::vector<RigidBodyPtr> MakeBodies(const std::vector<ConvexShapePtr>& pool) {
  Bits bits(2);
  std::vector<RigidBodyPtr> bodies;
  for (const ConvexShapePtr& shape : pool) bodies.push_back(MakeBody(shape));
  for (std::size_t i = 1; i < pool.size(); i += 5) {
    std::vector<Piece> pieces = {{pool[i - 1], {}}, {pool[i], AnyPose(bits, 1)}};
    bodies.push_back(std::get<RigidBodyPtr>(MakeCompound(std::move(pieces))));
  }
  return bodies;
}

// One scene that has changed a few times, and an query in it.
class Questions {
 public:
  Questions(const std::vector<RigidBodyPtr>& bodies, std::uint32_t index, Digest* digest)
      : bodies_(bodies), bits_(kFirstSeed + index), digest_(digest) {
    count_ = 1 + bits_.Below(index % 3 == 0 ? 300 : 40);
    half_ = index % 2 == 0 ? 3 : 8;
    std::vector<SceneBody> put;
    for (BodyId id = 0; id < count_; ++id) put.push_back(AnyBody(2 * id));
    const PairRules rules = AnyRules();
    Change({.put = put, .rules = &rules});
    for (std::uint32_t i = 0; i < 3; ++i) MoveSome();
    for (BodyId id = 0; id < 3; ++id) own_.push_back(AnyBody(2 * id + 1));
    own_rules_ = AnyRules();
  }

  void AskAll() {
    AskRows();
    AskMinimumDistance();
    AskSweep();
    AskRays();
    AddPosesBetween();
    MoveSome();
  }

 private:
  SceneBody AnyBody(BodyId id) {
    SceneBody body = {.id = id,
                      .body = bodies_[bits_.Below(static_cast<std::uint32_t>(bodies_.size()))],
                      .X_WB = AnyPose(bits_, half_)};
    if (bits_.Below(5) == 0) body.margin = 0.0625 * bits_.Below(5);
    if (bits_.Below(6) == 0) body.bits = {1U << bits_.Below(3), bits_.Below(8)};
    return body;
  }

  PairRules AnyRules() {
    std::vector<PairRule> rules;
    for (std::uint32_t i = bits_.Below(12); i > 0; --i) {
      const BodyId a = bits_.Below(8);
      const BodyId b = a + 1 + bits_.Below(2 * count_);
      rules.push_back({a, b, bits_.Below(2) == 0, 0.125 * bits_.Below(4)});
    }
    return PairRules(rules);
  }

  void Change(const SceneChange& change) { scene_ = std::get<ScenePtr>(scene_->Apply(change)); }

  void MoveSome() {
    std::vector<BodyPose> moves;
    for (BodyId id = bits_.Below(4); id < count_; id += 1 + bits_.Below(9))
      moves.push_back({2 * id, AnyPose(bits_, half_)});
    Change({.move = moves});
  }

  SceneQuery QueryAt(absl::Span<const Pose> poses) const {
    return {.scene = *scene_, .bodies = own_, .poses = poses, .rules = &own_rules_};
  }

  std::vector<Pose> AnyPoses(std::size_t rows) {
    std::vector<Pose> poses;
    for (std::size_t i = 0; i < rows * own_.size(); ++i) poses.push_back(AnyPose(bits_, half_));
    return poses;
  }

  // Checks together, with and without free radii, and lists.
  void AskRows() {
    const std::vector<Pose> poses = AnyPoses(kRows);
    std::array<CheckAnswer, kRows> answers;
    const CheckOptions options = {.wants_free_radius = bits_.Below(2) == 0};
    CheckConfigurations({QueryAt({}), poses}, options, absl::MakeSpan(answers), &scratch_);
    for (const CheckAnswer& answer : answers) Add(answer, digest_);
    const auto list = [&](const PairVerdict& found) {
      Add(found, digest_);
      return true;
    };
    CheckAll(QueryAt(absl::MakeConstSpan(poses).first(own_.size())), list, &scratch_);
  }

  void AskMinimumDistance() {
    const std::vector<Pose> poses = AnyPoses(1);
    MinimumDistanceOptions options;
    if (bits_.Below(3) == 0) options.max_distance = 0.25;
    const MinimumDistanceAnswer answer = MinimumDistance(QueryAt(poses), options, &scratch_);
    digest_->Add(std::uint64_t{answer.has_pair});
    Add(answer.pair, digest_);
    digest_->Add(answer.distance);
    digest_->Add(answer.free_radius);
    std::array<PairDistance, kNearest> nearest;
    const std::size_t size =
        Nearest(QueryAt(poses), options, absl::MakeSpan(nearest), &scratch_).size;
    for (std::size_t i = 0; i < size; ++i) {
      Add(nearest[i].pair, digest_);
      digest_->Add(nearest[i].distance);
    }
  }

  auto Listing() {
    return [this](const PairSweep& sweep) {
      Add(sweep, digest_);
      return true;
    };
  }

  void AskSweep() {
    const std::vector<Pose> poses = AnyPoses(1);
    std::vector<Motion> motions;
    for (const Pose& pose : poses) {
      motions.push_back({InCube(bits_, 4), {}, pose.p_WS});
      if (bits_.Below(3) == 0) motions.back().rotation = InCube(bits_, 3);
    }
    const MovingSceneQuery moving = {QueryAt(poses), motions};
    const SweepOptions options = {.ignore_initial_contact = bits_.Below(2) == 0};
    Add(Sweep(moving, options, &scratch_).earliest, digest_);
    SweepAll(moving, options, Listing(), &scratch_);
  }

  void AskRays() {
    Ray ray = {.origin = InCube(bits_, half_), .displacement = InCube(bits_, 2 * half_)};
    if (bits_.Below(3) == 0) ray.radius = 0.125;
    for (const RayKind kind : {RayKind::kClosest, RayKind::kAny})
      Add(CastRay(*scene_, ray, kind, &scratch_).earliest, digest_);
    CastRayAll(*scene_, ray, Listing(), &scratch_);
  }

  void AddPosesBetween() {
    for (const double weight : {0.0, 0.0625 * bits_.Below(17), (bits_.Signed() + 1) / 2, 1.0}) {
      const Pose start = AnyPose(bits_, half_);
      const Pose end = AnyPose(bits_, half_);
      digest_->Add(InterpolatePose(start, end, weight));
    }
  }

  const std::vector<RigidBodyPtr>& bodies_;
  Bits bits_;
  Digest* const digest_;
  std::uint32_t count_ = 0;
  double half_ = 0;
  ScenePtr scene_ = Scene::MakeEmpty();
  std::vector<SceneBody> own_;
  PairRules own_rules_;
  SceneScratch scratch_;
};

}  // namespace

std::uint64_t SceneDigest(const std::vector<ConvexShapePtr>& pool) {
  const std::vector<RigidBodyPtr> bodies = MakeBodies(pool);
  Digest digest;
  for (std::uint32_t i = 0; i < kScenes; ++i) {
    Questions questions(bodies, i, &digest);
    for (std::uint32_t round = 0; round < kRounds; ++round) questions.AskAll();
  }
  return digest.value();
}

}  // namespace clearance::golden
