// SPDX-License-Identifier: Apache-2.0
#include "internal/session_request.h"

#include "internal/query_convert.h"
#include "internal/scene_convert.h"
#include "internal/shape_convert.h"

namespace clearance::client {
namespace {

template <class Message>
std::vector<RowRange> PiecesOf(const Message& message, const MessageLimits& limits) {
  if constexpr (IsBatch<Message>) {
    return SplitRows(message, limits);
  } else {
    return {{.first = 0, .count = 1}};
  }
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

#define QUERY(name, field, service, label, states)                                 \
  void Fill(const name##Batch& batch, RowRange rows, const ClientOptions& options, \
            v1::SessionRequest* request) {                                         \
    ToProto(batch, rows, request->mutable_##field());                              \
    SetReplyLimit(options, request->mutable_##field());                            \
  }
#include "proto/methods.def"

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

#define MESSAGE(name) template std::vector<MessagePiece> MakePieces(const name&, const Connection&);
MESSAGE(OpenShape)
MESSAGE(CloseShape)
MESSAGE(OpenScene)
MESSAGE(CloseScene)
MESSAGE(ChangeBodies)
#define QUERY(name, field, service, label, states) MESSAGE(name##Batch)
#include "proto/methods.def"
#undef MESSAGE

}  // namespace clearance::client
