// SPDX-License-Identifier: Apache-2.0
//
// The wall clock jumps by an hour, forward and back: nothing that waits or measures takes notice.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <cstdio>
#include <future>
#include <latch>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "clearance/client.h"
#include "server/fence/listener.h"
#include "server/guard/quota.h"
#include "server/observe/log.h"
#include "server/schedule/work.h"
#include "tests/integration/service/harness.h"
#include "tests/support/local_config.h"
#include "tests/support/shell.h"
#include "tests/support/shifted_clock.h"

namespace clearance::testing {
namespace {

using server::SteadyNow;
using server::SteadyTime;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::Each;
using ::testing::Ge;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::SizeIs;

class ClockJump : public ::testing::TestWithParam<int> {
 protected:
  ~ClockJump() override { ShiftWallClock(-shifted_); }

  // Jumps by the parameter, hours.
  void Jump() {
    constexpr int kHour = 3600;
    ShiftWallClock(GetParam() * kHour);
    shifted_ += GetParam() * kHour;
  }

 private:
  int shifted_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Hours, ClockJump, ::testing::Values(1, -1),
                         [](const auto& row) { return row.param > 0 ? "Forward" : "Back"; });

TEST_P(ClockJump, IsSeenByTheWallClockAlone) {
  const absl::Time wall = absl::Now();
  const auto system = std::chrono::system_clock::now();
  const SteadyTime steady = SteadyNow();
  Jump();
  EXPECT_GT(GetParam() * (absl::Now() - wall), absl::Minutes(50));
  EXPECT_GT(GetParam() * absl::FromChrono(std::chrono::system_clock::now() - system),
            absl::Minutes(50));
  EXPECT_LT(SteadyNow() - steady, absl::Minutes(10));
  EXPECT_GE(SteadyNow() - steady, absl::ZeroDuration());
}

TEST_P(ClockJump, EndsNoWorkAndLetsNoneGoOn) {
  const std::atomic<bool> is_in_vain = false;
  const server::StopRule rule(is_in_vain, SteadyNow(), SteadyNow() + absl::Minutes(10));
  const server::StopRule over(is_in_vain, SteadyNow(), SteadyNow());
  Jump();
  EXPECT_FALSE(rule.ShouldStop());
  EXPECT_FALSE(rule.Within(absl::Minutes(5)).ShouldStop());
  EXPECT_TRUE(rule.Within(absl::ZeroDuration()).ShouldStop());
  EXPECT_TRUE(over.ShouldStop());
}

TEST_P(ClockJump, ForgivesNoProcessorTime) {
  server::PrincipalUsage usage;
  usage.TimeUntilEven(1);
  usage.Charge(absl::Hours(2));
  Jump();
  EXPECT_GT(usage.TimeUntilEven(1), absl::Minutes(110));
  EXPECT_LE(usage.TimeUntilEven(1), absl::Hours(2));
}

TEST_P(ClockJump, BeginsNoNewHourOfTheLog) {
  server::LogAllowance allowance(1);
  ASSERT_TRUE(allowance.Take().has_value());
  Jump();
  EXPECT_EQ(allowance.Take(), std::nullopt);
}

server::Descriptor ConnectTo(int port) {
  server::Descriptor connection(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(
      connect(connection.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return connection;
}

// Waits for two turns: the second began after the first was asked for.
void AwaitTurns(const server::WatchedLoop& loop) {
  for (int i = 0; i < 2; ++i) {
    const std::uint64_t turns = loop.turns();
    loop.ask();
    while (loop.turns() == turns) std::this_thread::yield();
  }
}

// As one is cut that has been read from for seconds.
TEST_P(ClockJump, CutsNoConnectionThatIsBeingHandedOver) {
  server::Metrics metrics("test");
  std::latch is_held(1), release(1);
  auto listener = server::Listener::Open(server::LocalConfig(), metrics.connections());
  ASSERT_TRUE(listener.ok()) << listener.status();
  (*listener)->Run([&](const server::Descriptor&) {
    is_held.count_down();
    release.wait();
  });
  const std::vector<server::WatchedLoop> loops = (*listener)->Loops();
  const server::Descriptor client = ConnectTo((*listener)->port());
  is_held.wait();
  Jump();
  AwaitTurns(loops[0]);
  EXPECT_EQ(metrics.connections().cut_flood->Value(), 0);
  release.count_down();
}

// ctest's timeout ends an endless wait.
TEST_P(ClockJump, KeepsNoConnectionInTheBooksThatHasEnded) {
  server::Metrics metrics("test");
  const prometheus::Gauge& open = *metrics.connections().open;
  std::promise<server::Descriptor> taken;
  auto listener = server::Listener::Open(server::LocalConfig(), metrics.connections());
  ASSERT_TRUE(listener.ok()) << listener.status();
  (*listener)->Run([&](server::Descriptor connection) { taken.set_value(std::move(connection)); });
  const server::Descriptor client = ConnectTo((*listener)->port());
  server::Descriptor connection = taken.get_future().get();
  while (open.Value() == 0) std::this_thread::yield();
  Jump();
  connection.Close();
  while (open.Value() > 0) std::this_thread::yield();
}

v1::CreateSceneRequest ShortLived() {
  v1::CreateSceneRequest request;
  request.set_name("cell");
  request.mutable_ttl()->set_seconds(600);
  return request;
}

TEST_P(ClockJump, TakesNoSceneAwayBeforeItsTime) {
  TestServer server;
  v1::CreateSceneResponse created;
  ASSERT_TRUE(
      Call(*server.scenes, &v1::SceneService::Stub::CreateScene, ShortLived(), &created).ok());
  Jump();
  v1::GetSceneRequest get;
  get.set_name("cell");
  v1::GetSceneResponse got;
  EXPECT_TRUE(Call(*server.scenes, &v1::SceneService::Stub::GetScene, get, &got).ok());
  EXPECT_EQ(server.metrics.scenes_expired().Value(), 0);
}

// Returns the sum of every series of seconds.
std::vector<double> SumsOfSeconds(const server::Metrics& metrics) {
  std::vector<double> sums;
  for (const absl::string_view line : absl::StrSplit(metrics.Scrape(), '\n')) {
    double sum = 0;
    if (!absl::StrContains(line, "_seconds_sum")) continue;
    const std::vector<absl::string_view> parts = absl::StrSplit(line, ' ');
    EXPECT_TRUE(absl::SimpleAtod(parts.back(), &sum)) << line;
    sums.push_back(sum);
  }
  return sums;
}

// In the middle of a batch, where its time budget and the call's deadline count.
TEST_P(ClockJump, DuringABatchChangesNoAnswerAndNoMeasurement) {
  std::atomic<bool> has_jumped = false;
  server::Judges judges;
  judges.pair = [&](const Check& found) {
    if (!has_jumped.exchange(true)) Jump();
    return found;
  };
  TestServer server({}, {.one_in = 1, .judges = judges});
  TestSession session(server);
  session.Open(0, Sphere(1));
  session.Open(1, Sphere(1));
  v1::SessionRequest request = DistanceAt(5, 1);
  constexpr int kRows = 64;
  request.mutable_distance()->mutable_pairs()->set_count(kRows);
  request.mutable_distance()->mutable_options()->mutable_time_budget()->set_seconds(60);
  const v1::SessionResponse response = session.Ask(request);
  ASSERT_TRUE(response.has_distance()) << response.DebugString();
  EXPECT_TRUE(has_jumped);
  ASSERT_EQ(response.distance().states_size(), kRows);
  for (const int state : response.distance().states())
    EXPECT_EQ(state, static_cast<int>(v1::STATE_SEPARATED));
  EXPECT_TRUE(session.Finish().ok());
  while (server.metrics.sessions_open().Value() > 0) std::this_thread::yield();
  EXPECT_THAT(SumsOfSeconds(server.metrics), AllOf(SizeIs(Gt(5)), Each(AllOf(Ge(0), Lt(600)))));
}

// absl::Now reads the clock every other second only, once it has known it for half a second: what
// goes by it does not see a jump until then.
void LetAbslKnowTheClock() {
  const SteadyTime start = SteadyNow();
  while (SteadyNow() - start < absl::Milliseconds(700)) absl::Now();
}

TEST_P(ClockJump, EndsNoCallThatBeginsRightAfterIt) {
  const TestServer server;
  LetAbslKnowTheClock();
  Jump();
  v1::GetServerInfoResponse info;
  const auto asked = absl::FromChrono(std::chrono::system_clock::now());
  EXPECT_TRUE(Call(*server.info, &v1::ServerService::Stub::GetServerInfo, {}, &info).ok());
  EXPECT_GE(absl::FromUnixSeconds(info.server_time().seconds() + 1), asked);
  EXPECT_LE(absl::FromUnixSeconds(info.server_time().seconds()),
            absl::FromChrono(std::chrono::system_clock::now()));
  v1::DistanceRequest request;
  for (int i = 0; i < 2; ++i)
    request.add_shapes()->mutable_inline_shape()->mutable_sphere()->set_radius(1);
  request.mutable_batch()->mutable_pairs()->set_count(1);
  v1::DistanceResponse response;
  const grpc::Status status =
      Call(*server.queries, &v1::QueryService::Stub::Distance, request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.result().undecided_size(), 0) << response.DebugString();
}

TEST_P(ClockJump, EndsNoCallOfTheLibraryThatBeginsRightAfterIt) {
  const TestServer server;
  const auto client = client::Client::Connect(absl::StrCat("127.0.0.1:", server.grpc->port()));
  ASSERT_TRUE(client.ok()) << client.status();
  LetAbslKnowTheClock();
  Jump();
  const auto info = client->GetServerInfo();
  EXPECT_TRUE(info.ok()) << info.status();
}

// The doctor is a separate process, whose clock has not jumped.
TEST_P(ClockJump, IsSeenByADoctor) {
  const TestServer server;
  const std::string doctor =
      absl::StrCat(CLEARANCE_CLI " --addr 127.0.0.1:", server.grpc->port(), " doctor");
  EXPECT_THAT(test::RunShell(doctor).output, HasSubstr("ok    clock       at most "));
  Jump();
  const std::string told = test::RunShell(doctor).output;
  EXPECT_THAT(told, ContainsRegex(absl::StrCat("warn  clock       the server's is 3[56]..\\.. s ",
                                               GetParam() > 0 ? "ahead" : "behind")));
  EXPECT_THAT(told, HasSubstr("ok    proof "));
}

}  // namespace
}  // namespace clearance::testing
