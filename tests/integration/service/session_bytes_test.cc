// SPDX-License-Identifier: Apache-2.0
//
// Sessions that want more than all may hold between their messages. Those of one caller may have
// half of it if alone, and every session a small part for itself.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "server/session/session_room.h"
#include "tests/integration/service/guarded_server.h"

namespace clearance::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kMostOfSessions = 1 << 20;
constexpr std::uint32_t kManySlots = 600;  // some 300 kB, of which a session's own is 64
constexpr int kPointsOfLarge = 1500;

v1::SessionRequest OpenOf(std::uint32_t slot, const v1::Shape& shape) {
  v1::SessionRequest request;
  request.mutable_open()->set_slot(slot);
  *request.mutable_open()->mutable_shape()->mutable_inline_shape() = shape;
  return request;
}

v1::SessionRequest CloseOf(std::uint32_t slot) {
  v1::SessionRequest request;
  request.mutable_close()->set_slot(slot);
  return request;
}

v1::SessionRequest AttachOne(std::uint32_t slot) {
  v1::SessionRequest request;
  v1::BodyColumns& bodies = *request.mutable_change_bodies()->mutable_change()->mutable_bodies();
  bodies.set_count(1);
  bodies.add_ids(7);
  bodies.add_shape_slots(slot);
  for (const double number : {0., 0., 0., 0., 0., 0., 1.}) bodies.add_poses(number);
  return request;
}

void ExpectRefused(const v1::SessionResponse& response, const std::string& field) {
  EXPECT_EQ(response.status().code(), grpc::StatusCode::RESOURCE_EXHAUSTED)
      << response.ShortDebugString();
  const v1::Error error = ErrorOf(response.status());
  EXPECT_EQ(error.field(), field);
  EXPECT_EQ(error.limit(), "max_total_session_bytes <= " + std::to_string(kMostOfSessions) +
                               ", and of one caller what the others leave free");
  EXPECT_TRUE(error.has_retry_after());
}

class SessionBytes : public ::testing::Test {
 protected:
  std::unique_ptr<TestSession> Begin(const std::string& id) {
    return std::make_unique<TestSession>(*server_.queries, AuthorizationOf(id));
  }
  double Held() { return server_.metrics.total_session_bytes().Value(); }
  void AwaitHeld(double bytes) {
    while (Held() != bytes) std::this_thread::yield();
  }
  // Opens sessions of the caller until one is refused the shape.
  std::vector<std::unique_ptr<TestSession>> HoldAll(const std::string& id) {
    std::vector<std::unique_ptr<TestSession>> sessions;
    for (;;) {
      sessions.push_back(Begin(id));
      const v1::SessionResponse response = sessions.back()->Ask(OpenOf(0, large_));
      if (response.has_open()) continue;
      ExpectRefused(response, "open.shape.inline_shape");
      return sessions;
    }
  }

  server::Authenticator authenticator_{TokensOf({"viewer", "maker", "owner"}),
                                       *server::Policy::Parse(kGuardPolicy)};
  TestServer server_{{}, {}, &authenticator_, {.max_total_session_bytes = kMostOfSessions}};
  const v1::Shape large_ = RingHull(kPointsOfLarge);
};

TEST_F(SessionBytes, OneCallerIsRefused_OthersGetRoom_RoomComesBack) {
  auto sessions = HoldAll("viewer");
  const double held = Held();
  EXPECT_GT(held, 0);
  EXPECT_LE(held, kMostOfSessions / 2.);

  const auto other = Begin("maker");
  EXPECT_TRUE(other->Ask(OpenOf(0, large_)).has_open());
  EXPECT_GT(Held(), held);
  EXPECT_TRUE(other->Ask(CloseOf(0)).has_close());
  EXPECT_EQ(Held(), held);

  // The slot that was refused has nothing, and what closes makes room for it.
  TestSession& refused = *sessions.back();
  EXPECT_TRUE(sessions.front()->Ask(CloseOf(0)).has_close());
  EXPECT_TRUE(refused.Ask(OpenOf(0, large_)).has_open());
  EXPECT_EQ(Held(), held);

  sessions.clear();
  AwaitHeld(0);
  EXPECT_TRUE(Begin("viewer")->Ask(OpenOf(0, large_)).has_open());
}

TEST_F(SessionBytes, WhatASessionHasOfItsOwnIsNeverRefused) {
  const auto sessions = HoldAll("viewer");
  const auto small = Begin("viewer");
  for (std::uint32_t slot = 0; slot < 32; ++slot) small->Open(slot, Sphere(1));
}

