// SPDX-License-Identifier: Apache-2.0

#include "server/transport/session.h"

#include <google/protobuf/arena.h>
#include <grpc/support/time.h>
#include <grpcpp/alarm.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "clearance/v1/query_service.pb.h"
#include "server/convert/wire_errors.h"
#include "server/guard/quota.h"
#include "server/guard/refusal.h"
#include "server/guard/share_ledger.h"
#include "server/schedule/pending_work.h"
#include "server/schedule/stop_rule.h"
#include "server/schedule/work.h"
#include "server/services/asks_by_name.h"
#include "server/session/call_scope.h"
#include "server/session/session_state.h"
#include "server/session/unread_request.h"
#include "server/transport/admission.h"
#include "server/transport/byte_account.h"
#include "server/transport/first_message.h"
#include "server/transport/offload.h"
#include "server/transport/reply_patience.h"
#include "server/transport/wait_for_freshness.h"

namespace clearance::server {
namespace {

// Takes a place among the server's sessions, and among those of the caller's principal.
absl::Status TakePlace(Metrics& metrics, const Caller& caller, ShareLedger::Part* place) {
  const Principal* const principal = caller.principal.get();
  const std::uint64_t most_of_principal =
      principal == nullptr ? kNoLimit : principal->limits.sessions;
  place->Join(caller.holder());
  const Verdict verdict = place->TryTake(1, most_of_principal);
  if (verdict == Verdict::kGranted) return absl::OkStatus();
  if (verdict != Verdict::kCallerLimit) {
    metrics.sessions_refused().Increment();
    return place->Refuse(verdict, 1);
  }
  metrics.principal_refusals(PrincipalLimit::kSessions).Increment();
  return RefuseMore({.advice = "end one", .caller_limit = "sessions"},
                    {.verdict = verdict,
                     .given = FormatNumber(most_of_principal + 1),
                     .most = most_of_principal,
                     .principal = principal->id});
}

// Counts a message that is read and not yet answered in the gauges.
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
  static google::protobuf::ArenaOptions OptionsOn(char* block, std::size_t size) {
    google::protobuf::ArenaOptions options;
    options.initial_block = block;
    options.initial_block_size = size;
    return options;
  }

  alignas(8) std::array<char, 8192> block_;
  google::protobuf::Arena arena_{OptionsOn(block_.data(), block_.size())};
};

absl::Status NoRequest() {
  return Refuse(absl::StatusCode::kInvalidArgument,
                {.reason = Reason::kMessageMalformed,
                 .field = "",
                 .value = "",
                 .limit = "a clearance.v1.SessionRequest",
                 .message = "malformed SessionRequest: the session ends"});
}

absl::Status HoldsDeletedShapes(const Limits& limits) {
  return Refuse(absl::StatusCode::kResourceExhausted,
                {.reason = Reason::kDeletedShapesHeld,
                 .field = "",
                 .value = "",
                 .limit = "max_registry_bytes <= " + FormatNumber(limits.max_registry_bytes) +
                          " of deleted shapes",
                 .message = "The session held most of the shapes that were deleted or replaced and "
                            "are still held; open it again with shapes that are registered."});
}

absl::Status DrainingSession() {
  return absl::UnavailableError("draining: the server goes; open the session elsewhere");
}

absl::Status SilentSession() {
  return absl::UnavailableError("the session said nothing for too long; open it again");
}

// One stream: its operations and the message that was read last. Every started operation is awaited
// before the stream goes.
struct Stream {
  explicit Stream(Poller& poller) : on_drain(poller, read) {}

  // Completes `requested` with the next call, or without one if the server ends.
  void Request(const RequestSession& request, Poller& poller) {
    end.Await();
    request(&context, &stream, poller.queue(), requested.Start());
  }

  // Starts at most one read a message: no effect if that of the next one has begun.
  void StartRead() {
    if (!std::exchange(is_next_read, true)) stream.Read(&incoming, read.Start());
  }

