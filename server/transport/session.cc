// SPDX-License-Identifier: Apache-2.0

#include <google/protobuf/arena.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <array>

#include "absl/cleanup/cleanup.h"
#include "server/convert/wire_errors.h"
#include "server/services/asks_by_name.h"
#include "server/session/session_state.h"
#include "server/session/unread_request.h"
#include "server/transport/admission.h"
#include "server/transport/methods.h"

namespace clearance::server {
namespace {

// Counts a message that is read and not yet answered in the gauges, while the result lives.
auto CountInFlight(Metrics& metrics, std::uint64_t bytes) {
  const auto counted = static_cast<double>(bytes);
  metrics.messages_in_flight().Increment();
  metrics.bytes_in_flight().Increment(counted);
  return absl::MakeCleanup([&metrics, counted] {
    metrics.messages_in_flight().Decrement();
    metrics.bytes_in_flight().Decrement(counted);
  });
}

// An arena that keeps its first block over Reset(): messages of ordinary size never ask for memory.
class KeptArena {
 public:
  template <class Message>
  Message* Fresh() {
    arena_.Reset();
    return google::protobuf::Arena::CreateMessage<Message>(&arena_);
  }
  // Keeps only the first block: an idle session that once had a large message holds nothing of it.
  void Clear() { arena_.Reset(); }

 private:
  alignas(8) std::array<char, 8192> block_;
  google::protobuf::Arena arena_{block_.data(), block_.size()};
};

absl::Status HoldsDeletedShapes(const Limits& limits) {
  return Refuse(absl::StatusCode::kResourceExhausted,
                {.reason = Reason::kDeletedShapesHeld,
                 .limit = "max_registry_bytes <= " + FormatNumber(limits.max_registry_bytes) +
                          " of deleted shapes",
                 .message = "The session held most of the shapes that were deleted or replaced and "
                            "are still held; open it again with shapes that are registered."});
}

struct Stream : RawCall<TwoWayStream> {
  // Starts at most one read a message: no effect if that of the next one has begun.
  void StartRead() {
    if (!std::exchange(is_next_read, true)) stream.Read(&incoming, read.Start());
  }

  CallEnd end{context};
  TimedOperation read;
  FirstMessage first_message{read};
  bool is_next_read = false;  // or being read
};

// A message as it arrived. If it is refused unread, `request` has what LookAtRequest finds.
struct Message {
  PendingWork pending;
  absl::Status refusal = absl::OkStatus();
  bool is_known = false;  // else it may have been anything
  v1::SessionRequest* request = nullptr;
};

// Returns whether one more message may be read while one of so many bytes is worked on.
bool HasRoomBeside(std::uint64_t bytes, const Limits& limits) {
  return limits.max_messages_in_flight > 1 &&
         bytes + limits.max_transport_bytes <= limits.max_bytes_in_flight;
}

// A session, whether it may go on, and the answers to its messages.
class ServedSession : public ServedCall {
 public:
  ServedSession(ServerParts& parts, Stream& call, Poller& where)
      : ServedCall(parts, RpcMethod::kSession, call.context, where),
        call_(call),
        place_(parts.sessions),
        holds_(&parts.registry.holders(), scope.caller.holder(), [&where] { where.LookAgain(); }),
        state(scope, &holds_),
        patience_(where, call.context, call.written),
        on_look_(poller, [this] { Look(); }) {
    call.end.Interrupts(&bytes.room());
  }

  // Takes a place among the server's sessions, and among those of the caller's principal.
  absl::Status Begin() {
    if (absl::Status status = admission.Check(); !status.ok()) return status;
    const Principal* const principal = scope.caller.principal.get();
    const std::uint64_t most = principal == nullptr ? kNoLimit : principal->limits.sessions;
    place_.Join(scope.caller.holder());
    const Verdict verdict = place_.TryTake(1, most);
    if (verdict == Verdict::kGranted) return absl::OkStatus();
    if (principal == nullptr || verdict != Verdict::kCallerLimit) {
      scope.parts.metrics.sessions_refused().Increment();
      return place_.Refuse(verdict, 1);
    }
    scope.parts.metrics.principal_refusals(PrincipalLimit::kSessions).Increment();
    return RefuseMore({.advice = "end one", .caller_limit = "sessions"},
                      {.verdict = verdict,
                       .given = FormatNumber(most + 1),
                       .most = most,
                       .principal = principal->id});
  }

  // Return whether the session must end though the client goes on, and why.
  bool has_to_end() const {
    return poller.is_draining() || holds_.is_told() || !admission.status().ok() ||
           call_.first_message.is_overdue();
  }
  absl::Status ReasonToEnd() const {
    if (!admission.status().ok()) return admission.status();
    if (holds_.is_told()) return HoldsDeletedShapes(scope.parts.limits);
    return absl::UnavailableError(poller.is_draining()
                                      ? "draining: the server goes; open the session elsewhere"
                                      : "the session said nothing for too long; open it again");
  }

