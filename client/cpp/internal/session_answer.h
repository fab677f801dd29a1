// SPDX-License-Identifier: Apache-2.0
//
// The answer to a caller's message, put together from the replies to its pieces. A piece whose
// answer comes in several parts is taken when its last part is there. So a stream that breaks
// between two parts leaves nothing of the piece behind, and the piece can be asked again.

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "clearance/error.h"
#include "clearance/session.h"
#include "clearance/v1/query_service.pb.h"
#include "internal/split.h"

namespace clearance::client {

using Answer = decltype(Reply::answer);

// Thread-compatible.
class AnswerInParts {
 public:
  // The effect of a response on the piece that it belongs to.
  enum class Progress { kMoreToCome, kPieceComplete, kBroken };

  // `empty` is the answer of the message's kind, still empty.
  AnswerInParts(std::uint64_t tag, Answer empty);

  // Sets the ids of the stream on which a response comes that is a failure; call it before adding
  // that.
  void FailsUnder(CallIds ids) { ids_ = std::move(ids); }

  // Takes the next response to the rows of a piece. kBroken: it does not fit.
  Progress Add(RowRange piece, v1::SessionResponse* response);
  // Forgets the parts of a piece that is not complete.
  void DropParts();

  // Requires: every piece is complete.
  Reply Take();

 private:
  // Adds rows of a batch's answer; `part_of` is their field in the response.
  template <class Batch, class Part>
  Progress AddRows(RowRange piece, const Part& (v1::SessionResponse::*part_of)() const,
                   v1::SessionResponse* response);
  // Sets the answer of a message that has no rows.
  template <class Whole>
  Progress SetWhole(Whole whole);
  Progress AddFailure(const google::rpc::Status& status);

  Reply reply_;
  CallIds ids_;
  std::vector<v1::SessionResponse> parts_;  // of the piece that is not complete
  std::uint32_t rows_in_parts_ = 0;
};

}  // namespace clearance::client