  grpc::ServerContext context;
  SessionStream stream{&context};
  CallEnd end{context};
  Operation requested, written, finished;
  TimedOperation read;
  FirstMessage first_message{read};
  Poller::Watch on_drain;
  grpc::ByteBuffer incoming;
  bool is_next_read = false;  // or being read
};

// A message as it arrived. Either it is refused unread or `request` holds it.
struct Message {
  PendingWork pending;
  absl::Status refusal = absl::OkStatus();
  UnreadRequest unread = {};
  v1::SessionRequest* request = nullptr;
};

// Returns false if the bytes are not a SessionRequest. An earlier refusal of the message stays.
bool Take(grpc::ByteBuffer* bytes, const Limits& limits, KeptArena* arena, Message* message) {
  message->refusal.Update(CheckSize(*bytes, limits));
  if (message->refusal.ok()) {
    message->refusal =
        CheckObjects(bytes, *v1::SessionRequest::descriptor(), MostObjectsOfOneShape(limits));
  }
  if (!message->refusal.ok()) {
    grpc::ProtoBufferReader reader(bytes);
    if (reader.status().ok()) message->unread = LookAtRequest(&reader);
    bytes->Clear();
    return true;
  }
  message->request = arena->Fresh<v1::SessionRequest>();
  return ParseMessage(bytes, message->request);
}

// Returns whether one more message may be read while one of so many bytes is worked on.
bool HasRoomBeside(std::uint64_t bytes, const Limits& limits) {
  return limits.max_messages_in_flight > 1 &&
         bytes + limits.max_transport_bytes <= limits.max_bytes_in_flight;
}

// Answers a session's messages.
class SessionContext {
 public:
  SessionContext(ServerParts& parts, const Caller& caller, Poller& poller)
      : holds(&parts.registry.holders(), caller.holder(), [&poller] { poller.LookAgain(); }),
        parts_(parts),
        poller_(poller),
        caller_(caller),
        arrears_(caller),
        registry_(parts.registry, caller, parts.audit),
        scope_{parts, caller, registry_},
        account(parts.workers),
        bytes(parts.bytes, caller.holder(), poller.queue()),
        state(scope_, &holds) {}

  // Takes room for the message's bytes. Must come before the message is taken in.
  absl::Status TakeBytes(const grpc::ByteBuffer& incoming) {
    arrears_.Receive(incoming.Length());
    return CountShed(parts_.metrics, bytes.Take(incoming.Length()));
  }

  // Returns the place to take the message in. One that is already refused only lets its bytes go.
  Offload::Where PlaceToTake(const Message& message, std::uint64_t request_bytes) {
    const std::uint64_t cost = message.refusal.ok() ? CostOfTaking(request_bytes) : 0;
    return {account, caller_.group(), poller_.queue(), cost};
  }

  // Returns false if the bytes are not a SessionRequest.
  bool TakeInPlace(grpc::ByteBuffer* incoming, Message* message) {
    bool is_request = false;
    arrears_.Meter([&] { is_request = Take(incoming, parts_.limits, &request_arena, message); });
    return is_request;
  }
  // The same on a worker. The call may be over by now.
  bool TakeAtWorker(const StopRule& stop, grpc::ByteBuffer* incoming, Message* message) {
    message->refusal = RequireNotOver(parts_.metrics, stop);
    return TakeInPlace(incoming, message);
  }

  // Returns the wait that must end before the message is answered.
  WaitForFreshness WaitFor(const Message& message) const {
    Freshness* const freshness =
        message.refusal.ok() ? FreshnessFor(scope_, *message.request) : nullptr;
    return WaitForFreshness(freshness, poller_.queue());
  }

  // Returns the place to answer the message. May refuse it for want of a place or of reply room.
  Offload::Where Place(Message* message) {
    std::uint64_t cost = 0;
    if (message->refusal.ok())
      message->refusal =
          CountShed(parts_.metrics, bytes.Take(state.ReplyBytesOf(*message->request)));
    if (message->refusal.ok()) {
      cost = state.CostOf(*message->request);
      message->refusal = message->pending.Take(caller_.group(), cost);
    }
    if (!message->refusal.ok()) return {account, caller_.group(), poller_.queue(), 0};
    const std::uint64_t whole_cost = message->request->has_open() ? cost : 0;
    return {account, caller_.group(), poller_.queue(), cost, whole_cost, &message->pending};
  }

  void Answer(const Message& message, const StopRule& stop, v1::SessionResponse* response,
              Parts* left) {
    const ProcessorMeter meter(caller_);
    absl::Status refusal = message.refusal;
    const bool is_first_part = state.is_complete();
    if (refusal.ok() && is_first_part) refusal = message.pending.RequireTimeLeft(stop);
    if (refusal.ok()) return state.Answer(*message.request, stop, response, left);
    if (message.request != nullptr) {
      state.Decline(*message.request, refusal);
      response->set_tag(message.request->tag());
    } else {
      state.Decline(message.unread, refusal);
      response->set_tag(message.unread.tag);
    }
    CountRefusal(parts_.metrics, refusal);
    FillRpcStatus(refusal, response->mutable_status());
  }

