// SPDX-License-Identifier: Apache-2.0

#include "server/service/session.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <array>
#include <cstdint>
#include <utility>

#include "clearance/v1/query_service.pb.h"
#include "server/convert/rpc_status.h"
#include "server/guard/refusal.h"
#include "server/service/session_state.h"

namespace clearance::server {
namespace {

// Takes a seat among the server's sessions, if there is one.
class Seat {
 public:
  explicit Seat(ServerParts& parts) : parts_(parts) {
    is_taken_ = parts_.sessions.fetch_add(1) < parts_.limits.max_sessions;
    if (is_taken_) parts_.metrics.sessions_open().Increment();
    if (!is_taken_) parts_.metrics.sessions_refused().Increment();
  }
  ~Seat() {
    parts_.sessions.fetch_sub(1);
    if (is_taken_) parts_.metrics.sessions_open().Decrement();
  }
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;

  absl::Status status() const {
    if (is_taken_) return absl::OkStatus();
    return Refuse(
        absl::StatusCode::kResourceExhausted,
        {.field = "",
         .value = FormatNumber(parts_.limits.max_sessions + 1),
         .limit = "max_sessions <= " + FormatNumber(parts_.limits.max_sessions),
         .message = "The server holds as many sessions as max_sessions allows; try another one."});
  }

 private:
  ServerParts& parts_;
  bool is_taken_ = false;
};

// A message that is read and not yet answered, in the gauges.
class InFlight {
 public:
  InFlight(Metrics& metrics, std::uint64_t bytes)
      : metrics_(metrics), bytes_(static_cast<double>(bytes)) {
    metrics_.messages_in_flight().Increment();
    metrics_.bytes_in_flight().Increment(bytes_);
  }
  ~InFlight() {
    metrics_.messages_in_flight().Decrement();
    metrics_.bytes_in_flight().Decrement(bytes_);
  }
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;

 private:
  Metrics& metrics_;
  const double bytes_;
};

// An arena whose first block is kept over Reset(): messages of ordinary size never ask for memory.
class KeptArena {
 public:
  template <class Message>
  Message* Fresh() {
    arena_.Reset();
    return google::protobuf::Arena::CreateMessage<Message>(&arena_);
  }

 private:
  static google::protobuf::ArenaOptions OptionsOn(char* block, std::size_t size) {
    google::protobuf::ArenaOptions options;
    options.initial_block = block;
    options.initial_block_size = size;
    return options;
  }

  alignas(8) std::array<char, 8192> block_;
  google::protobuf::Arena arena_{OptionsOn(block_.data(), block_.size())};
};

// The tag of a message that is too large to be parsed, or 0: its first field, as every writer puts
// it.
std::uint64_t TagOf(grpc::ByteBuffer* bytes) {
  using google::protobuf::internal::WireFormatLite;
  grpc::ProtoBufferReader reader(bytes);
  google::protobuf::io::CodedInputStream input(&reader);
  constexpr std::uint32_t kTagField =
      WireFormatLite::MakeTag(v1::SessionRequest::kTagFieldNumber, WireFormatLite::WIRETYPE_VARINT);
  std::uint64_t tag = 0;
  return input.ReadTag() == kTagField && input.ReadVarint64(&tag) ? tag : 0;
}

absl::Status NoRequest() {
  return Refuse(absl::StatusCode::kInvalidArgument,
                {.field = "",
                 .value = "",
                 .limit = "a clearance.v1.SessionRequest",
                 .message = "The bytes are no SessionRequest; the session ends."});
}

absl::Status Draining() {
  return absl::UnavailableError("draining: the server goes; open the session elsewhere");
}

// One stream: its operations and the message that was read last. Every started operation is awaited
// before it goes.
struct Stream {
  explicit Stream(Poller& poller) : on_drain(poller, read) {}

  void StartRead() { stream.Read(&incoming, read.Start()); }

