// SPDX-License-Identifier: Apache-2.0
//
// Tracks: one session publishes ticks, others rewind to them and ask, all at once. The oracle is
// the core, asked about bodies that are interpolated here, by the formula of track.proto: every
// number must be the same to the last bit.

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <random>
#include <ratio>
#include <thread>
#include <variant>
#include <vector>

#include "core/scene/scene_query.h"
#include "server/kinds/reply_columns.h"
#include "tests/integration/service/track_messages.h"

namespace clearance::testing {
namespace {

constexpr std::uint32_t kPlayers = 200;
constexpr std::uint64_t kTicks = 64;
constexpr std::uint32_t kFirstPlayer = 1000;
constexpr int kAskers = 4;
constexpr int kLastRewinds = 40;
constexpr std::uint32_t kRays = 32;
using TickDuration = std::chrono::duration<std::uint64_t, std::ratio<1, 60>>;
constexpr std::uint64_t kSeed = 20261123;

void AddNumbersOf(const Pose& pose, google::protobuf::RepeatedField<double>* column) {
  const auto& [p, q] = pose;
  for (const double number : {p.x, p.y, p.z, q.x, q.y, q.z, q.w}) column->Add(number);
}

// The players' places at each tick, whatever the machine's sine is: the same numbers are sent and
// asked about.
class Game {
 public:
  Game() {
    std::mt19937_64 random(kSeed);
    std::uniform_real_distribution<double> any(-1, 1);
    for (std::uint32_t i = 0; i < kPlayers; ++i) {
      starts_.push_back({10 * any(random), 10 * any(random), any(random)});
      steps_.push_back({0.1 * any(random), 0.1 * any(random), 0});
      turns_.push_back(0.3 * any(random));
    }
  }

  Pose PoseOf(std::uint32_t player, std::uint64_t tick) const {
    const auto time = static_cast<double>(tick);
    const double half = turns_[player] * time / 2;
    return {starts_[player] + time * steps_[player], {0, 0, std::sin(half), std::cos(half)}};
  }

