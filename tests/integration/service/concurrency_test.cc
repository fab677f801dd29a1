// SPDX-License-Identifier: Apache-2.0
//
// Sessions on both polling threads while the names that they open are registered, replaced and
// deleted under them. Every answer must fit the content that the session was told it had opened;
// a sanitizer looks on.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "tests/integration/service/harness.h"

namespace clearance::testing {
namespace {

constexpr int kSessions = 4;
constexpr int kRoundsASession = 60;

// Registers, replaces and deletes "ball", whose radius tells which version it is, until told to
// stop.
void KeepChanging(TestServer& server, const std::atomic<bool>& stop) {
  const auto stub = v1::ShapeService::NewStub(server.NewChannel());
  for (int version = 0; !stop; ++version) {
    v1::RegisterShapeRequest request;
    v1::RegisterShapeResponse response;
    request.set_name("ball");
    request.set_replace(true);
    *request.mutable_shape() =
        version % 2 == 0 ? Sphere(1 + version % 8) : RingHull(40 + version % 40);
    EXPECT_TRUE(Call(*stub, &v1::ShapeService::Stub::RegisterShape, request, &response).ok());
    if (version % 5 != 4) continue;
    v1::DeleteShapeRequest deletion;
    v1::DeleteShapeResponse deleted;
    deletion.set_name("ball");
    EXPECT_TRUE(Call(*stub, &v1::ShapeService::Stub::DeleteShape, deletion, &deleted).ok());
  }
}

struct Tally {
  int opened = 0;
  int missing = 0;
};

// Opens "ball" again and again and asks for its distance to a point 100 away.
Tally OpenAndAsk(TestServer& server) {
  const auto stub = v1::QueryService::NewStub(server.NewChannel());
  TestSession session(*stub);
  session.Open(1, Sphere(0));
  Tally tally;
  for (int round = 0; round < kRoundsASession; ++round) {
    v1::SessionRequest open;
    open.mutable_open()->mutable_shape()->set_name("ball");
    const v1::SessionResponse opened = session.Ask(open);
    const v1::SessionResponse answer = session.Ask(DistanceAt(100, 1));
    if (!opened.has_open()) {
      ++tally.missing;
      EXPECT_EQ(answer.distance().errors(0).code(), grpc::StatusCode::FAILED_PRECONDITION);
      continue;
    }
    ++tally.opened;
    const double radius = opened.open().info().bounding_radius();
    EXPECT_GE(answer.distance().upper_bounds(0), 100 - radius - 1e-6);
    EXPECT_LE(answer.distance().lower_bounds(0), 100);
    EXPECT_EQ(answer.distance().states(0), v1::STATE_SEPARATED);
  }
  EXPECT_TRUE(session.Finish().ok());
  return tally;
}

TEST(Concurrency, SessionsKeepWhatTheyOpenedWhileTheRegistryChanges) {
  TestServer server;
  Register(server, "ball", Sphere(1));
  std::atomic<bool> stop = false;
  std::thread changing([&] { KeepChanging(server, stop); });
  std::vector<Tally> tallies(kSessions);
  std::vector<std::thread> sessions;
  for (Tally& tally : tallies) sessions.emplace_back([&] { tally = OpenAndAsk(server); });
  for (std::thread& session : sessions) session.join();
  stop = true;
  changing.join();
  int opened = 0;
  for (const Tally& tally : tallies) opened += tally.opened;
  EXPECT_GT(opened, kSessions * kRoundsASession / 4);
}

TEST(Concurrency, SessionsComeAndGoWhileTheServerDrains) {
  TestServer server;
  std::vector<std::thread> clients;
  std::atomic<int> begun = 0;
  for (int i = 0; i < kSessions; ++i) {
    clients.emplace_back([&begun, channel = server.NewChannel()] {
      const auto stub = v1::QueryService::NewStub(channel);
      for (int round = 0; round < 20; ++round) {
        TestSession session(*stub);
        v1::SessionResponse response;
        for (std::uint64_t tag = 0; tag < 5 && session.Send(DistanceAt(5, tag)); ++tag)
          session.Receive(&response);
        ++begun;
      }
    });
  }
  while (begun < kSessions) std::this_thread::yield();
  server.grpc->BeginDrain();
  server.grpc->Shutdown(absl::ZeroDuration());
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(server.metrics.sessions_open().Value(), 0);
  EXPECT_EQ(server.metrics.messages_in_flight().Value(), 0);
  EXPECT_EQ(server.metrics.bytes_in_flight().Value(), 0);
}

}  // namespace
}  // namespace clearance::testing
