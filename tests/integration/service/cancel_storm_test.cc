// SPDX-License-Identifier: Apache-2.0
//
// Many calls given up at once, in every state that a session or a watch can be in, and at any
// moment on the way there, also while the server drains. Nothing may stay open of them, and the
// server goes on; a sanitizer looks on.

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iostream>
#include <latch>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/integration/service/scene_messages.h"

namespace clearance::testing {
namespace {

constexpr int kVisitors = 6;
constexpr int kRoundsAtRandom = 12;
constexpr int kMostYields = 400;  // before a call is given up on its way
constexpr std::uint32_t kRowsOfLargeReply = 10'000;
// Less than one such reply.
constexpr std::uint64_t kFewBytes = 1 << 18;

// Callbacks of a call: one when it has begun, one when it has reached its state.
struct Fate {
  std::function<void(grpc::ClientContext&)> begun;
  std::function<void(grpc::ClientContext&)> arrived;
};

using Visit = std::function<grpc::Status(TestServer&, const Fate&)>;

// A visit that stays as a session is left by `go`, which does not mind if it is given up meanwhile.
Visit InASession(std::function<void(TestSession&)> go) {
  return [go = std::move(go)](TestServer& server, const Fate& fate) {
    const auto stub = v1::QueryService::NewStub(server.NewChannel());
    TestSession session(*stub);
    fate.begun(session.context());
    go(session);
    fate.arrived(session.context());
    return session.AwaitEnd();
  };
}

grpc::Status WatchTheRow(TestServer& server, const Fate& fate) {
  const auto stub = v1::SceneService::NewStub(server.NewChannel());
  grpc::ClientContext context;
  context.set_deadline(HangGuard());
  v1::WatchSceneRequest request;
  request.set_name("row");
  const auto stream = stub->WatchScene(&context, request);
  fate.begun(context);
  v1::WatchSceneResponse response;
  stream->Read(&response);
  fate.arrived(context);
  while (stream->Read(&response)) continue;
  return stream->Finish();
}

void Exchange(TestSession& session, const v1::SessionRequest& request) {
  v1::SessionResponse response;
  if (session.Send(request)) session.Receive(&response);
}

v1::SessionRequest OpenOf(std::uint32_t slot, const v1::Shape& shape) {
  v1::SessionRequest request;
  request.mutable_open()->set_slot(slot);
  *request.mutable_open()->mutable_shape()->mutable_inline_shape() = shape;
  return request;
}

void OpenRings(TestSession& session) {
  for (const std::uint32_t slot : {0u, 1u}) Exchange(session, OpenOf(slot, RingHull(30)));
}

void LeaveAReplyUnread(TestSession& session) {
  OpenRings(session);
  v1::SessionRequest request = DistanceAt(3, 1);
  request.mutable_distance()->mutable_pairs()->set_count(kRowsOfLargeReply);
  request.mutable_distance()->mutable_detail()->set_points(true);
  session.Send(request);
}

void PublishTicks(TestSession& session) {
  static std::atomic<int> tracks = 0;
  Exchange(session, OpenOf(0, Sphere(1)));
  v1::SessionRequest attach;
  v1::BodyColumns& bodies = *attach.mutable_change_bodies()->mutable_change()->mutable_bodies();
  bodies.set_count(1);
  bodies.add_ids(7);
  AddPoseAt(0, bodies.mutable_poses());
  Exchange(session, attach);
  v1::SessionRequest track;
  track.mutable_open_track()->set_name("track" + std::to_string(++tracks));
  Exchange(session, track);
  v1::SessionRequest tick;
  for (std::uint64_t i = 0; i < 3; ++i) {
    tick.mutable_publish_tick()->set_tick(i);
    Exchange(session, tick);
  }
  tick.mutable_publish_tick()->set_tick(3);
  session.Send(tick);
}

// Its gauge is a sum of fractions.
bool HasPendingWork(server::Metrics& metrics) {
  return std::fabs(metrics.pending_work().Value()) > 1e-6;
}

struct State {
  const char* name;
  Visit visit;
  // Returns whether the server has so many there.
  std::function<bool(server::Metrics& metrics, double visitors)> is_reached;
};

// All states but that of waiting for room.
std::vector<State> States() {
  return {
      {"before the first message", InASession([](TestSession&) {}),
       [](server::Metrics& metrics, double visitors) {
         return metrics.sessions_open().Value() == visitors;
       }},
      {"after an open", InASession([](TestSession& session) { OpenRings(session); }),
       [](server::Metrics& metrics, double visitors) {
         return metrics.sessions_open().Value() == visitors;
       }},
      {"worked on", InASession([](TestSession& session) {
         OpenRings(session);
         // As long as may be: it must last until the last visitor is there too.
         session.Send(LongWork());
       }),
       [](server::Metrics& metrics, double visitors) {
         return metrics.messages_in_flight().Value() == visitors && HasPendingWork(metrics);
       }},
      {"reply unread", InASession(LeaveAReplyUnread),
       [](server::Metrics& metrics, double visitors) {
         return metrics.total_bytes_in_flight().Value() >= visitors * kFewBytes &&
                !HasPendingWork(metrics);
       }},
      {"publishing", InASession(PublishTicks),
       [](server::Metrics& metrics, double visitors) {
         return metrics.tracks().Value() == visitors;
       }},
      {"watching", WatchTheRow,
       [](server::Metrics& metrics, double visitors) {
         return metrics.watches().Value() == visitors;
       }},
  };
}

// A session that finds no room waits for it before it reads.
State WaitingForRoom() {
  return {"waiting for room",
          InASession([](TestSession& session) { session.Send(OpenOf(0, Sphere(1))); }),
          [](server::Metrics& metrics, double visitors) {
            // Includes the session that holds all room.
            return metrics.sessions_open().Value() == visitors + 1 &&
                   metrics.messages_in_flight().Value() == 1;
          }};
}

class CancelServer : public TestServer {
 public:
  explicit CancelServer(std::uint64_t most_bytes = server::kGibibyte)
      : TestServer({}, {}, nullptr, {.max_total_bytes_in_flight = most_bytes}) {
    Register(*this, "ball", Sphere(0.4));
    CreateRow(*this, "row", 4, Forever());
  }

