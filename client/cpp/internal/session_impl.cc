// SPDX-License-Identifier: Apache-2.0
#include "internal/session_impl.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "internal/poll_channel.h"
#include "internal/session_answer.h"
#include "internal/session_request.h"
#include "internal/wall_clock.h"

namespace clearance::client {
namespace {

// Beyond this, sums of times overflow sooner or later.
constexpr absl::Duration kPracticallyForEver = absl::Hours(24 * 365 * 100);

absl::Status OutOfOrder() {
  return absl::InternalError("the server answered what was not asked, or in another order");
}

}  // namespace

Session::Impl::Impl(std::shared_ptr<const Connection> connection, const SessionOptions& options)
    : connection_(std::move(connection)),
      reopens_(options.reopen),
      ids_(options.ids),
      deadline_(SteadyNow() + options.timeout),
      backoff_(options.reopen_within),
      log_(connection_->has_several_servers),
      thread_([this] { Run(); }) {}

Session::Impl::~Impl() {
  Cancel();
  thread_.join();
}

template <class Message>
absl::StatusOr<Session::Impl::PendingPtr> Session::Impl::Write(const Message& message,
                                                               std::uint64_t tag, Taker taker) {
  std::vector<MessagePiece> pieces = MakePieces(message, *connection_);
  const auto pending = std::make_shared<PendingReply>(
      PendingReply{AnswerInParts(tag, typename Message::Result()), pieces.size()});
  {
    const std::lock_guard write_lock(write_mutex_);
    {
      const std::lock_guard lock(mutex_);
      if (is_finishing_) return absl::FailedPreconditionError("the session is finished");
      if (has_ended_) return EndStatus();
      log_.Enter(std::move(pieces), pending);
      if (taker == Taker::kNext) owed_.push_back(pending);
      // Without a stream the session's thread waits for a message.
      if (!is_open_) changed_.notify_all();
    }
    if (WriteUnwritten()) return pending;
  }
  std::unique_lock lock(mutex_);
  // A stream that broke after the answer may never be replaced, as none is needed. So the answer
  // ends the wait too.
  changed_.wait(lock, [&] { return is_open_ || has_ended_ || pending->is_answered; });
  if (has_ended_ && !pending->is_answered) return EndStatus();
  return pending;
}

bool Session::Impl::WriteUnwritten() {
  std::unique_lock lock(mutex_);
  while (is_open_ && log_.has_unwritten()) {
    const StreamPtr stream = stream_;
    const auto request = log_.TakeUnwritten();
    lock.unlock();
    const bool is_written = stream->Write(*request);
    lock.lock();
    if (!is_written && stream == stream_) is_open_ = false;
  }
  if (is_open_ && is_finishing_ && !is_half_closed_) {
    is_half_closed_ = true;
    const StreamPtr stream = stream_;
    lock.unlock();
    stream->WritesDone();
    lock.lock();
  }
  return is_open_;
}

template <class Message>
absl::StatusOr<Reply> Session::Impl::Ask(const Message& message) {
  const absl::StatusOr<PendingPtr> written = Write(message, /*tag=*/0, Taker::kAsk);
  if (!written.ok()) return written.status();
  PendingReply& pending = **written;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return pending.is_answered || has_ended_; });
  if (!pending.is_answered) return EndStatus();
  return std::move(pending.reply);
}

#define MESSAGE(name) template absl::StatusOr<Reply> Session::Impl::Ask(const name&);
MESSAGE(OpenShape)
MESSAGE(CloseShape)
MESSAGE(OpenScene)
MESSAGE(client::CloseScene)
MESSAGE(ChangeBodies)
#define QUERY(name, field, service, label, states) MESSAGE(name##Batch)
#include "proto/methods.def"
#undef MESSAGE

absl::Status Session::Impl::Send(const SessionMessage& message, std::uint64_t tag) {
  return std::visit([&](const auto& kind) { return Write(kind, tag, Taker::kNext).status(); },
                    message);
}

absl::StatusOr<Reply> Session::Impl::Next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return owed_.empty() || owed_.front()->is_answered || has_ended_; });
  if (!owed_.empty() && owed_.front()->is_answered) {
    const PendingPtr pending = std::move(owed_.front());
    owed_.pop_front();
    return std::move(pending->reply);
  }
  if (has_ended_) return EndStatus();
  return absl::FailedPreconditionError("nothing was sent that is not answered yet");
}

absl::Status Session::Impl::Finish() {
  {
    const std::lock_guard lock(mutex_);
    is_finishing_ = true;
    changed_.notify_all();
  }
  {
    const std::lock_guard write_lock(write_mutex_);
    WriteUnwritten();
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return has_ended_; });
  return status_;
}

void Session::Impl::Cancel() {
  const std::lock_guard lock(mutex_);
  is_cancelled_ = true;
  if (stream_ != nullptr) stream_->Cancel();
  changed_.notify_all();
}

std::optional<absl::Status> Session::Impl::end() {
  const std::lock_guard lock(mutex_);
  if (!has_ended_) return std::nullopt;
  return EndStatus();
}

absl::Status Session::Impl::EndStatus() const {
  if (!status_.ok()) return status_;
  return absl::OutOfRangeError("the session has ended");
}

