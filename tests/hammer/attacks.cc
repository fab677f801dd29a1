// SPDX-License-Identifier: Apache-2.0
#include "tests/hammer/attacks.h"

#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "clearance/v1/query_service.grpc.pb.h"
#include "tests/hammer/moves.h"

namespace clearance::test {
namespace {

using Clock = AttackClock;
using Run = std::function<int(const Target& target, Clock::time_point end)>;

// Sends first `begin` and then what `next` makes of 0, 1, …; connects anew whenever the server ends
// the connection.
Run Flood(std::string begin, std::function<std::string(int index)> next) {
  return [begin = std::move(begin), next = std::move(next)](const Target& target,
                                                            Clock::time_point end) {
    int connections = 0;
    while (Clock::now() < end) {
      const RawConnection connection(target.port, kAttacker);
      ++connections;
      bool is_open = connection.Send(begin);
      for (int i = 0; is_open && Clock::now() < end; ++i) is_open = connection.Send(next(i));
    }
    return connections;
  };
}

// The same attack so many times at once.
Run AtOnce(int times, const Run& run) {
  return [times, run](const Target& target, Clock::time_point end) {
    std::atomic<int> connections = 0;
    {
      std::vector<std::jthread> attackers;
      for (int i = 0; i < times; ++i) {
        attackers.emplace_back([&] { connections += run(target, end); });
      }
    }
    return connections.load();
  };
}

// Connects and goes.
int Knock(const Target& target, Clock::time_point end) {
  int connections = 0;
  for (; Clock::now() < end; ++connections) const RawConnection connection(target.port, kAttacker);
  return connections;
}

// Says the same on one connection after the other, each of which it leaves once all is read. A
// client that did not acknowledge the server's settings could send 64 KiB a call.
Run Repeat(const std::string& said) {
  return
      [said = AcknowledgedSettings() + said + Ping()](const Target& target, Clock::time_point end) {
        int connections = 0;
        for (; Clock::now() < end; ++connections) {
          const RawConnection connection(target.port, kAttacker);
          if (!IsTaken(connection)) continue;
          if (connection.Send(said)) connection.AwaitBytes(kPingBytes);
        }
        return connections;
      };
}

// Says it on so many connections of each of so many addresses, which it keeps, and then so much of
// `more` on all of them again and again.
struct Crowd {
  int addresses = 1;
  int connections = 200;
  std::string said;
  std::string more = {};
};

Run Hold(Crowd crowd) {
  return [crowd = std::move(crowd)](const Target& target, Clock::time_point end) {
    constexpr std::chrono::seconds kRound(6);  // the server has ended most by then
    int made = 0;
    while (Clock::now() < end) {
      std::vector<RawConnection> held;
      for (int i = 0; i < crowd.addresses * crowd.connections && Clock::now() < end; ++i) {
        const std::string source = "127.0.0." + std::to_string(2 + i % crowd.addresses);
        held.emplace_back(target.port, source.c_str()).Send(crowd.said);
        ++made;
      }
      const Clock::time_point next = std::min(end, Clock::now() + kRound);
      while (Clock::now() < next) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        if (crowd.more.empty()) continue;
        for (const RawConnection& connection : held) connection.Send(crowd.more);
      }
    }
    return made;
  };
}

// A whole call with this message as it is framed.
std::string Call(int index, const std::string& headers, std::string_view framed) {
  constexpr std::size_t kMostOfFrame = 16'384;
  std::string call = Frame(FrameType::kHeaders, kEndHeaders, StreamOf(index), headers);
  while (!framed.empty()) {
    const std::string_view part = framed.substr(0, kMostOfFrame);
    framed.remove_prefix(part.size());
    call += Frame(FrameType::kData, framed.empty() ? kEndStream : 0, StreamOf(index), part);
  }
  return call;
}

std::string Calls(int count, const std::string& headers, std::string_view framed) {
  std::string calls;
  for (int i = 0; i < count; ++i) calls += Call(i, headers, framed);
  return calls;
}

// So many calls of which no message comes.
std::string Opened(int count, const char* path) {
  std::string calls;
  for (int i = 0; i < count; ++i) calls += OpenCall(i, path);
  return calls;
}

// The server takes 4 MiB of a connection before it says that it wants more.
constexpr std::size_t kMebibyte = std::size_t{1} << 20;

// Two million of them in nearly all that is taken.
std::string EmptySubMessages() {
  constexpr std::string_view kShape("\x0a\0", 2);
  return MessageFrame(Repeated(kShape, 4 * kMebibyte - 8192));
}

// 16 MiB of zeros in some 16 KB.
std::string GzipBomb() {
  std::string zipped;
  {
    google::protobuf::io::StringOutputStream end(&zipped);
    google::protobuf::io::GzipOutputStream gzip(&end);
    void* block = nullptr;
    int size = 0;
    for (std::size_t made = 0; made < 16 * kMebibyte && gzip.Next(&block, &size);
         made += static_cast<std::size_t>(size)) {
      std::fill_n(static_cast<char*>(block), size, '\0');
    }
    gzip.Close();
  }
  std::string framed = MessageFrame(zipped);
  framed[0] = '\1';
  return framed;
}

// A question of so many rows, all in order.
v1::DistanceRequest QuestionOf(int rows) {
  v1::DistanceRequest request;
  for (int i = 0; i < 2; ++i) {
    request.add_shapes()->mutable_inline_shape()->mutable_sphere()->set_radius(1);
  }
  request.mutable_batch()->mutable_pairs()->set_count(static_cast<std::uint32_t>(rows));
  for (int i = 0; i < rows; ++i) {
    for (const double number : {3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}) {
      request.mutable_batch()->mutable_pairs()->add_poses_b(number);
    }
  }
  return request;
}

std::string Question(int rows) { return QuestionOf(rows).SerializeAsString(); }

// The work of many milliseconds in a message of some bytes.
v1::SessionRequest LargeBatch() {
  constexpr std::uint32_t kRows = 50'000;
  v1::SessionRequest request;
  request.mutable_distance()->mutable_pairs()->set_count(kRows);
  for (const double number : {3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}) {
    request.mutable_distance()->mutable_pairs()->add_poses_b(number);
  }
  request.mutable_distance()->mutable_detail()->set_distances(true);
  return request;
}

// Makes a connection that no other stub shares.
std::unique_ptr<v1::QueryService::Stub> NewStub(const Target& target) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return v1::QueryService::NewStub(grpc::CreateCustomChannel(
      "127.0.0.1:" + std::to_string(target.port), grpc::InsecureChannelCredentials(), arguments));
}

