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

absl::StatusOr<OpenedScene> Session::Open(const OpenScene& scene) {
  return TakeAnswer<OpenedScene>(impl_->Ask(scene));
}

absl::Status Session::CloseScene(std::uint32_t scene_slot) {
  return TakeAnswer<ClosedScene>(impl_->Ask(client::CloseScene{scene_slot})).status();
}

absl::StatusOr<ChangedBodies> Session::Change(const ChangeBodies& change) {
  return TakeAnswer<ChangedBodies>(impl_->Ask(change));
}

#define QUERY(name, field, service, label, states)                             \
  absl::StatusOr<name##Batch::Result> Session::Ask(const name##Batch& batch) { \
    return TakeAnswer<name##Batch::Result>(impl_->Ask(batch));                 \
  }
#include "proto/methods.def"

absl::Status Session::Send(const SessionMessage& message, std::uint64_t tag) {
  return impl_->Send(message, tag);
}

absl::StatusOr<Reply> Session::Next() { return impl_->Next(); }

absl::Status Session::Finish() { return impl_->Finish(); }

void Session::Cancel() { impl_->Cancel(); }

std::optional<absl::Status> Session::end() const { return impl_->end(); }

}  // namespace clearance::client
