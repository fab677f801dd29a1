// SPDX-License-Identifier: Apache-2.0

#include "server/session/session_state.h"

#include <google/protobuf/descriptor.h>

#include "server/convert/shape_content.h"
#include "server/convert/wire_errors.h"
#include "server/guard/refusal.h"
#include "server/session/shape_reference.h"

namespace clearance::server {
namespace {

absl::Status NoKind() {
  const auto& kinds = *v1::SessionRequest::descriptor()->FindOneofByName("kind");
  std::string names = kinds.field(0)->name();
  for (int i = 1; i < kinds.field_count(); ++i)
    names += (i + 1 < kinds.field_count() ? ", " : " or ") + kinds.field(i)->name();
  return Refuse(absl::StatusCode::kInvalidArgument,
                {.reason = Reason::kKindUnknown,
                 .field = "kind",
                 .value = "unset",
                 .limit = names,
                 .message = "The message asks for nothing that this server knows."});
}

}  // namespace

std::uint64_t SessionState::CostOf(const v1::SessionRequest& request) const {
  constexpr std::uint64_t kPoseNumbersAUnit = 64;
  std::uint64_t cost = 0;
  const auto add = [&]<class Kind>(Kind, const auto& batch) {
    if constexpr (kIsAboutScene<Kind>) {
      const auto asked = scenes_.Asked(AboutOf(batch));
      if (!asked.ok()) return;  // it will be refused
      cost = server::CostOf(batch, {asked->scene->size(), asked->bodies.size()});
    } else {
      cost = server::CostOf(batch, table_.max_vertices_a_step(), table_.max_piece_count());
    }
  };
  if (VisitBatch(request, add)) return cost;
  switch (request.kind_case()) {
    case v1::SessionRequest::kOpen:
      return server::CostOf(request.open().shape());
    case v1::SessionRequest::kChangeBodies:
      return scenes_.CostOf(request.change_bodies(), table_);
    case v1::SessionRequest::kPublishTick:
      return static_cast<std::uint64_t>(request.publish_tick().poses_size()) / kPoseNumbersAUnit;
    case v1::SessionRequest::kRewindTrack:
      return scenes_.CostOf(request.rewind_track());
    default:
      return 0;
  }
}

std::uint64_t SessionState::ReplyBytesOf(const v1::SessionRequest& request) const {
  std::uint64_t bytes = kMaxReplyOverhead;
  VisitBatch(request, [&](auto /*kind*/, const auto& batch) {
    bytes = MostReplyBytes(batch, parts_.limits);
  });
  return bytes;
}

void SessionState::Answer(const v1::SessionRequest& request, const StopRule& stop,
                          v1::SessionResponse* response, Parts* left) {
  absl::Status status;
  const auto answer = [&]<class Kind>(Kind, const auto& batch) {
    auto* const result = Kind::ResultIn(response);
    status = AnswerPart<Kind>(batch, stop, result, left);
  };
  if (!VisitBatch(request, answer)) status = AnswerOther(request, stop, response);
  if (!status.ok()) {
    Decline(request, status);
    const auto* const kind = request.GetDescriptor()->FindFieldByNumber(request.kind_case());
    if (kind != nullptr) status = Under(kind->name(), status);
    response->clear_kind();
    CountRefusal(parts_.metrics, status);
    FillRpcStatus(status, response->mutable_status());
  }
  response->set_tag(request.tag());
}

absl::Status SessionState::AnswerOther(const v1::SessionRequest& request, const StopRule& stop,
                                       v1::SessionResponse* response) {
  switch (request.kind_case()) {
    case v1::SessionRequest::kOpen:
      return Open(request.open(), stop, response->mutable_open());
    case v1::SessionRequest::kClose:
      return Close(request.close(), response->mutable_close());
    case v1::SessionRequest::kOpenScene:
      return scenes_.Open(request.open_scene(), response->mutable_open_scene());
    case v1::SessionRequest::kCloseScene:
      return scenes_.Close(request.close_scene(), response->mutable_close_scene());
    case v1::SessionRequest::kChangeBodies:
      return scenes_.Change(request.change_bodies(), table_, response->mutable_change_bodies());
    case v1::SessionRequest::kOpenTrack:
      return scenes_.OpenTrack(request.open_track(), response->mutable_open_track());
    case v1::SessionRequest::kPublishTick:
      return scenes_.Publish(request.publish_tick(), response->mutable_publish_tick());
    case v1::SessionRequest::kCloseTrack:
      return scenes_.CloseTrack(response->mutable_close_track());
    case v1::SessionRequest::kRewindTrack:
      return scenes_.Rewind(request.rewind_track(), response->mutable_rewind_track());
    default:
      return NoKind();
  }
}

void SessionState::Decline(const v1::SessionRequest& request, const absl::Status& refusal) {
  job_.emplace<std::monostate>();
  if (request.has_open()) {
    warm_rows_.Forget();
    const std::uint32_t slot = request.open().slot();
    if (slot < parts_.limits.max_slots_per_session) Poison(slot, ReasonOf(refusal));
  }
  if (request.has_open_scene()) scenes_.DeclineOpen(request.open_scene().scene_slot(), refusal);
  if (request.has_rewind_track()) scenes_.DeclineOpen(request.rewind_track().scene_slot(), refusal);
  if (request.has_change_bodies()) scenes_.DeclineChange(refusal);
}

void SessionState::DeclineUnknown(const absl::Status& refusal) {
  job_.emplace<std::monostate>();
  warm_rows_.Forget();
  const std::string reason = ReasonOf(refusal);
  for (std::uint32_t slot = 0; slot < table_.size(); ++slot) {
    if (table_.state(slot) == SlotState::kOpen) Poison(slot, reason);
  }
  scenes_.DeclineAll(refusal);
}

WarmRows* SessionState::WarmRowsFor(std::uint64_t rows) {
  const auto kept = static_cast<std::uint32_t>(std::min<std::uint64_t>(rows, WarmRows::kMostRows));
  const bool has_room = room_.Resize(SessionRoom::Use::kWarmRows, warm_rows_.byte_size_with(kept));
  return has_room ? &warm_rows_ : nullptr;
}

void SessionState::Poison(std::uint32_t slot, const std::string& reason) {
  Hold(slot, nullptr);
  table_.Close(slot);
  GiveRoomBack();
  // Without room for the reason the slot stays as it was, never opened: no query finds anything.
  const bool has_room = room_.Resize(SessionRoom::Use::kSlots,
                                     BytesOfSlots(std::size_t{slot} + 1, table_.owned_bytes()));
  if (has_room) table_.Poison(slot, reason);
}

absl::Status SessionState::Open(const v1::OpenShape& open, const StopRule& stop,
                                v1::OpenShapeResult* result) {
  warm_rows_.Forget();
  absl::Status status = CheckSlot(open.slot(), "slot",
                                  {"max_slots_per_session", parts_.limits.max_slots_per_session});
  if (status.ok()) status = RequireProcessorTime(call_);
  status.Update(call_.registry.nameless().RequireRevision(open.min_revision()));
  if (!status.ok()) return status;
  auto resolved = ResolveShape(open.shape(), call_, stop);
  if (!resolved.ok()) return Under("shape", resolved.status());
  const ShapeContent& content = *resolved->shape.content;
  const std::uint64_t owned_bytes = OwnedBytesOf(open.shape(), content);
  const std::uint64_t all_owned_bytes =
      table_.owned_bytes() - table_.owned_bytes(open.slot()) + owned_bytes;
  status = CheckMost(
      all_owned_bytes + scenes_.owned_bytes(),
      {"max_session_shape_bytes", parts_.limits.max_session_shape_bytes},
      {.reason = Reason::kSessionShapesTooLarge,
       .field = "shape.inline_shape",
       .unit = " bytes",
       .message = "The session holds too many inline shapes; close some, or register them."});
  if (status.ok())
    status = room_.Require(SessionRoom::Use::kSlots,
                           BytesOfSlots(std::size_t{open.slot()} + 1, all_owned_bytes),
                           owned_bytes > 0 ? "shape.inline_shape" : "slot");
  if (!status.ok()) return status;
  table_.Open(open.slot(), content.body, owned_bytes, content.digest);
  Hold(open.slot(), owned_bytes == 0 ? content.body : nullptr);
  result->set_slot(open.slot());
  FillShapeInfo(resolved->shape, result->mutable_info());
  result->set_revision(resolved->revision);
  return absl::OkStatus();
}

absl::Status SessionState::Close(const v1::CloseShape& close, v1::CloseShapeResult* result) {
  warm_rows_.Forget();
  if (!table_.Close(close.slot()))
    return RefuseSlot("slot", close.slot(), "", "There is nothing in this slot to close.");
  Hold(close.slot(), nullptr);
  GiveRoomBack();
  result->set_slot(close.slot());
  return absl::OkStatus();
}

template <class Kind>
absl::Status SessionState::AnswerPart(const typename Kind::Batch& batch, const StopRule& stop,
                                      typename Kind::Result* result, Parts* left) {
  using Job = BatchJob<Kind>;
  if (!std::holds_alternative<Job>(job_)) {
    if (absl::Status status = RequireProcessorTime(call_); !status.ok()) return status;
    WarmRows* warm_rows = nullptr;
    if constexpr (requires { batch.warm_start(); }) {
      if (batch.warm_start()) warm_rows = WarmRowsFor(RowCountOf(batch));
    }
    auto started = Job::Start({call_, table_, &scenes_, warm_rows}, batch);
    if (!started.ok()) return started.status();
    job_.template emplace<Job>(*std::move(started))
        .KeepPartsTo(MostReplyBytes(batch, parts_.limits));
  }
  std::get<Job>(job_).AnswerPart(stop, result, left);
  Conclude(left, [this] {
    const Job& job = std::get<Job>(job_);
    if (!job.is_done()) return;
    job.Record();
    job_.template emplace<std::monostate>();
  });
  return absl::OkStatus();
}

std::uint64_t SessionState::CostLeft() const {
  return std::visit(
      [](const auto& job) -> std::uint64_t {
        if constexpr (requires { job.CostLeft(); }) return job.CostLeft();
        return 0;
      },
      job_);
}

}  // namespace clearance::server
