// SPDX-License-Identifier: Apache-2.0
//
// Whole scenes against all pairs one by one: the same verdicts, pairs and brackets to the last bit,
// whatever the scene went through before.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/property/scene_questions.h"
#include "tests/support/random.h"

namespace clearance::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct SceneTally {
  int questions = 0;
  int touching = 0;
  int apart = 0;
  int margins = 0;
  int self = 0;  // a pair of the query's own decided
  int hits = 0;
  int overlaps = 0;
  int free = 0;
  int beyond = 0;
  int undecided = 0;
  int rows = 0;  // of configurations asked together
  int rows_touching = 0;
  int nameless = 0;  // shapes that touch something
  int any_hits = 0;
  int moved = 0;  // bodies of free answers that went almost as far as they may
};

Quaternion Product(const Quaternion& p, const Quaternion& q) {
  return {
      p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y, p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
      p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w, p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z};
}

// A scene with what is in it, as it goes through changes.
class ChangingScene {
 public:
  ChangingScene(World world, Random& random) : random_(random), maker_(world, random) {
    const int count = random.OneIn(10) ? 0 : 1 + random.Below(random.OneIn(8) ? 90 : 24);
    std::vector<SceneBody> bodies;
    for (int i = 0; i < count; ++i) bodies.push_back(maker_.Make(NewId(), random));
    Apply({.put = bodies});
  }

  const ScenePtr& scene() const { return scene_; }
  const BodyMaker& maker() const { return maker_; }
  std::vector<SceneBody> Bodies() const {
    std::vector<SceneBody> bodies;
    for (const auto& [id, body] : bodies_) bodies.push_back(body);
    return bodies;
  }

  void Change() {
    std::vector<BodyId> remove;
    std::vector<SceneBody> put;
    std::vector<BodyPose> move;
    for (const auto& [id, body] : bodies_) {
      if (random_.OneIn(12)) remove.push_back(id);
    }
    for (int i = random_.Below(3); i > 0; --i) put.push_back(maker_.Make(NewId(), random_));
    // Comes back, or changes altogether.
    if (!remove.empty() && random_.OneIn(2)) put.push_back(maker_.Make(remove[0], random_));
    for (const auto& [id, body] : bodies_) {
      const bool stays = std::find(remove.begin(), remove.end(), id) == remove.end();
      if (stays && random_.OneIn(4)) move.push_back({id, maker_.MakePose(random_)});
    }
    std::optional<PairRules> rules;
    if (random_.OneIn(3)) rules = MakeRules();
    Apply({remove, put, move, rules ? &*rules : nullptr});
  }

  PairRules MakeRules() {
    std::vector<PairRule> rules;
    for (int i = random_.Below(12); i > 0; --i) {
      const auto id = [&] { return static_cast<BodyId>(random_.Below(40)); };
      rules.push_back({id(), id(), random_.OneIn(2), maker_.unit() * random_.Uniform(0, 1)});
    }
    return PairRules(rules);
  }

 private:
  BodyId NewId() { return static_cast<BodyId>(random_.Below(random_.OneIn(4) ? 1 << 30 : 60)); }

  void Apply(const SceneChange& change) {
    scene_ = std::get<ScenePtr>(scene_->Apply(change));
    for (const BodyId id : change.remove) bodies_.erase(id);
    for (const SceneBody& body : change.put) bodies_[body.id] = body;
    for (const BodyPose& move : change.move) bodies_[move.id].X_WB = move.X_WB;
    EXPECT_EQ(scene_->size(), bodies_.size());
  }

  Random& random_;
  BodyMaker maker_;
  ScenePtr scene_ = Scene::MakeEmpty();
  std::map<BodyId, SceneBody> bodies_;
};