// A call that lasts until `end` at most.
void Prepare(const Target& target, Clock::time_point end, grpc::ClientContext* context) {
  context->set_deadline(std::chrono::system_clock::now() + (end - Clock::now()));
  if (!target.token.empty()) context->AddMetadata("authorization", "Bearer " + target.token);
}

// One session that always has so many large batches on their way, and takes every reply. It comes
// from where the honest client comes from: no share of an address holds it back.
int BeGreedy(const Target& target, Clock::time_point end) {
  constexpr int kBatches = 2;
  const auto stub = NewStub(target);
  grpc::ClientContext context;
  Prepare(target, end, &context);
  const auto stream = stub->Session(&context);
  v1::SessionRequest open;
  open.mutable_open()->mutable_shape()->mutable_inline_shape()->mutable_sphere()->set_radius(1);
  for (const std::uint32_t slot : {0U, 1U}) {
    open.mutable_open()->set_slot(slot);
    stream->Write(open);
  }
  const v1::SessionRequest batch = LargeBatch();
  for (int i = 0; i < kBatches; ++i) stream->Write(batch);
  // The deadline ends it.
  v1::SessionResponse response;
  while (stream->Read(&response)) {
    if (!response.has_open()) stream->Write(batch);
  }
  stream->Finish();
  return 1;
}

