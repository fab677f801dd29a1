// SPDX-License-Identifier: Apache-2.0
//
// Questions about scenes through the client library against the real server, by calls and in
// sessions whose connections break. Distances of boxes and balls are closed forms.
#include "clearance/scene_query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clearance/session.h"
#include "tests/hammer/relay.h"
#include "tests/integration/client/real_server.h"

namespace clearance::client {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsNan;

constexpr double kClose = 1e-9;

// Three unit boxes at x = 0, 4 and 8, with the ids 10, 11 and 12.
void MakeRow(const Client& client) {
  ASSERT_TRUE(client.Register("box", kUnitBox).ok());
  ASSERT_TRUE(client.Register("ball", {.kind = Sphere{0.5}}).ok());
  SceneChange content;
  content.bodies = {.count = 3, .ids = {10, 11, 12}, .shapes = {ByName{"box"}}};
  for (const double x : {0., 4., 8.}) AppendPose({.x = x}, &content.bodies.poses);
  ASSERT_TRUE(SceneClient(client).Create("row", content).ok());
}

// Query bodies 1 and 2, balls of half a metre.
SceneChange TwoBalls() {
  SceneChange change;
  change.bodies = {.count = 2, .ids = {1, 2}};
  return change;
}

SceneSetting Setting() {
  return {.shapes = {{ByName{"ball"}}}, .scene = OpenScene{.name = "row"}, .bodies = TwoBalls()};
}

// Rows of both balls, at these x.
Configurations At(const std::vector<double>& xs) {
  Configurations configurations = {
      .count = static_cast<std::uint32_t>(xs.size() / 2), .scene_slot = 0, .body_count = 2};
  for (const double x : xs) AppendPose({.x = x}, &configurations.poses);
  return configurations;
}

// Asks the same in a session and by calls.
class Asker {
 public:
  explicit Asker(const Client& client) : session_(client.OpenSession()), queries_(client) {
    EXPECT_TRUE(session_->Open(0, ByName{"ball"}).ok());
    const auto scene = session_->Open(OpenScene{.name = "row"});
    EXPECT_TRUE(scene.ok()) << scene.status();
    EXPECT_EQ(scene->scene.body_count, 3u);
    const auto changed = session_->Change({.change = TwoBalls()});
    EXPECT_TRUE(changed.ok()) << changed.status();
    EXPECT_EQ(changed->body_count, 2u);
  }

  template <class Result, class Batch>
  std::vector<Result> Both(absl::StatusOr<Result> (SceneQueryClient::*call)(const SceneSetting&,
                                                                            const Batch&) const,
                           const Batch& batch) {
    std::vector<Result> results;
    for (const absl::StatusOr<Result>& result :
         {session_->Ask(batch), (queries_.*call)(Setting(), batch)}) {
      EXPECT_TRUE(result.ok()) << result.status();
      if (result.ok()) results.push_back(*result);
    }
    return results;
  }

