// SPDX-License-Identifier: Apache-2.0
//
// Every way in which a batch or one of its rows can be bad: the refusal names code, field, value
// and limit, and the session answers the next message as if nothing had been.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <ostream>
#include <string>

#include "tests/integration/service/harness.h"

namespace clearance::testing {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr std::uint32_t kHugeSlot = 6;

using Spoil = std::function<void(v1::SessionRequest&)>;

struct BadCase {
  const char* name;
  Spoil spoil;  // makes a good message of two rows (a distance) bad
  grpc::StatusCode code;
  const char* field;
  const char* value;
  const char* limit;
};

std::ostream& operator<<(std::ostream& out, const BadCase& bad) { return out << bad.name; }

std::string NameOf(const ::testing::TestParamInfo<BadCase>& info) { return info.param.name; }

// Slots 0 and 1 hold unit spheres, slot 2 was closed, slot 3 is poisoned, slot 4 was never opened.
class BadBatch : public ::testing::TestWithParam<BadCase> {
 protected:
  void SetUp() override {
    session_.Open(0, Sphere(1));
    session_.Open(1, Sphere(1));
    session_.Open(2, Sphere(1));
    session_.Open(kHugeSlot, Sphere(1e308));
    v1::SessionRequest close;
    close.mutable_close()->set_slot(2);
    EXPECT_EQ(session_.Ask(close).close().slot(), 2u);
    v1::SessionRequest open;
    open.mutable_open()->set_slot(3);
    open.mutable_open()->mutable_shape()->set_name("nobody");
    EXPECT_EQ(ErrorOf(session_.Ask(open).status()).field(), "open.shape.name");
  }

  // Two rows: B at (5, 0, 0) and at (7, 0, 0).
  static v1::SessionRequest GoodMessage() {
    v1::SessionRequest request;
    request.set_tag(21);
    auto* const pairs = request.mutable_distance()->mutable_pairs();
    pairs->set_count(2);
    for (const double x : {5.0, 7.0}) {
      for (const double number : {x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}) pairs->add_poses_b(number);
    }
    return request;
  }

  void ExpectServes() {
    const v1::SessionResponse response = session_.Ask(GoodMessage());
    ASSERT_TRUE(response.has_distance()) << response.ShortDebugString();
    EXPECT_THAT(response.distance().states(),
                ::testing::Each(static_cast<int>(v1::STATE_SEPARATED)));
    EXPECT_EQ(response.distance().errors_size(), 0);
    EXPECT_EQ(server_.registry.revision(), 0u);
  }

  void ExpectIs(const v1::Error& error, const BadCase& bad) {
    EXPECT_EQ(error.code(), static_cast<std::uint32_t>(bad.code));
    EXPECT_EQ(error.field(), bad.field);
    EXPECT_EQ(error.value(), bad.value);
    EXPECT_EQ(error.limit(), bad.limit);
    EXPECT_FALSE(error.message().empty());
  }