// Needles side by side along the diagonal of their boxes: whatever stands between two of these,
// boxes and balls rule out nothing, and each pair must be asked.
constexpr int kNeedles = 256;
void FillNeedles(v1::Shape* shape) {
  for (int i = 0; i < kNeedles; ++i) {
    v1::Segment* const needle =
        shape->mutable_compound()->add_pieces()->mutable_shape()->mutable_segment();
    const double across = 0.01 * i;
    for (const auto& [end, sign] :
         {std::pair(needle->mutable_a(), -1.0), std::pair(needle->mutable_b(), 1.0)}) {
      end->set_x(100 * sign - across);
      end->set_y(100 * sign + across);
      end->set_z(0);
    }
  }
}

v1::SessionRequest OpenNeedles(std::uint32_t slot = 0) {
  v1::SessionRequest open;
  open.mutable_open()->set_slot(slot);
  FillNeedles(open.mutable_open()->mutable_shape()->mutable_inline_shape());
  return open;
}

// So many bodies of the needles, each a little beside the one before.
v1::SessionRequest ChangeToNeedles(int bodies) {
  v1::SessionRequest change;
  change.mutable_change_bodies()->set_reset(true);
  v1::BodyColumns* const columns =
      change.mutable_change_bodies()->mutable_change()->mutable_bodies();
  columns->set_count(static_cast<std::uint32_t>(bodies));
  for (int i = 0; i < bodies; ++i) {
    columns->add_ids(static_cast<std::uint32_t>(i + 1));
    for (const double number : {0.0027182818 * i, -0.0027182818 * i, 0.0, 0.0, 0.0, 0.0, 1.0})
      columns->add_poses(number);
  }
  return change;
}

// Ten bytes, and 230 * 229 / 2 pairs of 65,536 pairs of needles.
v1::SessionRequest CheckOfOne() {
  v1::SessionRequest check;
  check.mutable_check()->mutable_configurations()->set_count(1);
  return check;
}

// 65,536 pairs of needles that turn.
v1::SessionRequest TurnOfOne() {
  v1::SessionRequest turn;
  v1::TimeOfCollisionBatch& batch = *turn.mutable_time_of_collision();
  batch.mutable_pairs()->set_count(1);
  for (const double number : {0.003, -0.003, 0.0001, 0.0, 0.0, 0.0, 1.0})
    batch.mutable_pairs()->add_poses_b(number);
  for (const double number : {0.0, 0.0, 1.0}) batch.add_rotations_a(number);
  for (const double number : {0.0, 0.0, -1.0}) batch.add_rotations_b(number);
  return turn;
}

// Points of two circles across each other: each that is added takes away what hundreds before it
// made.
v1::SessionRequest OpenCrossedCircles() {
  constexpr int kPoints = 65'536;
  v1::SessionRequest open;
  auto* const numbers = open.mutable_open()
                            ->mutable_shape()
                            ->mutable_inline_shape()
                            ->mutable_hull()
                            ->mutable_vertices();
  for (int i = 0; i < kPoints; ++i) {
    const double angle_rad = 2 * M_PI * i / kPoints;
    const double along = std::cos(angle_rad), across = std::sin(angle_rad);
    for (const double number : {along, i % 2 == 0 ? across : 0.0, i % 2 == 0 ? 0.0 : across})
      numbers->Add(number);
  }
  return open;
}

// Whether the server takes what it is told, or says that it is too much: a question that has a
// fault attacks nothing.
bool IsTaken(const v1::SessionResponse& response) {
  const bool is_ok =
      !response.has_status() || response.status().code() == grpc::StatusCode::RESOURCE_EXHAUSTED;
  return is_ok && response.time_of_collision().errors().empty();
}

