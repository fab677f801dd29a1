// SPDX-License-Identifier: Apache-2.0
#include "internal/session_answer.h"

#include <utility>

#include "internal/query_convert.h"
#include "internal/scene_convert.h"
#include "internal/shape_convert.h"
#include "internal/status_convert.h"

namespace clearance::client {
AnswerInParts::AnswerInParts(std::uint64_t tag, Answer empty)
    : reply_{tag, absl::OkStatus(), std::move(empty)} {}

AnswerInParts::Progress AnswerInParts::Add(RowRange piece, v1::SessionResponse* response) {
  if (response->status().code() != 0) return AddFailure(response->status());
  switch (response->kind_case()) {
#define QUERY(name, field, service, label, states) \
  case v1::SessionResponse::k##name:               \
    return AddRows<name##Batch>(piece, &v1::SessionResponse::field, response);
#include "proto/methods.def"
    case v1::SessionResponse::kOpen:
      return SetWhole(OpenedShape{response->open().slot(), FromProto(response->open().info()),
                                  response->open().revision()});
    case v1::SessionResponse::kClose:
      return SetWhole(ClosedShape{response->close().slot()});
    case v1::SessionResponse::kOpenScene:
      return SetWhole(OpenedScene{response->open_scene().scene_slot(),
                                  FromProto(response->open_scene().scene())});
    case v1::SessionResponse::kCloseScene:
      return SetWhole(ClosedScene{response->close_scene().scene_slot()});
    case v1::SessionResponse::kChangeBodies:
      return SetWhole(ChangedBodies{response->change_bodies().body_count(),
                                    response->change_bodies().rule_count()});
    default:
      return Progress::kBroken;
  }
}

template <class Whole>
AnswerInParts::Progress AnswerInParts::SetWhole(Whole whole) {
  if (!std::holds_alternative<Whole>(reply_.answer)) return Progress::kBroken;
  reply_.answer = std::move(whole);
  return Progress::kPieceComplete;
}

template <class Batch, class Part>
AnswerInParts::Progress AnswerInParts::AddRows(RowRange piece,
                                               const Part& (v1::SessionResponse::*part_of)() const,
                                               v1::SessionResponse* response) {
  const Part& part = (response->*part_of)();
  auto* const result = std::get_if<typename Batch::Result>(&reply_.answer);
  const bool is_of_one_kind = parts_.empty() || parts_.front().kind_case() == response->kind_case();
  if (result == nullptr || !is_of_one_kind || part.first_row() != rows_in_parts_ ||
      part.total_count() != piece.count || part.count() > piece.count - part.first_row()) {
    return Progress::kBroken;
  }
  rows_in_parts_ += part.count();
  if (rows_in_parts_ < piece.count) {
    parts_.emplace_back().Swap(response);
    return Progress::kMoreToCome;
  }
  for (const v1::SessionResponse& earlier : parts_) {
    AppendRows<Batch>((earlier.*part_of)(), piece.first, result);
  }
  AppendRows<Batch>(part, piece.first, result);
  DropParts();
  return Progress::kPieceComplete;
}

// The first failure of a message is the one that it reports.
AnswerInParts::Progress AnswerInParts::AddFailure(const google::rpc::Status& status) {
  if (reply_.status.ok()) {
    reply_.status = FromProto(status);
    AddIds(ids_, &reply_.status);
  }
  DropParts();
  return Progress::kPieceComplete;
}

void AnswerInParts::DropParts() {
  parts_.clear();
  rows_in_parts_ = 0;
}

Reply AnswerInParts::Take() {
  if (!reply_.status.ok()) reply_.answer = std::monostate();
  return std::move(reply_);
}

}  // namespace clearance::client
