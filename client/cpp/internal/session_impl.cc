// SPDX-License-Identifier: Apache-2.0
#include "internal/session_impl.h"

#include <type_traits>
#include <utility>

#include "internal/query_convert.h"
#include "internal/shape_convert.h"
#include "internal/status_convert.h"

namespace clearance::client {
namespace {

constexpr RowRange kWholeMessage{0, 1};

std::vector<RowRange> PiecesOf(const OpenShape&, const MessageLimits&) { return {kWholeMessage}; }
std::vector<RowRange> PiecesOf(const CloseShape&, const MessageLimits&) { return {kWholeMessage}; }

template <class Batch>
std::vector<RowRange> PiecesOf(const Batch& batch, const MessageLimits& limits) {
  return SplitRows(batch, limits);
}

// Each Fill overwrites what the request held before, and keeps its memory where the kind is the
// same.
void Fill(const OpenShape& open, RowRange, v1::SessionRequest* request) {
  v1::OpenShape* proto = request->mutable_open();
  proto->set_slot(open.slot);
  ToProto(open.shape, proto->mutable_shape());
  proto->set_min_revision(open.min_revision);
}

void Fill(const CloseShape& close, RowRange, v1::SessionRequest* request) {
  request->mutable_close()->set_slot(close.slot);
}

void Fill(const DistanceBatch& batch, RowRange rows, v1::SessionRequest* request) {
  ToProto(batch, rows, request->mutable_distance());
}

void Fill(const IntersectionBatch& batch, RowRange rows, v1::SessionRequest* request) {
  ToProto(batch, rows, request->mutable_intersection());
}

void Fill(const TimeOfCollisionBatch& batch, RowRange rows, v1::SessionRequest* request) {
  ToProto(batch, rows, request->mutable_time_of_collision());
}

void FillReplyLimit(const ClientOptions& options, v1::SessionRequest* request) {
  if (request->has_distance()) SetReplyLimit(options, request->mutable_distance());
  if (request->has_intersection()) SetReplyLimit(options, request->mutable_intersection());
  if (request->has_time_of_collision()) {
    SetReplyLimit(options, request->mutable_time_of_collision());
  }
}

// The answer that a message gets, still empty.
using Answer = decltype(Reply::answer);
Answer EmptyAnswer(const OpenShape&) { return OpenedShape{}; }
Answer EmptyAnswer(const CloseShape&) { return ClosedShape{}; }
Answer EmptyAnswer(const DistanceBatch&) { return DistanceResult{}; }
Answer EmptyAnswer(const IntersectionBatch&) { return IntersectionResult{}; }
Answer EmptyAnswer(const TimeOfCollisionBatch&) { return TimeOfCollisionResult{}; }

std::unique_ptr<grpc::ClientReaderWriter<v1::SessionRequest, v1::SessionResponse>> StartStream(
    const Connection& connection, absl::Duration timeout, grpc::ClientContext* context) {
  SetDeadline(timeout, context);
  return connection.queries->Session(context);
}

}  // namespace

Session::Impl::Impl(std::shared_ptr<const Connection> connection, const SessionOptions& options)
    : connection_(std::move(connection)),
      stream_(StartStream(*connection_, options.timeout, &context_)),
      reader_([this] { ReadAll(); }) {}

Session::Impl::~Impl() {
  Cancel();
  reader_.join();
}

template <class Message>
absl::StatusOr<Session::Impl::PendingPtr> Session::Impl::Write(const Message& message,
                                                               std::uint64_t tag, Taker taker) {
  auto pending = std::make_shared<Pending>();
  pending->pieces = PiecesOf(message, connection_->message_limits());
  pending->reply.tag = tag;
  pending->reply.answer = EmptyAnswer(message);

  const std::lock_guard write_lock(write_mutex_);
  if (is_half_closed_) return absl::FailedPreconditionError("the session is finished");
  pending->sequence = next_sequence_++;
  {
    const std::lock_guard lock(mutex_);
    unanswered_.push_back(pending);
    if (taker == Taker::kNext) owed_.push_back(pending);
  }
  request_.set_tag(pending->sequence);
  for (const RowRange& piece : pending->pieces) {
    Fill(message, piece, &request_);
    FillReplyLimit(connection_->options, &request_);
    if (stream_->Write(request_)) continue;
    // The stream is broken, so the reader is about to learn its status.
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return has_ended_; });
    return EndStatus();
  }
  return pending;
}

template <class Message>
absl::StatusOr<Reply> Session::Impl::Ask(const Message& message) {
  const absl::StatusOr<PendingPtr> written = Write(message, /*tag=*/0, Taker::kAsk);
  if (!written.ok()) return written.status();
  Pending& pending = **written;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return pending.is_answered || has_ended_; });
  if (!pending.is_answered) return EndStatus();
  return std::move(pending.reply);
}