 private:
  const std::unique_ptr<Session> session_;
  const SceneQueryClient queries_;
};

TEST(SceneQueryClient, ChecksConfigurations) {
  const RealServer server;
  const Client client = server.Connect();
  MakeRow(client);
  Asker asker(client);
  const CheckBatch batch = {.configurations = At({2, 6, 2, 4, 2, 2.5}),
                            .detail = {.pairs = true, .free_radii = true},
                            .max_pairs = 8};
  for (const CheckResult& result : asker.Both(&SceneQueryClient::Check, batch)) {
    EXPECT_THAT(result.verdicts,
                ElementsAre(Verdict::kFree, Verdict::kTouching, Verdict::kTouching));
    EXPECT_EQ(result.scene_revision, 1u);
    EXPECT_TRUE(ProvedFree(result, 0));
    EXPECT_FALSE(ProvedFree(result, 1));
    EXPECT_FALSE(ProvedFree(result, 3));
    EXPECT_NEAR(FreeMotionRadius(result, 0), 1, 1e-5);  // boxes are of floats
    EXPECT_EQ(FreeMotionRadius(result, 1), 0);
    const std::vector<BodyMotion> near = {{.translation = 0.9}, {.translation = 0.5}};
    const std::vector<BodyMotion> far = {{.translation = 0.5}, {.translation = 1.1}};
    EXPECT_TRUE(StillFree(result, 0, near));
    EXPECT_FALSE(StillFree(result, 0, far));
    EXPECT_FALSE(StillFree(result, 1, {}));
    EXPECT_THAT(result.pairs.offsets, ElementsAre(0, 0, 1, 2));
    EXPECT_THAT(result.pairs.ids.bodies_a, ElementsAre(2, 1));
    EXPECT_THAT(result.pairs.ids.bodies_b, ElementsAre(11, 2));
    EXPECT_THAT(result.pairs.ids.is_self, ElementsAre(false, true));
  }
}

TEST(SceneQueryClient, TellsDistances) {
  const RealServer server;
  const Client client = server.Connect();
  MakeRow(client);
  Asker asker(client);
  const MinimumDistanceBatch minimum = {.configurations = At({1.25, 6}),
                                        .detail = {.pairs = true, .free_radii = true}};
  for (const MinimumDistanceResult& result :
       asker.Both(&SceneQueryClient::MinimumDistance, minimum)) {
    EXPECT_THAT(result.distances, ElementsAre(DoubleNear(0.25, kClose)));
    EXPECT_THAT(result.pairs.bodies_b, ElementsAre(10));
    EXPECT_TRUE(ProvedFree(result, 0, 0.2));
    EXPECT_FALSE(ProvedFree(result, 0, 0.3));
    const std::vector<BodyMotion> near = {{.translation = 0.2}, {}};
    EXPECT_TRUE(StillFree(result, 0, near));
  }
  const NearestBatch nearest = {.configurations = At({1.25, 6.25}), .max_pairs = 3};
  for (const NearestResult& result : asker.Both(&SceneQueryClient::Nearest, nearest)) {
    EXPECT_THAT(
        result.pairs.distances,
        ElementsAre(DoubleNear(0.25, kClose), DoubleNear(0.75, kClose), DoubleNear(1.25, kClose)));
    EXPECT_THAT(result.pairs.ids.bodies_a, ElementsAre(1, 2, 2));
    EXPECT_THAT(result.pairs.ids.bodies_b, ElementsAre(10, 12, 11));
  }
}

TEST(SceneQueryClient, TellsOverlapsMotionsAndRays) {
  const RealServer server;
  const Client client = server.Connect();
  MakeRow(client);
  Asker asker(client);
  OverlapBatch overlap = {.count = 2, .max_pairs = 4, .bounds = true};
  for (const double x : {4.5, 6.}) AppendPose({.x = x}, &overlap.poses);
  for (const OverlapResult& result : asker.Both(&SceneQueryClient::Overlap, overlap)) {
    EXPECT_THAT(result.verdicts, ElementsAre(Verdict::kTouching, Verdict::kFree));
    EXPECT_THAT(result.pairs.offsets, ElementsAre(0, 1, 1));
    EXPECT_THAT(result.pairs.ids.bodies_b, ElementsAre(11));
    EXPECT_FALSE(ProvedFree(result, 0));
    EXPECT_TRUE(ProvedFree(result, 1));
  }
  // Ball 2 goes from 6 to 2, through the box at 4; ball 1 stays at 100.
  const SweepBatch motion = {.configurations = At({100, 6}),
                             .displacements = {0, 0, 0, -4, 0, 0},
                             .detail = {.pairs = true, .normals = true},
                             .max_pairs = 4};
  for (const SweepResult& result : asker.Both(&SceneQueryClient::Sweep, motion)) {
    EXPECT_THAT(result.states, ElementsAre(MotionState::kHit));
    EXPECT_THAT(result.t_hit, ElementsAre(DoubleNear(0.25, 1e-6)));
    EXPECT_THAT(result.normals, ElementsAre(-1, 0, 0));
    EXPECT_THAT(result.hits.ids.bodies_b, ElementsAre(11));
    EXPECT_FALSE(ProvedFree(result, 0));
  }
  const RayBatch ray = {.count = 2,
                        .origins = {2, 0, 0},
                        .displacements = {8, 0, 0, 0, 0, 8},
                        .detail = {.pairs = true},
                        .max_pairs = 4};
  for (const SweepResult& result : asker.Both(&SceneQueryClient::Ray, ray)) {
    EXPECT_THAT(result.states, ElementsAre(MotionState::kHit, MotionState::kFree));
    EXPECT_THAT(result.t_hit, ElementsAre(DoubleNear(1.5 / 8, 1e-6), IsNan()));
    EXPECT_THAT(result.hits.offsets, ElementsAre(0, 2, 2));
    EXPECT_THAT(result.hits.ids.bodies_b, ElementsAre(11, 12));
    EXPECT_TRUE(ProvedFree(result, 1));
  }
}

TEST(SceneQueryClient, TellsWhatTheServerSaysOfARefusal) {
  const RealServer server;
  const Client client = server.Connect();
  MakeRow(client);
  SceneSetting setting = Setting();
  setting.scene->min_revision = 5;
  const auto refused = SceneQueryClient(client).Check(setting, {.configurations = At({2, 6})});
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ErrorDetail(refused.status())->field, "open_scene.min_revision");
}