  // Returns the bytes of the reply; nothing else of it stays.
  grpc::ByteBuffer Reply(const v1::SessionResponse& response) {
    const ProcessorMeter meter(caller_);
    if (state.is_complete()) arrears_.Pay();
    if (response.status().code() == grpc::StatusCode::RESOURCE_EXHAUSTED)
      rest_ = std::min(kLongestRest, TimeUntilEven(caller_));
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
      const gpr_timespec span = gpr_time_from_nanos(absl::ToInt64Nanoseconds(rest), GPR_TIMESPAN);
      rest_alarm_.Set(poller_.queue(), gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), span),
                      bytes.room().Start());
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

  // Called when the message was answered and its reply is taken.
  void Forget() {
    request_arena.Clear();
    bytes.Release();
  }

  ShapeHolders::Session holds;

 private:
  // A refused message also costs processor time: a client that repeats it at once is held back.
  static constexpr absl::Duration kLongestRest = absl::Seconds(1);

  ServerParts& parts_;
  Poller& poller_;
  const Caller& caller_;
  Arrears arrears_;
  CallerRegistry registry_;
  const CallScope scope_;
  absl::Duration rest_;  // before the next message
  grpc::Alarm rest_alarm_;

 public:
  WorkerPool::Account account;
  ByteAccount bytes;
  SessionState state;
  KeptArena request_arena;
  KeptArena response_arena;
};

// Takes a message in. `end` is the error that ends the session if it is not a message.
struct Arrival {
  void Take(bool is_at_worker) {
    const bool is_request = is_at_worker ? session.TakeAtWorker(stop, &bytes, &message)
                                         : session.TakeInPlace(&bytes, &message);
    if (!is_request) end = NoRequest();
  }

  SessionContext& session;
  const StopRule& stop;
  grpc::ByteBuffer& bytes;
  Message& message;
  Offload::Where where = session.PlaceToTake(message, bytes.Length());
  absl::Status end = absl::OkStatus();
};

// The caller of a session, and whether the session may go on.
class SessionLifetime {
 public:
  SessionLifetime(ServerParts& parts, Stream& call, Poller& poller)
      : parts_(parts),
        admission_(parts, RpcMethod::kSession, call.context),
        place_(parts.sessions),
        session(parts, admission_.caller(), poller),
        call_(call),
        poller_(poller),
        limits_(parts.limits),
        patience_(poller, call.context, call.written),
        on_drain_(poller, session.bytes.room()),
        on_look_(poller, [this] { Look(); }) {
    call.end.Interrupts(&session.bytes.room());
  }

  absl::Status Begin() {
    absl::Status status = admission_.Check();
    return status.ok() ? TakePlace(parts_.metrics, admission_.caller(), &place_) : status;
  }

  // Return whether the session must end though the client goes on, and why.
  bool has_to_end() const {
    return poller_.is_draining() || session.holds.is_told() || !admission().ok() ||
           call_.first_message.is_overdue();
  }
  absl::Status ReasonToEnd() const {
    if (!admission().ok()) return admission();
    if (session.holds.is_told()) return HoldsDeletedShapes(limits_);
    return poller_.is_draining() ? DrainingSession() : SilentSession();
  }

  // Awaited before work on a message begins.
  Poller::Turn Turn(bool is_refused) {
    return Poller::Turn(poller_, admission_.caller().group(), is_refused);
  }

  // Not OK once the caller may not be here any more; it then gets no more answers.
  const absl::Status& admission() const { return admission_.status(); }

  // Called when the session ends with an error.
  void TellOfEnd() const {
    if (!session.holds.is_told()) return;
    parts_.metrics.sessions_ended_for_shapes().Increment();
    if (parts_.refusal_log != nullptr) parts_.refusal_log->WriteEndOfHolder(admission_.caller());
  }

  // Called once the server reads. No effect after the first time.
  void AwaitFirstMessage() {
    call_.first_message.Await(poller_.queue(), parts_.first_message_timeout);
  }

  // Called while no worker is at a message. An error ends the session.
  const absl::Status& Readmit() {
    if (!admission_.is_outdated()) return admission_.status();
    if (admission_.Check().ok()) session.state.EndTrackUnlessAllowed();
    return admission_.status();
  }