 private:
  std::vector<Vec3d> starts_, steps_;
  std::vector<double> turns_;
};

Pose Between(const Pose& a, const Pose& b, double w) {
  if (w == 0) return a;
  const Quaternion& p = a.q_WS;
  const Quaternion& q = b.q_WS;
  const double u = 1 - w;
  const double s = p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w < 0 ? -w : w;
  const Quaternion c = {u * p.x + s * q.x, u * p.y + s * q.y, u * p.z + s * q.z, u * p.w + s * q.w};
  const double length = std::sqrt(c.x * c.x + c.y * c.y + c.z * c.z + c.w * c.w);
  return {{a.p_WS.x + w * (b.p_WS.x - a.p_WS.x), a.p_WS.y + w * (b.p_WS.y - a.p_WS.y),
           a.p_WS.z + w * (b.p_WS.z - a.p_WS.z)},
          {c.x / length, c.y / length, c.z / length, c.w / length}};
}

// The server's world beside the players: some balls that do not move.
std::vector<SceneBody> Furniture(const RigidBodyPtr& ball) {
  std::vector<SceneBody> bodies;
  for (std::uint32_t i = 0; i < 20; ++i)
    bodies.push_back({.id = i, .body = ball, .X_WB = {{1.0 * i - 10, 3, 0}, {}}});
  // Takes the id of a player, whose place it loses.
  bodies.push_back({.id = kFirstPlayer, .body = ball, .X_WB = {{0, 0, 0}, {}}});
  return bodies;
}

void CreateFurniture(TestServer& server, const std::vector<SceneBody>& bodies) {
  v1::CreateSceneRequest request;
  request.set_name("room");
  v1::BodyColumns& columns = *request.mutable_content()->mutable_bodies();
  columns.add_shapes()->set_name("ball");
  columns.set_count(static_cast<std::uint32_t>(bodies.size()));
  for (const SceneBody& body : bodies) {
    columns.add_ids(body.id);
    AddNumbersOf(body.X_WB, columns.mutable_poses());
  }
  v1::CreateSceneResponse response;
  ASSERT_TRUE(Call(*server.scenes, &v1::SceneService::Stub::CreateScene, request, &response).ok());
}

// The players as query bodies of a session whose slots 0 and 1 are the ball and the box.
v1::SessionRequest AttachPlayers(const Game& game) {
  v1::SessionRequest request;
  v1::BodyColumns& columns = *request.mutable_change_bodies()->mutable_change()->mutable_bodies();
  columns.set_count(kPlayers);
  for (std::uint32_t i = 0; i < kPlayers; ++i) {
    columns.add_ids(kFirstPlayer + i);
    columns.add_shape_slots(i % 2);
    AddNumbersOf(game.PoseOf(i, 0), columns.mutable_poses());
  }
  return request;
}

v1::SessionRequest TickOfPlayers(const Game& game, std::uint64_t tick) {
  v1::SessionRequest request = TickOf(tick);
  for (std::uint32_t i = 0; i < kPlayers; ++i)
    AddNumbersOf(game.PoseOf(i, tick), request.mutable_publish_tick()->mutable_poses());
  return request;
}

// One rewind, the questions after it, and what was said.
struct Asked {
  v1::RewindTrack rewind;
  v1::RewindTrackResult rewound;
  v1::RayBatch rays;
  v1::SweepBatchResult hits;
  v1::CheckBatchResult check;
  v1::MinimumDistanceBatchResult minimum;
  v1::SweepBatchResult sweep;
};

// A row of a column, to the last bit.
void ExpectSameNumbers(const google::protobuf::RepeatedField<double>& column, int row,
                       const std::vector<double>& numbers) {
  const int width = static_cast<int>(numbers.size());
  ASSERT_GE(column.size(), (row + 1) * width);
  for (int i = 0; i < width; ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(column[row * width + i]),
              std::bit_cast<std::uint64_t>(numbers[i]))
        << column[row * width + i] << " is " << numbers[i];
  }
}

void ExpectSameNumbers(const google::protobuf::RepeatedField<double>& column, int row,
                       const Vec3d& v) {
  ExpectSameNumbers(column, row, std::vector<double>{v.x, v.y, v.z});
}

template <class Result>
void ExpectSamePair(const Result& result, int row, const IdPair& pair) {
  EXPECT_EQ(result.bodies_a(row), pair.a);
  EXPECT_EQ(result.bodies_b(row), pair.b);
  EXPECT_EQ(result.is_self(row), pair.is_self);
}

// All columns of a row; what a state does not have is 0, or no distance.
void ExpectSameSweep(const v1::SweepBatchResult& result, int row, const SweepAnswer& answer) {
  const TimeOfCollisionAnswer& contact = answer.earliest.contact;
  const bool is_hit = contact.state == MotionState::kHit;
  const bool is_initial = contact.state == MotionState::kInitiallyOverlapping;
  const bool has_contact = is_hit || is_initial;
  ASSERT_EQ(result.states(row), static_cast<int>(contact.state));
  ExpectSamePair(result, row,
                 contact.state == MotionState::kFree ? IdPair{} : answer.earliest.pair);
  ExpectSameNumbers(result.t_free(), row, std::vector<double>{is_initial ? 0 : contact.t_free});
  ExpectSameNumbers(result.t_hit(), row, std::vector<double>{is_hit ? contact.t_hit : 0});
  ExpectSameNumbers(result.distances(), row,
                    std::vector<double>{has_contact ? contact.distance : server::kNoDistance});
  ExpectSameNumbers(result.points_a(), row, has_contact ? contact.p_WA : Vec3d{});
  ExpectSameNumbers(result.points_b(), row, has_contact ? contact.p_WB : Vec3d{});
  ExpectSameNumbers(result.normals(), row, has_contact ? contact.n_AB : Vec3d{});
}

void ExpectSameCheck(const v1::CheckBatchResult& result, const CheckAnswer& answer) {
  ASSERT_EQ(result.verdicts(0), static_cast<int>(answer.verdict));
  ExpectSamePair(result, 0, answer.first.pair);
  const bool has_pair = answer.verdict != Verdict::kFree;
  const Bracket bracket = has_pair ? answer.first.bracket : Bracket{-HUGE_VAL, HUGE_VAL};
  ExpectSameNumbers(result.lower_bounds(), 0, std::vector<double>{bracket.lower});
  ExpectSameNumbers(result.upper_bounds(), 0, std::vector<double>{bracket.upper});
  ExpectSameNumbers(result.free_radii(), 0, std::vector<double>{answer.free_radius});
}

void ExpectSameMinimumDistance(const v1::MinimumDistanceBatchResult& result,
                               const MinimumDistanceAnswer& answer) {
  const DistanceAnswer& distance = answer.distance;
  ASSERT_EQ(result.states(0), static_cast<int>(distance.state));
  ExpectSamePair(result, 0, answer.pair);
  ExpectSameNumbers(result.distances(), 0, std::vector<double>{distance.distance});
  ExpectSameNumbers(result.lower_bounds(), 0, std::vector<double>{distance.bracket.lower});
  ExpectSameNumbers(result.upper_bounds(), 0, std::vector<double>{distance.bracket.upper});
  ExpectSameNumbers(result.points_a(), 0, distance.p_WA);
  ExpectSameNumbers(result.points_b(), 0, distance.p_WB);
  ExpectSameNumbers(result.normals(), 0, distance.n_AB);
  ExpectSameNumbers(result.free_radii(), 0, std::vector<double>{answer.free_radius});
}

void WantAllOfSweeps(v1::SweepDetail* detail) {
  detail->set_times(true);
  detail->set_pairs(true);
  detail->set_points(true);
  detail->set_normals(true);
  detail->set_distances(true);
}

// One session that asks at its own times.
class AskerStream {
 public:
  AskerStream(TestServer& server, std::uint64_t seed) : session_(server), random_(seed) {
    session_.Open(0, "ball");
    ExpectOk(session_.Ask(OpenIn(0, "room")));
    v1::SessionRequest attach = AttachAt({{1, 0}});
    // The asker is the player that the track has as 1.
    v1::PairRuleColumns& rules = *attach.mutable_change_bodies()->mutable_change()->mutable_rules();
    rules.set_count(1);
    rules.add_bodies_a(1);
    rules.add_bodies_b(1);
    ExpectOk(session_.Ask(attach));
  }

