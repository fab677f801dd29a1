// SPDX-License-Identifier: Apache-2.0
#include "internal/session_log.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "clearance/error.h"
#include "internal/status_convert.h"

namespace clearance::client {
namespace {

std::shared_ptr<v1::SessionRequest> OpenRequest(std::uint64_t tag, std::uint32_t slot) {
  auto request = std::make_shared<v1::SessionRequest>();
  request->set_tag(tag);
  request->mutable_open()->set_slot(slot);
  return request;
}

// Returns the request that opens the same content again, at whatever revision the server is: a
// digest means the same at each, and a server that has lost its registry begins again at 0. Content
// that is not inline is named by its digest alone.
std::shared_ptr<const v1::SessionRequest> SameContent(
    const std::shared_ptr<const v1::SessionRequest>& opened, const std::string& digest) {
  const v1::OpenShape& open = opened->open();
  if (open.shape().has_inline_shape() && open.min_revision() == 0) return opened;
  auto request = OpenRequest(opened->tag(), open.slot());
  if (open.shape().has_inline_shape()) {
    *request->mutable_open()->mutable_shape() = open.shape();
  } else {
    request->mutable_open()->mutable_shape()->set_digest(digest);
  }
  return request;
}

// Returns whether the server itself says that a refusal may be over soon.
bool IsTemporary(const absl::Status& refusal) {
  const std::optional<Error> error = ErrorDetail(refusal);
  return absl::IsUnavailable(refusal) || absl::IsFailedPrecondition(refusal) ||
         (error && error->retry_after);
}

}  // namespace

void SessionLog::Enter(std::vector<MessagePiece> pieces,
                       const std::shared_ptr<PendingReply>& pending) {
  for (MessagePiece& piece : pieces) {
    piece.request->set_tag(next_tag_++);
    requests_.push_back({std::move(piece.request), piece.rows, pending});
  }
  ++unanswered_;
}

std::shared_ptr<const v1::SessionRequest> SessionLog::TakeUnwritten() {
  return requests_[written_++].request;
}

bool SessionLog::AcceptAnswer() {
  const LoggedRequest answered = std::move(requests_.front());
  requests_.pop_front();
  --written_;
  if (answered.pending == nullptr) return false;
  PendingReply& pending = *answered.pending;
  if (--pending.pieces_left > 0) return false;
  pending.reply = pending.answer.Take();
  pending.is_answered = true;
  --unanswered_;
  Remember(answered);
  return true;
}

void SessionLog::Remember(const LoggedRequest& answered) {
  switch (answered.request->kind_case()) {
    case v1::SessionRequest::kOpen:
      return RememberShape(answered);
    case v1::SessionRequest::kClose:
      slots_.erase(answered.request->close().slot());
      return;
    case v1::SessionRequest::kOpenScene:
      return RememberScene(answered);
    case v1::SessionRequest::kCloseScene:
      scene_slots_.erase(answered.request->close_scene().scene_slot());
      return;
    case v1::SessionRequest::kChangeBodies:
      return RememberChange(answered);
    default:
      return;
  }
}

void SessionLog::RememberShape(const LoggedRequest& answered) {
  const v1::SessionRequest& request = *answered.request;
  const Reply& reply = answered.pending->reply;
  const std::uint32_t slot = request.open().slot();
  if (!reply.status.ok()) {
    // Without a reference it is certainly refused, and so the slot stays refused.
    slots_[slot] = {OpenRequest(request.tag(), slot), {.is_refused = true}};
    return;
  }
  const std::string& digest = std::get<OpenedShape>(reply.answer).info.digest;
  const std::string& name = request.open().shape().name();
  slots_[slot] = {
      SameContent(answered.request, digest),
      {.what = absl::StrCat("slot ", slot, " held ", digest, name.empty() ? "" : " (" + name + ")"),
       .content = digest}};
}

void SessionLog::RememberScene(const LoggedRequest& answered) {
  const v1::OpenScene& open = answered.request->open_scene();
  const Reply& reply = answered.pending->reply;
  const std::uint32_t slot = open.scene_slot();
  auto request = std::make_shared<v1::SessionRequest>();
  request->set_tag(answered.request->tag());
  request->mutable_open_scene()->set_scene_slot(slot);
  if (!reply.status.ok()) {
    // No scene has an empty name.
    scene_slots_[slot] = {std::move(request), {.is_refused = true}};
    return;
  }
  const SceneInfo& scene = std::get<OpenedScene>(reply.answer).scene;
  request->mutable_open_scene()->set_name(scene.name);
  request->mutable_open_scene()->set_revision(scene.revision);
  scene_slots_[slot] = {std::move(request),
                        {.what = absl::StrCat("scene slot ", slot, " held revision ",
                                              scene.revision, " of ", scene.name),
                         .content = scene.etag}};
}

void SessionLog::RememberChange(const LoggedRequest& answered) {
  if (!answered.pending->reply.status.ok()) return bodies_.Doubt();
  bodies_.Apply(answered.request->change_bodies(), [this](std::uint32_t slot) {
    const Slot& held = slots_.at(slot);  // an open one, or the change would have been refused
    return HeldShape{held.request, held.expectation.content};
  });
}

std::vector<SessionLog::Slot> SessionLog::QueryBodiesAgain() const {
  std::vector<Slot> again;
  bool uses_slot = false;
  for (const QueryBodies::Attachment& attachment : bodies_.Attachments()) {
    if (attachment.shape.open != nullptr) {
      auto open = std::make_shared<v1::SessionRequest>(*attachment.shape.open);
      open->mutable_open()->set_slot(0);
      again.push_back({std::move(open),
                       {.what = absl::StrCat("query bodies had ", attachment.shape.digest),
                        .content = attachment.shape.digest}});
      uses_slot = true;
    }
    again.push_back({std::make_shared<v1::SessionRequest>(attachment.change),
                     {.what = "query bodies were attached", .is_refused = bodies_.is_in_doubt()}});
  }
  if (uses_slot && !slots_.contains(0)) {
    auto close = std::make_shared<v1::SessionRequest>();
    close->mutable_close()->set_slot(0);
    again.push_back({std::move(close), {.what = "slot 0 was closed"}});
  }
  return again;
}

absl::Status SessionLog::CheckReopened(const v1::SessionResponse& response) const {
  const Expectation& expectation = requests_.front().expectation;
  if (expectation.is_refused) return absl::OkStatus();
  const std::string& what = expectation.what;
  if (response.status().code() != 0) {
    const absl::Status refusal = FromProto(response.status());
    // A revision that is not held never comes back.
    const bool is_lost =
        requests_.front().request->has_open_scene() && absl::IsFailedPrecondition(refusal);
    if (!is_lost && IsTemporary(refusal)) {
      return absl::UnavailableError(absl::StrCat(
          what, ", which cannot be opened again yet: ", std::string(refusal.message())));
    }
    return NotHere(absl::StrCat("the stream broke and ", what, ", which cannot be opened again: ",
                                std::string(refusal.message())));
  }
  const std::string& content = response.has_open_scene() ? response.open_scene().scene().etag()
                                                         : response.open().info().digest();
  if (expectation.content.empty() || content == expectation.content) return absl::OkStatus();
  return NotHere(
      absl::StrCat("the stream broke and ", what, ", for which the server now opens ", content));
}

absl::Status SessionLog::NotHere(const std::string& message) const {
  return has_several_servers_ ? absl::UnavailableError(message)
                              : absl::FailedPreconditionError(message);
}

void SessionLog::Restart() {
  while (!requests_.empty() && requests_.front().pending == nullptr) requests_.pop_front();
  if (!requests_.empty()) requests_.front().pending->answer.DropParts();
  std::vector<Slot> again = QueryBodiesAgain();
  for (const Slots* const slots : {&slots_, &scene_slots_}) {
    for (const auto& [number, slot] : *slots) again.push_back(slot);
  }
  for (auto slot = again.rbegin(); slot != again.rend(); ++slot)
    requests_.push_front({slot->request, {0, 1}, nullptr, slot->expectation});
  written_ = 0;
}

}  // namespace clearance::client