class Asking {
 public:
  Asking(ChangingScene& world, Random& random, SceneScratch* scratch, SceneTally* tally)
      : world_(world), random_(random), scratch_(scratch), tally_(tally) {
    const int count = 1 + random.Below(random.OneIn(3) ? 6 : 2);
    std::map<BodyId, SceneBody> own;
    for (int i = 0; i < count; ++i) {
      const auto id = static_cast<BodyId>(random.Below(60));
      own[id] = world.maker().Make(id, random);
    }
    for (const auto& [id, body] : own) own_.push_back(body);
    if (random.OneIn(2)) std::reverse(own_.begin(), own_.end());
    rules_ = world.MakeRules();
    pair_scope_ = static_cast<SceneQuery::PairScope>(random.OneIn(3) ? random.Below(3) : 0);
  }

  SceneQuery QueryOf(const Scene& scene) const {
    return {.scene = scene,
            .bodies = own_,
            .poses = {},
            .rules = random_uses_rules_ ? &rules_ : nullptr,
            .pair_scope = pair_scope_,
            .own_pairs = knows_own_pairs_ ? &own_pairs_ : nullptr};
  }

  std::string Ask() {
    random_uses_rules_ = random_.OneIn(2);
    knows_own_pairs_ = false;
    own_pairs_.Find(QueryOf(*world_.scene()));
    knows_own_pairs_ = random_.OneIn(2);
    ++tally_->questions;
    switch (random_.Below(9)) {
      case 0:
      case 1:
      case 2:
        return AskCheck();
      case 3:
      case 4:
        return AskMinimumDistance();
      case 5:
        return AskNearest();
      case 6:
        return AskSweep();
      case 7:
        return AskOverlap();
      default:
        return AskRay();
    }
  }

  // Bodies that go as far as an answer says that they may, one way or the other, stay free.
  std::string AskAndMove() {
    const SceneQuery query = QueryOf(*world_.scene());
    ++tally_->questions;
    if (random_.OneIn(2)) {
      const CheckAnswer answer = CheckScene(query, {.wants_free_radius = true}, scratch_);
      return answer.verdict == Verdict::kFree ? AskMoved(answer.free_radius, true) : "";
    }
    const MinimumDistanceOptions options = {.max_distance = MaxDistance()};
    return AskMoved(MinimumDistance(query, options, scratch_).free_radius, false);
  }

 private:
  std::string AskCheck() {
    const SceneQuery query = QueryOf(*world_.scene());
    const std::string fault = AskCheckOf(query);
    return fault.empty() ? AskRows(query) : fault;
  }

  std::string AskCheckOf(const SceneQuery& query) {
    const std::vector<SceneBody> bodies = world_.Bodies();
    const std::vector<AskedPair> pairs = AllPairs(query, bodies, nullptr);
    std::vector<PairVerdict> all;
    const CheckAnswer listed = CheckAll(
        query,
        [&](const PairVerdict& found) {
          all.push_back(found);
          return true;
        },
        scratch_);
    const CheckAnswer answer = CheckScene(query, {.wants_free_radius = true}, scratch_);
    if (listed.verdict != answer.verdict || !(listed.first.pair == answer.first.pair)) {
      return "check and list differ";
    }
    const bool touches = answer.verdict == Verdict::kTouching;
    tally_->touching += touches ? 1 : 0;
    tally_->nameless += touches && query.is_nameless ? 1 : 0;
    tally_->undecided += answer.verdict == Verdict::kUndecided ? 1 : 0;
    tally_->apart += answer.verdict == Verdict::kFree && !pairs.empty() ? 1 : 0;
    tally_->self += answer.first.pair.is_self ? 1 : 0;
    for (const PairVerdict& found : all) tally_->margins += found.bracket.lower > 0 ? 1 : 0;
    return FindFault(pairs, answer, all);
  }