  void Run(int rewinds) {
    for (int i = 0; i < rewinds; ++i) AskOnce();
    EXPECT_TRUE(session_.Finish().ok());
  }

  void RunUntil(const std::atomic<bool>& is_over) {
    do AskOnce();
    while (!is_over && !::testing::Test::HasFailure());
    EXPECT_TRUE(session_.Finish().ok());
  }

  const std::vector<Asked>& all() const { return all_; }

 private:
  double Any(double most) { return std::uniform_real_distribution<double>(-most, most)(random_); }

  // Five messages on their way at once, as a game server would have them.
  void AskOnce() {
    Asked& asked = all_.emplace_back();
    const v1::SessionRequest rewind = AnyRewind();
    asked.rewind = rewind.rewind_track();
    const v1::SessionRequest rays = AnyRays();
    asked.rays = rays.ray();
    for (const v1::SessionRequest& request : {rewind, rays, Check(), MinimumDistance(), Sweep()})
      ASSERT_TRUE(session_.Send(request));
    asked.rewound = Next().rewind_track();
    asked.hits = Next().ray();
    asked.check = Next().check();
    asked.minimum = Next().minimum_distance();
    asked.sweep = Next().sweep();
  }

  // Beyond the last tick too, and now and then exactly at one.
  v1::SessionRequest AnyRewind() {
    v1::SessionRequest request =
        RewindTo("game", random_() % (kTicks + 2), random_() % 8 == 0 ? 0 : std::fabs(Any(0.999)));
    request.mutable_rewind_track()->set_base_scene_slot(0);
    request.mutable_rewind_track()->add_left_out_bodies(kFirstPlayer + 7);
    return request;
  }

  v1::SessionRequest AnyRays() {
    v1::SessionRequest request;
    v1::RayBatch& batch = *request.mutable_ray();
    batch.set_count(kRays);
    batch.set_scene_slot(1);
    for (std::uint32_t row = 0; row < 3 * kRays; ++row) {
      batch.add_origins(Any(12));
      batch.add_displacements(Any(12));
    }
    WantAllOfSweeps(batch.mutable_detail());
    return request;
  }