  // Called when the session ends with an error.
  void TellOfEnd() const {
    if (!holds_.is_told()) return;
    scope.parts.metrics.sessions_ended_for_shapes().Increment();
    if (scope.parts.refusal_log != nullptr) scope.parts.refusal_log->WriteEndOfHolder(scope.caller);
  }

  // Called while no worker is at a message. An error ends the session.
  const absl::Status& Readmit() {
    if (!admission.is_outdated()) return admission.status();
    if (admission.Check().ok()) state.scenes().EndTrackUnlessAllowed();
    return admission.status();
  }

  // Takes the message in; if it is refused, only as far as the refusal needs. Fails if the bytes
  // are not a SessionRequest, which ends the session.
  absl::Status Take(grpc::ByteBuffer* incoming, Message* message) {
    bool is_request = true;
    arrears.Meter([&] {
      absl::Status& refusal = message->refusal;
      if (refusal.ok()) {
        const Limits& limits = scope.parts.limits;
        refusal = CheckMessage(incoming, *v1::SessionRequest::descriptor(),
                               MostObjectsOfOneShape(limits), limits);
      }
      message->request = request_arena.Fresh<v1::SessionRequest>();
      if (refusal.ok()) {
        message->is_known = true;
        is_request = ParseMessage(incoming, message->request);
        return;
      }
      grpc::ProtoBufferReader reader(incoming);
      message->is_known = reader.status().ok() && LookAtRequest(&reader, message->request);
      incoming->Clear();
    });
    return is_request ? absl::OkStatus() : RefuseMalformed(*message->request);
  }

  // Returns the place to answer the message. May refuse it for want of a place or of reply room.
  Offload::Where PlaceOf(Message* message) {
    std::uint64_t cost = 0;
    if (message->refusal.ok()) message->refusal = TakeBytes(state.ReplyBytesOf(*message->request));
    if (message->refusal.ok()) {
      cost = state.CostOf(*message->request);
      message->refusal = message->pending.Take(scope.caller.group(), cost);
    }
    if (!message->refusal.ok()) return Place(0);
    return Place(cost, message->request->has_open() ? cost : 0, &message->pending);
  }

  void Answer(const Message& message, const StopRule& stop, v1::SessionResponse* response,
              Parts* left) {
    const ProcessorMeter meter(scope.caller);
    absl::Status refusal = message.refusal;
    const bool is_first_part = state.is_complete();
    if (refusal.ok() && is_first_part) refusal = message.pending.RequireTimeLeft(stop);
    if (refusal.ok()) return state.Answer(*message.request, stop, response, left);
    message.is_known ? state.Decline(*message.request, refusal) : state.DeclineUnknown(refusal);
    response->set_tag(message.request->tag());
    CountRefusal(scope.parts.metrics, refusal);
    FillRpcStatus(refusal, response->mutable_status());
  }

  // Returns the bytes of the reply; nothing else of it stays.
  grpc::ByteBuffer Reply(const v1::SessionResponse& response) {
    const ProcessorMeter meter(scope.caller);
    if (state.is_complete()) arrears.Pay();
    if (response.status().code() == grpc::StatusCode::RESOURCE_EXHAUSTED)
      rest_ = std::min(kLongestRest, TimeUntilEven(scope.caller));
    grpc::ByteBuffer reply = SerializeMessage(response);
    response_arena.Clear();
    return reply;
  }

  // Returns whether the session must wait before the next message, which may already be on its way.
  // If so, room() of the bytes is started.
  bool MustPause(bool is_next_read) {
    const absl::Duration rest = std::exchange(rest_, absl::ZeroDuration());
    if (!is_next_read && !bytes.HasRoom()) {
      bytes.AwaitRoom();
    } else if (rest > absl::ZeroDuration()) {
      CompleteAfter(rest, rest_alarm_, poller.queue(), bytes.room().Start());
    } else {
      return false;
    }
    return true;
  }
  // Completes room(), unless it has completed.
  void EndPause() {
    bytes.StopWaiting();
    rest_alarm_.Cancel();
  }

 private:
  // A refused message also costs processor time: a client that repeats it at once is held back.
  static constexpr absl::Duration kLongestRest = absl::Seconds(1);

  // A session that must end goes on wherever it waits for its client, and ends. Work for a caller
  // that may not be here any more is given up.
  void Look() {
    // Workers read scope.caller, so it stays as it is while they are at a message.
    const bool is_idle = call_.read.is_awaited();
    const bool may_stay = is_idle ? Readmit().ok() : admission.CheckAside().ok();
    if (!may_stay) call_.end.StopWork();
    if (!may_stay || holds_.is_told()) {
      patience_.Urge();
    } else if (!poller.is_draining()) {
      return;
    }
    // Last, because it may end this session.
    Operation& waited_for = is_idle ? call_.read : bytes.room();
    waited_for.Interrupt();
  }

  Stream& call_;
  ShareLedger::Part place_;
  ShapeHolders::Session holds_;
  absl::Duration rest_;  // before the next message
  grpc::Alarm rest_alarm_;

