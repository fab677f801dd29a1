// SPDX-License-Identifier: Apache-2.0
#include "internal/session_request.h"

#include "internal/query_convert.h"
#include "internal/scene_query_convert.h"
#include "internal/shape_convert.h"

namespace clearance::client {
namespace {

constexpr RowRange kWholeMessage{0, 1};

std::vector<RowRange> PiecesOf(const OpenShape&, const MessageLimits&) { return {kWholeMessage}; }
std::vector<RowRange> PiecesOf(const CloseShape&, const MessageLimits&) { return {kWholeMessage}; }
std::vector<RowRange> PiecesOf(const OpenScene&, const MessageLimits&) { return {kWholeMessage}; }
std::vector<RowRange> PiecesOf(const CloseScene&, const MessageLimits&) { return {kWholeMessage}; }
std::vector<RowRange> PiecesOf(const ChangeBodies&, const MessageLimits&) {
  return {kWholeMessage};
}

template <class Batch>
std::vector<RowRange> PiecesOf(const Batch& batch, const MessageLimits& limits) {
  return SplitRows(batch, limits);
}

void Fill(const OpenShape& open, RowRange, const ClientOptions&, v1::SessionRequest* request) {
  v1::OpenShape* proto = request->mutable_open();
  proto->set_slot(open.slot);
  ToProto(open.shape, proto->mutable_shape());
  proto->set_min_revision(open.min_revision);
}

void Fill(const CloseShape& close, RowRange, const ClientOptions&, v1::SessionRequest* request) {
  request->mutable_close()->set_slot(close.slot);
}

void Fill(const OpenScene& open, RowRange, const ClientOptions&, v1::SessionRequest* request) {
  ToProto(open, request->mutable_open_scene());
}

void Fill(const CloseScene& close, RowRange, const ClientOptions&, v1::SessionRequest* request) {
  request->mutable_close_scene()->set_scene_slot(close.scene_slot);
}

void Fill(const ChangeBodies& change, RowRange, const ClientOptions&, v1::SessionRequest* request) {
  ToProto(change, request->mutable_change_bodies());
}

v1::DistanceBatch* ProtoFor(const DistanceBatch&, v1::SessionRequest* request) {
  return request->mutable_distance();
}
v1::IntersectionBatch* ProtoFor(const IntersectionBatch&, v1::SessionRequest* request) {
  return request->mutable_intersection();
}
v1::TimeOfCollisionBatch* ProtoFor(const TimeOfCollisionBatch&, v1::SessionRequest* request) {
  return request->mutable_time_of_collision();
}

v1::CheckBatch* ProtoFor(const CheckBatch&, v1::SessionRequest* request) {
  return request->mutable_check();
}
v1::MinimumDistanceBatch* ProtoFor(const MinimumDistanceBatch&, v1::SessionRequest* request) {
  return request->mutable_minimum_distance();
}
v1::NearestBatch* ProtoFor(const NearestBatch&, v1::SessionRequest* request) {
  return request->mutable_nearest();
}
v1::OverlapBatch* ProtoFor(const OverlapBatch&, v1::SessionRequest* request) {
  return request->mutable_overlap();
}
v1::SweepBatch* ProtoFor(const SweepBatch&, v1::SessionRequest* request) {
  return request->mutable_sweep();
}
v1::RayBatch* ProtoFor(const RayBatch&, v1::SessionRequest* request) {
  return request->mutable_ray();
}

template <class Batch>
void Fill(const Batch& batch, RowRange rows, const ClientOptions& options,
          v1::SessionRequest* request) {
  auto* const proto = ProtoFor(batch, request);
  ToProto(batch, rows, proto);
  SetReplyLimit(options, proto);
}

}  // namespace

template <class Message>
std::vector<MessagePiece> MakePieces(const Message& message, const Connection& connection) {
  std::vector<MessagePiece> pieces;
  for (const RowRange& rows : PiecesOf(message, connection.message_limits())) {
    pieces.push_back({rows, std::make_shared<v1::SessionRequest>()});
    Fill(message, rows, connection.options, pieces.back().request.get());
  }
  return pieces;
}

template std::vector<MessagePiece> MakePieces(const OpenShape&, const Connection&);
template std::vector<MessagePiece> MakePieces(const CloseShape&, const Connection&);
template std::vector<MessagePiece> MakePieces(const DistanceBatch&, const Connection&);
template std::vector<MessagePiece> MakePieces(const IntersectionBatch&, const Connection&);
template std::vector<MessagePiece> MakePieces(const TimeOfCollisionBatch&, const Connection&);
template std::vector<MessagePiece> MakePieces(const OpenScene&, const Connection&);
template std::vector<MessagePiece> MakePieces(const CloseScene&, const Connection&);
template std::vector<MessagePiece> MakePieces(const ChangeBodies&, const Connection&);
template std::vector<MessagePiece> MakePieces(const CheckBatch&, const Connection&);
template std::vector<MessagePiece> MakePieces(const MinimumDistanceBatch&, const Connection&);
template std::vector<MessagePiece> MakePieces(const NearestBatch&, const Connection&);
template std::vector<MessagePiece> MakePieces(const OverlapBatch&, const Connection&);
template std::vector<MessagePiece> MakePieces(const SweepBatch&, const Connection&);
template std::vector<MessagePiece> MakePieces(const RayBatch&, const Connection&);

}  // namespace clearance::client