TEST(SceneQueryClient, SameAsScene_QueryBodyIsTheScenesBody_MakesNoPair) {
  const RealServer server;
  const Client client = server.Connect();
  MakeRow(client);
  SceneSetting setting = Setting();
  setting.bodies.bodies.ids = {1, 11};  // 11 is also the box at 4
  const SceneQueryClient queries(client);
  const CheckBatch batch = {.configurations = At({2, 4})};
  const auto refused = queries.Check(setting, batch);
  EXPECT_EQ(ErrorDetail(refused.status())->reason, "BODY_ID_IN_SCENE");
  setting.same_as_scene = {11};
  const auto answered = queries.Check(setting, batch);
  ASSERT_TRUE(answered.ok()) << answered.status();
  EXPECT_THAT(answered->verdicts, ElementsAre(Verdict::kFree));
}

// Every pair of a configuration is proved by the list of the nearest ones, without the server.
TEST(SceneQueryClient, ProvesSeparationsWithoutTheServer) {
  const RealServer server;
  const Client client = server.Connect();
  MakeRow(client);
  const std::vector<double> at = {1.25, 6.25};
  const auto nearest = SceneQueryClient(client).Nearest(
      Setting(),
      {.configurations = At(at), .max_pairs = 100, .detail = {.points = true, .normals = true}});
  ASSERT_TRUE(nearest.ok()) << nearest.status();
  NearestPairs pairs = nearest->pairs;
  ASSERT_EQ(pairs.states.size(), 7u);  // two balls and three boxes, and the balls themselves
  const Shape ball{Sphere{0.5}, 0};
  const auto verify = [&](std::size_t i) {
    const Pose a{.x = at[pairs.ids.bodies_a[i] - 1]};
    const std::uint32_t id = pairs.ids.bodies_b[i];
    const Pose b{.x = pairs.ids.is_self[i] ? at[id - 1] : 4. * (id - 10)};
    const Shape& other = pairs.ids.is_self[i] ? ball : kUnitBox;
    std::string violations;
    for (const Violation& violation : VerifySeparation({ball, a}, {other, b}, pairs, i))
      absl::StrAppend(&violations, violation.message, "\n");
    return violations;
  };
  for (std::size_t i = 0; i < pairs.states.size(); ++i) EXPECT_EQ(verify(i), "") << i;
  pairs.lower_bounds[0] += 0.001;
  EXPECT_THAT(verify(0), HasSubstr("the normal proves 0.25"));
  pairs.normals[3] = -pairs.normals[3];
  EXPECT_THAT(verify(1), HasSubstr("only"));
  pairs.points_b[6] += 0.001;
  EXPECT_THAT(verify(2), HasSubstr("along the normal"));
  pairs.states[3] = State::kUndecided;
  EXPECT_THAT(verify(3), HasSubstr("without a proof"));
  pairs.normals[12] *= 2;
  EXPECT_THAT(verify(4), HasSubstr("length"));
  EXPECT_THAT(VerifySeparation({ball, {}}, {ball, {}}, pairs, 7).front().message,
              HasSubstr("no such pair"));
}

// A session splits a batch that a message cannot hold, and joins the answers.
TEST(SceneSession, SplitsRowsOfAllBodies) {
  const RealServer server({.max_batch_rows = 3});
  const Client client = server.Connect();
  MakeRow(client);
  Asker asker(client);
  std::vector<double> xs;
  for (int row = 0; row < 8; ++row) xs.insert(xs.end(), {1.25 + 0.125 * row, 100});
  xs[2 * 6] = 4;
  const std::unique_ptr<Session> session = client.OpenSession();
  ASSERT_TRUE(session->Open(0, ByName{"ball"}).ok());
  ASSERT_TRUE(session->Open(OpenScene{.name = "row"}).ok());
  ASSERT_TRUE(session->Change({.change = TwoBalls()}).ok());
  const auto result = session->Ask(NearestBatch{.configurations = At(xs)});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->count, 8u);
  EXPECT_EQ(result->states[6], State::kPenetrating);
  EXPECT_THAT(result->pairs.offsets, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_NEAR(result->pairs.distances[5], 0.25 + 0.125 * 5, kClose);
  NearestBatch whole = {.configurations = At(xs)};
  whole.configurations.body_count = 0;
  EXPECT_EQ(session->Ask(whole).status().code(), absl::StatusCode::kResourceExhausted);
}

std::string Described(const Reply& reply) {
  std::string text =
      absl::StrCat(reply.answer.index(), " ", static_cast<int>(reply.status.code()), ":");
  if (const auto* opened = std::get_if<OpenedScene>(&reply.answer))
    absl::StrAppend(&text, opened->scene_slot, " at ", opened->scene.revision);
  if (const auto* changed = std::get_if<ChangedBodies>(&reply.answer))
    absl::StrAppend(&text, changed->body_count, " and ", changed->rule_count);
  if (const auto* result = std::get_if<MinimumDistanceResult>(&reply.answer))
    absl::StrAppend(&text, absl::StrJoin(result->distances, " "), " at ", result->scene_revision);
  if (const auto* result = std::get_if<CheckResult>(&reply.answer))
    absl::StrAppend(&text, static_cast<int>(result->verdicts[0]), " at ", result->scene_revision);
  if (const auto* result = std::get_if<OverlapResult>(&reply.answer))
    absl::StrAppend(&text, absl::StrJoin(result->pairs.ids.bodies_b, " "));
  return text;
}