 public:
  SessionState state;
  KeptArena request_arena;
  KeptArena response_arena;

 private:
  ReplyPatience patience_;
  const Poller::Hook on_look_;
};

// Answers the message that was read last, in as many replies as it takes. An error ends the
// session.
//
// Reads one message ahead while workers have this one, or behind the reply to a message answered
// here, if both fit into the in-flight limits. Beyond that the stream is not read, and HTTP/2's
// flow control stops the client. A read that begins before its reply costs each small message a
// packet: gRPC sends the window that the read frees in a packet by itself, or with the reply if it
// finds one.
// NOLINTNEXTLINE(readability-function-cognitive-complexity): every co_await counts as hidden branches of the language
Task<absl::Status> AnswerMessage(Stream& call, ServedSession& session) {
  const ServerParts& parts = session.scope.parts;
  const std::uint64_t bytes = call.incoming.Length();
  const auto in_flight = CountInFlight(parts.metrics, bytes);
  const StopRule stop(call.end.is_in_vain(), call.read.completed(), session.deadline);
  Message message{PendingWork(parts.metrics, parts.workers)};
  session.arrears.Receive(bytes);
  message.refusal = session.TakeBytes(bytes);
  co_await session.Turn(!message.refusal.ok());
  absl::Status end = session.Readmit();
  if (!end.ok()) co_return end;
  // One that is already refused only lets its bytes go.
  const auto entrance = session.Place(message.refusal.ok() ? CostOfTaking(bytes) : 0);
  Offload taking(entrance, [&](Parts*) {
    // A worker may come to it when the call is over.
    if (entrance.cost > kMaxCheapCost) message.refusal = RequireNotOver(parts.metrics, stop);
    end = session.Take(&call.incoming, &message);
  });
  co_await taking;
  message.pending.Add(taking.times());
  if (!end.ok()) co_return end;
  Awaited<absl::Status> fresh = session.WhenFresh(
      message.refusal.ok() ? FreshnessFor(session.scope, *message.request) : nullptr);
  message.refusal.Update(co_await fresh);
  const Offload::Where where = session.PlaceOf(&message);
  const bool reads_ahead = HasRoomBeside(bytes, parts.limits) && session.bytes.HasRoom();
  if (reads_ahead && where.cost > kMaxCheapCost) call.StartRead();
  do {
    auto* const response = session.response_arena.Fresh<v1::SessionResponse>();
    grpc::ByteBuffer reply;
    Offload answering(where, [&](Parts* left) {
      session.Answer(message, stop, response, left);
      Conclude(left, [&] { reply = session.Reply(*response); });
    });
    co_await answering;
    message.pending.Add(answering.times());
    if (end = session.admission.status(); !end.ok()) break;
    // A client that does not take the reply holds nothing that others wait for.
    message.pending.Release();
    call.stream.Write(reply, call.written.Start());
    if (reads_ahead) call.StartRead();
    if (!co_await call.written) end = absl::CancelledError("the client went away");
    if (end.ok()) session.series.MessageSent();
    message.pending.TakeBack(session.state.CostLeft());
  } while (end.ok() && !session.state.is_complete());
  session.request_arena.Clear();
  session.bytes.Release();
  co_return end;
}

}  // namespace

// NOLINTNEXTLINE(readability-function-cognitive-complexity): every co_await counts as hidden branches of the language
Detached ServeSessions(ServerParts& parts, RawService<v1::QueryService>& service, Poller& poller) {
  const Poller::Presence presence(poller);
  Stream call;
  call.end.Await();
  service.Request(service.IndexOf("Session"), &call, poller.queue());
  if (!co_await call.requested) co_return;
  ServeSessions(parts, service, poller);

  ServedSession session(parts, call, poller);
  Operation& room = session.bytes.room();
  co_await session.Turn(!session.admission.status().ok());
  absl::Status end = session.Begin();
  bool is_client_done = false;
  while (end.ok() && !session.has_to_end()) {
    if (session.MustPause(call.is_next_read)) {
      co_await room;
      session.EndPause();
      while (room.is_pending()) co_await room;
      if (session.has_to_end()) break;
    }
    call.StartRead();
    call.first_message.Await(poller.queue(), parts.first_message_timeout);
    if (!co_await call.read) {
      is_client_done = !call.read.is_pending();  // else something interrupted it
      break;
    }
    call.is_next_read = false;
    call.first_message.Came();
    session.series.MessageReceived();
    end = co_await AnswerMessage(call, session);
  }
  if (end.ok() && !is_client_done) end = session.ReasonToEnd();
  if (!end.ok()) session.TellOfEnd();
  // Before the client can know of the end.
  session.state.scenes().EndTrack();
  CountRefusal(parts.metrics, end);
  call.stream.Finish(ToGrpcStatus(end), call.finished.Start());
  co_await call.finished;
  // A look interrupts it.
  while (call.read.is_pending()) co_await call.read;
  call.first_message.Came();
  co_await call.first_message;
  co_await call.end;
  session.EndsWith(call.end, end.code());
}

}  // namespace clearance::server
