// SPDX-License-Identifier: Apache-2.0
//
// A caller's message as it goes over the wire: one request, or several where the server would not
// take it in one.

#pragma once

#include <memory>
#include <vector>

#include "clearance/session.h"
#include "clearance/v1/query_service.pb.h"
#include "internal/connection.h"
#include "internal/split.h"

namespace clearance::client {

// Some rows of a batch, or the whole of another message. The request has no tag yet.
struct MessagePiece {
  RowRange rows;
  std::shared_ptr<v1::SessionRequest> request;
};

// Message is an alternative of SessionMessage. At least one piece.
template <class Message>
std::vector<MessagePiece> MakePieces(const Message& message, const Connection& connection);

}  // namespace clearance::client
