// SPDX-License-Identifier: Apache-2.0
#include "clearance/session.h"

#include <utility>

#include "internal/session_impl.h"

namespace clearance::client {
namespace {

template <class Answer>
absl::StatusOr<Answer> TakeAnswer(absl::StatusOr<Reply> reply) {
  if (!reply.ok()) return reply.status();
  if (!reply->status.ok()) return reply->status;
  return std::get<Answer>(std::move(reply->answer));
}

}  // namespace

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Session::~Session() = default;

absl::StatusOr<OpenedShape> Session::Open(std::uint32_t slot, const ShapeReference& shape,
                                          std::uint64_t min_revision) {
  return TakeAnswer<OpenedShape>(impl_->Ask(OpenShape{slot, shape, min_revision}));
}

absl::Status Session::Close(std::uint32_t slot) {
  return TakeAnswer<ClosedShape>(impl_->Ask(CloseShape{slot})).status();
}

absl::StatusOr<DistanceResult> Session::Ask(const DistanceBatch& batch) {
  return TakeAnswer<DistanceResult>(impl_->Ask(batch));
}

absl::StatusOr<IntersectionResult> Session::Ask(const IntersectionBatch& batch) {
  return TakeAnswer<IntersectionResult>(impl_->Ask(batch));
}

absl::StatusOr<TimeOfCollisionResult> Session::Ask(const TimeOfCollisionBatch& batch) {
  return TakeAnswer<TimeOfCollisionResult>(impl_->Ask(batch));
}

absl::Status Session::Send(const SessionMessage& message, std::uint64_t tag) {
  return impl_->Send(message, tag);
}

absl::StatusOr<Reply> Session::Next() { return impl_->Next(); }

absl::Status Session::Finish() { return impl_->Finish(); }

void Session::Cancel() { impl_->Cancel(); }

}  // namespace clearance::client