  // Many places of the same bodies together: each as alone.
  std::string AskRows(const SceneQuery& query) {
    const auto count = static_cast<std::size_t>(2 + random_.Below(39));
    std::vector<Pose> poses;
    for (std::size_t row = 0; row < count; ++row) {
      for (const SceneBody& body : own_) {
        poses.push_back(random_.OneIn(3) ? body.X_WB : world_.maker().MakePose(random_));
      }
    }
    const CheckOptions options = {.wants_free_radius = random_.OneIn(8)};
    std::vector<CheckAnswer> answers(count);
    CheckConfigurations({query, poses}, options, absl::MakeSpan(answers), scratch_);
    for (std::size_t row = 0; row < count; ++row) {
      SceneQuery alone = query;
      alone.poses = absl::MakeConstSpan(poses).subspan(row * own_.size(), own_.size());
      ++tally_->rows;
      tally_->rows_touching += answers[row].verdict == Verdict::kTouching ? 1 : 0;
      if (!IsSame(answers[row], CheckScene(alone, options, scratch_))) {
        return "row " + std::to_string(row) + " of " + std::to_string(count);
      }
    }
    return "";
  }

  // A shape without a name, whatever is said of a body with its number.
  std::string AskOverlap() {
    std::vector<SceneBody> shape = {own_[0]};
    const std::vector<SceneBody> bodies = world_.Bodies();
    if (!bodies.empty() && random_.OneIn(2)) {
      shape[0].id = bodies[random_.Below(static_cast<int>(bodies.size()))].id;
    }
    return AskCheckOf({.scene = *world_.scene(),
                       .bodies = shape,
                       .rules = random_.OneIn(2) ? &rules_ : nullptr,
                       .is_nameless = true});
  }

  // Returns a pose at which each point of the body is at most so far from its place before, but for
  // rounding: moved along the direction, and sometimes turned.
  Pose Moved(const SceneBody& body, const Vec3d& direction, double way) {
    Pose X_WB = body.X_WB;
    const double size = body.body->bounding_radius();
    if (size > 0 && random_.OneIn(3)) {
      // A turn by an angle moves nothing farther than the angle times the size.
      const double turned = way * random_.Uniform(0, 1);
      X_WB.q_WS = Product(random_.RotationBy(std::fmin(turned / size, 3)), X_WB.q_WS);
      way -= turned;
    }
    X_WB.p_WS = X_WB.p_WS + way * direction;
    return X_WB;
  }

  // The query bodies, each moved so far: any way, or the nearest two towards each other.
  std::vector<SceneBody> MovedBodies(double way) {
    const MinimumDistanceAnswer nearest = MinimumDistance(QueryOf(*world_.scene()), {}, scratch_);
    const bool is_straight = nearest.has_pair && random_.OneIn(2);
    std::vector<SceneBody> moved = own_;
    for (SceneBody& body : moved) {
      const double sign = body.id == nearest.pair.a ? 1 : -1;
      const Vec3d direction = is_straight ? sign * nearest.distance.n_AB : random_.Direction();
      body.X_WB = Moved(body, direction, way);
    }
    return moved;
  }

  // By how much poses may be off when they are moved.
  double RoundingOfPoses() const {
    double most = 0;
    for (const SceneBody& body : own_) {
      const Vec3d& p = body.X_WB.p_WS;
      for (const double x : {p.x, p.y, p.z, body.body->bounding_radius()})
        most = std::fmax(most, std::fabs(x));
    }
    return 1e-14 * most;
  }

  std::string AskMoved(double free_radius, bool is_check) {
    const double radius = std::fmin(free_radius, 10 * world_.maker().unit());
    const double part = random_.OneIn(2) ? 1e-6 : random_.LogUniform(1e-6, 1);
    const double room = part * radius - RoundingOfPoses();
    if (!(room > 0)) return "";
    ++tally_->moved;
    const std::vector<SceneBody> moved = MovedBodies((1 - part) * radius);
    SceneQuery query = QueryOf(*world_.scene());
    query.bodies = moved;
    const std::vector<SceneBody> bodies = world_.Bodies();
    const std::vector<AskedPair> pairs = AllPairs(query, bodies, nullptr);
    if (!is_check) return FindFault(pairs, KeptRoom{room});
    const CheckAnswer again = CheckScene(query, {}, scratch_);
    return FindFault(pairs, KeptRoom{room, &again});
  }