void Session::Impl::Run() {
  absl::Status end;
  do {
    const StreamPtr stream = OpenStream();
    std::thread writer([this] {
      const std::lock_guard write_lock(write_mutex_);
      WriteUnwritten();
    });
    end = ReadAll(stream.get());
    writer.join();
  } while (AwaitReopening(&end) && AwaitConnection(&end));
  End(end);
}

Session::Impl::StreamPtr Session::Impl::OpenStream() {
  auto stream = std::make_shared<SessionStream>(*connection_, deadline_ - SteadyNow(), ids_);
  ++streams_;
  is_answering_ = false;
  {
    const std::lock_guard lock(mutex_);
    log_.Restart();
    stream_ = stream;
    is_half_closed_ = false;
    if (is_cancelled_) stream->Cancel();
  }
  stream->Start();
  const std::lock_guard lock(mutex_);
  is_open_ = true;
  changed_.notify_all();
  return stream;
}

absl::Status Session::Impl::ReadAll(SessionStream* stream) {
  v1::SessionResponse response;
  absl::Status status;
  while (status.ok() && stream->Read(&response)) status = Deliver(*stream, &response);
  if (!status.ok()) stream->Cancel();
  const absl::Status end = stream->Finish();
  const std::lock_guard lock(mutex_);
  is_open_ = false;
  return status.ok() ? end : status;
}

absl::Status Session::Impl::Deliver(const SessionStream& stream, v1::SessionResponse* response) {
  is_answering_ = true;
  LoggedRequest* front = nullptr;
  {
    const std::lock_guard lock(mutex_);
    front = log_.Front();
    if (front == nullptr || front->request->tag() != response->tag()) return OutOfOrder();
    if (front->pending == nullptr) {
      absl::Status status = log_.CheckReopened(*response);
      if (status.ok()) log_.AcceptAnswer();
      return status;
    }
  }
  // Until it is answered only this thread touches the answer.
  if (response->status().code() != 0) front->pending->answer.FailsUnder(stream.ids());
  switch (front->pending->answer.Add(front->rows, response)) {
    case AnswerInParts::Progress::kBroken:
      return OutOfOrder();
    case AnswerInParts::Progress::kMoreToCome:
      return absl::OkStatus();
    case AnswerInParts::Progress::kPieceComplete:
      break;
  }
  backoff_.AfterSuccess();
  const std::lock_guard lock(mutex_);
  if (log_.AcceptAnswer()) changed_.notify_all();
  return absl::OkStatus();
}

// A server that has not noticed yet that a stream broke still counts it, and may have no room for
// the one that follows.
bool Session::Impl::MayGoOn(const absl::Status& end) const {
  const bool is_crowded_out = absl::IsResourceExhausted(end) && streams_ > 1 && !is_answering_;
  return reopens_ && (IsWorthRepeating(end) || is_crowded_out);
}

bool Session::Impl::AwaitReopening(absl::Status* end) {
  std::unique_lock lock(mutex_);
  if (!MayGoOn(*end)) return false;
  const auto is_cancelled = [&] {
    if (is_cancelled_) *end = absl::CancelledError("the session was cancelled");
    return is_cancelled_;
  };
  if (is_cancelled()) return false;
  // A session without unanswered messages needs no stream until the next message.
  const auto is_missed = [this] { return is_cancelled_ || is_finishing_ || !log_.is_settled(); };
  const absl::Duration left = deadline_ - SteadyNow();
  if (left > kPracticallyForEver) {
    changed_.wait(lock, is_missed);
  } else {
    changed_.wait_for(lock, absl::ToChronoNanoseconds(left), is_missed);
  }
  if (is_cancelled()) return false;
  if (is_finishing_ && log_.is_settled()) {
    *end = absl::OkStatus();
    return false;
  }
  const std::optional<absl::Duration> wait = backoff_.AfterFailure(SteadyNow());
  if (!wait) return false;
  lock.unlock();
  PollChannelUntil(std::min(SteadyNow() + *wait, deadline_), *connection_->channel,
                   [this] { return IsCancelled(); });
  return true;
}

// The kernel of a server that hangs accepts connections, but the server never says the first word,
// for which gRPC waits 20 s. Once the channel has failed, a stream fails with it and says why.
bool Session::Impl::AwaitConnection(absl::Status* end) {
  grpc::Channel& channel = *connection_->channel;
  for (;;) {
    const grpc_connectivity_state state = channel.GetState(/*try_to_connect=*/true);
    const bool is_connecting = state == GRPC_CHANNEL_IDLE || state == GRPC_CHANNEL_CONNECTING;
    if (!is_connecting || IsCancelled() || SteadyNow() >= deadline_) return true;
    if (backoff_.IsTimeToGiveUp(SteadyNow())) break;
    channel.WaitForStateChange(state, absl::ToChronoTime(WallNow() + kGlance));
  }
  absl::Status none = absl::UnavailableError(
      absl::StrCat("the server takes no connection; the last stream ended with: ", end->message()));
  end->ForEachPayload(
      [&none](absl::string_view type, const absl::Cord& value) { none.SetPayload(type, value); });
  *end = std::move(none);
  return false;
}

bool Session::Impl::IsCancelled() {
  const std::lock_guard lock(mutex_);
  return is_cancelled_;
}

void Session::Impl::End(const absl::Status& status) {
  const std::lock_guard lock(mutex_);
  status_ = status;
  has_ended_ = true;
  changed_.notify_all();
}

}  // namespace clearance::client