// A slot costs something whatever is in it, a reason that it failed for included.
TEST_F(SessionBytes, SlotsThatHoldNothingOfTheCallersAreCountedToo) {
  const std::string digest = [&] {
    v1::RegisterShapeRequest request;
    v1::RegisterShapeResponse response;
    request.set_name("ball");
    *request.mutable_shape() = Sphere(1);
    EXPECT_TRUE(CallWith(AuthorizationOf("owner"), *server_.shapes,
                         &v1::ShapeService::Stub::RegisterShape, request, &response)
                    .ok());
    return response.info().digest();
  }();
  v1::SessionRequest open;
  open.mutable_open()->mutable_shape()->set_digest(digest);
  std::vector<std::unique_ptr<TestSession>> sessions;
  for (;;) {
    sessions.push_back(Begin("viewer"));
    open.mutable_open()->set_slot(kManySlots - 1);
    const v1::SessionResponse response = sessions.back()->Ask(open);
    if (response.has_open()) continue;
    ExpectRefused(response, "open.slot");
    break;
  }
  EXPECT_EQ(sessions.size(), 3u);
  const double held = Held();

  // Without room for the slot it does not even keep why: it was never opened.
  TestSession& last = *sessions.back();
  v1::SessionRequest ask = DistanceAt(3, 1);
  ask.mutable_distance()->mutable_pairs()->add_slots_a(kManySlots - 1);
  ask.mutable_distance()->mutable_pairs()->add_slots_b(kManySlots - 1);
  const v1::SessionResponse answer = last.Ask(ask);
  ASSERT_EQ(answer.distance().errors_size(), 1) << answer.ShortDebugString();
  EXPECT_EQ(answer.distance().errors(0).code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(Held(), held);
}

TEST_F(SessionBytes, ASlotThatWasRefusedSaysWhy) {
  const auto sessions = HoldAll("viewer");
  TestSession& last = *sessions.back();
  const v1::SessionResponse answer = last.Ask(DistanceAt(3, 1));
  ASSERT_EQ(answer.distance().errors_size(), 1) << answer.ShortDebugString();
  EXPECT_EQ(answer.distance().errors(0).code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(answer.distance().errors(0).message(), HasSubstr("RESOURCE_EXHAUSTED"));
}

TEST_F(SessionBytes, QueryBodiesKeepTheirInlineShapesCounted) {
  TestSession session(*server_.queries, AuthorizationOf("viewer"));
  ASSERT_TRUE(session.Ask(OpenOf(0, large_)).has_open());
  const double with_slot = Held();
  ASSERT_TRUE(session.Ask(AttachOne(0)).has_change_bodies());
  const double with_both = Held();
  EXPECT_GT(with_both, with_slot + kPointsOfLarge * 3. * sizeof(double));
  ASSERT_TRUE(session.Ask(CloseOf(0)).has_close());
  EXPECT_GT(Held(), 0) << "the body has it still";
  EXPECT_LT(Held(), with_both);

  const auto others = HoldAll("viewer");
  ASSERT_TRUE(session.Ask(OpenOf(0, Sphere(1))).has_open());
  v1::SessionRequest many = AttachOne(0);
  auto& bodies = *many.mutable_change_bodies()->mutable_change()->mutable_bodies();
  constexpr std::uint32_t kMany = 1000;
  bodies.set_count(kMany);
  bodies.clear_ids();
  for (std::uint32_t id = 100; id < 100 + kMany; ++id) bodies.add_ids(id);
  ExpectRefused(session.Ask(many), "change_bodies.change.bodies");
}

// Answers depend on nothing that rows end with: without room they begin cold.
TEST_F(SessionBytes, WarmRowsAreCountedAndWithoutRoomRowsBeginCold) {
  constexpr std::uint32_t kRows = 4096;
  v1::SessionRequest ask = DistanceAt(3, 1);
  ask.mutable_distance()->mutable_pairs()->set_count(kRows);
  ask.mutable_distance()->set_warm_start(true);
  const auto begin = [&] {
    auto session = Begin("viewer");
    session->Open(0, Sphere(1));
    session->Open(1, Sphere(1));
    return session;
  };
  const auto warm = begin();
  EXPECT_EQ(warm->Ask(ask).distance().count(), kRows);
  const double of_one = Held();
  EXPECT_GT(of_one, kRows * 40. - server::SessionRoom::kOwn);
  EXPECT_EQ(warm->Ask(ask).distance().count(), kRows);
  EXPECT_EQ(Held(), of_one);

  const auto sessions = HoldAll("viewer");
  const double all = Held();
  const auto cold = begin();
  EXPECT_EQ(cold->Ask(ask).distance().count(), kRows);
  EXPECT_EQ(Held(), all);
}

}  // namespace
}  // namespace clearance::testing
