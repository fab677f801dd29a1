// SPDX-License-Identifier: Apache-2.0
//
// How sessions end, and the things that neither end nor hurt them: garbage, sizes, cancellation,
// deadlines, clients that do not read, the drain.

#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "server/transport/offload.h"
#include "tests/integration/service/harness.h"

namespace clearance::testing {
namespace {

using ::testing::HasSubstr;

// A session of a client that makes its bytes itself, and waits for operations one by one.
class RawSession {
 public:
  explicit RawSession(TestServer& server) : stub_(server.NewChannel()) {
    context_.set_deadline(HangGuard());
    stream_ = stub_.PrepareCall(&context_, "/clearance.v1.QueryService/Session", &queue_);
    stream_->StartCall(Start(kOther));
    Await(kOther);
  }

  ~RawSession() {
    if (!is_finished_) {
      context_.TryCancel();
      Finish();
    }
    queue_.Shutdown();
  }

  // Requires: no write is pending.
  void StartWrite(const std::string& bytes) {
    const grpc::Slice slice(bytes);
    stream_->Write(grpc::ByteBuffer(&slice, 1), Start(kWrite));
  }

  // Returns true if the write that was started is done before `patience` is over.
  bool IsWrittenWithin(std::chrono::milliseconds patience) {
    const auto until = std::chrono::system_clock::now() + patience;
    while (is_pending_[kWrite]) {
      void* tag = nullptr;
      bool ok = false;
      if (queue_.AsyncNext(&tag, &ok, until) != grpc::CompletionQueue::GOT_EVENT) return false;
      Done(tag, ok);
    }
    return is_ok_[kWrite];
  }

  bool Write(const std::string& bytes) {
    StartWrite(bytes);
    return Await(kWrite);
  }

  // Waits for the message only: a write may stay pending until enough was read.
  bool Read(v1::SessionResponse* response) {
    grpc::ByteBuffer bytes;
    stream_->Read(&bytes, Start(kRead));
    if (!Await(kRead)) return false;
    return grpc::SerializationTraits<v1::SessionResponse>::Deserialize(&bytes, response).ok();
  }

  void HalfClose() {
    Await(kWrite);
    stream_->WritesDone(Start(kOther));
    Await(kOther);
  }

  grpc::Status Finish() {
    grpc::Status status;
    stream_->Finish(&status, Start(kOther));
    Await(kOther);
    Await(kWrite);
    is_finished_ = true;
    return status;
  }

 private:
  enum Operation { kWrite, kRead, kOther, kOperations };

  void* Start(Operation operation) {
    is_pending_[operation] = true;
    return &is_pending_[operation];
  }

  void Done(void* tag, bool ok) {
    const auto operation = static_cast<bool*>(tag) - is_pending_.data();
    is_pending_[operation] = false;
    is_ok_[operation] = ok;
  }