  static v1::SessionRequest Check() {
    v1::SessionRequest request;
    *request.mutable_check()->mutable_configurations() = Probe();
    v1::CheckDetail& detail = *request.mutable_check()->mutable_detail();
    detail.set_pairs(true);
    detail.set_bounds(true);
    detail.set_free_radii(true);
    return request;
  }

  static v1::SessionRequest MinimumDistance() {
    v1::SessionRequest request;
    *request.mutable_minimum_distance()->mutable_configurations() = Probe();
    v1::MinimumDistanceDetail& detail = *request.mutable_minimum_distance()->mutable_detail();
    detail.set_distances(true);
    detail.set_bounds(true);
    detail.set_pairs(true);
    detail.set_points(true);
    detail.set_normals(true);
    detail.set_free_radii(true);
    return request;
  }

  static v1::SessionRequest Sweep() {
    v1::SessionRequest request;
    *request.mutable_sweep()->mutable_configurations() = Probe();
    for (const double number : {4., 0., 0.}) request.mutable_sweep()->add_displacements(number);
    WantAllOfSweeps(request.mutable_sweep()->mutable_detail());
    return request;
  }

  // The own ball at the origin.
  static v1::ConfigurationColumns Probe() {
    v1::ConfigurationColumns columns;
    columns.set_count(1);
    columns.set_scene_slot(1);
    columns.set_pair_scope(v1::PAIR_SCOPE_SCENE);
    return columns;
  }

  v1::SessionResponse Next() {
    v1::SessionResponse response;
    EXPECT_TRUE(session_.Receive(&response));
    ExpectOk(response);
    return response;
  }

  TestSession session_;
  std::mt19937_64 random_;
  std::vector<Asked> all_;
};

// The same questions, answered offline.
class Offline {
 public:
  Offline(TrackServer& server, const Game& game)
      : game_(game),
        ball_(server.BodyOf("ball")),
        box_(server.BodyOf("box")),
        room_(std::get<ScenePtr>(Scene::MakeEmpty()->Apply({.put = Furniture(ball_)}))) {}

  void Expect(const Asked& asked) {
    ExpectTime(asked);
    const ScenePtr scene = SceneOf(asked.rewound);
    ExpectRays(*scene, asked);
    const std::vector<SceneBody> probe = {{.id = 1, .body = ball_, .X_WB = {}}};
    const SceneQuery query = {
        .scene = *scene, .bodies = probe, .pair_scope = SceneQuery::PairScope::kScene};
    const CheckAnswer check = CheckScene(query, {.wants_free_radius = true}, &scratch_);
    touched += check.verdict == Verdict::kFree ? 0 : 1;
    ExpectSameCheck(asked.check, check);
    ExpectSameMinimumDistance(asked.minimum, MinimumDistance(query, {}, &scratch_));
    const std::vector<Motion> motions = {{.displacement = {4, 0, 0}, .rotation = {}, .pivot = {}}};
    ExpectSameSweep(asked.sweep, 0, Sweep({query, motions}, {}, &scratch_));
  }

  int clamped = 0, between = 0, player_hits = 0, touched = 0;

 private:
  void ExpectTime(const Asked& asked) {
    const v1::RewindTrackResult& rewound = asked.rewound;
    EXPECT_EQ(rewound.scene_revision(), 1u);
    EXPECT_EQ(rewound.oldest_tick(), 0u);
    EXPECT_EQ(rewound.body_count(), kPlayers - 1);
    if (rewound.clamp() == v1::TRACK_CLAMP_TO_NEWEST) {
      ++clamped;
      EXPECT_EQ(rewound.tick(), rewound.newest_tick());
      EXPECT_GE(asked.rewind.tick(), rewound.newest_tick());
      EXPECT_EQ(rewound.weight(), 0);
      EXPECT_EQ(rewound.fraction(), 0);
      return;
    }
    ASSERT_EQ(rewound.clamp(), v1::TRACK_CLAMP_NONE);
    EXPECT_EQ(rewound.tick(), asked.rewind.tick());
    EXPECT_EQ(rewound.fraction(), asked.rewind.fraction());
    EXPECT_EQ(rewound.weight(), asked.rewind.fraction());
    EXPECT_EQ(rewound.earlier_tick(), asked.rewind.tick());
    EXPECT_EQ(rewound.later_tick(), asked.rewind.tick() + (rewound.weight() == 0 ? 0 : 1));
    between += rewound.weight() > 0 ? 1 : 0;
  }

