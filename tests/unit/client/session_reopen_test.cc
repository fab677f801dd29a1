// SPDX-License-Identifier: Apache-2.0
//
// A session whose streams break, at every place where they can: its caller sees what it would have
// seen without, or a clear end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "clearance/client.h"
#include "clearance/session.h"
#include "clearance/v1/error.pb.h"
#include "tests/unit/client/breaking_server.h"

namespace clearance::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kCup = 1;
constexpr int kPlate = 2;

Client ClientOf(BreakingServer* server, const std::string& scheme = "") {
  server->Register("cup", kCup);
  server->Register("plate", kPlate);
  const absl::StatusOr<Client> client = Client::Connect(scheme + server->address());
  EXPECT_TRUE(client.ok()) << client.status();
  return *client;
}

DistanceBatch RowsOfSlot(std::uint32_t slot, std::uint32_t count, double first) {
  DistanceBatch batch;
  batch.pairs.count = count;
  batch.pairs.slots_a = {slot};
  for (std::uint32_t row = 0; row < count; ++row) {
    AppendPose({.x = first + row}, &batch.pairs.poses_b);
  }
  return batch;
}

// Every kind of answer: openings by name, by digest and inline, refused and not; batches in one
// part, in several, and in several messages; slots closed, taken anew and never opened.
std::vector<SessionMessage> Conversation() {
  return {OpenShape{0, ByName{"cup"}},
          OpenShape{3, Shape{Sphere{0.5}}},
          RowsOfSlot(0, 7, 10),
          OpenShape{5, ByName{"nobody"}},
          RowsOfSlot(5, 1, 20),
          RowsOfSlot(3, 3, 30),
          CloseShape{5},
          CloseShape{8},
          OpenShape{0, ByName{"plate"}},
          RowsOfSlot(0, 2, 40),
          OpenShape{6, ByName{"nobody"}},
          OpenShape{3, ByDigest{"digest-1"}},
          RowsOfSlot(6, 1, 50),
          RowsOfSlot(3, 5, 60)};
}

std::string Described(const Reply& reply) {
  std::string text = absl::StrCat(reply.tag, " ", reply.answer.index(), " ",
                                  static_cast<int>(reply.status.code()));
  if (const auto* opened = std::get_if<OpenedShape>(&reply.answer)) {
    absl::StrAppend(&text, " ", opened->slot, " ", opened->info.digest);
  }
  if (const auto* result = std::get_if<DistanceResult>(&reply.answer)) {
    absl::StrAppend(&text, " ", result->count, ": ", absl::StrJoin(result->distances, " "));
    for (const State state : result->states) absl::StrAppend(&text, " ", static_cast<int>(state));
  }
  return text;
}

enum class Manner { kPipelined, kOneAtATime };

// What a caller sees of the conversation, its end included.
std::vector<std::string> Held(BreakingServer* server, Manner manner) {
  const std::unique_ptr<Session> session = ClientOf(server).OpenSession();
  std::vector<std::string> seen;
  const auto take = [&] {
    const absl::StatusOr<Reply> reply = session->Next();
    seen.push_back(reply.ok() ? Described(*reply) : reply.status().ToString());
  };
  std::uint64_t tag = 100;
  for (const SessionMessage& message : Conversation()) {
    if (!session->Send(message, tag++).ok()) seen.emplace_back("not sent");
    if (manner == Manner::kOneAtATime) take();
  }
  if (manner == Manner::kPipelined) {
    for (std::size_t i = 0; i < Conversation().size(); ++i) take();
  }
  seen.push_back(session->Finish().ToString());
  return seen;
}

class Reopened : public testing::TestWithParam<Manner> {
 protected:
  static constexpr int kResponses = 20;  // of the whole conversation
  std::vector<std::string> Undisturbed() const {
    BreakingServer server({});
    return Held(&server, GetParam());
  }
};

TEST_P(Reopened, SaysTheSameWhereverAStreamBreaks) {
  const std::vector<std::string> expected = Undisturbed();
  EXPECT_EQ(expected.back(), "OK");
  for (int responses = 0; responses <= kResponses; ++responses) {
    for (const bool reads_on : {false, true}) {
      SCOPED_TRACE(absl::StrCat("break after ", responses, " responses, reads on: ", reads_on));
      const Break once{.responses = responses, .reads_on = reads_on};
      BreakingServer server({once});
      EXPECT_EQ(Held(&server, GetParam()), expected);
      // After the last response nothing is left to go on with.
      EXPECT_EQ(server.streams(), responses < kResponses ? 2 : 1);
    }
  }
}