  bool Await(Operation operation) {
    while (is_pending_[operation]) {
      void* tag = nullptr;
      bool ok = false;
      queue_.Next(&tag, &ok);
      Done(tag, ok);
    }
    return is_ok_[operation];
  }

  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream_;
  std::array<bool, kOperations> is_pending_{};
  std::array<bool, kOperations> is_ok_{};
  bool is_finished_ = false;
};

void OpenUnitSpheres(RawSession& session) {
  for (const std::uint32_t slot : {0u, 1u}) {
    v1::SessionRequest request;
    request.mutable_open()->set_slot(slot);
    *request.mutable_open()->mutable_shape()->mutable_inline_shape() = Sphere(1);
    ASSERT_TRUE(session.Write(request.SerializeAsString()));
    v1::SessionResponse response;
    ASSERT_TRUE(session.Read(&response));
    ASSERT_TRUE(response.has_open());
  }
}

TEST(EndOfSession, BytesThatAreNoRequestEndItWithInvalidArgument) {
  TestServer server;
  RawSession session(server);
  ASSERT_TRUE(session.Write("\xff\xff\xff\xff garbage"));
  v1::SessionResponse response;
  EXPECT_FALSE(session.Read(&response));
  const grpc::Status status = session.Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(ErrorOf(status).limit(), "a clearance.v1.SessionRequest");
  ExpectServes(server);
}

server::Limits SmallMessages() {
  server::Limits limits;
  limits.max_request_bytes = 10'000;
  limits.max_transport_bytes = 20'000;
  return limits;
}

// Returns a message of about `bytes` bytes.
std::string MessageOf(std::size_t bytes) {
  v1::SessionRequest request = DistanceAt(5, 77);
  while (request.ByteSizeLong() < bytes) request.mutable_distance()->add_max_distances(1);
  return request.SerializeAsString();
}

TEST(EndOfSession, AMessageOverOurLimitIsRefusedByItselfWithItsTag) {
  TestServer server(SmallMessages());
  RawSession session(server);
  OpenUnitSpheres(session);
  const std::string message = MessageOf(15'000);
  ASSERT_TRUE(session.Write(message));
  v1::SessionResponse response;
  ASSERT_TRUE(session.Read(&response));
  EXPECT_EQ(response.tag(), 77u);
  EXPECT_EQ(response.status().code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(ErrorOf(response.status()).value(), std::to_string(message.size()) + " bytes");
  EXPECT_EQ(ErrorOf(response.status()).limit(), "max_request_bytes <= 10000");

  ASSERT_TRUE(session.Write(DistanceAt(5, 78).SerializeAsString()));
  ASSERT_TRUE(session.Read(&response));
  EXPECT_EQ(response.distance().states(0), v1::STATE_SEPARATED);
  session.HalfClose();
  EXPECT_TRUE(session.Finish().ok());
}

// The shape that would have stood in the slot is not known, and the shape that stands there is not
// an answer to a client that did not wait for the refusal.
TEST(EndOfSession, AnOpenThatIsRefusedUnreadPoisonsItsSlot) {
  TestServer server(SmallMessages());
  RawSession session(server);
  OpenUnitSpheres(session);
  v1::SessionRequest open;
  open.set_tag(80);
  open.mutable_open()->set_slot(1);
  open.mutable_open()->mutable_shape()->set_name(std::string(15'000, 'n'));
  ASSERT_TRUE(session.Write(open.SerializeAsString()));
  ASSERT_TRUE(session.Write(DistanceAt(5, 81).SerializeAsString()));
  v1::SessionResponse response;
  ASSERT_TRUE(session.Read(&response));
  EXPECT_EQ(response.tag(), 80u);
  EXPECT_EQ(ErrorOf(response.status()).limit(), "max_request_bytes <= 10000");
  ASSERT_TRUE(session.Read(&response));
  ASSERT_EQ(response.tag(), 81u);
  EXPECT_EQ(response.distance().states(0), v1::STATE_REFUSED);
  ASSERT_EQ(response.distance().errors_size(), 1);
  EXPECT_THAT(response.distance().errors(0).message(), HasSubstr("too large"));

  *open.mutable_open()->mutable_shape()->mutable_inline_shape() = Sphere(1);
  ASSERT_TRUE(session.Write(open.SerializeAsString()));
  ASSERT_TRUE(session.Read(&response));
  ASSERT_TRUE(session.Write(DistanceAt(5, 82).SerializeAsString()));
  ASSERT_TRUE(session.Read(&response));
  EXPECT_EQ(response.distance().states(0), v1::STATE_SEPARATED);
}

TEST(EndOfSession, ARefusedMessageThatMayHaveOpenedAnySlotPoisonsAll) {
  TestServer server(SmallMessages());
  RawSession session(server);
  OpenUnitSpheres(session);
  std::string message;
  while (message.size() < 12'000) message += std::string("\x78\x01", 2);  // unknown fields
  ASSERT_TRUE(session.Write(message));
  v1::SessionResponse response;
  ASSERT_TRUE(session.Read(&response));
  EXPECT_EQ(response.status().code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  ASSERT_TRUE(session.Write(DistanceAt(5, 83).SerializeAsString()));
  ASSERT_TRUE(session.Read(&response));
  EXPECT_EQ(response.distance().states(0), v1::STATE_REFUSED);
}

TEST(EndOfSession, MessageOverTransportLimit_EndsNamingBothNumbers) {
  TestServer server(SmallMessages());
  RawSession session(server);
  OpenUnitSpheres(session);
  const std::string message = MessageOf(30'000);
  session.Write(message);
  v1::SessionResponse response;
  EXPECT_FALSE(session.Read(&response));
  const grpc::Status status = session.Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr(std::to_string(message.size())));
  EXPECT_THAT(status.error_message(), HasSubstr("20000"));
  ExpectServes(server);
}

// Replies of a client that does not read must stay with the client: after a bounded number of
// messages the server takes no more. The patience only decides how soon the test believes it.
TEST(EndOfSession, AClientThatStopsReadingIsNotReadAndLosesNothing) {
  constexpr int kMessages = 400;
  constexpr std::chrono::milliseconds kPatience(300);
  TestServer server;
  RawSession session(server);
  OpenUnitSpheres(session);
  v1::SessionRequest request = DistanceAt(5, 0);
  request.mutable_distance()->mutable_pairs()->set_count(2'000);  // 32 kB a reply, 13 MB in all
  request.mutable_distance()->mutable_detail()->set_bounds(true);

  int written = 0;
  bool is_stopped = false;
  while (written < kMessages && !is_stopped) {
    request.set_tag(static_cast<std::uint64_t>(written));
    // Too long for a polling thread, with 128 KiB in field 100, which is unknown.
    session.StartWrite(request.SerializeAsString() + std::string("\xa2\x06\x80\x80\x08", 5) +
                       std::string(server::kMostBytesInPlace, 'x'));
    is_stopped = !session.IsWrittenWithin(kPatience);
    ++written;
  }
  EXPECT_TRUE(is_stopped) << "the server took " << written
                          << " messages that nobody reads the answers of";
  EXPECT_LE(server.metrics.messages_in_flight().Value(), 2);

  for (int i = 0; i < written; ++i) {
    v1::SessionResponse response;
    ASSERT_TRUE(session.Read(&response));
    ASSERT_EQ(response.tag(), static_cast<std::uint64_t>(i));
    ASSERT_EQ(response.distance().count(), 2'000u);
  }
  session.HalfClose();
  EXPECT_TRUE(session.Finish().ok());
}

TEST(EndOfSession, CancellationStopsABatchHalfWay) {
  TestServer server;
  {
    TestSession session(server);
    session.Open(0, RingHull(30));
    session.Open(1, RingHull(30));
    ASSERT_TRUE(session.Send(LongWork()));
    AwaitWorkOn(server, LongWork());
    session.context().TryCancel();
    EXPECT_EQ(session.AwaitEnd().error_code(), grpc::StatusCode::CANCELLED);
  }
  // The server ends only when the work has stopped; the batch in full would take minutes.
  server.grpc->Shutdown(absl::InfiniteDuration());
  EXPECT_EQ(server.metrics.sessions_open().Value(), 0);
}

TEST(EndOfSession, TheDeadlineStopsABatchHalfWay) {
  TestServer server;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(300));
  const auto stream = server.queries->Session(&context);
  for (const std::uint32_t slot : {0u, 1u}) {
    v1::SessionRequest request;
    request.mutable_open()->set_slot(slot);
    *request.mutable_open()->mutable_shape()->mutable_inline_shape() = RingHull(30);
    stream->Write(request);
  }
  stream->Write(LongWork());
  v1::SessionResponse response;
  while (stream->Read(&response)) {
  }
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  server.grpc->Shutdown(absl::InfiniteDuration());
  EXPECT_EQ(server.metrics.sessions_open().Value(), 0);
}

TEST(EndOfSession, ATimeBudgetLeavesRowsUndecidedAndTheSessionGoesOn) {
  TestServer server;
  TestSession session(server);
  session.Open(0, RingHull(30));
  session.Open(1, RingHull(30));
  v1::SessionRequest request = LongWork();
  request.mutable_time_of_collision()->mutable_options()->mutable_time_budget()->set_nanos(
      50'000'000);
  const v1::SessionResponse response = session.Ask(request);
  ASSERT_TRUE(response.has_time_of_collision()) << response.ShortDebugString();
  const v1::TimeOfCollisionBatchResult& result = response.time_of_collision();
  ASSERT_EQ(result.states_size(), 100'000);
  EXPECT_EQ(result.states(99'999), v1::MOTION_STATE_UNDECIDED);
  ASSERT_GT(result.undecided_size(), 0);
  EXPECT_EQ(result.undecided().rbegin()->index(), 99'999u);
  EXPECT_EQ(result.undecided().rbegin()->reason(), v1::UNDECIDED_REASON_BUDGET);
  EXPECT_TRUE(session.Finish().ok());
}

TEST(EndOfSession, AMessageThatIsLateAlreadyIsAnsweredWithoutWork) {
  TestServer server;
  TestSession session(server);
  session.Open(0, Sphere(1));
  session.Open(1, Sphere(1));
  v1::SessionRequest request = DistanceAt(5, 1);
  request.mutable_distance()->mutable_options()->mutable_time_budget();  // 0 s
  const v1::DistanceBatchResult result = session.Ask(request).distance();
  EXPECT_EQ(result.states(0), v1::STATE_UNDECIDED);
  EXPECT_EQ(result.undecided(0).reason(), v1::UNDECIDED_REASON_BUDGET);
  EXPECT_EQ(result.lower_bounds(0), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(result.upper_bounds(0), std::numeric_limits<double>::infinity());
}

TEST(Drain, EndsIdleSessionsWithUnavailableAndNeverHangs) {
  TestServer server;
  std::vector<std::unique_ptr<TestSession>> sessions;
  for (int i = 0; i < 20; ++i) {
    sessions.push_back(std::make_unique<TestSession>(server));
    sessions.back()->Open(0, Sphere(1));
  }
  server.grpc->BeginDrain();
  for (const auto& session : sessions) {
    const grpc::Status status = session->AwaitEnd();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_THAT(status.error_message(), HasSubstr("draining"));
  }
  server.grpc->Shutdown(absl::InfiniteDuration());
}

TEST(Drain, RefusesNewSessionsAndStillAnswersUnaryCalls) {
  TestServer server;
  server.grpc->BeginDrain();
  TestSession session(server);
  EXPECT_EQ(session.AwaitEnd().error_code(), grpc::StatusCode::UNAVAILABLE);
  v1::GetServerInfoResponse response;
  EXPECT_TRUE(Call(*server.info, &v1::ServerService::Stub::GetServerInfo, {}, &response).ok());
}

TEST(Drain, AnswersTheMessageThatASessionIsOn) {
  TestServer server;
  TestSession session(server);
  session.Open(0, RingHull(30));
  session.Open(1, RingHull(30));
  v1::SessionRequest request = LongWork();
  request.set_tag(5);
  request.mutable_time_of_collision()->mutable_options()->mutable_time_budget()->set_nanos(
      100'000'000);
  ASSERT_TRUE(session.Send(request));
  AwaitWorkOn(server, request);
  server.grpc->BeginDrain();
  v1::SessionResponse response;
  ASSERT_TRUE(session.Receive(&response));
  EXPECT_EQ(response.tag(), 5u);
  EXPECT_EQ(session.AwaitEnd().error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST(Shutdown, CancelsWorkAtItsDeadline) {
  TestServer server;
  TestSession session(server);
  session.Open(0, RingHull(30));
  session.Open(1, RingHull(30));
  ASSERT_TRUE(session.Send(LongWork()));
  AwaitWorkOn(server, LongWork());
  server.grpc->Shutdown(absl::ZeroDuration());
  EXPECT_FALSE(session.AwaitEnd().ok());
}

TEST(Shutdown, EndsAClientThatDoesNotRead) {
  TestServer server;
  RawSession session(server);
  OpenUnitSpheres(session);
  v1::SessionRequest request = DistanceAt(5, 0);
  request.mutable_distance()->mutable_pairs()->set_count(100'000);
  for (int i = 0; i < 4; ++i) session.Write(request.SerializeAsString());
  server.grpc->Shutdown(absl::ZeroDuration());
  EXPECT_EQ(server.metrics.sessions_open().Value(), 0);
}

TEST(Shutdown, OfAServerThatNobodyCalledIsQuiet) {
  TestServer server;
  server.grpc->BeginDrain();
  server.grpc->BeginDrain();
  server.grpc->Shutdown(absl::ZeroDuration());
  server.grpc->Shutdown(absl::ZeroDuration());
}

}  // namespace
}  // namespace clearance::testing
