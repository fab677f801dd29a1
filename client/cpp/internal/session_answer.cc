// SPDX-License-Identifier: Apache-2.0
#include "internal/session_answer.h"

#include <utility>

#include "internal/query_convert.h"
#include "internal/scene_convert.h"
#include "internal/scene_query_convert.h"
#include "internal/shape_convert.h"
#include "internal/status_convert.h"

namespace clearance::client {
namespace {

const v1::DistanceBatchResult& RowsOf(const v1::SessionResponse& response, const DistanceResult&) {
  return response.distance();
}
const v1::IntersectionBatchResult& RowsOf(const v1::SessionResponse& response,
                                          const IntersectionResult&) {
  return response.intersection();
}
const v1::TimeOfCollisionBatchResult& RowsOf(const v1::SessionResponse& response,
                                             const TimeOfCollisionResult&) {
  return response.time_of_collision();
}

const v1::CheckBatchResult& RowsOf(const v1::SessionResponse& response, const CheckResult&) {
  return response.check();
}
const v1::MinimumDistanceBatchResult& RowsOf(const v1::SessionResponse& response,
                                             const MinimumDistanceResult&) {
  return response.minimum_distance();
}
const v1::NearestBatchResult& RowsOf(const v1::SessionResponse& response, const NearestResult&) {
  return response.nearest();
}
const v1::OverlapBatchResult& RowsOf(const v1::SessionResponse& response, const OverlapResult&) {
  return response.overlap();
}
const v1::SweepBatchResult& RowsOf(const v1::SessionResponse& response, const SweepResult&) {
  return response.has_ray() ? response.ray() : response.sweep();
}

}  // namespace

Answer EmptyAnswer(const OpenShape&) { return OpenedShape{}; }
Answer EmptyAnswer(const CloseShape&) { return ClosedShape{}; }
Answer EmptyAnswer(const DistanceBatch&) { return DistanceResult{}; }
Answer EmptyAnswer(const IntersectionBatch&) { return IntersectionResult{}; }
Answer EmptyAnswer(const TimeOfCollisionBatch&) { return TimeOfCollisionResult{}; }
Answer EmptyAnswer(const OpenScene&) { return OpenedScene{}; }
Answer EmptyAnswer(const CloseScene&) { return ClosedScene{}; }
Answer EmptyAnswer(const ChangeBodies&) { return ChangedBodies{}; }
Answer EmptyAnswer(const CheckBatch&) { return CheckResult{}; }
Answer EmptyAnswer(const MinimumDistanceBatch&) { return MinimumDistanceResult{}; }
Answer EmptyAnswer(const NearestBatch&) { return NearestResult{}; }
Answer EmptyAnswer(const OverlapBatch&) { return OverlapResult{}; }
Answer EmptyAnswer(const SweepBatch&) { return SweepResult{}; }
Answer EmptyAnswer(const RayBatch&) { return SweepResult{}; }

AnswerInParts::AnswerInParts(std::uint64_t tag, Answer empty)
    : reply_{tag, absl::OkStatus(), std::move(empty)} {}

AnswerInParts::Progress AnswerInParts::Add(RowRange piece, v1::SessionResponse* response) {
  if (response->status().code() != 0) return AddFailure(response->status());
  switch (response->kind_case()) {
    case v1::SessionResponse::kDistance:
      return AddRows<DistanceResult>(piece, response->distance(), response);
    case v1::SessionResponse::kIntersection:
      return AddRows<IntersectionResult>(piece, response->intersection(), response);
    case v1::SessionResponse::kTimeOfCollision:
      return AddRows<TimeOfCollisionResult>(piece, response->time_of_collision(), response);
    case v1::SessionResponse::kOpen:
      return SetWhole(OpenedShape{response->open().slot(), FromProto(response->open().info()),
                                  response->open().revision()});
    case v1::SessionResponse::kClose:
      return SetWhole(ClosedShape{response->close().slot()});
    default:
      return AddOfScene(piece, response);
  }
}

AnswerInParts::Progress AnswerInParts::AddOfScene(RowRange piece, v1::SessionResponse* response) {
  switch (response->kind_case()) {
    case v1::SessionResponse::kOpenScene:
      return SetWhole(OpenedScene{response->open_scene().scene_slot(),
                                  FromProto(response->open_scene().scene())});
    case v1::SessionResponse::kCloseScene:
      return SetWhole(ClosedScene{response->close_scene().scene_slot()});
    case v1::SessionResponse::kChangeBodies:
      return SetWhole(ChangedBodies{response->change_bodies().body_count(),
                                    response->change_bodies().rule_count()});
    case v1::SessionResponse::kCheck:
      return AddRows<CheckResult>(piece, response->check(), response);
    case v1::SessionResponse::kMinimumDistance:
      return AddRows<MinimumDistanceResult>(piece, response->minimum_distance(), response);
    case v1::SessionResponse::kNearest:
      return AddRows<NearestResult>(piece, response->nearest(), response);
    case v1::SessionResponse::kOverlap:
      return AddRows<OverlapResult>(piece, response->overlap(), response);
    case v1::SessionResponse::kSweep:
      return AddRows<SweepResult>(piece, response->sweep(), response);
    case v1::SessionResponse::kRay:
      return AddRows<SweepResult>(piece, response->ray(), response);
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

template <class Result, class Part>
AnswerInParts::Progress AnswerInParts::AddRows(RowRange piece, const Part& part,
                                               v1::SessionResponse* response) {
  auto* const result = std::get_if<Result>(&reply_.answer);
  if (result == nullptr || part.first_row() != rows_in_parts_ ||
      part.total_count() != piece.count || part.count() > piece.count - part.first_row()) {
    return Progress::kBroken;
  }
  rows_in_parts_ += part.count();
  if (rows_in_parts_ < piece.count) {
    parts_.emplace_back().Swap(response);
    return Progress::kMoreToCome;
  }
  for (const v1::SessionResponse& earlier : parts_) {
    AppendFromProto(RowsOf(earlier, *result), piece.first, result);
  }
  AppendFromProto(part, piece.first, result);
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