  double MaxDistance() {
    return random_.OneIn(2) ? kInfinity : world_.maker().unit() * random_.Uniform(0, 2);
  }

  std::string AskMinimumDistance() {
    const SceneQuery query = QueryOf(*world_.scene());
    const std::vector<SceneBody> bodies = world_.Bodies();
    const double max_distance = MaxDistance();
    const MinimumDistanceAnswer answer =
        MinimumDistance(query, {.max_distance = max_distance}, scratch_);
    tally_->beyond += answer.distance.state == State::kBeyond ? 1 : 0;
    return FindFault(AllPairs(query, bodies, nullptr), max_distance, answer);
  }

  std::string AskNearest() {
    const SceneQuery query = QueryOf(*world_.scene());
    const std::vector<SceneBody> bodies = world_.Bodies();
    const double max_distance = MaxDistance();
    const auto room = static_cast<std::size_t>(random_.Below(12));
    std::vector<PairDistance> nearest(room);
    nearest.resize(
        Nearest(query, {.max_distance = max_distance}, absl::MakeSpan(nearest), scratch_).size);
    return FindFault(AllPairs(query, bodies, nullptr), max_distance, nearest, room);
  }

  void Count(const SweepAnswer& answer) {
    const MotionState state = answer.earliest.contact.state;
    tally_->hits += state == MotionState::kHit ? 1 : 0;
    tally_->overlaps += state == MotionState::kInitiallyOverlapping ? 1 : 0;
    tally_->free += state == MotionState::kFree ? 1 : 0;
    tally_->undecided += state == MotionState::kUndecided ? 1 : 0;
  }

  std::string AskSweep() {
    const SceneQuery query = QueryOf(*world_.scene());
    const std::vector<SceneBody> bodies = world_.Bodies();
    std::vector<Motion> motions;
    for (const SceneBody& body : own_) {
      motions.push_back(world_.maker().MakeMotion(body.X_WB, random_));
    }
    const bool ignores = random_.OneIn(3);
    std::vector<PairSweep> all;
    SweepAll({query, motions}, {.ignore_initial_contact = ignores}, Collect(&all), scratch_);
    const SweepAnswer answer =
        Sweep({query, motions}, {.ignore_initial_contact = ignores}, scratch_);
    Count(answer);
    return FindFault(AllPairs(query, bodies, &motions), ignores, answer, all);
  }

  struct Collect {
    explicit Collect(std::vector<PairSweep>* where) : all(where) {}
    std::vector<PairSweep>* all;
    bool operator()(const PairSweep& sweep) const {
      all->push_back(sweep);
      return true;
    }
  };

  // The point of a ray as a body: of an id that no body of the scene has, which the answers call 0.
  std::string AskRay() {
    Ray ray;
    ray.origin = world_.maker().MakePose(random_).p_WS;
    ray.displacement = world_.maker().MakeMotion({}, random_).displacement;
    if (random_.OneIn(3)) ray.radius = world_.maker().unit() * random_.Uniform(0, 1);
    if (random_.OneIn(4)) ray.bits = {2, 3};
    std::vector<PairSweep> all;
    CastRayAll(*world_.scene(), ray, Collect(&all), scratch_);
    const SweepAnswer answer = CastRay(*world_.scene(), ray, RayKind::kClosest, scratch_);
    const SweepAnswer any = CastRay(*world_.scene(), ray, RayKind::kAny, scratch_);
    Count(answer);
    const std::vector<SceneBody> bodies = world_.Bodies();
    const std::vector<Motion> motions = {{ray.displacement, {}, ray.origin}};
    const RigidBodyPtr point = MakeBody(std::get<ConvexShapePtr>(MakePoint(0)));
    const SceneBody self = {0, point, {ray.origin, {}}, ray.bits, 0};
    std::vector<AskedPair> pairs;
    for (const SceneBody& body : bodies) {
      if ((body.bits.group & ray.bits.mask) == 0 || (body.bits.mask & ray.bits.group) == 0) {
        continue;
      }
      pairs.push_back({{0, body.id, false}, ray.radius, &self, &body, motions.data(), nullptr});
    }
    tally_->any_hits += any.earliest.contact.state == MotionState::kHit ? 1 : 0;
    const std::string fault = FindFaultOfAny(pairs, any);
    return fault.empty() ? FindFault(pairs, false, answer, all) : fault;
  }