  TestServer server_;
  TestSession session_{server_};
};

using BadMessage = BadBatch;

TEST_P(BadMessage, IsRefusedWholeAndTheSessionGoesOn) {
  v1::SessionRequest request = GoodMessage();
  GetParam().spoil(request);
  const v1::SessionResponse response = session_.Ask(request);
  EXPECT_EQ(response.tag(), 21u);
  EXPECT_EQ(response.kind_case(), v1::SessionResponse::KIND_NOT_SET);
  EXPECT_EQ(response.status().code(), GetParam().code);
  ExpectIs(ErrorOf(response.status()), GetParam());
  ExpectServes();
}

v1::PairColumns* Pairs(v1::SessionRequest& request) {
  return request.mutable_distance()->mutable_pairs();
}

v1::TimeOfCollisionBatch* MakeMotion(v1::SessionRequest& request) {
  const v1::PairColumns pairs = request.distance().pairs();
  *request.mutable_time_of_collision()->mutable_pairs() = pairs;
  return request.mutable_time_of_collision();
}

constexpr grpc::StatusCode kInvalid = grpc::StatusCode::INVALID_ARGUMENT;
constexpr grpc::StatusCode kNotFound = grpc::StatusCode::NOT_FOUND;
constexpr grpc::StatusCode kExhausted = grpc::StatusCode::RESOURCE_EXHAUSTED;
constexpr grpc::StatusCode kPrecondition = grpc::StatusCode::FAILED_PRECONDITION;

const BadCase kBadMessages[] = {
    {"NoKind", [](auto& m) { m.clear_kind(); }, kInvalid, "kind", "unset",
     "open, close, distance, intersection, time_of_collision, open_scene, "
     "close_scene, change_bodies, check, minimum_distance, sweep, ray, nearest, overlap, "
     "open_track, "
     "publish_tick, close_track or rewind_track"},
    {"NoRows", [](auto& m) { Pairs(m)->set_count(0); }, kInvalid, "distance.pairs.count", "0",
     ">= 1"},
    {"TooManyRows", [](auto& m) { Pairs(m)->set_count(100'001); }, kExhausted,
     "distance.pairs.count", "100001", "max_batch_rows <= 100000"},
    {"TooFewNumbersInAPose", [](auto& m) { Pairs(m)->mutable_poses_b()->RemoveLast(); }, kInvalid,
     "distance.pairs.poses_b", "13 numbers", "0, 7 (one row for all) or 14 numbers (count rows)"},
    {"ColumnsOfUnequalLength",
     [](auto& m) {
       for (int i = 0; i < 21; ++i) Pairs(m)->add_poses_a(0);
     },
     kInvalid, "distance.pairs.poses_a", "21 numbers",
     "0, 7 (one row for all) or 14 numbers (count rows)"},
    {"TooManySlots",
     [](auto& m) {
       for (int i = 0; i < 3; ++i) Pairs(m)->add_slots_a(0);
     },
     kInvalid, "distance.pairs.slots_a", "3 numbers",
     "0, 1 (one row for all) or 2 numbers (count rows)"},
    {"TooManyMaxDistances",
     [](auto& m) {
       for (int i = 0; i < 3; ++i) m.mutable_distance()->add_max_distances(1);
     },
     kInvalid, "distance.max_distances", "3 numbers",
     "0, 1 (one row for all) or 2 numbers (count rows)"},
    {"NegativeBudget",
     [](auto& m) {
       m.mutable_distance()->mutable_options()->mutable_time_budget()->set_seconds(-1);
     },
     kInvalid, "distance.options.time_budget", "-1 s 0 ns", ">= 0 s, 0 to 999999999 ns"},
    {"BudgetOfTooManyNanoseconds",
     [](auto& m) {
       m.mutable_distance()->mutable_options()->mutable_time_budget()->set_nanos(1'000'000'000);
     },
     kInvalid, "distance.options.time_budget", "0 s 1000000000 ns", ">= 0 s, 0 to 999999999 ns"},
    {"NegativeTolerance", [](auto& m) { m.mutable_distance()->set_tolerance(-1); }, kInvalid,
     "distance.tolerance", "-1", "finite, >= 0"},
    {"ContactSeparationThatIsNoNumber",
     [](auto& m) { m.mutable_distance()->set_max_contact_separation(kNan); }, kInvalid,
     "distance.max_contact_separation", "nan", "not NaN"},
    {"ToleranceThatIsNoNumber", [](auto& m) { m.mutable_distance()->set_tolerance(kNan); },
     kInvalid, "distance.tolerance", "nan", "finite, >= 0"},
    {"ReplyTooSmallForOneRow",
     [](auto& m) { m.mutable_distance()->mutable_options()->set_max_reply_bytes(100); }, kExhausted,
     "distance.options.max_reply_bytes", "100",
     ">= 1061 for this batch, and the server's max_reply_bytes"},
    {"EndPoseBesideADisplacement",
     [](auto& m) {
       auto* const batch = MakeMotion(m);
       for (int i = 0; i < 7; ++i) batch->add_end_poses_b(i == 6 ? 1 : 0);
       for (int i = 0; i < 3; ++i) batch->add_displacements_b(1);
     },
     kInvalid, "time_of_collision.end_poses_b", "7 numbers",
     "no displacements, rotations or pivots of the same body"},
    {"RotationsOfTwoNumbers",
     [](auto& m) {
       auto* const batch = MakeMotion(m);
       for (int i = 0; i < 2; ++i) batch->add_rotations_a(1);
     },
     kInvalid, "time_of_collision.rotations_a", "2 numbers",
     "0, 3 (one row for all) or 6 numbers (count rows)"},
    {"CloseOfASlotThatWasNeverOpened", [](auto& m) { m.mutable_close()->set_slot(4); }, kNotFound,
     "close.slot", "4", "an open slot"},
    {"CloseOfAClosedSlot", [](auto& m) { m.mutable_close()->set_slot(2); }, kNotFound, "close.slot",
     "2", "an open slot"},
    {"OpenOfASlotOutsideTheTable", [](auto& m) { m.mutable_open()->set_slot(65536); }, kExhausted,
     "open.slot", "65536", "max_slots_per_session: < 65536"},
    {"OpenOfNothing", [](auto& m) { m.mutable_open()->set_slot(5); }, kInvalid,
     "open.shape.reference", "unset", "name, digest or inline_shape"},
    {"OpenOfAnUnknownShape",
     [](auto& m) {
       m.mutable_open()->mutable_shape()->set_name("nobody");
       m.mutable_open()->set_slot(5);
     },
     kNotFound, "open.shape.name", "nobody", "a registered shape"},
    {"OpenOfABadName",
     [](auto& m) {
       m.mutable_open()->mutable_shape()->set_name("No!");
       m.mutable_open()->set_slot(5);
     },
     kInvalid, "open.shape.name", "No!", "1 to 128 characters of [a-z0-9][a-z0-9._/-]*"},
    {"OpenOfABadDigest",
     [](auto& m) {
       m.mutable_open()->mutable_shape()->set_digest("v1-sha256-12");
       m.mutable_open()->set_slot(5);
     },
     kInvalid, "open.shape.digest", "v1-sha256-12", "v1-sha256- and 64 digits of 0-9 and a-f"},
    {"OpenOfAnInlineShapeWithANumberThatIsNone",
     [](auto& m) {
       m.mutable_open()->set_slot(5);
       *m.mutable_open()->mutable_shape()->mutable_inline_shape() = Hull({0, 0, 0, 1, kNan, 0});
     },
     kInvalid, "open.shape.inline_shape.hull.vertices[1].y", "nan", "finite"},
    {"OpenOfARevisionToCome",
     [](auto& m) {
       m.mutable_open()->set_slot(5);
       m.mutable_open()->mutable_shape()->set_name("nobody");
       m.mutable_open()->set_min_revision(9);
     },
     kPrecondition, "open.min_revision", "9", "<= 0"},
};
INSTANTIATE_TEST_SUITE_P(Each, BadMessage, ::testing::ValuesIn(kBadMessages), NameOf);

class BadRow : public BadBatch {};

// The second row is spoilt; the first is answered.
TEST_P(BadRow, IsRefusedByItself) {
  v1::SessionRequest request = GoodMessage();
  GetParam().spoil(request);
  const v1::SessionResponse response = session_.Ask(request);
  EXPECT_FALSE(response.has_status()) << response.ShortDebugString();
  if (response.has_time_of_collision()) {
    const auto& result = response.time_of_collision();
    EXPECT_NE(result.states(0), v1::MOTION_STATE_REFUSED);
    EXPECT_EQ(result.states(1), v1::MOTION_STATE_REFUSED);
    ASSERT_EQ(result.errors_size(), 1);
    EXPECT_EQ(result.errors(0).index(), 1u);
    ExpectIs(result.errors(0), GetParam());
  } else {
    const auto& result = response.distance();
    ASSERT_EQ(result.states_size(), 2);
    EXPECT_EQ(result.states(0), v1::STATE_SEPARATED);
    EXPECT_EQ(result.states(1), v1::STATE_REFUSED);
    EXPECT_TRUE(std::isnan(result.distances(1)));
    ASSERT_EQ(result.errors_size(), 1);
    EXPECT_EQ(result.errors(0).index(), 1u);
    ExpectIs(result.errors(0), GetParam());
  }
  ExpectServes();
}

Spoil SlotOfSecondRow(std::uint32_t slot) {
  return [slot](v1::SessionRequest& m) {
    Pairs(m)->add_slots_a(0);
    Pairs(m)->add_slots_a(slot);
  };
}

Spoil PoseOfSecondRow(int number, double value) {
  return [=](v1::SessionRequest& m) { Pairs(m)->set_poses_b(7 + number, value); };
}

Spoil MaxDistanceOfSecondRow(double value) {
  return [value](v1::SessionRequest& m) {
    m.mutable_distance()->add_max_distances(100);
    m.mutable_distance()->add_max_distances(value);
  };
}

Spoil TargetDistanceOfSecondRow(double value) {
  return [value](v1::SessionRequest& m) {
    v1::TimeOfCollisionBatch* const batch = MakeMotion(m);
    batch->add_target_distances(0.1);
    batch->add_target_distances(value);
  };
}

using Column = google::protobuf::RepeatedField<double>;

Spoil MotionOfSecondRow(Column* (v1::TimeOfCollisionBatch::*column)(),
                        const std::vector<double>& second) {
  return [=](v1::SessionRequest& m) {
    Column* const numbers = (MakeMotion(m)->*column)();
    for (std::size_t i = 0; i < second.size(); ++i) numbers->Add(i == 6 ? 1 : 0);
    numbers->Add(second.begin(), second.end());
  };
}

const BadCase kBadRows[] = {
    {"SlotNeverOpened", SlotOfSecondRow(4), kNotFound, "slots_a[1]", "4", "an open slot"},
    {"SlotOutsideTheTable", SlotOfSecondRow(4'000'000'000), kNotFound, "slots_a[1]", "4000000000",
     "an open slot"},
    {"SlotClosed", SlotOfSecondRow(2), kNotFound, "slots_a[1]", "2", "an open slot"},
    {"SlotPoisoned", SlotOfSecondRow(3), kPrecondition, "slots_a[1]", "3", "an open slot"},
    {"PoseWithANumberThatIsNone", PoseOfSecondRow(1, kNan), kInvalid, "poses_b[1]", "nan",
     "finite"},
    {"PoseAtInfinity", PoseOfSecondRow(2, -kInfinity), kInvalid, "poses_b[1]", "-inf", "finite"},
    {"QuaternionWithANumberThatIsNone", PoseOfSecondRow(4, kNan), kInvalid, "poses_b[1]", "nan",
     "finite"},
    {"QuaternionNotUnit", PoseOfSecondRow(6, 2), kInvalid, "poses_b[1]", "2",
     "unit length within 0.001"},
    {"QuaternionZero", PoseOfSecondRow(6, 0), kInvalid, "poses_b[1]", "0",
     "unit length within 0.001"},
    {"ShapeThatWouldOverflow",
     [](auto& m) {
       Pairs(m)->add_slots_b(1);
       Pairs(m)->add_slots_b(kHugeSlot);
       Pairs(m)->set_poses_b(7, 1.7e308);
     },
     kInvalid, "poses_b[1]", "1.7e+308",
     "8 times every coordinate of the posed shape is a finite double"},
    {"MaxDistanceThatIsNoNumber", MaxDistanceOfSecondRow(kNan), kInvalid, "max_distances[1]", "nan",
     ">= 0"},
    {"MaxDistanceNegative", MaxDistanceOfSecondRow(-0.5), kInvalid, "max_distances[1]", "-0.5",
     ">= 0"},
    {"TargetDistanceAtInfinity", TargetDistanceOfSecondRow(kInfinity), kInvalid,
     "target_distances[1]", "inf", "finite"},
    {"TargetDistanceThatIsNoNumber", TargetDistanceOfSecondRow(kNan), kInvalid,
     "target_distances[1]", "nan", ">= 0"},
    {"DisplacementThatIsNoNumber",
     MotionOfSecondRow(&v1::TimeOfCollisionBatch::mutable_displacements_a, {0, kNan, 0}), kInvalid,
     "displacements_a[1]", "nan", "finite"},
    {"RotationAtInfinity",
     MotionOfSecondRow(&v1::TimeOfCollisionBatch::mutable_rotations_b, {kInfinity, 0, 0}), kInvalid,
     "rotations_b[1]", "inf", "finite"},
    {"RotationTooLong",
     MotionOfSecondRow(&v1::TimeOfCollisionBatch::mutable_rotations_b, {0, 0, 641}), kInvalid,
     "rotations_b[1]", "641", "<= 640 radians"},
    {"PivotThatIsNoNumber",
     MotionOfSecondRow(&v1::TimeOfCollisionBatch::mutable_pivots_a, {kNan, 0, 0}), kInvalid,
     "pivots_a[1]", "nan", "finite"},
    {"EndPoseNotUnit",
     MotionOfSecondRow(&v1::TimeOfCollisionBatch::mutable_end_poses_a, {0, 0, 0, 0, 0, 0, 3}),
     kInvalid, "end_poses_a[1]", "3", "unit length within 0.001"},
    {"EndPoseHalfATurnAway",
     MotionOfSecondRow(&v1::TimeOfCollisionBatch::mutable_end_poses_a, {0, 0, 0, 1, 0, 0, 0}),
     kInvalid, "end_poses_a[1]", "0", "more than 1e-9 radians from half a turn"},
    {"TargetDistanceNegative",
     [](auto& m) {
       MakeMotion(m)->add_target_distances(0);
       m.mutable_time_of_collision()->add_target_distances(-1);
     },
     kInvalid, "target_distances[1]", "-1", ">= 0"},
    {"MotionThatWouldOverflow",
     [](auto& m) {
       Pairs(m)->set_poses_b(7, 1e306);
       MotionOfSecondRow(&v1::TimeOfCollisionBatch::mutable_displacements_b, {1.7e308, 0, 0})(m);
     },
     kInvalid, "displacements_b[1]", "1.7e+308",
     "16 times every coordinate of the moving shape is a finite double"},
};
INSTANTIATE_TEST_SUITE_P(Each, BadRow, ::testing::ValuesIn(kBadRows), NameOf);

using PoisonedSlot = BadBatch;

TEST_F(PoisonedSlot, NamesTheFirstFailureAndHealsWhenItIsOpened) {
  v1::SessionRequest request = GoodMessage();
  SlotOfSecondRow(3)(request);
  EXPECT_THAT(session_.Ask(request).distance().errors(0).message(),
              ::testing::HasSubstr("shape.name = nobody"));
  session_.Open(3, Sphere(1));
  EXPECT_EQ(session_.Ask(request).distance().errors_size(), 0);
}

TEST_F(PoisonedSlot, MayBeClosed) {
  v1::SessionRequest close;
  close.mutable_close()->set_slot(3);
  EXPECT_EQ(session_.Ask(close).close().slot(), 3u);
}

TEST_F(PoisonedSlot, LosesTheShapeThatItHeld) {
  v1::SessionRequest open;
  open.mutable_open()->set_slot(1);
  open.mutable_open()->mutable_shape()->set_name("nobody");
  EXPECT_EQ(session_.Ask(open).status().code(), kNotFound);
  EXPECT_EQ(session_.Ask(GoodMessage()).distance().errors_size(), 2);
}

}  // namespace
}  // namespace clearance::testing