 private:
  // A session that must end goes on wherever it waits for its client, and ends. Work for a caller
  // that may not be here any more is given up.
  void Look() {
    // Workers read caller(), so it stays as it is while they are at a message.
    const bool is_idle = call_.read.is_awaited();
    const bool may_stay = is_idle ? Readmit().ok() : admission_.CheckAside().ok();
    if (may_stay && !session.holds.is_told()) return;
    if (!may_stay) call_.end.StopWork();
    patience_.Urge();
    // Last, because it may end this session.
    Operation& waited_for = is_idle ? call_.read : session.bytes.room();
    waited_for.Interrupt();
  }

  ServerParts& parts_;
  Admission admission_;
  ShareLedger::Part place_;

 public:
  SessionContext session;

 private:
  Stream& call_;
  Poller& poller_;
  const Limits& limits_;
  ReplyPatience patience_;
  const Poller::Watch on_drain_;
  const Poller::Looker on_look_;
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
Task<absl::Status> AnswerMessage(ServerParts& parts, Stream& call, SessionLifetime& lifetime,
                                 CallAccount& account) {
  SessionContext& session = lifetime.session;
  const std::uint64_t bytes = call.incoming.Length();
  const InFlight in_flight(parts.metrics, bytes);
  const StopRule stop(call.end.is_in_vain(), call.read.completed(), DeadlineOf(call.context));
  Message message{PendingWork(parts.metrics, parts.workers)};
  message.refusal = session.TakeBytes(call.incoming);
  co_await lifetime.Turn(!message.refusal.ok());
  absl::Status end = lifetime.Readmit();
  if (!end.ok()) co_return end;
  Arrival arrival{session, stop, call.incoming, message};
  Offload taking(arrival.where,
                 [&arrival](Parts*) { arrival.Take(arrival.where.cost > kMaxCheapCost); });
  co_await taking;
  message.pending.Add(taking.times());
  if (!arrival.end.ok()) co_return arrival.end;
  WaitForFreshness fresh = session.WaitFor(message);
  message.refusal.Update(co_await fresh);
  const Offload::Where where = session.Place(&message);
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
    if (end = lifetime.admission(); !end.ok()) break;
    // A client that does not take the reply holds nothing that others wait for.
    message.pending.Release();
    call.stream.Write(reply, call.written.Start());
    if (reads_ahead) call.StartRead();
    if (!co_await call.written) end = absl::CancelledError("the client went away");
    if (end.ok()) account.MessageSent();
    message.pending.TakeBack(session.state.CostLeft());
  } while (end.ok() && !session.state.is_complete());
  session.Forget();
  co_return end;
}

}  // namespace

// NOLINTNEXTLINE(readability-function-cognitive-complexity): every co_await counts as hidden branches of the language
Detached ServeSessions(ServerParts& parts, const RequestSession& request, Poller& poller) {
  const Poller::Presence presence(poller);
  Stream call(poller);
  call.Request(request, poller);
  if (!co_await call.requested) co_return;
  ServeSessions(parts, request, poller);

  CallAccount account(parts.metrics.Rpc(RpcMethod::kSession));
  SessionLifetime lifetime(parts, call, poller);
  SessionContext& session = lifetime.session;
  Operation& room = session.bytes.room();
  co_await lifetime.Turn(!lifetime.admission().ok());
  absl::Status end = lifetime.Begin();
  bool is_client_done = false;
  while (end.ok() && !lifetime.has_to_end()) {
    if (session.MustPause(call.is_next_read)) {
      co_await room;
      session.EndPause();
      while (room.is_pending()) co_await room;
      if (lifetime.has_to_end()) break;
    }
    call.StartRead();
    lifetime.AwaitFirstMessage();
    if (!co_await call.read) {
      is_client_done = !call.read.is_pending();  // else something interrupted it
      break;
    }
    call.is_next_read = false;
    call.first_message.Came();
    account.MessageReceived();
    end = co_await AnswerMessage(parts, call, lifetime, account);
  }
  if (end.ok() && !is_client_done) end = lifetime.ReasonToEnd();
  if (!end.ok()) lifetime.TellOfEnd();
  // Before the client can know of the end.
  session.state.EndTrack();
  CountRefusal(parts.metrics, end);
  call.stream.Finish(ToGrpcStatus(end), call.finished.Start());
  co_await call.finished;
  // A drain interrupts it.
  while (call.read.is_pending()) co_await call.read;
  call.first_message.Came();
  co_await call.first_message;
  co_await call.end;
  account.EndsWith(EndCode(call.end, DeadlineOf(call.context), end.code()));
}

}  // namespace clearance::server