  ScenePtr SceneOf(const v1::RewindTrackResult& rewound) const {
    std::vector<SceneBody> players;
    for (std::uint32_t i = 0; i < kPlayers; ++i) {
      if (i == 7) continue;
      players.push_back({.id = kFirstPlayer + i,
                         .body = i % 2 == 0 ? ball_ : box_,
                         .X_WB = Between(game_.PoseOf(i, rewound.earlier_tick()),
                                         game_.PoseOf(i, rewound.later_tick()), rewound.weight())});
    }
    return std::get<ScenePtr>(room_->Apply({.put = players}));
  }

  void ExpectRays(const Scene& scene, const Asked& asked) {
    ASSERT_EQ(asked.hits.states_size(), static_cast<int>(kRays));
    for (int row = 0; row < static_cast<int>(kRays); ++row) {
      const auto at = [&](const auto& column) {
        return Vec3d{column[3 * row], column[3 * row + 1], column[3 * row + 2]};
      };
      const Ray ray = {at(asked.rays.origins()), at(asked.rays.displacements()), 0, {}};
      const SweepAnswer answer = CastRay(scene, ray, RayKind::kClosest, &scratch_);
      ExpectSameSweep(asked.hits, row, answer);
      const bool is_hit = answer.earliest.contact.state == MotionState::kHit;
      player_hits += is_hit && answer.earliest.pair.b >= kFirstPlayer ? 1 : 0;
    }
  }

  const Game& game_;
  const RigidBodyPtr ball_, box_;
  const ScenePtr room_;
  SceneScratch scratch_;
};

TEST(Tracks, FourStreamsDuringPublishing_MatchTheCore) {
  TrackServer server;
  CreateFurniture(server, Furniture(server.BodyOf("ball")));
  const Game game;
  TestSession writer(server);
  writer.Open(0, "ball");
  writer.Open(1, "box");
  ExpectOk(writer.Ask(AttachPlayers(game)));
  ExpectOk(writer.Ask(OpenTrackOf("game")));
  ExpectOk(writer.Ask(TickOfPlayers(game, 0)));

  std::deque<AskerStream> askers;
  for (int i = 0; i < kAskers; ++i) askers.emplace_back(server, kSeed + i);
  std::atomic<bool> is_over = false;
  std::vector<std::thread> threads;
  for (AskerStream& asker : askers) threads.emplace_back([&] { asker.RunUntil(is_over); });
  // 60 a second, as a game has them; nothing depends on it.
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t tick = 1; tick < kTicks; ++tick) {
    std::this_thread::sleep_until(start + TickDuration(tick));
    const v1::SessionResponse response = writer.Ask(TickOfPlayers(game, tick));
    EXPECT_EQ(response.publish_tick().tick(), tick) << response.ShortDebugString();
    EXPECT_EQ(response.publish_tick().body_count(), kPlayers);
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  // With all ticks there, whatever the threads were given.
  AskerStream last(server, kSeed + kAskers);
  last.Run(kLastRewinds);

  Offline offline(server, game);
  std::size_t rewinds = last.all().size();
  for (const AskerStream& asker : askers) {
    rewinds += asker.all().size();
    for (const Asked& asked : asker.all()) offline.Expect(asked);
  }
  for (const Asked& asked : last.all()) offline.Expect(asked);
  std::printf("%zu rewinds, %d of them clamped\n", rewinds, offline.clamped);
  EXPECT_GT(offline.between, kLastRewinds / 2);
  EXPECT_GT(offline.player_hits, 100);
  EXPECT_GT(offline.touched, 0);
  EXPECT_GT(offline.clamped, 0);
  EXPECT_EQ(server.metrics.track_ticks().Value(), static_cast<double>(kTicks));
  EXPECT_EQ(server.metrics.rewinds(true).Value(), offline.clamped);
  EXPECT_EQ(server.metrics.rewinds(false).Value(), static_cast<double>(rewinds) - offline.clamped);
}

}  // namespace
}  // namespace clearance::testing