TEST_P(Reopened, SaysTheSameWhereTheNextStreamBreaksToo) {
  const std::vector<std::string> expected = Undisturbed();
  for (const int first : {4, 9, 20}) {
    for (int second = 0; second <= 8; ++second) {
      SCOPED_TRACE(absl::StrCat("breaks after ", first, " and ", second, " responses"));
      const std::vector<Break> breaks = {{.responses = first}, {.responses = second}};
      BreakingServer server(breaks);
      EXPECT_EQ(Held(&server, GetParam()), expected);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Session, Reopened,
                         testing::Values(Manner::kPipelined, Manner::kOneAtATime),
                         [](const auto& row) {
                           return row.param == Manner::kPipelined ? "Pipelined" : "OneAtATime";
                         });

TEST(SessionReopened, KeepsTheOrderOfThousandsThroughManyBreaks) {
  BreakingServer server({}, {.responses = 900});
  const std::unique_ptr<Session> session = ClientOf(&server).OpenSession();
  ASSERT_TRUE(session->Open(0, ByName{"cup"}).ok());
  constexpr int kMessages = 5000;
  for (int i = 0; i < kMessages; ++i) ASSERT_TRUE(session->Send(RowsOfSlot(0, 1, i), i).ok());
  for (int i = 0; i < kMessages; ++i) {
    const absl::StatusOr<Reply> reply = session->Next();
    ASSERT_TRUE(reply.ok()) << reply.status();
    ASSERT_EQ(reply->tag, static_cast<std::uint64_t>(i));
    ASSERT_EQ(std::get<DistanceResult>(reply->answer).distances.at(0), 1000 * kCup + i);
  }
  EXPECT_TRUE(session->Finish().ok());
  EXPECT_GT(server.streams(), kMessages / 900);
}

TEST(SessionReopened, GivesEachThreadItsOwnAnswers) {
  BreakingServer server({}, {.responses = 50, .reads_on = true});
  const std::unique_ptr<Session> session = ClientOf(&server).OpenSession();
  ASSERT_TRUE(session->Open(0, ByName{"cup"}).ok());
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&session, thread] {
      for (int i = 0; i < 100; ++i) {
        const double x = 100 * thread + i;
        const absl::StatusOr<DistanceResult> result = session->Ask(RowsOfSlot(0, 3, x));
        ASSERT_TRUE(result.ok()) << result.status();
        ASSERT_THAT(result->distances, ElementsAre(1000 + x, 1001 + x, 1002 + x));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(server.streams(), 8);
}

// A session that has opened "cup" in slot 2 over a stream that breaks at the next message.
std::unique_ptr<Session> WithACup(BreakingServer* server, const SessionOptions& options = {}) {
  std::unique_ptr<Session> session = ClientOf(server).OpenSession(options);
  EXPECT_TRUE(session->Open(2, ByName{"cup"}).ok());
  return session;
}

const Break kAtTheNextMessage{.responses = 1, .reads_on = true};

TEST(SessionReopened, KeepsItsShapeIfTheNameGetsAnother) {
  BreakingServer server({kAtTheNextMessage});
  const std::unique_ptr<Session> session = WithACup(&server);
  server.Register("cup", kPlate);
  const absl::StatusOr<DistanceResult> result = session->Ask(RowsOfSlot(2, 1, 7));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->distances, ElementsAre(1000 * kCup + 7));
  EXPECT_EQ(server.streams(), 2);
}

TEST(SessionReopened, EndsWhereTheServerHasTheShapeNoMore) {
  BreakingServer server({kAtTheNextMessage});
  const std::unique_ptr<Session> session = WithACup(&server);
  server.Register("cup", kPlate);
  server.Forge("digest-1", 0);
  const absl::Status status = session->Ask(RowsOfSlot(2, 1, 7)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("slot 2 held digest-1 (cup)"));
  EXPECT_EQ(session->Finish(), status);
  EXPECT_EQ(server.streams(), 2);
}

// The name may mean other servers as well, one of which may have it.
TEST(SessionReopened, OfANameIsTriedAgainWhereOneServerHasNotTheShape) {
  BreakingServer server({kAtTheNextMessage});
  const std::unique_ptr<Session> session =
      ClientOf(&server, "dns:///").OpenSession({.reopen_within = absl::Milliseconds(200)});
  EXPECT_TRUE(session->Open(2, ByName{"cup"}).ok());
  server.Register("cup", kPlate);
  server.Forge("digest-1", 0);
  const absl::Status status = session->Ask(RowsOfSlot(2, 1, 7)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("slot 2 held digest-1 (cup)"));
  EXPECT_GT(server.streams(), 2);
}

TEST(SessionReopened, EndsWhereTheServerOpensAnotherShape) {
  BreakingServer server({kAtTheNextMessage});
  const std::unique_ptr<Session> session = WithACup(&server);
  server.Forge("digest-1", kPlate);
  const absl::Status status = session->Ask(RowsOfSlot(2, 1, 7)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("now opens digest-2"));
}

TEST(SessionReopened, TriesAgainWhereASlotCannotBeOpenedYet) {
  google::rpc::Status behind;
  behind.set_code(9);
  google::rpc::Status spent;
  spent.set_code(8);
  v1::Error error;
  error.mutable_retry_after()->set_seconds(1);
  spent.add_details()->PackFrom(error);
  for (const google::rpc::Status& refusal : {behind, spent}) {
    BreakingServer server({kAtTheNextMessage});
    const std::unique_ptr<Session> session = WithACup(&server);
    server.RefuseOpenings(2, refusal);
    const absl::StatusOr<DistanceResult> result = session->Ask(RowsOfSlot(2, 1, 7));
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_THAT(result->distances, ElementsAre(1000 * kCup + 7));
    EXPECT_EQ(server.streams(), 4);
  }
}

TEST(SessionReopened, AsksNoRevisionOfAServerWithAnotherRegistry) {
  BreakingServer server({{.responses = 2, .reads_on = true}});
  server.SetRevision(7);
  const std::unique_ptr<Session> session = ClientOf(&server).OpenSession();
  ASSERT_TRUE(session->Open(2, ByName{"cup"}, 7).ok());
  ASSERT_TRUE(session->Open(3, Shape{Sphere{0.5}}, 7).ok());
  server.SetRevision(0);
  const absl::StatusOr<DistanceResult> result = session->Ask(RowsOfSlot(2, 1, 7));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->distances, ElementsAre(1000 * kCup + 7));
  EXPECT_TRUE(session->Ask(RowsOfSlot(3, 1, 7)).ok());
  EXPECT_EQ(server.streams(), 2);
}

const Break kIsFull{.responses = 0, .status = {grpc::StatusCode::RESOURCE_EXHAUSTED, "full"}};

TEST(SessionReopened, TriesAgainWhereTheServerStillCountsTheBrokenStream) {
  BreakingServer server({kAtTheNextMessage, kIsFull, kIsFull});
  const std::unique_ptr<Session> session = WithACup(&server);
  const absl::StatusOr<DistanceResult> result = session->Ask(RowsOfSlot(2, 1, 7));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->distances, ElementsAre(1000 * kCup + 7));
  EXPECT_EQ(server.streams(), 4);
}

