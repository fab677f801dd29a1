// SPDX-License-Identifier: Apache-2.0
#include "internal/session_stream.h"

#include "internal/status_convert.h"

namespace clearance::client {

CallIds SessionStream::ids() const { return IdsOf(context_); }

absl::Status SessionStream::Finish() {
  const grpc::Status status = stream_->Finish();
  return FromGrpc(status, context_);
}

}  // namespace clearance::client