  // The client knows of the end a moment before the server has counted it. Waits forever if
  // something stays open.
  void AwaitNothingOpen() {
    for (prometheus::Gauge* const gauge :
         {&metrics.sessions_open(), &metrics.messages_in_flight(), &metrics.bytes_in_flight(),
          &metrics.total_bytes_in_flight(), &metrics.tracks(), &metrics.watches()}) {
      while (gauge->Value() != 0) std::this_thread::yield();
    }
    while (HasPendingWork(metrics)) std::this_thread::yield();
  }

  void ExpectServesOn() {
    AwaitNothingOpen();
    ExpectServes(*this);
  }
};

// Runs so many visits in one state, all of which are given up at the same time; `meanwhile` runs
// then too. A visit with another end fails the test with the reason.
void Storm(TestServer& server, const State& state, const std::function<void()>& meanwhile = {}) {
  SCOPED_TRACE(state.name);
  std::latch leave(1);
  const Fate fate = {[](grpc::ClientContext&) {},
                     [&](grpc::ClientContext& context) {
                       leave.wait();
                       context.TryCancel();
                     }};
  std::vector<grpc::Status> ends(kVisitors);
  std::vector<std::thread> visitors;
  for (grpc::Status& end : ends) visitors.emplace_back([&] { end = state.visit(server, fate); });
  while (!state.is_reached(server.metrics, kVisitors)) std::this_thread::yield();
  leave.count_down();
  if (meanwhile) meanwhile();
  for (std::thread& visitor : visitors) visitor.join();
  for (const grpc::Status& end : ends) {
    const bool is_drained = meanwhile && end.error_code() == grpc::StatusCode::UNAVAILABLE;
    EXPECT_TRUE(end.error_code() == grpc::StatusCode::CANCELLED || is_drained)
        << end.error_code() << ": " << end.error_message();
  }
}

// Gives a call up from another thread after so many yields, wherever it is then.
grpc::Status VisitUntil(int yields, TestServer& server, const State& state) {
  std::thread canceller;
  return state.visit(server, {[&](grpc::ClientContext& context) {
                                canceller = std::thread([&context, yields] {
                                  for (int i = 0; i < yields; ++i) std::this_thread::yield();
                                  context.TryCancel();
                                });
                              },
                              [&](grpc::ClientContext&) { canceller.join(); }});
}

// One of many threads that give up at any moment.
void VisitAtRandom(TestServer& server, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<State> states = States();
  states.push_back(WaitingForRoom());
  for (int round = 0; round < kRoundsAtRandom; ++round) {
    const State& state = states[random() % states.size()];
    const auto yields = static_cast<int>(random() % kMostYields);
    const grpc::Status end = VisitUntil(yields, server, state);
    EXPECT_FALSE(end.ok()) << state.name;
  }
}

// Makes a change that watches are told of.
void MoveABall(TestServer& server, double x) {
  v1::UpdateSceneRequest request;
  request.set_name("row");
  v1::BodyPoseColumns& poses = *request.mutable_change()->mutable_poses();
  poses.set_count(1);
  poses.add_ids(1);
  AddPoseAt(x, poses.mutable_poses());
  v1::UpdateSceneResponse response;
  Call(*server.scenes, &v1::SceneService::Stub::UpdateScene, request, &response);
}

void StormAtRandom(TestServer& server, std::uint64_t seed) {
  std::cout << "seed " << seed << '\n';
  std::atomic<bool> is_over = false;
  std::thread mover([&] {
    for (double x = 0; !is_over; ++x) MoveABall(server, x);
  });
  std::vector<std::thread> visitors;
  for (int i = 0; i < kVisitors; ++i)
    visitors.emplace_back([&server, seed, i] { VisitAtRandom(server, seed + i); });
  for (std::thread& visitor : visitors) visitor.join();
  is_over = true;
  mover.join();
}

TEST(Concurrency, CancelStormsInEveryState) {
  CancelServer server;
  for (const State& state : States()) {
    Storm(server, state);
    server.ExpectServesOn();
  }
}

TEST(Concurrency, CancelStormsOfSessionsThatWaitForRoom) {
  CancelServer server(kFewBytes);
  {
    TestSession holder(server);
    LeaveAReplyUnread(holder);
    while (server.metrics.total_bytes_in_flight().Value() < kFewBytes) std::this_thread::yield();
    Storm(server, WaitingForRoom());
    v1::SessionResponse response;
    EXPECT_TRUE(holder.Receive(&response));
    EXPECT_EQ(response.distance().count(), kRowsOfLargeReply);
  }
  server.ExpectServesOn();
}

TEST(Concurrency, CancelStormsAtAnyMoment) {
  const std::uint64_t seed = std::random_device()();
  for (const std::uint64_t most_bytes : {server::kGibibyte, kFewBytes}) {
    CancelServer server(most_bytes);
    StormAtRandom(server, seed);
    server.ExpectServesOn();
  }
}

TEST(Concurrency, CancelStormsWhileTheServerDrains) {
  for (const State& state : States()) {
    CancelServer server;
    Storm(server, state, [&] { server.grpc->BeginDrain(); });
    server.AwaitNothingOpen();
    server.grpc->Shutdown(absl::InfiniteDuration());
  }
}

}  // namespace
}  // namespace clearance::testing