TEST(SessionReopened, IsNotWhereTheServerHadNoRoomToBeginWith) {
  BreakingServer server({kIsFull});
  const std::unique_ptr<Session> session = ClientOf(&server).OpenSession();
  EXPECT_EQ(session->Open(2, ByName{"cup"}).status(), absl::ResourceExhaustedError("full"));
  EXPECT_EQ(server.streams(), 1);
}

TEST(SessionReopened, EndsWhereAnAnsweringStreamIsExhausted) {
  Break end = kAtTheNextMessage;
  end.status = kIsFull.status;
  BreakingServer server({kAtTheNextMessage, end});
  const std::unique_ptr<Session> session = WithACup(&server);
  EXPECT_EQ(session->Ask(RowsOfSlot(2, 1, 7)).status(), absl::ResourceExhaustedError("full"));
  EXPECT_EQ(server.streams(), 2);
}

TEST(SessionReopened, GoesOnWhereAServerThatShutsDownCancels) {
  Break end = kAtTheNextMessage;
  end.status = {grpc::StatusCode::CANCELLED, "CANCELLED"};
  BreakingServer server({end});
  const std::unique_ptr<Session> session = WithACup(&server);
  EXPECT_TRUE(session->Ask(RowsOfSlot(2, 1, 7)).ok());
  EXPECT_EQ(server.streams(), 2);
}

TEST(SessionReopened, NeverRepeatsWhatEndedOtherwise) {
  for (const int code : {2, 3, 4, 5, 7, 8, 9, 10, 12, 13, 16}) {
    Break end = kAtTheNextMessage;
    end.status = {static_cast<grpc::StatusCode>(code), "no"};
    BreakingServer server({end});
    const std::unique_ptr<Session> session = WithACup(&server);
    EXPECT_EQ(session->Ask(RowsOfSlot(2, 1, 7)).status(),
              absl::Status(static_cast<absl::StatusCode>(code), "no"));
    EXPECT_EQ(server.streams(), 1);
  }
}

TEST(SessionReopened, IsNotWhereTheCallerDoesNotWantIt) {
  BreakingServer server({kAtTheNextMessage});
  const std::unique_ptr<Session> session = WithACup(&server, {.reopen = false});
  EXPECT_EQ(session->Ask(RowsOfSlot(2, 1, 7)).status(), absl::UnavailableError("drains"));
  EXPECT_EQ(session->Finish(), absl::UnavailableError("drains"));
  EXPECT_EQ(server.streams(), 1);
}