// One session that says what it begins with and then asks the same again and again, from where the
// honest client comes from. 0 connections: the server does not take it.
Run Ask(std::vector<v1::SessionRequest> begin, v1::SessionRequest question) {
  return [begin = std::move(begin), question = std::move(question)](const Target& target,
                                                                    Clock::time_point end) {
    const auto stub = NewStub(target);
    grpc::ClientContext context;
    Prepare(target, end, &context);
    const auto stream = stub->Session(&context);
    for (const v1::SessionRequest& request : begin) stream->Write(request);
    v1::SessionResponse response;
    bool is_taken = true;
    for (std::size_t i = 0; i < begin.size(); ++i)
      is_taken = stream->Read(&response) && IsTaken(response) && is_taken;
    stream->Write(question);
    // The deadline ends it.
    for (; stream->Read(&response); stream->Write(question)) is_taken &= IsTaken(response);
    stream->Finish();
    return is_taken ? 1 : 0;
  };
}

// A small question that is asked anew whenever it is answered.
struct AskedAgain {
  grpc::ClientContext context;
  v1::DistanceResponse response;
  grpc::Status status;
  std::unique_ptr<grpc::ClientAsyncResponseReader<v1::DistanceResponse>> reader;
};

// One connection with so many small questions on their way at any time, from where the honest
// client comes from: no share of an address holds it back.
Run KeepAsking(int calls) {
  return [calls](const Target& target, Clock::time_point end) {
    const auto stub = NewStub(target);
    grpc::CompletionQueue queue;
    const v1::DistanceRequest question = QuestionOf(1);
    const auto ask = [&](std::unique_ptr<AskedAgain> asked) {
      Prepare(target, end, &asked->context);
      asked->reader = stub->AsyncDistance(&asked->context, question, &queue);
      AskedAgain* const tag = asked.release();
      tag->reader->Finish(&tag->response, &tag->status, tag);
    };
    for (int i = 0; i < calls; ++i) ask(std::make_unique<AskedAgain>());
    void* tag = nullptr;
    bool ok = false;
    for (int open = calls; open > 0 && queue.Next(&tag, &ok);) {
      delete static_cast<AskedAgain*>(tag);
      if (Clock::now() < end) {
        ask(std::make_unique<AskedAgain>());
      } else {
        --open;
      }
    }
    queue.Shutdown();
    return 1;
  };
}

// Asks, and gives up at once.
std::string CancelledCall(int index, const std::string& framed) {
  constexpr std::string_view kCancel("\0\0\0\x08", 4);
  return Call(index, CallHeaders(kDistance), framed) +
         Frame(FrameType::kReset, 0, StreamOf(index), kCancel);
}

// A message of a mebibyte begins, of which a byte comes now and then.
std::string SlowCall() {
  constexpr std::string_view kBegin("\0\0\x10\0\0", 5);
  return Preface() + OpenCall(0, kDistance) + Frame(FrameType::kData, 0, StreamOf(0), kBegin);
}