  grpc::ServerContext context;
  SessionStream stream{&context};
  CallEnd end{context};
  Operation requested, written, finished;
  TimedOperation read;
  Poller::Watch on_drain;
  grpc::ByteBuffer incoming;
};

// A message as it arrived. Either it is refused unread or `request` holds it.
struct Message {
  absl::Status refusal;
  std::uint64_t tag = 0;
  v1::SessionRequest* request = nullptr;
};

// False where the bytes are no SessionRequest.
bool Take(grpc::ByteBuffer* bytes, const Limits& limits, KeptArena* arena, Message* message) {
  message->refusal = CheckSize(*bytes, limits);
  if (!message->refusal.ok()) {
    message->tag = TagOf(bytes);
    bytes->Clear();
    return true;
  }
  message->request = arena->Fresh<v1::SessionRequest>();
  return ParseMessage(bytes, message->request);
}

void FillRefusal(const Message& message, v1::SessionResponse* response) {
  response->set_tag(message.tag);
  FillRpcStatus(message.refusal, response->mutable_status());
}

}  // namespace

// Reads one message ahead while the one before is worked on, if both fit into the limits of what is
// in flight; beyond that the stream is not read, and HTTP/2's flow control stops the client.
// NOLINTNEXTLINE(readability-function-*): every co_await counts as hidden branches of the language
Detached ServeSessions(ServerParts& parts, const RequestSession& request, Poller& poller) {
  const Poller::Presence presence(poller);
  Stream call(poller);
  call.end.Await();
  request(&call.context, &call.stream, poller.queue(), call.requested.Start());
  if (!co_await call.requested) co_return;
  ServeSessions(parts, request, poller);

  CallAccount account(parts.metrics.Rpc(RpcMethod::kSession));
  const Seat seat(parts);
  absl::Status end = seat.status();
  SessionState state(parts);
  KeptArena request_arena;
  KeptArena response_arena;
  if (end.ok()) call.StartRead();
  bool is_client_done = false;
  while (end.ok() && !poller.is_draining()) {
    if (!co_await call.read) {
      is_client_done = !call.read.is_pending();  // else the drain interrupted
      break;
    }
    account.MessageReceived();
    const std::uint64_t bytes = call.incoming.Length();
    const InFlight in_flight(parts.metrics, bytes);
    const absl::Time deadline = absl::FromChrono(call.context.deadline());
    const StopRule stop(call.end, call.read.completed(), deadline);
    Message message;
    if (!Take(&call.incoming, parts.limits, &request_arena, &message)) {
      end = NoRequest();
      break;
    }
    const bool reads_ahead =
        parts.limits.max_messages_in_flight > 1 &&
        bytes + parts.limits.max_transport_bytes <= parts.limits.max_bytes_in_flight;
    if (reads_ahead) call.StartRead();

    const bool is_cheap = !message.refusal.ok() || state.CostOf(*message.request) <= kMaxCheapCost;
    for (bool is_answered = false; !is_answered && end.ok();) {
      auto* const response = response_arena.Fresh<v1::SessionResponse>();
      Placed answering({parts.workers, poller.queue(), is_cheap}, [&] {
        is_answered = !message.refusal.ok() || state.Answer(*message.request, stop, response);
      });
      co_await answering;
      if (!message.refusal.ok()) FillRefusal(message, response);
      call.stream.Write(SerializeMessage(*response), call.written.Start());
      if (!co_await call.written) end = absl::CancelledError("the client went away");
      if (end.ok()) account.MessageSent();
    }
    if (!reads_ahead && end.ok()) call.StartRead();
  }
  if (end.ok() && !is_client_done) end = Draining();
  call.stream.Finish(ToGrpcStatus(end), call.finished.Start());
  co_await call.finished;
  co_await call.read;
  co_await call.end;
  account.EndsWith(EndCode(call.end, absl::FromChrono(call.context.deadline()), end.code()));
}

}  // namespace clearance::server