  ChangingScene& world_;
  Random& random_;
  SceneScratch* scratch_;
  SceneTally* tally_;
  std::vector<SceneBody> own_;
  PairRules rules_;
  SceneQuery::PairScope pair_scope_ = SceneQuery::PairScope::kSceneAndSelf;
  bool random_uses_rules_ = false;
  OwnPairs own_pairs_;
  bool knows_own_pairs_ = false;
};

constexpr int kQuestionsARevision = 10;
constexpr int kRevisions = 6;

// Asks so many questions of all worlds by turns, as they change.
template <class Ask>
void AskWorlds(int count, std::uint64_t seed, SceneTally* tally, const Ask& ask) {
  Random random(seed);
  SceneScratch scratch;
  for (int world = 0; tally->questions < count; ++world) {
    ChangingScene scene(static_cast<World>(world % kWorldCount), random);
    for (int revision = 0; revision < kRevisions; ++revision) {
      for (int i = 0; i < kQuestionsARevision; ++i) {
        Asking asking(scene, random, &scratch, tally);
        const std::string fault = ask(asking);
        ASSERT_EQ(fault, "") << "question " << tally->questions << ", world "
                             << world % kWorldCount;
      }
      scene.Change();
    }
  }
}

// A share of the questions, so that they can be asked side by side.
class SceneShare : public ::testing::TestWithParam<int> {};
constexpr int kShares = 4;

// No two runs have one in common.
std::uint64_t SeedOf(int share) { return (kShares + 1) * RunSeed() + static_cast<unsigned>(share); }

TEST_P(SceneShare, AnswersAsAllPairsOneByOne) {
  SceneTally tally;
  AskWorlds(Effort(100'000, 1'000'000) / kShares, SeedOf(GetParam()), &tally,
            [](Asking& asking) { return asking.Ask(); });
  std::printf(
      "%d questions: touching %d, apart %d, within margins %d, own pairs %d, beyond %d, hits %d, "
      "overlaps %d, free %d, undecided %d; any hits %d, shapes that touch %d; %d rows together, "
      "touching %d\n",
      tally.questions, tally.touching, tally.apart, tally.margins, tally.self, tally.beyond,
      tally.hits, tally.overlaps, tally.free, tally.undecided, tally.any_hits, tally.nameless,
      tally.rows, tally.rows_touching);
  for (const int hit : {tally.touching, tally.apart, tally.margins, tally.self, tally.beyond,
                        tally.hits, tally.overlaps, tally.free, tally.any_hits, tally.nameless}) {
    EXPECT_GE(hit, tally.questions / 200);
  }
  EXPECT_GE(tally.rows, tally.questions);
  EXPECT_GE(tally.rows_touching, tally.rows / 10);
  EXPECT_GE(tally.rows - tally.rows_touching, tally.rows / 10);
}

INSTANTIATE_TEST_SUITE_P(All, SceneShare, ::testing::Range(0, kShares));

TEST(Scene, BodiesStayFreeWithinTheAnswersRadius) {
  SceneTally tally;
  AskWorlds(Effort(20'000, 200'000), SeedOf(kShares), &tally,
            [](Asking& asking) { return asking.AskAndMove(); });
  std::printf("%d questions, %d of them moved\n", tally.questions, tally.moved);
  EXPECT_GE(tally.moved, tally.questions / 20);
}

}  // namespace
}  // namespace clearance::testing