// Those that break a rule of HTTP/2, or hold what they open.
std::vector<Attack> AttacksOnTheTransport() {
  const std::string headers = CallHeaders(kDistance);
  const std::string small = MessageFrame(Question(1));
  const Run headers_without_end =
      Flood(Preface() + Frame(FrameType::kHeaders, 0, 1, CallHeaders(kCheck)),
            [](int) { return MoreHeaders(); });
  const std::string settings = Repeated(Settings(1), 16'000);
  return {
      {"streams without a message", Fence::kServer,
       Flood(Preface(), [](int i) { return OpenCall(i, kCheck); })},
      {"calls without a message", Fence::kServer,
       Flood(Preface(), [](int i) { return OpenCall(i, kDistance); })},
      {"resets", Fence::kServer, Flood(Preface(), ResetCall)},
      {"cancelled questions", Fence::kServer,
       Flood(Preface(), [small](int i) { return CancelledCall(i, small); })},
      {"pings", Fence::kServer, Flood(Preface(), [](int) { return Ping(); })},
      {"settings", Fence::kServer, Flood(Preface(), [settings](int) { return settings; })},
      // Cut within a tenth of a second by what they hold, at 2 GB a second on a fast machine.
      {.name = "headers without end",
       .fence = Fence::kServer,
       .run = headers_without_end,
       .most_bytes = 0.7e9},
      {"headers, two at once", Fence::kProxy, AtOnce(2, headers_without_end)},
      {"gzip bombs", Fence::kBoth,
       Repeat(Calls(100, headers + Literal("grpc-encoding", "gzip"), GzipBomb()))},
      {"empty sub-messages", Fence::kBoth, Repeat(Calls(1, headers, EmptySubMessages()))},
      {"deep messages", Fence::kBoth,
       Repeat(Calls(3, headers, MessageFrame(Repeated("\x0b", kMebibyte))))},
      {"large questions", Fence::kBoth, Repeat(Calls(1, headers, MessageFrame(Question(60'000))))},
      // They take no byte of any reply.
      {"slow readers", Fence::kServer,
       Hold({.connections = 16, .said = Preface() + Settings(0) + Calls(50, headers, small)})},
      {"slow writers", Fence::kServer,
       Hold({.said = SlowCall(), .more = Frame(FrameType::kData, 0, StreamOf(0), "x")})},
      // Each as many as one may have.
      {"streams on many connections", Fence::kServer,
       Hold({.said = Preface() + Opened(1'000, kCheck)})},
      {"connections half opened", Fence::kServer, Hold({.said = Preface().substr(0, 20)})},
      {"connections without a call", Fence::kServer, Hold({.said = Preface()})},
      {"more than descriptors", Fence::kServer,
       Hold({.addresses = 50, .connections = 200, .said = Preface()}),
       /*is_beside_session=*/false, /*spare_descriptors=*/200},
      {"connections without a word", Fence::kServer, Knock},
      // Each call takes some 40 us of gRPC, and tens of thousands come before a connection is cut.
      {"crowds that never read", Fence::kBoth,
       AtOnce(16, Flood(Preface(), [headers, small](int i) { return Call(i, headers, small); }))},
      {"all sessions", Fence::kServer,
       Hold({.addresses = 1, .connections = 16, .said = Preface() + Opened(100, kSession)}),
       /*is_beside_session=*/true},
      {"all connections", Fence::kServer,
       Hold({.addresses = 20, .connections = 256, .said = Preface()})},
  };
}

// Those that any client could be: too much of what is allowed.
std::vector<Attack> AttacksByQuestions() {
  const std::string calls = Calls(500, CallHeaders(kDistance), MessageFrame(Question(1)));
  return {
      {"flood of work", Fence::kServer, AtOnce(8, BeGreedy), /*is_beside_session=*/true},
      {"heavy questions", Fence::kServer,
       AtOnce(2, Ask({OpenNeedles(), ChangeToNeedles(230)}, CheckOfOne()))},
      {"heavy rows", Fence::kServer, AtOnce(2, Ask({OpenNeedles(), OpenNeedles(1)}, TurnOfOne()))},
      {"heavy hulls", Fence::kServer, Ask({}, OpenCrossedCircles())},
      {"crowds of small calls", Fence::kServer, AtOnce(16, KeepAsking(500))},
      {.name = "crowds without credentials",
       .fence = Fence::kServer,
       .run = AtOnce(16, Repeat(calls)),
       .has_policy = true},
      {.name = "questions over the quota",
       .fence = Fence::kServer,
       .run = Ask({OpenNeedles(), ChangeToNeedles(230)}, CheckOfOne()),
       .has_policy = true,
       .cores = 0.2},
      {.name = "rows over the quota",
       .fence = Fence::kServer,
       .run = AtOnce(2, Ask({OpenNeedles(), OpenNeedles(1)}, TurnOfOne())),
       .has_policy = true,
       .cores = 0.2},
      {.name = "hulls over the quota",
       .fence = Fence::kServer,
       .run = Ask({}, OpenCrossedCircles()),
       .has_policy = true,
       .cores = 0.2},
  };
}

}  // namespace

std::vector<Attack> Attacks() {
  std::vector<Attack> attacks = AttacksOnTheTransport();
  std::ranges::move(AttacksByQuestions(), std::back_inserter(attacks));
  return attacks;
}

}  // namespace clearance::test
