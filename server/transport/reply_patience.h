// SPDX-License-Identifier: Apache-2.0
//
// How a call that must end comes to it though its client does not take what was written last.

#ifndef CLEARANCE_SERVER_TRANSPORT_REPLY_PATIENCE_H_
#define CLEARANCE_SERVER_TRANSPORT_REPLY_PATIENCE_H_

#include <grpcpp/server_context.h>

#include <optional>

#include "absl/time/time.h"
#include "server/observe/steady_clock.h"
#include "server/transport/completion.h"
#include "server/transport/poller.h"

namespace clearance::server {

// Used on the polling thread alone.
class ReplyPatience {
 public:
  // Of the call whose writes are `written`, one at a time.
  ReplyPatience(Poller& poller, grpc::ServerContext& context, const Operation& written)
      : poller_(poller), context_(context), written_(written) {}

  // To be called at every look once the call must end: what is being written has its time, and
  // lookers are called again when that is over; then the call is cancelled.
  void Urge() {
    if (!since_.has_value()) since_ = SteadyNow();
    if (!written_.is_pending()) return;
    if (SteadyNow() - *since_ < kPatience) return poller_.LookLater(kPatience);
    context_.TryCancel();
  }

 private:
  // What is on its way to a client that takes it is taken by then.
  static constexpr absl::Duration kPatience = absl::Milliseconds(250);

  Poller& poller_;
  grpc::ServerContext& context_;
  const Operation& written_;
  std::optional<SteadyTime> since_;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_TRANSPORT_REPLY_PATIENCE_H_