MinimumDistanceBatch HowFar(const std::vector<double>& xs) {
  Configurations configurations = At(xs);
  configurations.body_count = 0;
  configurations.count = 1;
  return {.configurations = configurations};
}

// Everything that a session may have: shapes whose slots are closed and used again, a scene that
// has changed since, a slot that was refused, bodies that were moved, regrouped and detached,
// rules, and bodies in doubt.
std::vector<SessionMessage> Conversation() {
  ChangeBodies attach;
  attach.change.bodies = {
      .count = 3, .ids = {3, 1, 2}, .shape_slots = {0, 0, 1}, .margins = {0, 0.5, 0}};
  attach.change.rules = {.count = 1, .bodies_a = {2}, .bodies_b = {1}};
  ChangeBodies again;
  again.change.removed_bodies = {3};
  again.change.bodies = {.count = 1, .ids = {1}, .groups = {2}, .masks = {1}};
  again.change.poses = {.count = 1, .ids = {2}, .poses = {2, 0, 0, 0, 0, 0, 1}};
  ChangeBodies bad;
  bad.change.removed_bodies = {77};
  ChangeBodies reset = {.reset = true};
  reset.change.bodies = {.count = 1, .ids = {5}};
  const CheckBatch check = {.configurations = {.count = 1, .scene_slot = 4}};
  return {OpenShape{0, ByName{"ball"}},
          OpenShape{1, Shape{Sphere{0.25}}},
          OpenScene{.scene_slot = 4, .name = "row", .revision = 1},
          OpenScene{.scene_slot = 0, .name = "row"},
          OpenScene{.scene_slot = 7, .name = "nowhere"},
          attach,
          HowFar({2, 1.75, 20}),
          CloseShape{1},
          OpenShape{0, ByName{"box"}},
          HowFar({2, 1.75, 20}),
          again,
          HowFar({3, 2}),
          check,
          OverlapBatch{.count = 1, .scene_slot = 7},
          OverlapBatch{.count = 1, .scene_slot = 0, .max_pairs = 3},
          CloseScene{7},
          bad,
          check,
          CloseShape{0},
          OpenShape{2, ByName{"ball"}},
          reset,
          OpenShape{0, ByName{"ball"}},
          reset,
          check,
          OverlapBatch{.count = 1, .scene_slot = 7}};
}

std::vector<std::string> Held(int port) {
  std::vector<std::string> seen;
  const absl::StatusOr<Client> client =
      Client::Connect(absl::StrCat("127.0.0.1:", port), {.wait = absl::Minutes(10)});
  if (!client.ok()) return {client.status().ToString()};
  const std::unique_ptr<Session> session = client->OpenSession();
  for (const SessionMessage& message : Conversation()) {
    if (!session->Send(message).ok()) seen.emplace_back("not sent");
    const absl::StatusOr<Reply> reply = session->Next();
    seen.push_back(reply.ok() ? Described(*reply) : reply.status().ToString());
  }
  seen.push_back(session->Finish().ToString());
  return seen;
}

TEST(SceneSession, SaysTheSameWhereverItsConnectionBreaks) {
  RealServer server;
  const Client client = server.Connect();
  MakeRow(client);
  ASSERT_TRUE(SceneClient(client).Update("row", {.removed_bodies = {12}}).ok());
  std::vector<std::string> expected;
  std::uint64_t replies = 0;
  {
    const hammer::Relay relay(server.server().port(), {});
    expected = Held(relay.port());
    replies = relay.bytes()[1];
  }
  EXPECT_EQ(expected.back(), "OK");
  EXPECT_THAT(absl::StrJoin(expected, "\n"), HasSubstr("at 1"));
  constexpr std::uint64_t kPlaces = 24;
  int struck = 0;
  for (std::uint64_t place = 1; place < kPlaces; ++place) {
    SCOPED_TRACE(place);
    const hammer::Relay relay(
        server.server().port(),
        {.harm = hammer::Harm::kCut, .is_of_replies = true, .at = replies * place / kPlaces});
    EXPECT_EQ(Held(relay.port()), expected);
    struck += relay.has_struck() ? 1 : 0;
  }
  EXPECT_GT(struck, static_cast<int>(kPlaces) / 2);
}

}  // namespace
}  // namespace clearance::client