template absl::StatusOr<Reply> Session::Impl::Ask(const OpenShape&);
template absl::StatusOr<Reply> Session::Impl::Ask(const CloseShape&);
template absl::StatusOr<Reply> Session::Impl::Ask(const DistanceBatch&);
template absl::StatusOr<Reply> Session::Impl::Ask(const IntersectionBatch&);
template absl::StatusOr<Reply> Session::Impl::Ask(const TimeOfCollisionBatch&);

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
    const std::lock_guard write_lock(write_mutex_);
    if (!is_half_closed_) stream_->WritesDone();
    is_half_closed_ = true;
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return has_ended_; });
  return status_;
}

absl::Status Session::Impl::EndStatus() const {
  if (!status_.ok()) return status_;
  return absl::OutOfRangeError("the session has ended");
}

void Session::Impl::ReadAll() {
  absl::Status broken;
  v1::SessionResponse response;
  while (broken.ok() && stream_->Read(&response)) {
    if (Deliver(response)) continue;
    broken = absl::InternalError("the server answered what was not asked, or in another order");
    context_.TryCancel();
  }
  const absl::Status status = FromGrpc(stream_->Finish());
  const std::lock_guard lock(mutex_);
  status_ = broken.ok() ? status : broken;
  has_ended_ = true;
  changed_.notify_all();
}

bool Session::Impl::Deliver(const v1::SessionResponse& response) {
  PendingPtr pending;
  {
    const std::lock_guard lock(mutex_);
    if (unanswered_.empty()) return false;
    pending = unanswered_.front();
  }
  // Until it is answered only this thread touches the reply.
  if (pending->sequence != response.tag()) return false;
  const Progress progress = AddPart(response, pending.get());
  if (progress == Progress::kBroken) return false;
  if (progress == Progress::kPieceComplete) ++pending->pieces_answered;
  if (pending->pieces_answered < pending->pieces.size()) return true;
  if (!pending->reply.status.ok()) pending->reply.answer = std::monostate();
  const std::lock_guard lock(mutex_);
  pending->is_answered = true;
  unanswered_.pop_front();
  changed_.notify_all();
  return true;
}

Session::Impl::Progress Session::Impl::AddPart(const v1::SessionResponse& response,
                                               Pending* pending) {
  if (response.status().code() != 0) return AddFailure(response.status(), pending);
  Answer& answer = pending->reply.answer;
  switch (response.kind_case()) {
    case v1::SessionResponse::kDistance:
      return AddRows<DistanceResult>(response.distance(), pending);
    case v1::SessionResponse::kIntersection:
      return AddRows<IntersectionResult>(response.intersection(), pending);
    case v1::SessionResponse::kTimeOfCollision:
      return AddRows<TimeOfCollisionResult>(response.time_of_collision(), pending);
    case v1::SessionResponse::kOpen:
      if (!std::holds_alternative<OpenedShape>(answer)) return Progress::kBroken;
      answer = OpenedShape{response.open().slot(), FromProto(response.open().shape()),
                           response.open().revision()};
      return Progress::kPieceComplete;
    case v1::SessionResponse::kClose:
      if (!std::holds_alternative<ClosedShape>(answer)) return Progress::kBroken;
      answer = ClosedShape{response.close().slot()};
      return Progress::kPieceComplete;
    case v1::SessionResponse::KIND_NOT_SET:
      break;
  }
  return Progress::kBroken;
}

template <class Result, class Part>
Session::Impl::Progress Session::Impl::AddRows(const Part& part, Pending* pending) {
  const RowRange piece = pending->pieces[pending->pieces_answered];
  auto* result = std::get_if<Result>(&pending->reply.answer);
  if (result == nullptr || result->count != piece.first + part.first_row() ||
      part.total_count() != piece.count || part.count() > piece.count - part.first_row()) {
    return Progress::kBroken;
  }
  AppendFromProto(part, piece.first, result);
  const bool is_complete = part.first_row() + part.count() == piece.count;
  return is_complete ? Progress::kPieceComplete : Progress::kMoreToCome;
}

// The first failure of a message is the one that it reports; the rows of the piece are missing.
Session::Impl::Progress Session::Impl::AddFailure(const google::rpc::Status& status,
                                                  Pending* pending) {
  const RowRange piece = pending->pieces[pending->pieces_answered];
  if (pending->reply.status.ok()) pending->reply.status = FromProto(status);
  std::visit(
      [&](auto& answer) {
        if constexpr (requires { answer.count; }) answer.count = piece.first + piece.count;
      },
      pending->reply.answer);
  return Progress::kPieceComplete;
}

}  // namespace clearance::client