TEST(SessionReopened, GivesUpInTheEnd) {
  for (const absl::Duration within : {absl::ZeroDuration(), absl::Milliseconds(100)}) {
    // That the slot is open again is no success where the message then breaks the stream.
    for (const Break& later : {Break{.responses = 0}, kAtTheNextMessage}) {
      BreakingServer server({kAtTheNextMessage}, later);
      const std::unique_ptr<Session> session = WithACup(&server, {.reopen_within = within});
      EXPECT_EQ(session->Ask(RowsOfSlot(2, 1, 7)).status(), absl::UnavailableError("drains"));
      EXPECT_EQ(server.streams() > 1, within > absl::ZeroDuration());
    }
  }
}

TEST(SessionReopened, GoesOnWhileEachStreamAnswersAPiece) {
  constexpr int kStreams = 20;  // whose waits together are longer than the session would wait
  BreakingServer server({kAtTheNextMessage}, {.responses = 4});  // the slot, and three parts
  const std::unique_ptr<Session> session =
      WithACup(&server, {.reopen_within = absl::Milliseconds(30)});
  const auto rows = kStreams * BreakingServer::kMaxBatchRows;
  const absl::StatusOr<DistanceResult> result = session->Ask(RowsOfSlot(2, rows, 7));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->distances.back(), 1000 * kCup + 6 + rows);
  EXPECT_EQ(server.streams(), 1 + kStreams);
}

// In the place of a server, as one that hangs: connections wait in its backlog, and nobody answers.
class HungServer {
 public:
  // Beside the server of that address, which goes on.
  explicit HungServer(const std::string& address) {
    const int on = 1;
    sockaddr_in at = {};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port =
        htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.find(':') + 1))));
    EXPECT_EQ(setsockopt(socket_, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on), 0);
    EXPECT_EQ(bind(socket_, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
    EXPECT_EQ(listen(socket_, 16), 0);
  }
  ~HungServer() { close(socket_); }

 private:
  const int socket_ = socket(AF_INET, SOCK_STREAM, 0);
};

class SessionOfAServerThatHangs : public testing::Test {
 protected:
  std::unique_ptr<Session> Open(const SessionOptions& options) {
    std::unique_ptr<Session> session = WithACup(server_.get(), options);
    hung_ = std::make_unique<HungServer>(server_->address());
    server_ = nullptr;
    return session;
  }

 private:
  std::unique_ptr<BreakingServer> server_ = std::make_unique<BreakingServer>(std::vector<Break>{});
  std::unique_ptr<HungServer> hung_;
};

// gRPC alone would wait 20 s for a connection.
TEST_F(SessionOfAServerThatHangs, GivesUp) {
  const std::unique_ptr<Session> session =
      Open({.timeout = absl::Seconds(10), .reopen_within = absl::Milliseconds(200)});
  const absl::Status status = session->Ask(RowsOfSlot(2, 1, 7)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_EQ(session->Finish(), status);
}

TEST_F(SessionOfAServerThatHangs, KeepsItsDeadline) {
  const std::unique_ptr<Session> session =
      Open({.timeout = absl::Seconds(3), .reopen_within = absl::InfiniteDuration()});
  EXPECT_EQ(session->Ask(RowsOfSlot(2, 1, 7)).status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST_F(SessionOfAServerThatHangs, IsCancelled) {
  const std::unique_ptr<Session> session = Open({.reopen_within = absl::InfiniteDuration()});
  std::thread asker([&] {
    EXPECT_EQ(session->Ask(RowsOfSlot(2, 1, 7)).status().code(), absl::StatusCode::kCancelled);
  });
  absl::SleepFor(absl::Milliseconds(100));  // until it most likely waits for a connection
  session->Cancel();
  asker.join();
}

TEST(SessionReopened, KeepsItsDeadline) {
  BreakingServer server({}, {.responses = 0});
  const std::unique_ptr<Session> session =
      ClientOf(&server).OpenSession({.timeout = absl::Milliseconds(100)});
  EXPECT_EQ(session->Ask(RowsOfSlot(2, 1, 7)).status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(SessionReopened, IsCancelledWhileNothingIsOpen) {
  BreakingServer server({}, {.responses = 0});
  const std::unique_ptr<Session> session =
      ClientOf(&server).OpenSession({.reopen_within = absl::InfiniteDuration()});
  std::thread asker([&] {
    EXPECT_EQ(session->Ask(RowsOfSlot(2, 1, 7)).status().code(), absl::StatusCode::kCancelled);
  });
  session->Cancel();
  asker.join();
  EXPECT_EQ(session->Finish().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace clearance::client
