// SPDX-License-Identifier: Apache-2.0
//
// Every way in which a scene or a change of one can be bad: the refusal names code, field, value
// and limit, and the scenes are what they were.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <ostream>
#include <string>

#include "tests/integration/service/scene_messages.h"

namespace clearance::testing {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr grpc::StatusCode kBad = grpc::StatusCode::INVALID_ARGUMENT;
constexpr grpc::StatusCode kTooMuch = grpc::StatusCode::RESOURCE_EXHAUSTED;
constexpr grpc::StatusCode kUnknown = grpc::StatusCode::NOT_FOUND;

// Room for two scenes of four bodies and two rules.
server::Limits SmallLimits() {
  server::Limits limits;
  limits.max_scenes = 2;
  limits.max_scene_bodies = 4;
  limits.max_scene_rules = 2;
  limits.max_scene_bytes = 1 << 20;
  limits.max_slots_per_session = 3;
  limits.max_request_bytes = 100'000;
  return limits;
}

struct BadChange {
  const char* name;
  std::function<void(v1::SceneChange&)> spoil;  // of a good change: body 5 comes
  grpc::StatusCode code;
  const char* field;  // after "change."
  std::string value;
  std::string limit;
};

std::ostream& operator<<(std::ostream& out, const BadChange& bad) { return out << bad.name; }

v1::PairRuleColumns& OneRule(v1::SceneChange& change) {
  v1::PairRuleColumns& rules = *change.mutable_rules();
  rules.set_count(1);
  rules.add_bodies_a(1);
  rules.add_bodies_b(2);
  return rules;
}

v1::BodyPoseColumns& OnePose(v1::SceneChange& change, double x) {
  v1::BodyPoseColumns& poses = *change.mutable_poses();
  poses.set_count(1);
  poses.add_ids(1);
  AddPoseAt(x, poses.mutable_poses());
  return poses;
}

class BadSceneChange : public ::testing::TestWithParam<BadChange> {};

// As an update of a kept scene and of one in memory, and as a new scene.
TEST_P(BadSceneChange, IsRefusedAndChangesNothing) {
  const BadChange& bad = GetParam();
  TestServer server{SmallLimits()};
  Register(server, "ball", Sphere(1));
  CreateRow(server, "kept", 3, Kept());
  v1::SceneChange change;
  change.mutable_bodies()->set_count(1);
  change.mutable_bodies()->add_ids(5);
  change.mutable_bodies()->add_shapes()->set_name("ball");
  bad.spoil(change);
  const auto expect = [&](const grpc::Status& status) {
    EXPECT_EQ(status.error_code(), bad.code) << status.error_message();
    const v1::Error error = ErrorOf(status);
    EXPECT_EQ(error.field(), std::string("change.") + bad.field);
    EXPECT_EQ(error.value(), bad.value);
    EXPECT_EQ(error.limit(), bad.limit);
  };
  v1::UpdateSceneRequest update;
  v1::UpdateSceneResponse updated;
  update.set_name("kept");
  *update.mutable_change() = change;
  expect(Call(*server.scenes, &v1::SceneService::Stub::UpdateScene, update, &updated));
  CreateRow(server, "short", 3, Forever());
  update.set_name("short");
  expect(Call(*server.scenes, &v1::SceneService::Stub::UpdateScene, update, &updated));
  EXPECT_EQ(GetScene(server, "kept").scene().revision(), 1u);
  EXPECT_EQ(GetScene(server, "short").scene().revision(), 1u);
}

INSTANTIATE_TEST_SUITE_P(
    Table, BadSceneChange,
    ::testing::Values(
        BadChange{"no_ids", [](auto& c) { c.mutable_bodies()->clear_ids(); }, kBad, "bodies.ids",
                  "0 numbers", "1 numbers"},
        BadChange{"columns_do_not_fit",
                  [](auto& c) {
                    c.mutable_bodies()->add_masks(1);
                    c.mutable_bodies()->add_masks(1);
                  },
                  kBad, "bodies.masks", "2 numbers",
                  "0, 1 (one row for all) or 1 numbers (count rows)"},
        BadChange{"pose_too_short", [](auto& c) { c.mutable_bodies()->add_poses(1); }, kBad,
                  "bodies.poses", "1 numbers",
                  "0, 7 (one row for all) or 7 numbers (count rows)"},
        BadChange{"slot_beyond", [](auto& c) { c.mutable_bodies()->add_shape_slots(1); }, kBad,
                  "bodies.shape_slots[0]", "1", "< 1, the number of shapes"},
        BadChange{"no_shape", [](auto& c) { c.mutable_bodies()->clear_shapes(); }, kBad,
                  "bodies.shape_slots[0]", "0", "< 0, the number of shapes"},
        BadChange{"unset_shape", [](auto& c) { c.mutable_bodies()->mutable_shapes(0)->Clear(); },
                  kBad, "bodies.shapes[0].reference", "unset", "name, digest or inline_shape"},
        BadChange{"unknown_shape",
                  [](auto& c) { c.mutable_bodies()->mutable_shapes(0)->set_name("none"); },
                  kUnknown, "bodies.shapes[0].name", "none", "a registered shape"},
        BadChange{"inline_shape",
                  [](auto& c) {
                    *c.mutable_bodies()->mutable_shapes(0)->mutable_inline_shape() = Sphere(1);
                  },
                  kBad, "bodies.shapes[0].inline_shape", "set", "name or digest"},
        BadChange{"too_many_shapes",
                  [](auto& c) {
                    for (int i = 0; i < 3; ++i) c.mutable_bodies()->add_shapes()->set_name("ball");
                  },
                  kTooMuch, "bodies.shapes", "4", "max_slots_per_session <= 3"},
        BadChange{"pose_not_finite",
                  [](auto& c) { AddPoseAt(kNotANumber, c.mutable_bodies()->mutable_poses()); },
                  kBad, "bodies.poses[0]", "nan", "finite"},
        BadChange{"quaternion_not_unit",
                  [](auto& c) {
                    AddPoseAt(1, c.mutable_bodies()->mutable_poses());
                    c.mutable_bodies()->set_poses(6, 2);
                  },
                  kBad, "bodies.poses[0]", "2", "unit length within 0.001"},
        BadChange{"too_far_out",
                  [](auto& c) { AddPoseAt(1.5e308, c.mutable_bodies()->mutable_poses()); }, kBad,
                  "bodies.poses[0]", "1.5e+308",
                  "8 times every coordinate of the posed shape is a finite double"},
        BadChange{"margin_negative", [](auto& c) { c.mutable_bodies()->add_margins(-1); }, kBad,
                  "bodies.margins[0]", "-1", "0 to 1e300"},
        BadChange{"margin_nan", [](auto& c) { c.mutable_bodies()->add_margins(kNotANumber); },
                  kBad, "bodies.margins[0]", "nan", "0 to 1e300"},
        BadChange{"too_many_bodies",
                  [](auto& c) {
                    c.mutable_bodies()->set_count(2);
                    c.mutable_bodies()->add_ids(6);
                  },
                  kTooMuch, "bodies.count", "5", "max_scene_bodies <= 4"},
        BadChange{"removes_unknown", [](auto& c) { c.add_removed_bodies(77); }, kBad,
                  "removed_bodies[0]", "77", "a body of the scene"},
        BadChange{"moves_unknown", [](auto& c) { OnePose(c, 1).set_ids(0, 78); }, kBad,
                  "poses.ids[0]", "78", "a body of the scene"},
        BadChange{"moves_without_pose", [](auto& c) { OnePose(c, 1).clear_poses(); }, kBad,
                  "poses.poses", "0 numbers", "7 numbers"},
        BadChange{"moves_without_id", [](auto& c) { OnePose(c, 1).clear_ids(); }, kBad,
                  "poses.ids", "0 numbers", "1 numbers"},
        BadChange{"moves_to_nan", [](auto& c) { OnePose(c, kNotANumber); }, kBad,
                  "poses.poses[0]", "nan", "finite"},
        BadChange{"margin_of_one_body",
                  [](auto& c) {
                    v1::PairRuleColumns& rule = OneRule(c);
                    rule.set_bodies_b(0, 1);
                    rule.add_kinds(v1::PAIR_RULE_KIND_MARGIN);
                  },
                  kBad, "rules.bodies_b[0]", "1",
                  "another body than the row's first, or PAIR_RULE_KIND_MAY_TOUCH"},
        BadChange{"rule_of_no_kind",
                  [](auto& c) { OneRule(c).add_kinds(v1::PAIR_RULE_KIND_UNSPECIFIED); }, kBad,
                  "rules.kinds[0]", "0", "PAIR_RULE_KIND_MAY_TOUCH or PAIR_RULE_KIND_MARGIN"},
        BadChange{"rule_margin_nan", [](auto& c) { OneRule(c).add_margins(kNotANumber); }, kBad,
                  "rules.margins[0]", "nan", "0 to 1e300"},
        BadChange{"rule_margin_without_kind", [](auto& c) { OneRule(c).add_margins(0.25); }, kBad,
                  "rules.kinds", "none, with margins[0] = 0.25",
                  "PAIR_RULE_KIND_MARGIN for a rule with a margin"},
        BadChange{"rule_without_body", [](auto& c) { OneRule(c).clear_bodies_a(); }, kBad,
                  "rules.bodies_a", "0 numbers", "1 numbers"},
        BadChange{"too_many_rules",
                  [](auto& c) {
                    v1::PairRuleColumns& rules = OneRule(c);
                    rules.set_count(3);
                    for (const std::uint32_t id : {3u, 4u}) {
                      rules.add_bodies_a(1);
                      rules.add_bodies_b(id);
                    }
                  },
                  kTooMuch, "rules.count", "3", "max_scene_rules <= 2"}),
    [](const auto& row) { return std::string(row.param.name); });

struct BadScene {
  const char* name;
  std::function<void(v1::CreateSceneRequest&)> spoil;
  grpc::StatusCode code;
  const char* field;
  std::string limit;
};

std::ostream& operator<<(std::ostream& out, const BadScene& bad) { return out << bad.name; }

class BadSceneCreation : public ::testing::TestWithParam<BadScene> {};

TEST_P(BadSceneCreation, IsRefused) {
  TestServer server{SmallLimits()};
  Register(server, "ball", Sphere(1));
  CreateRow(server, "old", 1, Kept());
  v1::CreateSceneRequest request;
  v1::CreateSceneResponse response;
  request.set_name("new");
  GetParam().spoil(request);
  const grpc::Status status =
      Call(*server.scenes, &v1::SceneService::Stub::CreateScene, request, &response);
  EXPECT_EQ(status.error_code(), GetParam().code);
  EXPECT_EQ(ErrorOf(status).field(), GetParam().field);
  EXPECT_EQ(ErrorOf(status).limit(), GetParam().limit);
  v1::ListScenesResponse list;
  ASSERT_TRUE(Call(*server.scenes, &v1::SceneService::Stub::ListScenes, {}, &list).ok());
  EXPECT_EQ(list.scenes_size(), 1);
}

INSTANTIATE_TEST_SUITE_P(
    Table, BadSceneCreation,
    ::testing::Values(
        BadScene{"no_name", [](auto& r) { r.set_name(""); }, kBad, "name",
                 "1 to 128 characters of [a-z0-9][a-z0-9._/-]*"},
        BadScene{"taken", [](auto& r) { r.set_name("old"); }, grpc::StatusCode::ALREADY_EXISTS,
                 "name", "a free name"},
        BadScene{"ttl_zero", [](auto& r) { r.mutable_ttl(); }, kBad, "ttl", "1 ms to 10 years"},
        BadScene{"ttl_negative", [](auto& r) { r.mutable_ttl()->set_seconds(-1); }, kBad, "ttl",
                 "1 ms to 10 years"},
        BadScene{
            "ttl_of_ages",
            [](auto& r) { r.mutable_ttl()->set_seconds(std::numeric_limits<std::int64_t>::max()); },
            kBad, "ttl", "1 ms to 10 years"},
        BadScene{"moves_nothing", [](auto& r) { OnePose(*r.mutable_content(), 1); }, kBad,
                 "content.poses.ids[0]", "a body of the scene"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(SceneLimits, BoundTheNumberOfScenes) {
  TestServer server{SmallLimits()};
  Register(server, "ball", Sphere(1));
  CreateRow(server, "a", 1, Kept());
  CreateRow(server, "b", 1, Forever());
  v1::CreateSceneRequest request;
  v1::CreateSceneResponse response;
  request.set_name("c");
  const grpc::Status status =
      Call(*server.scenes, &v1::SceneService::Stub::CreateScene, request, &response);
  EXPECT_EQ(status.error_code(), kTooMuch);
  EXPECT_EQ(ErrorOf(status).limit(), "max_scenes <= 2");
}

TEST(SceneLimits, BoundTheBytesOfAllScenes) {
  server::Limits limits;
  limits.max_scene_bytes = 1000;
  TestServer server{limits};
  Register(server, "ball", Sphere(1));
  v1::CreateSceneRequest request;
  v1::CreateSceneResponse response;
  request.set_name("a");
  *request.mutable_content()->mutable_bodies() = RowOf(100, "ball");
  const grpc::Status status =
      Call(*server.scenes, &v1::SceneService::Stub::CreateScene, request, &response);
  EXPECT_EQ(status.error_code(), kTooMuch);
  EXPECT_EQ(ErrorOf(status).limit(), "max_scene_bytes <= 1000");
}

TEST(BadScenePage, IsRefused) {
  TestServer server;
  Register(server, "ball", Sphere(1));
  CreateRow(server, "row", 3, Kept());
  CreateRow(server, "other", 3, Kept());
  v1::GetSceneRequest request;
  v1::GetSceneResponse response;
  const auto field_of = [&] {
    return ErrorOf(Call(*server.scenes, &v1::SceneService::Stub::GetScene, request, &response))
        .field();
  };
  request.set_name("row");
  request.set_page_size(-1);
  EXPECT_EQ(field_of(), "page_size");
  request.set_page_size(1);
  for (const char* token : {"x", "MSAyIDM", "MSAw"}) {
    request.set_page_token(token);
    EXPECT_NE(field_of(), "") << token;
  }
  request.clear_page_token();
  request.set_include_bodies(true);
  ASSERT_TRUE(Call(*server.scenes, &v1::SceneService::Stub::GetScene, request, &response).ok());
  request.set_page_token(response.next_page_token());
  request.set_name("other");
  EXPECT_EQ(field_of(), "page_token");
  request.set_name("none");
  EXPECT_EQ(field_of(), "name");
}

}  // namespace
}  // namespace clearance::testing
