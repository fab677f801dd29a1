// SPDX-License-Identifier: Apache-2.0
//
// Memory of the real program while one client's sessions hold as much as they may between their
// messages, in many small things: the program counts at least as much as it takes.

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "clearance/v1/query_service.grpc.pb.h"
#include "tests/integration/process/server_process.h"
#include "tests/integration/process/server_view.h"

namespace clearance::test {
namespace {

constexpr double kMostOfAll = 64 << 20;
constexpr double kMostOfOne = kMostOfAll / 2;  // for a caller that is alone
// For each session alone, by server/guide/memory.md: 24 kB, 64 KiB, and 2 kB for each slot of a
// scene.
constexpr double kOfSession = 24'000 + 65'536 + 64 * 2'000;
constexpr std::uint32_t kSlots = 65'536;
constexpr std::uint32_t kAtOnce = 128;  // messages that are written before the replies are read
constexpr char kHeld[] = "clearance_total_session_bytes";

v1::SessionRequest OpenBall(std::uint32_t slot, double radius) {
  v1::SessionRequest request;
  request.mutable_open()->set_slot(slot);
  request.mutable_open()->mutable_shape()->mutable_inline_shape()->mutable_sphere()->set_radius(
      radius);
  return request;
}

v1::SessionRequest OneOfManySlots(std::uint32_t i) { return OpenBall(i, 1 + i); }

// The first is the highest slot; what each keeps is why it failed.
v1::SessionRequest OneThatFails(std::uint32_t i) { return OpenBall(kSlots - 1 - i, -1e-300); }

// Bodies and rules of pairs: each message some more.
v1::SessionRequest BodiesAndRules(std::uint32_t i) {
  if (i == 0) return OpenBall(0, 1);
  constexpr std::uint32_t kNewBodies = 120;
  constexpr std::uint32_t kNewRules = 7680;
  v1::SessionRequest request;
  v1::SceneChange& change = *request.mutable_change_bodies()->mutable_change();
  v1::BodyColumns& bodies = *change.mutable_bodies();
  bodies.set_count(kNewBodies);
  bodies.add_shape_slots(0);
  for (std::uint32_t k = 0; k < kNewBodies; ++k) bodies.add_ids(i * kNewBodies + k);
  for (const double number : {0., 0., 0., 0., 0., 0., 1.}) bodies.add_poses(number);
  v1::PairRuleColumns& rules = *change.mutable_rules();
  rules.set_count(kNewRules);
  rules.add_kinds(v1::PAIR_RULE_KIND_MAY_TOUCH);
  for (std::uint32_t k = 0; k < kNewRules; ++k) {
    rules.add_bodies_a(i * kNewBodies);
    rules.add_bodies_b(1'000'000 + i * kNewRules + k);
  }
  return request;
}

struct Way {
  const char* name;
  v1::SessionRequest (*message)(std::uint32_t i);
  std::uint32_t messages;  // of one session
  int sessions;
  // For messages on their way, and for memory that an allocator keeps of arrays that grew, bytes.
  double slack;
};

class SessionMemory : public testing::TestWithParam<Way> {
 protected:
  class Session {
   public:
    explicit Session(v1::QueryService::Stub& stub) : stream_(stub.Session(&context_)) {}
    ~Session() {
      context_.TryCancel();
      stream_->Finish();
    }
    void SendAll(const Way& way) {
      v1::SessionResponse response;
      for (std::uint32_t begin = 0; begin < way.messages; begin += kAtOnce) {
        const std::uint32_t end = std::min(way.messages, begin + kAtOnce);
        for (std::uint32_t i = begin; i < end; ++i) ASSERT_TRUE(stream_->Write(way.message(i)));
        for (std::uint32_t i = begin; i < end; ++i) ASSERT_TRUE(stream_->Read(&response));
      }
    }

   private:
    grpc::ClientContext context_;
    std::unique_ptr<grpc::ClientReaderWriter<v1::SessionRequest, v1::SessionResponse>> stream_;
  };
};

TEST_P(SessionMemory, StaysBelowTheCountWithManySmallThings) {
  const Way& way = GetParam();
  const ServerProcess server(
      {"--max_total_session_bytes=" + std::to_string(static_cast<std::int64_t>(kMostOfAll))});
  const auto stub = v1::QueryService::NewStub(
      grpc::CreateChannel(server.grpc_address(), grpc::InsecureChannelCredentials()));
  const double before = ResidentBytes(server);
  std::vector<std::unique_ptr<Session>> sessions;
  for (int i = 0; i < way.sessions; ++i) {
    sessions.push_back(std::make_unique<Session>(*stub));
    ASSERT_NO_FATAL_FAILURE(sessions.back()->SendAll(way));
  }
  const double grown = ResidentBytes(server) - before;
  const double held = MetricOf(server, kHeld);
  const double allowed = held + way.sessions * kOfSession + way.slack;
  std::cout << "grew by " << grown << " of " << allowed << ", of which " << held << " counted\n";
  EXPECT_GT(held, kMostOfOne / 2) << "the test holds too little";
  EXPECT_LE(held, kMostOfOne);
  EXPECT_LT(grown, allowed);
  sessions.clear();
  EXPECT_TRUE(AwaitMetric(server, kHeld, 0));
  EXPECT_TRUE(Serves(server));
}

INSTANTIATE_TEST_SUITE_P(Each, SessionMemory,
                         testing::Values(Way{"ManySlots", OneOfManySlots, kSlots, 2, 6e6},
                                         Way{"Reasons", OneThatFails, kSlots - 64, 2, 6e6},
                                         Way{"BodiesAndRules", BodiesAndRules, 9, 24, 24e6}),
                         [](const auto& way) { return way.param.name; });

}  // namespace
}  // namespace clearance::test
